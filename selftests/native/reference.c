// SPDX-License-Identifier: GPL-2.0
/*
 * A ring without a ring.
 */
#include "reference.h"

/**
 * ref_forget - the ring is empty, and all counters are 0
 * @ref:	of that ring
 */
void ref_forget(struct reference *ref)
{
	ref->nr_events = 0;
	ref->published = 0;
	ref->newest = 0;
	ref->newest_published = 0;
	ref->oldest_slot = 0;
	ref->groups[0] = (struct ref_group) { 0 };
	ref->last_group = REFERENCE_NONE;
	ref->held = REFERENCE_NONE;
	ref->holds = false;
	ref->in_slot = false;
	ref->stamp = 0;
	ref->done = 0;
	ref->lost = 0;
	ref->told_drops = 0;
	ref->untold = 0;
	memset(&ref->counters, 0, sizeof(ref->counters));
}

/**
 * ref_init - there is a new ring
 * @ref:	filled
 * @shift:	log2 of the sub-buffer's size
 * @nr_slots:	slots
 * @overwrite:	the mode
 */
void ref_init(struct reference *ref, unsigned int shift, u32 nr_slots, bool overwrite)
{
	ref->capacity = (1U << shift) - SUBBUF_HEADER;
	ref->nr_slots = nr_slots;
	ref->overwrite = overwrite;
	ref->nest = 0;
	ref_forget(ref);
}

/**
 * ref_is_complete - will no more events come to a group?
 * @ref:	the reference
 * @group:	or REFERENCE_NONE
 */
bool ref_is_complete(const struct reference *ref, int group)
{
	return group < ref->newest_published;
}

/**
 * ref_bytes - bytes of a group that the reader may read
 * @ref:	the reference
 * @group:	which
 */
u32 ref_bytes(const struct reference *ref, int group)
{
	u32 bytes = 0;
	int i;

	for (i = ref->groups[group].first; ref_is_seen(ref, i, group); i++)
		bytes = ref->events[i].end;
	return bytes;
}

static u64 count_events(const struct reference *ref, int group, u32 from)
{
	u64 events = 0;
	int i;

	for (i = ref->groups[group].first; ref_is_seen(ref, i, group); i++)
		events += !ref->events[i].padding && ref->events[i].start >= from;
	return events;
}

static u64 drops(const struct reference *ref)
{
	return ref->counters.dropped_full + ref->counters.dropped_nested;
}

static void lose(struct reference *ref, int group)
{
	u64 events = count_events(ref, group, 0);

	ref->groups[group].lost = true;
	ref->groups[group].unread = false;
	ref->untold += events;
	ref->counters.overrun += events;
	ref->counters.subbufs_lost++;
}

/* All that this ring has room for is there: the next group takes another's place. */
static void enter(struct reference *ref, int group)
{
	int victim = group - (int)ref->nr_slots;

	ref->groups[group].entered = true;
	ref->groups[group].unread = true;
	if (victim < ref->oldest_slot)
		return;
	if (ref->held == victim && ref->in_slot)
		ref->counters.exchanges++;
	else if (ref->groups[victim].unread)
		lose(ref, victim);
}

/* Counts the event if it may not. */
static bool may_enter(struct reference *ref, int group)
{
	int victim = group - (int)ref->nr_slots;

	if (victim < ref->oldest_slot)
		return true;
	if (!ref_is_complete(ref, victim)) {
		ref->counters.dropped_nested++;
		return false;
	}
	if (ref->overwrite || !ref->groups[victim].unread)
		return true;
	ref->counters.dropped_full++;
	return false;
}

/* Bytes of the newest group, what is open included. */
static u32 newest_end(const struct reference *ref)
{
	const struct ref_event *last;

	if (!ref->nr_events)
		return 0;
	last = &ref->events[ref->nr_events - 1];
	return last->group == ref->newest ? last->end : 0;
}

/* Is the event before the next one the outermost writer's own, so that it knows its time? */
static bool is_based(const struct reference *ref)
{
	return !ref->nest && ref->last_group == ref->newest && ref->last_end == newest_end(ref);
}

/* Bytes that an event takes to tell its time, as far as no clock is needed to know that. */
static u32 stamp_size(const struct reference *ref)
{
	return newest_end(ref) && !is_based(ref) ? SUBBUF_TIME_SIZE : 0;
}

/* And with one. */
static u32 time_size(const struct reference *ref)
{
	if (!newest_end(ref) || !is_based(ref))
		return stamp_size(ref);
	return ref->stamp - ref->last_time < 1 << 27 ? 0 : SUBBUF_TIME_SIZE;
}

/* Four bytes in front, or eight if there are more than 28 words. */
static u32 event_size(u32 length)
{
	u32 words = length ? (length + 3) / 4 : 1;

	return (words + (words > 28 ? 2 : 1)) * 4;
}

/**
 * ref_reserve - an event is asked for
 * @ref:	the reference
 * @now:	the clock
 * @length:	of its payload
 *
 * Return: the event; NULL if it must be refused.
 */
struct ref_event *ref_reserve(struct reference *ref, u64 now, u32 length)
{
	struct ref_event *event = &ref->events[ref->nr_events];
	u64 refused = drops(ref);
	int group = ref->newest;
	u32 start, size;

