/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A buffer: one ring for each CPU plus the settings they share.
 */
#ifndef _TRACEMAP_BUFFER_H
#define _TRACEMAP_BUFFER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/tracemap_buffer.h>
#include <linux/tracemap.h>

#include "clock.h"
#include "ring.h"
#include "wakeup.h"

#define BUFFER_DEFAULT_SIZE	1441792UL	/* bytes a CPU: 1408 KiB, as tracefs */
#define BUFFER_DEFAULT_PERCENT	50		/* as tracefs */
#define BUFFER_MAX_ORDER	7		/* 512 KiB with pages of 4 KiB */

/**
 * struct cpu_buffer - the ring of one CPU and those who read it
 * @ring:	the ring
 * @buffer:	the buffer it belongs to
 * @cpu:	whose ring it is
 * @size:	bytes of events it was asked to hold
 * @lock:	one reader at a time; taken inside buffer->lock
 * @wakeup:	sleepers of this ring
 * @meta:	the meta page: as large as a sub-buffer and made with the ring, so
 *		that mapping cannot fail for want of it
 * @mapped:	live mappings of it; under @lock
 * @readers:	calls that read or wait for this ring now: they and mappings
 *		keep its geometry as it is; under @lock
 * @epoch:	grows when all events are forgotten: what was read before is stale
 * @meta_lock:	of the counters in @meta, which are set from irq_work, too
 */
struct cpu_buffer {
	struct ring			ring;
	struct tracemap_buffer		*buffer;
	int				cpu;
	unsigned long			size;
	struct mutex			lock;	/* one reader at a time */
	struct wakeup			wakeup;
	struct tracemap_meta		*meta;
	unsigned int			mapped;
	unsigned int			readers;
	unsigned int			epoch;
	spinlock_t			meta_lock;	/* the meta page's counters */
};

/**
 * struct tracemap_buffer - a buffer
 * @ref:	the instance, every open file
 * @lock:	settings and geometry
 * @recording:	what user space wants, tracing_on
 * @writer:	the ring that writers find on their CPU: ring_closed while they may
 *		not record, or something is being rebuilt
 * @removed:	its instance is gone: nobody may wait any more
 * @mode:	overwrite or producer-consumer
 * @clock:	the trace clock
 * @order:	log2 of a sub-buffer's pages
 * @size:	bytes a CPU that a ring made later gets
 * @percent:	the watermark, buffer_percent
 * @wakeup:	those who wait for an event of any CPU
 * @hotplug:	in the cpuhp state's list
 * @cpu:	by CPU number; NULL until that CPU was online once
 */
struct tracemap_buffer {
	struct kref			ref;
	struct mutex			lock;	/* settings and geometry */
	bool				recording;
	struct ring * __percpu		*writer;
	bool				removed;
	enum tracemap_mode		mode;
	const struct tracemap_clock	*clock;
	unsigned int			order;
	unsigned long			size;
	unsigned int			percent;
	struct wakeup			wakeup;
	struct hlist_node		hotplug;
	struct cpu_buffer		*cpu[];
};

int buffer_init(void);		/* once, by main.c: the cpuhp state */
void buffer_exit(void);

struct tracemap_buffer *buffer_alloc(unsigned long size, unsigned int order,
				     enum tracemap_mode mode);
void buffer_remove(struct tracemap_buffer *buffer);
struct tracemap_buffer *buffer_get(struct tracemap_buffer *buffer);
void buffer_put(struct tracemap_buffer *buffer);

struct cpu_buffer *buffer_cpu(struct tracemap_buffer *buffer, int cpu);

void buffer_on(struct tracemap_buffer *buffer);
void buffer_off(struct tracemap_buffer *buffer);
void buffer_reset(struct tracemap_buffer *buffer);
void buffer_set_mode(struct tracemap_buffer *buffer, enum tracemap_mode mode);
void buffer_set_clock(struct tracemap_buffer *buffer,
		      const struct tracemap_clock *clock);
int buffer_set_order(struct tracemap_buffer *buffer, unsigned int order);
int buffer_set_percent(struct tracemap_buffer *buffer, unsigned long percent);
int buffer_resize(struct tracemap_buffer *buffer, unsigned long size);
int buffer_resize_cpu(struct tracemap_buffer *buffer, int cpu, unsigned long size);

/* cpu_buffer.c: the reader's side, for map.c, pipe.c and control.c */
void cpu_buffer_init_reader(struct cpu_buffer *cb);
void cpu_buffer_init_meta(struct cpu_buffer *cb);
void cpu_buffer_attend(struct cpu_buffer *cb);
void buffer_wake(struct tracemap_buffer *buffer);
void buffer_attract(struct wakeup *wakeup);
int cpu_buffer_begin(struct cpu_buffer *cb);
void cpu_buffer_end(struct cpu_buffer *cb);
int cpu_buffer_wait_any(struct cpu_buffer *cb, bool (*stop)(void *arg), void *arg);
int cpu_buffer_wait_full(struct cpu_buffer *cb, bool (*stop)(void *arg), void *arg);
__poll_t cpu_buffer_poll(struct cpu_buffer *cb, struct file *file, poll_table *table);
__poll_t buffer_poll(struct tracemap_buffer *buffer, struct file *file, poll_table *table);
void cpu_buffer_update_meta(struct cpu_buffer *cb);
void cpu_buffer_update_reader(struct cpu_buffer *cb);
void cpu_buffer_stats(struct cpu_buffer *cb, struct ring_stats *stats);

#endif /* _TRACEMAP_BUFFER_H */
