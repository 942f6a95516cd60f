// SPDX-License-Identifier: GPL-2.0
/*
 * The filesystem's plumbing. All of it lives in the dcache: files are made when
 * it is mounted and as long as it is, and are gone when it is not.
 */
#include <linux/fs_context.h>
#include <linux/fs_parser.h>
#include <linux/fsnotify.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>
#include <linux/uidgid.h>

#include "compat.h"
#include "fs.h"

#define FS_MAGIC	0x544d4150	/* "TMAP" */
#define FS_ROOT_MODE	0700
#define FS_DIR_MODE	0750

/**
 * struct fs_node - what an inode is to us
 * @list:	in fs_nodes
 * @inode:	the inode
 * @fops:	the file's operations; NULL for a directory
 * @entry:	what the file stands for
 * @removed:	the entry may no longer be used; under fs_open_sem
 */
struct fs_node {
	struct list_head		list;
	struct inode			*inode;
	const struct file_operations	*fops;
	struct fs_entry			entry;
	bool				removed;
};

/**
 * struct fs_options - mount options
 * @given:	which of the others were given, by BIT(enum fs_option)
 * @uid:	owner of the files
 * @gid:	group of the files
 * @mode:	the root directory's permissions
 */
struct fs_options {
	unsigned long	given;
	kuid_t		uid;
	kgid_t		gid;
	umode_t		mode;
};

enum fs_option {
	FS_OPT_UID,
	FS_OPT_GID,
	FS_OPT_MODE,
};

static int (*fs_populate)(struct dentry *root);
static void (*fs_depopulate)(void);

/* Held while a file is opened, so that removing it can wait for that to be over. */
static DECLARE_RWSEM(fs_open_sem);

/* All the inodes there are, for a change of owner. */
static DEFINE_SPINLOCK(fs_nodes_lock);
static LIST_HEAD(fs_nodes);

/*
 * The one door to every file: asks lockdown, and makes sure that what the file
 * stands for is there until its own open has had the chance to take a reference.
 */
static int fs_open(struct inode *inode, struct file *file)
{
	struct fs_node *node = inode->i_private;
	int err;

	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;

	down_read(&fs_open_sem);
	err = -ENODEV;
	if (node->removed)
		goto out;
	replace_fops(file, fops_get(node->fops));
	err = file->f_op->open(inode, file);
out:
	up_read(&fs_open_sem);
	return err;
}

static const struct file_operations fs_file_operations = {
	.owner	= THIS_MODULE,
	.open	= fs_open,
};

/*
 * Files have no size. Truncating one must not reach its pages: those of a mapped
 * buffer would be torn out of the address spaces of those who read it.
 */
static int fs_setattr(COMPAT_IDMAP_ARG struct dentry *dentry, struct iattr *attr)
{
	attr->ia_valid &= ~ATTR_SIZE;
	return simple_setattr(COMPAT_IDMAP dentry, attr);
}

static const struct inode_operations fs_file_inode_operations = {
	.setattr	= fs_setattr,
};

static struct inode *fs_new_inode(struct super_block *sb, umode_t mode)
{
	struct fs_node *node;
	struct inode *inode;

	node = kzalloc(sizeof(*node), GFP_KERNEL);
	if (!node)
		return NULL;
	inode = new_inode(sb);
	if (!inode) {
		kfree(node);
		return NULL;
	}
	inode->i_ino = get_next_ino();
	inode->i_mode = mode;
	compat_init_times(inode);
	inode->i_private = node;
	node->inode = inode;

	spin_lock(&fs_nodes_lock);
	list_add(&node->list, &fs_nodes);
	spin_unlock(&fs_nodes_lock);
	return inode;
}

static void fs_evict_inode(struct inode *inode)
{
	struct fs_node *node = inode->i_private;

	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	if (!node)
		return;
	spin_lock(&fs_nodes_lock);
	list_del(&node->list);
	spin_unlock(&fs_nodes_lock);
	kfree(node);
}

static struct inode *fs_new_dir(struct super_block *sb, umode_t permissions)
{
	struct inode *inode = fs_new_inode(sb, S_IFDIR | permissions);

	if (!inode)
		return NULL;
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	inc_nlink(inode);
	return inode;
}

/* The directory's owners may have been changed by chown or at mount: new files follow. */
static void fs_inherit(struct inode *inode, const struct inode *dir)
{
	inode->i_uid = dir->i_uid;
	inode->i_gid = dir->i_gid;
}

/**
 * fs_create_dir - make a directory
 * @name: its name
 * @parent: where
 *
 * Context: may sleep; takes the parent's inode lock.
 *
 * Return: the dentry, which is pinned until it is removed or the filesystem is
 * gone, or an error pointer: EEXIST, ENOMEM, ENOENT if @parent is gone.
 */
