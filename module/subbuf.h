/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout of a sub-buffer and of the records in it: ftrace's page format, as
 * events/header_page and events/header_event describe it. Nothing outside this
 * file knows it.
 */
#ifndef _TRACEMAP_SUBBUF_H
#define _TRACEMAP_SUBBUF_H

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/local.h>

/**
 * struct subbuf_page - the memory of one sub-buffer
 * @time_stamp:	time of the first event
 * @commit:	bytes of events that can be read, and the flags below
 * @events:	the records
 */
struct subbuf_page {
	u64	time_stamp;
	local_t	commit;
	u8	events[];
};

#define SUBBUF_HEADER	offsetof(struct subbuf_page, events)

/* in @commit: events are missing before the first; their number is stored */
#define SUBBUF_MISSED	(1UL << 31)
#define SUBBUF_STORED	(1UL << 30)

/**
 * struct subbuf_event - the header of a record
 * @type_len:	words of payload, or one of the types below
 * @time_delta:	since the record before this one
 * @array:	payload; with @type_len 0 its length comes first
 */
struct subbuf_event {
	u32	type_len:5,
		time_delta:27;
	u32	array[];
};

enum subbuf_type {
	SUBBUF_MAX_WORDS	= 28,	/* longer payloads have type_len 0 */
	SUBBUF_PADDING		= 29,
	SUBBUF_TIME_EXTEND	= 30,
	SUBBUF_TIME_STAMP	= 31,
};

#define SUBBUF_EVENT		sizeof(struct subbuf_event)
#define SUBBUF_DELTA_BITS	27
#define SUBBUF_DELTA_MASK	((1U << SUBBUF_DELTA_BITS) - 1)
#define SUBBUF_TIME_SIZE	8U	/* a time-extend or absolute time stamp */
#define SUBBUF_SMALL		(SUBBUF_MAX_WORDS * 4)

/* bytes that an event with @length bytes of payload takes; never without any */
static inline u32 subbuf_event_size(u32 length)
{
	if (length > SUBBUF_SMALL)
		return ALIGN(length, 4) + 8;
	return ALIGN(length ? length : 1, 4) + 4;
}

/* the same for 1 to SUBBUF_SMALL bytes, without a question */
static __always_inline unsigned long subbuf_small_size(unsigned long length)
{
	return ALIGN(length + 4, 4);
}

/* the header of one of these, in one piece, in front of its @payload */
static __always_inline void subbuf_put_small(void *payload, unsigned long size, u32 delta)
{
#ifdef __BIG_ENDIAN_BITFIELD
	*((u32 *)payload - 1) = ((size / 4 - 1) << SUBBUF_DELTA_BITS) + delta;
#else
	*((u32 *)payload - 1) = (delta << (32 - SUBBUF_DELTA_BITS)) + size / 4 - 1;
#endif
}

/* an event of @size bytes; returns where its payload goes */
static inline void *subbuf_put_event(void *at, u32 size, u32 delta)
{
	struct subbuf_event *event = at;

	event->time_delta = delta;
	if (size > SUBBUF_SMALL + 4) {
		event->type_len = 0;
		event->array[0] = size - 4;
		return &event->array[1];
	}
	event->type_len = (size - 4) / 4;
	return &event->array[0];
}

static inline void subbuf_put_time(void *at, enum subbuf_type type, u64 time)
{
	struct subbuf_event *event = at;

	event->type_len = type;
	event->time_delta = time & SUBBUF_DELTA_MASK;
	event->array[0] = time >> SUBBUF_DELTA_BITS;
}

/* the same for a whole time in front of an event, in two stores */
static __always_inline void subbuf_put_stamp(void *at, u64 time)
{
	u32 *word = at;

#ifdef __BIG_ENDIAN_BITFIELD
	word[0] = SUBBUF_TIME_STAMP << SUBBUF_DELTA_BITS | (time & SUBBUF_DELTA_MASK);
#else
	word[0] = (u32)time << (32 - SUBBUF_DELTA_BITS) | SUBBUF_TIME_STAMP;
#endif
	word[1] = time >> SUBBUF_DELTA_BITS;
}

/* Is there a delta before the record at @at, and which? Not if it has an absolute time. */
static inline bool subbuf_get_delta(const void *at, u64 *delta)
{
	const struct subbuf_event *event = at;

	*delta = event->time_delta;
	if (event->type_len == SUBBUF_TIME_EXTEND)
		*delta |= (u64)event->array[0] << SUBBUF_DELTA_BITS;
	return event->type_len != SUBBUF_TIME_STAMP;
}

/* a delta of 0 would mean that the rest of the sub-buffer is padding */
static inline void subbuf_put_padding(void *at, u32 size)
{
	struct subbuf_event *event = at;

	event->type_len = SUBBUF_PADDING;
	event->time_delta = 1;
	event->array[0] = size - 4;
}

/* bytes of the record at @event */
static inline u32 subbuf_record_size(const struct subbuf_event *event)
{
	switch (event->type_len) {
	case SUBBUF_TIME_EXTEND:
	case SUBBUF_TIME_STAMP:
		return SUBBUF_TIME_SIZE;
	case SUBBUF_PADDING:
	case 0:
		return event->array[0] + 4;
	default:
		return event->type_len * 4 + 4;
	}
}

/*
 * Time of the last record before @offset: with this as its time stamp, an image
 * that starts at @offset tells the same times.
 */
static inline u64 subbuf_time_before(const struct subbuf_page *page, u32 offset)
{
	u64 time = page->time_stamp;
	u64 stamp;
	u32 at = 0;

	while (at < offset) {
		const struct subbuf_event *event = (const void *)page->events + at;

		at += subbuf_record_size(event);
		if (event->type_len < SUBBUF_TIME_EXTEND) {
			time += event->time_delta;
			continue;
		}
		stamp = event->time_delta | (u64)event->array[0] << SUBBUF_DELTA_BITS;
		if (event->type_len == SUBBUF_TIME_EXTEND)
			time += stamp;
		else	/* 59 bits, the rest as in the time before */
			time = stamp | (time & ~((1ULL << 59) - 1));
	}
	return time;
}

/*
 * Say in a sub-buffer that holds @bytes of events, and will hold no more, that
 * @lost events are missing before the first of them. @room is what is left
 * behind them.
 */
static inline void subbuf_put_missed(struct subbuf_page *page, u32 bytes, u32 room,
				     unsigned long lost)
{
	unsigned long flags = 0;

	if (lost)
		flags |= SUBBUF_MISSED;
	if (lost && room >= sizeof(lost)) {
		memcpy(page->events + bytes, &lost, sizeof(lost));
		flags |= SUBBUF_STORED;
	}
	local_set(&page->commit, bytes | flags);
}

#endif /* _TRACEMAP_SUBBUF_H */
