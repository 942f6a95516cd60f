// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes: what is accepted, what is refused, and that refusing changes nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

#include "common.h"

FIXTURE(geometry) {
};

FIXTURE_SETUP(geometry)
{
	pin(0);
	control_setup(4, 64);
	control_write("tracing_on", "1");
}

FIXTURE_TEARDOWN(geometry)
{
	control_defaults();
}

static int nr_subbufs(int cpu)
{
	struct ring_map map;
	int ret = ring_map(&map, cpu, O_NONBLOCK);

	if (!ret)
		ret = map.meta->nr_subbufs;
	ring_unmap(&map);
	return ret;
}

TEST_F(geometry, has_two_slots_at_least)
{
	EXPECT_EQ(control_write("buffer_size_kb", "1"), 0);
	EXPECT_EQ(nr_subbufs(0), 3);
	EXPECT_EQ(control_write("buffer_subbuf_size_kb", "64"), 0);
	EXPECT_EQ(nr_subbufs(0), 3);
}

TEST_F(geometry, nonsense_is_refused)
{
	static const char *const sizes[] = { "0", "-1", "abc", "1x", "99999999999999999999" };
	static const char *const subbufs[] = { "0", "-4", "x", "1048576", "3000000000" };
	int i;

	for (i = 0; i < 5; i++) {
		EXPECT_LT(control_write("buffer_size_kb", sizes[i]), 0);
		EXPECT_LT(control_write("per_cpu/cpu0/buffer_size_kb", sizes[i]), 0);
		EXPECT_LT(control_write("buffer_subbuf_size_kb", subbufs[i]), 0);
	}
	EXPECT_EQ(control_write("buffer_size_kb", "0"), -EINVAL);
	EXPECT_EQ(control_write("buffer_subbuf_size_kb", "1048576"), -EINVAL);
	/* bytes beyond what 64 bits can count, and so many that a sum with them wraps */
	EXPECT_EQ(control_write("buffer_size_kb", "18014398509481984"),
		  sizeof(long) < 8 ? -ERANGE : -EINVAL);
	EXPECT_LT(control_write("buffer_size_kb", "18014398509481983"), 0);
	EXPECT_EQ(control_write("buffer_percent", "101"), -EINVAL);
	EXPECT_EQ(control_number("buffer_size_kb"), 64);
	EXPECT_EQ(control_number("buffer_subbuf_size_kb"), 4);
	EXPECT_EQ(control_number("buffer_percent"), 50);
}

TEST_F(geometry, odd_subbufs_are_rounded_up)
{
	EXPECT_EQ(control_write("buffer_subbuf_size_kb", "5"), 0);
	EXPECT_EQ(control_number("buffer_subbuf_size_kb"), 8);
	EXPECT_EQ(control_write("buffer_subbuf_size_kb", "1"), 0);
	EXPECT_EQ(control_number("buffer_subbuf_size_kb"), 4);
}

static unsigned long mem_total_kb(void)
{
	unsigned long kb = 0;
	FILE *file = fopen("/proc/meminfo", "r");

	if (fscanf(file, "MemTotal: %lu", &kb) != 1)
		kb = 0;
	fclose(file);
	return kb;
}

TEST_F(geometry, more_than_there_is_changes_nothing)
{
	/* so many that a slot word of 32 bits cannot name them is worse than no memory */
	const int error = sizeof(long) < 8 ? -EINVAL : -ENOMEM;
	char kb[32];
	int i;

	for (i = 0; i < 20; i++)
		mark(i);
	snprintf(kb, sizeof(kb), "%lu", mem_total_kb() * 2);
	EXPECT_EQ(control_write("buffer_size_kb", kb), error);
	EXPECT_EQ(control_write("per_cpu/cpu0/buffer_size_kb", kb), error);
	EXPECT_EQ(control_number("buffer_size_kb"), 64);
	EXPECT_EQ(control_number("per_cpu/cpu0/buffer_size_kb"), 64);
	EXPECT_EQ(control_number("per_cpu/cpu1/buffer_size_kb"), 64);
	EXPECT_EQ(stat_of(0, "entries"), 20);
	EXPECT_EQ(mark(20), 0);
}

TEST_F(geometry, each_cpu_has_its_own)
{
	char text[32];

	EXPECT_EQ(control_write("per_cpu/cpu1/buffer_size_kb", "128"), 0);
	EXPECT_EQ(control_number("per_cpu/cpu0/buffer_size_kb"), 64);
	EXPECT_EQ(control_number("per_cpu/cpu1/buffer_size_kb"), 128);
	ASSERT_EQ(control_read("buffer_size_kb", text, sizeof(text)), 0);
	EXPECT_EQ(text[0], 'X');
	EXPECT_GT(nr_subbufs(1), nr_subbufs(0));
	EXPECT_EQ(control_write("buffer_size_kb", "64"), 0);
	EXPECT_EQ(nr_subbufs(1), nr_subbufs(0));
}

