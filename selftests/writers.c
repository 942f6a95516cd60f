// SPDX-License-Identifier: GPL-2.0
/*
 * The test module's writers, and what a reader of their records checks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "writers.h"

#define DEVICE		"/dev/tracemap_test"
#define ROOT		"/sys/kernel/tracemap"

static int device = -1;

int module_load(const char *name)
{
	const char *dir = getenv("TRACEMAP_MODULES");
	char path[256];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s.ko", dir ? dir : "modules", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return err == -EEXIST ? 0 : err;
}

int module_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

static int control(unsigned long command, void *arg)
{
	int ret = ioctl(device, command, arg);

	return ret < 0 ? -errno : ret;
}

int writers_create(uint64_t size, unsigned int order, unsigned int mode)
{
	struct test_create create = { .size = size, .order = order, .mode = mode };

	return control(TEST_CREATE, &create);
}

int writers_open(uint64_t size, unsigned int order, unsigned int mode)
{
	int err;

	if (device < 0 && access(DEVICE, F_OK)) {
		err = module_load("tracemap_test");
		if (err)
			return err;
	}
	if (device < 0)
		device = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -errno;
	writers_destroy();
	setenv("TRACEMAP_DIR", ROOT "/instances/" TEST_INSTANCE, 1);
	return writers_create(size, order, mode);
}

void writers_close_device(void)
{
	close(device);
	device = -1;
	unsetenv("TRACEMAP_DIR");
}

void writers_close(void)
{
	if (device < 0)
		return;
	writers_destroy();
	writers_close_device();
}

int writers_destroy(void)
{
	return control(TEST_DESTROY, NULL);
}

int writers_do(const struct test_write *write)
{
	return control(TEST_WRITE, (void *)write);
}

int writers_write(unsigned int cpu, unsigned int context, uint64_t count, uint32_t length)
{
	struct test_write write = {
		.cpu = cpu,
		.context = context,
		.count = count,
		.min_length = length,
		.max_length = length,
	};

	return writers_do(&write);
}

int writers_flood(const struct test_flood *flood)
{
	return control(TEST_FLOOD, (void *)flood);
}

int writers_flooding(void)
{
	return control(TEST_FLOODING, NULL);
}

int writers_stop(void)
{
	return control(TEST_STOP, NULL);
}

struct test_counts writers_counts(unsigned int cpu, unsigned int context)
{
	struct test_counts counts = { .cpu = cpu, .context = context };

	if (control(TEST_COUNTS, &counts)) {
		printf("Bail out! TEST_COUNTS: %s\n", strerror(errno));
		exit(1);
	}
	return counts;
}

uint64_t writers_attempted(unsigned int cpu)
{
	unsigned int context;
	uint64_t sum = 0;

	for (context = 0; context < TEST_NR_CONTEXTS; context++)
		sum += writers_counts(cpu, context).attempted;
	return sum;
}

uint64_t writers_accepted(unsigned int cpu)
{
	unsigned int context;
	uint64_t sum = 0;

	for (context = 0; context < TEST_NR_CONTEXTS; context++)
		sum += writers_counts(cpu, context).accepted;
	return sum;
}

static void __attribute__((format(printf, 2, 3)))
wrong(struct records *records, const char *format, ...)
{
	va_list args;

	if (records->wrong[0])
		return;
	va_start(args, format);
	vsnprintf(records->wrong, sizeof(records->wrong), format, args);
	va_end(args);
}

void records_start(struct records *records, const struct ring_map *map)
{
	*records = (struct records) {
		.map = map,
		.taken = map->meta->subbufs_read,
		.read = map->meta->reader.read,
	};
}

void records_resume(struct records *records, const struct ring_map *map)
{
	records->map = map;
	records->taken = map->meta->subbufs_read;
	records->read = map->meta->reader.read;
	/* what the next event's time counts from was not seen */
	records->time = 0;
	records->last = 0;
}

static void check_record(struct records *records, const char *payload, uint32_t room)
{
	struct test_record record;
	uint32_t i;

	memcpy(&record, payload, sizeof(record));
	if (record.cpu != records->map->cpu || record.context >= TEST_NR_CONTEXTS) {
		wrong(records, "no record of CPU %d", records->map->cpu);
		return;
	}
	if (room != ((record.length + 3) & ~3U)) {
		wrong(records, "record of %u bytes in an event of %u", record.length, room);
		return;
	}
	if (record.seq < records->next[record.context]) {
		wrong(records, "context %u: %llu after %llu", record.context,
		      (unsigned long long)record.seq,
		      (unsigned long long)records->next[record.context] - 1);
		return;
	}
	for (i = 0; i < record.length - sizeof(record); i++) {
		if ((uint8_t)payload[sizeof(record) + i] != (uint8_t)(record.seq + i))
			wrong(records, "record %llu is torn", (unsigned long long)record.seq);
	}
	records->missing += record.seq - records->next[record.context];
	records->next[record.context] = record.seq + 1;
	records->delivered++;
	if (records->time < records->last)
		wrong(records, "time runs backwards");
	records->last = records->time;
}

