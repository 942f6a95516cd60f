// SPDX-License-Identifier: GPL-2.0
/*
 * Two CPUs that write flat out, from tasks, softirqs, hard interrupts and NMIs
 * that interrupt each other, while both rings are consumed through the mapping:
 * every event is delivered once and in order, or counted as lost.
 *
 * TRACEMAP_EVENTS is how many events each test has accepted on both CPUs together.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>

#include "harness.h"

#include "writers.h"

#define DEFAULT_EVENTS	400000
#define CPUS		2
#define HOURS		3600

/**
 * struct consumer - who reads the ring of one CPU
 * @thread:	its thread
 * @map:	the ring
 * @records:	what came
 * @naps:	it sleeps at random
 * @waits:	when there is nothing it waits, instead of asking again
 * @err:	why it gave up
 */
struct consumer {
	pthread_t	thread;
	struct ring_map	map;
	struct records	records;
	bool		naps;
	bool		waits;
	int		err;
};

FIXTURE(torture) {
	struct consumer	consumers[CPUS];
	unsigned int	open;
	bool		writing;
};

FIXTURE_VARIANT(torture) {
	unsigned int	mode;
	unsigned int	order;
	unsigned int	subbufs;
	unsigned int	contexts;
	bool		naps;
	bool		waits;
};

#define NO_NMI	(ALL_CONTEXTS & ~(1 << TEST_NMI))

FIXTURE_VARIANT_ADD(torture, overwrite) {
	.mode = OVERWRITE, .subbufs = 16, .contexts = NO_NMI,
};

FIXTURE_VARIANT_ADD(torture, producer_consumer) {
	.mode = PRODUCER_CONSUMER, .subbufs = 16, .contexts = NO_NMI,
};

FIXTURE_VARIANT_ADD(torture, overwrite_sleepy_reader) {
	.mode = OVERWRITE, .subbufs = 16, .contexts = NO_NMI, .naps = true,
};

FIXTURE_VARIANT_ADD(torture, producer_consumer_sleepy_reader) {
	.mode = PRODUCER_CONSUMER, .subbufs = 16, .contexts = NO_NMI, .naps = true,
};

/* two slots: each sub-buffer is the reader's, the writer's or the spare */
FIXTURE_VARIANT_ADD(torture, overwrite_smallest_ring_with_nmi) {
	.mode = OVERWRITE, .subbufs = 2, .contexts = ALL_CONTEXTS, .waits = true,
};

FIXTURE_VARIANT_ADD(torture, producer_consumer_large_subbufs_with_nmi) {
	.mode = PRODUCER_CONSUMER, .order = 4, .subbufs = 4, .contexts = ALL_CONTEXTS,
	.waits = true,
};

static uint64_t events_wanted(void)
{
	const char *wanted = getenv("TRACEMAP_EVENTS");

	return wanted ? strtoull(wanted, NULL, 0) : DEFAULT_EVENTS;
}

static uint64_t seed(void)
{
	static uint64_t value;

	if (!value)
		value = getenv("TRACEMAP_SEED") ? strtoull(getenv("TRACEMAP_SEED"), NULL, 0) :
						  time(NULL);
	return value;
}

FIXTURE_SETUP(torture)
{
	uint64_t size = (uint64_t)variant->subbufs * ((4096 << variant->order) - 16);
	int cpu, err;

	if (sysconf(_SC_NPROCESSORS_ONLN) < CPUS)
		SKIP(return, "needs two CPUs");
	err = writers_open(size, variant->order, variant->mode);
	if (err == -ENOENT)
		SKIP(return, "no tracemap_test.ko in $TRACEMAP_MODULES");
	ASSERT_EQ(err, 0);
	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	for (cpu = 0; cpu < CPUS; cpu++) {
		struct consumer *consumer = &self->consumers[cpu];

		ASSERT_EQ(ring_map(&consumer->map, cpu, O_NONBLOCK), 0);
		self->open++;
		ASSERT_EQ(consumer->map.meta->nr_subbufs, variant->subbufs + 1);
		consumer->naps = variant->naps;
		consumer->waits = variant->waits;
		records_start(&consumer->records, &consumer->map);
	}
}

