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

#define LIMIT(n)	(((n) + 1) * SIZE)

/* ring_subbuf(): behind ring_acquire(). Always the end of a step. */
inline acquired()
{
	if
	:: caller == FOR_RESERVE -> goto put
	:: caller == FOR_NEXT ->
		assert(at != held);
		sub_seq[at] = (IS(seq_not_set) -> sub_seq[at] : seq);
		publish_next()
	:: caller == FOR_PUBLISH -> goto publish_write
	fi
}

/* ring_subbuf(): the cache, or ring_acquire(). Always the end of a step. */
inline find()
{
	if
	:: limit == LIMIT(number) -> at = cached; acquired()
	:: else -> before_acquire(); goto acquire
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

/* No room. Always the end of a step. */
inline refused()
{
	dropped++;
	unread--;
	resume()
}

/* The event is over: those that it interrupted go on. Always the end of a step. */
inline resume()
{
	size = 0;
	start = 0;
	end = 0;
	found = 0;
	upto = 0;
	events = 0;
	number = 0;
	at = 0;
	drops = 0;
	caller = 0;
	first = 0;
	outermost = 0;
#if TIME
	time = 0;
	delta = 0;
	record = 0;
#endif
	cpu = interrupted;
	interrupted = 0;
	goto enter
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

/* ring_unbase() */
inline unbased()
{
#if TIME
	stamp = (floor > stamp -> floor : stamp);
#endif
	limit = (IS(limit_kept) -> limit : 0)
}

proctype writer(byte left) provided (cpu <= _pid)
{
	byte interrupted;		/* cpu, when this writer came */
	byte size;
	byte found, start, end, number, drops;	/* struct ring_aim, the handle */
	bool first, outermost;
	byte at;			/* the index of a sub-buffer */
	byte old, seen;			/* ring_acquire() */
	byte early;			/* and of a mutant */
	byte upto, events;		/* ring_publish() */
	byte caller;
#if TIME
	byte time, delta;
	bool record;
#endif

enter:	atomic {	/* ring_reserve(): reserved grows */
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
		unread++
	}

fast:	start = write;	/* ring_reserve(): write */

	atomic {	/* ring_reserve(): commit and limit */
		end = start + size;
		number = NUMBER(end);
		found = start;
		if
		:: (start != commit && !IS(commit_not_asked)) ||
		   end > limit -> goto still_full
		:: else
		fi;
#if TIME
		goto fast_time
	}

fast_time:
	atomic {	/* ring_reserve(): the clock, which may fall back */
		if
		:: clock++
		:: clock > 0 -> clock--
		fi;
		time = clock
	}

fast_floor:
	atomic {	/* ring_reserve(): stamp and floor */
		if
		:: time < stamp || (time < floor && !IS(floor_not_asked)) -> goto aim
		:: else -> delta = (start == found -> time - stamp : 0)
		fi
	}

	floor = (IS(floor_not_set) -> floor : time);	/* ring_reserve() */

	atomic {
#endif
		goto fast_reserve
	}

fast_reserve:
	atomic {	/* ring_reserve(): the cmpxchg */
		if
		:: (write != found && !IS(fast_by_store)) -> goto aim
		:: else -> write = end
		fi;
		if
		:: start != found -> goto close
		:: else
		fi
	}

#if TIME
fast_stamp:
	stamp = time;	/* ring_reserve() */
#endif

fast_put:
	atomic {	/* ring_reserve(): entries, the event */
		at = cached;
		assert(MAY_STORE(at, number, start));
		entries[at]++;
		goto event
	}

still_full:
	atomic {	/* ring_still_full(): the slot's word */
		if
		:: !OVERWRITE && start <= full_limit &&
		   (end > full_limit || IS(full_limit_not_asked)) &&
		   (slot[full_slot] == full_word || IS(full_word_not_asked)) ->
			/* rightly? */
			number = NUMBER(start) + 1;
			assert(NUMBER(end) == number && slot[SLOT(number)] & UNREAD &&
			       LAP(slot[SLOT(number)]) != LAP_OF(number));
			refused()
		:: else
		fi
	}

	atomic {	/* ring_reserve_slow(): commit and limit */
		if
		:: start != commit -> goto stack
		:: start == commit && end > limit &&
		   (start <= limit || IS(cross_without_limit)) -> goto cross
		:: else -> goto aim
		fi
	}

cross:	atomic {	/* ring_cross(): the slot's word; nobody else moves ring->slot */
		number = limit / SIZE;
		first = 1;
		start = FIRST(number);
		end = start + size;
		drops = dropped;
		if
		:: !OVERWRITE && slot[SLOT(number)] & UNREAD -> goto aim
		:: else
		fi;
#if TIME
		record = 0;
		goto fast_time
#else
		goto fast_reserve
#endif
	}

stack:	atomic {	/* ring_stack(): limit */
		first = 0;
#if TIME
		record = 1;
		delta = 0;
		end = end + RECORD;
#endif
		if
		:: end > limit && !IS(stack_anywhere) -> goto aim
		:: else -> goto timed
		fi
	}

aim:	atomic {	/* ring_aim(): drops and commit tell nothing that write does not */
		found = write;
		number = NUMBER(found);
		start = found;
		end = start + size;
		first = (start == FIRST(number));
		drops = dropped;
#if TIME
		delta = 0;
		record = 0;
		if
		:: !first && !(found == commit && limit) && !IS(base_not_asked) ->
			record = 1;
			end = end + RECORD
		:: else
		fi;
#endif
		if
		:: NUMBER(end) == number -> goto timed
		:: else
		fi;

		/* ring_aim_next() */
		number++;
		first = 1;
		start = FIRST(number);
		end = start + size;
#if TIME
		record = 0;
#endif

		/* ring_may_enter(): commit stays while anybody is in here */
		if
		:: number < SLOTS -> goto timed
		:: number >= SLOTS && !IS(lapped_not_asked) &&
		   !COMPLETE(number - SLOTS, commit) ->
			refused()
		:: else
		fi;
		if
		:: OVERWRITE || IS(unread_not_asked) -> goto timed
		:: else -> goto may_enter
		fi
	}

may_enter:
	atomic {	/* ring_may_enter(): the slot's word */
		if
		:: !(slot[SLOT(number)] & UNREAD) ||
		   (LAP(slot[SLOT(number)]) + 1) % LAPS != LAP_OF(number) -> goto timed
		:: else -> old = slot[SLOT(number)]
		fi
	}

	full_limit = LIMIT(number - 1);	/* ring_may_enter(): what it found */
	full_slot = SLOT(number);
	atomic {
		full_word = old;
		old = 0;
		refused()
	}

timed:	skip;
#if TIME
	atomic {
		if
		:: IS(stamp_before_retry) && time > 0 -> goto place
		:: else -> goto stamp_look
		fi
	}

stamp_look:
	seen = floor;		/* ring_time(): the highest so far */

	atomic {		/* ring_time(): the clock, which may fall back */
		if
		:: clock++
		:: clock > 0 -> clock--
		fi;
		time = (clock < seen -> seen : clock);
		time = (time < stamp && !IS(stamp_not_asked) -> stamp : time)
	}

	atomic {		/* ring_time(): the cmpxchg */
		if
		:: floor == seen || IS(floor_by_store) ->
			floor = time;
			seen = 0;
			goto place
		:: else -> goto stamp_look
		fi
	}

place:	atomic {	/* ring_aim(): the delta */
		delta = (!first && !record -> time - stamp : 0);
		goto reserve
	}
#endif

reserve:
	atomic {	/* ring_reserve_slow(): the cmpxchg */
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

close:	atomic {	/* ring_leave() or ring_close_subbuf(), then where it is */
		if
		:: start != found && found == commit ->
			/* ring_subbuf(): nobody can be here but this writer */
			assert(LAP(slot[SLOT(number - 1)]) == LAP_OF(number - 1));
			at = INDEX(slot[SLOT(number - 1)]);
			seq = (IS(leave_not_counted) -> seq : seq + entries[at] - base[at])
		:: start != found && found != commit && !IS(end_not_kept) ->
			slot_end[SLOT(NUMBER(found))] = found - FIRST(NUMBER(found))
		:: else
		fi;
		caller = FOR_RESERVE;
		find()
	}

acquire:
	atomic {	/* ring_acquire(): the word; and entries, which nobody changes
			   while the word stays */
		old = slot[SLOT(number)];
		at = INDEX(old);
		seen = entries[at];
		if
		:: (LAP(old) == LAP_OF(number) && !IS(lap_not_compared)) ||
		   (LAP(old) > LAP_OF(number) && IS(lap_not_modulo)) ->
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

put:	atomic {	/* ring_reserve_slow(): entries, ring_open_subbuf() */
		assert(MAY_STORE(at, number, start));
		entries[at]++;
		if
		:: first ->
			assert(at != held);
			sub_drops[at] = drops;
			fill_events[at] = 0;
			fill_bytes[at] = 0;
#if TIME
			times[at].first = time;
#endif
		:: else
		fi;
		drops = 0;

		/* is it the outermost? */
		if
		:: found == commit || IS(stacked_caches) ->
			goto cache
		:: else -> goto event
		fi
	}

cache:	limit = 0;		/* ring_cache() */
	cached = at;
	limit = LIMIT(number);
	atomic {		/* ring_enter_outermost(): the time */
#if TIME
		stamp = time;
#endif
		if
		:: start == found || found != commit -> goto event
		:: IS(commit_not_moved) -> goto event
		:: else
		fi
	}

leave:	atomic {	/* ring_enter_outermost(): what was before */
		assert(at != held);
		sub_seq[at] = (IS(seq_not_set) -> sub_seq[at] : seq)
	}

leave_commit:
	atomic {	/* ring_enter_outermost(): commit */
		assert(start > commit);
		commit = start;
		goto event
	}

event:	atomic {	/* subbuf_put_small(), subbuf_put_event() */
		assert(MAY_STORE(at, number, start));
		store(at, UNIT(number, end - start));
#if TIME
		times[at].taken[start - FIRST(number)] = time;
		times[at].absolute[start - FIRST(number)] = record;
		times[at].written[start - FIRST(number)] = (record -> time : delta);
#endif
		goto finish
	}

finish:	atomic {	/* the event's owner decides */
		if
		:: start == commit -> goto fast_fill	/* ring_commit() */
		:: start != commit && !IS(stacked_publishes) ->
			resume()		/* ring_commit_slow() */
		:: start != commit && IS(stacked_publishes) -> goto publish
		:: DISCARD ->		/* ring_discard(): the counts */
			assert(MAY_STORE(at, number, start));
			entries[at]--;
			unread--;
			first = (start == FIRST(number));
			outermost = (start == commit);
			if
			:: outermost && !IS(base_kept) -> goto rebase
			:: else -> goto back
			fi
		fi
	}

rebase:	atomic {	/* ring_discard(): ring_rebase() */
		if
		:: first -> unbased()
#if TIME
		:: !first && !record -> stamp = stamp - delta
		:: !first && record -> unbased()
#else
		:: !first
#endif
		fi
	}

back:	atomic {	/* ring_discard(): the cmpxchg */
		if
		:: write == end || IS(discard_by_store) ->
			write = start;
			resume()
		:: else
		fi;
		store(at, UNIT(number, PADDING | (end - start)));
		if
		:: outermost -> goto publish
		:: else -> resume()
		fi
	}

fast_fill:
	atomic {	/* ring_commit(): fill */
		assert(MAY_STORE(cached, number, commit));
		fill_events[cached]++;
		fill_bytes[cached] = fill_bytes[cached] + (end - start);
		goto fast_commit
	}

fast_commit:
	commit = end;	/* ring_commit() */

fast_look:
	atomic {	/* ring_commit(): has anybody left something? */
		if
		:: write == end || IS(no_second_look) -> resume()
		:: else -> goto look
		fi
	}

publish:
	atomic {	/* ring_publish(): commit and the cache are this writer's */
		number = NUMBER(commit);
		caller = FOR_PUBLISH;
		find()
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
		find()
	}

publish_events:
	events = entries[at] - base[at];	/* ring_publish(): ring_events() */

publish_again:
	atomic {	/* ring_publish(): write again */
		if
		:: write != upto && !IS(write_read_once) -> goto publish_write
		:: else
		fi
	}

unbase:	unbased();	/* ring_publish() */

publish_fill:
	atomic {	/* ring_publish(): ring_fill() */
		if
		:: IS(commit_before_fill) -> commit = upto; goto publish_late
		:: else
		fi;
		fill();
		goto publish_commit
	}

publish_late:			/* of the mutant only */
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

look:	atomic {	/* ring_publish_rest(): commit */
		seen = commit;
		if
		:: IS(no_second_look) -> seen = 0; resume()
		:: else
		fi
	}

look_write:
	upto = write;	/* ring_publish_rest(): write */

look_again:
	atomic {	/* ring_publish_rest(): commit once more */
		if
		:: commit != seen && !IS(look_once) -> upto = 0; seen = 0; goto look
		:: else
		fi;
		if
		:: upto == seen -> seen = 0; resume()
		:: else -> upto = 0; seen = 0; goto publish
		fi
	}

over:	skip
}
