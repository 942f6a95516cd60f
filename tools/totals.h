/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What became of the events: the line at the end of show.
 */
#ifndef _TRACEMAP_TOTALS_H
#define _TRACEMAP_TOTALS_H

#include <tracemap.h>

/**
 * struct totals_cpu - one CPU that is counted
 * @cpu:	its number
 * @start:	its counters at the start; 0 if it came online later
 */
struct totals_cpu {
	int			cpu;
	struct tracemap_stats	start;
};

/**
 * struct totals - the CPUs that are counted
 * @cpus:	which
 * @nr:		how many
 */
struct totals {
	struct totals_cpu	*cpus;
	int			nr;
};

int totals_add(struct totals *totals, int cpu,
	       const struct tracemap_stats *start);
void totals_free(struct totals *totals);
int totals_print(const struct totals *totals, __u64 delivered);

#endif /* _TRACEMAP_TOTALS_H */
