// SPDX-License-Identifier: GPL-2.0
/*
 * tracemap show: its command line.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "live.h"

const char show_help[] =
"Usage: tracemap show [-e EVENT]... [-c CPU] [-n COUNT] [-d SECONDS]\n"
"                     [COMMAND [ARGUMENT...]]\n"
"\n"
"Record, and print what is recorded while it is recorded, all CPUs merged in order\n"
"of time. Ends with COMMAND, after COUNT events, after SECONDS, or on SIGINT\n"
"(Ctrl-C), whatever comes first.\n"
"\n"
"Options:\n"
"  -e, --event EVENT       enable EVENT, and disable it again at the end. EVENT is\n"
"                          SYSTEM:EVENT, or one name that is a system or an event,\n"
"                          with *, ? and [...] as in a shell. Can be repeated.\n"
"                          'tracemap list' shows all there are.\n"
"  -c, --cpu CPU           show and count only what is recorded on CPU\n"
"  -n, --count COUNT       stop after COUNT events were printed\n"
"  -d, --duration SECONDS  stop after SECONDS, which may have a fraction\n"
"  -h, --help              print this text\n"
"\n"
"Without -e it shows the events that are enabled already, and marks. Events that\n"
"were enabled before are shown, too, and stay enabled. So does recording\n"
"(tracing_on): it is on while show runs, and afterwards as it was before. At the\n"
"start and at the end it is off for a moment, so that the counters can be read.\n"
"\n"
"COMMAND's options are its own. If show ends before it, COMMAND gets SIGTERM, and\n"
"two seconds later SIGKILL. COMMAND's exit status makes no difference.\n"
"\n"
"Output:\n"
"  Lines are as those of 'trace-cmd report':\n"
"      TASK-PID [CPU] TIME: EVENT: FIELDS\n"
"  Events are shown up to half a second late, so that those of all CPUs can be put\n"
"  in order. Where events were lost, a line tells how many and of which CPU:\n"
"      CPU:1 [LOST 1234 EVENTS]\n"
"  The last line is for scripts:\n"
"      total: reserved=R delivered=D unread=U overrun=O dropped=X (full=... nested=... big=...)\n"
"  R   events that were to be recorded, and those that were unread at the start\n"
"  D   events that show has read: more than it has printed if -n stopped it\n"
"  U   events that are left in the buffers\n"
"  O   events that were overwritten before they could be read\n"
"  X   events that were dropped: because the buffer was full, because an\n"
"      interrupted writer was lapped, because they were too big\n"
"  R = D + U + O + X. D was counted by show, the others by the module. If another\n"
"  program reads the same buffers meanwhile, what it reads is missing from D.\n"
"\n"
"A second SIGINT stops the output at once; then the last line follows. SIGTERM and\n"
"SIGHUP do the same as SIGINT.\n"
"\n"
"Exit status: 0 all went well, 1 something failed, 2 the command line is wrong.\n"
"\n"
"Examples:\n"
"  tracemap show -e sched:sched_switch sleep 1\n"
"  tracemap show -e 'irq:*' -e timer -c 0 -n 100\n"
"  tracemap show -e raw_syscalls -d 0.5 > trace.txt\n";

static const struct option options[] = {
	{ "event",	required_argument,	NULL, 'e' },
	{ "cpu",	required_argument,	NULL, 'c' },
	{ "count",	required_argument,	NULL, 'n' },
	{ "duration",	required_argument,	NULL, 'd' },
	{ "help",	no_argument,		NULL, 'h' },
	{ }
};

static int add_pattern(struct live_wish *wish, char *pattern)
{
	char **patterns;

	if (!*pattern) {
		complain("show: -e '': which event?");
		return -1;
	}
	patterns = reallocarray(wish->patterns, wish->nr_patterns + 1,
				sizeof(*patterns));
	if (!patterns) {
		complain("%s", strerror(ENOMEM));
		return -1;
	}
	patterns[wish->nr_patterns++] = pattern;
	wish->patterns = patterns;
	return 0;
}

/* Decimal digits and nothing else, from @min to @max. */
static int parse_number(char option, const char *text, unsigned long long min,
			unsigned long long max, unsigned long long *number)
{
	errno = 0;
	if (*text && !text[strspn(text, "0123456789")]) {
		*number = strtoull(text, NULL, 10);
		if (!errno && *number >= min && *number <= max)
			return 0;
	}
	complain("show: -%c %s: not a number from %llu on", option, text, min);
	return -1;
}

static int parse_cpu(struct live_wish *wish, const char *text)
{
	unsigned long long cpu;

	if (parse_number('c', text, 0, INT_MAX, &cpu))
		return -1;
	wish->cpu = cpu;
	return 0;
}

static int parse_seconds(struct live_wish *wish, const char *text)
{
	char *end;

	wish->seconds = strtod(text, &end);
	if (end != text && !*end && isfinite(wish->seconds) && wish->seconds > 0 &&
	    wish->seconds < 1e9)
		return 0;
	complain("show: -d %s: not a number of seconds", text);
	return -1;
}

/* Returns 0 to go on, 1 if help was all that was wanted, -1 if it is wrong. */
static int parse_option(struct live_wish *wish, int option)
{
	switch (option) {
	case 'e':
		return add_pattern(wish, optarg);
	case 'c':
		return parse_cpu(wish, optarg);
	case 'n':
		return parse_number('n', optarg, 1, ULLONG_MAX, &wish->count);
	case 'd':
		return parse_seconds(wish, optarg);
	case 'h':
		fputs(show_help, stdout);
		return 1;
	default:
		return -1;
	}
}

static int show(const struct live_wish *wish)
{
	if (open_dir())
		return EXIT_TROUBLE;
	if (wish->cpu < 0 || cpu_is_listed(wish->cpu))
		return live_show(wish);
	complain("there is no cpu%d in %s/per_cpu", wish->cpu, tracing_dir());
	return EXIT_TROUBLE;
}

/**
 * cmd_show - record and print
 * @argc: number of @argv
 * @argv: arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_show(int argc, char **argv)
{
	struct live_wish wish = { .cpu = -1 };
	int option, ret = 0;

	while (!ret && (option = getopt_long(argc, argv, "+e:c:n:d:h", options,
					     NULL)) != -1)
		ret = parse_option(&wish, option);
	wish.command = argv + optind;
	if (ret < 0)
		ret = usage_error("show");
	else if (ret)
		ret = EXIT_OK;
	else
		ret = show(&wish);
	free(wish.patterns);
	return ret;
}
