/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring without a ring: all events ever written in one array, in order, and
 * plain rules for which of them can be read, are refused or are lost. It works
 * for one thread only, which says what happens when.
 */
#ifndef _REFERENCE_H
#define _REFERENCE_H

#include "ring.h"

#define REFERENCE_MOST	16384	/* events */
#define REFERENCE_NONE	-1	/* no group */

/**
 * struct ref_event - an event in a sub-buffer
 * @time:	that it must have
 * @length:	of its payload
 * @group:	that it is in
 * @end:	bytes of the group up to its end
 * @start:	and to its start, the time in front of it included
 * @open:	neither committed nor discarded yet
 * @padding:	discarded, but others came behind it
 */
struct ref_event {
	u64	time;
	u32	length;
	int	group;
	u32	start;
	u32	end;
	bool	open;
	bool	padding;
};

/**
 * struct ref_group - the events that share a sub-buffer
 * @first:	event
 * @drops:	events refused for want of room before it
 * @entered:	an event was put there, though it may be discarded again
 * @unread:	the reader has not read it to its end
 * @lost:	overwritten
 */
struct ref_group {
	int	first;
	u64	drops;
	bool	entered;
	bool	unread;
	bool	lost;
};

/**
 * struct reference - what a ring must be like
 * @capacity:	bytes of events in a sub-buffer
 * @nr_slots:	of the ring
 * @overwrite:	the mode
 * @nest:	open events
 * @stamp:	highest time so far
 * @events:	all of them
 * @nr_events:	of those
 * @published:	events that the reader may know of
 * @groups:	all of them
 * @newest:	the group where the next event goes if it fits
 * @newest_published:	and the one the reader knows of
 * @oldest_slot:	first group that was ever in this ring
 * @last_group:	where the last event of an outermost writer is
 * @last_end:	and its end there
 * @last_time:	and its time
 * @held:	group that the reader holds, or held last
 * @holds:	it still does
 * @in_slot:	and took it from this ring
 * @done:	bytes of it that were read
 * @lost:	events it was told were lost before it
 * @told_drops:	drops that were told so far
 * @untold:	events overwritten and not told of yet
 * @counters:	of the ring; only those that need no walk
 */
struct reference {
	u32			capacity;
	u32			nr_slots;
	bool			overwrite;
	u32			nest;
	u64			stamp;
	struct ref_event	events[REFERENCE_MOST];
	int			nr_events;
	int			published;
	struct ref_group	groups[REFERENCE_MOST];
	int			newest;
	int			newest_published;
	int			oldest_slot;
	int			last_group;
	u32			last_end;
	u64			last_time;
	int			held;
	bool			holds;
	bool			in_slot;
	u32			done;
	u64			lost;
	u64			told_drops;
	u64			untold;
	struct ring_stats	counters;
};

void ref_init(struct reference *ref, unsigned int shift, u32 nr_slots, bool overwrite);
void ref_forget(struct reference *ref);
void ref_move(struct reference *ref, u32 nr_slots);

struct ref_event *ref_reserve(struct reference *ref, u64 now, u32 length);
void ref_commit(struct reference *ref, struct ref_event *event);
void ref_discard(struct reference *ref, struct ref_event *event);

bool ref_take(struct reference *ref);
u32 ref_consume(struct reference *ref);
bool ref_is_complete(const struct reference *ref, int group);
u32 ref_bytes(const struct reference *ref, int group);
void ref_stats(const struct reference *ref, struct ring_stats *stats);

/* What the reader can see of @group, padding included; false behind the last. */
static inline bool ref_is_seen(const struct reference *ref, int event, int group)
{
	return event < ref->published && ref->events[event].group == group;
}

#endif /* _REFERENCE_H */
