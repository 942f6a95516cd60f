// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true of a ring, whoever interrupts whom.
 */
#include <stdarg.h>
#include <stdio.h>

#include <linux/tracemap_buffer.h>

#include "oracle.h"
#include "writer.h"

#define TAG_SEQ_BITS	28

const char *oracle_how_to_repeat = "";
u64 (*oracle_local_clock)(void);

/**
 * trace_clock_local - the kernel's, which clock_now() knows by name
 *
 * Return: the time.
 */
u64 trace_clock_local(void)
{
	return oracle_local_clock();
}

/**
 * oracle_fail - say what is wrong and end the program
 * @format:	as printf()'s
 */
void oracle_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "# ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n# repeat with: %s\n", oracle_how_to_repeat);
	va_end(args);
	fflush(stdout);
	abort();
}

/* Every payload starts with a tag that names the event; the rest follows from it. */
static u32 make_tag(unsigned int context, u32 seq)
{
	return context << TAG_SEQ_BITS | seq;
}

static void fill(void *payload, u32 tag, u32 length)
{
	u8 *byte = payload;
	u32 i;

	memcpy(payload, &tag, sizeof(tag));
	for (i = sizeof(tag); i < length; i++)
		byte[i] = tag + i;
}

static bool is_filled(const void *payload, u32 tag, u32 length)
{
	const u8 *byte = payload;
	u32 i;

	for (i = sizeof(tag); i < length; i++) {
		if (byte[i] != (u8)(tag + i))
			return false;
	}
	return true;
}

/**
 * oracle_write - write the next event of a context, or take one back
 * @oracle:	and its ring
 * @context:	that the caller is in
 * @length:	bytes of payload, 4 at least
 * @discard:	take it back instead of committing it
 *
 * Return: false if it was refused.
 */
bool oracle_write(struct oracle *oracle, unsigned int context, u32 length, bool discard)
{
	struct oracle_source *source = &oracle->sources[context];
	struct oracle_event *event = &source->events[source->count];
	u32 tag = make_tag(context, source->count);
	struct tracemap_handle handle;
	void *payload;

	if (source->count == oracle->most)
		return false;
	event->length = length;
	event->era = oracle->era;
	event->earliest = oracle->ring.clock();
	payload = writer_reserve(&oracle->ring, &handle, length);
	event->latest = oracle->ring.clock();
	if (!payload) {
		event->pos = 0;
		source->count++;
		return false;
	}
	fill(payload, tag, length);
	if (discard) {
		source->discarded++;
		ring_discard(&handle);
		return true;
	}
	event->pos = handle.start;
	source->count++;
	writer_commit(&handle);
	return true;
}

/* Where an event stands is known, but for its sub-buffer's number if that has moved. */
static bool is_in_place(const struct oracle *oracle, const struct oracle_event *event, u64 pos)
{
	u64 offset = ring_subbuf_size(&oracle->ring) - 1;

	if (!event->pos || (event->pos & offset) != (pos & offset))
		return false;
	return event->era != oracle->era || event->pos == pos;
}

static bool is_later(const struct oracle_event *event, const struct oracle_reader *reader)
{
	if (event->era != reader->era)
		return event->era > reader->era;
	return event->pos > reader->pos;
}

/* It is the clock's at the time, or, if the clock has fallen back, what it was before. */
static void check_time(struct oracle *oracle, const struct oracle_event *event, u32 tag)
{
	struct oracle_reader *reader = &oracle->reader;

	if (reader->time < reader->last)
		oracle_fail("event %x: time runs backwards", tag);
	if (oracle->clock_falls)
		return;
	if (reader->time < event->earliest || reader->time > event->latest)
		oracle_fail("event %x: time %llu, should be %llu to %llu", tag,
			    (unsigned long long)reader->time,
			    (unsigned long long)event->earliest,
			    (unsigned long long)event->latest);
}

static void check_event(struct oracle *oracle, u64 pos, const void *payload, u32 room)
{
	struct oracle_reader *reader = &oracle->reader;
	struct oracle_event *event;
	u32 tag, seq;

	memcpy(&tag, payload, sizeof(tag));
	seq = tag & ((1U << TAG_SEQ_BITS) - 1);
	if (tag >> TAG_SEQ_BITS >= ORACLE_CONTEXTS || seq >= oracle->most)
		oracle_fail("at %llu: no event of ours (tag %x)", (unsigned long long)pos, tag);
	event = &oracle->sources[tag >> TAG_SEQ_BITS].events[seq];
	if (!is_in_place(oracle, event, pos))
		oracle_fail("at %llu: event %x, which is at %llu", (unsigned long long)pos, tag,
			    (unsigned long long)event->pos);
	if (event->delivered)
		oracle_fail("event %x: delivered twice", tag);
	if (room != ALIGN(event->length, 4) || !is_filled(payload, tag, event->length))
		oracle_fail("event %x: not whole", tag);
	if (!is_later(event, reader))
		oracle_fail("event %x: out of order", tag);
	check_time(oracle, event, tag);
	reader->last = reader->time;
	reader->era = event->era;
	reader->pos = event->pos;
	reader->delivered++;
	event->delivered = true;
}

