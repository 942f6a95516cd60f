// SPDX-License-Identifier: GPL-2.0
/*
 * relay, in overwrite mode, with a time stamp in front of the payload.
 */
#include <linux/debugfs.h>
#include <linux/relay.h>
#include <linux/sizes.h>
#include <linux/trace_clock.h>

#include "bench.h"

static struct rchan *channel;

/* relay insists on files */
static struct dentry *create_file(const char *name, struct dentry *parent, umode_t mode,
				  struct rchan_buf *buf, int *is_global)
{
	return debugfs_create_file(name, mode, parent, buf, &relay_file_operations);
}

static int remove_file(struct dentry *dentry)
{
	debugfs_remove(dentry);
	return 0;
}

static int overwrite(struct rchan_buf *buf, void *subbuf, void *prev_subbuf, size_t prev_padding)
{
	return 1;
}

static const struct rchan_callbacks callbacks = {
	.subbuf_start		= overwrite,
	.create_buf_file	= create_file,
	.remove_buf_file	= remove_file,
};

struct record {
	u64	time;
	u64	payload[256 / sizeof(u64)];
};

static __always_inline void write(struct bench_run *run, size_t length)
{
	struct record record;

	while (bench_more(run)) {
		u64 begin = bench_begin();

		record.time = trace_clock_local();
		bench_fill(record.payload, length);
		relay_write(channel, &record, sizeof(record.time) + length);
		bench_end(run, begin);
	}
}

BENCH_FUNCTIONS(write)

const struct bench_case relay_cases[] = {
	BENCH_CASES("relay", write),
	{ }
};

/**
 * relay_cases_init - make the channel that relay_cases write to
 *
 * Context: may sleep.
 *
 * Return: 0 or an error.
 */
int relay_cases_init(void)
{
	channel = relay_open("tracemap_bench_cpu", NULL, SZ_64K, 16, &callbacks, NULL);
	return channel ? 0 : -ENOMEM;
}

/**
 * relay_cases_exit - free it
 *
 * Context: may sleep.
 */
void relay_cases_exit(void)
{
	relay_close(channel);
}
