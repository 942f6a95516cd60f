/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of tasks by pid, for saved_cmdlines.
 */
#ifndef _TRACEMAP_EVENTS_CMDLINE_H
#define _TRACEMAP_EVENTS_CMDLINE_H

struct seq_file;

int cmdlines_init(void);	/* called by events_init() */
void cmdlines_exit(void);
int cmdlines_show(struct seq_file *m);	/* "PID COMM" lines; may sleep */

#endif /* _TRACEMAP_EVENTS_CMDLINE_H */
