/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracemap's interface for other modules: a buffer of their own, shown to user
 * space as instances/NAME, and the way to write events into it.
 */
#ifndef _LINUX_TRACEMAP_BUFFER_H
#define _LINUX_TRACEMAP_BUFFER_H

#include <linux/types.h>

struct tracemap_buffer;
struct ring;

/**
 * enum tracemap_mode - what a full ring does with the next event
 * @TRACEMAP_OVERWRITE:		the oldest sub-buffer is overwritten
 * @TRACEMAP_PRODUCER_CONSUMER:	the event is dropped
 */
enum tracemap_mode {
	TRACEMAP_OVERWRITE,
	TRACEMAP_PRODUCER_CONSUMER,
};

/**
 * struct tracemap_handle - one open reservation, on its writer's stack
 * @ring:	the ring it is in
 * @start:	position of the first byte reserved, a time record included
 * @end:	position behind the last byte reserved
 *
 * Private to tracemap: a writer only carries it from reserve to commit.
 */
struct tracemap_handle {
	struct ring		*ring;
	u64			start;
	u64			end;
};

struct tracemap_buffer *tracemap_buffer_create(const char *name,
					       unsigned long size,
					       unsigned int order,
					       enum tracemap_mode mode);
void tracemap_buffer_destroy(struct tracemap_buffer *buffer);

void *tracemap_reserve(struct tracemap_buffer *buffer,
		       struct tracemap_handle *handle, size_t length);
void tracemap_commit(struct tracemap_handle *handle);
void tracemap_discard(struct tracemap_handle *handle);
int tracemap_write(struct tracemap_buffer *buffer, const void *payload,
		   size_t length);

#endif /* _LINUX_TRACEMAP_BUFFER_H */
