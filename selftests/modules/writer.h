/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbered records from one context of one CPU.
 */
#ifndef _TEST_WRITER_H
#define _TEST_WRITER_H

#include <linux/tracemap_buffer.h>
#include <linux/types.h>

#include "tracemap_test.h"

/**
 * struct writer - one context of one CPU
 * @cpu:	whose
 * @context:	enum test_context
 * @attempted:	sequence numbers used up
 * @accepted:	those of them that found room
 * @discarded:	events taken back
 * @random:	state of its random numbers
 *
 * A context never interrupts itself, so nothing here needs to be atomic.
 */
struct writer {
	u16	cpu;
	u16	context;
	u64	attempted;
	u64	accepted;
	u64	discarded;
	u64	random;
};

/**
 * struct shape - what the records look like
 * @buffer:	where they go
 * @min_length:	of a record
 * @max_length:	of a record
 * @discard:	every which one is taken back, 0 for none
 */
struct shape {
	struct tracemap_buffer	*buffer;
	u32			min_length;
	u32			max_length;
	u32			discard;
};

bool shape_is_sane(const struct shape *shape);

void writers_reset(void);
void writers_seed(u64 seed);
struct writer *writer_get(unsigned int cpu, enum test_context context);
struct writer *writer_here(enum test_context context);

u32 writer_random(struct writer *writer, u32 below);
bool writer_write(struct writer *writer, const struct shape *shape);
void writer_discard(struct writer *writer, const struct shape *shape);
void *writer_hold(struct writer *writer, struct tracemap_buffer *buffer,
		  struct tracemap_handle *handle, u32 length);
void writer_take_back(struct writer *writer, struct tracemap_handle *handle);

#endif /* _TEST_WRITER_H */
