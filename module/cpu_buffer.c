// SPDX-License-Identifier: GPL-2.0
/*
 * The reader's side of a cpu_buffer: who reads it or waits for it, and its meta
 * page.
 */

#include <linux/cpumask.h>
#include <linux/highmem.h>

#include "buffer.h"

/**
 * struct cpu_buffer_wait - what a sleeper waits for
 * @cb:		the ring
 * @stop:	says that it has to return in any case
 * @arg:	for @stop
 */
struct cpu_buffer_wait {
	struct cpu_buffer	*cb;
	bool			(*stop)(void *arg);
	void			*arg;
};

/*
 * Is the watermark reached? The sub-buffer that the writer is on counts, so that
 * 100 percent can be reached; but it alone is not worth a wakeup.
 */
static bool cpu_buffer_full(void *arg)
{
	struct cpu_buffer *cb = arg;
	u64 percent = READ_ONCE(cb->buffer->percent);

	if (!ring_has_unread(&cb->ring))
		return false;
	if (!percent)
		return true;
	return ring_holds_complete(&cb->ring) &&
	       ring_ready_subbufs(&cb->ring) * 100ULL >= percent * cb->ring.nr_slots;
}

static bool cpu_buffer_any(void *arg)
{
	struct cpu_buffer *cb = arg;

	return ring_has_unread(&cb->ring);
}

static bool cpu_buffer_full_or_stop(void *arg)
{
	struct cpu_buffer_wait *wait = arg;

	return cpu_buffer_full(wait->cb) || wait->stop(wait->arg);
}

static bool cpu_buffer_any_or_stop(void *arg)
{
	struct cpu_buffer_wait *wait = arg;

	return cpu_buffer_any(wait->cb) || wait->stop(wait->arg);
}

/**
 * cpu_buffer_attend - wake those who wait for what was just published
 * @cb: a ring of this CPU whose attention is wanted
 *
 * The watermark can only be reached when a sub-buffer is entered, so while
 * somebody waits for that, the ring asks for attention then, and not after every
 * event.
 *
 * Context: a writer's: any, NMI too, with preemption disabled since before it
 * reserved.
 */
void cpu_buffer_attend(struct cpu_buffer *cb)
{
	WRITE_ONCE(cb->ring.attention, false);
	WRITE_ONCE(cb->ring.watched, false);
	/* pairs with the smp_wmb() in wakeup_arm() */
	smp_mb();

	wakeup_any(&cb->buffer->wakeup);
	wakeup_any(&cb->wakeup);
	if (!READ_ONCE(cb->wakeup.full_armed))
		return;
	/* first: an interrupt may enter the next sub-buffer meanwhile */
	WRITE_ONCE(cb->ring.watched, true);
	if (cpu_buffer_full(cb))
		wakeup_full(&cb->wakeup);
}

static void cpu_buffer_attract(struct wakeup *wakeup)
{
	struct cpu_buffer *cb = container_of(wakeup, struct cpu_buffer, wakeup);

	WRITE_ONCE(cb->ring.attention, true);
}

static void cpu_buffer_refresh(struct wakeup *wakeup)
{
	cpu_buffer_update_meta(container_of(wakeup, struct cpu_buffer, wakeup));
}

/**
 * cpu_buffer_init_reader - the reader's side of a new cpu_buffer
 * @cb: zeroed, but for what the writers need, and for the meta page
 *
 * Context: may sleep.
 */
void cpu_buffer_init_reader(struct cpu_buffer *cb)
{
	spin_lock_init(&cb->meta_lock);
	wakeup_init(&cb->wakeup, cpu_buffer_refresh, cpu_buffer_attract);

	mutex_lock(&cb->lock);
	cpu_buffer_init_meta(cb);
	mutex_unlock(&cb->lock);
}

/**
 * cpu_buffer_init_meta - start anew: all events are forgotten
 * @cb: its ring was made, rebuilt or reset
 *
 * Fills the meta page, and makes what a file still has of the old events stale.
 *
 * Context: may sleep; cb->lock is held, and no writer is inside.
 */
