/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A writer: reserves, then commits or discards, one event after the other. It
 * may start between any two steps of those that it can interrupt, which then
 * wait until its event is done.
 */

/* where to go when the slot is acquired */
#define FOR_RESERVE	1
#define FOR_PUBLISH	2
#define FOR_NEXT	3

/* ring_enter(), ring_publish(): behind ring_acquire(). Always the end of a step. */
inline acquired()
{
	if
	:: caller == FOR_RESERVE ->
		if
		:: nest == 1 || IS(stacked_caches) -> goto cache
		:: else -> goto put
		fi
	:: caller == FOR_NEXT ->
		assert(at != held);
		sub_seq[at] = (IS(seq_not_set) -> sub_seq[at] : seq);
		publish_next()
	:: caller == FOR_PUBLISH -> goto publish_write
	fi
}

/* ring_publish(): is there another one behind this? Always the end of a step. */
inline publish_next()
{
	if
	:: number < NUMBER(upto) -> goto publish_finish
	:: else -> goto publish_events
	fi
}

/* ring_fill() of the newest */
inline fill()
{
	d_step {
		assert(MAY_STORE(at, number, commit));
		fill_events[at] = events;
		fill_bytes[at] = upto - FIRST(number)
	}
}

/* for the mutant; without it, early is always 0 */
inline before_acquire()
{
	early = (IS(spare_read_early) -> spare : 0)
}

/* The event is over: those that it interrupted go on. */
inline resume()
{
	size = 0;
	cpu = interrupted;
	interrupted = 0
}

