// SPDX-License-Identifier: GPL-2.0
/*
 * Any sequence of operations on a ring, compared with the reference after each.
 * For libFuzzer, which makes them up; what is read, kbuffer reads.
 *
 * usage: fuzz [OPTION]... [CORPUS | FILE]...
 *
 * With a file: that sequence once more; FUZZ_TRACE=1 in the environment says
 * what it is.
 */
#include <stdio.h>

#include <linux/tracemap_buffer.h>
#include <kbuffer.h>

#include "fuzz.h"
#include "oracle.h"
#include "reference.h"
#include "ring_words.h"
#include "writer.h"

#define LEVELS	4	/* task, softirq, irq, NMI */

struct input {
	const u8	*at;
	const u8	*end;
};

struct open {
	struct tracemap_handle	handle;
	struct ref_event	*event;
};

/* both_*() do the same to both of them, and compare what comes of it */
static struct ring ring;
static struct reference ref;
static struct open open[LEVELS];
static struct kbuffer *kbuffer;
static u64 now;
static bool traces;
static bool watched, attention;	/* what the ring's flags must be */

#define trace(...) do {			\
	if (traces)			\
		printf(__VA_ARGS__);	\
} while (0)

#define must_be(what, is, should) do {						\
	unsigned long long __is = (is), __should = (should);			\
										\
	if (__is != __should)							\
		oracle_fail("%s is %llu, should be %llu", what, __is, __should);	\
} while (0)

void shim_step(void)
{
}

static u64 clock_now(void)
{
	return now;
}

static u8 next_byte(struct input *input)
{
	return input->at < input->end ? *input->at++ : 0;
}

static void make_ring(unsigned int shift, u32 nr_slots, bool overwrite)
{
	struct subbuf_page *pages[256 + 1];
	u32 i;

	for (i = 0; i <= nr_slots; i++)
		pages[i] = calloc(1, 1 << shift);
	memset(&ring, 0, sizeof(ring));
	ring.clock = clock_now;
	ring.overwrite = overwrite;
	watched = false;
	attention = false;
	if (ring_init(&ring, shift, nr_slots, pages))
		oracle_fail("no memory");
}

static void free_ring(struct ring *old)
{
	u32 i;

	for (i = 0; i < ring_nr_subbufs(old); i++)
		free(old->subbufs[i].page);
	ring_destroy(old);
}

/* every byte of an event's tells which it is, and where it is in there */
static u8 payload_byte(const struct ref_event *event, u32 i)
{
	return (event - ref.events) * 5 + i;
}

static void check_open(const struct open *opened)
{
	u64 first = pos_first(&ring, pos_number(&ring, opened->handle.end));

	must_be("the event's start", opened->handle.start - first, opened->event->start);
	must_be("the event's end", opened->handle.end - first, opened->event->end);
}

/* Someone who waits for the next sub-buffer hears when the one before is complete. */
static void check_attention(int newest_before)
{
	if (watched && ref.newest_published > newest_before)
		attention = true;
	must_be("attention", ring.attention, attention);
}

static void both_reserve(u32 length)
{
	struct open *opened = &open[ref.nest];
	int newest = ref.newest_published;
	u8 *payload;
	u32 i;

	if (ref.nest == LEVELS || ref.nr_events >= REFERENCE_MOST - 2)
		return;
	opened->event = ref_reserve(&ref, now, length);
	payload = writer_reserve(&ring, &opened->handle, length);
	trace("reserve %u at level %u%s\n", length, ref.nest, payload ? "" : ": refused");
	must_be("the event accepted", !!payload, !!opened->event);
	check_attention(newest);
	if (!payload)
		return;
	check_open(opened);
	for (i = 0; i < length; i++)
		payload[i] = payload_byte(opened->event, i);
}

static void both_commit(void)
{
	int newest = ref.newest_published;
	struct open *opened;

	if (!ref.nest)
		return;
	opened = &open[ref.nest - 1];
	trace("commit\n");
	ref_commit(&ref, opened->event);
	must_be("published", writer_commit(&opened->handle), !ref.nest);
	check_attention(newest);
}

static void both_discard(void)
{
	int newest = ref.newest_published;
	struct open *opened;

	if (!ref.nest)
		return;
	opened = &open[ref.nest - 1];
	trace("discard\n");
	ref_discard(&ref, opened->event);
	/* with what has come behind, or if a sub-buffer was left for it */
	must_be("published", ring_discard(&opened->handle),
		!ref.nest && (opened->event->padding || !opened->event->start));
	check_attention(newest);
}

static void write_one(u32 length)
{
	u32 nest = ref.nest;

	both_reserve(length);
	if (ref.nest > nest)
		both_commit();
}

