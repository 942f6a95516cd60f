// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of one CPU, with lazy exchange of sub-buffers.
 *
 * Writers: one task, and the softirq, irq and NMI that interrupt it, stacked.
 * Only the outermost of them, whose event starts where commit stands, publishes.
 * What an event takes when nothing special is on is in ring_fast.h. Reader: one
 * at a time, from any CPU, in ring_reader.c.
 * They meet in the slot words, in @commit and in the sub-buffers' @fill, and
 * neither ever waits for the other.
 *
 * Every order of their steps is searched by a model in selftests/model; what
 * "Model:" names in a comment are its labels.
 *
 * A position counts the bytes of the CPU's stream, sub-buffer headers included:
 * sub-buffer number n spans n << shift … (n + 1) << shift and stands in slot
 * n % nr_slots on lap n / nr_slots. The slot's word tells which sub-buffer that
 * is in memory.
 */

#include <linux/kernel.h>
#include <linux/tracemap_buffer.h>

#include "ring_fast.h"

/**
 * struct ring_aim - where a writer would put its event
 * @write: position that it found
 * @start: first byte that it takes
 * @end: and the one behind the last
 * @number: sub-buffer that these are in
 * @time: the event's time
 * @delta: and how much later that is than the event before it
 * @drops: drops for want of room so far, if the event is the first
 * @record: the kind of time record in front of the event, 0 for none
 * @first: it is the first of its sub-buffer, whose time is the event's
 */
struct ring_aim {
	u64			write;
	u64			start;
	u64			end;
	u64			number;
	u64			time;
	u64			delta;
	u64			drops;
	unsigned int		record;
	bool			first;
};

/* what writers find while they may not write: nothing fits */
struct ring ring_closed;

/* the byte at @pos, which is in @subbuf */
static void *ring_at(const struct ring *ring, struct subbuf *subbuf, u64 pos)
{
	return (void *)subbuf->page + (pos & (ring_subbuf_size(ring) - 1));
}

/*
 * Move @slot to @lap, if no other writer has done so, and return the sub-buffer
 * that stands there. If the reader holds the one that stood there before, the
 * spare takes its place; otherwise that one is used again, and what nobody has
 * read of it is lost.
 * Model: acquire, acquire_spare, exchange, account.
 */
static __always_inline struct subbuf *ring_acquire(struct ring *ring, struct ring_slot *slot,
						   unsigned long lap)
{
	unsigned long old, new, entries;
	struct subbuf *subbuf;

	for (;;) {
		old = atomic_long_read(&slot->word);
		subbuf = &ring->subbufs[old & SLOT_INDEX];
		if ((old & SLOT_LAP) == lap)
			return subbuf;

		new = lap | SLOT_UNREAD | (old & SLOT_INDEX);
		if (old & SLOT_HELD) {
			/* pairs with the cmpxchg in ring_hold(): HELD, then spare */
			smp_rmb();
			new = lap | SLOT_UNREAD | READ_ONCE(ring->spare);
			subbuf = &ring->subbufs[new & SLOT_INDEX];
		}

		/* before the exchange: behind it an interrupt may count already */
		entries = local_read(&subbuf->entries);
		if (atomic_long_cmpxchg(&slot->word, old, new) == old)
			break;
	}

	if (old & SLOT_HELD) {
		local_inc(&ring->exchanges);
	} else if (old & SLOT_UNREAD) {
		local_add(entries - READ_ONCE(subbuf->base), &ring->overrun);
		local_inc(&ring->subbufs_lost);
	}
	WRITE_ONCE(subbuf->base, entries);
	return subbuf;
}

/*
 * The sub-buffer @number, which a writer has entered.
 */
static noinline struct subbuf *ring_subbuf(struct ring *ring, u64 number)
{
	struct ring_slot *slot;
	unsigned long lap;

	if (likely(READ_ONCE(ring->limit) == pos_limit(ring, number)))
		return READ_ONCE(ring->cached);
	slot = ring_slot(ring, number, &lap);
	return ring_acquire(ring, slot, lap);
}

