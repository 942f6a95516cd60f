// SPDX-License-Identifier: GPL-2.0
/*
 * Instances. The list of them outlives mounts; their directories do not.
 */
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer.h"
#include "events/events.h"
#include "fs.h"
#include "instance.h"

/*
 * Protects the list, instances_dir and every instance's dir. Outside all other
 * locks of tracemap's; only a super block's may be held when it is taken.
 */
static DEFINE_MUTEX(instances_lock);
static LIST_HEAD(instances);

/* NULL while the filesystem is not mounted */
static struct dentry *instances_dir;

/* Makes the control files in an instance's directory */
static int (*instance_create_files)(struct instance *instance);

static struct instance *instance_alloc(const char *name, unsigned long size, unsigned int order,
				       enum tracemap_mode mode)
{
	struct instance *instance;
	int err = -ENOMEM;

	instance = kzalloc(sizeof(*instance), GFP_KERNEL);
	if (!instance)
		return ERR_PTR(-ENOMEM);
	kref_init(&instance->ref);
	instance->name = kstrdup(name, GFP_KERNEL);
	if (!instance->name)
		goto free;

	instance->buffer = buffer_alloc(size, order, mode);
	if (IS_ERR(instance->buffer)) {
		err = PTR_ERR(instance->buffer);
		goto free_name;
	}
	instance->events = event_set_create(instance->buffer);
	if (!instance->events)
		goto remove_buffer;
	return instance;

remove_buffer:
	buffer_remove(instance->buffer);
	buffer_put(instance->buffer);
free_name:
	kfree(instance->name);
free:
	kfree(instance);
	return ERR_PTR(err);
}

static void instance_release(struct kref *ref)
{
	struct instance *instance = container_of(ref, struct instance, ref);

	event_set_destroy(instance->events);
	buffer_put(instance->buffer);
	kfree(instance->name);
	kfree(instance);
}

/**
 * instance_get - take a reference
 * @instance: the instance
 *
 * Context: any, with a reference held or while its files cannot be removed.
 *
 * Return: @instance.
 */
struct instance *instance_get(struct instance *instance)
{
	kref_get(&instance->ref);
	return instance;
}

/**
 * instance_put - drop a reference
 * @instance: the instance
 *
 * Context: may sleep; the last one waits for running probes.
 */
void instance_put(struct instance *instance)
{
	kref_put(&instance->ref, instance_release);
}

static struct instance *instance_find_name(const char *name)
{
	struct instance *instance;

	lockdep_assert_held(&instances_lock);
	list_for_each_entry(instance, &instances, list) {
		if (!strcmp(instance->name, name))
			return instance;
	}
	return NULL;
}

static struct instance *instance_find_buffer(const struct tracemap_buffer *buffer)
{
	struct instance *instance;

	lockdep_assert_held(&instances_lock);
	list_for_each_entry(instance, &instances, list) {
		if (instance->buffer == buffer)
			return instance;
	}
	return NULL;
}

/* Makes instances/NAME, if there is an instances/ now. */
static int instance_show(struct instance *instance)
{
	struct dentry *dir;
	int err;

	lockdep_assert_held(&instances_lock);
	if (!instances_dir)
		return 0;
	dir = fs_create_dir(instance->name, instances_dir);
	if (IS_ERR(dir))
		return PTR_ERR(dir);

	instance->dir = dir;
	err = instance_create_files(instance);
	if (err) {
		fs_remove(dir);
		instance->dir = NULL;
	}
	return err;
}

static void instance_hide(struct instance *instance)
{
	lockdep_assert_held(&instances_lock);
	if (instance->dir)
		fs_remove(instance->dir);
	instance->dir = NULL;
}

/* The files of the first instance stand in the root, beside instances/. */
static int instance_show_first(struct dentry *root)
{
	struct instance *first = list_first_entry(&instances, struct instance, list);
	struct dentry *dir;
	int err;

	first->dir = root;
	err = instance_create_files(first);
	if (err)
		return err;
	dir = fs_create_dir("instances", root);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	instances_dir = dir;
	return 0;
}

/**
 * instance_populate - make the files of all instances
 * @root: the filesystem's root directory
 *
 * Context: mounting; may sleep.
 *
 * Return: 0 or an error; then instance_depopulate() has to follow.
 */
int instance_populate(struct dentry *root)
{
	struct instance *instance;
	int err;

	mutex_lock(&instances_lock);
	err = instance_show_first(root);
	if (err)
		goto unlock;

	instance = list_first_entry(&instances, struct instance, list);
	list_for_each_entry_continue(instance, &instances, list) {
		err = instance_show(instance);
		if (err)
			break;
	}
unlock:
	mutex_unlock(&instances_lock);
	return err;
}

