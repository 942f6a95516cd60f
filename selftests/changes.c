// SPDX-License-Identifier: GPL-2.0
/*
 * What may change while writers on two CPUs write flat out from every context:
 * sizes, settings, who reads, and the CPUs themselves. Numbers still come in
 * order and whole, counts add up, and nothing hangs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "harness.h"

#include "writers.h"

#define CPUS		2
#define SUBBUF		4096
#define ALL_CPUS	((1 << CPUS) - 1)
#define FOR_EVER	(1U << 30)

FIXTURE(changes) {
	struct ring_map	map;
};

static int start_flood(uint64_t count, uint64_t cpus, uint32_t contexts)
{
	struct test_flood flood = {
		.count = count,
		.cpus = cpus,
		.contexts = contexts,
		.min_length = sizeof(struct test_record),
		.max_length = 200,
		.discard = 50,
		.burst = 300,
		.period_us = 200,
		.seed = 1,
	};

	return writers_flood(&flood);
}

FIXTURE_SETUP(changes)
{
	int err;

	self->map.fd = -1;
	if (sysconf(_SC_NPROCESSORS_ONLN) < CPUS)
		SKIP(return, "needs two CPUs");
	err = writers_open(16 * SUBBUF, 0, OVERWRITE);
	if (err == -ENOENT)
		SKIP(return, "no tracemap_test.ko in $TRACEMAP_MODULES");
	ASSERT_EQ(err, 0);
}

FIXTURE_TEARDOWN(changes)
{
	ring_unmap(&self->map);
	writers_close();
}

/* One of the settings, another each time; EBUSY is what a mapped ring says. */
static int change(unsigned int turn)
{
	static const struct {
		const char	*file;
		const char	*text;
	} changes[] = {
		{ "buffer_size_kb", "400" },
		{ "buffer_subbuf_size_kb", "16" },
		{ "options/overwrite", "0" },
		{ "per_cpu/cpu1/buffer_size_kb", "8" },
		{ "buffer_percent", "100" },
		{ "trace", "" },
		{ "buffer_subbuf_size_kb", "4" },
		{ "tracing_on", "0" },
		{ "tracing_on", "1" },
		{ "options/overwrite", "1" },
		{ "buffer_size_kb", "8" },
		{ "buffer_percent", "0" },
		{ "trace_clock", "mono" },
		{ "trace_clock", "local" },
	};
	unsigned int i = turn % ARRAY_SIZE(changes);

	return control_write(changes[i].file, changes[i].text);
}

/* Reads for a while, sometimes without a mapping, so that sizes can change. */
static int read_some(struct ring_map *map, struct records *records, int cpu)
{
	int i, err = ring_map(map, cpu, O_NONBLOCK);

	if (!err)
		records_resume(records, map);
	for (i = 0; i < 20 && !err; i++) {
		err = records_consume(records);
		if (err > 0)
			err = 0;
	}
	ring_unmap(map);
	return err;
}

TEST_F(changes, settings_under_writers)
{
	struct records records = {};
	unsigned int turn, done = 0;
	int cpu, err;

	ASSERT_EQ(start_flood(FOR_EVER, ALL_CPUS, ALL_CONTEXTS), 0);
	for (turn = 0; turn < 150; turn++) {
		err = change(turn);
		EXPECT_EQ(err, 0) TH_LOG("change %u", turn);
		done += !err;
		ASSERT_EQ(read_some(&self->map, &records, 0), 0) TH_LOG("%s", records.wrong);
	}
	EXPECT_EQ(done, turn);
	EXPECT_EQ(writers_flooding(), CPUS);
	ASSERT_EQ(writers_stop(), 0);
	EXPECT_GT(records.delivered, 0);

	for (cpu = 0; cpu < CPUS; cpu++)
		EXPECT_TRUE(stats_add_up(cpu));

	/* and it is as good as new */
	ASSERT_EQ(control_write("tracing_on", "1"), 0);
	ASSERT_EQ(control_write("trace", ""), 0);
	ASSERT_EQ(writers_write(0, TEST_HARDIRQ, 5, 32), 0);
	EXPECT_EQ(stat_of(0, "entries"), 5);
}

struct reader {
	pthread_t	thread;
	int		fd;
	uint64_t	records;
	uint8_t		*seen;
	uint64_t	most;
	bool		twice;
};

/* One list for each thread: they are put together when all is over. */
static void take_record(struct reader *reader, const char *payload)
{
	struct test_record record;

	memcpy(&record, payload, sizeof(record));
	if (record.seq >= reader->most || reader->seen[record.seq])
		reader->twice = true;
	else
		reader->seen[record.seq] = 1;
	reader->records++;
}

