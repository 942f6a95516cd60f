// SPDX-License-Identifier: GPL-2.0
/*
 * What the ring writes, libtraceevent's kbuffer reads: every event with its
 * time, its size and its payload, and what is said to be missing.
 *
 * usage: encoding
 */
#include <stdio.h>

#include <linux/tracemap_buffer.h>
#include <kbuffer.h>

#include "oracle.h"
#include "ring_words.h"
#include "writer.h"

#define MOST	8192
#define SLOTS	2
#define BASE	12345

/**
 * struct written - an event that was asked for and not taken back
 * @time:	the clock's
 * @length:	of the payload that was asked for
 * @seed:	of what is in it
 */
struct written {
	u64	time;
	u32	length;
	u32	seed;
};

/**
 * struct open - an event that is not committed yet
 * @handle:	the ring's
 * @written:	what it will be
 */
struct open {
	struct tracemap_handle	handle;
	struct written		*written;
};

static const u64 deltas[] = {
	0, 1, (1 << 27) - 1, 1 << 27, (1 << 27) + 1, 1ULL << 32, (1ULL << 59) - 1,
};

static struct ring ring;
static struct written events[MOST];
static u32 nr_events, nr_read;
static u64 now, checked;
static struct kbuffer *kbuffer;
static struct subbuf_page *image;

void shim_step(void)
{
}

static u64 clock_now(void)
{
	return now;
}

static void start_ring(unsigned int shift, bool overwrite)
{
	struct subbuf_page *pages[SLOTS + 1];
	u32 i;

	for (i = 0; i <= SLOTS; i++)
		pages[i] = calloc(1, 1 << shift);
	image = calloc(1, 1 << shift);
	memset(&ring, 0, sizeof(ring));
	ring.clock = clock_now;
	ring.overwrite = overwrite;
	if (ring_init(&ring, shift, SLOTS, pages))
		oracle_fail("no memory");
}

static void stop_ring(void)
{
	u32 i;

	for (i = 0; i <= SLOTS; i++)
		free(ring.subbufs[i].page);
	free(image);
	ring_destroy(&ring);
}

static void start_again(u64 time)
{
	ring_reset(&ring);
	nr_events = 0;
	nr_read = 0;
	now = time;
}

static u8 payload_byte(const struct written *event, u32 i)
{
	return event->seed * 7 + i;
}

/* Returns false if it was refused. */
static bool open_event(struct open *open, u32 length, u64 delta)
{
	static u32 seed;
	struct written *event = &events[nr_events];
	u8 *payload;
	u32 i;

	now += delta;
	payload = writer_reserve(&ring, &open->handle, length);
	if (!payload)
		return false;
	*event = (struct written) { .time = now, .length = length, .seed = seed++ };
	for (i = 0; i < length; i++)
		payload[i] = payload_byte(event, i);
	open->written = event;
	nr_events++;
	return true;
}

static void must_open(struct open *open, u32 length, u64 delta)
{
	if (!open_event(open, length, delta))
		oracle_fail("an event of %u bytes was refused", length);
}

static void put(u32 length, u64 delta)
{
	struct open open;

	must_open(&open, length, delta);
	writer_commit(&open.handle);
}

static void discard(struct open *open)
{
	u32 behind = --nr_events - (open->written - events);

	memmove(open->written, open->written + 1, behind * sizeof(*events));
	ring_discard(&open->handle);
}

static void check_payload(const struct written *event, const u8 *payload, u32 size)
{
	u32 words = ALIGN(event->length ? event->length : 1, 4);
	u32 i;

	if (size != words)
		oracle_fail("%u bytes were asked for, kbuffer reads %u", event->length, size);
	for (i = 0; i < event->length; i++) {
		if (payload[i] != payload_byte(event, i))
			oracle_fail("byte %u of %u is another", i, event->length);
	}
}