FIXTURE_TEARDOWN(torture)
{
	while (self->open)
		ring_unmap(&self->consumers[--self->open].map);
	writers_close();
}

/* The clock of no test: how long it takes depends on the machine. */
static void nap(unsigned int *random)
{
	if (rand_r(random) % 4 == 0)
		usleep(rand_r(random) % 3000);
}

static void *consume(void *arg)
{
	struct consumer *consumer = arg;
	struct pollfd pollfd = { .fd = consumer->map.fd, .events = POLLIN };
	unsigned int random = seed() + consumer->map.cpu;
	int writing, got;

	do {
		/* first, so that nothing comes after the last look */
		writing = writers_flooding();
		got = records_consume(&consumer->records);
		if (got > 0 && consumer->naps)
			nap(&random);
		if (!got && consumer->waits)
			poll(&pollfd, 1, 100);
		else if (!got)
			sched_yield();
	} while (got > 0 || (!got && writing));
	consumer->err = got < 0 ? got : 0;
	return NULL;
}

TEST_F_TIMEOUT(torture, every_event_once_and_in_order_or_counted, HOURS)
{
	struct test_flood flood = {
		.count = events_wanted() / CPUS,
		.cpus = (1 << CPUS) - 1,
		.contexts = variant->contexts,
		.min_length = sizeof(struct test_record),
		.max_length = 1500,
		.discard = 50,
		.burst = 600,
		.period_us = 200,
		.seed = seed(),
	};
	uint64_t delivered = 0, missing = 0;
	int cpu, context;

	TH_LOG("TRACEMAP_SEED=%llu TRACEMAP_EVENTS=%llu", (unsigned long long)seed(),
	       (unsigned long long)events_wanted());
	ASSERT_EQ(writers_flood(&flood), 0);
	for (cpu = 0; cpu < CPUS; cpu++)
		ASSERT_EQ(pthread_create(&self->consumers[cpu].thread, NULL, consume,
					 &self->consumers[cpu]), 0);
	for (cpu = 0; cpu < CPUS; cpu++)
		pthread_join(self->consumers[cpu].thread, NULL);
	ASSERT_EQ(writers_stop(), 0);

	for (cpu = 0; cpu < CPUS; cpu++) {
		struct records *records = &self->consumers[cpu].records;

		EXPECT_EQ(self->consumers[cpu].err, 0);
		EXPECT_STREQ(records_settle(records), "");
		EXPECT_GE(writers_accepted(cpu), flood.count);
		for (context = 0; context < TEST_NR_CONTEXTS; context++) {
			if (context != TEST_NMI && variant->contexts & (1 << context))
				EXPECT_GT(writers_counts(cpu, context).accepted, 0);
		}
		EXPECT_EQ(stat_of(cpu, variant->mode == OVERWRITE ? "dropped events" : "overrun"),
			  0);
		delivered += records->delivered;
		missing += records->missing;
		TH_LOG("%d: task %llu softirq %llu irq %llu nmi %llu nested %llu exchanges %llu",
		       cpu, writers_counts(cpu, TEST_TASK).accepted,
		       writers_counts(cpu, TEST_SOFTIRQ).accepted,
		       writers_counts(cpu, TEST_HARDIRQ).accepted,
		       writers_counts(cpu, TEST_NMI).accepted,
		       (unsigned long long)stat_of(cpu, "commit overrun"),
		       (unsigned long long)stat_of(cpu, "exchanges"));
	}
	TH_LOG("delivered %llu, lost %llu", (unsigned long long)delivered,
	       (unsigned long long)missing);
	EXPECT_GT(delivered, 0);
}

TEST_HARNESS_MAIN
