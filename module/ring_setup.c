// SPDX-License-Identifier: GPL-2.0
/*
 * Making a ring, emptying it, moving its events to another, and counting what
 * is in it: all that is not the algorithm itself.
 */

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "ring_words.h"

/**
 * ring_counters - the counters that need no walk
 * @ring: the ring
 * @stats: all but unread, bytes and oldest are filled
 *
 * Context: any.
 */
void ring_counters(const struct ring *ring, struct ring_stats *stats)
{
	stats->reserved = local_read(&ring->reserved);
	stats->dropped_nested = local_read(&ring->dropped_nested);
	stats->dropped_full = local_read(&ring->dropped) - stats->dropped_nested;
	stats->dropped_big = local_read(&ring->dropped_big);
	stats->entries = stats->reserved - stats->dropped_full -
			 stats->dropped_nested - stats->dropped_big;
	stats->overrun = local_read(&ring->overrun);
	stats->subbufs_lost = local_read(&ring->subbufs_lost);
	stats->exchanges = local_read(&ring->exchanges);
	stats->subbufs_touched = pos_number(ring, atomic64_read(&ring->commit)) + 1;
	stats->read = READ_ONCE(ring->read_events);
	stats->subbufs_read = READ_ONCE(ring->subbufs_read);
}

/* what sub-buffer @number, if it is still there, adds to @stats */
static void ring_count_unread(const struct ring *ring, u64 number,
			      struct ring_stats *stats)
{
	unsigned long word, lap;
	struct subbuf *subbuf;
	u64 fill;

	word = atomic_long_read(&ring_slot(ring, number, &lap)->word);
	if ((word & SLOT_LAP) != lap)
		return;

	subbuf = &ring->subbufs[word & SLOT_INDEX];
	fill = local64_read(&subbuf->fill);
	stats->unread += fill_events(fill);
	stats->bytes += fill_bytes(fill);
	if (!stats->oldest)
		stats->oldest = READ_ONCE(subbuf->page->time_stamp);
}

/**
 * ring_stats - all counters, and what is unread
 * @ring: the ring
 * @stats: filled
 *
 * Walks the sub-buffers. Exact while nobody writes.
 *
 * Context: as ring_take(); may sleep.
 */
void ring_stats(struct ring *ring, struct ring_stats *stats)
{
	u64 commit = atomic64_read_acquire(&ring->commit);
	u64 fill = local64_read(&ring_held(ring)->fill);
	u64 number;

	memset(stats, 0, sizeof(*stats));
	ring_counters(ring, stats);

	if (fill_bytes(fill) > ring->reader.read) {
		stats->unread = fill_events(fill) - ring->reader.entries;
		stats->bytes = fill_bytes(fill) - ring->reader.read;
		stats->oldest = ring_held(ring)->page->time_stamp;
	}
	for (number = ring_oldest(ring, commit); ring_started(ring, number, commit);
	     number++) {
		ring_count_unread(ring, number, stats);
		cond_resched();
	}
}

/**
 * ring_max_slots - the most slots a ring can have
 *
 * The word's half for the index must hold one sub-buffer more.
 */
u32 ring_max_slots(void)
{
	return min_t(u64, SLOT_INDEX, U32_MAX - 1);
}

/**
 * ring_slots_for - the slots that hold @size bytes of events
 * @size: bytes, not 0
 * @shift: log2 of the sub-buffer's size
 *
 * Return: 2 at least; more than ring_max_slots() if that is what it takes.
 */
u64 ring_slots_for(unsigned long size, unsigned int shift)
{
	u32 capacity = (1U << shift) - SUBBUF_HEADER;

	/* not rounded up by adding first: @size may be the largest there is */
	return max_t(u64, div_u64((u64)size - 1, capacity) + 1, 2);
}

/**
 * ring_reset - forget all events and counters
 * @ring: a ring that nobody writes to or reads from now
 *
 * The reader goes on holding the sub-buffer it holds: that one is the spare.
 *
 * Context: the caller keeps writers and readers out.
 */
void ring_reset(struct ring *ring)
{
	u32 held = ring->reader.index;
	u32 i, index;

	for (i = 0, index = 0; i < ring->nr_slots; i++, index++) {
		if (index == held)
			index++;
		/* a lap before the first, which a writer moves on from */
		atomic_long_set(&ring->slots[i].word, SLOT_LAP | index);
	}
	for (i = 0; i < ring_nr_subbufs(ring); i++) {
		struct subbuf *subbuf = &ring->subbufs[i];

		local_set(&subbuf->entries, 0);
		local64_set(&subbuf->fill, 0);
		subbuf->base = 0;
		subbuf->seq = 0;
		subbuf->drops = 0;
		subbuf->missed = 0;
		local_set(&subbuf->page->commit, 0);
	}

	local64_set(&ring->write, SUBBUF_HEADER);
	atomic64_set(&ring->commit, SUBBUF_HEADER);
	ring->limit = 0;
	ring->full_limit = 0;
	ring->full_slot = ring->slots;
	/* no slot's: an interrupt may come when only a part is set */
	ring->full_word = ~0UL;
	local64_set(&ring->stamp, 0);
	local64_set(&ring->floor, 0);
	ring->seq = 0;
	ring->spare = held;

	local_set(&ring->reserved, 0);
	local_set(&ring->dropped, 0);
	local_set(&ring->dropped_nested, 0);
	local_set(&ring->dropped_big, 0);
	local_set(&ring->overrun, 0);
	local_set(&ring->subbufs_lost, 0);
	local_set(&ring->exchanges, 0);
	ring->read_events = 0;
	ring->subbufs_read = 0;

	memset(&ring->reader, 0, sizeof(ring->reader));
	ring->reader.index = held;
	ring->reader.number = RING_NONE;
}