/* Returns how many events kbuffer finds, which are @event and those behind it. */
static u32 check_events(const struct subbuf_page *page, const struct written *event)
{
	unsigned long long time;
	u32 found = 0;
	u8 *payload;

	kbuffer_load_subbuffer(kbuffer, (void *)page);
	while ((payload = kbuffer_read_event(kbuffer, &time))) {
		u32 end = kbuffer_curr_index(kbuffer) + kbuffer_curr_size(kbuffer);

		if (event == &events[nr_events])
			oracle_fail("an event too many");
		if (time != event->time)
			oracle_fail("time is %llx, kbuffer reads %llx",
				    (unsigned long long)event->time, time);
		if (subbuf_time_before(page, end) != time)
			oracle_fail("kbuffer reads the time %llx, we do %llx", time,
				    (unsigned long long)subbuf_time_before(page, end));
		check_payload(event, payload, kbuffer_event_size(kbuffer));
		kbuffer_next_event(kbuffer, NULL);
		event++;
		found++;
	}
	checked += found;
	return found;
}

/* An image that starts in the middle, as read() hands it out, tells the same. */
static void check_rest(const struct subbuf_page *page, u32 offset, u32 bytes,
		       const struct written *event, u32 count)
{
	image->time_stamp = subbuf_time_before(page, offset);
	local_set(&image->commit, bytes - offset);
	memcpy(image->events, page->events + offset, bytes - offset);
	if (check_events(image, event) != count)
		oracle_fail("from %u on kbuffer finds other events", offset);
}

static void check_rests(const struct ring_span *span, const struct written *event, u32 count)
{
	u32 bytes = span->offset + span->bytes;
	u32 i, offset;

	for (i = 1; i < count; i++) {
		kbuffer_load_subbuffer(kbuffer, (void *)span->page);
		for (offset = 0; offset < i; offset++)
			kbuffer_next_event(kbuffer, NULL);
		/* where the one before it has ended: with all that stands in between */
		offset = kbuffer_curr_index(kbuffer);
		check_rest(span->page, offset, bytes, event + i, count - i);
	}
}

/* Reads one sub-buffer; returns how many events there were. */
static u32 read_subbuf(void)
{
	struct ring_span span;
	u32 found;

	if (!ring_take(&ring))
		return 0;
	span = ring_consume(&ring);
	if (span.offset)
		oracle_fail("a sub-buffer is read in parts");
	found = check_events(span.page, &events[nr_read]);
	if (found <= 8)
		check_rests(&span, &events[nr_read], found);
	nr_read += found;
	return found;
}

static void read_all(void)
{
	/* not every sub-buffer has events */
	while (ring_has_unread(&ring))
		read_subbuf();
	if (nr_read != nr_events)
		oracle_fail("%u events were written, kbuffer reads %u", nr_events, nr_read);
}

/* Fill one sub-buffer, to where an event of @length goes to the next. */
static void check_size(u32 length, u64 delta)
{
	u32 fit = ring_capacity(&ring) / subbuf_event_size(length);
	u32 i;

	start_again(BASE);
	for (i = 0; i <= fit; i++)
		put(length, delta);
	if (read_subbuf() != fit)
		oracle_fail("%u events of %u bytes should fit", fit, length);
	read_all();
}

static void check_too_large(u32 length)
{
	struct open open;

	start_again(BASE);
	if (open_event(&open, length, 0))
		oracle_fail("an event of %u bytes was accepted", length);
	if (local_read(&ring.dropped_big) != 1)
		oracle_fail("an event of %u bytes was refused and not counted", length);
}

static void test_sizes(unsigned int shift, u32 step)
{
	u32 capacity = (1U << shift) - SUBBUF_HEADER;
	u32 largest = capacity - 8;
	u32 length;

	start_ring(shift, true);
	for (length = 0; length <= largest; length += step)
		check_size(length, length % 3);
	for (length = largest - 16; length <= largest; length++)
		check_size(length, 1);
	for (length = largest + 1; length <= capacity + 8; length++)
		check_too_large(length);
	check_too_large(UINT_MAX);
	stop_ring();
}

static void test_every_size(void)
{
	test_sizes(12, 1);
}

static void test_large_sizes(void)
{
	test_sizes(13, 37);
	test_sizes(16, 251);
}