/*
 * Say how many bytes, and with them how many events, the reader may have.
 * Model: publish_finish, publish_fill.
 */
static void ring_fill(struct subbuf *subbuf, u32 bytes, u32 events)
{
	/* pairs with user space's load of commit, before it reads events */
	smp_wmb();
	local_set(&subbuf->page->commit, bytes | READ_ONCE(subbuf->missed));
	/* pairs with the read in ring_consume() */
	local64_set(&subbuf->fill, (u64)events << FILL_EVENTS | bytes);
}

static u32 ring_events(const struct subbuf *subbuf)
{
	return local_read(&subbuf->entries) - READ_ONCE(subbuf->base);
}

/*
 * The writers have left @subbuf, and all of it is published.
 */
static void ring_leave(struct ring *ring, struct subbuf *subbuf)
{
	ring->seq += ring_events(subbuf);
	if (READ_ONCE(ring->watched))
		WRITE_ONCE(ring->attention, true);
}

/*
 * The same for one in which something is not published yet. It is @number.
 * Model: publish_finish.
 */
static void ring_finish(struct ring *ring, struct subbuf *subbuf, u64 number)
{
	unsigned long lap;

	ring_fill(subbuf, ring_slot(ring, number, &lap)->end - SUBBUF_HEADER,
		  ring_events(subbuf));
	ring_leave(ring, subbuf);
}

/*
 * The event that ends at write is not this writer's own: its time is not known,
 * but for what it cannot be later than. Nor is it known where it stands.
 * Model: unbase.
 */
static void ring_unbase(struct ring *ring)
{
	local64_set(&ring->stamp, max_t(u64, local64_read(&ring->stamp),
					local64_read(&ring->floor)));
	WRITE_ONCE(ring->limit, 0);
}

/*
 * Publish all that is written. Only the outermost writer comes here, when others
 * have interrupted it: they have finished, and leave publishing to it.
 * Model: publish, publish_write, publish_events, publish_again, publish_commit.
 */
static void ring_publish(struct ring *ring)
{
	u64 number = pos_number(ring, atomic64_read(&ring->commit));
	struct subbuf *subbuf = ring_subbuf(ring, number);
	u32 events;
	u64 write;

	/* an interrupt in between would be in the events, but not in the bytes */
	do {
		write = local64_read(&ring->write);
		while (unlikely(number < pos_number(ring, write))) {
			ring_finish(ring, subbuf, number);
			subbuf = ring_subbuf(ring, ++number);
			subbuf->seq = ring->seq;
		}
		events = ring_events(subbuf);
		barrier();
	} while (unlikely(local64_read(&ring->write) != write));

	ring_unbase(ring);
	ring_fill(subbuf, write - pos_first(ring, number), events);
	/* pairs with the reads of commit in the reader's functions */
	atomic64_set_release(&ring->commit, write);
}

/*
 * The outermost writer has published. Interrupts that came before commit moved
 * have left theirs to it, and then all that come later do, too. If there were
 * none, those that come now publish on their own: so between two looks at commit
 * none of them may have been here.
 * Model: look, look_write, look_again.
 */
static void ring_publish_rest(struct ring *ring)
{
	u64 commit, write;

	for (;;) {
		commit = atomic64_read(&ring->commit);
		barrier();
		write = local64_read(&ring->write);
		barrier();
		if (unlikely((u64)atomic64_read(&ring->commit) != commit))
			continue;
		if (write == commit)
			return;
		ring_publish(ring);
	}
}

/*
 * May a writer enter @number? Not if an interrupted writer still has events
 * open one lap behind, and, in producer-consumer mode, not if what stands in
 * the slot is unread. Counts the event if it may not.
 * Model: aim, may_enter.
 */
