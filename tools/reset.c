// SPDX-License-Identifier: GPL-2.0
/*
 * tracemap reset: nothing recorded, nothing being recorded.
 */
#include <errno.h>
#include <string.h>
#include <tracefs.h>

#include "common.h"

const char reset_help[] =
"Usage: tracemap reset\n"
"\n"
"Switch all events off, then empty the buffers of all CPUs and set their counters\n"
"to 0. What was recorded and not read is lost. As after 'trace-cmd reset', the\n"
"switch for recording (tracing_on) is left on, but there is nothing to record.\n"
"Sizes, clock and options stay as they are.\n"
"\n"
"Do not use it while 'tracemap show' runs: the totals that it prints at its end\n"
"would be wrong.\n"
"\n"
"Options:\n"
"  -h, --help   print this text\n";

struct reset_step {
	const char	*file;
	const char	*text;	/* NULL: truncate it only */
};

/* Opening set_event for writing switches all off, opening trace empties all. */
static const struct reset_step steps[] = {
	{ "tracing_on",	"0" },
	{ "set_event",	NULL },
	{ "trace",	NULL },
	{ "tracing_on",	"1" },
};

static int take_step(const struct reset_step *step)
{
	int ret;

	if (step->text)
		ret = tracefs_instance_file_write(NULL, step->file, step->text);
	else
		ret = tracefs_instance_file_clear(NULL, step->file);
	if (ret >= 0)
		return 0;
	complain_about(step->file);
	return -1;
}

/**
 * cmd_reset - switch all events off and empty the buffers
 * @argc: number of @argv
 * @argv: arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_reset(int argc, char **argv)
{
	int first = only_help(argc, argv, reset_help);
	size_t i;

	if (first < 0)
		return usage_error("reset");
	if (!first)
		return EXIT_OK;
	if (first < argc) {
		complain("reset: '%s' is one argument too many", argv[first]);
		return usage_error("reset");
	}
	if (open_dir())
		return EXIT_TROUBLE;
	for (i = 0; i < ARRAY_SIZE(steps); i++)
		if (take_step(&steps[i]))
			return EXIT_TROUBLE;
	return EXIT_OK;
}
