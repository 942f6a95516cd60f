// SPDX-License-Identifier: GPL-2.0
/*
 * Who wakes a sleeper, and when: data, the watermark, and everything that has to
 * free one at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

#include "common.h"
#include "sleeper.h"

#define SUBBUF_KB	(SLEEPER_SUBBUF / 1024)
#define SLOTS		8

static void no_op(int sig)
{
}

FIXTURE(waking) {
	int		fd;
	void		*map;
	struct sleeper	sleeper;
};

FIXTURE_VARIANT(waking) {
	long		(*call)(int fd);
	/* which of them waits for the watermark: all but read */
	bool		watermark;
	/* but does not wait at all if there is a complete sub-buffer */
	bool		complete;
};

FIXTURE_VARIANT_ADD(waking, read) { .call = in_read };
FIXTURE_VARIANT_ADD(waking, get_reader) { .call = in_get_reader, .watermark = true };
FIXTURE_VARIANT_ADD(waking, poll) { .call = in_poll, .watermark = true };
FIXTURE_VARIANT_ADD(waking, splice) {
	.call = in_splice, .watermark = true, .complete = true,
};

FIXTURE_SETUP(waking)
{
	struct sigaction action = { .sa_handler = no_op };

	/* the sleepers are on any CPU, the markers go to CPU 0 */
	control_setup(SUBBUF_KB, SLOTS * SUBBUF_KB - 1);
	sigaction(SIGUSR1, &action, NULL);
	self->fd = raw_open(0, O_RDONLY);
	ASSERT_GE(self->fd, 0);
	self->map = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(self->map, MAP_FAILED);
	control_write("tracing_on", "1");
}

FIXTURE_TEARDOWN(waking)
{
	munmap(self->map, getpagesize());
	if (self->fd >= 0)
		close(self->fd);
	control_defaults();
}

static void mark_on_cpu0(unsigned int count)
{
	cpu_set_t before;

	sched_getaffinity(0, sizeof(before), &before);
	pin(0);
	while (count--)
		mark(count);
	sched_setaffinity(0, sizeof(before), &before);
}

/* events until so many sub-buffers were entered */
static void fill(unsigned int subbufs)
{
	while (stat_of(0, "sub-buffers touched") < subbufs)
		mark_on_cpu0(10);
}

TEST_F(waking, one_event_wakes_if_the_watermark_is_0)
{
	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	mark_on_cpu0(1);
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_GE(self->sleeper.ret, 0);
}

TEST_F(waking, one_event_does_not_reach_a_watermark)
{
	ASSERT_EQ(control_write("buffer_percent", "50"), 0);
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	mark_on_cpu0(1);
	if (variant->watermark) {
		/* asleep still, however long one looks: half the ring is far away */
		usleep(300000);
		EXPECT_FALSE(self->sleeper.awake);
		fill(SLOTS / 2 + 1);
	}
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_GE(self->sleeper.ret, 0);
}

TEST_F(waking, full_ring_wakes_in_overwrite_mode)
{
	ASSERT_EQ(control_write("buffer_percent", "100"), 0);
	sleeper_start(&self->sleeper, variant->call, self->fd);
	fill(SLOTS + 1);
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_GE(self->sleeper.ret, 0);
}

TEST_F(waking, full_ring_wakes_in_producer_consumer_mode)
{
	ASSERT_EQ(control_write("options/overwrite", "0"), 0);
	ASSERT_EQ(control_write("buffer_percent", "100"), 0);
	sleeper_start(&self->sleeper, variant->call, self->fd);
	while (!stat_of(0, "dropped events") && !self->sleeper.awake)
		mark_on_cpu0(10);
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_GE(self->sleeper.ret, 0);
}

/* an event, half of the ring, all of it */
enum { ONE, HALF, FULL, LEVELS };

static void reach(unsigned int level)
{
	if (level == ONE)
		mark_on_cpu0(1);
	else
		fill(level == HALF ? SLOTS / 2 + 1 : SLOTS + 1);
}

/*
 * buffer_percent, and what the writer does while somebody sleeps. read() wants any
 * event, all others what buffer_percent says.
 */
