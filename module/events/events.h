/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's existing tracepoints as events of a buffer.
 */
#ifndef _TRACEMAP_EVENTS_H
#define _TRACEMAP_EVENTS_H

#include <linux/types.h>

#include "common.h"	/* event_fill_common() */

struct event;		/* an event that this kernel has and that a probe was compiled for */
struct event_set;	/* which events go into one buffer */
struct seq_file;
struct tracemap_buffer;

int events_init(void);		/* find the tracepoints; may sleep */
void events_exit(void);

/* the registry: sorted by system, then by name; fixed between init and exit */
unsigned int events_count(void);
const struct event *events_at(unsigned int i);
const char *event_system(const struct event *event);
const char *event_name(const struct event *event);
int event_id(const struct event *event);
int event_show_format(const struct event *event, struct seq_file *m);
int events_show_header_page(struct seq_file *m, unsigned int subbuf_size);
int events_show_header_event(struct seq_file *m);

/*
 * The records that markers write are registry entries, too, but their tracepoints do not exist:
 * there is nothing to enable, and tracefs has no enable file for them.
 */
bool event_can_enable(const struct event *event);
int event_print_id(void);	/* ftrace:print, what trace_marker writes */
int event_raw_data_id(void);	/* ftrace:raw_data, what trace_marker_raw writes */

/* one set for each buffer */
struct event_set *event_set_create(struct tracemap_buffer *buffer);
void event_set_destroy(struct event_set *set);
bool event_set_has(const struct event_set *set, const struct event *event);
int event_set_enable(struct event_set *set, const struct event *event);
int event_set_disable(struct event_set *set, const struct event *event);
/*
 * @pattern: "SYSTEM:EVENT", "SYSTEM:", "EVENT", ":EVENT", "*:*"; globs in both; a single word
 * names a system or an event, as in tracefs's set_event. EINVAL if nothing matches.
 */
int event_set_enable_match(struct event_set *set, const char *pattern);
int event_set_disable_match(struct event_set *set, const char *pattern);

#endif /* _TRACEMAP_EVENTS_H */