static bool ring_may_enter(struct ring *ring, u64 number)
{
	struct ring_slot *slot;
	unsigned long word, lap;

	if (number < ring->nr_slots)
		return true;

	if (!ring_complete(ring, number - ring->nr_slots,
			   atomic64_read(&ring->commit))) {
		local_inc(&ring->dropped);
		local_inc(&ring->dropped_nested);
		return false;
	}
	if (READ_ONCE(ring->overwrite))
		return true;

	slot = ring_slot(ring, number, &lap);
	word = atomic_long_read(&slot->word);
	/* not on the lap before: an interrupt went there just now, or even further */
	if (slot_next_lap(word & SLOT_LAP) != lap || !(word & SLOT_UNREAD))
		return true;
	WRITE_ONCE(ring->full_limit, pos_limit(ring, number - 1));
	WRITE_ONCE(ring->full_slot, slot);
	WRITE_ONCE(ring->full_word, word);
	local_inc(&ring->dropped);
	return false;
}

/*
 * Is what stopped the last event still there, for one that is to go where that one was?
 * A word tells of one lap only. Whoever is interrupted while it remembers may leave a part
 * of what others have seen: of the same, or of what does not fit together.
 * Model: still_full.
 */
static __always_inline bool ring_still_full(const struct ring *ring, u64 start, u64 end)
{
	u64 limit = ring_peek(&ring->full_limit);

	return start <= limit && end > limit &&
	       /* an interrupt that sets these leaves what does not fit together */
	       (unsigned long)atomic_long_read(&data_race(ring->full_slot)->word) ==
	       /* as above */
	       data_race(ring->full_word) &&
	       !READ_ONCE(ring->overwrite);
}

/*
 * The first event of a sub-buffer gives it its time and its place.
 * Model: put.
 */
static __always_inline void ring_open_subbuf(struct subbuf *subbuf, const struct ring_aim *aim)
{
	struct subbuf_page *page = subbuf->page;

	WRITE_ONCE(page->time_stamp, aim->time);
	subbuf->drops = aim->drops;
	WRITE_ONCE(subbuf->missed, 0);
	/* empty: ring_commit() adds to these */
	local_set(&page->commit, 0);
	local64_set(&subbuf->fill, 0);
}

/*
 * Time never runs backwards along the ring, whatever the clock does. The floor
 * is only ever raised here: an interrupt may have gone beyond what was read of
 * it. The fast path may lower it, but not below what stands in the stamp.
 * Model: stamp_look.
 */
static u64 ring_time(struct ring *ring)
{
	u64 floor, time;

	do {
		floor = local64_read(&ring->floor);
		time = clock_now(ring->clock);
		time = max3(time, floor, (u64)local64_read(&ring->stamp));
	} while (unlikely((u64)local64_cmpxchg(&ring->floor, floor, time) != floor));
	return time;
}

static u64 ring_drops(const struct ring *ring)
{
	return local_read(&ring->dropped);
}

/*
 * Aim at the start of the next sub-buffer; false if the event is dropped.
 * Model: aim.
 */
static bool ring_aim_next(struct ring *ring, struct ring_aim *aim, u32 size)
{
	aim->drops = ring_drops(ring);
	aim->number++;
	if (!ring_may_enter(ring, aim->number))
		return false;
	aim->time = ring_time(ring);
	aim->first = true;
	aim->record = 0;
	aim->delta = 0;
	aim->start = pos_first(ring, aim->number);
	aim->end = aim->start + size;
	return true;
}

/*
 * Where would an event of @size bytes go, and with what time? The outermost
 * writer may know the time of the event before its own; everybody else writes
 * the whole time in front.
 * Model: aim, timed, place.
 */
