/* SPDX-License-Identifier: GPL-2.0 */
/*
 * per_cpu/cpuN/trace_pipe_raw: read, splice, poll, ioctl, and the door to map.c.
 */
#ifndef _TRACEMAP_PIPE_H
#define _TRACEMAP_PIPE_H

#include <linux/fs.h>

struct tracemap_buffer;

int pipe_open(struct tracemap_buffer *buffer, int cpu, struct file *file);

extern const struct file_operations pipe_fops;	/* all but open */

#endif /* _TRACEMAP_PIPE_H */
