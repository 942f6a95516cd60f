// SPDX-License-Identifier: GPL-2.0
/*
 * Which events go into a buffer.
 */
#include <linux/delay.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events.h"
#include "probe.h"
#include "registry.h"

/**
 * struct event_set - the events of one buffer
 * @lock: the rest, but for what probes read
 * @registered: by place in the registry: the event's probe is registered
 * @hooks: and what it is called with
 */
struct event_set {
	struct mutex		lock;	/* one change at a time */
	unsigned long		*registered;
	struct event_hook	hooks[];
};

/**
 * event_set_create - make a set in which no event is enabled
 * @buffer: where the events go; it has to outlive the set
 *
 * Context: may sleep.
 * Return: the set, NULL if there is no memory.
 */
struct event_set *event_set_create(struct tracemap_buffer *buffer)
{
	unsigned int count = events_count();
	struct event_set *set;
	unsigned int i;

	set = kzalloc(struct_size(set, hooks, count), GFP_KERNEL);
	if (!set)
		return NULL;
	set->registered = bitmap_zalloc(count, GFP_KERNEL);
	if (!set->registered) {
		kfree(set);
		return NULL;
	}
	mutex_init(&set->lock);
	for (i = 0; i < count; i++) {
		set->hooks[i].buffer = buffer;
		set->hooks[i].type = event_id(events_at(i));
	}
	return set;
}

static int enable(struct event_set *set, unsigned int i)
{
	const struct event *event = events_at(i);
	int err;

	lockdep_assert_held(&set->lock);
	if (test_bit(i, set->registered))
		return 0;
	err = tracepoint_probe_register(event->tp, event->func, &set->hooks[i]);
	if (!err)
		set_bit(i, set->registered);
	return err;
}

/* The probe may still run on another CPU when this returns */
static int disable(struct event_set *set, unsigned int i)
{
	const struct event *event = events_at(i);
	int err;

	lockdep_assert_held(&set->lock);
	if (!test_bit(i, set->registered))
		return 0;
	err = tracepoint_probe_unregister(event->tp, event->func, &set->hooks[i]);
	if (!err)
		clear_bit(i, set->registered);
	return err;
}

/**
 * event_set_destroy - disable all events of a set and free it
 * @set: the set
 *
 * Context: may sleep. On return no probe writes into the set's buffer any more.
 */
void event_set_destroy(struct event_set *set)
{
	unsigned int i;

	mutex_lock(&set->lock);
	for (i = 0; i < events_count(); i++) {
		/* before 5.10.20 that needs memory; a probe must not outlive the set */
		while (disable(set, i) == -ENOMEM)
			msleep(20);
	}
	mutex_unlock(&set->lock);
	tracepoint_synchronize_unregister();
	bitmap_free(set->registered);
	kfree(set);
}

/**
 * event_set_has - is an event enabled?
 * @set: the set
 * @event: the event
 *
 * Return: whether it is.
 */
bool event_set_has(const struct event_set *set, const struct event *event)
{
	return test_bit(event_index(event), set->registered);
}

/**
 * event_set_enable - let an event go into the buffer
 * @set: the set
 * @event: the event; nothing changes if it is enabled already
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if it cannot be enabled; -ENOMEM.
 */
int event_set_enable(struct event_set *set, const struct event *event)
{
	int err;

	if (!event_can_enable(event))
		return -EINVAL;
	mutex_lock(&set->lock);
	err = enable(set, event_index(event));
	mutex_unlock(&set->lock);
	return err;
}

/**
 * event_set_disable - keep an event out of the buffer
 * @set: the set
 * @event: the event; nothing changes if it is not enabled
 *
 * Context: may sleep. A probe that runs already may still write.
 * Return: 0; -EINVAL if it can never be enabled.
 */
int event_set_disable(struct event_set *set, const struct event *event)
{
	int err;

	if (!event_can_enable(event))
		return -EINVAL;
	mutex_lock(&set->lock);
	err = disable(set, event_index(event));
	mutex_unlock(&set->lock);
	return err;
}

/*
 * A pattern that was taken apart. @system and @name have to match both; a word
 * without a colon is in both of them, and one match is enough.
 */
struct pattern {
	const char	*system;
	const char	*name;
	bool		either;
};

static bool matches(const struct pattern *pattern, const struct event *event)
{
	bool system = glob_match(pattern->system, event_system(event));
	bool name = glob_match(pattern->name, event_name(event));

	if (pattern->either)
		return system || name;
	return system && name;
}

static struct pattern parse(char *text)
{
	struct pattern pattern = { .system = text, .name = text, .either = true };
	char *colon = strchr(text, ':');

	if (!colon)
		return pattern;
	*colon = '\0';
	if (colon == text)
		pattern.system = "*";
	pattern.name = colon[1] ? colon + 1 : "*";
	pattern.either = false;
	return pattern;
}

/* Goes on after an error, as tracefs does, and returns the first one */
static int change_matching(struct event_set *set, const char *text,
			   int (*change)(struct event_set *set, unsigned int i))
{
	char *copy = kstrdup(text, GFP_KERNEL);
	struct pattern pattern;
	bool matched = false;
	int first_err = 0;
	unsigned int i;
	int err;

	if (!copy)
		return -ENOMEM;
	pattern = parse(copy);
	mutex_lock(&set->lock);
	for (i = 0; i < events_count(); i++) {
		if (!event_can_enable(events_at(i)) || !matches(&pattern, events_at(i)))
			continue;
		matched = true;
		err = change(set, i);
		if (!first_err)
			first_err = err;
	}
	mutex_unlock(&set->lock);
	kfree(copy);
	return matched ? first_err : -EINVAL;
}

/**
 * event_set_enable_match - enable all events that a pattern names
 * @set: the set
 * @pattern: "SYSTEM:EVENT", both globs, either of them may be empty; or one word
 *	that matches systems and events
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if there is no such event; -ENOMEM.
 */
int event_set_enable_match(struct event_set *set, const char *pattern)
{
	return change_matching(set, pattern, enable);
}

/**
 * event_set_disable_match - disable all events that a pattern names
 * @set: the set
 * @pattern: as for event_set_enable_match()
 *
 * Context: may sleep.
 * Return: 0; -EINVAL if there is no such event; -ENOMEM.
 */
int event_set_disable_match(struct event_set *set, const char *pattern)
{
	return change_matching(set, pattern, disable);
}
