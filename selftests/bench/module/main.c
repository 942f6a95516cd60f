// SPDX-License-Identifier: GPL-2.0
/*
 * What writing an event costs, ours and others. Write the name of a case to
 * debugfs/tracemap_bench/run, and read from it "MEDIAN HIGH", where HIGH is what
 * two samples exceed. The file bpf takes the descriptor of the program to measure.
 * Written to "steps", the name of a case gives the instructions that it executes.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bench.h"

#define BATCH	128
#define PAUSES	15

static const struct bench_case * const tables[] = {
	common_cases,
	tracemap_cases,
	ring_buffer_cases,
	relay_cases,
	bpf_cases,
	event_cases,
};

static DEFINE_MUTEX(lock);
static struct bench_run run;
static char result[64];
static struct dentry *dir;

static const struct bench_case *find_case(const char *name)
{
	const struct bench_case *one;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		for (one = tables[i]; one->name; one++) {
			if (!strcmp(one->name, name))
				return one;
		}
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return *(const u32 *)a < *(const u32 *)b ? -1 : 1;
}

static void summarize(void)
{
	sort(run.cost, run.taken, sizeof(run.cost[0]), compare, NULL);
	snprintf(result, sizeof(result), "%u %u\n", run.cost[run.taken / 2],
		 run.cost[run.taken - 3]);
}

static void run_batch(const struct bench_case *one, unsigned int samples)
{
	unsigned long flags;

	if (one->pause)
		msleep(one->pause);
	run.end = run.taken + samples;
	local_irq_save(flags);
	one->run(&run);
	local_irq_restore(flags);
}

static int run_case(const struct bench_case *one)
{
	unsigned int batch = one->pause ? 1 : BATCH;
	unsigned int samples = one->pause ? PAUSES : BENCH_SAMPLES;
	int err;

	if (one->prepare) {
		err = one->prepare();
		if (err)
			return err;
	}
	run.taken = 0;
	run.failed = false;
	while (run.taken < samples && !run.failed)
		run_batch(one, batch);
	if (run.failed)
		return -EIO;
	summarize();
	return 0;
}

/* What the case does first is another thing than what it does from then on */
static int step_case(const struct bench_case *one)
{
	unsigned long flags;
	int err;

	err = run_case(one);
	if (err)
		return err;
	run.taken = 0;
	run.end = 3;
	local_irq_save(flags);
	steps_take(one, &run);
	local_irq_restore(flags);
	return run.failed ? -EIO : 0;
}

static ssize_t with_case(int (*todo)(const struct bench_case *one), const char __user *from,
			 size_t count)
{
	const struct bench_case *one;
	char name[64];
	int err = -ENOENT;

	if (count >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, from, count))
		return -EFAULT;
	name[count] = '\0';
	one = find_case(strim(name));
	mutex_lock(&lock);
	result[0] = '\0';
	if (one)
		err = todo(one);
	mutex_unlock(&lock);
	return err ?: count;
}

static ssize_t run_write(struct file *file, const char __user *from, size_t count, loff_t *ppos)
{
	return with_case(run_case, from, count);
}

static ssize_t run_read(struct file *file, char __user *to, size_t count, loff_t *ppos)
{
	ssize_t ret;

	mutex_lock(&lock);
	ret = simple_read_from_buffer(to, count, ppos, result, strlen(result));
	mutex_unlock(&lock);
	return ret;
}

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= run_read,
	.write	= run_write,
};

static ssize_t steps_write(struct file *file, const char __user *from, size_t count, loff_t *ppos)
{
	return with_case(step_case, from, count);
}

static int steps_open(struct inode *inode, struct file *file)
{
	return single_open(file, steps_show, NULL);
}

static const struct file_operations steps_fops = {
	.owner		= THIS_MODULE,
	.open		= steps_open,
	.read		= seq_read,
	.write		= steps_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static ssize_t bpf_write(struct file *file, const char __user *from, size_t count, loff_t *ppos)
{
	int err, fd;

	err = kstrtoint_from_user(from, count, 10, &fd);
	if (err)
		return err;
	mutex_lock(&lock);
	err = bpf_cases_use(fd);
	mutex_unlock(&lock);
	return err ?: count;
}

static const struct file_operations bpf_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= bpf_write,
};

static int __init bench_init(void)
{
	int err;

	err = event_cases_init();
	if (err)
		return err;
	err = tracemap_cases_init();
	if (err)
		return err;
	err = ring_buffer_cases_init();
	if (err)
		goto tracemap;
	err = relay_cases_init();
	if (err)
		goto ring_buffer;
	err = steps_init();
	if (err)
		goto relay;
	dir = debugfs_create_dir("tracemap_bench", NULL);
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
	debugfs_create_file("bpf", 0200, dir, NULL, &bpf_fops);
	debugfs_create_file("steps", 0600, dir, NULL, &steps_fops);
	return 0;

relay:
	relay_cases_exit();
ring_buffer:
	ring_buffer_cases_exit();
tracemap:
	tracemap_cases_exit();
	return err;
}

static void __exit bench_exit(void)
{
	debugfs_remove(dir);
	steps_exit();
	bpf_cases_exit();
	relay_cases_exit();
	ring_buffer_cases_exit();
	tracemap_cases_exit();
}

module_init(bench_init);
module_exit(bench_exit);
MODULE_DESCRIPTION("What writing an event costs");
MODULE_LICENSE("GPL");
