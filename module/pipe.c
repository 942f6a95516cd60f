// SPDX-License-Identifier: GPL-2.0
/*
 * per_cpu/cpuN/trace_pipe_raw. All that is read here is a stream of images: each
 * as large as a sub-buffer and in its format, with the events that were unread
 * when it was made, and then zeroes.
 *
 * What waits for what: read() for any event; poll() and GET_READER for
 * buffer_percent; so does splice() if there is no complete sub-buffer, for those
 * it takes at once, as tracefs does. When recording goes off, on reset, ioctl 0, a new
 * buffer_percent, removal of the buffer, and when any descriptor of the file is
 * closed, sleepers return with what there is, and if there is nothing with 0.
 */

#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uaccess.h>

#include "buffer.h"
#include "compat.h"
#include "map.h"
#include "pipe.h"

/**
 * struct pipe_file - an open trace_pipe_raw
 * @cb:		the ring it reads
 * @lock:	of the image
 * @image:	what read() hands out
 * @size:	bytes of it; 0 if there is none
 * @read:	how many of them were handed out
 * @epoch:	of the ring, when the image was made: it is stale if that grows
 * @flushes:	how often a descriptor of the file was closed
 * @polled:	poll() was asked to wait
 * @poll_kicks:	pipe_kicks() when it last was, or when a later call began
 */
struct pipe_file {
	struct cpu_buffer	*cb;
	struct mutex		lock;	/* the image */
	struct subbuf_page	*image;
	u32			size;
	u32			read;
	unsigned int		epoch;
	atomic_t		flushes;
	bool			polled;
	unsigned int		poll_kicks;
};

/**
 * struct pipe_call - one call that may wait
 * @pf:		its file
 * @kicks:	pipe_kicks() when it began
 */
struct pipe_call {
	struct pipe_file	*pf;
	unsigned int		kicks;
};

/* How often those who wait through this file were freed, event or not. */
static unsigned int pipe_kicks(const struct pipe_file *pf)
{
	return atomic_read(&pf->flushes) + wakeup_kicks(&pf->cb->wakeup);
}

static bool pipe_freed(void *arg)
{
	const struct pipe_call *call = arg;

	return pipe_kicks(call->pf) != call->kicks;
}

static int pipe_begin(struct pipe_call *call, struct pipe_file *pf)
{
	call->pf = pf;
	/* before it is asked whether the buffer was removed */
	call->kicks = pipe_kicks(pf);
	WRITE_ONCE(pf->poll_kicks, call->kicks);
	return cpu_buffer_begin(pf->cb);
}

static void pipe_end(struct pipe_call *call)
{
	cpu_buffer_end(call->pf->cb);
}

/* Is something of the image left that has not become stale? */
static bool pipe_has_image(const struct pipe_file *pf)
{
	return READ_ONCE(pf->read) < READ_ONCE(pf->size) &&
	       READ_ONCE(pf->epoch) == READ_ONCE(pf->cb->epoch);
}

/*
 * Take what is unread in the held sub-buffer, into @image. Events that were read
 * before are left out, so its time stamp is that of the last of them.
 */
static void pipe_make_image(struct cpu_buffer *cb, struct subbuf_page *image)
{
	struct ring_span span = ring_consume(&cb->ring);
	u32 room = ring_subbuf_size(&cb->ring) - SUBBUF_HEADER - span.bytes;

	image->time_stamp = subbuf_time_before(span.page, span.offset);
	memcpy(image->events, span.page->events + span.offset, span.bytes);
	memset(image->events + span.bytes, 0, room);
	subbuf_put_missed(image, span.bytes, room, span.lost);

	/* who has it mapped must know that the reader went on */
	cpu_buffer_update_meta(cb);
	cpu_buffer_update_reader(cb);
}

static int pipe_alloc_image(struct pipe_file *pf, u32 size)
{
	struct subbuf_page *image;

	if (pf->image && pf->size == size)
		return 0;

	image = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!image)
		return -ENOMEM;
	kvfree(pf->image);
	pf->image = image;
	WRITE_ONCE(pf->read, size);
	WRITE_ONCE(pf->size, size);
	return 0;
}

/* The next image; 1 if there is one, 0 if there is nothing to read. */
static int pipe_next_image(struct pipe_file *pf)
{
	struct cpu_buffer *cb = pf->cb;
	bool taken;
	int err;

	err = pipe_alloc_image(pf, ring_subbuf_size(&cb->ring));
	if (err)
		return err;

	mutex_lock(&cb->lock);
	taken = ring_take(&cb->ring);
	if (taken)
		pipe_make_image(cb, pf->image);
	WRITE_ONCE(pf->epoch, cb->epoch);
	mutex_unlock(&cb->lock);

	WRITE_ONCE(pf->read, taken ? 0 : pf->size);
	return taken;
}

