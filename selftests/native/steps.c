// SPDX-License-Identifier: GPL-2.0
/*
 * Every interleaving that chance finds, one step at a time, and again with the
 * same seed. Two fibers stand for two CPUs: writers, stacked as interrupts stack,
 * and a reader. Between any two accesses to memory that the ring makes, an
 * interrupt may come or the other CPU may go on.
 *
 * usage: steps [ROUNDS [SEED]]
 *
 * A round is a ring of random geometry, mode and clock. SEED is the first one's.
 */
#include <stdio.h>

#include "fiber.h"
#include "oracle.h"

#define STACK	(256 * 1024)

/**
 * struct plan - what this round is like
 * @shift:	log2 of the sub-buffer's size
 * @nr_slots:	of the ring
 * @overwrite:	the mode
 * @events:	a task tries to write that many
 * @length:	of most events, at most
 * @density:	steps between two interventions, on average
 * @interrupts:	of 8 interventions, that many are interrupts
 * @storm:	one interrupt in that many laps the ring
 * @discard:	one event in that many is taken back
 * @sleep:	one read in that many is followed by a long pause
 * @jump:	one look at the clock in that many finds a long time gone by
 * @fall:	and one in that many finds that it has fallen back
 */
struct plan {
	unsigned int	shift;
	u32		nr_slots;
	bool		overwrite;
	u32		events;
	u32		length;
	u32		density;
	u32		interrupts;
	u32		storm;
	u32		discard;
	u32		sleep;
	u32		jump;
	u32		fall;
};

static struct plan plan;
static struct oracle oracle;
static struct fiber writer, reader, round_end;
static bool in_reader, writers_done, running;
static unsigned int depth;
static u32 countdown;
static u64 random_state, now;
static u64 written, delivered;

static u32 below(u32 limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return ((random_state * 0x2545f4914f6cdd1dULL) >> 32) % limit;
}

static u64 clock_now(void)
{
	now += below(4);
	if (plan.jump && !below(plan.jump))
		now += 1ULL << (20 + below(16));
	if (plan.fall && !below(plan.fall))
		now -= below(1 << (4 + below(16)));
	return now;
}

static u32 random_length(void)
{
	u32 capacity = (1U << plan.shift) - SUBBUF_HEADER;

	/* up to a little more than will fit */
	if (!below(32))
		return 4 + below(capacity + 4);
	return 4 + below(plan.length);
}

static void write_one(void)
{
	oracle_write(&oracle, depth, random_length(), plan.discard && !below(plan.discard));
}

static void interrupt(void)
{
	u32 events = below(3) + 1;

	if (!below(plan.storm))
		events = below((plan.nr_slots + 1) * (1U << plan.shift) / (plan.length + 4)) + 1;
	depth++;
	while (events--)
		write_one();
	depth--;
}

static void switch_fibers(void)
{
	in_reader = !in_reader;
	if (in_reader)
		fiber_switch(&writer, &reader);
	else
		fiber_switch(&reader, &writer);
}

/* While the writers sleep nobody can be interrupted, and when they are done nobody comes back. */
static void intervene(void)
{
	countdown = below(plan.density * 2) + 1;
	if (writers_done)
		return;
	if (!in_reader && depth < ORACLE_CONTEXTS - 1 && below(8) < plan.interrupts)
		interrupt();
	else
		switch_fibers();
}

void shim_step(void)
{
	if (running && !--countdown)
		intervene();
}

static void write_all(void)
{
	u32 i;

	for (i = 0; i < plan.events; i++)
		write_one();
	writers_done = true;
	switch_fibers();
}

static void read_all(void)
{
	while (!writers_done) {
		u32 naps = plan.sleep && !below(plan.sleep) ? below(200) : 0;

		oracle_read(&oracle);
		while (naps-- && !writers_done)
			switch_fibers();
	}
	running = false;
	fiber_switch(&reader, &round_end);
}

static void run_fibers(void)
{
	static u8 stacks[2][STACK] __aligned(64);

	fiber_start(&writer, write_all, stacks[0], STACK);
	fiber_start(&reader, read_all, stacks[1], STACK);
	in_reader = false;
	writers_done = false;
	depth = 0;
	countdown = below(plan.density * 2) + 1;
	running = true;
	fiber_switch(&round_end, &writer);
}

static u64 some_time(void)
{
	static const u64 times[] = { 1ULL << 12, 1ULL << 27, 1ULL << 32, 1ULL << 59, 1ULL << 63 };

	return times[below(ARRAY_SIZE(times))] - below(5000) + 2500;
}

static u32 some_slots(void)
{
	static const u32 slots[] = { 2, 2, 2, 3, 3, 4, 5, 8, 13, 64 };

	return slots[below(ARRAY_SIZE(slots))];
}

static struct plan make_plan(void)
{
	return (struct plan) {
		.shift = 8 + below(3),
		.nr_slots = some_slots(),
		.overwrite = below(2),
		.events = 2000 + below(4000),
		.length = 1 + below(below(4) ? 28 : 100),
		.density = 1 + below(below(2) ? 20 : 200),
		.interrupts = below(8),
		.storm = 20 + below(200),
		.discard = below(3) ? 0 : 2 + below(20),
		.sleep = below(2) ? 0 : 2 + below(20),
		.jump = below(2) ? 0 : 10 + below(200),
		.fall = below(4) ? 0 : 2 + below(200),
	};
}

static void end_part(void)
{
	oracle_check_quiet(&oracle);
	if (below(2))
		oracle_check_losses(&oracle);
}

/* before the oracle forgets */
static void count_events(void)
{
	written += oracle_written(&oracle);
	delivered += oracle.reader.delivered;
}

static void run_round(u64 seed)
{
	random_state = seed * 0x9e3779b97f4a7c15ULL + 1;
	below(2);
	plan = make_plan();
	now = some_time();
	oracle_init(&oracle, plan.shift, plan.nr_slots, plan.overwrite,
		    below(2) ? trace_clock_local : clock_now, plan.events * 16);
	oracle.clock_falls = plan.fall;
	if (below(2))
		oracle_wind_forward(&oracle.ring, 1 + below(3 * plan.nr_slots));
	run_fibers();
	end_part();

	/* go on in a ring of another size, with what is unread there */
	oracle_move(&oracle, some_slots());
	run_fibers();
	end_part();
	count_events();

	/* and once more after a reset, with whatever the reader held */
	ring_reset(&oracle.ring);
	oracle_forget(&oracle);
	oracle_check_quiet(&oracle);
	run_fibers();
	end_part();
	count_events();
	oracle_destroy(&oracle);
}

int main(int argc, char **argv)
{
	u32 rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 100;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	char repeat[80];
	u32 i;

	oracle_how_to_repeat = repeat;
	oracle_local_clock = clock_now;
	for (i = 0; i < rounds; i++) {
		snprintf(repeat, sizeof(repeat), "%s 1 %llu", argv[0],
			 (unsigned long long)(seed + i));
		run_round(seed + i);
	}
	printf("# %u rounds, %llu events written, %llu delivered\n", rounds,
	       (unsigned long long)written, (unsigned long long)delivered);
	return 0;
}
