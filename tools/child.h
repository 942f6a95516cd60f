/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command that show runs.
 */
#ifndef _TRACEMAP_CHILD_H
#define _TRACEMAP_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

pid_t child_start(char **argv);
bool child_has_ended(pid_t pid);
void child_end(pid_t pid);

#endif /* _TRACEMAP_CHILD_H */
