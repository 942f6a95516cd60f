// SPDX-License-Identifier: GPL-2.0
/*
 * What all control files have in common: opening them, reading and writing
 * short texts, and making a table of them into files.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "buffer.h"
#include "control.h"
#include "fs.h"
#include "instance.h"

#define CONTROL_MAX_TEXT	64	/* as tracefs: longer ones are EINVAL */

/**
 * control_of - the control file that an open file is
 * @file: opened by control_open()
 *
 * Context: any.
 *
 * Return: it, never NULL.
 */
const struct control *control_of(const struct file *file)
{
	const struct seq_file *m = file->private_data;

	return m->private;
}

static int control_show(struct seq_file *m, void *unused)
{
	const struct control *control = m->private;

	if (!control->file->show)
		return -EINVAL;
	return control->file->show(m, control);
}

/**
 * control_open - open() of a control file
 * @inode: made by control_create_table()
 * @file: the file
 *
 * Context: may sleep.
 *
 * Return: 0 or ENOMEM.
 */
int control_open(struct inode *inode, struct file *file)
{
	const struct fs_entry *entry = fs_entry(inode);
	struct control *control;
	int err;

	control = kmalloc(sizeof(*control), GFP_KERNEL);
	if (!control)
		return -ENOMEM;
	control->file = entry->kind;
	control->index = entry->index;
	err = single_open(file, control_show, control);
	if (err) {
		kfree(control);
		return err;
	}
	control->instance = instance_get(entry->owner);
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC) && control->file->truncate)
		control->file->truncate(control);
	return 0;
}

/**
 * control_release - release() of a control file
 * @inode: its inode
 * @file: opened by control_open()
 *
 * Context: may sleep.
 *
 * Return: 0.
 */
int control_release(struct inode *inode, struct file *file)
{
	const struct control *control = control_of(file);

	instance_put(control->instance);
	kfree(control);
	return single_release(inode, file);
}

static int control_store(const struct control *control, const char __user *from, size_t count)
{
	char text[CONTROL_MAX_TEXT];

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	text[count] = '\0';
	return control->file->store(control, text);
}

/**
 * control_write - write() of a control file
 * @file: opened by control_open()
 * @from: what is written
 * @count: bytes of it
 * @pos: left alone: it is the reader's, and there is none in markers
 *
 * Context: may sleep.
 *
 * Return: bytes taken; EINVAL for a file that cannot be written or a text that
 * it does not understand, ENODEV if the instance is gone, EFAULT, or what else
 * the file's own function returns.
 */
ssize_t control_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	const struct control *control = control_of(file);
	int err;

	if (READ_ONCE(control->instance->buffer->removed))
		return -ENODEV;
	if (control->file->write)
		return control->file->write(control, from, count);
	if (!control->file->store)
		return -EINVAL;
	err = control_store(control, from, count);
	return err ? err : count;
}

static const struct file_operations control_fops = {
	.owner		= THIS_MODULE,
	.open		= control_open,
	.read		= seq_read,
	.write		= control_write,
	.llseek		= seq_lseek,
	.release	= control_release,
};

/**
 * control_parse_switch - what is written to a file that is on or off
 * @text: "0" or "1"
 * @on: which of them
 *
 * Context: any.
 *
 * Return: 0; EINVAL or ERANGE for anything else.
 */
int control_parse_switch(const char *text, bool *on)
{
	unsigned long value;
	int err;

	err = kstrtoul(text, 10, &value);
	if (err)
		return err;
	if (value > 1)
		return -EINVAL;
	*on = value;
	return 0;
}

/**
 * control_parse_size - what is written to a file with a size in it
 * @text: KiB
 * @size: bytes
 *
 * Context: any.
 *
 * Return: 0; EINVAL for 0, for more than there are addresses and for what is no
 * number.
 */
int control_parse_size(const char *text, unsigned long *size)
{
	unsigned long kib;
	int err;

	err = kstrtoul(text, 10, &kib);
	if (err)
		return err;
	if (!kib || kib > ULONG_MAX >> 10)
		return -EINVAL;
	*size = kib << 10;
	return 0;
}

/**
 * control_create_table - make the files of a table
 * @instance: whose they are
 * @dir: where
 * @index: what control->index will be
 * @files: the table
 * @nr_files: and its length
 *
 * Context: may sleep; takes the inode lock of @dir.
 *
 * Return: 0 or an error; the files made until then are left to the caller.
 */
int control_create_table(struct instance *instance, struct dentry *dir, unsigned int index,
			 const struct control_file *files, unsigned int nr_files)
{
	const struct control_file *file;
	struct dentry *dentry;

	for (file = files; file < files + nr_files; file++) {
		struct fs_entry entry = {
			.kind	= file,
			.owner	= instance,
			.index	= index,
		};

		dentry = fs_create_file(file->name, file->mode, dir, &entry,
					file->fops ? file->fops : &control_fops);
		if (IS_ERR(dentry))
			return PTR_ERR(dentry);
	}
	return 0;
}

/**
 * control_create_files - make all control files of an instance
 * @instance: its dir is there and empty
 *
 * Context: may sleep; takes inode locks.
 *
 * Return: 0 or an error; the files made until then are left to the caller.
 */
int control_create_files(struct instance *instance)
{
	int err;

	err = control_create_settings(instance);
	if (err)
		return err;
	err = control_create_trace(instance);
	if (err)
		return err;
	err = control_create_cpus(instance);
	if (err)
		return err;
	return control_create_events(instance);
}
