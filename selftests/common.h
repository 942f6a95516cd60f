/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kselftests share: control files, a ring as this process has mapped
 * it, and its events.
 */
#ifndef _SELFTESTS_COMMON_H
#define _SELFTESTS_COMMON_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/tracemap.h>

struct kbuffer;

#define DEFAULT_KB	"1408"

/* in front of a sub-buffer's events: a time, and a local_t with their bytes */
#define SUBBUF_HEADER	(sizeof(uint64_t) + sizeof(long))

/* files of the first instance; "per_cpu/cpu0/stats" and the like */
int control_open(const char *file, int flags);
int control_write(const char *file, const char *text);	/* 0 or -errno */
int control_read(const char *file, char *text, size_t size);	/* 0 or -errno */
long long control_number(const char *file);

/* recording off, empty, in overwrite mode, with these sizes; aborts if it cannot */
void control_setup(unsigned int subbuf_kb, unsigned int buffer_kb);
void control_defaults(void);

/* one line of per_cpu/cpuN/stats; aborts if there is none */
uint64_t stat_of(int cpu, const char *key);
/* reserved = read + unread + overrun + dropped */
bool stats_add_up(int cpu);

void pin(int cpu);

/* a marker with a number as its text; 0 or -errno */
int mark(uint64_t number);

/* a ring that is open, and mapped as a whole; fields are NULL and -1 if not */
struct ring_map {
	int			cpu;
	int			fd;
	struct tracemap_meta	*meta;
	size_t			length;
};

int raw_open(int cpu, int flags);			/* fd or -errno */
int ring_map(struct ring_map *map, int cpu, int flags);	/* 0 or -errno */
void ring_unmap(struct ring_map *map);
int get_reader(const struct ring_map *map);		/* 0 or -errno */
const void *subbuf_at(const struct ring_map *map, uint32_t id);
/* for libtraceevent to read; aborts if it cannot */
struct kbuffer *subbuf_load(const void *subbuf);

/*
 * Where a field stands in the records of "SYSTEM/EVENT", and the text in those of
 * markers: some kernels' common header is longer. Aborts if there is none.
 */
unsigned int field_at(const char *event, const char *field);
unsigned int marker_text_at(void);

/*
 * The markers in an image of a sub-buffer, between two offsets: calls back with
 * each number and its time. Parsed by libtraceevent.
 */
typedef void (*marker_fn)(uint64_t number, uint64_t time, void *arg);
unsigned int for_each_marker(const void *subbuf, uint32_t begin, uint32_t end,
			     marker_fn fn, void *arg);
/* libtraceevent's idea of what is missing before the first; -1: some */
long long missed_before(const void *subbuf);

/* numbers as they come: in order, each once, but for gaps that were told of */
struct sequence {
	uint64_t	next;
	uint64_t	count;
	uint64_t	lost;
	uint64_t	disorder;
	uint64_t	time;
	bool		backwards;
};

void sequence_add(uint64_t number, uint64_t time, void *seq);

/* drain a mapped ring with GET_READER; what was lost must be where it is told */
void drain(const struct ring_map *map, struct sequence *seq);

/* a thread that is (about to be) asleep in a system call */
bool sleeps(pid_t tid);

#endif /* _SELFTESTS_COMMON_H */
