/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that sleeps in one of the calls of trace_pipe_raw that wait.
 */
#ifndef _SELFTESTS_SLEEPER_H
#define _SELFTESTS_SLEEPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Images are read into this much, or spliced in pieces of it. */
#define SLEEPER_SUBBUF	4096

/* What the call returned, errno as it left it. */
long in_read(int fd);
long in_get_reader(int fd);
long in_poll(int fd);
long in_splice(int fd);

/**
 * struct sleeper - a thread in a call
 * @thread:	the thread
 * @call:	the call
 * @fd:		what it is on
 * @tid:	the thread's id; 0 before it runs
 * @awake:	the call is over
 * @ret:	what it returned
 * @err:	its errno
 */
struct sleeper {
	pthread_t	thread;
	long		(*call)(int fd);
	int		fd;
	atomic_int	tid;
	atomic_bool	awake;
	long		ret;
	int		err;
};

/* Returns at once: the thread may or may not be in its call. */
void sleeper_launch(struct sleeper *sleeper, long (*call)(int fd), int fd);
/* Returns when the thread is asleep for sure, or awake again. */
void sleeper_start(struct sleeper *sleeper, long (*call)(int fd), int fd);
/* Does it wake, within a time that is far longer than it may need? Then it is gone. */
bool sleeper_wakes(struct sleeper *sleeper);

#endif /* _SELFTESTS_SLEEPER_H */
