// SPDX-License-Identifier: GPL-2.0
/*
 * The command that show runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "common.h"

/* Does not return. The pipe closes by itself once the command runs. */
static void become(char **argv, int report)
{
	int error;

	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

static int read_report(int fd)
{
	int error = 0;
	ssize_t count;

	do {
		count = read(fd, &error, sizeof(error));
	} while (count < 0 && errno == EINTR);
	return count == sizeof(error) ? error : 0;
}

/**
 * child_start - run a command
 * @argv: its name and arguments, NULL at the end
 *
 * Return: its pid, or -1 after having said why it cannot be run.
 */
pid_t child_start(char **argv)
{
	int report[2], error;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC)) {
		complain("cannot run %s: %s", argv[0], strerror(errno));
		return -1;
	}
	fflush(stdout);
	pid = fork();
	if (!pid)
		become(argv, report[1]);
	error = pid < 0 ? errno : 0;
	close(report[1]);
	if (!error)
		error = read_report(report[0]);
	close(report[0]);
	if (!error)
		return pid;
	complain("cannot run %s: %s", argv[0], strerror(error));
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return -1;
}

/**
 * child_has_ended - look whether a command has ended
 * @pid: the command
 *
 * Return: true if so, once; then it is gone.
 */
bool child_has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

/**
 * child_end - end a command
 * @pid: the command
 *
 * It is asked with SIGTERM, and made to if it has not ended two seconds later.
 */
void child_end(pid_t pid)
{
	int tries;

	kill(pid, SIGTERM);
	for (tries = 0; tries < 200; tries++) {
		if (child_has_ended(pid))
			return;
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
