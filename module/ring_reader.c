// SPDX-License-Identifier: GPL-2.0
/*
 * The reader's side of the ring: take and release, see ring.c for what it meets there.
 */

#include <linux/kernel.h>
#include <linux/preempt.h>

#include "ring.h"
#include "ring_words.h"

/*
 * Everything of the held sub-buffer is read: its slot may be entered again. If
 * the slot has moved on, the writer has put the spare there, and nothing is
 * left to do.
 * Model: take_done, release_done, consume_done.
 */
static void ring_reader_done(struct ring *ring)
{
	struct ring_slot *slot;
	unsigned long word, lap;

	if (ring->reader.done || !ring->reader.in_slot)
		return;

	slot = ring_slot(ring, ring->reader.number, &lap);
	word = lap | SLOT_HELD | SLOT_UNREAD | ring->reader.index;
	atomic_long_cmpxchg(&slot->word, word, word & ~SLOT_UNREAD);
	ring->reader.done = true;
}

/*
 * Let go of the held sub-buffer, which is complete and read to its end. If the
 * writer has put the spare in its slot, this one becomes the spare. Either way
 * the reader holds the spare now, empty, as it did at the very start: no slot
 * is HELD, so no writer looks at it.
 * Model: release, release_spare, release_held.
 */
static void ring_release(struct ring *ring)
{
	struct ring_reader *reader = &ring->reader;
	struct subbuf *held = ring_held(ring);
	struct ring_slot *slot;
	unsigned long word, lap;

	if (!reader->in_slot)
		return;

	ring_reader_done(ring);
	reader->next_seq = held->seq + fill_events(local64_read(&held->fill));

	slot = ring_slot(ring, reader->number, &lap);
	word = lap | SLOT_HELD | reader->index;
	if (atomic_long_cmpxchg(&slot->word, word, word & ~SLOT_HELD) != word)
		WRITE_ONCE(ring->spare, reader->index);

	reader->in_slot = false;
	WRITE_ONCE(reader->index, ring->spare);
	WRITE_ONCE(reader->read, 0);
	reader->entries = 0;
	reader->lost = 0;
	held = ring_held(ring);
	local64_set(&held->fill, 0);
	local_set(&held->page->commit, 0);
}

/*
 * Hold sub-buffer @number, if it still stands in its slot. Not preempted
 * between the read and the cmpxchg, so that on machines with short words the
 * lap cannot come round meanwhile.
 * Model: hold, hold_set.
 */
static bool ring_hold(struct ring *ring, u64 number)
{
	struct ring_slot *slot;
	unsigned long word, lap;
	bool held = false;

	slot = ring_slot(ring, number, &lap);
	preempt_disable();
	word = atomic_long_read(&slot->word);
	/* pairs with the smp_rmb() in ring_acquire(): spare, then HELD */
	if ((word & SLOT_LAP) == lap)
		held = atomic_long_cmpxchg(&slot->word, word, word | SLOT_HELD) == word;
	preempt_enable();
	if (!held)
		return false;

	/* for ring_has_unread() and its kin, who look without a lock */
	WRITE_ONCE(ring->reader.number, number);
	WRITE_ONCE(ring->reader.index, word & SLOT_INDEX);
	ring->reader.in_slot = true;
	ring->reader.done = false;
	WRITE_ONCE(ring->reader.read, 0);
	ring->reader.entries = 0;
	return true;
}

/*
 * Say in the held sub-buffer if something is missing before it. The writer may be
 * in it: what it adds to commit meanwhile is not lost, but the flag may be, where
 * local_add() is not atomic to other CPUs. Once it is complete ring_consume() says
 * it for good; to the event, the meta page does at once.
 */
static void ring_show_missed(struct subbuf *held, unsigned long missed)
{
	/* what a local_t is, everywhere */
	atomic_long_t *commit = (atomic_long_t *)&held->page->commit;

	WRITE_ONCE(held->missed, missed);
	if (missed)
		atomic_long_or(SUBBUF_MISSED, commit);
	else
		atomic_long_andnot(SUBBUF_MISSED, commit);
}

/*
 * What was lost between the sub-buffer held before and this one?
 * Model: hold_set.
 */
static void ring_find_lost(struct ring *ring)
{
	struct ring_reader *reader = &ring->reader;
	struct subbuf *held = ring_held(ring);

	reader->lost = held->seq - reader->next_seq;
	if (held->drops > reader->drops) {
		reader->lost += held->drops - reader->drops;
		reader->drops = held->drops;
	}
	ring_show_missed(held, reader->lost ? SUBBUF_MISSED : 0);
}