/* Looks at the record at @at, with at most @left bytes, and returns its size. */
static uint32_t look_at(struct records *records, const char *at, uint32_t left)
{
	uint32_t word[2], type, delta;

	memcpy(word, at, left < sizeof(word) ? left : sizeof(word));
	type = word[0] & 31;
	delta = word[0] >> 5;
	switch (type) {
	case 29:
		records->time += delta;
		return word[1] + 4;
	case 30:
		records->time += delta | (uint64_t)word[1] << 27;
		return 8;
	case 31:
		records->time = delta | (uint64_t)word[1] << 27;
		return 8;
	case 0:
		records->time += delta;
		if (word[1] + 4 <= left)
			check_record(records, at + 8, word[1] - 4);
		return word[1] + 4;
	default:
		records->time += delta;
		if (type * 4 + 4 <= left)
			check_record(records, at + 4, type * 4);
		return type * 4 + 4;
	}
}

static void look_at_new(struct records *records, const char *subbuf, uint32_t end)
{
	uint32_t size;

	while (records->read < end && !records->wrong[0]) {
		size = look_at(records, subbuf + SUBBUF_HEADER + records->read,
			       end - records->read);
		if (size > end - records->read || size % 4)
			wrong(records, "a record of %u bytes with %u left", size,
			      end - records->read);
		records->read += size;
	}
}

int records_consume(struct records *records)
{
	const struct tracemap_meta *meta = records->map->meta;
	uint64_t before = records->delivered;
	const char *subbuf;
	int err;

	err = get_reader(records->map);
	if (err)
		return err;
	if (meta->reader.id >= meta->nr_subbufs) {
		wrong(records, "there is no sub-buffer %u", meta->reader.id);
		return -EBADMSG;
	}
	subbuf = subbuf_at(records->map, meta->reader.id);
	if (meta->subbufs_read != records->taken) {
		records->taken = meta->subbufs_read;
		records->told += meta->reader.lost_events;
		records->read = 0;
		memcpy(&records->time, subbuf, sizeof(records->time));
		/* no earlier than the event before it, no later than its first */
		if (records->time < records->last)
			wrong(records, "a sub-buffer begins before the last event");
		records->last = records->time;
	}
	look_at_new(records, subbuf, meta->reader.read);
	return records->wrong[0] ? -EBADMSG : (int)(records->delivered - before);
}

int records_drain(struct records *records)
{
	uint64_t taken;
	int ret;

	do {
		taken = records->taken;
		ret = records_consume(records);
	} while (ret > 0 || (!ret && records->taken != taken));
	return ret;
}

static void must_be(struct records *records, const char *what, uint64_t is, uint64_t should)
{
	if (is != should)
		wrong(records, "%s is %llu, should be %llu", what,
		      (unsigned long long)is, (unsigned long long)should);
}

static uint64_t dropped_of(int cpu)
{
	return stat_of(cpu, "dropped events") + stat_of(cpu, "commit overrun") +
	       stat_of(cpu, "dropped big");
}

static void compare_counts(struct records *records)
{
	int cpu = records->map->cpu;
	uint64_t tail = 0;
	unsigned int context;

	for (context = 0; context < TEST_NR_CONTEXTS; context++)
		tail += writers_counts(cpu, context).attempted - records->next[context];

	must_be(records, "reserved", stat_of(cpu, "reserved"), writers_attempted(cpu));
	must_be(records, "written", stat_of(cpu, "written"), writers_accepted(cpu));
	must_be(records, "read", stat_of(cpu, "read events"), records->delivered);
	must_be(records, "unread", stat_of(cpu, "entries"), 0);
	must_be(records, "bytes", stat_of(cpu, "bytes"), 0);
	must_be(records, "dropped", dropped_of(cpu),
		writers_attempted(cpu) - writers_accepted(cpu));
	must_be(records, "overrun + dropped", stat_of(cpu, "overrun") + dropped_of(cpu),
		records->missing + tail);
	if (!stats_add_up(cpu))
		wrong(records, "the counts do not add up");
}

const char *records_settle(struct records *records)
{
	int cpu = records->map->cpu;
	uint64_t taken;
	int err;

	err = records_drain(records);
	if (err)
		return records->wrong[0] ? records->wrong : strerror(-err);
	compare_counts(records);

	for (taken = records->taken; records->taken == taken && !err;) {
		err = writers_write(cpu, TEST_TASK, 1, 100);
		if (!err)
			err = records_drain(records);
	}
	if (err)
		wrong(records, "writing on: %s", strerror(-err));
	compare_counts(records);
	must_be(records, "lost", records->told, stat_of(cpu, "overrun") +
		stat_of(cpu, "dropped events") + stat_of(cpu, "commit overrun"));
	return records->wrong;
}
