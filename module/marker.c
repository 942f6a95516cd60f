// SPDX-License-Identifier: GPL-2.0
/*
 * Events that user space writes: trace_marker and trace_marker_raw.
 *
 * What the user gives is copied before anything is reserved. A fault can then
 * be taken like any other, and a bad address leaves nothing in the buffer.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer.h"
#include "events/events.h"
#include "marker.h"

#define MARKER_MAX_TEXT	4096	/* as tracefs */

/* ftrace:print and ftrace:raw_data, as their formats describe them */
struct marker_text {
	struct trace_entry	entry;
	unsigned long		ip;
	char			text[];
};

struct marker_raw {
	struct trace_entry	entry;
	u8			id_and_payload[];
};

/* Bytes of payload that an event can have if it is alone in its sub-buffer */
static size_t marker_capacity(const struct tracemap_buffer *buffer)
{
	size_t room = (PAGE_SIZE << READ_ONCE(buffer->order)) - SUBBUF_HEADER;
	size_t header = subbuf_event_size(room) - room;

	return room - header;
}

static void *marker_reserve(struct tracemap_buffer *buffer, struct tracemap_handle *handle,
			    int type, size_t length)
{
	struct trace_entry *entry = tracemap_reserve(buffer, handle, length);

	if (entry)
		event_fill_common(entry, type, 1);
	return entry;
}

static int marker_store_text(struct tracemap_buffer *buffer, const char *text, size_t length)
{
	size_t newline = text[length - 1] != '\n';
	struct tracemap_handle handle;
	struct marker_text *event;

	event = marker_reserve(buffer, &handle, event_print_id(),
			       struct_size(event, text, length + newline + 1));
	if (!event)
		return -EBADF;
	event->ip = _THIS_IP_;
	memcpy(event->text, text, length);
	if (newline)
		event->text[length] = '\n';
	event->text[length + newline] = '\0';
	tracemap_commit(&handle);
	return 0;
}

static int marker_store_raw(struct tracemap_buffer *buffer, const void *payload, size_t length)
{
	struct tracemap_handle handle;
	struct marker_raw *event;

	event = marker_reserve(buffer, &handle, event_raw_data_id(),
			       struct_size(event, id_and_payload, length));
	if (!event)
		return -EBADF;
	memcpy(event->id_and_payload, payload, length);
	tracemap_commit(&handle);
	return 0;
}

/**
 * marker_write - write a text into the buffer of this CPU as an ftrace:print event
 * @buffer: the buffer
 * @text: the text; a newline is added if it has none at its end
 * @count: bytes of it
 *
 * Context: process; may fault and sleep.
 *
 * Return: how many bytes were stored, which is less than @count for a text of
 * more than 4096 bytes or than a sub-buffer can hold; 0 for no text; EFAULT,
 * ENOMEM, or EBADF if recording is off or the ring is full. After an error
 * nothing was stored.
 */
ssize_t marker_write(struct tracemap_buffer *buffer, const char __user *text, size_t count)
{
	size_t overhead = sizeof(struct marker_text) + sizeof("\n");
	size_t length;
	char *copy;
	int err;

	length = min3(count, (size_t)MARKER_MAX_TEXT, marker_capacity(buffer) - overhead);
	if (!length)
		return 0;
	copy = memdup_user(text, length);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	err = marker_store_text(buffer, copy, length);
	kfree(copy);
	return err ? err : length;
}

/**
 * marker_write_raw - write a binary record into the buffer of this CPU as an
 *		      ftrace:raw_data event
 * @buffer: the buffer
 * @from: an identifier of four bytes, and the record
 * @count: bytes of both
 *
 * Context: process; may fault and sleep.
 *
 * Return: @count; EINVAL if there is no identifier or a sub-buffer cannot hold
 * as much, EFAULT, ENOMEM, or EBADF if recording is off or the ring is full.
 * After an error nothing was stored.
 */
ssize_t marker_write_raw(struct tracemap_buffer *buffer, const char __user *from, size_t count)
{
	void *copy;
	int err;

	if (count < sizeof(u32) || count > marker_capacity(buffer) - sizeof(struct marker_raw))
		return -EINVAL;
	copy = vmemdup_user(from, count);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	err = marker_store_raw(buffer, copy, count);
	kvfree(copy);
	return err ? err : count;
}