static bool ring_aim(struct ring *ring, struct ring_aim *aim, u32 size)
{
	bool based = false;

	aim->write = local64_read(&ring->write);
	/* an interrupt from here on makes the cmpxchg fail */
	barrier();
	aim->number = pos_number(ring, aim->write);
	aim->first = aim->write == pos_first(ring, aim->number);
	aim->start = aim->write;
	aim->end = aim->write + size;
	aim->record = 0;
	aim->delta = 0;
	aim->drops = ring_drops(ring);

	if (!aim->first) {
		based = aim->write == (u64)atomic64_read(&ring->commit) && ring_peek(&ring->limit);
		if (!based) {
			aim->record = SUBBUF_TIME_STAMP;
			aim->end += SUBBUF_TIME_SIZE;
		}
	}
	/* before the clock is asked: a full ring costs little */
	if (pos_number(ring, aim->end) != aim->number)
		return ring_aim_next(ring, aim, size);

	aim->time = ring_time(ring);
	if (!based)
		return true;
	aim->delta = aim->time - local64_read(&ring->stamp);
	if (likely(aim->delta <= SUBBUF_DELTA_MASK))
		return true;
	aim->record = SUBBUF_TIME_EXTEND;
	aim->end += SUBBUF_TIME_SIZE;
	if (pos_number(ring, aim->end) != aim->number)
		return ring_aim_next(ring, aim, size);
	return true;
}

/*
 * A stacked writer has left a sub-buffer at @write: remember where its events end,
 * for the outermost.
 * Model: close.
 */
static void ring_close_subbuf(struct ring *ring, u64 write)
{
	u64 number = pos_number(ring, write);
	unsigned long lap;

	ring_slot(ring, number, &lap)->end = write - (number << ring->shift);
}

/*
 * The outermost writer remembers where it is: in @subbuf, which stands in @slot on @lap,
 * and at @base in the stream. Those that interrupt it here find no limit, or the one that
 * belongs to what they read behind it.
 * Model: cache.
 */
static __always_inline void ring_cache(struct ring *ring, struct subbuf *subbuf, u64 base,
				       struct ring_slot *slot, unsigned long lap)
{
	WRITE_ONCE(ring->limit, 0);
	barrier();
	WRITE_ONCE(ring->cached, subbuf);
	ring->origin = (unsigned long)subbuf->page + SUBBUF_EVENT - (unsigned long)base;
	ring->slot = slot;
	ring->lap = lap;
	barrier();
	WRITE_ONCE(ring->limit, base + ring_subbuf_size(ring));
}

/*
 * The sub-buffer for a stacked writer's event.
 */
static struct subbuf *ring_enter_stacked(struct ring *ring, const struct ring_aim *aim)
{
	struct subbuf *subbuf;

	if (aim->start != aim->write)
		ring_close_subbuf(ring, aim->write);
	subbuf = ring_subbuf(ring, aim->number);
	local_inc(&subbuf->entries);
	if (aim->first)
		ring_open_subbuf(subbuf, aim);
	return subbuf;
}

/*
 * The outermost writer goes to the start of @subbuf. All of the one before is published,
 * so commit moves on, too, before there is an event: that starts where commit stands, as
 * all events of outermost writers do.
 * Model: leave, leave_commit.
 */
static __always_inline void ring_go_on(struct ring *ring, struct subbuf *subbuf, u64 start)
{
	subbuf->seq = ring->seq;
	/* pairs with the reads of commit in the reader's functions */
	atomic64_set_release(&ring->commit, start);
}

/*
 * The sub-buffer for the outermost writer's event.
 */
static struct subbuf *ring_enter_outermost(struct ring *ring, const struct ring_aim *aim)
{
	struct ring_slot *slot;
	struct subbuf *subbuf;
	unsigned long lap;

	if (aim->start != aim->write)
		ring_leave(ring, ring_subbuf(ring, aim->number - 1));
	subbuf = ring_subbuf(ring, aim->number);
	local_inc(&subbuf->entries);
	if (aim->first)
		ring_open_subbuf(subbuf, aim);
	if (ring->limit != pos_limit(ring, aim->number)) {
		slot = ring_slot(ring, aim->number, &lap);
		ring_cache(ring, subbuf, aim->number << ring->shift, slot, lap);
	}
	local64_set(&ring->stamp, aim->time);
	if (aim->start != aim->write)
		ring_go_on(ring, subbuf, aim->start);
	return subbuf;
}

