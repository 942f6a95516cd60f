/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the probes that are compiled from the kernel's trace headers stand on. A
 * system's file defines EVENT_SYSTEM and CREATE_TRACE_POINTS, and includes the
 * trace header; the shadow headers do the rest.
 */
#ifndef _TRACEMAP_EVENTS_PROBE_H
#define _TRACEMAP_EVENTS_PROBE_H

#include <linux/kconfig.h>
#include <linux/stringify.h>
#include <linux/trace_events.h>
#include <linux/tracemap_buffer.h>

#include "common.h"

/**
 * struct event_probe - an event that a probe was compiled for
 * @system: the trace system, as the trace header names it
 * @name: the event; its tracepoint has the same name
 * @func: the probe, to be registered with a struct event_hook
 * @fields: the record's fields, as compiled; the last one has no type
 * @length: bytes up to the end of the last field
 */
struct event_probe {
	const char				*system;
	const char				*name;
	void					*func;
	const struct trace_event_fields		*fields;
	size_t					length;
};

/**
 * struct event_hook - what a registered probe is called with
 * @buffer: where its records go
 * @type: the event's id
 */
struct event_hook {
	struct tracemap_buffer	*buffer;
	unsigned short		type;
};

/**
 * struct event_record - a record between reserve and commit
 * @handle: its reservation
 */
struct event_record {
	struct tracemap_handle	handle;
};

/*
 * A system's list of probes: calls @visit for each. The build gives registry.c
 * the names of all the lists.
 */
typedef void event_list_fn(void (*visit)(const struct event_probe *probe));

#define EVENT_LIST(system)	__PASTE(event_list_, system)

/*
 * Tracepoints disable preemption once before they call their probes, and tracefs
 * takes that off again, if preemption was possible at all. tracemap_reserve()
 * disables it once more.
 */
static __always_inline void *event_reserve(struct event_record *record,
					   const struct event_hook *hook, size_t length)
{
	struct trace_entry *entry = tracemap_reserve(hook->buffer, &record->handle, length);

	if (!entry)
		return NULL;
	event_fill_common(entry, hook->type, 1);
	if (IS_ENABLED(CONFIG_PREEMPTION))
		entry->preempt_count--;
	return entry;
}

static __always_inline void event_commit(struct event_record *record)
{
	tracemap_commit(&record->handle);
}

#endif /* _TRACEMAP_EVENTS_PROBE_H */
