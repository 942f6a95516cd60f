/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of module/ring.c and ring_reader.c, for spin.
 *
 * One CPU's writers (task, irq, NMI) and a reader on another CPU go through the
 * steps of them in every order that there can be. Each label is one step, its
 * comment names the function that it stands for; they name the label back.
 * A step touches one thing that others change meanwhile, or several where
 * nobody could tell in which order.
 *
 * Sizes are in units: a header takes one, a sub-buffer holds CAPACITY units of
 * events, an event takes 1 to CAPACITY of them.
 *
 * Memory is sequentially consistent here: barriers are not looked at, only the
 * order that they keep. For each pair of them in ring.c a mutant has the two
 * accesses in the other order, so that they are known to be needed:
 * commit_before_fill, take_fill_first and consume_fill_first for the release of
 * commit, spare_read_early for the smp_rmb() in ring_acquire(). That the barriers
 * are there and are the right ones is for others to see: the thread sanitizer in
 * selftests/native, KCSAN in selftests/sanitizers, machines that reorder.
 *
 * Resize, reset and a new size of sub-buffers are not in here, for nothing can
 * happen at the same time: buffer_close() keeps writers out and waits a grace
 * period for those inside, who run with preemption disabled; readers are kept out
 * by the lock of the cpu_buffer. What they do then selftests/native compares with
 * a reference, and selftests/changes does it while writers write flat out.
 *
 * What is asserted, by the numbers of DESIGN.md's invariants:
 *
 * 1. reserved = read + unread + overrun + dropped whenever no writer is at work
 *    and the reader is between two calls. At the end nothing is unread, the
 *    events found in memory are those that were counted as read, and the reader
 *    was told of every loss, exactly.
 * 2. Each unit read is what was written to that very place of the stream, the
 *    event whole, and places only grow. With TIME, time stamps never fall, and
 *    decode to what was written.
 * 3. A store to a sub-buffer that the reader holds is to the same number of the
 *    stream and behind commit.
 */

/* The size of the search; "check" sets these. */
#ifndef WRAP
#define WRAP		0	/* 1: starts a lap before the laps wrap, not at lap 0 */
#endif
#ifndef OVERWRITE
#define OVERWRITE	1	/* or 0: producer-consumer mode */
#endif
#ifndef SLOTS
#define SLOTS		2
#endif
#ifndef CAPACITY
#define CAPACITY	2
#endif
#ifndef TASK
#define TASK		4	/* events of each writer */
#endif
#ifndef IRQ
#define IRQ		2
#endif
#ifndef NMI
#define NMI		0
#endif
#ifndef DISCARD
#define DISCARD		0	/* 1: any event may be taken back */
#endif
#ifndef TIME
#define TIME		0	/* 1: time stamps; the reader waits for the end */
#endif

/* One of these as MUTANT is a mistake that the assertions must see. */
#ifndef MUTANT
#define MUTANT		none
#endif
#define IS(mutant)	(MUTANT == mutant)

mtype = {
	none,
	lap_not_compared,	/* acquire: does not ask who was here already */
	lap_not_modulo,		/* acquire: takes a small lap for an earlier one */
	acquire_by_store,	/* exchange: a store, not a cmpxchg */
	spare_not_used,		/* acquire: goes on in what the reader holds */
	spare_read_early,	/* acquire: the spare, then HELD */
	base_read_late,		/* account: counts after the exchange */
	overrun_not_counted,	/* account */
	stacked_publishes,	/* finish: at any depth */
	no_second_look,		/* look: is content when commit has moved */
	look_once,		/* look_again: does not ask whether commit moved on */
	commit_not_asked,	/* fast: although somebody has an event open */
	fast_by_store,		/* fast_reserve: a store, not a cmpxchg */
	full_limit_not_asked,	/* still_full: refuses what has room */
	full_word_not_asked,	/* still_full: although the slot is free */
	cross_without_limit,	/* cross: from where nobody knows */
	stack_anywhere,		/* stack: beyond the end */
	limit_kept,		/* unbase: goes on in what is cached */
	leave_not_counted,	/* close: the count for the next sub-buffer */
	commit_not_moved,	/* leave_commit: an outermost event that nobody publishes */
	commit_before_fill,	/* publish: the order */
	write_read_once,	/* publish: does not ask for events that came meanwhile */
	seq_not_set,		/* publish, leave: the count for the next sub-buffer */
	lapped_not_asked,	/* aim: enters what is not published */
	unread_not_asked,	/* may_enter: enters what is unread */
	complete_at_end,	/* aim, take: complete when commit stands at its end */
	reserve_by_store,	/* reserve: a store, not a cmpxchg */
	end_not_kept,		/* close: where the events end */
	stacked_caches,		/* cache: a stacked writer tears it */
	discard_by_store,	/* back: takes back what was written behind */
	take_fill_first,	/* take: fill, then commit */
	consume_fill_first,	/* consume: fill, then commit */
	done_skipped,		/* release: with UNREAD still set */
	release_keeps_spare,	/* release: does not ask whether it failed */
	hold_any_lap,		/* hold: does not compare the lap */
	hold_by_store,		/* hold: a store, not a cmpxchg */
	drops_told_twice,	/* find_lost */
	floor_by_store,		/* stamp_look: the highest time falls */
	floor_not_set,		/* fast_floor: so an interrupt may be earlier */
	floor_not_asked,	/* fast_floor: the highest time falls */
	stamp_not_asked,	/* stamp_look: below what was published meanwhile */
	stamp_before_retry,	/* timed: keeps the time when the cmpxchg failed */
	base_not_asked,		/* aim: does not ask whose event is before */
	base_kept		/* rebase: the time of an event that was taken back */
};