	ref->counters.reserved++;
	size = event_size(length);
	if (size > ref->capacity) {
		ref->counters.dropped_big++;
		return NULL;
	}
	start = newest_end(ref);
	/* the clock is not asked if that is of no use */
	if (start + stamp_size(ref) + size <= ref->capacity)
		ref->stamp = max(ref->stamp, now);
	if (start + time_size(ref) + size > ref->capacity) {
		if (!may_enter(ref, ++group))
			return NULL;
		ref->stamp = max(ref->stamp, now);
		ref->groups[group] = (struct ref_group) { 0 };
		ref->newest = group;
		start = 0;
		if (!ref->nest)
			ref->newest_published = group;
	}
	if (!ref->groups[group].entered)
		enter(ref, group);
	if (!start) {
		ref->groups[group].first = ref->nr_events;
		ref->groups[group].drops = refused;
	}

	*event = (struct ref_event) {
		.time = ref->stamp, .length = length, .group = group, .open = true,
		.start = start, .end = start + time_size(ref) + size,
	};
	ref->nr_events++;
	ref->nest++;
	return event;
}

static void leave(struct reference *ref)
{
	if (--ref->nest)
		return;
	ref->published = ref->nr_events;
	ref->newest_published = ref->newest;
}

/**
 * ref_commit - an event is committed
 * @ref:	the reference
 * @event:	that was opened last of those that are open
 */
void ref_commit(struct reference *ref, struct ref_event *event)
{
	event->open = false;
	if (ref->nest == 1) {
		ref->last_group = event->group;
		ref->last_end = event->end;
		ref->last_time = event->time;
	}
	leave(ref);
}

/**
 * ref_discard - an event is taken back
 * @ref:	the reference
 * @event:	that was opened last of those that are open
 */
void ref_discard(struct reference *ref, struct ref_event *event)
{
	ref->counters.reserved--;
	event->open = false;
	if (event == &ref->events[ref->nr_events - 1] && event->group == ref->newest)
		ref->nr_events--;
	else
		event->padding = true;
	leave(ref);
}

/* The oldest group behind the one held that has something to read. */
static int next_group(const struct reference *ref)
{
	int group;

	for (group = ref->held + 1; group <= ref->newest_published; group++) {
		if (!ref->groups[group].lost && ref_bytes(ref, group))
			return group;
	}
	return REFERENCE_NONE;
}

static void read_to_the_end(struct reference *ref)
{
	if (ref->in_slot)
		ref->groups[ref->held].unread = false;
}

static void hold(struct reference *ref, int group)
{
	u64 before = ref->groups[group].drops;

	ref->held = group;
	ref->holds = true;
	ref->in_slot = true;
	ref->done = 0;
	ref->counters.subbufs_read++;
	ref->lost = ref->untold;
	ref->untold = 0;
	if (before > ref->told_drops) {
		ref->lost += before - ref->told_drops;
		ref->told_drops = before;
	}
}

static bool has_next(const struct reference *ref)
{
	int behind = max(ref->held + 1, ref->newest_published - (int)ref->nr_slots + 1);

	behind = max(behind, ref->oldest_slot);
	return behind < ref->newest_published ||
	       (behind == ref->newest_published && ref_bytes(ref, behind));
}

/**
 * ref_take - the reader wants something to read
 * @ref:	the reference
 *
 * Return: whether there is something.
 */
bool ref_take(struct reference *ref)
{
	int group = next_group(ref);

	if (ref->holds && ref_bytes(ref, ref->held) > ref->done)
		return true;
	if (!ref_is_complete(ref, ref->held))
		return false;
	read_to_the_end(ref);
	if (group != REFERENCE_NONE) {
		hold(ref, group);
		return true;
	}
	/* what there is, a writer that is not done yet is overwriting */
	if (ref->in_slot && has_next(ref)) {
		ref->holds = false;
		ref->in_slot = false;
		ref->done = 0;
		ref->lost = 0;
	}
	return false;
}

/**
 * ref_consume - the reader reads all there is of what it holds
 * @ref:	the reference
 *
 * Return: bytes it gets.
 */
u32 ref_consume(struct reference *ref)
{
	u32 bytes;

	if (!ref->holds)
		return 0;
	bytes = ref_bytes(ref, ref->held) - ref->done;
	ref->counters.read += count_events(ref, ref->held, ref->done);
	ref->done += bytes;
	if (ref_is_complete(ref, ref->held))
		read_to_the_end(ref);
	return bytes;
}

/**
 * ref_move - all goes on in another ring
 * @ref:	the reference; no event is open
 * @nr_slots:	of the new ring
 *
 * One slot is for what is written next, the others for the newest there is.
 */
void ref_move(struct reference *ref, u32 nr_slots)
{
	int next = ref->newest + !!newest_end(ref);
	int group;

	ref->oldest_slot = next;
	for (group = next - 1; group > ref->held; group--) {
		if (ref->groups[group].lost)
			break;
		if (next - group >= (int)nr_slots)
			lose(ref, group);
		else
			ref->oldest_slot = group;
	}
	ref->groups[next] = (struct ref_group) { .first = ref->nr_events };
	ref->newest = next;
	ref->newest_published = next;
	ref->last_group = REFERENCE_NONE;
	ref->in_slot = false;
	ref->nr_slots = nr_slots;
}

/**
 * ref_stats - what the ring's counters must be
 * @ref:	the reference
 * @stats:	filled, but for the oldest time and the sub-buffers touched
 */
void ref_stats(const struct reference *ref, struct ring_stats *stats)
{
	int group;

	*stats = ref->counters;
	stats->entries = stats->reserved - drops(ref) - stats->dropped_big;
	if (ref->holds) {
		stats->unread = count_events(ref, ref->held, ref->done);
		stats->bytes = ref_bytes(ref, ref->held) - ref->done;
	}
	for (group = ref->held + 1; group <= ref->newest_published; group++) {
		if (ref->groups[group].lost)
			continue;
		stats->unread += count_events(ref, group, 0);
		stats->bytes += ref_bytes(ref, group);
	}
}
