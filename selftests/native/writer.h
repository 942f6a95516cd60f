/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a writer calls. The ring's inline half is compiled with the rest of the
 * ring, so that its accesses are seen where theirs are.
 */
#ifndef _WRITER_H
#define _WRITER_H

#include <linux/tracemap_buffer.h>

#include "ring.h"

void *writer_reserve(struct ring *ring, struct tracemap_handle *handle, size_t length);
bool writer_commit(struct tracemap_handle *handle);

#endif /* _WRITER_H */
