// SPDX-License-Identifier: GPL-2.0
/*
 * The events of several CPUs in order of time, read where they stand.
 *
 * Each CPU has a cursor in the stretch of events that its ring handed out last.
 * The ring is asked for more only when the cursor has come to the end of that:
 * until then what it points to stays where it is.
 *
 * An event may be shown when no other CPU can come up with an older one. For a
 * CPU whose cursor has an event that is plain to see. A CPU whose ring had
 * nothing new can still be finishing an event that it has already stamped, so
 * a pass ends at a bound: a time so far back that whatever was stamped before
 * it is in the ring by now. The bound ends a pass also when what it does is
 * itself being traced.
 */
#include <stdlib.h>

#include "merge.h"

/**
 * merge_add - take one more ring
 * @merge: the merge, all zero but for @tep at first
 * @reader: a mapped reader; closed by merge_free() if this succeeds
 *
 * Return: 0, or -1 if there is no memory.
 */
int merge_add(struct merge *merge, struct tracemap_reader *reader)
{
	struct tracemap_reader **readers;
	struct cursor *cursors;
	struct kbuffer *kbuf;

	readers = reallocarray(merge->readers, merge->nr + 1, sizeof(*readers));
	if (!readers)
		return -1;
	merge->readers = readers;
	cursors = reallocarray(merge->cursors, merge->nr + 1, sizeof(*cursors));
	if (!cursors)
		return -1;
	merge->cursors = cursors;
	kbuf = tep_kbuffer(merge->tep);
	if (!kbuf)
		return -1;
	readers[merge->nr] = reader;
	cursors[merge->nr++] = (struct cursor){
		.reader = reader,
		.kbuf = kbuf,
	};
	return 0;
}

/**
 * merge_free - close all rings
 * @merge: the merge
 */
void merge_free(struct merge *merge)
{
	int i;

	for (i = 0; i < merge->nr; i++) {
		kbuffer_free(merge->cursors[i].kbuf);
		tracemap_close(merge->cursors[i].reader);
	}
	free(merge->cursors);
	free(merge->readers);
}

/* What kbuffer stands on belongs to this cursor only up to the span's end. */
static void *within_span(struct cursor *cursor, void *event)
{
	int end = kbuffer_start_of_data(cursor->kbuf) + cursor->span.end;

	return kbuffer_curr_offset(cursor->kbuf) < end ? event : NULL;
}

/* The meta page counts the loss; the sub-buffer may at least know of one. */
static long long span_lost(const struct cursor *cursor)
{
	long long missed;

	if (cursor->span.begin)
		return 0;
	missed = kbuffer_missed_events(cursor->kbuf);
	if (cursor->span.lost && (long long)cursor->span.lost >= missed)
		return cursor->span.lost;
	return missed;
}

static void start_span(struct cursor *cursor)
{
	void *event;
	int start;

	kbuffer_load_subbuffer(cursor->kbuf, (void *)cursor->span.subbuf);
	start = kbuffer_start_of_data(cursor->kbuf);
	if (cursor->span.begin)
		event = kbuffer_read_at_offset(cursor->kbuf, start + cursor->span.begin,
					       &cursor->time);
	else
		event = kbuffer_read_event(cursor->kbuf, &cursor->time);
	cursor->event = within_span(cursor, event);
	cursor->lost += span_lost(cursor);
}

/* Gets the cursor an event, if the ring has one for this pass. */
static int refill(struct cursor *cursor)
{
	int ret;

	while (!cursor->event && !cursor->dry) {
		ret = tracemap_next(cursor->reader, &cursor->span);
		if (ret < 0)
			return -1;
		if (ret)
			start_span(cursor);
		else
			cursor->dry = true;
	}
	return 0;
}

static void advance(struct merge *merge, struct cursor *cursor)
{
	void *event = kbuffer_next_event(cursor->kbuf, &cursor->time);

	cursor->event = event ? within_span(cursor, event) : NULL;
	cursor->lost = 0;
	merge->delivered++;
}

static struct tep_record cursor_record(const struct cursor *cursor)
{
	return (struct tep_record){
		.ts = cursor->time,
		.cpu = tracemap_cpu(cursor->reader),
		.data = cursor->event,
		.size = kbuffer_event_size(cursor->kbuf),
		.missed_events = cursor->lost,
	};
}

/* Returns the cursor with the oldest event, and how old others' oldest is. */
static struct cursor *oldest(struct merge *merge, unsigned long long *others)
{
	struct cursor *first = NULL, *cursor;

	*others = -1ULL;
	for (cursor = merge->cursors; cursor < merge->cursors + merge->nr; cursor++) {
		if (!cursor->event)
			continue;
		if (first && cursor->time >= first->time) {
			if (cursor->time < *others)
				*others = cursor->time;
			continue;
		}
		if (first)
			*others = first->time;
		first = cursor;
	}
	return first;
}

static int refill_all(struct merge *merge)
{
	int i;

	for (i = 0; i < merge->nr; i++)
		if (refill(&merge->cursors[i]))
			return -1;
	return 0;
}

/* Emits one CPU's events up to a time, within its span. */
static int emit_run(struct merge *merge, struct cursor *cursor,
		    unsigned long long until, merge_emit emit, void *arg)
{
	struct tep_record record;
	int ret;

	do {
		record = cursor_record(cursor);
		ret = emit(&record, arg);
		advance(merge, cursor);
	} while (!ret && cursor->event && cursor->time <= until);
	return ret;
}

/**
 * merge_pass - emit all events up to a time
 * @merge: the merge
 * @bound: the time of the last event to be emitted; everything stamped up to
 *	   then must be in the rings
 * @emit: called with each event; returns 0 to go on
 * @arg: handed on to @emit
 *
 * Return: 0, what @emit returned to end the pass, or -1 with errno set by
 * tracemap_next().
 */
int merge_pass(struct merge *merge, __u64 bound, merge_emit emit, void *arg)
{
	unsigned long long until;
	struct cursor *cursor;
	int i, ret;

	for (i = 0; i < merge->nr; i++)
		merge->cursors[i].dry = false;
	for (;;) {
		if (refill_all(merge))
			return -1;
		cursor = oldest(merge, &until);
		if (!cursor || cursor->time > bound)
			return 0;
		if (until > bound)
			until = bound;
		ret = emit_run(merge, cursor, until, emit, arg);
		if (ret)
			return ret;
	}
}

/**
 * merge_has_more - look whether a pass has left events for the next one
 * @merge: the merge
 *
 * Return: true if so.
 */
bool merge_has_more(const struct merge *merge)
{
	int i;

	for (i = 0; i < merge->nr; i++)
		if (merge->cursors[i].event)
			return true;
	return false;
}

/**
 * merge_drop - walk over the events that the rings have handed out already
 * @merge: the merge
 *
 * They count as delivered, because nobody else can have them any more.
 */
void merge_drop(struct merge *merge)
{
	int i;

	for (i = 0; i < merge->nr; i++)
		while (merge->cursors[i].event)
			advance(merge, &merge->cursors[i]);
}
