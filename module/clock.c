// SPDX-License-Identifier: GPL-2.0
/*
 * The trace clocks, under the names and in the order in which tracefs lists
 * them. All of them can be read in any context, NMI too.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/ktime.h>
#include <linux/trace_clock.h>

#ifdef CONFIG_X86_TSC
#include <asm/tsc.h>
#endif

#include "clock.h"
#include "compat.h"

/* The kernel's own counter is not exported. */
static atomic64_t counter = ATOMIC64_INIT(0);

static u64 clock_counter(void)
{
	return atomic64_inc_return(&counter);
}

#ifdef CONFIG_X86_TSC
static u64 clock_tsc(void)
{
	return rdtsc_ordered();
}
#endif

const struct tracemap_clock tracemap_clocks[] = {
	{ "local",	trace_clock_local,	true },
	{ "global",	trace_clock_global,	true },
	{ "counter",	clock_counter,		false },
	{ "uptime",	trace_clock_jiffies,	false },
	{ "perf",	trace_clock,		true },
	{ "mono",	ktime_get_mono_fast_ns,	true },
	{ "mono_raw",	ktime_get_raw_fast_ns,	true },
	{ "boot",	ktime_get_boot_fast_ns,	true },
#ifdef COMPAT_HAVE_TAI_FAST
	{ "tai",	ktime_get_tai_fast_ns,	true },
#endif
#ifdef CONFIG_X86_TSC
	{ "x86-tsc",	clock_tsc,		false },
#endif
};

const unsigned int tracemap_nr_clocks = ARRAY_SIZE(tracemap_clocks);

/**
 * clock_find - look a trace clock up
 * @name: as in trace_clock
 *
 * Context: any.
 *
 * Return: the clock, or NULL if there is none of that name.
 */
const struct tracemap_clock *clock_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < tracemap_nr_clocks; i++) {
		if (!strcmp(tracemap_clocks[i].name, name))
			return &tracemap_clocks[i];
	}
	return NULL;
}
