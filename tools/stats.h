/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of CPUs, as the commands use them: with complaints.
 */
#ifndef _TRACEMAP_STATS_H
#define _TRACEMAP_STATS_H

#include <tracemap.h>

int get_stats(int cpu, struct tracemap_stats *stats);
int get_quiet_stats(int cpu, struct tracemap_stats *stats);

#endif /* _TRACEMAP_STATS_H */
