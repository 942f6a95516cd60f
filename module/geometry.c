// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the rings: how many sub-buffers of which size, made whole
 * before anything changes and put in place all at once.
 */

#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "buffer.h"
#include "geometry.h"

/**
 * struct ring_memory - what one geometry of a cpu_buffer needs
 * @pages:	the sub-buffers
 * @nr_subbufs:	how many
 * @order:	log2 of the pages of each
 * @meta:	the meta page, as large as a sub-buffer
 */
struct ring_memory {
	struct subbuf_page	**pages;
	u32			nr_subbufs;
	unsigned int		order;
	struct tracemap_meta	*meta;
};

static void *subbuf_alloc(int node, unsigned int order)
{
	/* compound: every page of it can be mapped and counted on its own */
	struct page *page = alloc_pages_node(node, GFP_KERNEL | __GFP_ZERO | __GFP_COMP |
					     __GFP_RETRY_MAYFAIL | __GFP_NOWARN, order);

	return page ? page_address(page) : NULL;
}

static void ring_memory_free(struct ring_memory *memory)
{
	u32 i;

	for (i = 0; i < memory->nr_subbufs && memory->pages; i++) {
		free_pages((unsigned long)memory->pages[i], memory->order);
		cond_resched();
	}
	kvfree(memory->pages);
	free_pages((unsigned long)memory->meta, memory->order);
}

static int ring_memory_alloc(struct ring_memory *memory, int node, unsigned int order,
			     u32 nr_subbufs)
{
	u32 i;

	memory->nr_subbufs = nr_subbufs;
	memory->order = order;
	memory->meta = subbuf_alloc(node, order);
	memory->pages = kvcalloc(nr_subbufs, sizeof(*memory->pages), GFP_KERNEL);
	if (!memory->meta || !memory->pages)
		goto nomem;

	for (i = 0; i < nr_subbufs; i++) {
		memory->pages[i] = subbuf_alloc(node, order);
		if (!memory->pages[i] || fatal_signal_pending(current))
			goto nomem;
		cond_resched();
	}
	return 0;

nomem:
	ring_memory_free(memory);
	return -ENOMEM;
}

/* the spare and the meta page come on top of the slots */
static u64 geometry_pages(unsigned long size, unsigned int order)
{
	return (ring_slots_for(size, PAGE_SHIFT + order) + 2) << order;
}

/* Would it fit at all? Asked first: the page allocator would try to the last. */
static int memory_available(u64 pages)
{
	return pages > (u64)max(si_mem_available(), 0L) ? -ENOMEM : 0;
}

static int geometry_possible(unsigned long size, unsigned int order)
{
	if (order > BUFFER_MAX_ORDER || !size)
		return -EINVAL;
	return ring_slots_for(size, PAGE_SHIFT + order) > ring_max_slots() ? -EINVAL : 0;
}

/**
 * geometry_check - can rings of such a size be had at all?
 * @size: bytes of events that each is to hold
 * @order: log2 of the pages of a sub-buffer
 * @cpus: how many rings
 *
 * Context: any.
 *
 * Return: 0; -EINVAL if the slot word cannot name so many sub-buffers, -ENOMEM
 * if the machine does not have that much memory to spare.
 */
int geometry_check(unsigned long size, unsigned int order, unsigned int cpus)
{
	int err = geometry_possible(size, order);

	return err ? err : memory_available(geometry_pages(size, order) * cpus);
}

/**
 * geometry_build - a ring for a CPU, not yet in place
 * @cb: whose ring it will be; its buffer's clock and mode are used
 * @order: log2 of the pages of a sub-buffer
 * @size: bytes of events it is to hold
 * @ring: filled
 * @meta: filled: zeroed memory for its meta page
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENOMEM.
 */
int geometry_build(struct cpu_buffer *cb, unsigned int order, unsigned long size,
		   struct ring *ring, struct tracemap_meta **meta)
{
	u32 slots = ring_slots_for(size, PAGE_SHIFT + order);
	struct tracemap_buffer *buffer = cb->buffer;
	struct ring_memory memory;
	int err;

	err = ring_memory_alloc(&memory, cpu_to_node(cb->cpu), order, slots + 1);
	if (err)
		return err;

