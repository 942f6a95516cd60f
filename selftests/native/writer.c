// SPDX-License-Identifier: GPL-2.0
/*
 * The ring's inline half, as functions.
 */
#include "ring_fast.h"
#include "writer.h"

/**
 * writer_reserve - as tracemap_reserve() does it
 * @ring:	to write to
 * @handle:	filled
 * @length:	bytes of payload
 *
 * Return: where the payload goes, NULL if it was refused.
 */
void *writer_reserve(struct ring *ring, struct tracemap_handle *handle, size_t length)
{
	void *payload = ring_reserve(ring, handle, length);

	return payload ? payload : ring_reserve_slow(handle);
}

/**
 * writer_commit - as tracemap_commit() does it
 * @handle:	from writer_reserve()
 *
 * Return: whether something was published.
 */
bool writer_commit(struct tracemap_handle *handle)
{
	struct ring *ring = handle->ring;

	if (!ring_publishes(ring, handle))
		return false;
	if (!ring_commit(ring, handle))
		ring_commit_slow(handle);
	return true;
}
