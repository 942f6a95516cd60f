/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of tracemap and of tracefs, for tests that compare the two.
 */
#ifndef _SELFTESTS_TRACEFS_H
#define _SELFTESTS_TRACEFS_H

#include <stdbool.h>

#define TRACEMAP	"/sys/kernel/tracemap"
#define TRACEFS		"/sys/kernel/tracing"
#define INSTANCE	TRACEFS "/instances/tracemap_test"

bool mount_tracefs(void);	/* or it is mounted already */
int make_instance(const char *dir);	/* 0 or an errno; may be there already */

char *slurp(const char *dir, const char *name);	/* to be freed; NULL: cannot be read */
int store(const char *dir, const char *name, const char *text);	/* 0 or an errno */
long number(const char *dir, const char *name);	/* -1: cannot be read */
bool exists(const char *dir, const char *name);

/* visit() with "events/SYSTEM/EVENT" for every event that tracemap has */
void each_event(void (*visit)(const char *event, void *arg), void *arg);

#endif /* _SELFTESTS_TRACEFS_H */