struct dentry *fs_create_dir(const char *name, struct dentry *parent)
{
	struct inode *dir = d_inode(parent);
	struct dentry *dentry;
	struct inode *inode;

	dentry = compat_start_creating(parent, name);
	if (IS_ERR(dentry))
		return dentry;
	inode = fs_new_dir(dir->i_sb, FS_DIR_MODE);
	if (!inode) {
		compat_done_creating(dentry);
		return ERR_PTR(-ENOMEM);
	}
	fs_inherit(inode, dir);
	compat_make_persistent(dentry, inode);
	inc_nlink(dir);
	fsnotify_mkdir(dir, dentry);
	compat_done_creating(dentry);
	return dentry;
}

/**
 * fs_create_file - make a file
 * @name: its name
 * @mode: its permissions
 * @parent: where
 * @entry: what it stands for, see fs_entry(). The owner must stay until
 *	   fs_remove() has returned
 * @fops: its operations, owned by a module; open has to take a reference of its
 *	  own to the owner. It must not make or remove files
 *
 * Context: may sleep; takes the parent's inode lock.
 *
 * Return: the dentry, which is pinned until it is removed or the filesystem is
 * gone, or an error pointer: EEXIST, ENOMEM, ENOENT if @parent is gone.
 */
struct dentry *fs_create_file(const char *name, umode_t mode, struct dentry *parent,
			      const struct fs_entry *entry,
			      const struct file_operations *fops)
{
	struct inode *dir = d_inode(parent);
	struct dentry *dentry;
	struct fs_node *node;
	struct inode *inode;

	dentry = compat_start_creating(parent, name);
	if (IS_ERR(dentry))
		return dentry;
	inode = fs_new_inode(dir->i_sb, S_IFREG | mode);
	if (!inode) {
		compat_done_creating(dentry);
		return ERR_PTR(-ENOMEM);
	}
	fs_inherit(inode, dir);
	node = inode->i_private;
	node->fops = fops;
	node->entry = *entry;
	inode->i_op = &fs_file_inode_operations;
	inode->i_fop = &fs_file_operations;
	compat_make_persistent(dentry, inode);
	fsnotify_create(dir, dentry);
	compat_done_creating(dentry);
	return dentry;
}

static void fs_forget(struct dentry *dentry)
{
	struct fs_node *node = d_inode(dentry)->i_private;

	down_write(&fs_open_sem);
	node->removed = true;
	up_write(&fs_open_sem);
}

/**
 * fs_remove - remove a file, or a directory with all there is in it
 * @dentry: as returned by fs_create_file() or fs_create_dir()
 *
 * When it returns nobody can open the files any more, and nobody is about to:
 * fs_open() is over or fails with ENODEV. Files that are open stay so.
 *
 * Context: may sleep; takes the inode locks of all directories involved, one at
 * a time.
 */
void fs_remove(struct dentry *dentry)
{
	simple_recursive_removal(dentry, fs_forget);
}

/**
 * fs_entry - what a file stands for
 * @inode: the file's
 *
 * Context: the file's open.
 *
 * Return: what fs_create_file() was given.
 */
const struct fs_entry *fs_entry(const struct inode *inode)
{
	const struct fs_node *node = inode->i_private;

	return &node->entry;
}

static int fs_show_options(struct seq_file *m, struct dentry *root)
{
	const struct inode *inode = d_inode(root);
	umode_t mode = inode->i_mode & S_IALLUGO;

	if (!uid_eq(inode->i_uid, GLOBAL_ROOT_UID))
		seq_printf(m, ",uid=%u", from_kuid_munged(&init_user_ns, inode->i_uid));
	if (!gid_eq(inode->i_gid, GLOBAL_ROOT_GID))
		seq_printf(m, ",gid=%u", from_kgid_munged(&init_user_ns, inode->i_gid));
	if (mode != FS_ROOT_MODE)
		seq_printf(m, ",mode=%o", mode);
	return 0;
}

static const struct super_operations fs_super_operations = {
	.statfs		= simple_statfs,
	.evict_inode	= fs_evict_inode,
	.show_options	= fs_show_options,
};

static int fs_fill_super(struct super_block *sb, struct fs_context *fc)
{
	struct inode *root;

	sb->s_maxbytes = MAX_LFS_FILESIZE;
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = FS_MAGIC;
	sb->s_op = &fs_super_operations;
	sb->s_time_gran = 1;

	root = fs_new_dir(sb, FS_ROOT_MODE);
	if (!root)
		return -ENOMEM;
	sb->s_root = d_make_root(root);
	if (!sb->s_root)
		return -ENOMEM;
	return fs_populate(sb->s_root);
}

