/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of several CPUs in order of time, read where they stand.
 */
#ifndef _TRACEMAP_MERGE_H
#define _TRACEMAP_MERGE_H

#include <stdbool.h>
#include <linux/types.h>
#include <event-parse.h>
#include <kbuffer.h>
#include <tracemap.h>

/**
 * struct cursor - where the merge is in one CPU's ring
 * @reader:	the ring
 * @kbuf:	walks the sub-buffer that the span is in
 * @span:	the stretch of events that is being walked
 * @event:	the next event; NULL if the span is used up
 * @time:	its time
 * @lost:	events lost just before it; less than 0 if nobody knows how many
 * @dry:	the ring had nothing new in this pass
 */
struct cursor {
	struct tracemap_reader	*reader;
	struct kbuffer		*kbuf;
	struct tracemap_span	span;
	void			*event;
	unsigned long long	time;
	long long		lost;
	bool			dry;
};

/**
 * struct merge - the rings that are merged
 * @tep:	knows the layout of sub-buffers
 * @cursors:	one a CPU
 * @readers:	the same rings in the same order
 * @nr:		how many
 * @delivered:	events that have been walked over
 */
struct merge {
	struct tep_handle	*tep;
	struct cursor		*cursors;
	struct tracemap_reader	**readers;
	int			nr;
	__u64		delivered;
};

/* Gets an event; returns 0 to go on. */
typedef int (*merge_emit)(struct tep_record *record, void *arg);

int merge_add(struct merge *merge, struct tracemap_reader *reader);
void merge_free(struct merge *merge);
int merge_pass(struct merge *merge, __u64 bound, merge_emit emit, void *arg);
bool merge_has_more(const struct merge *merge);
void merge_drop(struct merge *merge);

#endif /* _TRACEMAP_MERGE_H */