/**
 * instance_depopulate - forget all files, because they are about to go
 *
 * Context: unmounting; may sleep.
 */
void instance_depopulate(void)
{
	struct instance *instance;

	mutex_lock(&instances_lock);
	list_for_each_entry(instance, &instances, list)
		instance->dir = NULL;
	instances_dir = NULL;
	mutex_unlock(&instances_lock);
}

static int instance_add(struct instance *instance)
{
	int err = -EEXIST;

	mutex_lock(&instances_lock);
	if (instance_find_name(instance->name))
		goto unlock;
	err = instance_show(instance);
	if (err)
		goto unlock;
	list_add_tail(&instance->list, &instances);
unlock:
	mutex_unlock(&instances_lock);
	return err;
}

/* Ends an instance that is in no list and has no files any more. */
static void instance_kill(struct instance *instance)
{
	/* whoever has a control file open could keep it alive, but not recording */
	event_set_disable_match(instance->events, "*:*");
	buffer_remove(instance->buffer);
	instance_put(instance);
}

static bool instance_name_ok(const char *name)
{
	size_t length = strlen(name);

	if (!length || length > NAME_MAX || strchr(name, '/'))
		return false;
	return strcmp(name, ".") && strcmp(name, "..");
}

/**
 * tracemap_buffer_create - make a buffer of one's own
 * @name: its files will be in instances/@name
 * @size: bytes of events that each CPU's ring has to hold
 * @order: log2 of the pages of a sub-buffer
 * @mode: what a full ring does with the next event
 *
 * Recording is on from the start.
 *
 * Context: may sleep. Not from code that runs below a file operation of
 * tracemap's.
 *
 * Return: the buffer, to be given to tracemap_buffer_destroy(), or an error
 * pointer: EEXIST if there is an instance of that name; EINVAL for a name that
 * no directory can have, and for a size or order out of range; ENOMEM.
 */
struct tracemap_buffer *tracemap_buffer_create(const char *name, unsigned long size,
					       unsigned int order, enum tracemap_mode mode)
{
	struct instance *instance;
	int err;

	if (!instance_name_ok(name))
		return ERR_PTR(-EINVAL);
	instance = instance_alloc(name, size, order, mode);
	if (IS_ERR(instance))
		return ERR_CAST(instance);
	err = instance_add(instance);
	if (err) {
		instance_kill(instance);
		return ERR_PTR(err);
	}
	return instance->buffer;
}
EXPORT_SYMBOL_GPL(tracemap_buffer_create);

/**
 * tracemap_buffer_destroy - remove a buffer and its files
 * @buffer: from tracemap_buffer_create(); NULL and error pointers are ignored
 *
 * Nobody may write into it any more. Sleepers return; what is mapped stays
 * mapped, and files that are open can be closed at leisure.
 *
 * Context: may sleep; waits for file opens that are under way.
 */
void tracemap_buffer_destroy(struct tracemap_buffer *buffer)
{
	struct instance *instance;

	if (IS_ERR_OR_NULL(buffer))
		return;

	mutex_lock(&instances_lock);
	instance = instance_find_buffer(buffer);
	if (!instance) {
		mutex_unlock(&instances_lock);
		return;
	}
	list_del(&instance->list);
	instance_hide(instance);
	mutex_unlock(&instances_lock);
	instance_kill(instance);
}
EXPORT_SYMBOL_GPL(tracemap_buffer_destroy);

/**
 * instance_init - make the first instance
 * @create_files: makes the control files in an instance's dir; called with all
 *		  instances held in place; may sleep; on an error its caller
 *		  removes what it has made
 *
 * Context: module init; may sleep.
 *
 * Return: 0 or an error.
 */
int instance_init(int (*create_files)(struct instance *instance))
{
	struct instance *first;

	instance_create_files = create_files;
	first = instance_alloc("", BUFFER_DEFAULT_SIZE, 0, TRACEMAP_OVERWRITE);
	if (IS_ERR(first))
		return PTR_ERR(first);
	list_add(&first->list, &instances);
	return 0;
}

/**
 * instance_exit - undo instance_init()
 *
 * Every user of tracemap_buffer_create() holds the module, so only the first
 * instance can be left.
 *
 * Context: module exit; may sleep.
 */
void instance_exit(void)
{
	struct instance *first = list_first_entry(&instances, struct instance, list);

	list_del(&first->list);
	instance_kill(first);
}
