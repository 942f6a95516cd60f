/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of one CPU: positions, slots, reserve/commit/discard for its
 * writers, take/release for its reader. It knows nothing of files, of waiting
 * or of memory beyond the sub-buffers that it is given.
 */
#ifndef _TRACEMAP_RING_H
#define _TRACEMAP_RING_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>
#include <asm/local.h>
#include <asm/local64.h>

#include "subbuf.h"

struct tracemap_handle;

/**
 * struct subbuf - what the ring knows of one sub-buffer
 * @page:	its memory, in ftrace's page format
 * @entries:	events ever written to it; never reset, because a writer that
 *		was interrupted could not know whose events it would forget
 * @base:	@entries when the current lap began
 * @fill:	bytes of events in the low half, their number in the high half,
 *		as last published: one word, so that the reader sees both or none;
 *		written by one CPU only
 * @seq:	events that were published before the first one here
 * @drops:	events refused for want of room before the first one here
 * @missed:	SUBBUF_MISSED if events are missing just before the first one, which
 *		the reader finds out when it takes this one
 */
struct subbuf {
	struct subbuf_page	*page;
	local_t			entries;
	unsigned long		base;
	local64_t		fill;
	u64			seq;
	u64			drops;
	unsigned long		missed;
};

/**
 * struct ring_slot - a place in the ring
 * @word:	lap | HELD | UNREAD | index of the sub-buffer that stands here
 * @end:	offset behind the last event, once the writer has moved on
 */
struct ring_slot {
	atomic_long_t		word;
	u32			end;
};

/**
 * struct ring_reader - what the reader of a ring holds
 * @number:	the sub-buffer of the stream that it holds
 * @index:	where that one is
 * @in_slot:	it was taken from a slot; false at the very start
 * @done:	complete and read to its end, so UNREAD is cleared
 * @read:	bytes of events taken as read
 * @entries:	events taken as read
 * @next_seq:	sequence number that the next sub-buffer should start with
 * @drops:	drops that were reported up to here
 * @lost:	events lost just before the sub-buffer held
 */
struct ring_reader {
	u64			number;
	u32			index;
	bool			in_slot;
	bool			done;
	u32			read;
	u32			entries;
	u64			next_seq;
	u64			drops;
	u64			lost;
};

/**
 * struct ring - the ring of one CPU
 * @write:		position up to which bytes are reserved
 * @commit:		position up to which the stream can be read
 * @limit:		end of the sub-buffer that @cached stands for; 0 if that, or the time
 *			of the event that ends at @commit, is not known
 * @cached:		where the outermost writer last wrote: saves the division
 * @origin:		address that the payload of an event at position 0 would have
 *			in @cached's memory
 * @stamp:		time of the event that ends at @commit; or at least that, without
 *			@limit
 * @floor:		highest time that a writer may have handed out
 * @reserved:		events that writers asked for and did not discard
 * @clock:		the trace clock
 * @attention:		the ring's user wants to hear of the next event published;
 *			nothing to the ring, but each event asks for it
 * @watched:		and of the next sub-buffer entered: sets @attention then
 * @overwrite:		a full ring overwrites its oldest sub-buffer
 * @shift:		log2 of the sub-buffer's size
 * @nr_slots:		slots; there is one sub-buffer more
 * @slots:		the places in the ring
 * @subbufs:		the sub-buffers, by index
 * @spare:		index of the one that stands in no slot
 * @slot:		where @cached stands
 * @lap:		and on which lap, as in a slot's word
 * @full_limit:		end of the sub-buffer that the last event refused did not fit in
 * @full_slot:		the slot that it could not enter
 * @full_word:		and what it found there
 * @seq:		events published in the sub-buffers before @commit's
 * @dropped:		events refused because the ring was full, and those of @dropped_nested
 * @dropped_nested:	events refused because an interrupted writer was lapped
 * @dropped_big:	events refused because no sub-buffer can hold them
 * @overrun:		events overwritten before anyone read them
 * @subbufs_lost:	sub-buffers that went with them
 * @exchanges:		times the spare went in for a held sub-buffer
 * @reader:		what the reader holds; its user serialises
 * @read_events:	events taken as read
 * @subbufs_read:	sub-buffers taken
 *
 * Everything up to @exchanges belongs to the CPU's writers; the reader only
 * looks at it, but for the words and @spare. What every event touches fills the
 * first cache line.
 */
