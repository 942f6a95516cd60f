// SPDX-License-Identifier: GPL-2.0
/*
 * A buffer: one ring for each CPU that was ever online, and the settings they
 * share. Writers come in here; what readers need is in cpu_buffer.c.
 */

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "buffer.h"
#include "geometry.h"
#include "ring_fast.h"

static int buffer_cpuhp_state;

static struct cpu_buffer *cpu_buffer_alloc(struct tracemap_buffer *buffer, int cpu)
{
	struct cpu_buffer *cb;
	int err;

	cb = kzalloc_node(sizeof(*cb), GFP_KERNEL, cpu_to_node(cpu));
	if (!cb)
		return ERR_PTR(-ENOMEM);

	cb->buffer = buffer;
	cb->cpu = cpu;
	cb->size = buffer->size;
	mutex_init(&cb->lock);
	err = geometry_build(cb, buffer->order, cb->size, &cb->ring, &cb->meta);
	if (err) {
		kfree(cb);
		return ERR_PTR(err);
	}
	cpu_buffer_init_reader(cb);
	return cb;
}

static void cpu_buffer_free(struct cpu_buffer *cb)
{
	wakeup_destroy(&cb->wakeup);
	geometry_free(&cb->ring, cb->meta);
	mutex_destroy(&cb->lock);
	kfree(cb);
}

/* No writer comes in; some may be inside. */
static void buffer_refuse(struct tracemap_buffer *buffer)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(*per_cpu_ptr(buffer->writer, cpu), &ring_closed);
}

static void buffer_open_cpu(struct tracemap_buffer *buffer, int cpu)
{
	if (!buffer->recording || buffer->removed)
		return;
	/* pairs with the read in tracemap_reserve(), by dependency */
	smp_store_release(per_cpu_ptr(buffer->writer, cpu), &buffer->cpu[cpu]->ring);
}

/* A CPU comes for the first time: it gets a ring. One that left keeps its own. */
static int buffer_cpu_prepare(unsigned int cpu, struct hlist_node *node)
{
	struct tracemap_buffer *buffer =
		hlist_entry(node, struct tracemap_buffer, hotplug);
	struct cpu_buffer *cb;
	int err = 0;

	mutex_lock(&buffer->lock);
	if (buffer->cpu[cpu])
		goto unlock;
	cb = cpu_buffer_alloc(buffer, cpu);
	if (IS_ERR(cb)) {
		err = PTR_ERR(cb);
		goto unlock;
	}
	/* pairs with the read in buffer_cpu() */
	smp_store_release(&buffer->cpu[cpu], cb);
	buffer_open_cpu(buffer, cpu);
unlock:
	mutex_unlock(&buffer->lock);
	return err;
}

/**
 * buffer_init - be told of CPUs that come
 *
 * Context: module init; may sleep.
 *
 * Return: 0 or a negative errno.
 */
int buffer_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_BP_PREPARE_DYN, "tracemap:prepare",
					    buffer_cpu_prepare, NULL);

	if (state < 0)
		return state;
	buffer_cpuhp_state = state;
	return 0;
}

/**
 * buffer_exit - undo buffer_init(), when all buffers are gone
 *
 * Context: module exit; may sleep.
 */
void buffer_exit(void)
{
	cpuhp_remove_multi_state(buffer_cpuhp_state);
	/* wakeup.c's callbacks may still be on their last instructions */
	rcu_barrier();
}

/**
 * buffer_open - let writers in, if recording is on
 * @buffer: a buffer
 *
 * Context: buffer->lock is held.
 */
void buffer_open(struct tracemap_buffer *buffer)
{
	int cpu;

	lockdep_assert_held(&buffer->lock);
	for_each_possible_cpu(cpu) {
		if (buffer->cpu[cpu])
			buffer_open_cpu(buffer, cpu);
	}
}

/**
 * buffer_close - keep writers out, and wait for those inside
 * @buffer: a buffer
 *
 * They run with preemption disabled, so a grace period is enough.
 *
 * Context: buffer->lock is held; sleeps.
 */
void buffer_close(struct tracemap_buffer *buffer)
{
	lockdep_assert_held(&buffer->lock);
	buffer_refuse(buffer);
	synchronize_rcu();
}

static void buffer_free(struct tracemap_buffer *buffer)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (buffer->cpu[cpu])
			cpu_buffer_free(buffer->cpu[cpu]);
	}
	wakeup_destroy(&buffer->wakeup);
	mutex_destroy(&buffer->lock);
	free_percpu(buffer->writer);
	kfree(buffer);
}

/**
 * buffer_alloc - make a buffer
 * @size: bytes of events a CPU is to hold
 * @order: log2 of the pages of a sub-buffer
 * @mode: what a full ring does
 *
 * It starts with the first clock and with recording on, as a new instance of
 * tracefs does.
 *
 * Context: may sleep.
 *
 * Return: the buffer, with one reference; ERR_PTR(-EINVAL) for a geometry that
 * cannot be, ERR_PTR(-ENOMEM).
 */
struct tracemap_buffer *buffer_alloc(unsigned long size, unsigned int order,
				     enum tracemap_mode mode)
{
	struct tracemap_buffer *buffer;
	int err;

