// SPDX-License-Identifier: GPL-2.0
/*
 * A given number of records from a given context of a given CPU.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/interrupt.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "contexts.h"
#include "nmi.h"

/* What one interrupt writes at most, unless it has to do it in one go. */
#define BURST	256

/**
 * struct batch - what is left to be written
 * @shape:	how records look
 * @context:	enum test_context
 * @held:	bytes of the task's reservation, 0 for none
 * @left:	records to be tried
 * @turn:	records tried
 * @burst:	records that the next interrupt tries
 * @done:	the interrupt is over
 * @work:	makes a hard interrupt
 * @tasklet:	makes a soft interrupt
 */
struct batch {
	const struct shape	*shape;
	u32			context;
	u32			held;
	u64			left;
	u32			turn;
	u64			burst;
	bool			done;
	struct irq_work		work;
	struct tasklet_struct	tasklet;
};

/**
 * init_hard_irq_work - an irq_work that is no thread under PREEMPT_RT either
 * @work:	to be initialised
 * @func:	what it runs
 */
void init_hard_irq_work(struct irq_work *work, void (*func)(struct irq_work *work))
{
#ifdef IRQ_WORK_INIT_HARD
	*work = IRQ_WORK_INIT_HARD(func);
#else
	init_irq_work(work, func);
#endif
}

static void batch_write(struct batch *batch)
{
	struct writer *writer = writer_here(batch->context);
	u32 discard = batch->shape->discard;
	u64 i;

	for (i = 0; i < batch->burst; i++) {
		if (discard && ++batch->turn % discard == 0)
			writer_discard(writer, batch->shape);
		else
			writer_write(writer, batch->shape);
	}
	batch->left -= batch->burst;
}

static void in_hardirq_context(struct irq_work *work)
{
	struct batch *batch = container_of(work, struct batch, work);

	batch_write(batch);
	WRITE_ONCE(batch->done, true);
}

static void in_softirq_context(struct tasklet_struct *tasklet)
{
	batch_write(container_of(tasklet, struct batch, tasklet));
}

static void in_nmi_context(void *batch)
{
	batch_write(batch);
}

static void interrupt_hard(struct batch *batch)
{
	batch->done = false;
	irq_work_queue(&batch->work);
	while (!READ_ONCE(batch->done))
		cpu_relax();
}

static void interrupt_soft(struct batch *batch)
{
	local_bh_disable();
	tasklet_schedule(&batch->tasklet);
	local_bh_enable();
	tasklet_kill(&batch->tasklet);
}

static int write_burst(struct batch *batch)
{
	switch (batch->context) {
	case TEST_TASK:
		batch_write(batch);
		return 0;
	case TEST_SOFTIRQ:
		interrupt_soft(batch);
		return 0;
	case TEST_HARDIRQ:
		interrupt_hard(batch);
		return 0;
	case TEST_NMI:
		return nmi_run_here(in_nmi_context, batch);
	}
	return -EINVAL;
}

static int write_held(struct batch *batch)
{
	struct writer *writer = writer_here(TEST_TASK);
	struct tracemap_handle handle;

	if (!writer_hold(writer, batch->shape->buffer, &handle, batch->held))
		return -ENOSPC;
	batch->burst = batch->left;
	interrupt_hard(batch);
	if (batch->shape->discard)
		writer_take_back(writer, &handle);
	else
		tracemap_commit(&handle);
	return 0;
}

/* On the CPU in question, in a kworker that is bound to it. */
static long write_here(void *arg)
{
	struct batch *batch = arg;
	int err = 0;

	if (batch->held)
		return write_held(batch);
	while (batch->left && !err) {
		batch->burst = min_t(u64, batch->left, BURST);
		err = write_burst(batch);
		cond_resched();
	}
	return err;
}

/**
 * context_write - write records and return when it is done
 * @write:	how many, where, from which context
 * @shape:	how they look
 *
 * May sleep.
 *
 * Return: 0, or an error: -EINVAL for a context that is none, -ENODEV if the CPU
 * is not online, -EOPNOTSUPP for an NMI that cannot be made here, -ENOSPC if
 * there was no room for the reservation to be held.
 */
int context_write(const struct test_write *write, const struct shape *shape)
{
	struct batch batch = {
		.shape = shape,
		.context = write->held ? TEST_HARDIRQ : write->context,
		.held = write->held,
		.left = write->count,
	};
	int err = -ENODEV;

	if (write->context >= TEST_NR_CONTEXTS)
		return -EINVAL;
	if (write->held && write->held < sizeof(struct test_record))
		return -EINVAL;
	init_hard_irq_work(&batch.work, in_hardirq_context);
	tasklet_setup(&batch.tasklet, in_softirq_context);
	cpus_read_lock();
	if (write->cpu < nr_cpu_ids && cpu_online(write->cpu))
		err = work_on_cpu(write->cpu, write_here, &batch);
	cpus_read_unlock();
	irq_work_sync(&batch.work);
	return err;
}
