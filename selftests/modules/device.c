// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/tracemap_test: see tracemap_test.h.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "contexts.h"
#include "flood.h"
#include "nmi.h"

static DEFINE_MUTEX(lock);
static struct tracemap_buffer *buffer;	/* under lock */

static void destroy(void)
{
	flood_stop();
	tracemap_buffer_destroy(buffer);
	buffer = NULL;
}

static long do_create(const void __user *arg)
{
	struct tracemap_buffer *made;
	struct test_create create;

	if (copy_from_user(&create, arg, sizeof(create)))
		return -EFAULT;
	made = tracemap_buffer_create(TEST_INSTANCE, create.size, create.order,
				      create.mode);
	if (IS_ERR(made))
		return PTR_ERR(made);
	/* of the same name: should have been refused */
	if (WARN_ON(buffer)) {
		tracemap_buffer_destroy(made);
		return -ENOTUNIQ;
	}
	buffer = made;
	writers_reset();
	return 0;
}

static long do_destroy(void)
{
	if (!buffer)
		return -ENOENT;
	destroy();
	return 0;
}

static long do_write(const void __user *arg)
{
	struct test_write write;
	struct shape shape;

	if (copy_from_user(&write, arg, sizeof(write)))
		return -EFAULT;
	shape = (struct shape) {
		.buffer = buffer,
		.min_length = write.min_length,
		.max_length = write.max_length,
		.discard = write.discard,
	};
	if (!buffer)
		return -ENOENT;
	if (!shape_is_sane(&shape))
		return -EINVAL;
	if (flood_running())
		return -EBUSY;
	return context_write(&write, &shape);
}

static long do_flood(const void __user *arg)
{
	struct test_flood flood;
	struct shape shape;

	if (copy_from_user(&flood, arg, sizeof(flood)))
		return -EFAULT;
	shape = (struct shape) {
		.buffer = buffer,
		.min_length = flood.min_length,
		.max_length = flood.max_length,
		.discard = flood.discard,
	};
	if (!buffer)
		return -ENOENT;
	if (!shape_is_sane(&shape))
		return -EINVAL;
	if (flood_running())
		return -EBUSY;
	flood_stop();
	writers_seed(flood.seed);
	return flood_start(&flood, &shape);
}

static long do_counts(void __user *arg)
{
	struct test_counts counts;
	const struct writer *writer;

	if (copy_from_user(&counts, arg, sizeof(counts)))
		return -EFAULT;
	if (counts.cpu >= nr_cpu_ids || !cpu_possible(counts.cpu) ||
	    counts.context >= TEST_NR_CONTEXTS)
		return -EINVAL;
	writer = writer_get(counts.cpu, counts.context);
	counts.attempted = writer->attempted;
	counts.accepted = writer->accepted;
	counts.discarded = writer->discarded;
	return copy_to_user(arg, &counts, sizeof(counts)) ? -EFAULT : 0;
}

static long locked_ioctl(unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case TEST_CREATE:
		return do_create(arg);
	case TEST_DESTROY:
		return do_destroy();
	case TEST_WRITE:
		return do_write(arg);
	case TEST_FLOOD:
		return do_flood(arg);
	case TEST_FLOODING:
		return flood_running();
	case TEST_STOP:
		flood_stop();
		return 0;
	case TEST_COUNTS:
		return do_counts(arg);
	}
	return -ENOTTY;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long ret;

	if (mutex_lock_interruptible(&lock))
		return -ERESTARTSYS;
	ret = locked_ioctl(cmd, (void __user *)arg);
	mutex_unlock(&lock);
	return ret;
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tracemap_test",
	.fops = &device_fops,
	.mode = 0600,
};

static int __init test_init(void)
{
	int err;

	err = nmi_errands_init();
	if (err)
		return err;
	err = misc_register(&device);
	if (err)
		nmi_errands_exit();
	return err;
}

/* With a buffer still there: it must go cleanly, whoever has its files open. */
static void __exit test_exit(void)
{
	misc_deregister(&device);
	if (buffer)
		destroy();
	nmi_errands_exit();
}

module_init(test_init);
module_exit(test_exit);

MODULE_DESCRIPTION("Writers for tracemap's self-tests");
MODULE_LICENSE("GPL");