/* Calls @test with everything that a sequence of three deltas can be. */
static void for_all_deltas(void (*test)(u64 base, const u64 delta[3]))
{
	static const u64 bases[] = { 0, BASE, 1ULL << 40, 31ULL << 59, 3ULL << 59 };
	u32 i, n = ARRAY_SIZE(deltas);

	start_ring(12, true);
	for (i = 0; i < n * n * n * ARRAY_SIZE(bases); i++) {
		u64 delta[3] = { deltas[i % n], deltas[i / n % n], deltas[i / n / n % n] };
		u64 base = bases[i / n / n / n];

		/* time does not go round; tests may add a little to it */
		if (base + delta[0] + delta[1] + delta[2] + 10 >= base)
			test(base, delta);
	}
	stop_ring();
}

static void check_deltas(u64 base, const u64 delta[3])
{
	start_again(base);
	put(8, 0);
	put(8, delta[0]);
	put(200, delta[1]);
	put(0, delta[2]);
	read_all();
}

static void test_deltas(void)
{
	for_all_deltas(check_deltas);
}

/*
 * An absolute time has 59 bits. Within a sub-buffer, the rest is known if time
 * passes no multiple of 2^59 on the way to it: that it does once in 18 years.
 */
static bool can_be_told(u64 base, const u64 *delta, u32 count)
{
	u64 time = base;

	while (count--) {
		if ((time + *delta) >> 59 != time >> 59)
			return false;
		time += *delta++;
	}
	return true;
}

static void check_stacked(u64 base, const u64 delta[3])
{
	struct open open[3];

	if (!can_be_told(base, delta, 3))
		return;
	start_again(base);
	must_open(&open[0], 12, 0);
	must_open(&open[1], 120, delta[0]);
	must_open(&open[2], 0, delta[1]);
	writer_commit(&open[2].handle);
	writer_commit(&open[1].handle);
	put(4, delta[2]);
	writer_commit(&open[0].handle);
	put(8, 0);
	put(8, 3);
	read_all();
}

static void test_stacked(void)
{
	for_all_deltas(check_stacked);
}

/* A delta passes a multiple of 2^59, and behind it come absolute times. */
static void test_passing(void)
{
	struct open open;
	u32 i;

	start_ring(12, true);
	for (i = 1; i < 32; i++) {
		start_again(((u64)i << 59) - 10);
		put(8, 0);
		put(8, 20);
		must_open(&open, 8, 30);
		put(8, 40);
		writer_commit(&open.handle);
		put(8, 50);
		read_all();
	}
	stop_ring();
}

static void check_padding(u32 length, u32 nested, u64 delta)
{
	struct open open;

	/* as the first of its sub-buffer */
	start_again(BASE);
	must_open(&open, length, delta);
	put(nested, delta);
	discard(&open);
	put(8, delta);
	read_all();

	/* in the middle, two in a row */
	start_again(BASE);
	put(8, 0);
	must_open(&open, length, delta);
	put(nested, delta);
	discard(&open);
	must_open(&open, length, delta);
	put(nested, delta);
	discard(&open);
	put(8, delta);
	put(8, 1);
	read_all();
}

static void test_padding(void)
{
	u32 length;

	start_ring(12, true);
	for (length = 0; length < 1800; length++)
		check_padding(length, length % 150, deltas[length % 4]);
	stop_ring();
}

/* Padding to the very end, and what an interrupt has taken back itself. */
static void test_padding_ends(void)
{
	struct open open, inner;
	u32 length;

	start_ring(12, true);
	for (length = 3800; length <= ring_capacity(&ring) - 8; length++) {
		start_again(BASE);
		must_open(&open, length, 1);
		put(300, 1);
		discard(&open);
		put(8, 1);
		read_all();

		start_again(BASE);
		must_open(&open, length, 1);
		must_open(&inner, 400, 1);
		discard(&inner);
		discard(&open);
		put(8, 1);
		read_all();
	}
	stop_ring();
}

static void check_discard(u32 length, u64 delta)
{
	struct open open;

	start_again(BASE);
	must_open(&open, length, delta);
	discard(&open);
	if (ring_take(&ring))
		oracle_fail("what was taken back can be read");
	put(8, 0);
	must_open(&open, length, delta / 2);
	discard(&open);
	read_all();
	put(8, delta - delta / 2);
	if (check_events(ring_held(&ring)->page, events) != 2)
		oracle_fail("what came behind cannot be read");
}