static void take_image(struct reader *reader, const char *image)
{
	uint64_t commit;
	uint32_t word[2], at, size;

	memcpy(&commit, image + 8, sizeof(commit));
	for (at = 0; at < (commit & 0xfffff); at += size) {
		const char *event = image + SUBBUF_HEADER + at;

		memcpy(word, event, sizeof(word));
		size = (word[0] & 31) * 4 + 4;
		if ((word[0] & 31) == 29 || !(word[0] & 31))
			size = word[1] + 4;
		else if ((word[0] & 31) > 29)
			size = 8;
		if (!(word[0] & 31))
			take_record(reader, event + 8);
		else if ((word[0] & 31) < 29)
			take_record(reader, event + 4);
	}
}

static void *read_all(void *arg)
{
	struct reader *reader = arg;
	char image[SUBBUF];
	bool writing;
	ssize_t got;

	do {
		writing = writers_flooding();
		got = read(reader->fd, image, sizeof(image));
		if (got == sizeof(image))
			take_image(reader, image);
		else
			sched_yield();
	} while (got > 0 || writing);
	return NULL;
}

TEST_F(changes, two_readers_get_each_event_once)
{
	struct reader readers[2] = {};
	uint64_t i, both = 0, count;
	int r;

	ASSERT_EQ(control_write("options/overwrite", "0"), 0);
	for (r = 0; r < 2; r++) {
		readers[r].most = 1000000;
		readers[r].seen = calloc(readers[r].most, 1);
		readers[r].fd = raw_open(0, O_RDONLY | O_NONBLOCK);
		ASSERT_GE(readers[r].fd, 0);
	}
	ASSERT_EQ(start_flood(50000, 1, 1 << TEST_TASK), 0);
	for (r = 0; r < 2; r++)
		ASSERT_EQ(pthread_create(&readers[r].thread, NULL, read_all, &readers[r]), 0);
	for (r = 0; r < 2; r++)
		pthread_join(readers[r].thread, NULL);
	ASSERT_EQ(writers_stop(), 0);

	count = writers_counts(0, TEST_TASK).accepted;
	EXPECT_GE(count, 50000);
	EXPECT_EQ(readers[0].records + readers[1].records, count);
	EXPECT_EQ(stat_of(0, "read events"), count);
	for (r = 0; r < 2; r++)
		EXPECT_FALSE(readers[r].twice);
	for (i = 0; i < readers[0].most; i++)
		both += readers[0].seen[i] && readers[1].seen[i];
	EXPECT_EQ(both, 0);
	for (r = 0; r < 2; r++) {
		free(readers[r].seen);
		close(readers[r].fd);
	}
}

static int set_online(const char *state)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, state, 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

TEST_F(changes, a_cpu_leaves_in_the_middle_of_writing)
{
	uint32_t contexts = ALL_CONTEXTS & ~(1 << TEST_NMI);
	struct records records;
	int round;

	if (access("/sys/devices/system/cpu/cpu1/online", W_OK))
		SKIP(return, "CPU 1 cannot be taken offline here");
	ASSERT_EQ(ring_map(&self->map, 1, O_NONBLOCK), 0);
	records_start(&records, &self->map);
	for (round = 0; round < 4; round++) {
		ASSERT_EQ(start_flood(FOR_EVER, ALL_CPUS, contexts), 0);
		ASSERT_GE(records_consume(&records), 0);
		ASSERT_EQ(set_online("0"), 0);
		EXPECT_EQ(writers_write(1, TEST_TASK, 1, 32), -EBUSY);
		ASSERT_EQ(writers_stop(), 0);
		EXPECT_EQ(writers_write(1, TEST_TASK, 1, 32), -ENODEV);
		ASSERT_EQ(records_drain(&records), 0) TH_LOG("%s", records.wrong);
		ASSERT_EQ(set_online("1"), 0);
	}
	EXPECT_GT(records.delivered, 0);
	EXPECT_STREQ(records_settle(&records), "");
}

/* Nothing of an older buffer is in a new one of the same name, whoever writes when. */
TEST_F(changes, made_and_removed_again_and_again)
{
	uint32_t contexts = ALL_CONTEXTS & ~(1 << TEST_NMI);
	struct records records;
	unsigned int round;
	int i;

	for (round = 0; round < 100; round++) {
		/* the last one: sometimes with all at work, sometimes with a mapping */
		ASSERT_EQ(writers_destroy(), 0);
		ring_unmap(&self->map);
		ASSERT_EQ(writers_create((2 + round % 7) * SUBBUF, round % 3, round % 2), 0);
		ASSERT_EQ(ring_map(&self->map, round % CPUS, O_NONBLOCK), 0);
		records_start(&records, &self->map);
		EXPECT_EQ(self->map.meta->entries, 0);
		ASSERT_EQ(start_flood(FOR_EVER, ALL_CPUS, contexts), 0);
		for (i = 0; i < 20; i++)
			ASSERT_GE(records_consume(&records), 0) TH_LOG("%s", records.wrong);
		if (round % 4 < 2) {
			ASSERT_EQ(writers_stop(), 0);
			ASSERT_STREQ(records_settle(&records), "");
			EXPECT_GT(records.delivered, 0);
		}
		if (round % 3)
			ring_unmap(&self->map);
	}
}

TEST_HARNESS_MAIN
