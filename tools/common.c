// SPDX-License-Identifier: GPL-2.0
/*
 * What the commands of tracemap share: errors, the directory, its CPUs and
 * its events.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <tracefs.h>
#include <unistd.h>

#include "common.h"

static const char *dir = TRACEMAP_DIR;

/**
 * complain_about - say that errno happened to a file of the tracing directory
 * @path: its path below that directory
 */
void complain_about(const char *path)
{
	complain("%s/%s: %s", dir, path, strerror(errno));
}

/**
 * usage_error - point at a command's help, after what is wrong has been said
 * @command: its name
 *
 * Return: the exit status.
 */
int usage_error(const char *command)
{
	fprintf(stderr, "Try 'tracemap %s --help'.\n", command);
	return EXIT_USAGE;
}

/**
 * set_dir - use another directory than TRACEMAP_DIR
 * @path: the directory; has to stay
 */
void set_dir(const char *path)
{
	dir = path;
}

/**
 * tracing_dir - the directory that all commands work on
 *
 * Return: its path.
 */
const char *tracing_dir(void)
{
	return dir;
}

static bool has_file(const char *name)
{
	char *path;
	bool found;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	found = !access(path, F_OK);
	free(path);
	return found;
}

/* There is no file system at TRACEMAP_DIR: mount it, or say why not. */
static int mount_dir(void)
{
	if (access(dir, F_OK) && errno == ENOENT) {
		complain("the module is not loaded: run 'modprobe tracemap' as root");
		return -1;
	}
	if (geteuid()) {
		complain("%s is for root only: run 'sudo tracemap ...'", dir);
		return -1;
	}
	if (!mount("nodev", dir, "tracemap", 0, NULL))
		return 0;
	if (errno == ENODEV)
		complain("the module is not loaded: run 'modprobe tracemap'");
	else
		complain("cannot mount %s: %s", dir, strerror(errno));
	return -1;
}

/**
 * open_dir - make sure that the tracing directory is there
 *
 * Mounts the filesystem if nobody has. Only TRACEMAP_DIR is mounted: another
 * directory is somebody else's to prepare.
 *
 * Return: 0, or -1 after having said what is wrong and what to do.
 */
int open_dir(void)
{
	if (!has_file("per_cpu")) {
		if (strcmp(dir, TRACEMAP_DIR)) {
			complain("%s: %s", dir, errno == EACCES ?
				 "permission denied, are you root?" :
				 "not a tracing directory");
			return -1;
		}
		if (mount_dir())
			return -1;
	}
	if (tracefs_set_tracing_dir((char *)dir)) {
		complain_about("");
		return -1;
	}
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Returns the number behind "cpu", or -1 if it is another file. */
static int cpu_of_name(const char *name)
{
	int cpu, len;

	if (sscanf(name, "cpu%d%n", &cpu, &len) != 1 || name[len])
		return -1;
	return cpu;
}

/**
 * list_cpus - find the CPUs that have a directory in per_cpu
 * @cpus: where to put the array of their numbers, ascending; to be freed
 *
 * Return: how many, or -1 after having said what is wrong.
 */
int list_cpus(int **cpus)
{
	struct dirent *entry;
	int cpu, nr = 0, room = 0;
	char *path;
	DIR *per_cpu;
	int *list = NULL, *more;

	if (asprintf(&path, "%s/per_cpu", dir) < 0)
		return -1;
	per_cpu = opendir(path);
	free(path);
	if (!per_cpu) {
		complain_about("per_cpu");
		return -1;
	}
	while ((entry = readdir(per_cpu))) {
		cpu = cpu_of_name(entry->d_name);
		if (cpu < 0)
			continue;
		if (nr == room) {
			room = room ? 2 * room : 16;
			more = reallocarray(list, room, sizeof(*list));
			if (!more)
				break;
			list = more;
		}
		list[nr++] = cpu;
	}
	closedir(per_cpu);
	if (entry) {
		complain("%s", strerror(ENOMEM));
		free(list);
		return -1;
	}
	if (nr)
		qsort(list, nr, sizeof(*list), compare_cpus);
	*cpus = list;
	return nr;
}

/**
 * cpu_is_listed - look whether a CPU has a directory in per_cpu
 * @cpu: its number
 *
 * Return: true if so.
 */
bool cpu_is_listed(int cpu)
{
	char *name;
	bool found;

	if (asprintf(&name, "per_cpu/cpu%d", cpu) < 0)
		return false;
	found = has_file(name);
	free(name);
	return found;
}

/**
 * only_help - the options of a command that knows no other than --help
 * @argc: number of @argv
 * @argv: its arguments, its own name first
 * @help: its help text
 *
 * Return: the index of its first operand; 0 if there is no more to do; -1 if
 * an option was wrong.
 */
int only_help(int argc, char **argv, const char *help)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int option;

	while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		if (option != 'h')
			return -1;
		fputs(help, stdout);
		return 0;
	}
	return optind;
}

/*
 * As trace-cmd reads -e: SYSTEM:EVENT, or one name that is a system or an
 * event. Each side may be a glob.
 */
static bool event_matches(const char *pattern, const char *system, const char *event)
{
	const char *colon = strchr(pattern, ':');
	char *system_glob;
	bool match;

	if (!colon)
		return !fnmatch(pattern, system, 0) || !fnmatch(pattern, event, 0);
	system_glob = strndup(pattern, colon - pattern);
	if (!system_glob)
		return false;
	match = (!*system_glob || !fnmatch(system_glob, system, 0)) &&
		(!colon[1] || !fnmatch(colon + 1, event, 0));
	free(system_glob);
	return match;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static void sort_names(char **names)
{
	qsort(names, tracefs_list_size(names), sizeof(*names), compare_names);
}

/* Returns how many matched, or -1 as soon as @visit fails. */
static int visit_system(const char *system, const char *pattern,
			event_visitor visit, void *arg)
{
	char **events = tracefs_system_events(NULL, system);
	int i, matches = 0;

	if (!events)
		return 0;
	sort_names(events);
	for (i = 0; events[i]; i++) {
		if (!event_matches(pattern, system, events[i]))
			continue;
		matches++;
		if (visit(system, events[i], arg)) {
			matches = -1;
			break;
		}
	}
	tracefs_list_free(events);
	return matches;
}

/**
 * visit_events - visit all events that match a pattern, in order of name
 * @pattern: SYSTEM:EVENT, SYSTEM or EVENT, with globs
 * @visit: called with each; returns 0 to go on
 * @arg: handed on to @visit
 *
 * Return: how many matched, or -1 if @visit ended it.
 */
int visit_events(const char *pattern, event_visitor visit, void *arg)
{
	int i, ret = 0, matches = 0;
	char **systems;

	systems = tracefs_event_systems(NULL);
	if (!systems)
		return 0;
	sort_names(systems);
	for (i = 0; systems[i] && ret >= 0; i++) {
		ret = visit_system(systems[i], pattern, visit, arg);
		matches += ret;
	}
	tracefs_list_free(systems);
	return ret < 0 ? -1 : matches;
}