static void write_many(u32 count)
{
	while (count--)
		write_one(ring_capacity(&ring) / 3);
}

/* The event of kbuffer's that should be @event. */
static void check_event(const struct ref_event *event)
{
	unsigned long long time;
	u8 *payload = kbuffer_read_event(kbuffer, &time);
	u32 i;

	if (!payload)
		oracle_fail("event %d is not there", (int)(event - ref.events));
	must_be("the time", time, event->time);
	must_be("the size", kbuffer_event_size(kbuffer),
		ALIGN(event->length ? event->length : 1, 4));
	must_be("the end", kbuffer_curr_index(kbuffer) + kbuffer_curr_size(kbuffer), event->end);
	must_be("our time", subbuf_time_before(ring_held(&ring)->page, event->end), time);
	for (i = 0; i < event->length; i++)
		must_be("a byte", payload[i], payload_byte(event, i));
	kbuffer_next_event(kbuffer, NULL);
}

/* What kbuffer_missed_events() says, which in old versions is 0 if padding comes first. */
static long missed_events(const struct subbuf_page *page)
{
	long commit = local_read(&page->commit);
	long missed;

	if (!(commit & SUBBUF_MISSED))
		return 0;
	if (!(commit & SUBBUF_STORED))
		return -1;
	memcpy(&missed, page->events + ref.done, sizeof(missed));
	return missed;
}

static bool may_miss(long missed)
{
	u32 room = ref.capacity - ref.done;

	if (!ref.lost)
		return !missed;
	if (ref_is_complete(&ref, ref.held) && ref.in_slot)
		return missed == (room < sizeof(long) ? -1 : (long)ref.lost);
	/* that something is missing may be told while the sub-buffer is filled */
	return missed == 0 || missed == -1 || missed == (long)ref.lost;
}

/* All that the reader can see of what it holds, not only what is new. */
static void check_page(const struct subbuf_page *page)
{
	int i;

	kbuffer_load_subbuffer(kbuffer, (void *)page);
	must_be("the sub-buffer's size", kbuffer_subbuffer_size(kbuffer), ref.done);
	if (!may_miss(missed_events(page)))
		oracle_fail("%ld events are said to be missing, %llu are", missed_events(page),
			    (unsigned long long)ref.lost);
	if (!kbuffer_curr_index(kbuffer))
		must_be("missing", kbuffer_missed_events(kbuffer), missed_events(page));
	for (i = ref.groups[ref.held].first; ref_is_seen(&ref, i, ref.held); i++) {
		if (!ref.events[i].padding)
			check_event(&ref.events[i]);
	}
	if (kbuffer_read_event(kbuffer, NULL))
		oracle_fail("there is one more event");
}

static bool both_take(void)
{
	bool should = ref_take(&ref);
	bool took = ring_take(&ring);

	trace("take: %s\n", took ? "yes" : "no");
	must_be("something to read", took, should);
	return took;
}

static void both_consume(void)
{
	u64 lost = ref.done ? 0 : ref.lost;
	u32 done = ref.done;
	u32 bytes = ref_consume(&ref);
	struct ring_span span = ring_consume(&ring);

	trace("consume: %u bytes\n", span.bytes);
	must_be("bytes", span.bytes, bytes);
	must_be("offset", span.offset, done);
	must_be("lost", span.lost, lost);
	if (span.page != ring.subbufs[span.id].page)
		oracle_fail("id %u is not that page", span.id);
	if (ref.holds)
		check_page(span.page);
}

static void both_drain(void)
{
	while (both_take())
		both_consume();
}

static void both_reset(void)
{
	if (ref.nest)
		return;
	trace("reset\n");
	ring_reset(&ring);
	ref_forget(&ref);
}

static void both_move(u32 nr_slots)
{
	struct ring old = ring;

	if (ref.nest || ref.nr_events >= REFERENCE_MOST - 2)
		return;
	trace("move to %u slots\n", nr_slots);
	make_ring(old.shift, nr_slots, old.overwrite);
	ring_move(&ring, &old);
	free_ring(&old);
	ref_move(&ref, nr_slots);
}

static void both_change_shift(unsigned int shift)
{
	if (ref.nest)
		return;
	trace("sub-buffers of %u bytes\n", 1 << shift);
	free_ring(&ring);
	make_ring(shift, ref.nr_slots, ref.overwrite);
	ref_init(&ref, shift, ref.nr_slots, ref.overwrite);
}

static void both_change_mode(void)
{
	ref.overwrite = !ref.overwrite;
	ring.overwrite = ref.overwrite;
	trace("mode %s\n", ref.overwrite ? "overwrite" : "producer-consumer");
}

static void watch(void)
{
	trace("somebody %s\n", watched ? "has heard" : "waits");
	/* what has come is attended to */
	attention = false;
	ring.attention = false;
	watched = !watched;
	ring.watched = watched;
}

