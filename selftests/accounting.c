// SPDX-License-Identifier: GPL-2.0
/*
 * Every event is delivered, unread, overwritten or dropped, and counted as that,
 * to the event.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"

#include "writers.h"

FIXTURE(accounting) {
	struct ring_map	map;
	struct records	records;
};

FIXTURE_VARIANT(accounting) {
	unsigned int	order;
	unsigned int	mode;
};

FIXTURE_VARIANT_ADD(accounting, overwrite_4k) { 0, OVERWRITE };
FIXTURE_VARIANT_ADD(accounting, overwrite_8k) { 1, OVERWRITE };
FIXTURE_VARIANT_ADD(accounting, overwrite_64k) { 4, OVERWRITE };
FIXTURE_VARIANT_ADD(accounting, producer_consumer_4k) { 0, PRODUCER_CONSUMER };
FIXTURE_VARIANT_ADD(accounting, producer_consumer_8k) { 1, PRODUCER_CONSUMER };
FIXTURE_VARIANT_ADD(accounting, producer_consumer_64k) { 4, PRODUCER_CONSUMER };

static uint32_t subbuf_size(const struct ring_map *map)
{
	return map->meta->subbuf_size;
}

/* the longest that fits: behind the header of a sub-buffer, and its own with its length */
static uint32_t longest_event(const struct ring_map *map)
{
	return subbuf_size(map) - SUBBUF_HEADER - 8;
}

/* records of 32 bytes that fill this many sub-buffers, and a little more */
static uint64_t records_for(const struct ring_map *map, unsigned int subbufs)
{
	return (uint64_t)subbuf_size(map) / 36 * subbufs + 7;
}

FIXTURE_SETUP(accounting)
{
	int err = writers_open(4 * (4096 << variant->order), variant->order, variant->mode);

	if (err == -ENOENT)
		SKIP(return, "no tracemap_test.ko in $TRACEMAP_MODULES");
	ASSERT_EQ(err, 0);
	ASSERT_EQ(ring_map(&self->map, 0, O_NONBLOCK), 0);
	records_start(&self->records, &self->map);
}

FIXTURE_TEARDOWN(accounting)
{
	ring_unmap(&self->map);
	writers_close();
}

TEST_F(accounting, every_context_without_a_reader)
{
	uint64_t count = records_for(&self->map, 3);
	unsigned int context;

	for (context = 0; context < TEST_NR_CONTEXTS; context++) {
		int err = writers_write(0, context, count, 32);

		if (err != -EOPNOTSUPP)
			ASSERT_EQ(err, 0);
	}
	EXPECT_TRUE(stats_add_up(0));
	EXPECT_EQ(stat_of(0, "reserved"), writers_attempted(0));
	EXPECT_GE(writers_attempted(0), 3 * count);
	if (variant->mode == OVERWRITE) {
		EXPECT_GT(stat_of(0, "overrun"), 0);
		EXPECT_EQ(stat_of(0, "dropped events"), 0);
		EXPECT_EQ(stat_of(0, "written"), writers_attempted(0));
	} else {
		EXPECT_EQ(stat_of(0, "overrun"), 0);
		EXPECT_GT(stat_of(0, "dropped events"), 0);
	}
	EXPECT_EQ(stat_of(0, "entries") + stat_of(0, "overrun"), writers_accepted(0));
	EXPECT_STREQ(records_settle(&self->records), "");
}

TEST_F(accounting, with_a_reader_in_between)
{
	uint64_t count = records_for(&self->map, 1) / 2;
	unsigned int round;

	/* sometimes it keeps up, sometimes it is lapped */
	for (round = 0; round < 60; round++) {
		ASSERT_EQ(writers_write(0, round % 3, count * (round % 13), 32), 0);
		ASSERT_GE(records_consume(&self->records), 0);
		if (round % 20 > 10)
			ASSERT_EQ(records_drain(&self->records), 0);
	}
	EXPECT_GT(self->records.missing, 0);
	EXPECT_STREQ(records_settle(&self->records), "");
}

TEST_F(accounting, lengths_up_to_a_subbuf)
{
	struct test_write write = {
		.count = 2000,
		.min_length = sizeof(struct test_record),
		.max_length = longest_event(&self->map),
	};

	for (; write.context < TEST_NMI; write.context++) {
		ASSERT_EQ(writers_do(&write), 0);
		ASSERT_EQ(records_drain(&self->records), 0);
	}
	EXPECT_EQ(stat_of(0, "dropped big"), 0);
	EXPECT_STREQ(records_settle(&self->records), "");
}