static void fs_kill_super(struct super_block *sb)
{
	fs_depopulate();
	compat_kill_super(sb);
}

static void fs_apply_options(struct super_block *sb, const struct fs_options *options)
{
	struct inode *root = d_inode(sb->s_root);
	struct fs_node *node;

	if (options->given & BIT(FS_OPT_MODE))
		root->i_mode = (root->i_mode & ~S_IALLUGO) | options->mode;

	spin_lock(&fs_nodes_lock);
	list_for_each_entry(node, &fs_nodes, list) {
		if (options->given & BIT(FS_OPT_UID))
			node->inode->i_uid = options->uid;
		if (options->given & BIT(FS_OPT_GID))
			node->inode->i_gid = options->gid;
	}
	spin_unlock(&fs_nodes_lock);
}

static const struct fs_parameter_spec fs_parameters[] = {
	fsparam_u32("uid", FS_OPT_UID),
	fsparam_u32("gid", FS_OPT_GID),
	fsparam_u32oct("mode", FS_OPT_MODE),
	{}
};

static int fs_parse_param(struct fs_context *fc, struct fs_parameter *param)
{
	struct fs_options *options = fc->fs_private;
	struct fs_parse_result result;
	int option;

	option = fs_parse(fc, fs_parameters, param, &result);
	if (option < 0)
		return option;

	switch (option) {
	case FS_OPT_UID:
		options->uid = make_kuid(current_user_ns(), result.uint_32);
		if (!uid_valid(options->uid))
			return invalf(fc, "uid %u does not exist here", result.uint_32);
		break;
	case FS_OPT_GID:
		options->gid = make_kgid(current_user_ns(), result.uint_32);
		if (!gid_valid(options->gid))
			return invalf(fc, "gid %u does not exist here", result.uint_32);
		break;
	case FS_OPT_MODE:
		if (result.uint_32 & ~S_IALLUGO)
			return invalf(fc, "mode %o is not a mode", result.uint_32);
		options->mode = result.uint_32;
		break;
	}
	options->given |= BIT(option);
	return 0;
}

/* The first mount makes the super block, later ones find it: options count either way. */
static int fs_get_tree(struct fs_context *fc)
{
	int err;

	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;
	err = get_tree_single(fc, fs_fill_super);
	if (err)
		return err;
	fs_apply_options(fc->root->d_sb, fc->fs_private);
	return 0;
}

static int fs_reconfigure(struct fs_context *fc)
{
	fs_apply_options(fc->root->d_sb, fc->fs_private);
	return 0;
}

static void fs_free_context(struct fs_context *fc)
{
	kfree(fc->fs_private);
}

static const struct fs_context_operations fs_context_operations = {
	.free		= fs_free_context,
	.parse_param	= fs_parse_param,
	.get_tree	= fs_get_tree,
	.reconfigure	= fs_reconfigure,
};

static int fs_init_context(struct fs_context *fc)
{
	struct fs_options *options;

	options = kzalloc(sizeof(*options), GFP_KERNEL);
	if (!options)
		return -ENOMEM;
	fc->fs_private = options;
	fc->ops = &fs_context_operations;
	return 0;
}

static struct file_system_type fs_type = {
	.owner			= THIS_MODULE,
	.name			= "tracemap",
	.init_fs_context	= fs_init_context,
	.parameters		= fs_parameters,
	.kill_sb		= fs_kill_super,
};
MODULE_ALIAS_FS("tracemap");

/**
 * fs_init - make the filesystem known, and its place in sysfs
 * @populate: makes the files below the root when the filesystem is mounted; on
 *	      an error @depopulate follows
 * @depopulate: tells that the files and directories are about to go. No file is
 *		open then
 *
 * Both may sleep and are called with the super block's lock held, the one never
 * beside the other.
 *
 * Context: module init; may sleep.
 *
 * Return: 0 or an error.
 */
int fs_init(int (*populate)(struct dentry *root), void (*depopulate)(void))
{
	int err;

	fs_populate = populate;
	fs_depopulate = depopulate;

	err = sysfs_create_mount_point(kernel_kobj, "tracemap");
	if (err)
		return err;
	err = register_filesystem(&fs_type);
	if (err)
		sysfs_remove_mount_point(kernel_kobj, "tracemap");
	return err;
}

/**
 * fs_exit - undo fs_init()
 *
 * A mount holds the module, so there is none.
 *
 * Context: module exit; may sleep.
 */
void fs_exit(void)
{
	unregister_filesystem(&fs_type);
	sysfs_remove_mount_point(kernel_kobj, "tracemap");
}