TEST_F(waking, wakes_at_the_watermark_and_not_before)
{
	static const struct {
		const char	*percent;
		unsigned int	wakes_at;
	} table[] = {
		{ "0", ONE },
		{ "50", HALF },
		{ "100", FULL },
	};
	unsigned int i, level, wakes_at;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		ASSERT_EQ(control_write("trace", ""), 0);
		ASSERT_EQ(control_write("buffer_percent", table[i].percent), 0);
		wakes_at = variant->watermark ? table[i].wakes_at : ONE;
		sleeper_start(&self->sleeper, variant->call, self->fd);
		ASSERT_FALSE(self->sleeper.awake) TH_LOG("%s%%", table[i].percent);
		for (level = 0; level < wakes_at; level++) {
			reach(level);
			usleep(200000);
			EXPECT_FALSE(self->sleeper.awake)
				TH_LOG("%s%%, level %u", table[i].percent, level);
		}
		reach(wakes_at);
		ASSERT_TRUE(sleeper_wakes(&self->sleeper))
			TH_LOG("%s%%, level %u", table[i].percent, wakes_at);
		EXPECT_GE(self->sleeper.ret, 0);
	}
}

/* The same for who comes when the events are there. */
TEST_F(waking, goes_to_sleep_below_the_watermark_only)
{
	static const char *const percents[LEVELS] = { "0", "50", "100" };
	unsigned int i, level;
	bool sleeps;

	for (i = 0; i < ARRAY_SIZE(percents); i++) {
		for (level = 0; level < LEVELS; level++) {
			ASSERT_EQ(control_write("trace", ""), 0);
			ASSERT_EQ(control_write("buffer_percent", percents[i]), 0);
			reach(level);
			sleeps = variant->watermark && level < i &&
				 !(variant->complete && level > ONE);
			sleeper_start(&self->sleeper, variant->call, self->fd);
			EXPECT_EQ(self->sleeper.awake, !sleeps)
				TH_LOG("%s%%, level %u", percents[i], level);
			if (sleeps)
				ioctl(self->fd, 0);
			ASSERT_TRUE(sleeper_wakes(&self->sleeper));
			EXPECT_GE(self->sleeper.ret, 0);
		}
	}
}

TEST_F(waking, signal_interrupts)
{
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	pthread_kill(self->sleeper.thread, SIGUSR1);
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_EQ(self->sleeper.ret, -1);
	EXPECT_EQ(self->sleeper.err, EINTR);
}

TEST_F(waking, recording_off_frees)
{
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	control_write("tracing_on", "0");
	EXPECT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_GE(self->sleeper.ret, 0);
}

TEST_F(waking, reset_frees)
{
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	control_write("trace", "");
	EXPECT_TRUE(sleeper_wakes(&self->sleeper));
}

TEST_F(waking, ioctl_0_frees)
{
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	EXPECT_EQ(ioctl(self->fd, 0), 0);
	EXPECT_TRUE(sleeper_wakes(&self->sleeper));
}

TEST_F(waking, close_by_another_thread_frees)
{
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	close(self->fd);
	self->fd = -1;
	EXPECT_TRUE(sleeper_wakes(&self->sleeper));
}

/* What it is to read next is told in a page that is gone: an error, but the event stays. */
TEST_F(waking, unmapped_while_asleep)
{
	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	sleeper_start(&self->sleeper, variant->call, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	ASSERT_EQ(munmap(self->map, getpagesize()), 0);
	mark_on_cpu0(1);
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	if (variant->call != in_get_reader) {
		EXPECT_GE(self->sleeper.ret, 0);
		return;
	}
	EXPECT_EQ(self->sleeper.ret, -1);
	EXPECT_EQ(self->sleeper.err, ENODEV);
	EXPECT_EQ(stat_of(0, "entries"), 1);
}

TEST_F(waking, resize_waits_for_nobody)
{
	sleeper_start(&self->sleeper, in_read, self->fd);
	ASSERT_FALSE(self->sleeper.awake);
	EXPECT_EQ(control_write("buffer_size_kb", "100"), -EBUSY);
	ioctl(self->fd, 0);
	EXPECT_TRUE(sleeper_wakes(&self->sleeper));
}

/* A sleeper that comes just as the event does must not miss it: many times. */
TEST_F(waking, no_event_is_slept_through)
{
	int i;

	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	for (i = 0; i < 200; i++) {
		sleeper_launch(&self->sleeper, variant->call, self->fd);
		mark_on_cpu0(1);
		ASSERT_TRUE(sleeper_wakes(&self->sleeper));
		/* poll reads nothing: have the next one wait again */
		if (variant->call == in_poll)
			in_get_reader(self->fd);
	}
}

/* readiness, asked and not waited for */
static int poll_now(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI };

	return poll(&pfd, 1, 0) ? pfd.revents : 0;
}

