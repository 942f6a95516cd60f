// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the events: the line at the end of show.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "stats.h"
#include "totals.h"

/**
 * totals_add - count one more CPU
 * @totals: all zero at first
 * @cpu: its number
 * @start: its counters at the start
 *
 * Return: 0, or -1 if there is no memory.
 */
int totals_add(struct totals *totals, int cpu,
	       const struct tracemap_stats *start)
{
	struct totals_cpu *cpus;

	cpus = reallocarray(totals->cpus, totals->nr + 1, sizeof(*cpus));
	if (!cpus)
		return -1;
	cpus[totals->nr++] = (struct totals_cpu){ .cpu = cpu, .start = *start };
	totals->cpus = cpus;
	return 0;
}

/**
 * totals_free - forget the CPUs
 * @totals: what totals_add() has filled
 */
void totals_free(struct totals *totals)
{
	free(totals->cpus);
}

/*
 * Events that were unread at the start are delivered like those that came
 * later, so they are part of the sum.
 */
static void add_up(struct tracemap_stats *sum, const struct tracemap_stats *start,
		   const struct tracemap_stats *end)
{
	sum->reserved += end->reserved - start->reserved + start->unread;
	sum->unread += end->unread;
	sum->overrun += end->overrun - start->overrun;
	sum->dropped_full += end->dropped_full - start->dropped_full;
	sum->dropped_nested += end->dropped_nested - start->dropped_nested;
	sum->dropped_big += end->dropped_big - start->dropped_big;
}

static bool was_reset(const struct tracemap_stats *start,
		      const struct tracemap_stats *end)
{
	return end->reserved < start->reserved || end->read < start->read ||
	       end->overrun < start->overrun;
}

/**
 * totals_print - print the line
 * @totals: the CPUs
 * @delivered: events that were read from them since the start
 *
 * Recording has to be off, and everything read that shall be.
 *
 * Return: 0, or -1 after having said what is wrong.
 */
int totals_print(const struct totals *totals, __u64 delivered)
{
	struct tracemap_stats sum = { }, end;
	const struct totals_cpu *cpu;

	for (cpu = totals->cpus; cpu < totals->cpus + totals->nr; cpu++) {
		if (get_quiet_stats(cpu->cpu, &end) <= 0)
			return -1;
		if (was_reset(&cpu->start, &end)) {
			complain("the buffers were reset meanwhile: no totals");
			return -1;
		}
		add_up(&sum, &cpu->start, &end);
	}
	printf("total: reserved=%llu delivered=%llu unread=%llu overrun=%llu ",
	       sum.reserved, delivered, sum.unread, sum.overrun);
	printf("dropped=%llu (full=%llu nested=%llu big=%llu)\n",
	       sum.dropped_full + sum.dropped_nested + sum.dropped_big,
	       sum.dropped_full, sum.dropped_nested, sum.dropped_big);
	return 0;
}
