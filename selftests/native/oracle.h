/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What must be true of a ring, whoever interrupts whom. The oracle writes
 * numbered events, remembers where each of them went, and checks what the reader
 * gets against that.
 */
#ifndef _ORACLE_H
#define _ORACLE_H

#include "ring.h"

#define ORACLE_CONTEXTS	4	/* task, softirq, irq, NMI */

/**
 * struct oracle_event - one that was accepted or refused
 * @pos:	where in the stream its first byte is; 0 if it was refused
 * @earliest:	the clock before it was reserved
 * @latest:	the clock behind that
 * @era:	of the ring it was written to
 * @length:	bytes of payload
 * @delivered:	the reader has had it
 */
struct oracle_event {
	u64	pos;
	u64	earliest;
	u64	latest;
	u32	era;
	u32	length;
	bool	delivered;
};

/**
 * struct oracle_source - events of one context
 * @events:	by number
 * @count:	of those
 * @discarded:	events taken back, which have no number
 */
struct oracle_source {
	struct oracle_event	*events;
	u32			count;
	u64			discarded;
};

/**
 * struct oracle_reader - what the reader has seen
 * @number:	sub-buffer of the stream that it reads
 * @page:	where that one is in memory
 * @read:	bytes of it that were checked
 * @prefix:	bytes of the time that stands in front of the next event
 * @sum:	checksum of those
 * @time:	of the last record there
 * @last:	time of the last event there
 * @pos:	of the last event delivered
 * @era:	and the era of that
 * @delivered:	events
 * @lost:	sum of what each sub-buffer said was lost before it
 */
struct oracle_reader {
	u64				number;
	const struct subbuf_page	*page;
	u32				read;
	u32				prefix;
	u64				sum;
	u64				time;
	u64				last;
	u64				pos;
	u32				era;
	u64				delivered;
	u64				lost;
};

/**
 * struct oracle - a ring and all that is known about it
 * @ring:	under test
 * @pages:	its memory
 * @era:	how often the events moved to another ring
 * @clock_falls:	so that an event's time cannot be foretold
 * @most:	events a context may write
 * @sources:	what was written
 * @reader:	what was read
 */
struct oracle {
	struct ring		ring;
	struct subbuf_page	**pages;
	u32			era;
	bool			clock_falls;
	u32			most;
	struct oracle_source	sources[ORACLE_CONTEXTS];
	struct oracle_reader	reader;
};

void oracle_init(struct oracle *oracle, unsigned int shift, u32 nr_slots, bool overwrite,
		 u64 (*clock)(void), u32 most);
void oracle_destroy(struct oracle *oracle);
void oracle_forget(struct oracle *oracle);
void oracle_move(struct oracle *oracle, u32 nr_slots);
void oracle_wind_forward(struct ring *ring, u32 before);
bool oracle_has_wrapped(const struct ring *ring);

bool oracle_write(struct oracle *oracle, unsigned int context, u32 length, bool discard);
bool oracle_read(struct oracle *oracle);
bool oracle_drain(struct oracle *oracle);
u64 oracle_written(const struct oracle *oracle);
void oracle_check_held(struct oracle *oracle);
void oracle_check_quiet(struct oracle *oracle);
void oracle_check_losses(struct oracle *oracle);

/* what trace_clock_local() says; it is a clock like any other, if not to clock_now() */
extern u64 (*oracle_local_clock)(void);

/* said before the program gives up: how to see the same once more */
extern const char *oracle_how_to_repeat;
void __noreturn __printf(1, 2) oracle_fail(const char *format, ...);

#endif /* _ORACLE_H */