TEST_F(geometry, growing_keeps_the_events)
{
	struct sequence seq = {};
	struct ring_map map;
	int i;

	for (i = 0; i < 1000; i++)
		mark(i);
	/* some of them were read before, in the middle of a sub-buffer */
	ASSERT_EQ(ring_map(&map, 0, O_NONBLOCK), 0);
	ASSERT_EQ(get_reader(&map), 0);
	for_each_marker(subbuf_at(&map, map.meta->reader.id), 0, ~0U, sequence_add, &seq);
	ring_unmap(&map);

	ASSERT_EQ(control_write("buffer_size_kb", "640"), 0);
	for (; i < 2000; i++)
		mark(i);
	control_write("tracing_on", "0");
	ASSERT_EQ(ring_map(&map, 0, O_NONBLOCK), 0);
	drain(&map, &seq);
	ring_unmap(&map);
	EXPECT_EQ(seq.count, 2000);
	EXPECT_EQ(seq.lost, 0);
	EXPECT_EQ(seq.disorder, 0);
	EXPECT_FALSE(seq.backwards);
	EXPECT_EQ(stat_of(0, "reserved"), 2000);
	EXPECT_TRUE(stats_add_up(0));
}

TEST_F(geometry, shrinking_loses_the_oldest_and_says_so)
{
	struct sequence seq = {};
	struct ring_map map;
	int i;

	for (i = 0; i < 2000; i++)
		mark(i);
	ASSERT_EQ(control_write("buffer_size_kb", "16"), 0);
	EXPECT_TRUE(stats_add_up(0));
	for (; i < 2010; i++)
		mark(i);
	control_write("tracing_on", "0");
	ASSERT_EQ(ring_map(&map, 0, O_NONBLOCK), 0);
	drain(&map, &seq);
	ring_unmap(&map);
	EXPECT_EQ(seq.next, 2010);
	EXPECT_GT(seq.lost, 0);
	EXPECT_EQ(seq.count + seq.lost, 2010);
	EXPECT_EQ(seq.lost, stat_of(0, "overrun"));
	EXPECT_EQ(seq.disorder, 0);
	EXPECT_TRUE(stats_add_up(0));
}

/*
 * Tens of thousands of pages come and go. That the CPU's other work has its turn
 * meanwhile is judged by the soft lockup watchdog, not by a clock here: how long a
 * turn takes depends on the machine.
 */
TEST_F(geometry, a_large_one_comes_and_goes)
{
	unsigned long kb = mem_total_kb() / 4 < 262144 ? mem_total_kb() / 4 : 262144;
	char text[32];

	snprintf(text, sizeof(text), "%lu", kb);
	EXPECT_EQ(control_write("per_cpu/cpu0/buffer_size_kb", text), 0);
	EXPECT_EQ(mark(0), 0);
	EXPECT_EQ(control_write("per_cpu/cpu0/buffer_size_kb", "64"), 0);
	EXPECT_EQ(mark(1), 0);
	EXPECT_EQ(stat_of(0, "entries"), 2);
	EXPECT_TRUE(stats_add_up(0));
}

static atomic_bool stop;

static void *write_on_cpu0(void *arg)
{
	uint64_t number;

	pin(0);
	/* while rings are replaced nothing is recorded: EBADF, and not an event */
	for (number = 0; !stop; ) {
		if (!mark(number))
			number++;
	}
	*(uint64_t *)arg = number;
	return NULL;
}

static void *change_sizes(void *arg)
{
	static const char *const sizes[] = { "4", "400", "64", "12" };
	unsigned int i;

	for (i = 0; !stop; i++) {
		/* EBUSY while somebody reads is as good as success */
		control_write("buffer_size_kb", sizes[i % 4]);
		usleep(1000);
	}
	return NULL;
}

/* Writer, reader and resize at once: whatever happens is in order and counted. */
TEST_F(geometry, changes_under_load_keep_the_order)
{
	pthread_t writer, resizer;
	struct sequence seq = {};
	struct ring_map map;
	uint64_t written;
	int round;

	stop = false;
	pthread_create(&writer, NULL, write_on_cpu0, &written);
	pthread_create(&resizer, NULL, change_sizes, NULL);
	for (round = 0; round < 200; round++) {
		ASSERT_EQ(ring_map(&map, 0, O_NONBLOCK), 0);
		drain(&map, &seq);
		ring_unmap(&map);
		usleep(5000);
	}
	stop = true;
	pthread_join(writer, NULL);
	pthread_join(resizer, NULL);
	control_write("tracing_on", "0");
	ASSERT_EQ(ring_map(&map, 0, O_NONBLOCK), 0);
	drain(&map, &seq);
	ring_unmap(&map);

	EXPECT_EQ(seq.disorder, 0);
	EXPECT_FALSE(seq.backwards);
	EXPECT_GT(seq.count, 0);
	EXPECT_TRUE(stats_add_up(0));
	EXPECT_EQ(stat_of(0, "entries"), 0);
}

TEST_HARNESS_MAIN