struct ring {
	local64_t		write ____cacheline_aligned_in_smp;
	atomic64_t		commit;
	u64			limit;
	struct subbuf		*cached;
	unsigned long		origin;
	local64_t		stamp;
	local64_t		floor;
	local_t			reserved;

	u64			(*clock)(void);
	bool			attention;
	bool			watched;
	bool			overwrite;
	unsigned int		shift;
	u32			nr_slots;
	struct ring_slot	*slots;
	struct subbuf		*subbufs;
	u32			spare;

	struct ring_slot	*slot;
	unsigned long		lap;
	u64			full_limit;
	struct ring_slot	*full_slot;
	unsigned long		full_word;
	u64			seq;
	local_t			dropped;
	local_t			dropped_nested;
	local_t			dropped_big;
	local_t			overrun;
	local_t			subbufs_lost;
	local_t			exchanges;

	struct ring_reader	reader ____cacheline_aligned_in_smp;
	u64			read_events;
	u64			subbufs_read;
};

/**
 * struct ring_span - events that the reader has just taken as read
 * @page:	the sub-buffer they stand in
 * @id:		and its index
 * @offset:	bytes of events before them
 * @bytes:	bytes of events taken; 0 if there were none
 * @lost:	events lost just before the first of them: not 0 only when
 *		@offset is 0
 */
struct ring_span {
	const struct subbuf_page *page;
	u32			id;
	u32			offset;
	u32			bytes;
	u64			lost;
};

/**
 * struct ring_stats - the counters of a ring at one moment
 *
 * At a quiet point reserved = read + unread + overrun + dropped_full +
 * dropped_nested + dropped_big. @unread is counted sub-buffer by sub-buffer,
 * not derived from the others, so that the sum means something.
 * @bytes are unread bytes; @oldest is the time stamp of the oldest unread
 * sub-buffer, 0 if there is none; @entries = @reserved less the dropped.
 */
struct ring_stats {
	u64			reserved;
	u64			entries;
	u64			read;
	u64			unread;
	u64			overrun;
	u64			dropped_full;
	u64			dropped_nested;
	u64			dropped_big;
	u64			exchanges;
	u64			subbufs_lost;
	u64			subbufs_touched;
	u64			subbufs_read;
	u64			bytes;
	u64			oldest;
};

/* a ring that takes no event */
extern struct ring ring_closed;

u32 ring_max_slots(void);
u64 ring_slots_for(unsigned long size, unsigned int shift);

int ring_init(struct ring *ring, unsigned int shift, u32 nr_slots,
	      struct subbuf_page **pages);
void ring_destroy(struct ring *ring);
void ring_reset(struct ring *ring);
void ring_move(struct ring *ring, struct ring *old);

/* ring_reserve() and ring_commit() are in ring_fast.h, these stand behind them */
void *ring_reserve_slow(struct tracemap_handle *handle);
void ring_commit_slow(struct tracemap_handle *handle);
bool ring_discard(struct tracemap_handle *handle);

bool ring_has_unread(const struct ring *ring);
u32 ring_ready_subbufs(const struct ring *ring);
bool ring_holds_complete(const struct ring *ring);
bool ring_take(struct ring *ring);
struct ring_span ring_consume(struct ring *ring);
void ring_counters(const struct ring *ring, struct ring_stats *stats);
void ring_stats(struct ring *ring, struct ring_stats *stats);

static inline u32 ring_nr_subbufs(const struct ring *ring)
{
	return ring->nr_slots + 1;
}

static inline u32 ring_subbuf_size(const struct ring *ring)
{
	return 1U << ring->shift;
}

#endif /* _TRACEMAP_RING_H */