	memset(ring, 0, sizeof(*ring));
	ring->clock = buffer->clock->read;
	ring->overwrite = buffer->mode == TRACEMAP_OVERWRITE;
	err = ring_init(ring, PAGE_SHIFT + order, slots, memory.pages);
	if (err) {
		ring_memory_free(&memory);
		return err;
	}
	kvfree(memory.pages);
	*meta = memory.meta;
	return 0;
}

/**
 * geometry_free - undo geometry_build()
 * @ring: the ring
 * @meta: its meta page
 *
 * Pages that are still mapped live on until they are not.
 *
 * Context: may sleep.
 */
void geometry_free(struct ring *ring, struct tracemap_meta *meta)
{
	unsigned int order = ring->shift - PAGE_SHIFT;
	u32 i;

	for (i = 0; i < ring_nr_subbufs(ring); i++) {
		free_pages((unsigned long)ring->subbufs[i].page, order);
		cond_resched();
	}
	free_pages((unsigned long)meta, order);
	ring_destroy(ring);
}

/**
 * struct rebuild - the ring that is to replace a CPU's
 * @size:	bytes it is to hold; 0 for a CPU whose ring stays
 * @ring:	the new ring, and afterwards the old one
 * @meta:	its meta page
 */
struct rebuild {
	unsigned long		size;
	struct ring		ring;
	struct tracemap_meta	*meta;
};

static int rebuild_next(const struct rebuild *plan, int cpu)
{
	do {
		cpu++;
	} while (cpu < nr_cpu_ids && !plan[cpu].size);
	return cpu;
}

#define for_each_rebuild(plan, cpu)		\
	for ((cpu) = rebuild_next(plan, -1); (cpu) < nr_cpu_ids;	\
	     (cpu) = rebuild_next(plan, cpu))

static void rebuild_free(struct rebuild *plan)
{
	int cpu;

	for_each_rebuild(plan, cpu) {
		if (plan[cpu].meta)
			geometry_free(&plan[cpu].ring, plan[cpu].meta);
	}
}

/* Everything that can fail for want of memory, with nothing changed yet. */
static int rebuild_prepare(struct tracemap_buffer *buffer, struct rebuild *plan,
			   unsigned int order)
{
	u64 pages = 0;
	int cpu, err;

	for_each_rebuild(plan, cpu) {
		err = geometry_possible(plan[cpu].size, order);
		if (err)
			return err;
		pages += geometry_pages(plan[cpu].size, order);
	}
	err = memory_available(pages);
	if (err)
		return err;

	for_each_rebuild(plan, cpu) {
		err = geometry_build(buffer->cpu[cpu], order, plan[cpu].size,
				     &plan[cpu].ring, &plan[cpu].meta);
		if (err) {
			rebuild_free(plan);
			return err;
		}
	}
	return 0;
}

/*
 * A mapping, or a reader at work, keeps the geometry as it is. Asked twice: without
 * the rings' locks to be quick, with them to be sure.
 */
static bool rebuild_busy(struct tracemap_buffer *buffer, struct rebuild *plan)
{
	int cpu;

	for_each_rebuild(plan, cpu) {
		if (READ_ONCE(buffer->cpu[cpu]->mapped) || READ_ONCE(buffer->cpu[cpu]->readers))
			return true;
	}
	return false;
}

static void rebuild_swap(struct tracemap_buffer *buffer, struct rebuild *plan)
{
	int cpu;

	buffer_close(buffer);
	for_each_rebuild(plan, cpu) {
		struct cpu_buffer *cb = buffer->cpu[cpu];

		/* the last that may still look at the old meta page */
		irq_work_sync(&cb->wakeup.work);
		if (cb->ring.shift == plan[cpu].ring.shift)
			ring_move(&plan[cpu].ring, &cb->ring);
		swap(cb->ring, plan[cpu].ring);
		swap(cb->meta, plan[cpu].meta);
		cb->size = plan[cpu].size;
		cpu_buffer_init_meta(cb);
	}
	buffer_open(buffer);
}

/*
 * Replace the rings of all CPUs in the plan, or none. Events move to the new
 * rings, unless their sub-buffers are of another size.
 */
