/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test module's writers, and what a reader of their records checks.
 */
#ifndef _SELFTESTS_WRITERS_H
#define _SELFTESTS_WRITERS_H

#include <stdint.h>

#include "common.h"
#include "modules/tracemap_test.h"

enum { OVERWRITE, PRODUCER_CONSUMER };

/* pages of 4 KiB only, as the sizes in the tests are */
#define ALL_CONTEXTS	((1 << TEST_NR_CONTEXTS) - 1)

int module_load(const char *name);		/* 0 or -errno; from $TRACEMAP_MODULES */
int module_unload(const char *name);		/* 0 or -errno */

/*
 * Load the test module if need be and make its buffer, in place of an older one.
 * From then on the functions of common.h are about that instance. 0 or -errno.
 */
int writers_open(uint64_t size, unsigned int order, unsigned int mode);
void writers_close(void);			/* the buffer goes, the module stays */
void writers_close_device(void);		/* the buffer stays */

int writers_create(uint64_t size, unsigned int order, unsigned int mode);
int writers_destroy(void);

/* 0 or -errno, as the ioctls in tracemap_test.h */
int writers_write(unsigned int cpu, unsigned int context, uint64_t count, uint32_t length);
int writers_do(const struct test_write *write);
int writers_flood(const struct test_flood *flood);
int writers_flooding(void);
int writers_stop(void);
struct test_counts writers_counts(unsigned int cpu, unsigned int context);
uint64_t writers_attempted(unsigned int cpu);
uint64_t writers_accepted(unsigned int cpu);

/**
 * struct records - the records that one CPU's mapped ring has given
 * @map:	the ring
 * @next:	the next number of each context
 * @delivered:	records
 * @missing:	numbers that did not come
 * @told:	sum of reader.lost_events
 * @taken:	meta->subbufs_read
 * @read:	bytes of the sub-buffer held that were looked at
 * @time:	of the last record there
 * @last:	of the last event
 * @wrong:	what was wrong first, "" if nothing
 */
struct records {
	const struct ring_map	*map;
	uint64_t		next[TEST_NR_CONTEXTS];
	uint64_t		delivered;
	uint64_t		missing;
	uint64_t		told;
	uint64_t		taken;
	uint32_t		read;
	uint64_t		time;
	uint64_t		last;
	char			wrong[120];
};

void records_start(struct records *records, const struct ring_map *map);
/* go on in another mapping of a ring that may have been rebuilt meanwhile */
void records_resume(struct records *records, const struct ring_map *map);
/* one GET_READER; the number of records that came, or -errno */
int records_consume(struct records *records);
/* until there are no more; 0 or -errno */
int records_drain(struct records *records);

/*
 * With no writer at work: drains, and compares every count with the writers' own.
 * Then has them write on into the next sub-buffer, so that the ring must have told
 * of every loss. Returns what is wrong, or "".
 */
const char *records_settle(struct records *records);

#endif /* _SELFTESTS_WRITERS_H */
