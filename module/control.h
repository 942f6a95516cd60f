/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control files of an instance, as tables of name, mode and operations.
 */
#ifndef _TRACEMAP_CONTROL_H
#define _TRACEMAP_CONTROL_H

#include <linux/fs.h>
#include <linux/types.h>

struct control;
struct dentry;
struct instance;
struct seq_file;

#define CONTROL_RW	0640	/* as tracefs */
#define CONTROL_RO	0440
#define CONTROL_WO	0220

/**
 * struct control_file - a kind of control file
 * @name:	its name
 * @mode:	its permissions
 * @show:	print all there is to read
 * @store:	take what was written in one piece, a short text
 * @write:	take what was written, any length; instead of @store
 * @truncate:	it was opened for writing with O_TRUNC
 * @fops:	its file operations; NULL for those that do with the above
 *
 * All of them may sleep, and run without locks.
 */
struct control_file {
	const char	*name;
	umode_t		mode;
	int		(*show)(struct seq_file *m, const struct control *control);
	int		(*store)(const struct control *control, char *text);
	ssize_t		(*write)(const struct control *control, const char __user *from,
				 size_t count);
	void		(*truncate)(const struct control *control);
	const struct file_operations *fops;
};

/**
 * struct control - a control file that is open
 * @file:	its kind
 * @instance:	whose it is; one reference
 * @index:	which one of that kind: a CPU, an event
 */
struct control {
	const struct control_file	*file;
	struct instance			*instance;
	unsigned int			index;
};

int control_create_files(struct instance *instance);

/* for the parts of it */
int control_create_table(struct instance *instance, struct dentry *dir, unsigned int index,
			 const struct control_file *files, unsigned int nr_files);
int control_create_settings(struct instance *instance);
int control_create_trace(struct instance *instance);
int control_create_cpus(struct instance *instance);
int control_create_events(struct instance *instance);

int control_open(struct inode *inode, struct file *file);
int control_release(struct inode *inode, struct file *file);
ssize_t control_write(struct file *file, const char __user *from, size_t count, loff_t *pos);
const struct control *control_of(const struct file *file);
int control_parse_switch(const char *text, bool *on);
int control_parse_size(const char *text, unsigned long *size);

#endif /* _TRACEMAP_CONTROL_H */
