/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Positions and slot words: what all of ring*.c have to read.
 */
#ifndef _TRACEMAP_RING_WORDS_H
#define _TRACEMAP_RING_WORDS_H

#include <linux/bits.h>
#include <linux/math64.h>

#include "ring.h"

/* slot word: HELD | UNREAD | lap | index, the index in the low half */
#define SLOT_HELD	BIT(BITS_PER_LONG - 1)
#define SLOT_UNREAD	BIT(BITS_PER_LONG - 2)
#define SLOT_LAP	GENMASK(BITS_PER_LONG - 3, BITS_PER_LONG / 2)
#define SLOT_INDEX	GENMASK(BITS_PER_LONG / 2 - 1, 0)

/* fill: number of events | bytes of events */
#define FILL_EVENTS	32

/* no sub-buffer of the stream: the one before number 0 */
#define RING_NONE	(~0ULL)

static inline u32 fill_bytes(u64 fill)
{
	return fill;
}

static inline u32 fill_events(u64 fill)
{
	return fill >> FILL_EVENTS;
}

/* the sub-buffer that @pos stands in or, at a boundary, behind */
static inline u64 pos_number(const struct ring *ring, u64 pos)
{
	return (pos - 1) >> ring->shift;
}

/* where the events of sub-buffer @number start */
static inline u64 pos_first(const struct ring *ring, u64 number)
{
	return (number << ring->shift) + SUBBUF_HEADER;
}

/* and where they must end by */
static inline u64 pos_limit(const struct ring *ring, u64 number)
{
	return (number + 1) << ring->shift;
}

static inline u32 ring_capacity(const struct ring *ring)
{
	return ring_subbuf_size(ring) - SUBBUF_HEADER;
}

/* the slot of sub-buffer @number and, as the word has it, its lap */
static inline struct ring_slot *ring_slot(const struct ring *ring, u64 number,
					  unsigned long *lap)
{
	u32 slot;
	u64 laps = div_u64_rem(number, ring->nr_slots, &slot);

	*lap = ((unsigned long)laps << (BITS_PER_LONG / 2)) & SLOT_LAP;
	return &ring->slots[slot];
}

/* the lap after @lap, both as a word has it */
static inline unsigned long slot_next_lap(unsigned long lap)
{
	return (lap + BIT(BITS_PER_LONG / 2)) & SLOT_LAP;
}

/*
 * Is sub-buffer @number published to its end? A commit that stands at that very
 * end is not enough: ring_publish() will come to it once more.
 */
static inline bool ring_complete(const struct ring *ring, u64 number, u64 commit)
{
	return (s64)pos_number(ring, commit) > (s64)number;
}

static inline struct subbuf *ring_held(const struct ring *ring)
{
	return &ring->subbufs[ring->reader.index];
}

/* Is there anything committed in sub-buffer @number? */
static inline bool ring_started(const struct ring *ring, u64 number, u64 commit)
{
	return commit > pos_first(ring, number);
}

/* Is sub-buffer @number still there? Not if a writer was in its place, even one that came back. */
static inline bool ring_present(const struct ring *ring, u64 number)
{
	unsigned long lap;
	struct ring_slot *slot = ring_slot(ring, number, &lap);

	return (atomic_long_read(&slot->word) & SLOT_LAP) == lap;
}

/* The oldest sub-buffer, behind the one held, that can still be in a slot. */
static inline u64 ring_oldest(const struct ring *ring, u64 commit)
{
	u64 next = READ_ONCE(ring->reader.number) + 1;
	u64 newest = pos_number(ring, commit);

	if (newest >= next + ring->nr_slots)
		return newest - ring->nr_slots + 1;
	return next;
}

#endif /* _TRACEMAP_RING_WORDS_H */
