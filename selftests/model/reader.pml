/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reader: takes a sub-buffer, consumes what is in it, again and again, as
 * fast or slow as it likes.
 */

#define R_SLOT	slot[SLOT(r_number)]
#define R_WORD	WORD(LAP_OF(r_number), HELD | r_index)

/* ring_stats(): what is unread, when nobody writes */
inline count_unread()
{
	sum = (fill_bytes[r_index] > r_read -> fill_events[r_index] - r_entries : 0);
	i = OLDEST(commit);
	do
	:: STARTED(i, commit) ->
		word = slot[SLOT(i)];
		sum = sum + (LAP(word) == LAP_OF(i) -> fill_events[INDEX(word)] : 0);
		i++
	:: else -> break
	od
}

/* Invariant 1, when no writer is at work and the reader is between two calls. */
inline check_quiet()
{
	d_step {
		if
		:: cpu == 0 ->
			assert(write == commit);
			count_unread();
			assert(unread == sum && ahead == 0);
			sum = 0;
			i = 0;
			word = 0
		:: else
		fi
	}
}

/* Nobody writes any more, and ring_take() says that there is nothing to read. */
inline check_end()
{
	d_step {
		assert(unread == 0 && ahead == 0 && untold == 0);
		assert(r_drops <= dropped)
	}
}

/* The slot may be entered again: so all of the held sub-buffer must be read. */
inline reader_done()
{
	d_step {
		assert(fill_bytes[r_index] == r_read);
		if
		:: R_SLOT == (R_WORD | UNREAD) -> R_SLOT = R_WORD
		:: else
		fi;
		r_done = true
	}
}

/* Only the distance from one seq to the other matters: count from r_next_seq on. */
inline from_next_seq()
{
	d_step {
		i = 0;
		do
		:: i < SUBBUFS -> sub_seq[i] = sub_seq[i] - r_next_seq; i++
		:: else -> break
		od;
		i = 0;
		seq = seq - r_next_seq;
		r_next_seq = 0
	}
}

/* Invariant 2: what stands in the held sub-buffer from r_read to upto */
inline check_units()
{
	d_step {
		assert(upto <= CAPACITY);
		i = r_read;
		do
		:: i < upto ->
			word = page[r_index].unit[i];
			assert(word >> 4 == r_number % 15 + 1);
			sum = word & 7;
			assert(sum >= 1 && i + sum <= upto);
#if TIME
			seen = (i == 0 -> times[r_index].first : seen);
			if
			:: word & PADDING
			:: else ->
				seen = (times[r_index].absolute[i] ->
					times[r_index].written[i] :
					seen + times[r_index].written[i]);
				assert(seen == times[r_index].taken[i]);
				assert(seen >= last_read);
				last_read = seen
			fi;
#endif
			ahead = ahead - (word & PADDING -> 0 : 1);
			i++;
			sum--;
			do
			:: sum > 0 ->
				assert(page[r_index].unit[i] == MORE);
				i++;
				sum--
			:: else -> break
			od
		:: else -> break
		od;
		sum = 0;
		i = 0;
		word = 0
	}
}

