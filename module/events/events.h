/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's existing tracepoints as events of a buffer.
 */
#ifndef _TRACEMAP_EVENTS_H
#define _TRACEMAP_EVENTS_H

#include <linux/types.h>

struct event;		/* an event that a probe was compiled for and that this kernel has */
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

/* the common header that every record starts with, for markers too */
struct event_common {
	unsigned short	type;
	unsigned char	flags;
	unsigned char	preempt_count;
	int		pid;
};

/* fill it as tracefs does; @depth: preempt_disable calls of our own now held */
void event_fill_common(struct event_common *common, unsigned short type, int depth);

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
