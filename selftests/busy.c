// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "busy.h"

static void nothing(int signal)
{
}

static void sleep_us(long us)
{
	struct timespec time = { .tv_nsec = us * 1000 };

	nanosleep(&time, NULL);
}

static void ping_pong(int rounds)
{
	int there[2], back[2];
	char byte = 0;
	int i;

	if (pipe(there) || pipe(back))
		return;
	if (!fork()) {
		for (i = 0; i < rounds; i++) {
			if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
	for (i = 0; i < rounds; i++) {
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			break;
	}
	wait(NULL);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
}

/* Removing a watch is left to a workqueue */
static void queue_work(void)
{
	int fd = inotify_init();

	inotify_add_watch(fd, "/", IN_CREATE);
	close(fd);
}

static void run_program(void)
{
	if (!fork()) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	wait(NULL);
}

void busy(int rounds)
{
	struct itimerval late = { .it_value.tv_sec = 100 };
	struct itimerval soon = { .it_value.tv_usec = 2000 };

	signal(SIGUSR1, nothing);
	signal(SIGALRM, nothing);
	for (; rounds; rounds--) {
		setitimer(ITIMER_REAL, &late, NULL);
		setitimer(ITIMER_REAL, &soon, NULL);
		raise(SIGUSR1);
		ping_pong(20);
		queue_work();
		run_program();
		sleep_us(5000);
	}
}
