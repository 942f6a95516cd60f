/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * tracemap: what user space shares with the module.
 *
 * Mapping per_cpu/cpuN/trace_pipe_raw shows the meta page, padded to the size
 * of one sub-buffer, and then every sub-buffer by ascending id. The sub-buffers
 * are in ftrace's page format: see events/header_page and events/header_event.
 */
#ifndef _UAPI_LINUX_TRACEMAP_H
#define _UAPI_LINUX_TRACEMAP_H

#include <linux/types.h>
#include <linux/ioctl.h>

/**
 * struct tracemap_meta - the meta page of one cpu_buffer
 * @meta_page_size:	bytes from the start of the mapping to sub-buffer 0
 * @meta_struct_len:	bytes of this structure that the module fills
 * @subbuf_size:	bytes of one sub-buffer, its header included
 * @nr_subbufs:		sub-buffers in the mapping; their ids are 0 … nr_subbufs-1
 * @reader.lost_events:	events lost just before the sub-buffer now being read
 * @reader.id:		id of the sub-buffer that the reader holds
 * @reader.read:	bytes of events in it that are taken as read
 * @flags:		0
 * @entries:		events written since the last reset
 * @overrun:		events overwritten before anyone read them
 * @read:		events taken as read
 * @pages_lost:		sub-buffers overwritten before anyone read them
 * @pages_touched:	sub-buffers that the writer has entered
 * @subbufs_read:	sub-buffers that the reader has taken
 * @dropped_full:	events refused because the ring was full
 * @dropped_nested:	events refused because an interrupted writer was lapped
 * @dropped_big:	events refused because no sub-buffer can hold them
 * @exchanges:		times the writer put the spare in the place of a held
 *			sub-buffer
 *
 * Up to and including @pages_touched this is the struct trace_buffer_meta of
 * include/uapi/linux/trace_mmap.h (Documentation/trace/ring-buffer-map.rst);
 * the two counters of pages are Reserved1 and Reserved2 there. A module that
 * is older than this header fills fewer fields and says so in
 * @meta_struct_len. GET_READER brings everything up to date; the counters also
 * follow whenever a sleeper of this cpu_buffer is woken.
 */
struct tracemap_meta {
	__u32	meta_page_size;
	__u32	meta_struct_len;

	__u32	subbuf_size;
	__u32	nr_subbufs;

	struct {
		__u64	lost_events;
		__u32	id;
		__u32	read;
	} reader;

	__u64	flags;

	__u64	entries;
	__u64	overrun;
	__u64	read;

	__u64	pages_lost;
	__u64	pages_touched;

	/* from here on tracemap's own */
	__u64	subbufs_read;
	__u64	dropped_full;
	__u64	dropped_nested;
	__u64	dropped_big;
	__u64	exchanges;
};

/*
 * Take everything committed so far as read, move on to the next sub-buffer when
 * the one held was read to its end, and bring the meta page up to date. Waits
 * for buffer_percent unless the file is O_NONBLOCK.
 */
#ifndef TRACE_MMAP_IOCTL_GET_READER
#define TRACE_MMAP_IOCTL_GET_READER	_IO('R', 0x20)
#endif

#endif /* _UAPI_LINUX_TRACEMAP_H */