void cpu_buffer_init_meta(struct cpu_buffer *cb)
{
	struct tracemap_meta *meta = cb->meta;
	u32 size = ring_subbuf_size(&cb->ring);

	lockdep_assert_held(&cb->lock);
	WRITE_ONCE(cb->epoch, cb->epoch + 1);
	/* who waits now, of this CPU or of any? The first event will see */
	WRITE_ONCE(cb->ring.attention, true);

	WRITE_ONCE(meta->meta_page_size, size);
	WRITE_ONCE(meta->meta_struct_len, sizeof(*meta));
	WRITE_ONCE(meta->subbuf_size, size);
	WRITE_ONCE(meta->nr_subbufs, ring_nr_subbufs(&cb->ring));
	WRITE_ONCE(meta->flags, 0);
	cpu_buffer_update_meta(cb);
	cpu_buffer_update_reader(cb);
}

/**
 * cpu_buffer_update_meta - bring the counters in the meta page up to date
 * @cb: the ring
 *
 * Context: any but NMI.
 */
void cpu_buffer_update_meta(struct cpu_buffer *cb)
{
	struct tracemap_meta *meta = cb->meta;
	struct ring_stats stats;
	unsigned long flags;

	/* read and written together, so that no older figures come last */
	spin_lock_irqsave(&cb->meta_lock, flags);
	ring_counters(&cb->ring, &stats);
	WRITE_ONCE(meta->entries, stats.entries);
	WRITE_ONCE(meta->overrun, stats.overrun);
	WRITE_ONCE(meta->read, stats.read);
	WRITE_ONCE(meta->pages_lost, stats.subbufs_lost);
	WRITE_ONCE(meta->pages_touched, stats.subbufs_touched);
	WRITE_ONCE(meta->subbufs_read, stats.subbufs_read);
	WRITE_ONCE(meta->dropped_full, stats.dropped_full);
	WRITE_ONCE(meta->dropped_nested, stats.dropped_nested);
	WRITE_ONCE(meta->dropped_big, stats.dropped_big);
	WRITE_ONCE(meta->exchanges, stats.exchanges);
	spin_unlock_irqrestore(&cb->meta_lock, flags);

	/* for machines where user space sees memory through another cache line */
	flush_kernel_vmap_range(meta, sizeof(*meta));
}

/**
 * cpu_buffer_update_reader - tell in the meta page what the reader holds
 * @cb: the ring
 *
 * Context: may sleep; cb->lock is held.
 */
void cpu_buffer_update_reader(struct cpu_buffer *cb)
{
	struct tracemap_meta *meta = cb->meta;
	struct ring_reader *reader = &cb->ring.reader;

	lockdep_assert_held(&cb->lock);
	WRITE_ONCE(meta->reader.lost_events, reader->lost);
	WRITE_ONCE(meta->reader.id, reader->index);
	WRITE_ONCE(meta->reader.read, reader->read);
	flush_kernel_vmap_range(meta, sizeof(*meta));
}

/**
 * buffer_wake - free every sleeper of a buffer
 * @buffer: the buffer
 *
 * Context: may sleep.
 */
void buffer_wake(struct tracemap_buffer *buffer)
{
	struct cpu_buffer *cb;
	int cpu;

	for_each_possible_cpu(cpu) {
		cb = buffer_cpu(buffer, cpu);
		if (cb)
			wakeup_all(&cb->wakeup);
	}
	wakeup_all(&buffer->wakeup);
}

/**
 * buffer_attract - have the next event of any CPU wake those who wait for it
 * @wakeup: the buffer's
 *
 * Context: may sleep. A CPU that comes meanwhile is attentive from the start.
 */
void buffer_attract(struct wakeup *wakeup)
{
	struct tracemap_buffer *buffer = container_of(wakeup, struct tracemap_buffer, wakeup);
	struct cpu_buffer *cb;
	int cpu;

	for_each_possible_cpu(cpu) {
		cb = buffer_cpu(buffer, cpu);
		if (!cb)
			continue;
		/* not while the ring is replaced */
		mutex_lock(&cb->lock);
		cpu_buffer_attract(&cb->wakeup);
		mutex_unlock(&cb->lock);
	}
}

/**
 * cpu_buffer_begin - a call that reads or waits begins
 * @cb: the ring; its geometry stays as it is until cpu_buffer_end()
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENODEV if the buffer was removed.
 */
int cpu_buffer_begin(struct cpu_buffer *cb)
{
	int err = -ENODEV;

	mutex_lock(&cb->lock);
	if (!READ_ONCE(cb->buffer->removed)) {
		WRITE_ONCE(cb->readers, cb->readers + 1);
		err = 0;
	}
	mutex_unlock(&cb->lock);
	return err;
}

/**
 * cpu_buffer_end - it has ended
 * @cb: as given to cpu_buffer_begin()
 *
 * Context: may sleep.
 */
