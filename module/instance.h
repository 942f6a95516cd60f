/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instance: a buffer, its events and its settings. The first one is the
 * root directory's, the others are instances/NAME.
 */
#ifndef _TRACEMAP_INSTANCE_H
#define _TRACEMAP_INSTANCE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/tracemap_buffer.h>

struct dentry;
struct event_set;

/**
 * struct instance - a buffer with a name
 * @list:	in the list of all instances
 * @ref:	the list, every open control file
 * @name:	"" for the first one
 * @buffer:	its buffer
 * @events:	which events go into it
 * @dir:	its directory while the filesystem is mounted
 */
struct instance {
	struct list_head	list;
	struct kref		ref;
	char			*name;
	struct tracemap_buffer	*buffer;
	struct event_set	*events;
	struct dentry		*dir;
};

int instance_init(int (*create_files)(struct instance *instance));
void instance_exit(void);

/* for fs_init() */
int instance_populate(struct dentry *root);
void instance_depopulate(void);

struct instance *instance_get(struct instance *instance);
void instance_put(struct instance *instance);

#endif /* _TRACEMAP_INSTANCE_H */