/*
 * Whatever the circumstances.
 * Model: reserve, close, put, event.
 */
static noinline void *ring_reserve_any(struct ring *ring, struct tracemap_handle *handle)
{
	u32 size = handle->end - handle->start;
	struct subbuf *subbuf;
	struct ring_aim aim;
	void *at;

	if (unlikely(ring == &ring_closed))
		return NULL;
	local_inc(&ring->reserved);
	if (unlikely(size > ring_capacity(ring))) {
		local_inc(&ring->dropped_big);
		return NULL;
	}
	do {
		if (unlikely(!ring_aim(ring, &aim, size)))
			return NULL;
	} while (unlikely((u64)local64_cmpxchg(&ring->write, aim.write, aim.end) !=
			  aim.write));

	/* it stays so: those that come from now on find commit behind write */
	if (aim.write == (u64)atomic64_read(&ring->commit))
		subbuf = ring_enter_outermost(ring, &aim);
	else
		subbuf = ring_enter_stacked(ring, &aim);
	handle->start = aim.start;
	handle->end = aim.end;

	at = ring_at(ring, subbuf, aim.start);
	if (unlikely(aim.record)) {
		subbuf_put_time(at, aim.record, aim.record == SUBBUF_TIME_STAMP ?
				aim.time : aim.delta);
		at += SUBBUF_TIME_SIZE;
		aim.delta = 0;
	}
	return subbuf_put_event(at, size, aim.delta);
}

/*
 * A small event of the outermost writer that is the first to have no room in the
 * sub-buffer remembered: into the next one, if nothing is unusual.
 * Model: cross, fast_time, fast_floor, fast_reserve, close.
 */
static noinline void *ring_cross(struct ring *ring, struct tracemap_handle *handle)
{
	/* an interrupt that changes this makes the cmpxchg fail */
	struct ring_slot *slot = data_race(ring->slot) + 1;
	/* as does one that changes this */
	unsigned long lap = data_race(ring->lap);
	u64 base = ring_peek(&ring->limit);
	struct ring_aim aim = { .drops = ring_drops(ring) };
	struct subbuf *subbuf;
	void *payload;

	if (slot == ring->slots + ring->nr_slots) {
		slot = ring->slots;
		lap = slot_next_lap(lap);
	}
	if (!ring->overwrite && atomic_long_read(&slot->word) & SLOT_UNREAD)
		return ring_reserve_any(ring, handle);

	aim.time = clock_now(ring->clock);
	if (aim.time < ring_peek(&ring->stamp) || aim.time < ring_peek(&ring->floor))
		return ring_reserve_any(ring, handle);
	/* before write: whoever interrupts behind that may not be earlier */
	local64_set(&ring->floor, aim.time);
	aim.write = handle->start;
	aim.start = base + SUBBUF_HEADER;
	aim.end = aim.start + handle->end - handle->start;
	if ((u64)local64_cmpxchg(&ring->write, aim.write, aim.end) != aim.write)
		return ring_reserve_any(ring, handle);

	local_inc(&ring->reserved);
	ring_leave(ring, ring->cached);
	subbuf = ring_acquire(ring, slot, lap);
	local_inc(&subbuf->entries);
	ring_open_subbuf(subbuf, &aim);
	ring_cache(ring, subbuf, base, slot, lap);
	local64_set(&ring->stamp, aim.time);
	ring_go_on(ring, subbuf, aim.start);

	handle->start = aim.start;
	handle->end = aim.end;
	payload = (void *)(ring->origin + (unsigned long)aim.start);
	subbuf_put_small(payload, aim.end - aim.start, 0);
	return payload;
}

/*
 * A small event of a stacked writer that goes where the outermost is, with its whole
 * time in front, if there is room.
 * Model: stack, stamp_look, reserve, put.
 */