	err = geometry_check(size, order, num_online_cpus());
	if (err)
		return ERR_PTR(err);

	buffer = kzalloc(struct_size(buffer, cpu, nr_cpu_ids), GFP_KERNEL);
	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->writer = alloc_percpu(struct ring *);
	if (!buffer->writer) {
		kfree(buffer);
		return ERR_PTR(-ENOMEM);
	}
	buffer_refuse(buffer);

	kref_init(&buffer->ref);
	mutex_init(&buffer->lock);
	buffer->mode = mode;
	buffer->clock = &tracemap_clocks[0];
	buffer->order = order;
	buffer->size = size;
	buffer->percent = BUFFER_DEFAULT_PERCENT;
	buffer->recording = true;
	wakeup_init(&buffer->wakeup, NULL, buffer_attract);

	err = cpuhp_state_add_instance(buffer_cpuhp_state, &buffer->hotplug);
	if (err) {
		buffer_free(buffer);
		return ERR_PTR(err);
	}

	mutex_lock(&buffer->lock);
	buffer_open(buffer);
	mutex_unlock(&buffer->lock);
	return buffer;
}

static void buffer_release(struct kref *ref)
{
	buffer_free(container_of(ref, struct tracemap_buffer, ref));
}

/**
 * buffer_get - take a reference
 * @buffer: a buffer
 *
 * Context: any.
 *
 * Return: @buffer.
 */
struct tracemap_buffer *buffer_get(struct tracemap_buffer *buffer)
{
	kref_get(&buffer->ref);
	return buffer;
}

/**
 * buffer_put - drop a reference; the last one frees the buffer
 * @buffer: a buffer, which buffer_remove() came over before the last reference
 *
 * Context: may sleep.
 */
void buffer_put(struct tracemap_buffer *buffer)
{
	kref_put(&buffer->ref, buffer_release);
}

/**
 * buffer_remove - end a buffer's life
 * @buffer: a buffer
 *
 * No writer comes in any more, every sleeper returns. Its memory stays until
 * the last reference is dropped: open files and mappings have theirs.
 *
 * Context: may sleep.
 */
void buffer_remove(struct tracemap_buffer *buffer)
{
	cpuhp_state_remove_instance_nocalls(buffer_cpuhp_state, &buffer->hotplug);

	mutex_lock(&buffer->lock);
	WRITE_ONCE(buffer->removed, true);
	buffer_close(buffer);
	mutex_unlock(&buffer->lock);

	buffer_wake(buffer);
}

/**
 * buffer_cpu - the ring of a CPU
 * @buffer: a buffer
 * @cpu: a possible CPU
 *
 * Context: any.
 *
 * Return: the cpu_buffer, or NULL if no such CPU was ever online.
 */
struct cpu_buffer *buffer_cpu(struct tracemap_buffer *buffer, int cpu)
{
	/* pairs with the release in buffer_cpu_prepare() */
	return smp_load_acquire(&buffer->cpu[cpu]);
}

/**
 * buffer_on - let writers record
 * @buffer: a buffer
 *
 * Context: may sleep.
 */
void buffer_on(struct tracemap_buffer *buffer)
{
	mutex_lock(&buffer->lock);
	WRITE_ONCE(buffer->recording, true);
	buffer_open(buffer);
	mutex_unlock(&buffer->lock);
}

/**
 * buffer_off - stop recording
 * @buffer: a buffer
 *
 * When it returns every writer has left: what was reserved is committed.
 * Sleepers return, with what there is.
 *
 * Context: may sleep.
 */
void buffer_off(struct tracemap_buffer *buffer)
{
	mutex_lock(&buffer->lock);
	WRITE_ONCE(buffer->recording, false);
	buffer_close(buffer);
	mutex_unlock(&buffer->lock);
	buffer_wake(buffer);
}

static void cpu_buffer_reset(struct cpu_buffer *cb)
{
	mutex_lock(&cb->lock);
	/* a mapping goes on showing the sub-buffer it is at */
	if (!cb->mapped)
		cb->ring.reader.index = 0;
	ring_reset(&cb->ring);
	cpu_buffer_init_meta(cb);
	mutex_unlock(&cb->lock);
}

/* all rings, with writers kept out by the caller */
static void buffer_reset_rings(struct tracemap_buffer *buffer)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (buffer->cpu[cpu])
			cpu_buffer_reset(buffer->cpu[cpu]);
	}
}

/**
 * buffer_reset - forget all events and counters of every CPU
 * @buffer: a buffer
 *
 * Sleepers return.
 *
 * Context: may sleep.
 */
void buffer_reset(struct tracemap_buffer *buffer)
{
	mutex_lock(&buffer->lock);
	buffer_close(buffer);
	buffer_reset_rings(buffer);
	buffer_open(buffer);
	mutex_unlock(&buffer->lock);
	buffer_wake(buffer);
}

/**
 * buffer_set_mode - overwrite or producer-consumer
 * @buffer: a buffer
 * @mode: what a full ring does from now on
 *
 * Context: may sleep.
 */
