// SPDX-License-Identifier: GPL-2.0
/*
 * tracemap: see what the kernel does, through per-CPU buffers that are mapped
 * and read where they stand.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

struct command {
	const char	*name;
	int		(*run)(int argc, char **argv);
	const char	*help;
};

static const struct command commands[] = {
	{ "show",	cmd_show,	show_help },
	{ "mark",	cmd_mark,	mark_help },
	{ "stat",	cmd_stat,	stat_help },
	{ "list",	cmd_list,	list_help },
	{ "reset",	cmd_reset,	reset_help },
};

static const char main_help[] =
"Usage: tracemap [--dir DIR] COMMAND [ARGUMENT...]\n"
"\n"
"See what the kernel does. The module tracemap.ko writes kernel events into\n"
"buffers of its own, one for each CPU; this command maps them and prints what is\n"
"in them.\n"
"\n"
"Commands:\n"
"  show    switch events on and print what is recorded, live\n"
"  mark    write a line of text into the trace\n"
"  stat    print the counters of every CPU's buffer\n"
"  list    list the events that can be recorded\n"
"  reset   switch all events off and empty the buffers\n"
"\n"
"'tracemap COMMAND --help' explains each.\n"
"\n"
"Options:\n"
"      --dir DIR   work on DIR instead of " TRACEMAP_DIR ". DIR has to be\n"
"                  mounted already. It can also be given as $TRACEMAP_DIR.\n"
"  -h, --help      print this text\n"
"\n"
"tracemap needs root, or a file system mounted with -o uid=, gid= or mode=. It\n"
"mounts " TRACEMAP_DIR " if that is not done yet.\n"
"\n"
"Exit status: 0 all went well, 1 something failed, 2 the command line is wrong.\n"
"\n"
"Try first:\n"
"  tracemap show -e sched:sched_switch sleep 1\n";

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int wrong_usage(void)
{
	fputs("Try 'tracemap --help'.\n", stderr);
	return EXIT_USAGE;
}

/* "help" is what many type first. */
static int cmd_help(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		fputs(main_help, stdout);
		return EXIT_OK;
	}
	command = find_command(argv[1]);
	if (!command) {
		complain("no command '%s'", argv[1]);
		return wrong_usage();
	}
	fputs(command->help, stdout);
	return EXIT_OK;
}

static int run_command(int argc, char **argv)
{
	const struct command *command;

	if (!argc) {
		complain("which command?");
		return wrong_usage();
	}
	if (!strcmp(argv[0], "help"))
		return cmd_help(argc, argv);
	command = find_command(argv[0]);
	if (!command) {
		complain("no command '%s'", argv[0]);
		return wrong_usage();
	}
	argv[0] = "tracemap";	/* getopt puts it in front of its complaints */
	optind = 0;
	return command->run(argc, argv);
}

/* What was printed has to have arrived, else the exit status must say so. */
static int finish(int status)
{
	if ((!fflush(stdout) && !ferror(stdout)) || status)
		return status;
	complain("cannot write the output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dir", required_argument, NULL, 'D' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *dir = getenv("TRACEMAP_DIR");
	int option;

	if (dir && *dir)
		set_dir(dir);
	while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		switch (option) {
		case 'D':
			set_dir(optarg);
			break;
		case 'h':
			fputs(main_help, stdout);
			return finish(EXIT_OK);
		default:
			return wrong_usage();
		}
	}
	return finish(run_command(argc - optind, argv + optind));
}
