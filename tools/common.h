/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the commands of tracemap share.
 */
#ifndef _TRACEMAP_COMMON_H
#define _TRACEMAP_COMMON_H

#include <stdbool.h>
#include <stdio.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* Says on stderr what is wrong, in one line. */
#define complain(format, ...) \
	(fflush(stdout), fprintf(stderr, "tracemap: " format "\n", ##__VA_ARGS__))

#define TRACEMAP_DIR	"/sys/kernel/tracemap"

/* What main() returns. */
enum {
	EXIT_OK,
	EXIT_TROUBLE,
	EXIT_USAGE,
};

int cmd_show(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_reset(int argc, char **argv);

extern const char show_help[];
extern const char mark_help[];
extern const char stat_help[];
extern const char list_help[];
extern const char reset_help[];

void complain_about(const char *path);
int usage_error(const char *command);

void set_dir(const char *dir);
int open_dir(void);
const char *tracing_dir(void);

int list_cpus(int **cpus);
bool cpu_is_listed(int cpu);

int only_help(int argc, char **argv, const char *help);

typedef int (*event_visitor)(const char *system, const char *event, void *arg);
int visit_events(const char *pattern, event_visitor visit, void *arg);

#endif /* _TRACEMAP_COMMON_H */