/**
 * ring_take - have the reader hold a sub-buffer with something to read
 * @ring: the ring
 *
 * Stays with the one it holds if something is unread there or if it is the
 * newest; otherwise goes on to the oldest that is left. Constant time but for
 * the sub-buffers that a writer overwrites meanwhile.
 *
 * Model: take, take_fill, hold_next, nothing.
 *
 * Context: one reader at a time; any context that its lock allows.
 *
 * Return: the held sub-buffer has unread events.
 */
bool ring_take(struct ring *ring)
{
	/* pairs with the release in ring_publish() */
	u64 commit = atomic64_read_acquire(&ring->commit);
	struct ring_reader *reader = &ring->reader;
	u64 number;

	if (fill_bytes(local64_read(&ring_held(ring)->fill)) > reader->read)
		return true;
	if (!ring_complete(ring, reader->number, commit))
		return false;
	if (!ring_started(ring, ring_oldest(ring, commit), commit)) {
		ring_reader_done(ring);
		return false;
	}

	ring_release(ring);
	number = ring_oldest(ring, commit);
	while (!ring_hold(ring, number)) {
		/* overwritten: or an interrupted writer is about to be lapped */
		commit = atomic64_read_acquire(&ring->commit);
		number = max(number + 1, ring_oldest(ring, commit));
		if (!ring_started(ring, number, commit))
			return false;
	}
	WRITE_ONCE(ring->subbufs_read, ring->subbufs_read + 1);
	ring_find_lost(ring);
	return true;
}

/**
 * ring_consume - take everything committed in the held sub-buffer as read
 * @ring: the ring
 *
 * Model: consume, consume_fill.
 *
 * Context: as ring_take().
 *
 * Return: where these events are; they stay there until the next ring_take().
 */
struct ring_span ring_consume(struct ring *ring)
{
	/* before the fill: what is complete now is so with all its events */
	bool complete = ring_complete(ring, ring->reader.number,
				      atomic64_read_acquire(&ring->commit));
	struct ring_reader *reader = &ring->reader;
	struct subbuf *held = ring_held(ring);
	u64 fill = local64_read(&held->fill);
	u32 bytes = fill_bytes(fill);
	struct ring_span span = {
		.page	= held->page,
		.id	= reader->index,
		.offset	= reader->read,
		.bytes	= bytes - reader->read,
		.lost	= reader->read ? 0 : reader->lost,
	};

	/* fill, then events: pairs with the smp_wmb() before it is set or added to */
	smp_rmb();
	WRITE_ONCE(ring->read_events,
		   ring->read_events + fill_events(fill) - reader->entries);
	reader->entries = fill_events(fill);
	WRITE_ONCE(reader->read, bytes);
	if (!complete || !reader->in_slot)
		return span;

	subbuf_put_missed(held->page, bytes, ring_capacity(ring) - bytes, reader->lost);
	ring_reader_done(ring);
	return span;
}

/**
 * ring_has_unread - is there anything to take?
 * @ring: the ring
 *
 * Context: any, no lock: a condition to wait for, right when nobody reads.
 */
bool ring_has_unread(const struct ring *ring)
{
	u64 commit = atomic64_read_acquire(&ring->commit);
	u64 number = READ_ONCE(ring->reader.number);
	u32 index = READ_ONCE(ring->reader.index);

	if (fill_bytes(local64_read(&ring->subbufs[index].fill)) >
	    READ_ONCE(ring->reader.read))
		return true;
	if (!ring_complete(ring, number, commit) || !ring_started(ring, number + 1, commit))
		return false;
	/* older ones may be overwritten already, by events that are not published yet */
	number = pos_number(ring, commit);
	return ring_started(ring, number, commit) || ring_present(ring, number - 1);
}

/**
 * ring_ready_subbufs - how many sub-buffers have something to read?
 * @ring: the ring
 *
 * Counts the one that the writer is filling, too: nr_slots when the ring is
 * full, in both modes.
 *
 * Context: as ring_has_unread().
 */
u32 ring_ready_subbufs(const struct ring *ring)
{
	u64 commit = atomic64_read_acquire(&ring->commit);
	u64 oldest = ring_oldest(ring, commit);

	if (!ring_has_unread(ring))
		return 0;
	if (ring_started(ring, oldest, commit))
		return pos_number(ring, commit) - oldest + 1;
	return 1;
}

/**
 * ring_holds_complete - does the reader hold something the writer is not in?
 * @ring: the ring
 *
 * Context: as ring_has_unread().
 */
bool ring_holds_complete(const struct ring *ring)
{
	return ring_complete(ring, READ_ONCE(ring->reader.number),
			     atomic64_read_acquire(&ring->commit));
}
