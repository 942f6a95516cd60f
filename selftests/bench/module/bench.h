/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the measured cases share. A case runs an operation again and again, and
 * takes the time of each on its own: where virtual time goes on by a nanosecond
 * an instruction, that is the exact number of instructions. What the measuring
 * itself takes is a case, too, for user space to take off.
 */
#ifndef _BENCH_H
#define _BENCH_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/msr.h>

#define BENCH_SAMPLES	1024

/**
 * struct bench_run - one case while it is measured
 * @taken:	samples so far
 * @end:	where the current batch of samples ends
 * @failed:	an operation did not do what it is measured for
 * @cost:	the samples
 */
struct bench_run {
	unsigned int	taken;
	unsigned int	end;
	bool		failed;
	u32		cost[BENCH_SAMPLES];
};

/**
 * struct bench_case - something to measure
 * @name:	what user space calls it
 * @prepare:	brings about what @run needs; may sleep; NULL for nothing
 * @run:	takes a batch of samples, with interrupts off
 * @pause:	milliseconds to sleep before each sample; there are few, then
 */
struct bench_case {
	const char	*name;
	int		(*prepare)(void);
	void		(*run)(struct bench_run *run);
	unsigned int	pause;
};

/* Each ends with a case without a name */
extern const struct bench_case common_cases[];
extern const struct bench_case tracemap_cases[];
extern const struct bench_case ring_buffer_cases[];
extern const struct bench_case relay_cases[];
extern const struct bench_case bpf_cases[];
extern const struct bench_case event_cases[];

int tracemap_cases_init(void);
void tracemap_cases_exit(void);
int ring_buffer_cases_init(void);
void ring_buffer_cases_exit(void);
int relay_cases_init(void);
void relay_cases_exit(void);
int bpf_cases_use(int fd);
void bpf_cases_exit(void);
int event_cases_init(void);

struct seq_file;

void steps_take(const struct bench_case *one, struct bench_run *run);
int steps_show(struct seq_file *file, void *unused);
int steps_init(void);
void steps_exit(void);

/* The same case with payloads of several lengths, each known to the compiler as
 * callers know theirs
 */
#define BENCH_FUNCTION(function, length)				\
	static void function##_##length(struct bench_run *run)		\
	{								\
		function(run, length);					\
	}

#define BENCH_FUNCTIONS(function)					\
	BENCH_FUNCTION(function, 8)					\
	BENCH_FUNCTION(function, 16)					\
	BENCH_FUNCTION(function, 32)					\
	BENCH_FUNCTION(function, 64)					\
	BENCH_FUNCTION(function, 256)

#define BENCH_CASE(prefix, function, length)				\
	{ .name = prefix "." #function "." #length, .run = function##_##length }

#define BENCH_CASES(prefix, function)					\
	BENCH_CASE(prefix, function, 8),				\
	BENCH_CASE(prefix, function, 16),				\
	BENCH_CASE(prefix, function, 32),				\
	BENCH_CASE(prefix, function, 64),				\
	BENCH_CASE(prefix, function, 256)

static inline bool bench_more(const struct bench_run *run)
{
	return run->taken < run->end && !run->failed;
}

/* The time is in a register that calls preserve, whatever follows: so all cases
 * spend the same on it.
 */
static __always_inline u64 bench_begin(void)
{
	u64 begin = rdtsc_ordered();

	asm volatile("" : "+b" (begin) : : "memory");
	return begin;
}

static __always_inline void bench_end(struct bench_run *run, u64 begin)
{
	asm volatile("" : : : "memory");
	run->cost[run->taken++] = rdtsc_ordered() - begin;
}

/* One instruction for 8 bytes */
static __always_inline void bench_fill(void *payload, size_t length)
{
	u64 *word = payload;
	size_t i;

#pragma GCC unroll 32
	for (i = 0; i < length / sizeof(*word); i++)
		WRITE_ONCE(word[i], i);
}

#endif /* _BENCH_H */
