/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filesystem's plumbing: mount, inodes, directories, permissions. It knows
 * no buffer.
 */
#ifndef _TRACEMAP_FS_H
#define _TRACEMAP_FS_H

#include <linux/fs.h>

/* populate: makes the files below the root at mount; depopulate: before the super block goes */
int fs_init(int (*populate)(struct dentry *root), void (*depopulate)(void));
void fs_exit(void);

struct dentry *fs_create_dir(const char *name, struct dentry *parent);
struct dentry *fs_create_file(const char *name, umode_t mode, struct dentry *parent,
			      void *private, const struct file_operations *fops);
void fs_remove(struct dentry *dentry);

#endif /* _TRACEMAP_FS_H */
