// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's ring buffer, which ftrace writes to, by the functions that it
 * exports. The cases are those of tracemap.c.
 */
#include <linux/ring_buffer.h>
#include <linux/sizes.h>

#include "../../modules/compat.h"
#include "bench.h"

static struct trace_buffer *buffer;
static struct trace_buffer *full;
static u64 payload[256 / sizeof(u64)];

static __always_inline void reserve_commit_to(struct trace_buffer *to, struct bench_run *run,
					      size_t length)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();
		struct ring_buffer_event *event = ring_buffer_lock_reserve(to, length);

		if (unlikely(!event)) {
			run->failed = true;
			return;
		}
		bench_fill(ring_buffer_event_data(event), length);
		compat_ring_buffer_unlock_commit(to, event);
		bench_end(run, begin);
	}
}

static __always_inline void reserve_commit(struct bench_run *run, size_t length)
{
	reserve_commit_to(buffer, run, length);
}

static __always_inline void producer_consumer(struct bench_run *run, size_t length)
{
	reserve_commit_to(full, run, length);
}

static __always_inline void write(struct bench_run *run, size_t length)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();
		int err = ring_buffer_write(buffer, length, payload);

		bench_end(run, begin);
		run->failed |= err;
	}
}

static __always_inline void discard(struct bench_run *run, size_t length)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();
		struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, length);

		if (unlikely(!event)) {
			run->failed = true;
			return;
		}
		bench_fill(ring_buffer_event_data(event), length);
		ring_buffer_discard_commit(buffer, event);
		bench_end(run, begin);
	}
}

static __always_inline void stacked(struct bench_run *run, size_t length)
{
	while (bench_more(run)) {
		struct ring_buffer_event *outer = ring_buffer_lock_reserve(buffer, length);
		u64 begin = bench_begin();
		struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, length);

		if (unlikely(!outer || !event)) {
			run->failed = true;
			return;
		}
		bench_fill(ring_buffer_event_data(event), length);
		compat_ring_buffer_unlock_commit(buffer, event);
		bench_end(run, begin);
		compat_ring_buffer_unlock_commit(buffer, outer);
	}
}

static __always_inline void refused(struct bench_run *run, size_t length)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();
		struct ring_buffer_event *event = ring_buffer_lock_reserve(full, length);

		if (unlikely(event)) {
			run->failed = true;
			compat_ring_buffer_unlock_commit(full, event);
		}
		bench_end(run, begin);
	}
}

static int empty(void)
{
	ring_buffer_reset(full);
	return 0;
}

static int fill_up(void)
{
	unsigned int i;

	for (i = 0; i < SZ_1M; i++) {
		if (ring_buffer_write(full, 8, payload))
			return 0;
	}
	return -EINVAL;
}

static int lap(void)
{
	unsigned int i;

	for (i = 0; i < SZ_1M / sizeof(payload) * 2; i++) {
		if (ring_buffer_write(buffer, sizeof(payload), payload))
			return -EIO;
	}
	return 0;
}

BENCH_FUNCTIONS(reserve_commit)
BENCH_FUNCTION(producer_consumer, 16)
BENCH_FUNCTION(write, 16)
BENCH_FUNCTION(discard, 16)
BENCH_FUNCTION(stacked, 16)
BENCH_FUNCTION(refused, 16)

const struct bench_case ring_buffer_cases[] = {
	BENCH_CASES("ftrace", reserve_commit),
	BENCH_CASE("ftrace", write, 16),
	BENCH_CASE("ftrace", discard, 16),
	BENCH_CASE("ftrace", stacked, 16),
	{ .name = "ftrace.producer_consumer.16", .run = producer_consumer_16, .prepare = empty },
	{ .name = "ftrace.refused.16", .run = refused_16, .prepare = fill_up },
	{ .name = "ftrace.crossing.16", .run = reserve_commit_16, .prepare = lap },
	{ .name = "ftrace.extend.16", .run = reserve_commit_16, .pause = 200 },
	{ }
};

/**
 * ring_buffer_cases_init - make the buffers that ring_buffer_cases write to
 *
 * Context: may sleep.
 *
 * Return: 0 or an error.
 */
int ring_buffer_cases_init(void)
{
	buffer = ring_buffer_alloc(SZ_1M, RB_FL_OVERWRITE);
	if (!buffer)
		return -ENOMEM;
	full = ring_buffer_alloc(SZ_64K, 0);
	if (!full) {
		ring_buffer_free(buffer);
		return -ENOMEM;
	}
	return 0;
}

/**
 * ring_buffer_cases_exit - free them
 *
 * Context: may sleep.
 */
void ring_buffer_cases_exit(void)
{
	ring_buffer_free(full);
	ring_buffer_free(buffer);
}
