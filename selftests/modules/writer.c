// SPDX-License-Identifier: GPL-2.0
/*
 * Numbered records from one context of one CPU.
 */
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/smp.h>

#include "writer.h"

static DEFINE_PER_CPU(struct writer [TEST_NR_CONTEXTS], writers);

/**
 * shape_is_sane - check what user space asks for
 * @shape:	how records are to look
 *
 * Lengths beyond a sub-buffer are fine: the ring has to refuse them.
 *
 * Return: whether records can be made like that.
 */
bool shape_is_sane(const struct shape *shape)
{
	return shape->min_length >= sizeof(struct test_record) &&
	       shape->max_length >= shape->min_length &&
	       shape->max_length <= SZ_1M;
}

/**
 * writers_reset - start all sequences from 0
 *
 * Nobody may be writing.
 */
void writers_reset(void)
{
	enum test_context context;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (context = 0; context < TEST_NR_CONTEXTS; context++) {
			struct writer *writer = writer_get(cpu, context);

			*writer = (struct writer) {
				.cpu = cpu,
				.context = context,
				.random = 1,
			};
		}
	}
}

/**
 * writers_seed - start the random numbers
 * @seed:	of all series, of which each writer has its own
 *
 * Nobody may be writing.
 */
void writers_seed(u64 seed)
{
	enum test_context context;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (context = 0; context < TEST_NR_CONTEXTS; context++)
			writer_get(cpu, context)->random =
				(seed << 16) + cpu * TEST_NR_CONTEXTS + context + 1;
	}
}

/**
 * writer_get - find a writer
 * @cpu:	possible CPU
 * @context:	which of its contexts
 *
 * Return: the writer, which only that context on that CPU may use.
 */
struct writer *writer_get(unsigned int cpu, enum test_context context)
{
	return &per_cpu(writers, cpu)[context];
}

/**
 * writer_here - find this CPU's writer
 * @context:	the context that the caller is in
 *
 * The caller cannot migrate.
 *
 * Return: the writer.
 */
struct writer *writer_here(enum test_context context)
{
	return writer_get(smp_processor_id(), context);
}

/**
 * writer_random - a random number (xorshift64*)
 * @writer:	the caller's
 * @below:	not 0
 *
 * Return: 0 to @below - 1.
 */
u32 writer_random(struct writer *writer, u32 below)
{
	u64 x = writer->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	writer->random = x;
	return (u32)((x * 0x2545f4914f6cdd1dULL) >> 32) % below;
}

/* Most events are small, but every length has its turn. */
static u32 random_length(struct writer *writer, const struct shape *shape)
{
	u32 range = shape->max_length - shape->min_length + 1;

	if (range > 64 && writer_random(writer, 32))
		range = 64;
	return shape->min_length + (range > 1 ? writer_random(writer, range) : 0);
}

static void fill(struct test_record *record, const struct writer *writer, u64 seq, u32 length)
{
	u32 i;

	record->seq = seq;
	record->context = writer->context;
	record->cpu = writer->cpu;
	record->length = length;
	for (i = 0; i < length - sizeof(*record); i++)
		record->pattern[i] = seq + i;
}

#define SMALL	128	/* bytes that any stack has to spare */

static bool write_at_once(struct writer *writer, const struct shape *shape, u64 seq, u32 length)
{
	u64 record[SMALL / sizeof(u64)];

	fill((struct test_record *)record, writer, seq, length);
	return !tracemap_write(shape->buffer, record, length);
}

static bool write_in_place(struct writer *writer, const struct shape *shape, u64 seq, u32 length)
{
	struct tracemap_handle handle;
	struct test_record *record;

	record = tracemap_reserve(shape->buffer, &handle, length);
	if (!record)
		return false;
	fill(record, writer, seq, length);
	tracemap_commit(&handle);
	return true;
}

/**
 * writer_write - try to write the next record
 * @writer:	the caller's
 * @shape:	how it is to look
 *
 * Where it is, or, with every third of the small ones, from a copy. Any context.
 *
 * Return: whether it was accepted.
 */
bool writer_write(struct writer *writer, const struct shape *shape)
{
	u32 length = random_length(writer, shape);
	u64 seq = writer->attempted++;
	bool accepted;

	if (length <= SMALL && seq % 3 == 2)
		accepted = write_at_once(writer, shape, seq, length);
	else
		accepted = write_in_place(writer, shape, seq, length);
	writer->accepted += accepted;
	return accepted;
}

/**
 * writer_discard - reserve a record and take it back
 * @writer:	the caller's
 * @shape:	how it is to look
 *
 * A refusal counts as an attempt like any other. Any context.
 */
void writer_discard(struct writer *writer, const struct shape *shape)
{
	u32 length = random_length(writer, shape);
	struct tracemap_handle handle;
	struct test_record *record;

	record = tracemap_reserve(shape->buffer, &handle, length);
	if (!record) {
		writer->attempted++;
		return;
	}
	/* Should it ever be seen, nobody will take it for a good one. */
	fill(record, writer, U64_MAX, length);
	tracemap_discard(&handle);
	writer->discarded++;
}

/**
 * writer_hold - reserve a record and fill it, but do not commit it
 * @writer:	the caller's
 * @buffer:	where
 * @handle:	to commit it with
 * @length:	of the record
 *
 * Return: the record, or NULL if it was refused.
 */
void *writer_hold(struct writer *writer, struct tracemap_buffer *buffer,
		  struct tracemap_handle *handle, u32 length)
{
	u64 seq = writer->attempted++;
	struct test_record *record;

	record = tracemap_reserve(buffer, handle, length);
	if (!record)
		return NULL;
	fill(record, writer, seq, length);
	writer->accepted++;
	return record;
}

/**
 * writer_take_back - discard what writer_hold() has reserved
 * @writer:	the caller's
 * @handle:	as writer_hold() left it
 *
 * Its number goes to the next record.
 */
void writer_take_back(struct writer *writer, struct tracemap_handle *handle)
{
	tracemap_discard(handle);
	writer->attempted--;
	writer->accepted--;
	writer->discarded++;
}
