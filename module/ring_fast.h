/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What almost every event takes: its writer interrupted nobody, it goes where
 * the last one ended, and nobody comes in between. Whatever else there is, is in
 * ring.c. Inline, and with each value read where it is needed: the number of
 * instructions is what an event costs, see selftests/bench.
 *
 * Nobody has an event open if commit stands where write does. Who finds it so is
 * the outermost writer, and whoever interrupts him from his cmpxchg on finds
 * commit behind write; until then, an interrupt leaves things as it found them,
 * or has moved write, and the cmpxchg fails.
 */
#ifndef _TRACEMAP_RING_FAST_H
#define _TRACEMAP_RING_FAST_H

#include <linux/tracemap_buffer.h>

#include "clock.h"
#include "ring.h"
#include "ring_words.h"

/*
 * A word that only this CPU's writers set. Not in one piece on every machine, and
 * need not be: an interrupt that changes one of them changes write, too, for good.
 */
static __always_inline u64 ring_peek(const void *word)
{
	/* to itself, an interrupt looks like a race */
	return data_race(*(const u64 *)word);
}

/* For the slow path: how much, not yet where. What is too long for any sub-buffer stays so. */
static inline void *ring_size_up(struct tracemap_handle *handle, size_t length)
{
	handle->start = 0;
	handle->end = subbuf_event_size(min_t(size_t, length, S32_MAX));
	return NULL;
}

/**
 * ring_reserve - reserve room for an event
 * @ring: the ring of this CPU
 * @handle: filled for ring_commit() or ring_discard(), one of which must follow,
 *	or for ring_reserve_slow()
 * @length: bytes of payload
 *
 * Model: enter, fast, fast_time, fast_floor, fast_reserve, fast_stamp, fast_put.
 *
 * Context: any, NMI too; preemption stays disabled until the event is committed
 * or discarded, and the reservations of one CPU end in the reverse of the order
 * in which they were made. Takes no lock, never waits.
 *
 * Return: where the payload goes, aligned to 4 bytes; NULL if ring_reserve_slow()
 * has to follow.
 */
static __always_inline void *ring_reserve(struct ring *ring, struct tracemap_handle *handle,
					  size_t length)
{
	u64 start, end, time, delta;
	void *payload;

	handle->ring = ring;
	if (unlikely(length - 1 >= SUBBUF_SMALL))
		return ring_size_up(handle, length);

	start = ring_peek(&ring->write);
	end = start + subbuf_small_size(length);
	handle->start = start;
	handle->end = end;
	if (unlikely(start != ring_peek(&ring->commit) || end > ring_peek(&ring->limit)))
		return NULL;

	time = clock_now(ring->clock);
	/* not kept over the call, where they would have to be put by and fetched back */
	ring = handle->ring;
	start = handle->start;
	end = handle->end;

	delta = time - ring_peek(&ring->stamp);
	if (unlikely(delta > SUBBUF_DELTA_MASK || time < ring_peek(&ring->floor)))
		return NULL;
	/* before write: whoever interrupts behind that may not be earlier */
	local64_set(&ring->floor, time);
	if (unlikely((u64)local64_cmpxchg(&ring->write, start, end) != start))
		return NULL;
	local64_set(&ring->stamp, time);
	local_inc(&ring->reserved);
	local_inc(&ring->cached->entries);
	payload = (void *)(ring->origin + (unsigned long)start);
	subbuf_put_small(payload, end - start, delta);
	/* spares the caller a question */
	if (!payload)
		__builtin_unreachable();
	return payload;
}

/**
 * ring_publishes - is it this event's turn to be published?
 * @ring: the ring of this CPU
 * @handle: from ring_reserve(); what is to be written is written
 *
 * Model: finish.
 *
 * Context: as ring_reserve().
 *
 * Return: true, and ring_commit() must follow, for the outermost writer. False if this one
 * has interrupted another: then that one will publish the event, and all is done.
 */
static __always_inline bool ring_publishes(const struct ring *ring,
					   const struct tracemap_handle *handle)
{
	return handle->start == ring_peek(&ring->commit);
}

/**
 * ring_commit - publish an event
 * @ring: the ring of this CPU
 * @handle: from ring_reserve()
 *
 * The reader sees it at once.
 *
 * Model: fast_fill, fast_commit, fast_look.
 *
 * Context: as ring_reserve().
 *
 * Return: false if ring_commit_slow() has to follow.
 */
static __always_inline bool ring_commit(struct ring *ring, struct tracemap_handle *handle)
{
	struct subbuf *subbuf = ring->cached;
	u64 start = handle->start;
	u64 end = handle->end;

	/* pairs with user space's load of commit, before it reads events */
	smp_wmb();
	local_add(end - start, &subbuf->page->commit);
	/* pairs with the read in ring_consume() */
	local64_add((1ULL << FILL_EVENTS) + end - start, &subbuf->fill);
	/* pairs with the reads of commit in the reader's functions */
	atomic64_set_release(&ring->commit, end);
	barrier();
	/* an attention that is seen late is not lost, see wakeup.c */
	return likely(ring_peek(&ring->write) == end && !data_race(ring->attention));
}

#endif /* _TRACEMAP_RING_FAST_H */