/* Nothing of an earlier lap matters any more, so do not tell states apart by it. */
inline forget(index)
{
	d_step {
		i = 0;
		do
		:: i < CAPACITY ->
			page[index].unit[i] = 0;
#if TIME
			times[index].written[i] = 0;
			times[index].absolute[i] = 0;
			times[index].taken[i] = 0;
#endif
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* The units from start to end, of which the first says what they are. */
inline store(index, what)
{
	d_step {
		page[index].unit[start - FIRST(number)] = what;
		i = start + 1;
		do
		:: i < end -> page[index].unit[i - FIRST(number)] = MORE; i++
		:: else -> break
		od;
		i = 0
	}
}

proctype writer(byte left) provided (cpu <= _pid)
{
	byte interrupted;		/* cpu, when this writer came */
	byte size;
	byte found, start, end, number, drops;	/* struct ring_aim */
	byte at;			/* the index of a sub-buffer */
	byte old, seen;			/* ring_acquire() */
	byte early;			/* and of a mutant */
	byte upto, events;		/* ring_publish() */
	byte caller;
#if TIME
	byte time, delta;
	bool record;
#endif

enter:	atomic {	/* ring_reserve(): reserved and nest grow */
		if
		:: left == 0 -> ended++; goto over
		:: left > 0 ->
			left--;
			interrupted = cpu;
			cpu = _pid
		fi;
		if
		:: size = 1
		:: CAPACITY > 1 -> size = 2
		fi;
		unread++;
		nest++;
#if TIME
		goto aim
	}

aim:	atomic {	/* ring_aim(): write */
		found = write;
		if
		:: IS(stamp_before_retry) && time > 0 -> goto place
		:: else -> goto stamp_look
		fi
	}

stamp_look:
	seen = stamp;		/* ring_time(): the highest so far */

	atomic {		/* ring_time(): the clock, which may fall back */
		if
		:: clock++
		:: clock > 0 -> clock--
		fi;
		time = (clock < seen -> seen : clock)
	}

	atomic {		/* ring_time(): the cmpxchg */
		if
		:: stamp == seen || IS(stamp_by_store) ->
			stamp = time;
			seen = 0;
			goto place
		:: else -> goto stamp_look
		fi
	}

place:	atomic {	/* ring_aim(), now with the time */
		number = NUMBER(found);
		start = found;
		end = start + size;
		record = 0;
		delta = 0;
		if
		:: start == FIRST(number)
		:: start != FIRST(number) &&
		   ((nest == 1 && found == last_end) || IS(delta_not_asked)) ->
			delta = time - last_stamp
		:: else ->
			record = 1;
			end = end + RECORD
		fi;
#else
		goto aim
	}

aim:	atomic {	/* ring_aim(): drops and commit tell nothing that write does not */
		found = write;
		number = NUMBER(found);
		start = found;
		end = start + size;
#endif
		drops = dropped;
		if
		:: NUMBER(end) == number -> goto reserve
		:: else
		fi;

		/* ring_aim_next() */
		number++;
		start = FIRST(number);
		end = start + size;
#if TIME
		record = 0;
		delta = 0;
#endif

		/* ring_may_enter(): commit stays while anybody is in here */
		if
		:: number < SLOTS -> goto reserve
		:: number >= SLOTS && !IS(lapped_not_asked) &&
		   !COMPLETE(number - SLOTS, commit) ->
			dropped++;
			unread--;
			goto leave
		:: else
		fi;
		if
		:: OVERWRITE || IS(unread_not_asked) -> goto reserve
		:: else -> goto may_enter
		fi
	}

may_enter:
	atomic {	/* ring_may_enter(): the slot's word */
		if
		:: LAP(slot[SLOT(number)]) == LAP_OF(number) ||
		   !(slot[SLOT(number)] & UNREAD) -> goto reserve
		:: else ->
			dropped++;
			unread--;
			goto leave
		fi
	}

reserve:
	atomic {	/* ring_reserve(): the cmpxchg */
		if
		:: write == found || IS(reserve_by_store) ->
			write = end;
#if TIME
			assert(end <= FIRST(number) + CAPACITY);
#endif
			goto close
		:: else -> goto aim
		fi
	}

close:	atomic {	/* ring_close_subbuf(), then whether the cache will do */
		if
		:: start != found && !IS(end_not_kept) ->
			slot_end[SLOT(NUMBER(found))] = found - FIRST(NUMBER(found))
		:: else
		fi;
		found = 0;
		caller = FOR_RESERVE;
		at = cached;
		if
		:: cached_number == number -> goto put
		:: else -> before_acquire(); goto acquire
		fi
	}

acquire:
	atomic {	/* ring_acquire(): the word; and entries, which nobody changes
			   while the word stays */
		old = slot[SLOT(number)];
		at = INDEX(old);
		seen = entries[at];
		if
		:: LAP(old) == LAP_OF(number) && !IS(lap_not_compared) ->
			old = 0;
			seen = 0;
			acquired()
		:: else
		fi;
		if
		:: old & HELD && !IS(spare_not_used) -> goto acquire_spare
		:: else -> goto exchange
		fi
	}

acquire_spare:
	atomic {	/* ring_acquire(): the spare */
		at = (IS(spare_read_early) -> early : spare);
		seen = entries[at]
	}

exchange:
	atomic {	/* ring_acquire(): the cmpxchg */
		if
		:: slot[SLOT(number)] == old || IS(acquire_by_store) ->
			slot[SLOT(number)] = WORD(LAP_OF(number), UNREAD | at);
			forget(at);
			goto account
		:: else -> before_acquire(); goto acquire
		fi
	}

account:
	atomic {	/* ring_acquire(): what was overwritten, and base */
		assert(at != held);
		seen = (IS(base_read_late) -> entries[at] : seen);
		if
		:: old & UNREAD && !(old & HELD) && !IS(overrun_not_counted) ->
			assert(OVERWRITE);
			unread = unread - (seen - base[at]);
			untold = untold + (seen - base[at])
		:: else
		fi;
		/* base = seen, but both counted from here: nobody has an older one */
		entries[at] = entries[at] - seen;
		base[at] = 0;
		old = 0;
		seen = 0;
		acquired()
	}

cache:	cached_number = NONE;	/* ring_enter() */
	cached = at;
	cached_number = number;

put:	atomic {	/* ring_reserve(): entries, ring_open_subbuf(), the event */
		assert(MAY_STORE(at, number, start));
		entries[at]++;
		if
		:: start == FIRST(number) ->
			assert(at != held);
			sub_drops[at] = drops;
#if TIME
			times[at].first = time;
#endif
		:: else
		fi;
		store(at, UNIT(number, end - start));
#if TIME
		times[at].taken[start - FIRST(number)] = time;
		times[at].absolute[start - FIRST(number)] = record;
		times[at].written[start - FIRST(number)] = (record -> time : delta);
		open_stamp = (nest == 1 -> time : open_stamp);
#endif
		drops = 0;
		goto finish
	}

finish:	atomic {	/* the event's owner decides */
		if
		:: true		/* ring_commit() */
#if TIME
			-> if
			:: nest == 1 -> last_end = end; last_stamp = open_stamp
			:: else
			fi
#endif
		:: DISCARD ->	/* ring_discard(): the counts, then the cmpxchg */
			assert(MAY_STORE(at, number, start));
			entries[at]--;
			unread--;
			if
			:: write == end || IS(discard_by_store) -> write = start
			:: else -> store(at, UNIT(number, PADDING | (end - start)))
			fi;
			goto leave
		fi;
		goto leave
	}

leave:	atomic {	/* ring_leave() */
		start = 0;
		end = 0;
		number = 0;
		at = 0;
		drops = 0;
		found = 0;
		caller = 0;
#if TIME
		time = 0;
		delta = 0;
		record = 0;
#endif
		if
		:: nest != 1 && !IS(stacked_publishes) ->
			nest--;
			resume();
			goto enter
		:: else -> goto publish
		fi
	}

publish:
	atomic {	/* ring_publish(): commit and the cache are this writer's */
		nest = (IS(nest_falls_early) -> 0 : nest);
		number = NUMBER(commit);
		caller = FOR_PUBLISH;
		at = cached;
		if
		:: cached_number == number -> goto publish_write
		:: else -> before_acquire(); goto acquire
		fi
	}

publish_write:
	atomic {	/* ring_publish(): write */
		upto = write;
		publish_next()
	}

publish_finish:
	atomic {	/* ring_finish() */
		assert(MAY_STORE(at, number, commit));
		fill_events[at] = entries[at] - base[at];
		fill_bytes[at] = slot_end[SLOT(number)];
		seq = seq + fill_events[at];
		number++;
		caller = FOR_NEXT;
		before_acquire(); goto acquire
	}

publish_events:
	events = entries[at] - base[at];	/* ring_publish(): ring_events() */

publish_again:
	atomic {	/* ring_publish(): write again; ring_fill() */
		if
		:: write != upto && !IS(write_read_once) -> goto publish_write
		:: else
		fi;
		if
		:: IS(commit_before_fill) -> commit = upto; goto publish_fill
		:: else
		fi;
		fill();
		goto publish_commit
	}

publish_fill:			/* of the mutant only */
	fill();

publish_commit:
	atomic {	/* ring_publish(): commit */
		assert(upto >= commit);
		commit = upto;
		upto = 0;
		events = 0;
		number = 0;
		at = 0;
		caller = 0
	}

	nest = (IS(stacked_publishes) -> nest - 1 : 0);	/* ring_leave() */

look:	found = write;		/* ring_leave(): the second look */
	atomic {
		if
		:: found == commit || IS(no_second_look) || nest != 0 ->
			found = 0;
			resume();
			goto enter
		:: else ->
			found = 0;
			nest = 1;
			goto publish
		fi
	}

over:	skip
}
