// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "sleeper.h"

#define SECONDS		20
#define TICK_US		10000
#define TICKS_ASLEEP	10

long in_read(int fd)
{
	char image[SLEEPER_SUBBUF];

	return read(fd, image, sizeof(image));
}

long in_get_reader(int fd)
{
	return ioctl(fd, TRACE_MMAP_IOCTL_GET_READER);
}

long in_poll(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, -1);
}

long in_splice(int fd)
{
	int pipefd[2];
	long ret;
	int err;

	if (pipe(pipefd))
		return -1;
	ret = splice(fd, NULL, pipefd[1], NULL, SLEEPER_SUBBUF, 0);
	err = errno;
	close(pipefd[0]);
	close(pipefd[1]);
	errno = err;
	return ret;
}

static void *sleeper_run(void *arg)
{
	struct sleeper *sleeper = arg;

	sleeper->tid = syscall(SYS_gettid);
	sleeper->ret = sleeper->call(sleeper->fd);
	sleeper->err = errno;
	sleeper->awake = true;
	return NULL;
}

void sleeper_launch(struct sleeper *sleeper, long (*call)(int fd), int fd)
{
	*sleeper = (struct sleeper) { .call = call, .fd = fd };
	pthread_create(&sleeper->thread, NULL, sleeper_run, sleeper);
}

/* Looked at several times in a row. */
void sleeper_start(struct sleeper *sleeper, long (*call)(int fd), int fd)
{
	int asleep = 0;

	sleeper_launch(sleeper, call, fd);
	while (!sleeper->awake && asleep < TICKS_ASLEEP) {
		usleep(TICK_US);
		asleep = sleeper->tid && sleeps(sleeper->tid) ? asleep + 1 : 0;
	}
}

bool sleeper_wakes(struct sleeper *sleeper)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_sec += SECONDS;
	return !pthread_timedjoin_np(sleeper->thread, NULL, &deadline);
}
