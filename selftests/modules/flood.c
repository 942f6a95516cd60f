// SPDX-License-Identifier: GPL-2.0
/*
 * Writers on several CPUs that write flat out, interrupting each other.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "flood.h"
#include "nmi.h"

/**
 * struct flood_cpu - the writers of one CPU
 * @left:	events still to be accepted
 * @task:	writes in task context; NULL if the CPU does not take part
 * @timer:	writes in hard-irq context
 * @tasklet:	writes in softirq context
 * @cpu:	where all that happens
 */
struct flood_cpu {
	atomic_long_t		left;
	struct task_struct	*task;
	struct hrtimer		timer;
	struct tasklet_struct	tasklet;
	int			cpu;
};

static DEFINE_PER_CPU(struct flood_cpu, flood_cpus);
static struct test_flood order;
static struct shape shape;
static atomic_t running;

static bool wants(enum test_context context)
{
	return order.contexts & BIT(context);
}

static bool is_done(struct flood_cpu *fc)
{
	return atomic_long_read(&fc->left) <= 0;
}

/* Returns false if there was no room. The caller cannot migrate. */
static bool flood_write(struct flood_cpu *fc, enum test_context context)
{
	struct writer *writer = writer_get(fc->cpu, context);

	if (shape.discard && !writer_random(writer, shape.discard)) {
		writer_discard(writer, &shape);
		return true;
	}
	if (!writer_write(writer, &shape))
		return false;
	atomic_long_dec(&fc->left);
	return true;
}

/* Short most of the time; now and then long enough to lap a small ring. */
static void flood_burst(struct flood_cpu *fc, enum test_context context)
{
	struct writer *writer = writer_get(fc->cpu, context);
	u32 most = writer_random(writer, 32) ? min(order.burst, 16U) : order.burst;
	u32 i;

	for (i = writer_random(writer, most) + 1; i && !is_done(fc); i--)
		flood_write(fc, context);
}

static void in_tasklet(struct tasklet_struct *tasklet)
{
	struct flood_cpu *fc = container_of(tasklet, struct flood_cpu, tasklet);

	if (smp_processor_id() == fc->cpu)
		flood_burst(fc, TEST_SOFTIRQ);
}

static void in_nmi_context(void *fc)
{
	flood_burst(fc, TEST_NMI);
}

/* From another CPU an NMI may hit anything, interrupts that are off included. */
static void interrupt_neighbour(struct flood_cpu *fc)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct flood_cpu *other = per_cpu_ptr(&flood_cpus, cpu);

		if (other != fc && other->task && !is_done(other))
			nmi_send(cpu, in_nmi_context, other);
	}
}

static enum hrtimer_restart in_timer(struct hrtimer *timer)
{
	struct flood_cpu *fc = container_of(timer, struct flood_cpu, timer);

	if (smp_processor_id() != fc->cpu || is_done(fc))
		return HRTIMER_NORESTART;
	if (wants(TEST_HARDIRQ))
		flood_burst(fc, TEST_HARDIRQ);
	if (wants(TEST_SOFTIRQ))
		tasklet_schedule(&fc->tasklet);
	if (wants(TEST_NMI))
		interrupt_neighbour(fc);
	/* From now on, so that however slow we are the task gets its share. */
	hrtimer_set_expires(timer, ktime_add_us(ktime_get(), order.period_us));
	return HRTIMER_RESTART;
}

static bool task_writes(struct flood_cpu *fc)
{
	bool here, room = true;

	preempt_disable();
	here = smp_processor_id() == fc->cpu;
	if (here)
		room = flood_write(fc, TEST_TASK);
	preempt_enable();
	if (!room)
		usleep_range(20, 100);	/* let the reader have its turn */
	cond_resched();
	return here;
}

static int flood_thread(void *arg)
{
	struct flood_cpu *fc = arg;

	if (order.contexts & ~BIT(TEST_TASK))
		hrtimer_start(&fc->timer, ns_to_ktime(order.period_us * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
	while (!is_done(fc) && task_writes(fc))
		;
	atomic_long_set(&fc->left, 0);
	hrtimer_cancel(&fc->timer);
	tasklet_kill(&fc->tasklet);
	atomic_dec(&running);
	return 0;
}

static int start_cpu(int cpu)
{
	struct flood_cpu *fc = per_cpu_ptr(&flood_cpus, cpu);
	struct task_struct *task;

	task = kthread_create_on_node(flood_thread, fc, cpu_to_node(cpu), "flood/%d", cpu);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	fc->cpu = cpu;
	atomic_long_set(&fc->left, order.count);
	hrtimer_setup(&fc->timer, in_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	tasklet_setup(&fc->tasklet, in_tasklet);
	fc->task = get_task_struct(task);
	atomic_inc(&running);
	return 0;
}

static int start_cpus(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		if (cpu >= 64 || !(order.cpus & BIT_ULL(cpu)))
			continue;
		err = cpu_online(cpu) ? start_cpu(cpu) : -ENODEV;
		if (err)
			return err;
	}
	return 0;
}

/* Those that are not awake yet run at least once, so that each says it is done. */
static void wake_cpus(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct flood_cpu *fc = per_cpu_ptr(&flood_cpus, cpu);

		if (fc->task)
			wake_up_process(fc->task);
	}
}

/**
 * flood_start - let writers loose
 * @flood:	how many, where, from which contexts
 * @looks:	how records look
 *
 * None may be running. The caller serialises with flood_stop(). May sleep.
 *
 * Return: 0 or an error: -EINVAL, -ENODEV if a CPU is not online, -ENOMEM.
 */
int flood_start(const struct test_flood *flood, const struct shape *looks)
{
	int err;

	if (!flood->burst || !flood->period_us || !flood->cpus || flood->count > LONG_MAX)
		return -EINVAL;
	order = *flood;
	shape = *looks;
	cpus_read_lock();
	err = start_cpus();
	cpus_read_unlock();
	wake_cpus();
	if (err)
		flood_stop();
	return err;
}

/**
 * flood_running - ask whether it is over
 *
 * Return: how many CPUs still write.
 */
unsigned int flood_running(void)
{
	return atomic_read(&running);
}

/**
 * flood_stop - end it now, if it is not over yet
 *
 * Nobody writes any more when this returns. May sleep.
 */
void flood_stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		atomic_long_set(&per_cpu_ptr(&flood_cpus, cpu)->left, 0);
	while (flood_running())
		usleep_range(100, 1000);
	for_each_possible_cpu(cpu) {
		struct flood_cpu *fc = per_cpu_ptr(&flood_cpus, cpu);

		if (!fc->task)
			continue;
		nmi_wait(cpu);
		kthread_stop(fc->task);
		put_task_struct(fc->task);
		fc->task = NULL;
	}
}
