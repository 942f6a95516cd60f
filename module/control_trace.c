// SPDX-License-Identifier: GPL-2.0
/*
 * The control files about what has been recorded, markers, and the few that are
 * there because programs written for tracefs look for them.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer.h"
#include "control.h"
#include "events/cmdline.h"
#include "fs.h"
#include "instance.h"
#include "marker.h"

static const char readme[] =
	"tracemap: per-CPU trace buffers that are mapped and read without copies\n"
	"\n"
	"The files are tracefs's, and do what they do there.\n"
	"\n"
	"  tracing_on\t\t- 1 records, 0 stops and wakes all readers\n"
	"  trace\t\t\t- how much there is; \"> trace\" forgets it. The events' text is\n"
	"\t\t\t  made by user space: run \"tracemap show\"\n"
	"  set_event\t\t- the events that are on; write SYSTEM:EVENT to switch one\n"
	"\t\t\t  on, !SYSTEM:EVENT to switch it off, \"> set_event\" for none\n"
	"  events/\t\t- all events: SYSTEM/EVENT/{enable,format,id}, SYSTEM/enable\n"
	"\t\t\t  and enable for many at once\n"
	"  trace_marker\t\t- a text written here becomes an event\n"
	"  trace_marker_raw\t- the same for four bytes of identifier and a binary record\n"
	"  trace_clock\t\t- the clock in use in brackets; write one to use it, which\n"
	"\t\t\t  empties the buffer\n"
	"  trace_options\t\t- overwrite: a full buffer forgets its oldest events;\n"
	"  options/overwrite\t  nooverwrite: it drops the new ones\n"
	"  buffer_size_kb\t- KiB for each CPU, X if they differ\n"
	"  buffer_total_size_kb\t- KiB for all CPUs\n"
	"  buffer_subbuf_size_kb\t- KiB of a sub-buffer, the unit in which readers get events\n"
	"  buffer_percent\t- how full a buffer has to be before a reader is woken;\n"
	"\t\t\t  0: by the first event\n"
	"  saved_cmdlines\t- the names of tasks by pid\n"
	"  current_tracer\t- nop, the only one\n"
	"  per_cpu/cpuN/\n"
	"    trace_pipe_raw\t- the events of one CPU: mmap, read, splice, poll, and the\n"
	"\t\t\t  ioctls of linux/tracemap.h\n"
	"    stats\t\t- what became of all events: reserved = read + entries +\n"
	"\t\t\t  overrun + the three kinds of dropped\n"
	"    buffer_size_kb\t- KiB for this CPU\n"
	"  instances/\t\t- buffers that other modules have made\n";

static int readme_show(struct seq_file *m, const struct control *control)
{
	seq_puts(m, readme);
	return 0;
}

static int trace_show(struct seq_file *m, const struct control *control)
{
	struct tracemap_buffer *buffer = control->instance->buffer;
	struct ring_stats stats;
	u64 unread = 0;
	u64 written = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cpu_buffer *cb = buffer_cpu(buffer, cpu);

		if (!cb)
			continue;
		cpu_buffer_stats(cb, &stats);
		unread += stats.unread;
		written += stats.entries;
	}
	seq_puts(m, "# tracer: nop\n#\n");
	seq_printf(m, "# entries-in-buffer/entries-written: %llu/%llu   #P:%u\n#\n",
		   unread, written, num_online_cpus());
	seq_puts(m, "# The events are in per_cpu/cpu*/trace_pipe_raw; \"tracemap show\" prints them.\n");
	return 0;
}

static ssize_t trace_write(const struct control *control, const char __user *from, size_t count)
{
	return count;
}

static void trace_truncate(const struct control *control)
{
	buffer_reset(control->instance->buffer);
}

static __poll_t trace_poll(struct file *file, poll_table *table)
{
	return buffer_poll(control_of(file)->instance->buffer, file, table);
}

static const struct file_operations trace_fops = {
	.owner		= THIS_MODULE,
	.open		= control_open,
	.read		= seq_read,
	.write		= control_write,
	.poll		= trace_poll,
	.llseek		= seq_lseek,
	.release	= control_release,
};

static ssize_t trace_marker_write(const struct control *control, const char __user *from,
				  size_t count)
{
	return marker_write(control->instance->buffer, from, count);
}

static ssize_t trace_marker_raw_write(const struct control *control, const char __user *from,
				      size_t count)
{
	return marker_write_raw(control->instance->buffer, from, count);
}

static int marker_open(struct inode *inode, struct file *file)
{
	int err = control_open(inode, file);

	if (err)
		return err;
	/* no position, so that threads which share a file do not wait for one another */
	return stream_open(inode, file);
}

static const struct file_operations marker_fops = {
	.owner		= THIS_MODULE,
	.open		= marker_open,
	.write		= control_write,
	.release	= control_release,
};

static int current_tracer_show(struct seq_file *m, const struct control *control)
{
	seq_puts(m, "nop\n");
	return 0;
}

static int current_tracer_store(const struct control *control, char *text)
{
	return strcmp(strstrip(text), "nop") ? -EINVAL : 0;
}

static int saved_cmdlines_show(struct seq_file *m, const struct control *control)
{
	return cmdlines_show(m);
}

static const struct control_file trace_files[] = {
	{
		.name		= "README",
		.mode		= CONTROL_RO,
		.show		= readme_show,
	}, {
		.name		= "trace",
		.mode		= CONTROL_RW,
		.show		= trace_show,
		.write		= trace_write,
		.truncate	= trace_truncate,
		.fops		= &trace_fops,
	}, {
		.name		= "trace_marker",
		.mode		= CONTROL_WO,
		.write		= trace_marker_write,
		.fops		= &marker_fops,
	}, {
		.name		= "trace_marker_raw",
		.mode		= CONTROL_WO,
		.write		= trace_marker_raw_write,
		.fops		= &marker_fops,
	}, {
		.name		= "current_tracer",
		.mode		= CONTROL_RW,
		.show		= current_tracer_show,
		.store		= current_tracer_store,
	}, {
		.name		= "available_tracers",
		.mode		= CONTROL_RO,
		.show		= current_tracer_show,
	}, {
		.name		= "saved_cmdlines",
		.mode		= CONTROL_RO,
		.show		= saved_cmdlines_show,
	},
};

/**
 * control_create_trace - make the files about what has been recorded, and markers
 * @instance: the instance
 *
 * Context: may sleep; takes inode locks.
 *
 * Return: 0 or an error.
 */
int control_create_trace(struct instance *instance)
{
	return control_create_table(instance, instance->dir, 0, trace_files,
				    ARRAY_SIZE(trace_files));
}
