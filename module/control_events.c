// SPDX-License-Identifier: GPL-2.0
/*
 * The control files of events.
 */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer.h"
#include "control.h"
#include "events/events.h"
#include "fs.h"
#include "instance.h"

#define SET_EVENT_MAX_WORD	127	/* as tracefs */

/*
 * Here control->index is an event's place in the registry; for a system, that of
 * its first event.
 */

static const struct event *control_event(const struct control *control)
{
	return events_at(control->index);
}

/* The place behind the last event of the same system */
static unsigned int system_end(unsigned int first)
{
	const char *system = event_system(events_at(first));
	unsigned int i = first;

	while (i < events_count() && !strcmp(event_system(events_at(i)), system))
		i++;
	return i;
}

static bool system_can_enable(unsigned int first)
{
	unsigned int end = system_end(first);
	unsigned int i;

	for (i = first; i < end; i++) {
		if (event_can_enable(events_at(i)))
			return true;
	}
	return false;
}

/* 0 and 1 for all off and all on, X for both, ? if there is nothing to switch */
static void show_enabled(struct seq_file *m, const struct event_set *set,
			 unsigned int first, unsigned int end)
{
	unsigned int seen = 0;
	unsigned int i;

	for (i = first; i < end; i++) {
		const struct event *event = events_at(i);

		if (event_can_enable(event))
			seen |= BIT(event_set_has(set, event));
	}
	seq_printf(m, "%c\n", "?01X"[seen]);
}

static int enable_match(const struct control *control, char *text, const char *pattern)
{
	struct event_set *set = control->instance->events;
	bool on;
	int err;

	err = control_parse_switch(text, &on);
	if (err)
		return err;
	return on ? event_set_enable_match(set, pattern) : event_set_disable_match(set, pattern);
}

static int all_enable_show(struct seq_file *m, const struct control *control)
{
	show_enabled(m, control->instance->events, 0, events_count());
	return 0;
}

static int all_enable_store(const struct control *control, char *text)
{
	return enable_match(control, text, "*:*");
}

static int system_enable_show(struct seq_file *m, const struct control *control)
{
	show_enabled(m, control->instance->events, control->index, system_end(control->index));
	return 0;
}

static int system_enable_store(const struct control *control, char *text)
{
	char *pattern;
	int err;

	pattern = kasprintf(GFP_KERNEL, "%s:*", event_system(control_event(control)));
	if (!pattern)
		return -ENOMEM;
	err = enable_match(control, text, pattern);
	kfree(pattern);
	return err;
}

static int event_enable_show(struct seq_file *m, const struct control *control)
{
	show_enabled(m, control->instance->events, control->index, control->index + 1);
	return 0;
}

static int event_enable_store(const struct control *control, char *text)
{
	struct event_set *set = control->instance->events;
	const struct event *event = control_event(control);
	bool on;
	int err;

	err = control_parse_switch(text, &on);
	if (err)
		return err;
	return on ? event_set_enable(set, event) : event_set_disable(set, event);
}

static int event_format_show(struct seq_file *m, const struct control *control)
{
	return event_show_format(control_event(control), m);
}

static int event_id_show(struct seq_file *m, const struct control *control)
{
	seq_printf(m, "%d\n", event_id(control_event(control)));
	return 0;
}

static int header_page_show(struct seq_file *m, const struct control *control)
{
	return events_show_header_page(m, PAGE_SIZE << READ_ONCE(control->instance->buffer->order));
}

static int header_event_show(struct seq_file *m, const struct control *control)
{
	return events_show_header_event(m);
}

static int set_event_show(struct seq_file *m, const struct control *control)
{
	unsigned int i;

	for (i = 0; i < events_count(); i++) {
		const struct event *event = events_at(i);

		if (event_set_has(control->instance->events, event))
			seq_printf(m, "%s:%s\n", event_system(event), event_name(event));
	}
	return 0;
}

static int set_event_word(struct event_set *set, const char *word)
{
	if (strlen(word) > SET_EVENT_MAX_WORD)
		return -EINVAL;
	if (*word == '!')
		return event_set_disable_match(set, word + 1);
	return event_set_enable_match(set, word);
}

static bool is_gap(char c)
{
	return !c || isspace(c);
}

