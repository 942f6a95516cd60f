// SPDX-License-Identifier: LGPL-2.1
/*
 * per_cpu/cpuN/stats: lines of "key: number", in any order.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracemap.h"

struct stats_key {
	const char	*name;
	size_t		offset;
};

#define KEY(name, field)	{ name, offsetof(struct tracemap_stats, field) }

/* The first eight are tracefs's, and so are their names. */
static const struct stats_key keys[] = {
	KEY("entries", unread),
	KEY("overrun", overrun),
	KEY("commit overrun", dropped_nested),
	KEY("bytes", bytes),
	KEY("oldest event ts", oldest),
	KEY("now ts", now),
	KEY("dropped events", dropped_full),
	KEY("read events", read),
	KEY("dropped big", dropped_big),
	KEY("reserved", reserved),
	KEY("written", written),
	KEY("exchanges", exchanges),
	KEY("sub-buffers read", subbufs_read),
	KEY("sub-buffers touched", subbufs_touched),
	KEY("sub-buffers lost", subbufs_lost),
	{ }
};

/* Returns the text behind "NAME:" at the start of a line, or NULL. */
static const char *find_key(const char *text, const char *name)
{
	size_t len = strlen(name);

	while (text && *text) {
		if (!strncmp(text, name, len) && text[len] == ':')
			return text + len + 1;
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

/* A number with a point is seconds and microseconds: a time in a ns clock. */
static bool parse_number(const char *text, __u64 *number, bool *in_ns)
{
	unsigned long long whole, micros;
	char *end;

	text += strspn(text, " \t");
	whole = strtoull(text, &end, 10);
	if (end == text)
		return false;
	*number = whole;
	if (*end != '.')
		return true;
	text = end + 1;
	micros = strtoull(text, &end, 10);
	if (end != text + 6)
		return false;
	*number = whole * 1000000000ULL + micros * 1000ULL;
	*in_ns = true;
	return true;
}

static ssize_t read_stats_file(const char *dir, int cpu, char *text, size_t size)
{
	ssize_t count;
	char *path;
	int fd;

	if (asprintf(&path, "%s/per_cpu/cpu%d/stats", dir, cpu) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return -1;
	count = read(fd, text, size - 1);
	close(fd);
	if (count >= 0)
		text[count] = '\0';
	return count;
}

/**
 * tracemap_read_stats - read the counters of one CPU
 * @dir: where the filesystem is mounted, or an instance's directory
 * @cpu: the CPU
 * @stats: where to put them
 * @missing: which counter was not there, if that was the trouble; may be NULL
 *
 * The counters fit together only while nobody writes to the ring.
 *
 * Return: 0, or -1 with the errno of open() or read(), or with ENODATA if the
 * file lacks a counter: then @missing points to its name.
 */
int tracemap_read_stats(const char *dir, int cpu, struct tracemap_stats *stats,
			const char **missing)
{
	const struct stats_key *key;
	const char *value;
	__u64 *number;
	char text[4096];

	memset(stats, 0, sizeof(*stats));
	if (read_stats_file(dir, cpu, text, sizeof(text)) < 0)
		return -1;
	for (key = keys; key->name; key++) {
		value = find_key(text, key->name);
		number = (__u64 *)((char *)stats + key->offset);
		if (value && parse_number(value, number, &stats->in_ns))
			continue;
		if (missing)
			*missing = key->name;
		errno = ENODATA;
		return -1;
	}
	return 0;
}