proctype reader()
{
	byte seen;		/* commit */
	short next;		/* the sub-buffer to hold */
	byte old;		/* a slot's word */
	byte upto;		/* fill's bytes */
	bool complete;
	bool last;		/* all had ended when ring_take() was called */

#if TIME
	ended == WRITERS;
#endif

take:	atomic {	/* ring_take(): commit */
		check_quiet();
		last = (ended == WRITERS);
		if
		:: IS(take_fill_first) && fill_bytes[r_index] > r_read -> goto consume
		:: else
		fi;
		seen = commit
	}

take_fill:
	atomic {	/* ring_take(): is there more in what it holds? */
		seen = (IS(take_fill_first) -> commit : seen);
		if
		:: fill_bytes[r_index] > r_read && !IS(take_fill_first) ->
			seen = 0;
			goto consume
		:: else
		fi;
		if
		:: COMPLETE(r_number, seen) -> next = OLDEST(seen)
		:: else -> goto nothing
		fi;
		if
		:: !STARTED(next, seen) && (r_done || !r_in_slot) -> goto nothing
		:: !STARTED(next, seen) && r_in_slot && !r_done -> goto take_done
		:: else
		fi;
		if
		:: !r_in_slot -> goto hold
		:: r_in_slot && (r_done || IS(done_skipped)) -> goto release
		:: else -> goto release_done
		fi
	}

take_done:
	atomic {	/* ring_reader_done(), from ring_take() */
		reader_done();
		goto nothing
	}

release_done:
	reader_done();	/* ring_reader_done(), from ring_release() */

release:
	atomic {	/* ring_release(): the cmpxchg; its fill is complete */
		r_next_seq = sub_seq[r_index] + fill_events[r_index];
		from_next_seq();
		held = NONE;
		if
		:: R_SLOT == R_WORD -> R_SLOT = R_WORD & ~HELD; goto release_held
		:: IS(release_keeps_spare) && R_SLOT != R_WORD -> goto release_held
		:: else -> goto release_spare
		fi
	}

release_spare:
	spare = r_index;	/* ring_release(): the writer has taken the spare */

release_held:
	atomic {	/* ring_release(): the reader has the spare now, as at the start */
		r_in_slot = false;
		r_done = false;
		r_index = spare;
		r_read = 0;
		r_entries = 0;
		r_lost = 0;
		held = spare;
		i = 0;
		do
		:: i < SLOTS -> assert(INDEX(slot[i]) != spare); i++
		:: else -> break
		od;
		i = 0;
		fill_events[spare] = 0;
		fill_bytes[spare] = 0
	}

hold:	atomic {	/* ring_hold(): the word */
		seen = 0;
		old = slot[SLOT(next)];
		if
		:: LAP(old) == LAP_OF(next) || IS(hold_any_lap) -> goto hold_set
		:: else -> goto hold_next
		fi
	}

hold_set:
	atomic {	/* ring_hold(): the cmpxchg; then ring_find_lost() */
		if
		:: slot[SLOT(next)] == old || IS(hold_by_store)
		:: else -> goto hold_next
		fi;
		slot[SLOT(next)] = old | HELD;
		assert(next > r_number);
		held = INDEX(old);
		sum = next - r_number - 1;
		r_number = next;
		r_index = held;
		r_in_slot = true;
		r_done = false;
		next = 0;
		old = 0;

		assert(sub_seq[held] - r_next_seq < 128);
		assert(sum > 0 || sub_seq[held] == r_next_seq);
		sum = 0;
		r_lost = sub_seq[held] - r_next_seq;
		if
		:: sub_drops[held] > r_drops ->
			r_lost = r_lost + sub_drops[held] - r_drops;
			untold = untold - r_drops;
			r_drops = (IS(drops_told_twice) -> r_drops : sub_drops[held]);
			untold = untold + r_drops
		:: else
		fi;
		assert(fill_bytes[held] > 0);
		goto consume
	}

hold_next:
	atomic {	/* ring_take(): overwritten, so the next */
		old = 0;
		seen = commit;
		next = (next + 1 > OLDEST(seen) -> next + 1 : OLDEST(seen));
		if
		:: STARTED(next, seen) -> goto hold
		:: else -> goto nothing
		fi
	}

consume:
	complete = COMPLETE(r_number, commit);	/* ring_consume(): commit */

consume_fill:
	atomic {	/* ring_consume(): fill */
		upto = fill_bytes[r_index];
		assert(upto > r_read);
		check_units();
		untold = untold - (r_read == 0 -> r_lost : 0);
		unread = unread - (fill_events[r_index] - r_entries);
		ahead = ahead + (fill_events[r_index] - r_entries);
		r_entries = fill_events[r_index];
		r_read = upto;
		upto = 0;
		if
		:: IS(consume_fill_first) -> goto consume_commit
		:: !IS(consume_fill_first) && complete && r_in_slot && !r_done ->
			complete = false;
			goto consume_done
		:: else ->
			complete = false;
			goto take
		fi
	}

consume_commit:		/* of the mutant only */
	atomic {
		complete = false;
		if
		:: COMPLETE(r_number, commit) && r_in_slot && !r_done -> goto consume_done
		:: else -> goto take
		fi
	}

consume_done:
	atomic {	/* ring_consume(): lost behind the last event, ring_reader_done() */
		reader_done();
		goto take
	}

nothing:
	atomic {	/* ring_take() returns false */
		seen = 0;
		next = 0;
		if
		:: last -> check_end()
		:: else -> goto take
		fi
	}
}