FIXTURE(polling) {
	int	fd;
};

FIXTURE_SETUP(polling)
{
	pin(0);
	control_setup(SUBBUF_KB, SLOTS * SUBBUF_KB - 1);
	self->fd = raw_open(0, O_RDONLY | O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
	control_write("tracing_on", "1");
}

FIXTURE_TEARDOWN(polling)
{
	close(self->fd);
	control_defaults();
}

TEST_F(polling, agrees_with_read)
{
	EXPECT_EQ(poll_now(self->fd), 0);
	EXPECT_EQ(in_read(self->fd), -1);
	EXPECT_EQ(errno, EAGAIN);

	mark(0);
	EXPECT_EQ(poll_now(self->fd), 0);
	/* below the mark, but there for who asks */
	EXPECT_EQ(in_read(self->fd), SUBBUF_KB * 1024);

	fill(SLOTS / 2 + 2);
	EXPECT_EQ(poll_now(self->fd), POLLIN);
	EXPECT_EQ(in_read(self->fd), SUBBUF_KB * 1024);
}

TEST_F(polling, any_event_counts_without_a_watermark)
{
	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	EXPECT_EQ(poll_now(self->fd), 0);
	mark(0);
	EXPECT_EQ(poll_now(self->fd), POLLIN);
	EXPECT_EQ(in_read(self->fd), SUBBUF_KB * 1024);
	EXPECT_EQ(poll_now(self->fd), 0);
}

TEST_F(polling, of_trace_waits_for_any_cpu)
{
	int fd = control_open("trace", O_RDONLY);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(poll_now(fd), 0);
	mark(0);
	EXPECT_EQ(poll_now(fd), POLLIN);
	close(fd);
}

static int broken_pipe[2];

static long in_splice_to_nobody(int fd)
{
	return splice(fd, NULL, broken_pipe[1], NULL, SUBBUF_KB * 1024, 0);
}

/* As with any pipe: a signal and EPIPE, and the event stays for those who read on. */
TEST_F(polling, splice_notices_that_nobody_reads_the_pipe)
{
	struct sleeper sleeper;

	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	ASSERT_EQ(fcntl(self->fd, F_SETFL, 0), 0);
	ASSERT_EQ(pipe(broken_pipe), 0);
	sleeper_start(&sleeper, in_splice_to_nobody, self->fd);
	ASSERT_FALSE(sleeper.awake);
	close(broken_pipe[0]);
	mark(0);
	ASSERT_TRUE(sleeper_wakes(&sleeper));
	EXPECT_EQ(sleeper.ret, -1);
	EXPECT_EQ(sleeper.err, EPIPE);
	EXPECT_EQ(in_read(self->fd), SUBBUF_KB * 1024);
	close(broken_pipe[1]);
}

TEST_F(polling, works_with_epoll)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int epoll = epoll_create1(0);
	int i;

	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &event), 0);
	for (i = 0; i < 10; i++) {
		mark(i);
		ASSERT_EQ(epoll_wait(epoll, &event, 1, 15000), 1);
		EXPECT_EQ(event.events, EPOLLIN);
		EXPECT_EQ(in_read(self->fd), SUBBUF_KB * 1024);
	}
	close(epoll);
}

TEST_HARNESS_MAIN
