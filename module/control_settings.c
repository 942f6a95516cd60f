// SPDX-License-Identifier: GPL-2.0
/*
 * The control files that say how an instance records.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "buffer.h"
#include "control.h"
#include "fs.h"
#include "instance.h"

static int tracing_on_show(struct seq_file *m, const struct control *control)
{
	seq_printf(m, "%d\n", READ_ONCE(control->instance->buffer->recording));
	return 0;
}

/* Any number but 0 is on, as in tracefs. */
static int tracing_on_store(const struct control *control, char *text)
{
	unsigned long value;
	int err;

	err = kstrtoul(text, 10, &value);
	if (err)
		return err;
	if (value)
		buffer_on(control->instance->buffer);
	else
		buffer_off(control->instance->buffer);
	return 0;
}

static int trace_clock_show(struct seq_file *m, const struct control *control)
{
	const struct tracemap_clock *current_clock = READ_ONCE(control->instance->buffer->clock);
	const struct tracemap_clock *clock;

	for (clock = tracemap_clocks; clock < tracemap_clocks + tracemap_nr_clocks; clock++) {
		if (clock != tracemap_clocks)
			seq_putc(m, ' ');
		seq_printf(m, clock == current_clock ? "[%s]" : "%s", clock->name);
	}
	seq_putc(m, '\n');
	return 0;
}

static int trace_clock_store(const struct control *control, char *text)
{
	const struct tracemap_clock *clock = clock_find(strstrip(text));

	if (!clock)
		return -EINVAL;
	buffer_set_clock(control->instance->buffer, clock);
	return 0;
}

static bool overwrites(const struct control *control)
{
	return READ_ONCE(control->instance->buffer->mode) == TRACEMAP_OVERWRITE;
}

static void set_overwrite(const struct control *control, bool on)
{
	buffer_set_mode(control->instance->buffer,
			on ? TRACEMAP_OVERWRITE : TRACEMAP_PRODUCER_CONSUMER);
}

static int trace_options_show(struct seq_file *m, const struct control *control)
{
	seq_puts(m, overwrites(control) ? "overwrite\n" : "nooverwrite\n");
	return 0;
}

static int trace_options_store(const struct control *control, char *text)
{
	const char *option = strstrip(text);

	if (!strcmp(option, "overwrite"))
		set_overwrite(control, true);
	else if (!strcmp(option, "nooverwrite"))
		set_overwrite(control, false);
	else
		return -EINVAL;
	return 0;
}

static int overwrite_show(struct seq_file *m, const struct control *control)
{
	seq_printf(m, "%d\n", overwrites(control));
	return 0;
}

static int overwrite_store(const struct control *control, char *text)
{
	bool on;
	int err;

	err = control_parse_switch(text, &on);
	if (!err)
		set_overwrite(control, on);
	return err;
}

static int buffer_percent_show(struct seq_file *m, const struct control *control)
{
	seq_printf(m, "%u\n", READ_ONCE(control->instance->buffer->percent));
	return 0;
}

static int buffer_percent_store(const struct control *control, char *text)
{
	unsigned long percent;
	int err;

	err = kstrtoul(text, 10, &percent);
	if (err)
		return err;
	return buffer_set_percent(control->instance->buffer, percent);
}

/* The size that all CPUs have in common, or 0 if they have none. */
static unsigned long common_size(struct tracemap_buffer *buffer)
{
	unsigned long size = 0;
	int cpu;

	lockdep_assert_held(&buffer->lock);
	for_each_possible_cpu(cpu) {
		const struct cpu_buffer *cb = buffer_cpu(buffer, cpu);

		if (!cb)
			continue;
		if (size && cb->size != size)
			return 0;
		size = cb->size;
	}
	return size;
}

static int buffer_size_show(struct seq_file *m, const struct control *control)
{
	struct tracemap_buffer *buffer = control->instance->buffer;
	unsigned long size;

	mutex_lock(&buffer->lock);
	size = common_size(buffer);
	mutex_unlock(&buffer->lock);
	if (size)
		seq_printf(m, "%lu\n", size >> 10);
	else
		seq_puts(m, "X\n");
	return 0;
}

static int buffer_size_store(const struct control *control, char *text)
{
	unsigned long size;
	int err;

	err = control_parse_size(text, &size);
	if (err)
		return err;
	return buffer_resize(control->instance->buffer, size);
}

static int buffer_total_size_show(struct seq_file *m, const struct control *control)
{
	struct tracemap_buffer *buffer = control->instance->buffer;
	unsigned long kib = 0;
	int cpu;

	mutex_lock(&buffer->lock);
	for_each_possible_cpu(cpu) {
		const struct cpu_buffer *cb = buffer_cpu(buffer, cpu);

		if (cb)
			kib += cb->size >> 10;
	}
	mutex_unlock(&buffer->lock);
	seq_printf(m, "%lu\n", kib);
	return 0;
}

static int buffer_subbuf_size_show(struct seq_file *m, const struct control *control)
{
	unsigned int order = READ_ONCE(control->instance->buffer->order);

	seq_printf(m, "%lu\n", (PAGE_SIZE << order) >> 10);
	return 0;
}

/* Rounded up to the next power of two of pages, as in tracefs. */
static int buffer_subbuf_size_store(const struct control *control, char *text)
{
	unsigned long size;
	int err;

	err = control_parse_size(text, &size);
	if (err)
		return err;
	if (size > PAGE_SIZE << BUFFER_MAX_ORDER)
		return -EINVAL;
	return buffer_set_order(control->instance->buffer, get_order(size));
}

static const struct control_file settings[] = {
	{
		.name	= "tracing_on",
		.mode	= CONTROL_RW,
		.show	= tracing_on_show,
		.store	= tracing_on_store,
	}, {
		.name	= "trace_clock",
		.mode	= CONTROL_RW,
		.show	= trace_clock_show,
		.store	= trace_clock_store,
	}, {
		.name	= "trace_options",
		.mode	= CONTROL_RW,
		.show	= trace_options_show,
		.store	= trace_options_store,
	}, {
		.name	= "buffer_percent",
		.mode	= CONTROL_RW,
		.show	= buffer_percent_show,
		.store	= buffer_percent_store,
	}, {
		.name	= "buffer_size_kb",
		.mode	= CONTROL_RW,
		.show	= buffer_size_show,
		.store	= buffer_size_store,
	}, {
		.name	= "buffer_total_size_kb",
		.mode	= CONTROL_RO,
		.show	= buffer_total_size_show,
	}, {
		.name	= "buffer_subbuf_size_kb",
		.mode	= CONTROL_RW,
		.show	= buffer_subbuf_size_show,
		.store	= buffer_subbuf_size_store,
	},
};

static const struct control_file options[] = {
	{
		.name	= "overwrite",
		.mode	= CONTROL_RW,
		.show	= overwrite_show,
		.store	= overwrite_store,
	},
};

/**
 * control_create_settings - make the files that say how an instance records
 * @instance: the instance
 *
 * Context: may sleep; takes inode locks.
 *
 * Return: 0 or an error.
 */
int control_create_settings(struct instance *instance)
{
	struct dentry *dir;
	int err;

	err = control_create_table(instance, instance->dir, 0, settings, ARRAY_SIZE(settings));
	if (err)
		return err;
	dir = fs_create_dir("options", instance->dir);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	return control_create_table(instance, dir, 0, options, ARRAY_SIZE(options));
}
