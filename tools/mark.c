// SPDX-License-Identifier: GPL-2.0
/*
 * tracemap mark: a line of text into the trace.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "common.h"

const char mark_help[] =
"Usage: tracemap mark TEXT...\n"
"\n"
"Write TEXT into the trace, several TEXTs with spaces between them. It appears as\n"
"a 'print' event of the CPU that this command ran on. Text that is longer than\n"
"one event may be is split into several.\n"
"\n"
"Options:\n"
"  -h, --help   print this text\n"
"\n"
"Recording has to be on, as it is while 'tracemap show' runs.\n"
"\n"
"Example:\n"
"  tracemap mark here the test begins\n";

static char *join(char **words, int nr)
{
	size_t len = 0;
	char *text, *end;
	int i;

	for (i = 0; i < nr; i++)
		len += strlen(words[i]) + 1;
	text = malloc(len + 1);
	if (!text)
		return NULL;
	end = text;
	*end = '\0';
	for (i = 0; i < nr; i++) {
		if (i)
			*end++ = ' ';
		end = stpcpy(end, words[i]);
	}
	return text;
}

/* One write is one event, and takes as much as an event may hold. */
static int write_marks(int fd, const char *text)
{
	ssize_t count;

	while (*text) {
		count = write(fd, text, strlen(text));
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -1;
		if (!count) {
			errno = EIO;
			return -1;
		}
		text += count;
	}
	return 0;
}

static int mark(const char *text)
{
	int fd, status = EXIT_TROUBLE;

	fd = tracefs_instance_file_open(NULL, "trace_marker", O_WRONLY);
	if (fd < 0) {
		complain_about("trace_marker");
		return EXIT_TROUBLE;
	}
	if (!write_marks(fd, text))
		status = EXIT_OK;
	else if (errno == EBADF)
		complain("recording is off: 'echo 1 > %s/tracing_on' turns it on",
			 tracing_dir());
	else
		complain_about("trace_marker");
	close(fd);
	return status;
}

/**
 * cmd_mark - write a line of text into the trace
 * @argc: number of @argv
 * @argv: arguments, the command's name first
 *
 * Return: the exit status.
 */
int cmd_mark(int argc, char **argv)
{
	int first = only_help(argc, argv, mark_help);
	char *text;
	int status;

	if (first < 0)
		return usage_error("mark");
	if (!first)
		return EXIT_OK;
	if (first == argc || (first == argc - 1 && !*argv[first])) {
		complain("mark: what text?");
		return usage_error("mark");
	}
	if (open_dir())
		return EXIT_TROUBLE;
	text = join(argv + first, argc - first);
	if (!text) {
		complain("%s", strerror(ENOMEM));
		return EXIT_TROUBLE;
	}
	status = mark(text);
	free(text);
	return status;
}