static void take_time(struct oracle_reader *reader, const struct subbuf_event *record)
{
	u64 value = record->time_delta | (u64)record->array[0] << SUBBUF_DELTA_BITS;

	if (record->type_len == SUBBUF_TIME_EXTEND) {
		reader->time += value;
		return;
	}
	/* 59 bits: the others are those of the event before, or they have just grown */
	value |= reader->last & ~((1ULL << 59) - 1);
	reader->time = value < reader->last ? value + (1ULL << 59) : value;
}

/* Returns the bytes of the record at @at, of which there are at most @left. */
static u32 check_record(struct oracle *oracle, u32 at, u32 left)
{
	struct oracle_reader *reader = &oracle->reader;
	const struct subbuf_event *record = (const void *)reader->page->events + at;
	u64 base = (reader->number << oracle->ring.shift) + SUBBUF_HEADER;
	u32 size = left < 4 ? 4 : subbuf_record_size(record);

	if (size > left || size % 4)
		oracle_fail("sub-buffer %llu, offset %u: a record of %u bytes with %u left",
			    (unsigned long long)reader->number, at, size, left);
	switch (record->type_len) {
	case SUBBUF_TIME_EXTEND:
	case SUBBUF_TIME_STAMP:
		take_time(reader, record);
		/* an event's position is that of the time in front of it */
		reader->prefix = SUBBUF_TIME_SIZE;
		return size;
	case SUBBUF_PADDING:
		reader->time += record->time_delta;
		break;
	case 0:
		reader->time += record->time_delta;
		check_event(oracle, base + at - reader->prefix, &record->array[1], size - 8);
		break;
	default:
		reader->time += record->time_delta;
		check_event(oracle, base + at - reader->prefix, &record->array[0], size - 4);
	}
	reader->prefix = 0;
	return size;
}

static u64 checksum(const struct subbuf_page *page, u32 bytes)
{
	const u32 *word = (const void *)page->events;
	u64 sum = page->time_stamp;
	u32 i;

	for (i = 0; i < bytes / 4; i++)
		sum = (sum ^ word[i]) * 0x100000001b3ULL;
	return sum;
}

/**
 * oracle_check_held - nobody may have touched what was read already
 * @oracle:	and its ring
 *
 * Only for the reader.
 */
void oracle_check_held(struct oracle *oracle)
{
	struct oracle_reader *reader = &oracle->reader;

	if (reader->page && reader->read &&
	    checksum(reader->page, reader->read) != reader->sum)
		oracle_fail("sub-buffer %llu was changed under its reader",
			    (unsigned long long)reader->number);
}

static void start_subbuf(struct oracle *oracle, const struct ring_span *span)
{
	struct oracle_reader *reader = &oracle->reader;

	if (span->page != oracle->pages[span->id])
		oracle_fail("id %u is not that page", span->id);
	if (span->page->time_stamp < reader->last)
		oracle_fail("sub-buffer starts before the one before it has ended");
	reader->page = span->page;
	reader->number = oracle->ring.reader.number;
	reader->read = 0;
	reader->prefix = 0;
	reader->time = span->page->time_stamp;
	reader->last = span->page->time_stamp;
	reader->lost += span->lost;
}

static void check_span(struct oracle *oracle, const struct ring_span *span)
{
	struct oracle_reader *reader = &oracle->reader;
	u32 end = span->offset + span->bytes;
	u32 at;

	if (!span->offset && span->bytes)
		start_subbuf(oracle, span);
	if (span->bytes && (span->page != reader->page || span->offset != reader->read))
		oracle_fail("reads from %u on, but has read %u", span->offset, reader->read);
	for (at = span->offset; at < end;)
		at += check_record(oracle, at, end - at);
	if (!span->bytes)
		return;
	reader->read = end;
	reader->sum = checksum(reader->page, end);
}

/**
 * oracle_read - be the reader once
 * @oracle:	and its ring
 *
 * Return: whether there was something.
 */
