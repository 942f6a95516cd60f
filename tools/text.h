/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events as text, the way trace-cmd prints them.
 */
#ifndef _TRACEMAP_TEXT_H
#define _TRACEMAP_TEXT_H

#include <stdbool.h>
#include <event-parse.h>
#include <trace-seq.h>

/**
 * struct text - what it takes to print events
 * @tep:	formats, names of tasks and of functions
 * @plugins:	libtraceevent's plugins, as trace-cmd uses them
 * @seq:	one line
 * @header:	format of what stands in front of every event
 * @names:	names of tasks have been read in this pass
 */
struct text {
	struct tep_handle	*tep;
	struct tep_plugin_list	*plugins;
	struct trace_seq	seq;
	const char		*header;
	bool			names;
};

int text_open(struct text *text);
void text_close(struct text *text);
void text_refresh(struct text *text);
void text_print(struct text *text, struct tep_record *record);

#endif /* _TRACEMAP_TEXT_H */