/**
 * ring_init - make a ring of sub-buffers
 * @ring: zeroed, but for the clock and the mode
 * @shift: log2 of the sub-buffer's size in bytes, which holds any small event: 8 at least
 * @nr_slots: slots, 2 at least and ring_max_slots() at most
 * @pages: the memory of @nr_slots + 1 sub-buffers; the ring's user frees them
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int ring_init(struct ring *ring, unsigned int shift, u32 nr_slots,
	      struct subbuf_page **pages)
{
	u32 i;

	ring->shift = shift;
	ring->nr_slots = nr_slots;
	ring->slots = kvcalloc(nr_slots, sizeof(*ring->slots), GFP_KERNEL);
	ring->subbufs = kvcalloc(ring_nr_subbufs(ring), sizeof(*ring->subbufs),
				 GFP_KERNEL);
	if (!ring->slots || !ring->subbufs) {
		ring_destroy(ring);
		return -ENOMEM;
	}
	for (i = 0; i < ring_nr_subbufs(ring); i++)
		ring->subbufs[i].page = pages[i];
	ring_reset(ring);
	return 0;
}

/* The sub-buffer @from of the old ring goes on as @to, at index @index. */
static void ring_move_subbuf(struct ring *ring, u32 index, struct subbuf *from)
{
	struct subbuf *to = &ring->subbufs[index];
	u64 fill = local64_read(&from->fill);

	swap(to->page, from->page);
	local_set(&to->entries, fill_events(fill));
	local64_set(&to->fill, fill);
	to->seq = from->seq;
	to->drops = from->drops;
	to->missed = from->missed;
}

/* The held sub-buffer goes on as the spare that the reader starts with. */
static void ring_move_held(struct ring *ring, struct ring *old)
{
	struct ring_reader *reader = &ring->reader;
	struct subbuf *held = ring_held(old);

	*reader = old->reader;
	if (reader->in_slot)
		reader->next_seq = held->seq + fill_events(local64_read(&held->fill));
	ring_move_subbuf(ring, ring->spare, held);
	reader->index = ring->spare;
	reader->number = RING_NONE;
	reader->in_slot = false;
}

/* the sub-buffer in the slot of @number */
static struct subbuf *ring_standing(const struct ring *ring, u64 number)
{
	unsigned long lap;
	struct ring_slot *slot = ring_slot(ring, number, &lap);

	return &ring->subbufs[atomic_long_read(&slot->word) & SLOT_INDEX];
}

static void ring_move_counters(struct ring *ring, const struct ring *old)
{
	local_set(&ring->reserved, local_read(&old->reserved));
	local_set(&ring->dropped, local_read(&old->dropped));
	local_set(&ring->dropped_nested, local_read(&old->dropped_nested));
	local_set(&ring->dropped_big, local_read(&old->dropped_big));
	local_set(&ring->overrun, local_read(&old->overrun));
	local_set(&ring->subbufs_lost, local_read(&old->subbufs_lost));
	local_set(&ring->exchanges, local_read(&old->exchanges));
	ring->read_events = old->read_events;
	ring->subbufs_read = old->subbufs_read;
	local64_set(&ring->stamp,
		    max_t(u64, local64_read(&old->stamp), local64_read(&old->floor)));
}

/**
 * ring_move - go on with the events and counters of another ring
 * @ring: a new ring, that nobody uses yet, with sub-buffers as large as @old's
 * @old: a ring that nobody writes to or reads from any more
 *
 * The newest unread sub-buffers that @ring has room for move, one slot stays
 * free for the writer to go on in; the events of older ones count as overrun,
 * and the reader will be told of them. @old can only be destroyed afterwards.
 *
 * Context: the caller keeps writers and readers out; may sleep.
 */
void ring_move(struct ring *ring, struct ring *old)
{
	u64 commit = atomic64_read(&old->commit);
	u64 number, first, unread = 0, slot = 0;
	struct subbuf *subbuf;
	u64 fill;

	ring_move_counters(ring, old);
	ring_move_held(ring, old);

	first = ring_oldest(old, commit);
	while (ring_started(old, first + unread, commit))
		unread++;

	number = pos_number(old, commit);
	ring->seq = old->seq;
	if (ring_started(old, number, commit))
		ring->seq += fill_events(local64_read(&ring_standing(old, number)->fill));

	for (number = first; number < first + unread; number++) {
		subbuf = ring_standing(old, number);
		fill = local64_read(&subbuf->fill);
		if (first + unread - number >= ring->nr_slots) {
			local_add(fill_events(fill), &ring->overrun);
			local_inc(&ring->subbufs_lost);
			continue;
		}
		/* index 0 is the spare, slot n starts with n + 1 */
		ring_move_subbuf(ring, slot + 1, subbuf);
		atomic_long_set(&ring->slots[slot].word, SLOT_UNREAD | (slot + 1));
		slot++;
		cond_resched();
	}

	local64_set(&ring->write, pos_first(ring, slot));
	atomic64_set(&ring->commit, pos_first(ring, slot));
	/* the sub-buffer that @commit stands in, though nothing is in it yet */
	ring->subbufs[slot + 1].seq = ring->seq;
}

/**
 * ring_destroy - free what ring_init() made
 * @ring: a ring that nobody uses
 *
 * Context: may sleep.
 */
void ring_destroy(struct ring *ring)
{
	kvfree(ring->subbufs);
	kvfree(ring->slots);
	ring->subbufs = NULL;
	ring->slots = NULL;
}