/* Bytes copied from this image or the next; 0 if there is nothing to read. */
static ssize_t pipe_copy(struct pipe_file *pf, char __user *to, size_t count)
{
	unsigned long left;
	ssize_t ret = 1;

	if (mutex_lock_interruptible(&pf->lock))
		return -ERESTARTSYS;
	if (!pipe_has_image(pf))
		ret = pipe_next_image(pf);
	if (ret <= 0)
		goto unlock;

	count = min_t(size_t, count, pf->size - pf->read);
	left = copy_to_user(to, (void *)pf->image + pf->read, count);
	ret = left == count ? -EFAULT : (ssize_t)(count - left);
	WRITE_ONCE(pf->read, pf->read + count - left);
unlock:
	mutex_unlock(&pf->lock);
	return ret;
}

static ssize_t pipe_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct pipe_file *pf = file->private_data;
	struct pipe_call call;
	ssize_t ret;
	int err;

	if (!count)
		return 0;
	err = pipe_begin(&call, pf);
	if (err)
		return err;

	for (;;) {
		ret = pipe_copy(pf, to, count);
		if (ret || pipe_freed(&call))
			break;
		if (file->f_flags & O_NONBLOCK) {
			ret = -EAGAIN;
			break;
		}
		ret = cpu_buffer_wait_any(pf->cb, pipe_freed, &call);
		if (ret)
			break;
	}
	pipe_end(&call);
	return ret;
}

/*
 * Would splice() take what the reader holds? Not if the writer is still there:
 * it would make many images of few events. With a watermark of 0 any event counts.
 */
static bool pipe_worth_splicing(struct cpu_buffer *cb)
{
	return ring_take(&cb->ring) &&
	       (ring_holds_complete(&cb->ring) || !READ_ONCE(cb->buffer->percent));
}

/* Put one image into @pipe, which has room; 0 if there is nothing to put. */
static ssize_t pipe_splice_image(struct cpu_buffer *cb, struct pipe_inode_info *pipe)
{
	u32 size = ring_subbuf_size(&cb->ring);
	struct pipe_buffer buf = { .len = size, .ops = &nosteal_pipe_buf_ops };
	ssize_t ret;
	bool taken;

	/* one compound page, so that the image takes one place in the pipe */
	buf.page = alloc_pages(GFP_KERNEL_ACCOUNT | __GFP_COMP, get_order(size));
	if (!buf.page)
		return -ENOMEM;

	mutex_lock(&cb->lock);
	taken = pipe_worth_splicing(cb);
	if (taken)
		pipe_make_image(cb, page_address(buf.page));
	mutex_unlock(&cb->lock);
	if (!taken) {
		put_page(buf.page);
		return 0;
	}

	ret = add_to_pipe(pipe, &buf);
	return ret < 0 ? ret : size;
}

/* Nothing is taken from the ring before it is sure that the pipe takes it. */
static int pipe_check_pipe(const struct pipe_inode_info *pipe)
{
	if (!pipe->readers) {
		send_sig(SIGPIPE, current, 0);
		return -EPIPE;
	}
	return pipe_full(pipe->head, pipe->tail, pipe->max_usage) ? -EAGAIN : 0;
}

/* Put images of @len bytes together into @pipe; 0 if there is nothing to put. */
static ssize_t pipe_splice(struct pipe_file *pf, struct pipe_inode_info *pipe, size_t len)
{
	struct cpu_buffer *cb = pf->cb;
	u32 size = ring_subbuf_size(&cb->ring);
	ssize_t ret = 0;
	size_t done;

	/* half an image was read, or not even one is wanted */
	if (pipe_has_image(pf) || (len < size && ring_has_unread(&cb->ring)))
		return -EINVAL;

	for (done = 0; len - done >= size; done += ret) {
		ret = pipe_check_pipe(pipe);
		if (!ret)
			ret = pipe_splice_image(cb, pipe);
		if (ret <= 0)
			break;
	}
	return done ? done : ret;
}

/*
 * Wait with the pipe unlocked, for else whoever touches it waits as well, and
 * cannot even be killed. The pipe inside sendfile() is not locked: no file has it.
 */
