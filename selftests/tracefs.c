// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracefs.h"

#define FILE_MAX	65536

char *slurp(const char *dir, const char *name)
{
	char *text = malloc(FILE_MAX);
	size_t length = 0;
	ssize_t got = 0;
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY);
	while (text && fd >= 0) {
		got = read(fd, text + length, FILE_MAX - 1 - length);
		if (got <= 0)
			break;
		length += got;
	}
	if (fd >= 0)
		close(fd);
	if (!text || fd < 0 || got < 0) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

int store(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	int err = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return errno;
	if (*text && write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		err = errno;
	close(fd);
	return err;
}

long number(const char *dir, const char *name)
{
	char *text = slurp(dir, name);
	long value = text ? atol(text) : -1;

	free(text);
	return value;
}

bool exists(const char *dir, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !access(path, F_OK);
}

int make_instance(const char *dir)
{
	return mkdir(dir, 0700) && errno != EEXIST ? errno : 0;
}

bool mount_tracefs(void)
{
	return exists(TRACEFS, "events") || !mount("nodev", TRACEFS, "tracefs", 0, NULL);
}

void each_event(void (*visit)(const char *event, void *arg), void *arg)
{
	struct dirent *system, *event;
	char path[PATH_MAX];
	DIR *systems, *events;

	systems = opendir(TRACEMAP "/events");
	while (systems && (system = readdir(systems))) {
		if (system->d_name[0] == '.' || system->d_type != DT_DIR)
			continue;
		snprintf(path, sizeof(path), TRACEMAP "/events/%s", system->d_name);
		events = opendir(path);
		while (events && (event = readdir(events))) {
			if (event->d_name[0] == '.' || event->d_type != DT_DIR)
				continue;
			snprintf(path, sizeof(path), "events/%s/%s", system->d_name,
				 event->d_name);
			visit(path, arg);
		}
		if (events)
			closedir(events);
	}
	if (systems)
		closedir(systems);
}