bool oracle_read(struct oracle *oracle)
{
	struct ring_span span;
	bool took;

	oracle_check_held(oracle);
	took = ring_take(&oracle->ring);
	if (oracle->reader.page != oracle->pages[oracle->ring.reader.index])
		oracle->reader.page = NULL;	/* let go, and maybe taken another */
	span = ring_consume(&oracle->ring);
	if (took && !span.bytes)
		oracle_fail("there is something to read, but it has 0 bytes");
	check_span(oracle, &span);
	if (oracle->ring.read_events != oracle->reader.delivered)
		oracle_fail("%llu events count as read, %llu are delivered",
			    (unsigned long long)oracle->ring.read_events,
			    (unsigned long long)oracle->reader.delivered);
	return span.bytes;
}

/**
 * oracle_drain - read all there is
 * @oracle:	and its ring
 *
 * Return: whether there was something.
 */
bool oracle_drain(struct oracle *oracle)
{
	bool any = false;

	while (oracle_read(oracle))
		any = true;
	return any;
}

struct totals {
	u64	reserved;
	u64	refused;
	u64	delivered;
};

static struct totals count_all(const struct oracle *oracle)
{
	struct totals totals = { 0 };
	unsigned int context;
	u32 seq;

	for (context = 0; context < ORACLE_CONTEXTS; context++) {
		const struct oracle_source *source = &oracle->sources[context];

		totals.reserved += source->count;
		for (seq = 0; seq < source->count; seq++) {
			totals.refused += !source->events[seq].pos;
			totals.delivered += source->events[seq].delivered;
		}
	}
	return totals;
}

/**
 * oracle_written - events that found room and were not taken back
 * @oracle:	that knows of them
 */
u64 oracle_written(const struct oracle *oracle)
{
	struct totals totals = count_all(oracle);

	return totals.reserved - totals.refused;
}

#define must_be(what, is, should) do {						\
	unsigned long long __is = (is), __should = (should);			\
										\
	if (__is != __should)							\
		oracle_fail("%s is %llu, should be %llu", what, __is, __should);	\
} while (0)

/**
 * oracle_check_quiet - every count, to the event
 * @oracle:	and its ring, which nobody writes to or reads from just now
 */
void oracle_check_quiet(struct oracle *oracle)
{
	struct totals totals = count_all(oracle);
	struct ring_stats stats;
	u64 dropped;

	ring_stats(&oracle->ring, &stats);
	dropped = stats.dropped_full + stats.dropped_nested + stats.dropped_big;
	must_be("reserved", stats.reserved, totals.reserved);
	must_be("dropped", dropped, totals.refused);
	must_be("entries", stats.entries, totals.reserved - totals.refused);
	must_be("delivered", oracle->reader.delivered, totals.delivered);
	must_be("read", stats.read, totals.delivered);
	must_be("read + unread + overrun + dropped",
		stats.read + stats.unread + stats.overrun + dropped, stats.reserved);
	must_be("has unread", ring_has_unread(&oracle->ring), stats.unread > 0);
	if (oracle->ring.overwrite)
		must_be("full", stats.dropped_full, 0);
	else if (!oracle->era)	/* a smaller ring has no room for all */
		must_be("overrun", stats.overrun, 0);
	if (ring_ready_subbufs(&oracle->ring) > oracle->ring.nr_slots)
		oracle_fail("more sub-buffers are ready than there are slots");
	oracle_check_held(oracle);
}

/**
 * oracle_check_losses - all that is missing was said to be
 * @oracle:	and its ring, which nobody writes to or reads from just now
 *
 * Reads what is left, and then fills the ring's current sub-buffer, because what
 * was dropped last is told by the next.
 */
void oracle_check_losses(struct oracle *oracle)
{
	struct ring_stats stats;
	u64 number;
	u32 room;

	oracle_drain(oracle);
	oracle_check_quiet(oracle);
	number = oracle->reader.number;
	for (room = 2 * ring_subbuf_size(&oracle->ring); oracle->reader.number == number;
	     room -= 4) {
		if (!room)
			oracle_fail("nothing can be written any more");
		oracle_write(oracle, 0, 16, false);
		oracle_drain(oracle);
	}
	oracle_check_quiet(oracle);
	ring_stats(&oracle->ring, &stats);
	must_be("unread", stats.unread, 0);
	must_be("lost", oracle->reader.lost,
		stats.overrun + stats.dropped_full + stats.dropped_nested);
}

static struct subbuf_page **alloc_pages(unsigned int shift, u32 nr_subbufs)
{
	struct subbuf_page **pages = calloc(nr_subbufs, sizeof(*pages));
	u32 i;

	for (i = 0; i < nr_subbufs; i++)
		pages[i] = calloc(1, 1UL << shift);
	return pages;
}