void buffer_set_mode(struct tracemap_buffer *buffer, enum tracemap_mode mode)
{
	int cpu;

	mutex_lock(&buffer->lock);
	WRITE_ONCE(buffer->mode, mode);
	for_each_possible_cpu(cpu) {
		if (buffer->cpu[cpu])
			WRITE_ONCE(buffer->cpu[cpu]->ring.overwrite,
				   mode == TRACEMAP_OVERWRITE);
	}
	mutex_unlock(&buffer->lock);
}

/**
 * buffer_set_clock - the clock of the events to come
 * @buffer: a buffer
 * @clock: one of tracemap_clocks
 *
 * Forgets all events: theirs is another time.
 *
 * Context: may sleep.
 */
void buffer_set_clock(struct tracemap_buffer *buffer,
		      const struct tracemap_clock *clock)
{
	int cpu;

	mutex_lock(&buffer->lock);
	buffer_close(buffer);
	WRITE_ONCE(buffer->clock, clock);
	for_each_possible_cpu(cpu) {
		if (buffer->cpu[cpu])
			buffer->cpu[cpu]->ring.clock = clock->read;
	}
	buffer_reset_rings(buffer);
	buffer_open(buffer);
	mutex_unlock(&buffer->lock);
	buffer_wake(buffer);
}

/**
 * buffer_set_percent - the watermark
 * @buffer: a buffer
 * @percent: how full a ring is when those who wait for that are woken; 0 means
 *	any event
 *
 * Context: may sleep.
 *
 * Return: 0, or -EINVAL above 100.
 */
int buffer_set_percent(struct tracemap_buffer *buffer, unsigned long percent)
{
	if (percent > 100)
		return -EINVAL;
	WRITE_ONCE(buffer->percent, percent);
	/* whoever sleeps now looks again, with the new one */
	buffer_wake(buffer);
	return 0;
}

static noinline notrace void *tracemap_reserve_slow(struct tracemap_handle *handle)
{
	void *payload = ring_reserve_slow(handle);

	if (!payload)
		preempt_enable_notrace();
	return payload;
}

/**
 * tracemap_reserve - reserve room for an event in the ring of this CPU
 * @buffer: a buffer
 * @handle: filled for tracemap_commit() or tracemap_discard()
 * @length: bytes of payload
 *
 * One of tracemap_commit() and tracemap_discard() must follow, on the same CPU;
 * until then preemption is disabled. An interrupt may reserve, and must end its
 * own event, in between.
 *
 * Context: any, NMI too. Takes no lock, never waits.
 *
 * Return: where the payload goes, aligned to 4 bytes; NULL, with preemption as
 * it was and nothing to end, if recording is off or the event was dropped.
 */
notrace void *tracemap_reserve(struct tracemap_buffer *buffer,
			       struct tracemap_handle *handle, size_t length)
{
	void *payload;

	preempt_disable_notrace();
	/* pairs with the release in buffer_open_cpu(), by dependency */
	payload = ring_reserve(raw_cpu_read(*buffer->writer), handle, length);
	if (unlikely(!payload))
		return tracemap_reserve_slow(handle);
	return payload;
}
EXPORT_SYMBOL_GPL(tracemap_reserve);

static notrace void cpu_buffer_published(struct ring *ring)
{
	if (READ_ONCE(ring->attention))
		cpu_buffer_attend(container_of(ring, struct cpu_buffer, ring));
}

static noinline notrace void tracemap_commit_slow(struct tracemap_handle *handle)
{
	ring_commit_slow(handle);
	cpu_buffer_published(handle->ring);
	preempt_enable_notrace();
}

/**
 * tracemap_commit - an event is complete
 * @handle: from tracemap_reserve()
 *
 * Context: as tracemap_reserve(). Wakes sleepers by irq_work.
 */
notrace void tracemap_commit(struct tracemap_handle *handle)
{
	struct ring *ring = handle->ring;

	if (likely(ring_publishes(ring, handle)) && unlikely(!ring_commit(ring, handle))) {
		tracemap_commit_slow(handle);
		return;
	}
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(tracemap_commit);

/**
 * tracemap_discard - take a reserved event back
 * @handle: from tracemap_reserve()
 *
 * Context: as tracemap_reserve().
 */
notrace void tracemap_discard(struct tracemap_handle *handle)
{
	/* not the event, but what interrupts wrote meanwhile */
	if (ring_discard(handle))
		cpu_buffer_published(handle->ring);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(tracemap_discard);

/**
 * tracemap_write - write an event whose payload is at hand
 * @buffer: a buffer
 * @payload: what to write; kernel memory
 * @length: bytes of it
 *
 * Context: as tracemap_reserve().
 *
 * Return: 0; -EBUSY if recording is off or the event was dropped.
 */
notrace int tracemap_write(struct tracemap_buffer *buffer, const void *payload, size_t length)
{
	struct tracemap_handle handle;
	void *to = tracemap_reserve(buffer, &handle, length);

	if (!to)
		return -EBUSY;
	memcpy(to, payload, length);
	tracemap_commit(&handle);
	return 0;
}
EXPORT_SYMBOL_GPL(tracemap_write);
