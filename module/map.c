// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping a cpu_buffer: the meta page, padded to the size of a sub-buffer, and
 * then all sub-buffers by ascending id.
 *
 * All pages of a mapping are put in place when it is made, and each holds a
 * reference on its sub-buffer's memory: whatever goes first, that memory stays
 * until the last page table has let go of it. The mapping holds the file, the
 * file the buffer; cb->mapped keeps the geometry as it is meanwhile.
 *
 * On machines whose caches know memory by its virtual address GET_READER writes
 * back what user space may read from then on; what a consumer reads ahead of
 * GET_READER may be stale there.
 */

#include <linux/highmem.h>
#include <linux/mm.h>

#include "buffer.h"
#include "compat.h"
#include "map.h"

static void map_count(struct cpu_buffer *cb, int mappings)
{
	mutex_lock(&cb->lock);
	/* read without the lock by those who only want to be quick */
	WRITE_ONCE(cb->mapped, cb->mapped + mappings);
	/* a new one must not start with figures that nobody kept up to date */
	cpu_buffer_update_meta(cb);
	cpu_buffer_update_reader(cb);
	mutex_unlock(&cb->lock);
}

/* the mapping is copied: fork after MADV_DOFORK, mremap */
static void map_vm_open(struct vm_area_struct *vma)
{
	map_count(vma->vm_private_data, 1);
}

static void map_vm_close(struct vm_area_struct *vma)
{
	map_count(vma->vm_private_data, -1);
}

/* All or nothing: no munmap, mprotect or mremap of a part. */
static int map_vm_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static const struct vm_operations_struct map_vm_ops = {
	.open			= map_vm_open,
	.close			= map_vm_close,
	.compat_may_split	= map_vm_may_split,
};

/* Is what @vma asks for inside the meta page and the sub-buffers? */
static int map_check_range(const struct ring *ring, struct vm_area_struct *vma)
{
	unsigned int order = ring->shift - PAGE_SHIFT;
	unsigned long pages = ((unsigned long)ring_nr_subbufs(ring) + 1) << order;

	if (vma->vm_pgoff & ((1UL << order) - 1))
		return -EINVAL;
	if (vma->vm_pgoff >= pages || vma_pages(vma) > pages - vma->vm_pgoff)
		return -EINVAL;
	return 0;
}

/* page number @pgoff of the mapping */
static struct page *map_page(const struct cpu_buffer *cb, unsigned long pgoff)
{
	unsigned int order = cb->ring.shift - PAGE_SHIFT;
	unsigned long block = pgoff >> order;
	const void *memory = block ? (void *)cb->ring.subbufs[block - 1].page :
				     (void *)cb->meta;

	return virt_to_page(memory) + (pgoff & ((1UL << order) - 1));
}

static int map_insert(const struct cpu_buffer *cb, struct vm_area_struct *vma)
{
	unsigned long i;
	int err = 0;

	for (i = 0; i < vma_pages(vma) && !err; i++) {
		err = vm_insert_page(vma, vma->vm_start + (i << PAGE_SHIFT),
				     map_page(cb, vma->vm_pgoff + i));
		cond_resched();
	}
	return err;
}

/**
 * map_mmap - map the meta page and sub-buffers
 * @cb: the ring
 * @vma: what was asked for: all or a part, from any sub-buffer's start
 *
 * Readable and shared for good: it can neither become writable nor executable
 * later. Not inherited by fork, not in core dumps, and not to be grown.
 *
 * Context: may sleep; the mmap lock is held for writing.
 *
 * Return: 0; -EPERM for a private, writable or executable mapping; -EINVAL for
 * one that starts inside a sub-buffer or reaches beyond the last; -ENODEV if the
 * buffer was removed; -ENOMEM.
 */
int map_mmap(struct cpu_buffer *cb, struct vm_area_struct *vma)
{
	int err;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;

	err = cpu_buffer_begin(cb);
	if (err)
		return err;

	err = map_check_range(&cb->ring, vma);
	if (err)
		goto end;

	compat_vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
			    VM_MAYWRITE | VM_MAYEXEC);
	err = map_insert(cb, vma);
	if (err)
		goto end;

	vma->vm_private_data = cb;
	vma->vm_ops = &map_vm_ops;
	map_count(cb, 1);
end:
	cpu_buffer_end(cb);
	return err;
}

/**
 * map_get_reader - take everything committed so far as read
 * @cb: the ring, between cpu_buffer_begin() and cpu_buffer_end()
 *
 * Goes on to the next sub-buffer when the one held was read to its end, and
 * brings the meta page up to date. Nothing to read is no error: reader.id and
 * reader.read stay as they are then.
 *
 * Context: may sleep.
 *
 * Return: 0, or -ENODEV if nobody has mapped it.
 */
int map_get_reader(struct cpu_buffer *cb)
{
	struct ring_span span;
	int err = -ENODEV;

	mutex_lock(&cb->lock);
	if (!cb->mapped)
		goto unlock;

	err = 0;
	if (ring_take(&cb->ring)) {
		span = ring_consume(&cb->ring);
		flush_kernel_vmap_range((void *)span.page, ring_subbuf_size(&cb->ring));
	}
	cpu_buffer_update_meta(cb);
	cpu_buffer_update_reader(cb);
unlock:
	mutex_unlock(&cb->lock);
	return err;
}