void cpu_buffer_end(struct cpu_buffer *cb)
{
	mutex_lock(&cb->lock);
	WRITE_ONCE(cb->readers, cb->readers - 1);
	mutex_unlock(&cb->lock);
}

/**
 * cpu_buffer_wait_any - sleep until there is something to read
 * @cb: the ring, between cpu_buffer_begin() and cpu_buffer_end()
 * @stop: says that the sleeper has to return in any case; must not sleep. When
 *	it becomes true wakeup_all() of cb->wakeup has to follow
 * @arg: for @stop
 *
 * Context: may sleep.
 *
 * Return: 0 when there is something or @stop said so, -ERESTARTSYS on a signal.
 */
int cpu_buffer_wait_any(struct cpu_buffer *cb, bool (*stop)(void *arg), void *arg)
{
	struct cpu_buffer_wait wait = { .cb = cb, .stop = stop, .arg = arg };

	return wakeup_wait_any(&cb->wakeup, cpu_buffer_any_or_stop, &wait);
}

/**
 * cpu_buffer_wait_full - sleep until the watermark is reached
 * @cb: as for cpu_buffer_wait_any()
 * @stop: as for cpu_buffer_wait_any(); has to say so when the watermark changes
 * @arg: for @stop
 *
 * Context: may sleep.
 *
 * Return: 0 when it is or @stop said so, -ERESTARTSYS on a signal.
 */
int cpu_buffer_wait_full(struct cpu_buffer *cb, bool (*stop)(void *arg), void *arg)
{
	struct cpu_buffer_wait wait = { .cb = cb, .stop = stop, .arg = arg };

	if (!READ_ONCE(cb->buffer->percent))
		return wakeup_wait_any(&cb->wakeup, cpu_buffer_any_or_stop, &wait);
	return wakeup_wait_full(&cb->wakeup, cpu_buffer_full_or_stop, &wait);
}

/**
 * cpu_buffer_poll - poll for the watermark of one CPU
 * @cb: the ring
 * @file: the file that is polled; it has a reference on the buffer
 * @table: of the poll
 *
 * Context: may sleep.
 *
 * Return: EPOLLIN | EPOLLRDNORM if it is reached, EPOLLERR | EPOLLHUP if the
 * buffer was removed, else 0.
 */
__poll_t cpu_buffer_poll(struct cpu_buffer *cb, struct file *file, poll_table *table)
{
	__poll_t events;

	if (cpu_buffer_begin(cb))
		return EPOLLERR | EPOLLHUP;
	if (READ_ONCE(cb->buffer->percent))
		events = wakeup_poll_full(&cb->wakeup, file, table, cpu_buffer_full, cb);
	else
		events = wakeup_poll_any(&cb->wakeup, file, table, cpu_buffer_any, cb);
	cpu_buffer_end(cb);
	return events;
}

/* its rings may be rebuilt meanwhile, so this one sleeps */
static bool buffer_any(void *arg)
{
	struct tracemap_buffer *buffer = arg;
	struct cpu_buffer *cb;
	bool any = false;
	int cpu;

	for_each_possible_cpu(cpu) {
		cb = buffer_cpu(buffer, cpu);
		if (!cb)
			continue;
		mutex_lock(&cb->lock);
		any = cpu_buffer_any(cb);
		mutex_unlock(&cb->lock);
		if (any)
			break;
	}
	return any;
}

/**
 * buffer_poll - poll for an event of any CPU
 * @buffer: the buffer
 * @file: the file that is polled; it has a reference on the buffer
 * @table: of the poll
 *
 * Context: may sleep.
 *
 * Return: EPOLLIN | EPOLLRDNORM if there is one, EPOLLERR | EPOLLHUP if the
 * buffer was removed, else 0.
 */
__poll_t buffer_poll(struct tracemap_buffer *buffer, struct file *file, poll_table *table)
{
	if (READ_ONCE(buffer->removed))
		return EPOLLERR | EPOLLHUP;
	return wakeup_poll_any(&buffer->wakeup, file, table, buffer_any, buffer);
}

/**
 * cpu_buffer_stats - all counters of a ring
 * @cb: the ring
 * @stats: filled
 *
 * Context: may sleep.
 */
void cpu_buffer_stats(struct cpu_buffer *cb, struct ring_stats *stats)
{
	mutex_lock(&cb->lock);
	ring_stats(&cb->ring, stats);
	mutex_unlock(&cb->lock);
}