TEST_F(accounting, larger_than_a_subbuf)
{
	uint32_t most = longest_event(&self->map);

	ASSERT_EQ(writers_write(0, TEST_TASK, 1, most), 0);
	ASSERT_EQ(writers_write(0, TEST_HARDIRQ, 1, most), 0);
	EXPECT_EQ(stat_of(0, "dropped big"), 0);
	EXPECT_EQ(writers_accepted(0), 2);
	ASSERT_EQ(writers_write(0, TEST_TASK, 3, most + 1), 0);
	ASSERT_EQ(writers_write(0, TEST_HARDIRQ, 4, 1 << 20), 0);
	EXPECT_EQ(stat_of(0, "dropped big"), 7);
	EXPECT_EQ(stat_of(0, "dropped events"), 0);
	EXPECT_EQ(writers_accepted(0), 2);
	EXPECT_STREQ(records_settle(&self->records), "");
}

TEST_F(accounting, discarded_ones_leave_no_trace)
{
	struct test_write write = {
		.count = records_for(&self->map, 3),
		.min_length = 32,
		.max_length = 32,
		.discard = 3,
	};
	unsigned int context;

	for (context = 0; context < TEST_NMI; context++) {
		write.context = context;
		ASSERT_EQ(writers_do(&write), 0);
		EXPECT_GT(writers_counts(0, context).discarded, 0);
	}
	EXPECT_STREQ(records_settle(&self->records), "");
}