static noinline void *ring_stack(struct ring *ring, struct tracemap_handle *handle)
{
	u64 end = handle->end + SUBBUF_TIME_SIZE;
	u64 start, time;
	void *payload;

	if (end > READ_ONCE(ring->limit))
		return ring_reserve_any(ring, handle);
	time = ring_time(ring);
	/* not kept over the clock's call, as in ring_reserve() */
	start = handle->start;
	end = handle->end + SUBBUF_TIME_SIZE;
	if ((u64)local64_cmpxchg(&ring->write, start, end) != start)
		return ring_reserve_any(ring, handle);

	local_inc(&ring->reserved);
	local_inc(&ring->cached->entries);
	handle->end = end;
	payload = (void *)(ring->origin + (unsigned long)start);
	subbuf_put_stamp(payload - SUBBUF_EVENT, time);
	payload += SUBBUF_TIME_SIZE;
	subbuf_put_small(payload, end - start - SUBBUF_TIME_SIZE, 0);
	return payload;
}

/**
 * ring_reserve_slow - go on where ring_reserve() left off
 * @handle: as that has left it
 *
 * Context: as ring_reserve().
 *
 * Return: where the payload goes, aligned to 4 bytes; NULL if the event was
 * dropped, which is counted.
 */
void *ring_reserve_slow(struct tracemap_handle *handle)
{
	struct ring *ring = handle->ring;
	u64 start = handle->start;
	u64 end = handle->end;

	/* not a small one, or closed */
	if (unlikely(!start))
		return ring_reserve_any(ring, handle);
	if (ring_still_full(ring, start, end)) {
		local_inc(&ring->reserved);
		local_inc(&ring->dropped);
		return NULL;
	}
	if (start != (u64)atomic64_read(&ring->commit))
		return ring_stack(ring, handle);
	/* there is no limit that is less than where its writer is */
	if (start <= ring_peek(&ring->limit) && end > ring_peek(&ring->limit))
		return ring_cross(ring, handle);
	return ring_reserve_any(ring, handle);
}

/**
 * ring_commit_slow - publish what interrupts have left, if they have
 * @handle: of the event that ring_commit() has published
 *
 * Context: as ring_reserve().
 */
void ring_commit_slow(struct tracemap_handle *handle)
{
	ring_publish_rest(handle->ring);
}

/*
 * The outermost writer's event at @at goes: back to the time of the one before,
 * which is not known if the event has its whole time in front.
 * Model: rebase.
 */
static void ring_rebase(struct ring *ring, const void *at)
{
	u64 delta;

	if (subbuf_get_delta(at, &delta))
		local64_set(&ring->stamp, local64_read(&ring->stamp) - delta);
	else
		ring_unbase(ring);
}

/**
 * ring_discard - take a reserved event back
 * @handle: from ring_reserve()
 *
 * It is as if it had not been asked for, but that a sub-buffer entered for it stays
 * entered. Behind it an interrupt may have written meanwhile: then its room becomes
 * padding.
 *
 * Model: finish, back.
 *
 * Context: as ring_reserve().
 *
 * Return: whether something was published, if only that a sub-buffer is complete.
 */
bool ring_discard(struct tracemap_handle *handle)
{
	struct ring *ring = handle->ring;
	u64 number = pos_number(ring, handle->end);
	bool first = handle->start == pos_first(ring, number);
	bool outermost = handle->start == (u64)atomic64_read(&ring->commit);
	struct subbuf *subbuf = ring_subbuf(ring, number);
	void *at = ring_at(ring, subbuf, handle->start);

	local_dec(&subbuf->entries);
	local_dec(&ring->reserved);
	if (outermost && first)
		/* the next one opens the sub-buffer again */
		ring_unbase(ring);
	else if (outermost)
		ring_rebase(ring, at);
	if ((u64)local64_cmpxchg(&ring->write, handle->end, handle->start) == handle->end)
		return outermost && first;

	subbuf_put_padding(at, handle->end - handle->start);
	if (!outermost)
		return false;
	ring_publish(ring);
	ring_publish_rest(ring);
	return true;
}