/*
 * One word after the other; returns the bytes up to the end of the last that was
 * good. The writer comes again with the rest and is told what is wrong with it.
 * A word that touches the end is left for then, too, if there is @more to come.
 */
static ssize_t set_event_words(struct event_set *set, char *text, size_t length, bool more)
{
	size_t done = 0;
	size_t end;
	size_t at;
	int err;

	for (at = 0; at < length; at = end + 1) {
		for (end = at; end < length && !is_gap(text[end]); end++)
			;
		if (end == at)
			continue;
		if (end == length && more)
			return done ? done : -EINVAL;
		text[end] = '\0';
		err = set_event_word(set, text + at);
		if (err)
			return done ? done : err;
		done = end;
	}
	return length;
}

static ssize_t set_event_write(const struct control *control, const char __user *from,
			       size_t count)
{
	size_t length = min_t(size_t, count, PAGE_SIZE - 1);
	ssize_t taken;
	char *text;

	text = memdup_user_nul(from, length);
	if (IS_ERR(text))
		return PTR_ERR(text);
	taken = set_event_words(control->instance->events, text, length, length < count);
	kfree(text);
	return taken;
}

static void set_event_truncate(const struct control *control)
{
	event_set_disable_match(control->instance->events, "*:*");
}

static const struct control_file set_event_file = {
	.name		= "set_event",
	.mode		= CONTROL_RW,
	.show		= set_event_show,
	.write		= set_event_write,
	.truncate	= set_event_truncate,
};

static const struct control_file events_files[] = {
	{
		.name	= "enable",
		.mode	= CONTROL_RW,
		.show	= all_enable_show,
		.store	= all_enable_store,
	}, {
		.name	= "header_page",
		.mode	= CONTROL_RO,
		.show	= header_page_show,
	}, {
		.name	= "header_event",
		.mode	= CONTROL_RO,
		.show	= header_event_show,
	},
};

static const struct control_file system_enable_file = {
	.name	= "enable",
	.mode	= CONTROL_RW,
	.show	= system_enable_show,
	.store	= system_enable_store,
};

static const struct control_file event_enable_file = {
	.name	= "enable",
	.mode	= CONTROL_RW,
	.show	= event_enable_show,
	.store	= event_enable_store,
};

static const struct control_file event_files[] = {
	{
		.name	= "format",
		.mode	= CONTROL_RO,
		.show	= event_format_show,
	}, {
		.name	= "id",
		.mode	= CONTROL_RO,
		.show	= event_id_show,
	},
};

static int create_event(struct instance *instance, struct dentry *parent, unsigned int i)
{
	const struct event *event = events_at(i);
	struct dentry *dir;
	int err;

	dir = fs_create_dir(event_name(event), parent);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	if (event_can_enable(event)) {
		err = control_create_table(instance, dir, i, &event_enable_file, 1);
		if (err)
			return err;
	}
	return control_create_table(instance, dir, i, event_files, ARRAY_SIZE(event_files));
}

static int create_system(struct instance *instance, struct dentry *parent, unsigned int first)
{
	unsigned int end = system_end(first);
	struct dentry *dir;
	unsigned int i;
	int err;

	dir = fs_create_dir(event_system(events_at(first)), parent);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	if (system_can_enable(first)) {
		err = control_create_table(instance, dir, first, &system_enable_file, 1);
		if (err)
			return err;
	}
	for (i = first; i < end; i++) {
		err = create_event(instance, dir, i);
		if (err)
			return err;
	}
	return 0;
}

/**
 * control_create_events - make set_event and events/
 * @instance: the instance
 *
 * Context: may sleep; takes inode locks.
 *
 * Return: 0 or an error.
 */
int control_create_events(struct instance *instance)
{
	struct dentry *dir;
	unsigned int i;
	int err;

	err = control_create_table(instance, instance->dir, 0, &set_event_file, 1);
	if (err)
		return err;
	dir = fs_create_dir("events", instance->dir);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	err = control_create_table(instance, dir, 0, events_files, ARRAY_SIZE(events_files));
	if (err)
		return err;
	for (i = 0; i < events_count(); i = system_end(i)) {
		err = create_system(instance, dir, i);
		if (err)
			return err;
	}
	return 0;
}
