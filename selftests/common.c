// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common.h"

static const char *directory(void)
{
	const char *dir = getenv("TRACEMAP_DIR");

	return dir ? dir : "/sys/kernel/tracemap";
}

static void give_up(const char *what, int err)
{
	printf("Bail out! %s: %s\n", what, strerror(err));
	exit(1);
}

int control_open(const char *file, int flags)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory(), file);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int control_write(const char *file, const char *text)
{
	int fd = control_open(file, O_WRONLY | O_TRUNC);
	ssize_t length = strlen(text);
	int err = 0;

	if (fd < 0)
		return fd;
	if (length && write(fd, text, length) != length)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

int control_read(const char *file, char *text, size_t size)
{
	int fd = control_open(file, O_RDONLY);
	size_t length = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	while ((got = read(fd, text + length, size - 1 - length)) > 0)
		length += got;
	text[length] = '\0';
	close(fd);
	return got < 0 ? -errno : 0;
}

long long control_number(const char *file)
{
	char text[64];
	int err = control_read(file, text, sizeof(text));

	return err ? err : strtoll(text, NULL, 10);
}

static void must_write(const char *file, unsigned int number)
{
	char text[16];
	int err;

	snprintf(text, sizeof(text), "%u", number);
	err = control_write(file, text);
	if (err)
		give_up(file, -err);
}

void control_setup(unsigned int subbuf_kb, unsigned int buffer_kb)
{
	must_write("tracing_on", 0);
	must_write("options/overwrite", 1);
	must_write("buffer_percent", 50);
	/* small first, so that neither step needs much memory */
	must_write("buffer_size_kb", 4);
	must_write("buffer_subbuf_size_kb", subbuf_kb);
	must_write("buffer_size_kb", buffer_kb);
	if (control_write("set_event", "") || control_write("trace", ""))
		give_up("reset", EIO);
}

void control_defaults(void)
{
	control_setup(4, atoi(DEFAULT_KB));
	must_write("tracing_on", 1);
}

uint64_t stat_of(int cpu, const char *key)
{
	char file[64], text[2048], *line, *save;

	snprintf(file, sizeof(file), "per_cpu/cpu%d/stats", cpu);
	if (control_read(file, text, sizeof(text)))
		give_up(file, errno);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			return strtoull(line + strlen(key) + 1, NULL, 10);
	}
	give_up(key, ENOENT);
	return 0;
}

bool stats_add_up(int cpu)
{
	uint64_t sum = stat_of(cpu, "read events") + stat_of(cpu, "entries") +
		       stat_of(cpu, "overrun") + stat_of(cpu, "dropped events") +
		       stat_of(cpu, "commit overrun") + stat_of(cpu, "dropped big");

	return stat_of(cpu, "reserved") == sum;
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		give_up("sched_setaffinity", errno);
}

int mark(uint64_t number)
{
	static int fd = -1;
	char text[24];
	int length = snprintf(text, sizeof(text), "%llu", (unsigned long long)number);

	if (fd < 0)
		fd = control_open("trace_marker", O_WRONLY);
	if (fd < 0)
		return fd;
	return write(fd, text, length) == length ? 0 : -errno;
}

int raw_open(int cpu, int flags)
{
	char file[64];

	snprintf(file, sizeof(file), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	return control_open(file, flags);
}

int ring_map(struct ring_map *map, int cpu, int flags)
{
	struct tracemap_meta *meta, *first;

	*map = (struct ring_map) { .cpu = cpu };
	map->fd = raw_open(cpu, flags | O_RDONLY);
	if (map->fd < 0)
		return map->fd;

	/* the first page tells how long the whole is, and keeps it so */
	first = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, map->fd, 0);
	if (first == MAP_FAILED)
		return -errno;
	map->length = first->meta_page_size + (size_t)first->nr_subbufs * first->subbuf_size;
	meta = mmap(NULL, map->length, PROT_READ, MAP_SHARED, map->fd, 0);
	munmap(first, getpagesize());
	if (meta == MAP_FAILED)
		return -errno;
	map->meta = meta;
	return 0;
}

