// SPDX-License-Identifier: GPL-2.0
/*
 * What is taken off the others' figures: the measuring, and the payload.
 */
#include <linux/ktime.h>
#include <linux/trace_clock.h>

#include "bench.h"

static u64 payload[256 / sizeof(u64)];

static void nothing(struct bench_run *run)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();

		bench_end(run, begin);
	}
}

static __always_inline void fill(struct bench_run *run, size_t length)
{
	void *to = payload;

	/* as if it came from a reservation */
	OPTIMIZER_HIDE_VAR(to);
	while (bench_more(run)) {
		u64 begin = bench_begin();

		bench_fill(to, length);
		bench_end(run, begin);
	}
}

static void local(struct bench_run *run)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();

		trace_clock_local();
		bench_end(run, begin);
	}
}

static void mono(struct bench_run *run)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();

		ktime_get_mono_fast_ns();
		bench_end(run, begin);
	}
}

BENCH_FUNCTIONS(fill)

const struct bench_case common_cases[] = {
	{ .name = "nothing", .run = nothing },
	BENCH_CASES("common", fill),
	{ .name = "clock.local", .run = local },
	{ .name = "clock.mono", .run = mono },
	{ }
};