static int pipe_splice_wait(struct pipe_call *call, struct pipe_inode_info *pipe)
{
	bool locked = pipe->files;
	int err;

	if (locked)
		pipe_unlock(pipe);
	err = cpu_buffer_wait_full(call->pf->cb, pipe_freed, call);
	if (locked)
		pipe_lock(pipe);
	return err;
}

static ssize_t pipe_splice_read(struct file *file, loff_t *pos,
				struct pipe_inode_info *pipe, size_t len,
				unsigned int flags)
{
	struct pipe_file *pf = file->private_data;
	struct pipe_call call;
	ssize_t ret;
	int err;

	err = pipe_begin(&call, pf);
	if (err)
		return err;

	for (;;) {
		ret = pipe_splice(pf, pipe, len);
		if (ret || pipe_freed(&call))
			break;
		if (file->f_flags & O_NONBLOCK || flags & SPLICE_F_NONBLOCK) {
			ret = -EAGAIN;
			break;
		}
		ret = pipe_splice_wait(&call, pipe);
		if (ret)
			break;
	}
	pipe_end(&call);
	if (ret > 0)
		*pos += ret;
	return ret;
}

/*
 * Sleepers here are freed as the others are: the file counts as readable until
 * somebody tries, for else poll() would go to sleep again at once.
 */
static __poll_t pipe_poll(struct file *file, poll_table *table)
{
	struct pipe_file *pf = file->private_data;
	__poll_t events;

	if (compat_poll_waits(table)) {
		WRITE_ONCE(pf->poll_kicks, pipe_kicks(pf));
		WRITE_ONCE(pf->polled, true);
	}

	events = cpu_buffer_poll(pf->cb, file, table);
	if (events)
		return events;
	if (pipe_has_image(pf))
		return EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(pf->polled) && READ_ONCE(pf->poll_kicks) != pipe_kicks(pf))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

static long pipe_get_reader(struct file *file)
{
	struct pipe_file *pf = file->private_data;
	struct pipe_call call;
	int err;

	err = pipe_begin(&call, pf);
	if (err)
		return err;

	if (!READ_ONCE(pf->cb->mapped))
		err = -ENODEV;
	else if (!(file->f_flags & O_NONBLOCK))
		err = cpu_buffer_wait_full(pf->cb, pipe_freed, &call);
	if (!err)
		err = map_get_reader(pf->cb);
	pipe_end(&call);
	return err;
}

static long pipe_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pipe_file *pf = file->private_data;

	switch (cmd) {
	case 0:
		wakeup_all(&pf->cb->wakeup);
		return 0;
	case TRACE_MMAP_IOCTL_GET_READER:
		return pipe_get_reader(file);
	default:
		return -ENOTTY;
	}
}

static int pipe_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pipe_file *pf = file->private_data;

	return map_mmap(pf->cb, vma);
}

/* A descriptor is closed: whoever sleeps in a call on the file returns. */
static int pipe_flush(struct file *file, fl_owner_t id)
{
	struct pipe_file *pf = file->private_data;

	atomic_inc(&pf->flushes);
	wakeup_recheck(&pf->cb->wakeup);
	return 0;
}

static int pipe_release(struct inode *inode, struct file *file)
{
	struct pipe_file *pf = file->private_data;

	buffer_put(pf->cb->buffer);
	kvfree(pf->image);
	mutex_destroy(&pf->lock);
	kfree(pf);
	return 0;
}

/**
 * pipe_open - open trace_pipe_raw
 * @buffer: the buffer
 * @cpu: whose ring
 * @file: gets pipe_fops's private data
 *
 * The file has a reference on the buffer until it is released.
 *
 * Context: may sleep.
 *
 * Return: 0; -ENODEV if that CPU has no ring; -ENOMEM.
 */
int pipe_open(struct tracemap_buffer *buffer, int cpu, struct file *file)
{
	struct cpu_buffer *cb = buffer_cpu(buffer, cpu);
	struct pipe_file *pf;

	if (!cb)
		return -ENODEV;
	pf = kzalloc(sizeof(*pf), GFP_KERNEL);
	if (!pf)
		return -ENOMEM;

	pf->cb = cb;
	mutex_init(&pf->lock);
	buffer_get(buffer);
	file->private_data = pf;
	/* no position, and so no lock on it that a second reader would wait for */
	return stream_open(file_inode(file), file);
}

const struct file_operations pipe_fops = {
	.owner		= THIS_MODULE,
	.read		= pipe_read,
	.splice_read	= pipe_splice_read,
	.poll		= pipe_poll,
	.unlocked_ioctl	= pipe_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= pipe_mmap,
	.flush		= pipe_flush,
	.release	= pipe_release,
};
