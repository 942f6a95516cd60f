// SPDX-License-Identifier: LGPL-2.1
/*
 * One CPU's ring: open it, map it, take what is new, sleep until there is more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracemap.h"

/* What mainline's meta page has, too, and a reader cannot do without. */
#define META_LEN_MIN	offsetof(struct tracemap_meta, subbufs_read)

/**
 * struct tracemap_reader - one CPU's ring
 * @cpu:	whose
 * @fd:		its trace_pipe_raw
 * @meta:	the meta page; NULL until mapped
 * @meta_size:	bytes mapped there
 * @subbufs:	sub-buffer 0 and all that follow it
 * @size:	bytes mapped there
 * @id:		the sub-buffer that the ring's reader holds
 * @stamp:	and its header's time stamp when it was taken
 * @read:	bytes of events in it that were handed out
 */
struct tracemap_reader {
	int				cpu;
	int				fd;
	const struct tracemap_meta	*meta;
	size_t				meta_size;
	const char			*subbufs;
	size_t				size;
	__u32			id;
	__u64			stamp;
	__u32			read;
};

/**
 * tracemap_open - open one CPU's ring for reading
 * @dir: where the filesystem is mounted, or an instance's directory
 * @cpu: the CPU
 *
 * The file is opened O_NONBLOCK: only tracemap_wait() sleeps.
 *
 * Return: the reader, to be closed with tracemap_close(); NULL with the errno
 * of open() if that fails. ENODEV: the CPU was never online.
 */
struct tracemap_reader *tracemap_open(const char *dir, int cpu)
{
	struct tracemap_reader *reader;
	char *path;

	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	if (asprintf(&path, "%s/per_cpu/cpu%d/trace_pipe_raw", dir, cpu) < 0)
		goto err_free;
	reader->cpu = cpu;
	reader->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	free(path);
	if (reader->fd < 0)
		goto err_free;
	return reader;

err_free:
	free(reader);
	return NULL;
}

/* The kernel writes while we read: each field is loaded once, and whole. */
#define LOAD(field)	__atomic_load_n(&(field), __ATOMIC_RELAXED)

static const char *subbuf_of(const struct tracemap_reader *reader, __u32 id)
{
	return reader->subbufs + (size_t)id * reader->meta->subbuf_size;
}

static __u64 stamp_of(const struct tracemap_reader *reader, __u32 id)
{
	return LOAD(*(const __u64 *)subbuf_of(reader, id));
}

/* Looks only at what a page of any size holds. */
static bool meta_is_sane(const struct tracemap_meta *meta, size_t page)
{
	return meta->meta_struct_len >= META_LEN_MIN &&
	       meta->meta_page_size && meta->meta_page_size % page == 0 &&
	       meta->subbuf_size && meta->subbuf_size % page == 0 &&
	       meta->nr_subbufs && meta->reader.id < meta->nr_subbufs;
}

/**
 * tracemap_map - map the ring's meta page and sub-buffers
 * @reader: the reader
 *
 * While it is mapped the ring's size cannot be changed. Events that an earlier
 * reader has taken are not seen again.
 *
 * Return: 0, also if it is mapped already; -1 with the errno of mmap(), or
 * EPROTO if the meta page lacks fields that a reader needs.
 */
int tracemap_map(struct tracemap_reader *reader)
{
	size_t page = sysconf(_SC_PAGESIZE);
	const struct tracemap_meta *meta;
	void *map;

	if (reader->meta)
		return 0;
	map = mmap(NULL, page, PROT_READ, MAP_SHARED, reader->fd, 0);
	if (map == MAP_FAILED)
		return -1;
	meta = map;
	if (!meta_is_sane(meta, page)) {
		errno = EPROTO;
		goto err_unmap;
	}
	reader->size = (size_t)meta->nr_subbufs * meta->subbuf_size;
	map = mmap(NULL, reader->size, PROT_READ, MAP_SHARED, reader->fd,
		   meta->meta_page_size);
	if (map == MAP_FAILED)
		goto err_unmap;
	reader->subbufs = map;
	reader->meta = meta;
	reader->meta_size = page;
	reader->id = LOAD(meta->reader.id);
	reader->read = LOAD(meta->reader.read);
	reader->stamp = stamp_of(reader, reader->id);
	return 0;

err_unmap:
	munmap((void *)meta, page);
	return -1;
}