static void test_discards(void)
{
	u32 length, i;

	start_ring(12, true);
	for (length = 0; length < 4000; length += 13)
		for (i = 0; i < ARRAY_SIZE(deltas); i++)
			check_discard(length, deltas[i]);
	stop_ring();
}

static void must_miss(long long missed, const char *when)
{
	kbuffer_load_subbuffer(kbuffer, (void *)ring_held(&ring)->page);
	if (kbuffer_missed_events(kbuffer) != missed)
		oracle_fail("%lld events are missing, kbuffer reads %d: %s", missed,
			    kbuffer_missed_events(kbuffer), when);
}

/* A number of missing events stands behind the last one, if it has room there. */
static long long told(u32 room, u32 lost)
{
	return room >= sizeof(long) ? (long long)lost : -1;
}

/* Two slots are full and @lost events refused; then there is room again. */
static void check_dropped(u32 room, u32 lost)
{
	u32 large = ring_capacity(&ring) - 8 - room;
	struct open open;
	u32 i;

	start_again(BASE);
	put(large, 1);
	put(large, 1);
	for (i = 0; i < lost; i++) {
		if (open_event(&open, large, 1))
			oracle_fail("a full ring has room");
	}
	read_all();
	must_miss(0, "before the loss");

	put(large, 1);
	if (read_subbuf() != 1)
		oracle_fail("nothing behind the loss");
	must_miss(-1, "while the sub-buffer is filled");

	put(large, 1);
	ring_take(&ring);
	must_miss(0, "behind the loss");
}

static void check_dropped_complete(u32 room, u32 lost)
{
	u32 large = ring_capacity(&ring) - 8 - room;
	struct open open;
	u32 i;

	start_again(BASE);
	put(large, 1);
	put(large, 1);
	for (i = 0; i < lost; i++)
		open_event(&open, large, 1);
	read_all();
	put(large, 1);
	/* what was read before it was complete blocks its slot till the reader comes again */
	ring_take(&ring);
	put(large, 1);
	read_subbuf();
	must_miss(told(room, lost), "dropped");
}

static void check_overrun(u32 room, u32 lost)
{
	u32 large = ring_capacity(&ring) - 8 - room;
	u32 i;

	start_again(BASE);
	for (i = 0; i < lost + SLOTS; i++)
		put(large, 1);
	nr_read = lost;
	read_subbuf();
	must_miss(told(room, lost), "overwritten");
	read_all();
	must_miss(0, "behind what was overwritten");
}

static void test_missed(void)
{
	u32 room, lost;

	for (lost = 1; lost < 5; lost++) {
		for (room = 0; room < 64; room += 4) {
			start_ring(12, false);
			check_dropped(room, lost);
			check_dropped_complete(room, lost);
			stop_ring();
			start_ring(12, true);
			check_overrun(room, lost);
			stop_ring();
		}
	}
}

static const struct {
	const char	*name;
	void		(*run)(void);
} tests[] = {
	{ "every size of a 4 KiB sub-buffer",		test_every_size },
	{ "sizes of 8 and 64 KiB sub-buffers",		test_large_sizes },
	{ "deltas",					test_deltas },
	{ "times of stacked writers",			test_stacked },
	{ "absolute times behind a multiple of 2^59",	test_passing },
	{ "padding in the middle",			test_padding },
	{ "padding at the end",				test_padding_ends },
	{ "discards at the end",			test_discards },
	{ "missing events",				test_missed },
};

int main(int argc, char **argv)
{
	u32 i;

	kbuffer = kbuffer_alloc(sizeof(long) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
				KBUFFER_ENDIAN_LITTLE);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		char repeat[120];

		snprintf(repeat, sizeof(repeat), "%s (%s)", argv[0], tests[i].name);
		oracle_how_to_repeat = repeat;
		checked = 0;
		tests[i].run();
		printf("# %s: %llu events read\n", tests[i].name, (unsigned long long)checked);
		fflush(stdout);
		if (!checked)
			oracle_fail("%s: nothing was checked", tests[i].name);
	}
	kbuffer_free(kbuffer);
	return 0;
}
