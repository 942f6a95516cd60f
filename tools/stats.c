// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of CPUs, as the commands use them: with complaints.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "stats.h"

/**
 * get_stats - read the counters of one CPU
 * @cpu: its number
 * @stats: where to put them
 *
 * Return: 1, or 0 if that CPU was never online, or -1 after having said what is
 * wrong.
 */
int get_stats(int cpu, struct tracemap_stats *stats)
{
	const char *missing;
	char path[48];

	if (!tracemap_read_stats(tracing_dir(), cpu, stats, &missing))
		return 1;
	if (errno == ENODEV || errno == ENXIO || errno == ENOENT)
		return 0;
	snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", cpu);
	if (errno == ENODATA)
		complain("%s/%s has no '%s': is the module older than this command?",
			 tracing_dir(), path, missing);
	else
		complain_about(path);
	return -1;
}

/* An event under way moves the first of these before, the others when it is in. */
static bool same_counters(const struct tracemap_stats *a,
			  const struct tracemap_stats *b)
{
	return a->reserved == b->reserved && a->written == b->written &&
	       a->unread == b->unread && a->read == b->read;
}

/**
 * get_quiet_stats - read the counters of one CPU once they have come to rest
 * @cpu: its number
 * @stats: where to put them
 *
 * Recording has just been switched off, but a writer that was under way may
 * still be finishing. If somebody has switched it on again the counters are
 * taken as they are.
 *
 * Return: as get_stats().
 */
int get_quiet_stats(int cpu, struct tracemap_stats *stats)
{
	struct tracemap_stats before;
	int tries = 100;
	int ret;

	ret = get_stats(cpu, stats);
	while (ret > 0 && tries--) {
		before = *stats;
		usleep(1000);
		ret = get_stats(cpu, stats);
		if (ret > 0 && same_counters(&before, stats))
			break;
	}
	return ret;
}
