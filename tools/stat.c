// SPDX-License-Identifier: GPL-2.0
/*
 * tracemap stat: the counters of every CPU.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "common.h"
#include "stats.h"

const char stat_help[] =
"Usage: tracemap stat\n"
"\n"
"Print the state of recording, and the counters of every CPU's buffer since it was\n"
"last reset, one CPU a line:\n"
"\n"
"  reserved   events that were to be recorded: the sum of the next four columns\n"
"             and of those that were dropped\n"
"  read       events that a reader has taken\n"
"  unread     events that can still be read\n"
"  overrun    events overwritten before anyone read them\n"
"  full       events dropped because the buffer was full (with overwrite off)\n"
"  nested     events dropped because an interrupted writer was lapped\n"
"  big        events dropped because they are larger than a sub-buffer\n"
"  bytes      bytes that can still be read\n"
"  oldest     time of the oldest sub-buffer that can still be read\n"
"  now        time of the trace clock\n"
"  exchanges  times the writer had to go round a sub-buffer that a reader held\n"
"\n"
"While events are being recorded the columns do not fit together exactly.\n"
"\n"
"Options:\n"
"  -h, --help   print this text\n";

static void print_time(__u64 time, bool in_ns)
{
	if (in_ns)
		printf(" %9llu.%06llu", time / 1000000000,
		       time % 1000000000 / 1000);
	else
		printf(" %16llu", time);
}

static void print_title(void)
{
	printf("%4s %10s %10s %10s %10s %8s %8s %8s %10s %16s %16s %9s\n", "cpu",
	       "reserved", "read", "unread", "overrun", "full", "nested", "big",
	       "bytes", "oldest", "now", "exchanges");
}

static void print_line(int cpu, const struct tracemap_stats *stats)
{
	printf("%4d %10llu %10llu %10llu %10llu %8llu %8llu %8llu %10llu", cpu,
	       stats->reserved, stats->read, stats->unread, stats->overrun,
	       stats->dropped_full, stats->dropped_nested, stats->dropped_big,
	       stats->bytes);
	print_time(stats->oldest, stats->in_ns);
	print_time(stats->now, stats->in_ns);
	printf(" %9llu\n", stats->exchanges);
}

static void print_recording(void)
{
	char *clock = tracefs_get_clock(NULL);

	printf("recording %s, clock %s, %s when full\n",
	       tracefs_trace_is_on(NULL) > 0 ? "on" : "off",
	       clock ? clock : "unknown",
	       tracefs_option_is_enabled(NULL, TRACEFS_OPTION_OVERWRITE) ?
	       "overwrites the oldest" : "drops the newest");
	free(clock);
}

/* A CPU that was never online has counters, but no buffer that they could be of. */
static bool has_buffer(int cpu)
{
	struct tracemap_reader *reader = tracemap_open(tracing_dir(), cpu);
	bool missing = !reader && errno == ENODEV;

	tracemap_close(reader);
	return !missing;
}

static int print_cpus(const int *cpus, int nr)
{
	struct tracemap_stats stats;
	int i, ret;

	for (i = 0; i < nr; i++) {
		if (!has_buffer(cpus[i]))
			continue;
		ret = get_stats(cpus[i], &stats);
		if (ret < 0)
			return -1;
		if (ret)
			print_line(cpus[i], &stats);
	}
	return 0;
}

/**
 * cmd_stat - print the counters of every CPU
 * @argc: number of @argv
 * @argv: arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_stat(int argc, char **argv)
{
	int first = only_help(argc, argv, stat_help);
	int *cpus, nr, ret;

	if (first < 0)
		return usage_error("stat");
	if (!first)
		return EXIT_OK;
	if (first < argc) {
		complain("stat: '%s' is one argument too many", argv[first]);
		return usage_error("stat");
	}
	if (open_dir())
		return EXIT_TROUBLE;
	nr = list_cpus(&cpus);
	if (nr < 0)
		return EXIT_TROUBLE;
	print_recording();
	print_title();
	ret = print_cpus(cpus, nr);
	free(cpus);
	return ret ? EXIT_TROUBLE : EXIT_OK;
}
