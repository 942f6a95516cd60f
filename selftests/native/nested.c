// SPDX-License-Identifier: GPL-2.0
/*
 * At each step of a writer, everything that can come there: an interrupt that
 * writes, takes back, fills the ring or finds the clock fallen back, or the reader;
 * and at each step behind that, something else again.
 *
 * usage: nested [DEPTH]
 *
 * DEPTH 0 does nothing, 1 has one thing come at a time, 2 two.
 */
#include <stdio.h>

#include "oracle.h"

#define SHIFT	8
#define SLOTS	2
#define STEPS	120	/* more than any writer takes */
#define LARGE	140	/* too long for the fast path, and two do not fit in a sub-buffer */

static struct oracle oracle;
static u64 now, cases;
static bool reading;

static void put_small(unsigned int context)
{
	oracle_write(&oracle, context, 8, false);
}

static void put_large(unsigned int context)
{
	oracle_write(&oracle, context, LARGE, false);
}

static void discard_small(unsigned int context)
{
	oracle_write(&oracle, context, 8, true);
}

static void discard_large(unsigned int context)
{
	oracle_write(&oracle, context, LARGE, true);
}

static void put_earlier(unsigned int context)
{
	now -= 30;
	put_small(context);
}

static void discard_earlier(unsigned int context)
{
	now -= 30;
	discard_small(context);
}

static void put_much_later(unsigned int context)
{
	now += 1 << 28;
	put_small(context);
}

static void put_many(unsigned int context)
{
	int i;

	for (i = 0; i < 5; i++)
		put_large(context);
}

static void read_all(unsigned int context)
{
	if (reading)
		return;
	reading = true;
	oracle_drain(&oracle);
	reading = false;
}

typedef void (*act)(unsigned int context);

static const act writers[] = {
	put_small, put_large, discard_small, discard_large, put_much_later,
};

static const act comers[] = {
	put_small, put_large, discard_small, discard_large, put_earlier, discard_earlier,
	put_many, read_all,
};

/**
 * struct comer - what comes
 * @in:		so many steps, 0 for never
 * @act:	and is this
 */
struct comer {
	u32	in;
	act	act;
};

static struct comer next[2];

void shim_step(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(next); i++) {
		if (!next[i].in)
			continue;
		if (!--next[i].in)
			next[i].act(i + 1);
		return;	/* the second counts from where the first has come */
	}
}

static u64 clock_now(void)
{
	return now += 10;
}

static char repeat[120];

/* Returns whether all that was to come has come. */
static bool run(u32 before, act writer, struct comer first, struct comer second)
{
	static const struct comer none;
	bool came;

	now = 1000;
	ring_reset(&oracle.ring);
	oracle_forget(&oracle);
	while (before--)
		put_small(0);
	next[0] = first;
	next[1] = second;
	writer(0);
	came = !next[0].in && !next[1].in;
	next[0] = none;
	next[1] = none;
	put_small(0);
	oracle_check_quiet(&oracle);
	oracle_check_losses(&oracle);
	cases++;
	return came;
}

static void run_pairs(u32 before, act writer, struct comer first)
{
	static const act seconds[] = { put_small, discard_earlier, put_many, read_all };
	struct comer second;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		second = (struct comer) { .in = 1, .act = seconds[i] };
		while (run(before, writer, first, second))
			second.in++;
	}
}

static void run_all(u32 before, u32 which, bool overwrite, bool pairs)
{
	static const struct comer none;
	struct comer first;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(comers); i++) {
		first = (struct comer) { .in = 1, .act = comers[i] };
		snprintf(repeat, sizeof(repeat), "nested: %u before, writer %u, comer %u, %s",
			 before, which, i, overwrite ? "overwrite" : "producer-consumer");
		while (run(before, writers[which], first, none)) {
			if (pairs || (before == 1 && comers[i] == discard_earlier))
				run_pairs(before, writers[which], first);
			if (++first.in == STEPS)
				break;
		}
	}
}

static void run_mode(bool overwrite, bool pairs)
{
	u32 before, i;

	oracle_init(&oracle, SHIFT, SLOTS, overwrite, clock_now, 200);
	oracle.clock_falls = true;
	for (before = 0; before < 2 * (1 << SHIFT) / 12; before += pairs ? 7 : 1) {
		for (i = 0; i < ARRAY_SIZE(writers); i++)
			run_all(before, i, overwrite, pairs);
	}
	oracle_destroy(&oracle);
}

int main(int argc, char **argv)
{
	u32 depth = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;

	oracle_how_to_repeat = repeat;
	for (; depth; depth--) {
		run_mode(true, depth == 2);
		run_mode(false, depth == 2);
	}
	printf("# %llu orders\n", (unsigned long long)cases);
	return 0;
}
