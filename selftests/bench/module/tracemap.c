// SPDX-License-Identifier: GPL-2.0
/*
 * tracemap's own ring. Which clock it has, and what it does when it is full, is
 * set with the files of instances/bench.
 */
#include <linux/err.h>
#include <linux/sizes.h>
#include <linux/tracemap_buffer.h>

#include "bench.h"

static struct tracemap_buffer *buffer;
static struct tracemap_buffer *full;
static u64 payload[256 / sizeof(u64)];

static __always_inline void reserve_commit(struct bench_run *run, size_t length)
{
	struct tracemap_handle handle;

	while (bench_more(run)) {
		u64 begin = bench_begin();
		void *to = tracemap_reserve(buffer, &handle, length);

		if (unlikely(!to)) {
			run->failed = true;
			return;
		}
		bench_fill(to, length);
		tracemap_commit(&handle);
		bench_end(run, begin);
	}
}

static __always_inline void write(struct bench_run *run, size_t length)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();
		int err = tracemap_write(buffer, payload, length);

		bench_end(run, begin);
		run->failed |= err;
	}
}

static __always_inline void discard(struct bench_run *run, size_t length)
{
	struct tracemap_handle handle;

	while (bench_more(run)) {
		u64 begin = bench_begin();
		void *to = tracemap_reserve(buffer, &handle, length);

		if (unlikely(!to)) {
			run->failed = true;
			return;
		}
		bench_fill(to, length);
		tracemap_discard(&handle);
		bench_end(run, begin);
	}
}

/* As reserve_commit(), while another event of this CPU's is open */
static __always_inline void stacked(struct bench_run *run, size_t length)
{
	struct tracemap_handle outer, handle;

	while (bench_more(run)) {
		void *below = tracemap_reserve(buffer, &outer, length);
		u64 begin = bench_begin();
		void *to = tracemap_reserve(buffer, &handle, length);

		if (unlikely(!below || !to)) {
			run->failed = true;
			return;
		}
		bench_fill(to, length);
		tracemap_commit(&handle);
		bench_end(run, begin);
		tracemap_commit(&outer);
	}
}

static __always_inline void refused(struct bench_run *run, size_t length)
{
	struct tracemap_handle handle;

	while (bench_more(run)) {
		u64 begin = bench_begin();
		void *to = tracemap_reserve(full, &handle, length);

		if (unlikely(to)) {
			run->failed = true;
			tracemap_commit(&handle);
		}
		bench_end(run, begin);
	}
}

static int fill_up(void)
{
	unsigned int i;

	for (i = 0; i < SZ_1M; i++) {
		if (tracemap_write(full, payload, 8))
			return 0;
	}
	return -EINVAL;
}

/* From the second lap on there is something to overwrite */
static int lap(void)
{
	unsigned int i;

	for (i = 0; i < SZ_1M / sizeof(payload) * 2; i++) {
		if (tracemap_write(buffer, payload, sizeof(payload)))
			return -EIO;
	}
	return 0;
}

BENCH_FUNCTIONS(reserve_commit)
BENCH_FUNCTION(write, 16)
BENCH_FUNCTION(discard, 16)
BENCH_FUNCTION(stacked, 16)
BENCH_FUNCTION(refused, 16)

const struct bench_case tracemap_cases[] = {
	BENCH_CASES("tracemap", reserve_commit),
	BENCH_CASE("tracemap", write, 16),
	BENCH_CASE("tracemap", discard, 16),
	BENCH_CASE("tracemap", stacked, 16),
	{ .name = "tracemap.refused.16", .run = refused_16, .prepare = fill_up },
	{ .name = "tracemap.crossing.16", .run = reserve_commit_16, .prepare = lap },
	{ .name = "tracemap.extend.16", .run = reserve_commit_16, .pause = 200 },
	{ }
};

/**
 * tracemap_cases_init - make the buffers that tracemap_cases write to
 *
 * Context: may sleep.
 *
 * Return: 0 or an error.
 */
int tracemap_cases_init(void)
{
	buffer = tracemap_buffer_create("bench", SZ_1M, 0, TRACEMAP_OVERWRITE);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	full = tracemap_buffer_create("bench-full", SZ_64K, 0, TRACEMAP_PRODUCER_CONSUMER);
	if (IS_ERR(full)) {
		tracemap_buffer_destroy(buffer);
		return PTR_ERR(full);
	}
	return 0;
}

/**
 * tracemap_cases_exit - free them
 *
 * Context: may sleep.
 */
void tracemap_cases_exit(void)
{
	tracemap_buffer_destroy(full);
	tracemap_buffer_destroy(buffer);
}
