// SPDX-License-Identifier: GPL-2.0
/*
 * BPF's ring buffer has no functions for modules: what is measured is a program
 * that writes one record, which user space loads and names by its descriptor.
 */
#include <linux/bpf.h>
#include <linux/err.h>
#include <linux/filter.h>

#include "bench.h"

static struct bpf_prog *prog;

/* As anybody who runs programs has to */
static void program(struct bench_run *run)
{
	if (!prog) {
		run->failed = true;
		return;
	}
	migrate_disable();
	while (bench_more(run)) {
		u64 begin = bench_begin();
		u32 ret = bpf_prog_run(prog, NULL);

		bench_end(run, begin);
		run->failed |= ret;
	}
	migrate_enable();
}

const struct bench_case bpf_cases[] = {
	{ .name = "bpf", .run = program },
	{ }
};

/**
 * bpf_cases_use - measure this program
 * @fd: of a socket filter that does not look at its packet, and returns 0
 *
 * Context: may sleep; no case may be running.
 *
 * Return: 0 or an error.
 */
int bpf_cases_use(int fd)
{
	struct bpf_prog *other = bpf_prog_get_type_dev(fd, BPF_PROG_TYPE_SOCKET_FILTER, false);

	if (IS_ERR(other))
		return PTR_ERR(other);
	bpf_cases_exit();
	prog = other;
	return 0;
}

/**
 * bpf_cases_exit - let go of the program
 *
 * Context: may sleep; no case may be running.
 */
void bpf_cases_exit(void)
{
	if (prog)
		bpf_prog_put(prog);
	prog = NULL;
}
