// SPDX-License-Identifier: GPL-2.0
/*
 * tracemap list: which events there are.
 */
#include <stdio.h>

#include "common.h"

const char list_help[] =
"Usage: tracemap list [PATTERN...]\n"
"\n"
"List the events that can be recorded, one SYSTEM:EVENT a line, in order. With\n"
"PATTERNs only those that match one of them, which are written as for\n"
"'tracemap show -e': SYSTEM:EVENT, or one name that is a system or an event, with\n"
"*, ? and [...] as in a shell.\n"
"\n"
"Options:\n"
"  -h, --help   print this text\n"
"\n"
"Exit status: 0 all went well, 1 a PATTERN matches nothing, 2 the command line is\n"
"wrong.\n"
"\n"
"Examples:\n"
"  tracemap list\n"
"  tracemap list 'sched:sched_wak*' irq\n";

static int print_event(const char *system, const char *event, void *arg)
{
	(void)arg;
	printf("%s:%s\n", system, event);
	return 0;
}

static int print_events(const char *pattern)
{
	if (visit_events(pattern, print_event, NULL))
		return EXIT_OK;
	complain("no event matches '%s': see 'tracemap list'", pattern);
	return EXIT_TROUBLE;
}

/**
 * cmd_list - list the events
 * @argc: number of @argv
 * @argv: arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_list(int argc, char **argv)
{
	int first = only_help(argc, argv, list_help);
	int status = EXIT_OK;

	if (first < 0)
		return usage_error("list");
	if (!first)
		return EXIT_OK;
	if (open_dir())
		return EXIT_TROUBLE;
	if (first == argc) {
		visit_events("*", print_event, NULL);
		return EXIT_OK;
	}
	for (; first < argc; first++)
		if (print_events(argv[first]))
			status = EXIT_TROUBLE;
	return status;
}
