/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filesystem's plumbing: mount, inodes, directories, permissions. It knows
 * no buffer.
 */
#ifndef _TRACEMAP_FS_H
#define _TRACEMAP_FS_H

#include <linux/fs.h>

/**
 * struct fs_entry - what a file stands for; those who make files give it a meaning
 * @kind:	which of the files
 * @owner:	whose file
 * @index:	which one of the owner's, if it has several of that kind
 */
struct fs_entry {
	const void	*kind;
	void		*owner;
	unsigned int	index;
};

/* populate: makes the files below the root at mount; depopulate: before the super block goes */
int fs_init(int (*populate)(struct dentry *root), void (*depopulate)(void));
void fs_exit(void);

struct dentry *fs_create_dir(const char *name, struct dentry *parent);
struct dentry *fs_create_file(const char *name, umode_t mode, struct dentry *parent,
			      const struct fs_entry *entry,
			      const struct file_operations *fops);
void fs_remove(struct dentry *dentry);

const struct fs_entry *fs_entry(const struct inode *inode);

#endif /* _TRACEMAP_FS_H */