TEST_F(accounting, nothing_but_discarded_ones)
{
	struct test_write write = {
		.count = records_for(&self->map, 12),
		.min_length = 32,
		.max_length = 32,
		.discard = 1,
	};
	char image[16];
	int fd = raw_open(0, O_RDONLY | O_NONBLOCK);

	ASSERT_EQ(writers_do(&write), 0);
	EXPECT_EQ(writers_counts(0, TEST_TASK).discarded, write.count);
	EXPECT_EQ(stat_of(0, "reserved"), 0);
	EXPECT_EQ(read(fd, image, sizeof(image)), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_STREQ(records_settle(&self->records), "");
	close(fd);
}

/*
 * A sub-buffer with nothing but padding: its only event is taken back when what
 * interrupted it stands in the next one already.
 */
TEST_F(accounting, a_subbuf_of_discarded_ones_is_passed_over)
{
	struct test_write write = {
		.count = 1,
		.min_length = subbuf_size(&self->map) / 2,
		.max_length = subbuf_size(&self->map) / 2,
		.discard = 2,
		.held = subbuf_size(&self->map) * 3 / 4,
	};
	uint32_t size = subbuf_size(&self->map);
	int fd = raw_open(0, O_RDONLY | O_NONBLOCK);
	char *image = malloc(size);
	unsigned int round;

	for (round = 0; round < 10; round++) {
		ASSERT_EQ(writers_do(&write), 0);
		EXPECT_EQ(writers_counts(0, TEST_TASK).discarded, round + 1);
		EXPECT_EQ(writers_counts(0, TEST_HARDIRQ).accepted, round + 1);
		EXPECT_EQ(stat_of(0, "entries"), 1);
		EXPECT_EQ(stat_of(0, "sub-buffers touched"), 2 * (round + 1));
		ASSERT_EQ(records_drain(&self->records), 0);
		EXPECT_EQ(self->records.delivered, round + 1);
		EXPECT_EQ(read(fd, image, size), -1);
		EXPECT_EQ(errno, EAGAIN);
	}
	EXPECT_STREQ(records_settle(&self->records), "");
	EXPECT_EQ(self->records.missing, 0);
	free(image);
	close(fd);
}

TEST_F(accounting, an_interrupted_writer_is_not_lapped)
{
	struct test_write write = {
		.count = records_for(&self->map, 8),
		.min_length = 32,
		.max_length = 32,
		.held = 40,
	};
	unsigned int round;

	/* from everywhere in the ring, and in a sub-buffer */
	for (round = 0; round < 12; round++) {
		ASSERT_EQ(writers_do(&write), 0);
		ASSERT_EQ(records_drain(&self->records), 0);
		ASSERT_EQ(writers_write(0, TEST_TASK, 13, 500), 0);
		ASSERT_EQ(records_drain(&self->records), 0);
	}
	EXPECT_GE(stat_of(0, "commit overrun"), 12 * 2 * records_for(&self->map, 1));
	EXPECT_EQ(stat_of(0, "dropped events"), 0);
	EXPECT_EQ(stat_of(0, "overrun"), 0);
	EXPECT_EQ(writers_counts(0, TEST_TASK).accepted, 12 * 14);
	EXPECT_STREQ(records_settle(&self->records), "");
}

TEST_F(accounting, bytes_are_those_unread)
{
	struct tracemap_meta *meta = self->map.meta;
	uint64_t bytes;

	ASSERT_EQ(writers_write(0, TEST_TASK, 10, 32), 0);
	bytes = stat_of(0, "bytes");
	EXPECT_GE(bytes, 10 * 36);
	EXPECT_EQ(stat_of(0, "entries"), 10);
	ASSERT_EQ(records_consume(&self->records), 10);
	EXPECT_EQ(meta->reader.read, bytes);
	EXPECT_EQ(stat_of(0, "bytes"), 0);
	EXPECT_EQ(stat_of(0, "entries"), 0);
	EXPECT_EQ(meta->entries, 10);
	EXPECT_EQ(meta->read, 10);

	ASSERT_EQ(writers_write(0, TEST_TASK, 1, 32), 0);
	EXPECT_GE(stat_of(0, "bytes"), 36);
	EXPECT_LE(stat_of(0, "bytes"), 36 + 8);
}

TEST_F(accounting, consumed_to_the_very_end)
{
	uint32_t most = longest_event(&self->map);
	uint32_t nr_subbufs = self->map.meta->nr_subbufs;
	unsigned int i;

	/* each fills a sub-buffer to its last byte, and the reader is always there */
	for (i = 0; i < 3 * nr_subbufs; i++) {
		ASSERT_EQ(writers_write(0, TEST_TASK, 1, most), 0);
		ASSERT_EQ(records_drain(&self->records), 0);
		ASSERT_EQ(self->records.delivered, i + 1);
		ASSERT_EQ(self->map.meta->reader.read, subbuf_size(&self->map) - SUBBUF_HEADER);
	}
	ASSERT_EQ(writers_write(0, TEST_TASK, 1, 32), 0);
	ASSERT_EQ(records_drain(&self->records), 0);
	EXPECT_EQ(self->map.meta->reader.read, 36);
	EXPECT_STREQ(records_settle(&self->records), "");
	EXPECT_EQ(self->records.missing, 0);
	EXPECT_EQ(stat_of(0, "exchanges"), 0);
}

TEST_F(accounting, off_and_on_loses_nothing)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(control_write("tracing_on", "0"), 0);
		ASSERT_EQ(control_write("tracing_on", "1"), 0);
	}
	EXPECT_EQ(stat_of(0, "reserved"), 0);
	EXPECT_EQ(stat_of(0, "overrun"), 0);
	EXPECT_EQ(stat_of(0, "dropped events"), 0);
	ASSERT_EQ(writers_write(0, TEST_TASK, 100, 32), 0);
	ASSERT_EQ(control_write("tracing_on", "0"), 0);
	ASSERT_EQ(control_write("tracing_on", "1"), 0);
	ASSERT_EQ(writers_write(0, TEST_TASK, 100, 32), 0);
	EXPECT_STREQ(records_settle(&self->records), "");
	EXPECT_EQ(self->records.missing, 0);
}

/* As often as it can, on another CPU than the one that writes from every context. */
TEST_F(accounting, a_reader_on_another_cpu)
{
	struct test_flood flood = {
		.count = 20000,
		.cpus = 1 << 1,
		.contexts = ALL_CONTEXTS & ~(1 << TEST_NMI),
		.min_length = sizeof(struct test_record),
		.max_length = 100,
		.discard = 20,
		.burst = 100,
		.period_us = 200,
		.seed = 1,
	};
	uint64_t calls = 0;
	int writing, got;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "needs two CPUs");
	pin(0);
	ring_unmap(&self->map);
	ASSERT_EQ(ring_map(&self->map, 1, O_NONBLOCK), 0);
	records_start(&self->records, &self->map);
	ASSERT_EQ(writers_flood(&flood), 0);
	do {
		writing = calls++ % 64 || writers_flooding();
		got = records_consume(&self->records);
	} while (got > 0 || (!got && writing));
	ASSERT_EQ(got, 0) TH_LOG("%s", self->records.wrong);
	ASSERT_EQ(writers_stop(), 0);
	EXPECT_GT(calls, 64);
	EXPECT_GE(writers_accepted(1), flood.count);
	EXPECT_STREQ(records_settle(&self->records), "");
}

TEST_HARNESS_MAIN