void ring_unmap(struct ring_map *map)
{
	if (map->meta)
		munmap(map->meta, map->length);
	if (map->fd >= 0)
		close(map->fd);
	map->meta = NULL;
	map->fd = -1;
}

int get_reader(const struct ring_map *map)
{
	return ioctl(map->fd, TRACE_MMAP_IOCTL_GET_READER) ? -errno : 0;
}

const void *subbuf_at(const struct ring_map *map, uint32_t id)
{
	return (const char *)map->meta + map->meta->meta_page_size +
	       (size_t)id * map->meta->subbuf_size;
}

struct kbuffer *subbuf_load(const void *subbuf)
{
	struct kbuffer *kbuf = kbuffer_alloc(sizeof(long) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
					     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
					     KBUFFER_ENDIAN_LITTLE : KBUFFER_ENDIAN_BIG);

	if (!kbuf || kbuffer_load_subbuffer(kbuf, (void *)subbuf))
		give_up("kbuffer", EINVAL);
	return kbuf;
}

unsigned int field_at(const char *event, const char *field)
{
	char file[64], text[4096], needle[64];
	const char *at;
	int err;

	snprintf(file, sizeof(file), "events/%s/format", event);
	err = control_read(file, text, sizeof(text));
	if (err)
		give_up(file, -err);
	snprintf(needle, sizeof(needle), " %s;\toffset:", field);
	at = strstr(text, needle);
	if (!at)
		give_up(needle, ENOENT);
	return strtoul(at + strlen(needle), NULL, 10);
}

unsigned int marker_text_at(void)
{
	static unsigned int at;

	if (!at)
		at = field_at("ftrace/print", "buf[]");
	return at;
}

unsigned int for_each_marker(const void *subbuf, uint32_t begin, uint32_t end,
			     marker_fn fn, void *arg)
{
	struct kbuffer *kbuf = subbuf_load(subbuf);
	unsigned long long time;
	unsigned int count = 0;
	const char *record;

	for (record = kbuffer_read_event(kbuf, &time); record;
	     record = kbuffer_next_event(kbuf, &time)) {
		uint32_t offset = kbuffer_curr_offset(kbuf);

		if (offset < begin)
			continue;
		if (offset >= end)
			break;
		fn(strtoull(record + marker_text_at(), NULL, 10), time, arg);
		count++;
	}
	kbuffer_free(kbuf);
	return count;
}

long long missed_before(const void *subbuf)
{
	struct kbuffer *kbuf = subbuf_load(subbuf);
	long long missed = kbuffer_missed_events(kbuf);

	kbuffer_free(kbuf);
	return missed;
}

void sequence_add(uint64_t number, uint64_t time, void *arg)
{
	struct sequence *seq = arg;

	if (number < seq->next)
		seq->disorder++;
	else
		seq->lost += number - seq->next;
	seq->next = number + 1;
	seq->count++;
	if (time < seq->time)
		seq->backwards = true;
	seq->time = time;
}

void drain(const struct ring_map *map, struct sequence *seq)
{
	uint32_t id = map->meta->reader.id;
	uint32_t read = map->meta->reader.read;
	uint64_t before, count;

	for (;;) {
		if (get_reader(map))
			give_up("GET_READER", errno);
		if (map->meta->reader.id == id && map->meta->reader.read == read)
			return;
		if (map->meta->reader.id != id)
			read = 0;
		id = map->meta->reader.id;

		before = seq->lost;
		count = for_each_marker(subbuf_at(map, id), read, map->meta->reader.read,
					sequence_add, seq);
		/* the gap must be as large as was told, and nowhere else */
		if (count && seq->lost - before != (read ? 0 : map->meta->reader.lost_events))
			seq->disorder++;
		read = map->meta->reader.read;
	}
}

bool sleeps(pid_t tid)
{
	char path[64], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = '?';
	fclose(file);
	return state == 'S';
}
