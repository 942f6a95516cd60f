/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACEMAP_PIPE_H
#define _TRACEMAP_PIPE_H

#include <linux/fs.h>

struct tracemap_buffer;

int pipe_open(struct tracemap_buffer *buffer, int cpu, struct file *file);

extern const struct file_operations pipe_fops;	/* all but open */

#endif /* _TRACEMAP_PIPE_H */
