/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * libtracemap: consume tracemap's buffers where they stand.
 *
 * A reader has one CPU's ring open. Map it, then ask for the next span again
 * and again: each is a stretch of events in one sub-buffer, in ftrace's page
 * format, that nobody else gets. Nothing is copied.
 *
 *	reader = tracemap_open("/sys/kernel/tracemap", 0);
 *	tracemap_map(reader);
 *	while (tracemap_wait(&reader, 1, -1, NULL) >= 0)
 *		while (tracemap_next(reader, &span) > 0)
 *			consume(&span);
 *	tracemap_close(reader);
 *
 * The same works with mainline's tracefs from 6.10 on, all but its statistics.
 * Functions that fail set errno. A reader belongs to one thread at a time.
 */
#ifndef _TRACEMAP_H
#define _TRACEMAP_H

#include <signal.h>
#include <stdbool.h>

#include <linux/tracemap.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tracemap_reader;

/**
 * struct tracemap_span - events that were just taken as read
 * @subbuf:	the sub-buffer they stand in, its header first
 * @id:		its id
 * @begin:	bytes of events in it that came with earlier spans
 * @end:	bytes of events in it up to the end of this span
 * @lost:	events lost just before the first one; 0 unless @begin is 0
 *
 * @begin and @end do not count the sub-buffer's header. What lies behind @end
 * may be changing and is nobody's yet.
 */
struct tracemap_span {
	const void	*subbuf;
	__u32	id;
	__u32	begin;
	__u32	end;
	__u64	lost;
};

/**
 * struct tracemap_stats - the counters of one CPU, from its stats file
 * @unread:		events that can still be read
 * @read:		events that were taken as read
 * @overrun:		events overwritten before anyone read them
 * @dropped_full:	events refused because the ring was full
 * @dropped_nested:	events refused because an interrupted writer was lapped
 * @dropped_big:	events refused because no sub-buffer can hold them
 * @reserved:		events that writers asked for: the sum of the above
 * @written:		events that got in
 * @bytes:		bytes that can still be read
 * @oldest:		time of the oldest sub-buffer that can still be read
 * @now:		time of the trace clock
 * @exchanges:		spares put in the place of a held sub-buffer
 * @subbufs_read:	sub-buffers that readers have taken
 * @subbufs_touched:	sub-buffers that the writer has entered
 * @subbufs_lost:	sub-buffers overwritten before anyone read them
 * @in_ns:		@oldest and @now are nanoseconds, which the file rounds
 *			to microseconds; else the clock's own units
 */
struct tracemap_stats {
	__u64	unread;
	__u64	read;
	__u64	overrun;
	__u64	dropped_full;
	__u64	dropped_nested;
	__u64	dropped_big;
	__u64	reserved;
	__u64	written;
	__u64	bytes;
	__u64	oldest;
	__u64	now;
	__u64	exchanges;
	__u64	subbufs_read;
	__u64	subbufs_touched;
	__u64	subbufs_lost;
	bool		in_ns;
};

struct tracemap_reader *tracemap_open(const char *dir, int cpu);
int tracemap_map(struct tracemap_reader *reader);
void tracemap_close(struct tracemap_reader *reader);

int tracemap_fd(const struct tracemap_reader *reader);
int tracemap_cpu(const struct tracemap_reader *reader);
const struct tracemap_meta *tracemap_meta(const struct tracemap_reader *reader);

int tracemap_next(struct tracemap_reader *reader, struct tracemap_span *span);
int tracemap_wait(struct tracemap_reader * const *readers, unsigned int nr,
		  int timeout, const sigset_t *sigmask);

int tracemap_read_stats(const char *dir, int cpu, struct tracemap_stats *stats,
			const char **missing);

#ifdef __cplusplus
}
#endif

#endif /* _TRACEMAP_H */