static void change_time(u8 how)
{
	if (how & 0x80)
		now -= how & 0x7f;
	else
		now += 1ULL << how % 37;
	trace("time %llu\n", (unsigned long long)now);
}

static void check_counters(void)
{
	struct ring_stats is, should;

	ring_stats(&ring, &is);
	ref_stats(&ref, &should);
	must_be("reserved", is.reserved, should.reserved);
	must_be("entries", is.entries, should.entries);
	must_be("read", is.read, should.read);
	must_be("unread", is.unread, should.unread);
	must_be("overrun", is.overrun, should.overrun);
	must_be("dropped_full", is.dropped_full, should.dropped_full);
	must_be("dropped_nested", is.dropped_nested, should.dropped_nested);
	must_be("dropped_big", is.dropped_big, should.dropped_big);
	must_be("exchanges", is.exchanges, should.exchanges);
	must_be("subbufs_lost", is.subbufs_lost, should.subbufs_lost);
	must_be("subbufs_read", is.subbufs_read, should.subbufs_read);
	must_be("bytes", is.bytes, should.bytes);
	must_be("holds what is complete", ring_holds_complete(&ring),
		ref_is_complete(&ref, ref.held));
	if (ref.nest)
		return;
	must_be("reserved, at rest", is.reserved, is.read + is.unread + is.overrun +
		is.dropped_full + is.dropped_nested + is.dropped_big);
	must_be("has unread", ring_has_unread(&ring), is.bytes > 0);
	must_be("ready", ring_ready_subbufs(&ring) > 0, is.bytes > 0);
	if (ring_ready_subbufs(&ring) > ring.nr_slots)
		oracle_fail("more is ready than there are slots");
}

/* Short ones, and those around the largest that fits. */
static u32 some_length(u8 byte)
{
	u32 largest = ring_capacity(&ring) + 8;

	return byte < 128 ? byte : largest - min(largest, byte - 128);
}

static void operate(struct input *input)
{
	u8 operation = next_byte(input);

	switch (operation % 16) {
	case 0:
	case 1:
		return both_reserve(some_length(next_byte(input)));
	case 2:
	case 3:
		return both_commit();
	case 4:
		return both_discard();
	case 5:
	case 6:
		return write_one(some_length(next_byte(input)));
	case 7:
		return write_many(next_byte(input) % 64);
	case 8:
		both_take();
		return;
	case 9:
		return both_consume();
	case 10:
		return both_drain();
	case 11:
		return change_time(next_byte(input));
	case 12:
		return operation / 16 % 2 ? watch() : both_change_mode();
	case 13:
		return both_move(2 + next_byte(input) % 8);
	case 14:
		return both_change_shift(8 + next_byte(input) % 2);
	case 15:
		return both_reset();
	}
}

static void start(struct input *input)
{
	static const u64 times[] = { 1, 1ULL << 27, 1ULL << 32, 1ULL << 59, 1ULL << 63 };
	/* within a sub-buffer, time must not pass a multiple of 2^59 on its way down or up */
	const u64 fall = 1 << 20;
	unsigned int shift = 8 + next_byte(input) % 2;
	u32 nr_slots = 2 + next_byte(input) % 8;
	u8 others = next_byte(input);

	now = times[others / 4 % ARRAY_SIZE(times)] + fall;
	make_ring(shift, nr_slots, others & 1);
	ref_init(&ref, shift, nr_slots, others & 1);
	if (others & 2)
		oracle_wind_forward(&ring, 1 + others / 32);
	trace("%u slots of %u bytes, %s%s\n", nr_slots, 1 << shift,
	      others & 1 ? "overwrite" : "producer-consumer",
	      others & 2 ? ", laps about to wrap" : "");
}

/* What was accepted and not lost, the reader has had. */
static void finish(void)
{
	struct ring_stats stats;

	while (ref.nest)
		both_commit();
	both_drain();
	check_counters();
	ring_stats(&ring, &stats);
	must_be("unread, in the end", stats.unread, 0);
	free_ring(&ring);
}

/**
 * fuzz_one - one sequence; the Makefile has it under libFuzzer's name, too
 * @bytes:	that say what happens
 * @size:	of those
 *
 * Return: 0.
 */
int fuzz_one(const u8 *bytes, size_t size)
{
	struct input input = { bytes, bytes + size };

	if (!kbuffer) {
		kbuffer = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
		traces = getenv("FUZZ_TRACE");
	}
	oracle_how_to_repeat = "FUZZ_TRACE=1 build/fuzz FILE, which is named below";
	start(&input);
	while (input.at < input.end) {
		operate(&input);
		check_counters();
	}
	finish();
	return 0;
}