static void free_ring(struct ring *ring)
{
	u32 i;

	for (i = 0; i < ring_nr_subbufs(ring); i++)
		free(ring->subbufs[i].page);
	ring_destroy(ring);
}

/**
 * oracle_init - make a ring, and know nothing of it yet
 * @oracle:	zeroed or destroyed
 * @shift:	log2 of the sub-buffer's size
 * @nr_slots:	slots
 * @overwrite:	the mode
 * @clock:	the clock
 * @most:	events a context may write
 */
void oracle_init(struct oracle *oracle, unsigned int shift, u32 nr_slots, bool overwrite,
		 u64 (*clock)(void), u32 most)
{
	unsigned int context;

	memset(oracle, 0, sizeof(*oracle));
	oracle->most = most;
	oracle->ring.clock = clock;
	oracle->ring.overwrite = overwrite;
	oracle->pages = alloc_pages(shift, nr_slots + 1);
	for (context = 0; context < ORACLE_CONTEXTS; context++)
		oracle->sources[context].events = calloc(most + 1, sizeof(struct oracle_event));
	if (ring_init(&oracle->ring, shift, nr_slots, oracle->pages))
		oracle_fail("no memory");
}

/* The sub-buffer of the stream with which the lap in the slot words is 0 again. */
static u64 wrap(const struct ring *ring)
{
	return (u64)BIT(BITS_PER_LONG / 2 - 2) * ring->nr_slots;
}

/**
 * oracle_wind_forward - far along the stream, where the laps in the slot words wrap
 * @ring:	that nothing was written to yet
 * @before:	so many sub-buffers before they do
 */
void oracle_wind_forward(struct ring *ring, u32 before)
{
	unsigned int half = BITS_PER_LONG / 2;
	u64 number = wrap(ring) - before;
	u64 pos = (number << ring->shift) + SUBBUF_HEADER;
	u32 i;

	/* each slot as it was left by the last sub-buffer that stood there, and read */
	for (i = 1; i <= ring->nr_slots; i++) {
		struct ring_slot *slot = &ring->slots[(number - i) % ring->nr_slots];
		unsigned long index = atomic_long_read(&slot->word) & GENMASK(half - 1, 0);
		unsigned long lap = (number - i) / ring->nr_slots;

		atomic_long_set(&slot->word, lap << half | index);
	}
	local64_set(&ring->write, pos);
	atomic64_set(&ring->commit, pos);
	ring->reader.number = number - 1;
}

/**
 * oracle_has_wrapped - are the laps in the slot words small again?
 * @ring:	that was wound forward
 */
bool oracle_has_wrapped(const struct ring *ring)
{
	return (atomic64_read(&ring->commit) - 1) >> ring->shift >= wrap(ring);
}

/**
 * oracle_move - go on with another ring
 * @oracle:	and its ring, which nobody writes to or reads from just now
 * @nr_slots:	of the new one
 */
void oracle_move(struct oracle *oracle, u32 nr_slots)
{
	struct ring old = oracle->ring;
	struct ring *ring = &oracle->ring;
	u32 i;

	free(oracle->pages);
	oracle->pages = alloc_pages(old.shift, nr_slots + 1);
	memset(ring, 0, sizeof(*ring));
	ring->clock = old.clock;
	ring->overwrite = old.overwrite;
	if (ring_init(ring, old.shift, nr_slots, oracle->pages))
		oracle_fail("no memory");
	ring_move(ring, &old);
	free_ring(&old);

	/* the sub-buffers moved with their memory */
	for (i = 0; i < ring_nr_subbufs(ring); i++)
		oracle->pages[i] = ring->subbufs[i].page;
	oracle->era++;
	oracle_check_held(oracle);
}

/**
 * oracle_forget - the ring was reset
 * @oracle:	that ring's
 */
void oracle_forget(struct oracle *oracle)
{
	unsigned int context;

	memset(&oracle->reader, 0, sizeof(oracle->reader));
	for (context = 0; context < ORACLE_CONTEXTS; context++) {
		struct oracle_source *source = &oracle->sources[context];

		memset(source->events, 0, (oracle->most + 1) * sizeof(*source->events));
		source->count = 0;
		source->discarded = 0;
	}
}

/**
 * oracle_destroy - free everything
 * @oracle:	that nobody uses
 */
void oracle_destroy(struct oracle *oracle)
{
	unsigned int context;

	free_ring(&oracle->ring);
	free(oracle->pages);
	for (context = 0; context < ORACLE_CONTEXTS; context++)
		free(oracle->sources[context].events);
}
