// SPDX-License-Identifier: GPL-2.0
/*
 * The control files of each CPU, those of CPUs that have not come yet included.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/time64.h>

#include "buffer.h"
#include "control.h"
#include "fs.h"
#include "instance.h"
#include "pipe.h"

/* Here control->index is the CPU's number. */

static void show_time(struct seq_file *m, const char *what, u64 time,
		      const struct tracemap_clock *clock)
{
	u64 seconds;
	u32 us;

	if (!clock->in_ns) {
		seq_printf(m, "%s: %llu\n", what, time);
		return;
	}
	seconds = div_u64_rem(div_u64(time + NSEC_PER_USEC / 2, NSEC_PER_USEC),
			      USEC_PER_SEC, &us);
	seq_printf(m, "%s: %5llu.%06u\n", what, seconds, us);
}

/* First tracefs's lines, then tracemap's own. */
static int stats_show(struct seq_file *m, const struct control *control)
{
	struct tracemap_buffer *buffer = control->instance->buffer;
	const struct tracemap_clock *clock = READ_ONCE(buffer->clock);
	struct cpu_buffer *cb = buffer_cpu(buffer, control->index);
	struct ring_stats stats = {};

	if (cb)
		cpu_buffer_stats(cb, &stats);

	seq_printf(m, "entries: %llu\n", stats.unread);
	seq_printf(m, "overrun: %llu\n", stats.overrun);
	seq_printf(m, "commit overrun: %llu\n", stats.dropped_nested);
	seq_printf(m, "bytes: %llu\n", stats.bytes);
	show_time(m, "oldest event ts", stats.oldest, clock);
	show_time(m, "now ts", clock->read(), clock);
	seq_printf(m, "dropped events: %llu\n", stats.dropped_full);
	seq_printf(m, "read events: %llu\n", stats.read);

	seq_printf(m, "dropped big: %llu\n", stats.dropped_big);
	seq_printf(m, "reserved: %llu\n", stats.reserved);
	seq_printf(m, "written: %llu\n", stats.entries);
	seq_printf(m, "exchanges: %llu\n", stats.exchanges);
	seq_printf(m, "sub-buffers read: %llu\n", stats.subbufs_read);
	seq_printf(m, "sub-buffers touched: %llu\n", stats.subbufs_touched);
	seq_printf(m, "sub-buffers lost: %llu\n", stats.subbufs_lost);
	return 0;
}

/* A CPU that has not come yet will get the buffer's size. */
static int cpu_buffer_size_show(struct seq_file *m, const struct control *control)
{
	struct tracemap_buffer *buffer = control->instance->buffer;
	const struct cpu_buffer *cb;
	unsigned long size;

	mutex_lock(&buffer->lock);
	cb = buffer_cpu(buffer, control->index);
	size = cb ? cb->size : buffer->size;
	mutex_unlock(&buffer->lock);
	seq_printf(m, "%lu\n", size >> 10);
	return 0;
}

static int cpu_buffer_size_store(const struct control *control, char *text)
{
	unsigned long size;
	int err;

	err = control_parse_size(text, &size);
	if (err)
		return err;
	return buffer_resize_cpu(control->instance->buffer, control->index, size);
}

/* The file becomes pipe.c's, which holds the buffer; it needs nothing of the instance. */
static int trace_pipe_raw_open(struct inode *inode, struct file *file)
{
	const struct fs_entry *entry = fs_entry(inode);
	const struct instance *instance = entry->owner;
	const struct file_operations *fops = &pipe_fops;

	replace_fops(file, fops_get(fops));
	return pipe_open(instance->buffer, entry->index, file);
}

static const struct file_operations trace_pipe_raw_fops = {
	.owner	= THIS_MODULE,
	.open	= trace_pipe_raw_open,
};

static const struct control_file cpu_files[] = {
	{
		.name	= "trace_pipe_raw",
		.mode	= CONTROL_RO,
		.fops	= &trace_pipe_raw_fops,
	}, {
		.name	= "stats",
		.mode	= CONTROL_RO,
		.show	= stats_show,
	}, {
		.name	= "buffer_size_kb",
		.mode	= CONTROL_RW,
		.show	= cpu_buffer_size_show,
		.store	= cpu_buffer_size_store,
	},
};

static int create_cpu(struct instance *instance, struct dentry *parent, unsigned int cpu)
{
	struct dentry *dir;
	char name[16];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	dir = fs_create_dir(name, parent);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return control_create_table(instance, dir, cpu, cpu_files, ARRAY_SIZE(cpu_files));
}

/**
 * control_create_cpus - make per_cpu/
 * @instance: the instance
 *
 * Context: may sleep; takes inode locks.
 *
 * Return: 0 or an error.
 */
int control_create_cpus(struct instance *instance)
{
	struct dentry *dir;
	int cpu;
	int err;

	dir = fs_create_dir("per_cpu", instance->dir);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	for_each_possible_cpu(cpu) {
		err = create_cpu(instance, dir, cpu);
		if (err)
			return err;
	}
	return 0;
}