static int buffer_rebuild(struct tracemap_buffer *buffer, struct rebuild *plan,
			  unsigned int order)
{
	int cpu, err;

	lockdep_assert_held(&buffer->lock);
	if (rebuild_busy(buffer, plan))
		return -EBUSY;
	err = rebuild_prepare(buffer, plan, order);
	if (err)
		return err;

	for_each_rebuild(plan, cpu)
		mutex_lock_nest_lock(&buffer->cpu[cpu]->lock, &buffer->lock);
	if (rebuild_busy(buffer, plan))
		err = -EBUSY;
	else
		rebuild_swap(buffer, plan);
	for_each_rebuild(plan, cpu)
		mutex_unlock(&buffer->cpu[cpu]->lock);

	rebuild_free(plan);
	return err;
}

static struct rebuild *rebuild_plan(void)
{
	return kvcalloc(nr_cpu_ids, sizeof(struct rebuild), GFP_KERNEL);
}

/**
 * buffer_set_order - another size of sub-buffers, for all CPUs
 * @buffer: a buffer
 * @order: log2 of their pages
 *
 * Forgets all events. If it fails, nothing has changed.
 *
 * Context: may sleep.
 *
 * Return: 0; -EINVAL for more than BUFFER_MAX_ORDER or fewer than two slots,
 * -EBUSY while a ring is mapped or being read, -ENOMEM.
 */
int buffer_set_order(struct tracemap_buffer *buffer, unsigned int order)
{
	struct rebuild *plan;
	int cpu, err = 0;

	if (order > BUFFER_MAX_ORDER)
		return -EINVAL;
	plan = rebuild_plan();
	if (!plan)
		return -ENOMEM;

	mutex_lock(&buffer->lock);
	if (order == buffer->order)
		goto unlock;
	for_each_possible_cpu(cpu) {
		if (buffer->cpu[cpu])
			plan[cpu].size = buffer->cpu[cpu]->size;
	}
	err = buffer_rebuild(buffer, plan, order);
	if (!err)
		WRITE_ONCE(buffer->order, order);
unlock:
	mutex_unlock(&buffer->lock);
	kvfree(plan);
	if (!err)
		buffer_wake(buffer);
	return err;
}

static int buffer_resize_cpus(struct tracemap_buffer *buffer,
			      const struct cpumask *cpus, unsigned long size)
{
	struct rebuild *plan = rebuild_plan();
	int cpu, err;

	lockdep_assert_held(&buffer->lock);
	if (!plan)
		return -ENOMEM;
	for_each_cpu(cpu, cpus) {
		if (buffer->cpu[cpu] && buffer->cpu[cpu]->size != size)
			plan[cpu].size = size;
	}
	err = buffer_rebuild(buffer, plan, buffer->order);
	kvfree(plan);
	return err;
}

/**
 * buffer_resize - another size of the rings of all CPUs
 * @buffer: a buffer
 * @size: bytes of events that each is to hold
 *
 * Unread events stay; in a ring that shrinks the oldest may count as overrun.
 * If it fails, nothing has changed.
 *
 * Context: may sleep.
 *
 * Return: 0; -EINVAL for a size that cannot be, -EBUSY while a ring is mapped
 * or being read, -ENOMEM.
 */
int buffer_resize(struct tracemap_buffer *buffer, unsigned long size)
{
	int err;

	mutex_lock(&buffer->lock);
	err = geometry_possible(size, buffer->order);
	if (!err)
		err = buffer_resize_cpus(buffer, cpu_possible_mask, size);
	if (!err)
		buffer->size = size;
	mutex_unlock(&buffer->lock);
	return err;
}

/**
 * buffer_resize_cpu - another size of the ring of one CPU
 * @buffer: a buffer
 * @cpu: whose ring
 * @size: bytes of events that it is to hold
 *
 * Context: may sleep.
 *
 * Return: as buffer_resize(); -ENODEV if no such CPU was ever online.
 */
int buffer_resize_cpu(struct tracemap_buffer *buffer, int cpu, unsigned long size)
{
	int err;

	if (!buffer_cpu(buffer, cpu))
		return -ENODEV;
	mutex_lock(&buffer->lock);
	err = geometry_possible(size, buffer->order);
	if (!err)
		err = buffer_resize_cpus(buffer, cpumask_of(cpu), size);
	mutex_unlock(&buffer->lock);
	return err;
}
