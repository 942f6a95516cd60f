// SPDX-License-Identifier: GPL-2.0
/*
 * A whole event, from the tracepoint to the committed record, whoever has switched
 * it on. sched_switch cannot be hit from a module: its one probe is called as the
 * tracepoint calls it, always with the same tasks. cpu_idle can, and is small.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>

#include "bench.h"

typedef void switch_fn(void *data, bool preempt, struct task_struct *prev,
		       struct task_struct *next, unsigned int prev_state);

static struct tracepoint *sched_switch;

static noinline void no_probe(void *data, bool preempt, struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
}

static __always_inline void call(struct bench_run *run, switch_fn *probe, void *data)
{
	preempt_disable_notrace();
	while (bench_more(run)) {
		u64 begin = bench_begin();

		probe(data, false, current, current, TASK_INTERRUPTIBLE);
		bench_end(run, begin);
	}
	preempt_enable_notrace();
}

static void event(struct bench_run *run)
{
	struct tracepoint_func *funcs;

	rcu_read_lock_sched_notrace();
	funcs = rcu_dereference_sched(sched_switch->funcs);
	if (funcs && !funcs[1].func)
		call(run, (switch_fn *)funcs[0].func, funcs[0].data);
	else
		run->failed = true;
	rcu_read_unlock_sched_notrace();
}

/* The call and the return are the tracepoint's */
static void no_event(struct bench_run *run)
{
	switch_fn *probe = no_probe;

	OPTIMIZER_HIDE_VAR(probe);
	call(run, probe, NULL);
}

static void small(struct bench_run *run)
{
	while (bench_more(run)) {
		u64 begin = bench_begin();

		trace_cpu_idle(1, 0);
		bench_end(run, begin);
	}
}

const struct bench_case event_cases[] = {
	{ .name = "event", .run = event },
	{ .name = "no_event", .run = no_event },
	{ .name = "small_event", .run = small },
	{ }
};

static void find(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		sched_switch = tp;
}

/**
 * event_cases_init - find the tracepoint
 *
 * Context: may sleep.
 *
 * Return: 0 or an error.
 */
int event_cases_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return sched_switch ? 0 : -ENOENT;
}
