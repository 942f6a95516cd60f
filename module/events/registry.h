/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the events part share.
 */
#ifndef _TRACEMAP_EVENTS_REGISTRY_H
#define _TRACEMAP_EVENTS_REGISTRY_H

struct trace_event_call;
struct tracepoint;

/**
 * struct event - an event of this kernel that can be in a buffer
 * @call: what the kernel knows of it
 * @tp: its tracepoint; NULL for the records of markers
 * @func: the probe that was compiled for it
 *
 * All are built into the kernel, so @call and @tp never go away.
 */
struct event {
	struct trace_event_call	*call;
	struct tracepoint	*tp;
	void			*func;
};

struct tracepoint *tracepoint_find(const char *name);
unsigned int event_index(const struct event *event);

extern struct trace_event_call event_print_call;
extern struct trace_event_call event_raw_data_call;

#endif /* _TRACEMAP_EVENTS_REGISTRY_H */