#define SUBBUFS		(SLOTS + 1)
#define HEADER		1
#define SIZE		(HEADER + CAPACITY)
#define RECORD		1	/* units of a time stamp record */
#define NONE		255
#define WRITERS		((TASK > 0) + (IRQ > 0) + (NMI > 0))

/* ring_words.h: the slot's word is lap | HELD | UNREAD | index here, too */
#define LAPS		16
#define START		(WRAP * (LAPS - 1) * SLOTS)	/* first number of the stream */
#define HELD		8
#define UNREAD		4
#define INDEX(word)	((word) & 3)
#define LAP(word)	((word) >> 4)
#define WORD(lap, at)	((lap) << 4 | (at))
#define SLOT(n)		((n) % SLOTS)
#define LAP_OF(n)	(((n) / SLOTS) % LAPS)

#define NUMBER(pos)	(((pos) - 1) / SIZE)
#define FIRST(n)	((n) * SIZE + HEADER)
/* n is -1 for RING_NONE, which is complete */
#define COMPLETE(n, c)	((IS(complete_at_end) -> (c) / SIZE : NUMBER(c)) > (n))
#define STARTED(n, c)	((c) > FIRST(n))
#define OLDEST(c)	(NUMBER(c) >= r_number + 1 + SLOTS -> \
			 NUMBER(c) - SLOTS + 1 : r_number + 1)

/* struct ring, the writers' part */
byte write = FIRST(START), commit = FIRST(START);
byte limit, cached;
byte slot[SLOTS], slot_end[SLOTS];
byte spare;
byte seq;
byte dropped;
byte full_limit, full_slot, full_word = 255;

/* struct subbuf; fill is one word there, so its halves change in one step */
byte entries[SUBBUFS], base[SUBBUFS], sub_seq[SUBBUFS], sub_drops[SUBBUFS];
byte fill_events[SUBBUFS], fill_bytes[SUBBUFS];

/*
 * The memory. A unit that starts an event tells the number of the sub-buffer,
 * the event's size and whether it is padding; its other units are MORE.
 */
typedef subbuf_page {
	byte unit[CAPACITY]
};
subbuf_page page[SUBBUFS];
#define PADDING		8
#define MORE		7
#define UNIT(n, size)	(((n) % 15 + 1) << 4 | (size))

/* struct ring_reader */
short r_number = START - 1;
byte r_index;
bool r_in_slot, r_done;
byte r_read, r_entries, r_next_seq, r_drops, r_lost;

#if TIME
byte clock, stamp, floor;
typedef subbuf_times {
	byte first;		/* the time stamp of the sub-buffer */
	byte written[CAPACITY];	/* delta or, if so, absolute time of an event */
	bool absolute[CAPACITY];
	byte taken[CAPACITY]	/* what that should come to */
};
subbuf_times times[SUBBUFS];
byte last_read;
#endif

/* Not in the code, for the assertions only. */
byte cpu;			/* the writer that runs: a process's id, or 0 */
byte ended;			/* writers that have no more to write */
byte held;			/* the sub-buffer that is the reader's now, or NONE */

/*
 * Counters that the ring only ever adds to stand here as the differences that
 * have to come to something. So states in which they went different ways to
 * the same difference are one.
 */
byte unread;			/* reserved - read_events - overrun - dropped */
byte ahead;			/* read_events - events found in memory */
byte untold;			/* overrun + r_drops - events told as lost */

hidden byte i, word, sum;

/* May a writer store at pos, which is in sub-buffer n, to the one at index at? */
#define MAY_STORE(at, n, pos) \
	((at) != held || (r_in_slot && r_number == (n) && (pos) >= commit))

init {
	d_step {
		/* ring_reset(): a lap before the first, which a writer moves on from */
		i = 0;
		do
		:: i < SLOTS -> slot[i] = WORD(LAP_OF(START + (LAPS - 1) * SLOTS), i + 1); i++
		:: else -> break
		od;
		i = 0
	}
	atomic {
		/* a writer interrupts those with a lower process id */
		if
		:: TASK > 0 -> run writer(TASK)
		:: else
		fi;
		if
		:: IRQ > 0 -> run writer(IRQ)
		:: else
		fi;
		if
		:: NMI > 0 -> run writer(NMI)
		:: else
		fi;
		run reader()
	}
}

#include "writer.pml"
#include "reader.pml"
