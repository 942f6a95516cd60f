// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that leave and come: what they wrote stays, and they write again.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#include "common.h"
#include "sleeper.h"

#define ONLINE	"/sys/devices/system/cpu/cpu1/online"

static int set_online(const char *state)
{
	int fd = open(ONLINE, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, state, 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

FIXTURE(hotplug) {
};

FIXTURE_SETUP(hotplug)
{
	if (access(ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline here");
	pin(0);
	control_setup(4, 64);
	control_write("tracing_on", "1");
}

FIXTURE_TEARDOWN(hotplug)
{
	set_online("1");
	control_defaults();
}

TEST_F(hotplug, what_a_cpu_wrote_outlives_it)
{
	struct sequence seq = {};
	struct ring_map map;
	int i;

	pin(1);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(mark(i), 0);
	pin(0);
	ASSERT_EQ(ring_map(&map, 1, O_NONBLOCK), 0);
	ASSERT_EQ(get_reader(&map), 0);
	for_each_marker(subbuf_at(&map, map.meta->reader.id), 0, map.meta->reader.read,
			sequence_add, &seq);

	ASSERT_EQ(set_online("0"), 0);
	EXPECT_EQ(stat_of(1, "reserved"), 1000);
	EXPECT_EQ(control_number("per_cpu/cpu1/buffer_size_kb"), 64);
	drain(&map, &seq);
	EXPECT_EQ(seq.count, 1000);

	/* it comes back, and goes on where it was */
	ASSERT_EQ(set_online("1"), 0);
	pin(1);
	for (; i < 2000; i++)
		ASSERT_EQ(mark(i), 0);
	pin(0);
	control_write("tracing_on", "0");
	drain(&map, &seq);
	EXPECT_EQ(seq.count + seq.lost, 2000);
	EXPECT_EQ(seq.next, 2000);
	EXPECT_EQ(seq.disorder, 0);
	EXPECT_TRUE(stats_add_up(1));
	ring_unmap(&map);
}

TEST_F(hotplug, an_absent_cpu_can_be_read_resized_and_reset)
{
	char image[4096];
	int fd;

	pin(1);
	mark(1);
	pin(0);
	ASSERT_EQ(set_online("0"), 0);
	fd = raw_open(1, O_RDONLY | O_NONBLOCK);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(control_write("buffer_size_kb", "128"), 0);
	EXPECT_EQ(read(fd, image, sizeof(image)), sizeof(image));
	EXPECT_EQ(control_write("trace", ""), 0);
	EXPECT_EQ(stat_of(1, "reserved"), 0);
	EXPECT_EQ(read(fd, image, sizeof(image)), -1);
	EXPECT_EQ(errno, EAGAIN);
	close(fd);
	ASSERT_EQ(set_online("1"), 0);
}

TEST_F(hotplug, comes_and_goes_while_events_fire)
{
	int i;

	ASSERT_EQ(control_write("set_event", "sched:*"), 0);
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(set_online("0"), 0);
		ASSERT_EQ(set_online("1"), 0);
	}
	control_write("tracing_on", "0");
	EXPECT_GT(stat_of(1, "reserved"), 0);
	EXPECT_TRUE(stats_add_up(0));
	EXPECT_TRUE(stats_add_up(1));
}

FIXTURE(absent) {
	struct ring_map	map;
	struct sleeper	sleeper;
};

FIXTURE_VARIANT(absent) {
	long	(*call)(int fd);
};

FIXTURE_VARIANT_ADD(absent, read) { in_read };
FIXTURE_VARIANT_ADD(absent, get_reader) { in_get_reader };
FIXTURE_VARIANT_ADD(absent, poll) { in_poll };
FIXTURE_VARIANT_ADD(absent, splice) { in_splice };

FIXTURE_SETUP(absent)
{
	self->map.fd = -1;
	if (access(ONLINE, W_OK))
		SKIP(return, "CPU 1 cannot be taken offline here");
	pin(0);
	control_setup(SLEEPER_SUBBUF / 1024, 64);
	control_write("buffer_percent", "0");
	control_write("tracing_on", "1");
	ASSERT_EQ(ring_map(&self->map, 1, 0), 0);
}

FIXTURE_TEARDOWN(absent)
{
	ring_unmap(&self->map);
	set_online("1");
	control_defaults();
}

/* Whoever sleeps when a CPU leaves hears of what that CPU writes when it is back. */
TEST_F(absent, sleeper_is_woken_when_it_writes_again)
{
	sleeper_start(&self->sleeper, variant->call, self->map.fd);
	ASSERT_FALSE(self->sleeper.awake);
	ASSERT_EQ(set_online("0"), 0);
	ASSERT_EQ(set_online("1"), 0);
	EXPECT_FALSE(self->sleeper.awake);
	pin(1);
	ASSERT_EQ(mark(1), 0);
	pin(0);
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_GE(self->sleeper.ret, 0);
}

/* And whoever comes when it is away. */
TEST_F(absent, sleeper_may_come_while_it_is_away)
{
	ASSERT_EQ(set_online("0"), 0);
	sleeper_start(&self->sleeper, variant->call, self->map.fd);
	ASSERT_FALSE(self->sleeper.awake);
	ASSERT_EQ(set_online("1"), 0);
	pin(1);
	ASSERT_EQ(mark(1), 0);
	pin(0);
	ASSERT_TRUE(sleeper_wakes(&self->sleeper));
	EXPECT_GE(self->sleeper.ret, 0);
}

TEST_HARNESS_MAIN
