/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapping a cpu_buffer: its meta page and all its sub-buffers, read only.
 */
#ifndef _TRACEMAP_MAP_H
#define _TRACEMAP_MAP_H

struct cpu_buffer;
struct vm_area_struct;

int map_mmap(struct cpu_buffer *cb, struct vm_area_struct *vma);
int map_get_reader(struct cpu_buffer *cb);

#endif /* _TRACEMAP_MAP_H */
