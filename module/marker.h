/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACEMAP_MARKER_H
#define _TRACEMAP_MARKER_H

#include <linux/types.h>

struct tracemap_buffer;

ssize_t marker_write(struct tracemap_buffer *buffer, const char __user *text,
		     size_t count);
ssize_t marker_write_raw(struct tracemap_buffer *buffer, const char __user *from,
			 size_t count);

#endif /* _TRACEMAP_MARKER_H */