/**
 * tracemap_close - unmap and close a reader
 * @reader: the reader; NULL is allowed
 *
 * The sub-buffers of its spans are gone with it.
 */
void tracemap_close(struct tracemap_reader *reader)
{
	if (!reader)
		return;
	if (reader->meta) {
		munmap((void *)reader->subbufs, reader->size);
		munmap((void *)reader->meta, reader->meta_size);
	}
	close(reader->fd);
	free(reader);
}

/**
 * tracemap_fd - the file behind a reader, for a poll() of one's own
 * @reader: the reader
 *
 * Return: the file descriptor; it stays the reader's.
 */
int tracemap_fd(const struct tracemap_reader *reader)
{
	return reader->fd;
}

/**
 * tracemap_cpu - the CPU whose ring a reader reads
 * @reader: the reader
 *
 * Return: the CPU's number.
 */
int tracemap_cpu(const struct tracemap_reader *reader)
{
	return reader->cpu;
}

/**
 * tracemap_meta - the meta page
 * @reader: the reader
 *
 * It changes under the eyes of whoever looks at it. Fields from @subbufs_read
 * on are there only as far as @meta_struct_len says.
 *
 * Return: the meta page, NULL if the ring is not mapped.
 */
const struct tracemap_meta *tracemap_meta(const struct tracemap_reader *reader)
{
	return reader->meta;
}

/*
 * The sub-buffer held is the one of last time only if its header says so, too:
 * after a reset of the buffer a new one can stand under the same id.
 */
static bool same_subbuf(const struct tracemap_reader *reader, __u32 id,
			__u32 read)
{
	return id == reader->id && read >= reader->read &&
	       stamp_of(reader, id) == reader->stamp;
}

/**
 * tracemap_next - take the next stretch of events
 * @reader: a reader that is mapped
 * @span: where to say what it is
 *
 * The span stays readable until the next call. A sub-buffer that is still
 * being written comes in several spans. A span can be without events, if all
 * of them were discarded. Never sleeps.
 *
 * Return: 1 if there was something new, 0 if not, -1 on error. EINVAL: not
 * mapped. EPROTO: the meta page makes no sense.
 */
int tracemap_next(struct tracemap_reader *reader, struct tracemap_span *span)
{
	const struct tracemap_meta *meta = reader->meta;
	__u32 id, read;

	if (!meta) {
		errno = EINVAL;
		return -1;
	}
	if (ioctl(reader->fd, TRACE_MMAP_IOCTL_GET_READER) < 0)
		return errno == EAGAIN ? 0 : -1;
	id = LOAD(meta->reader.id);
	read = LOAD(meta->reader.read);
	if (id >= meta->nr_subbufs || read >= meta->subbuf_size) {
		errno = EPROTO;
		return -1;
	}
	if (!same_subbuf(reader, id, read)) {
		reader->id = id;
		reader->stamp = stamp_of(reader, id);
		reader->read = 0;
	}
	if (read == reader->read)
		return 0;
	span->subbuf = subbuf_of(reader, id);
	span->id = id;
	span->begin = reader->read;
	span->end = read;
	span->lost = reader->read ? 0 : LOAD(meta->reader.lost_events);
	reader->read = read;
	return 1;
}

/**
 * tracemap_wait - sleep until one of several rings has reached its watermark
 * @readers: the readers
 * @nr: how many
 * @timeout: milliseconds to sleep at most, -1 for no limit
 * @sigmask: signals to be blocked meanwhile, as for ppoll(); NULL: no change
 *
 * The watermark is the directory's buffer_percent; with 0 any event will do.
 * What is below it can be had with tracemap_next() all the same.
 *
 * Return: 1 if one has, 0 if time ran out, -1 on error. EINTR: a signal came.
 */
int tracemap_wait(struct tracemap_reader * const *readers, unsigned int nr,
		  int timeout, const sigset_t *sigmask)
{
	struct timespec limit = {
		.tv_sec = timeout / 1000,
		.tv_nsec = timeout % 1000 * 1000000L,
	};
	struct pollfd *fds;
	unsigned int i;
	int ready;

	fds = calloc(nr + 1, sizeof(*fds));
	if (!fds)
		return -1;
	for (i = 0; i < nr; i++) {
		fds[i].fd = readers[i]->fd;
		fds[i].events = POLLIN;
	}
	ready = ppoll(fds, nr, timeout < 0 ? NULL : &limit, sigmask);
	free(fds);
	return ready > 0 ? 1 : ready;
}
