/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What buffer.c and geometry.c ask of each other.
 */
#ifndef _TRACEMAP_GEOMETRY_H
#define _TRACEMAP_GEOMETRY_H

struct cpu_buffer;
struct ring;
struct tracemap_buffer;
struct tracemap_meta;

int geometry_check(unsigned long size, unsigned int order, unsigned int cpus);
int geometry_build(struct cpu_buffer *cb, unsigned int order, unsigned long size,
		   struct ring *ring, struct tracemap_meta **meta);
void geometry_free(struct ring *ring, struct tracemap_meta *meta);

void buffer_open(struct tracemap_buffer *buffer);
void buffer_close(struct tracemap_buffer *buffer);

#endif /* _TRACEMAP_GEOMETRY_H */
