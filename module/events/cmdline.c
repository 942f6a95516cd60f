// SPDX-License-Identifier: GPL-2.0
/*
 * Names of tasks by pid. Records hold pids only, and a task may be gone when
 * somebody reads them. tracefs notes names while it records; here it costs a
 * recorder nothing: who is alive is asked when the file is read, and a task
 * leaves its name behind when it exits.
 */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>

#include "../compat.h"
#include "cmdline.h"
#include "registry.h"

/* A power of two: the names of at least the last so many pids are kept */
#define NR_EXITED	4096

struct exited {
	pid_t	pid;
	char	comm[TASK_COMM_LEN];
};

static struct exited *exited;
static DEFINE_RAW_SPINLOCK(exited_lock);
static struct tracepoint *exit_tp;

/* Called by the task itself, never from an interrupt */
static void note_exit(void *unused, compat_process_exit_args)
{
	struct exited *slot = &exited[task->pid % NR_EXITED];

	raw_spin_lock(&exited_lock);
	slot->pid = task->pid;
	memcpy(slot->comm, task->comm, sizeof(slot->comm));
	raw_spin_unlock(&exited_lock);
}

/**
 * cmdlines_init - start to note the names of tasks that exit
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM; -ENOENT if the kernel has no such tracepoint.
 */
int cmdlines_init(void)
{
	int err;

	exit_tp = tracepoint_find("sched_process_exit");
	if (!exit_tp)
		return -ENOENT;
	exited = kvcalloc(NR_EXITED, sizeof(*exited), GFP_KERNEL);
	if (!exited)
		return -ENOMEM;
	err = tracepoint_probe_register(exit_tp, note_exit, NULL);
	if (err)
		kvfree(exited);
	return err;
}

/**
 * cmdlines_exit - forget all names
 *
 * Context: may sleep.
 */
void cmdlines_exit(void)
{
	tracepoint_probe_unregister(exit_tp, note_exit, NULL);
	tracepoint_synchronize_unregister();
	kvfree(exited);
}

static void show_alive(struct seq_file *m)
{
	struct task_struct *process, *task;
	char comm[TASK_COMM_LEN];

	rcu_read_lock();
	for_each_process_thread(process, task) {
		get_task_comm(comm, task);
		seq_printf(m, "%d %s\n", task->pid, comm);
	}
	rcu_read_unlock();
}

static bool is_alive(pid_t pid)
{
	bool alive;

	rcu_read_lock();
	alive = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	rcu_read_unlock();
	return alive;
}

static void show_exited(struct seq_file *m)
{
	struct exited slot;
	unsigned int i;

	for (i = 0; i < NR_EXITED; i++) {
		raw_spin_lock(&exited_lock);
		slot = exited[i];
		raw_spin_unlock(&exited_lock);
		if (slot.pid && !is_alive(slot.pid))
			seq_printf(m, "%d %s\n", slot.pid, slot.comm);
	}
}

/**
 * cmdlines_show - write the names that are known, as tracefs's saved_cmdlines
 * @m: where to: one line "PID COMM" for each
 *
 * A pid that was used again stands for the task that has it now.
 *
 * Context: may sleep.
 * Return: 0.
 */
int cmdlines_show(struct seq_file *m)
{
	show_alive(m);
	show_exited(m);
	return 0;
}
