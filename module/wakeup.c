// SPDX-License-Identifier: GPL-2.0
/*
 * Waking those who wait for events.
 *
 * A sleeper goes into a wait queue, arms that queue's flag, attracts the attention
 * of the writers, and looks for events once more before it sleeps. A writer makes
 * its event visible, and looks if somebody wants its attention; if so, it asks
 * which flags are armed, disarms them and has an irq_work wake the queue.
 *
 *	sleeper				writer
 *	into the queue			publish the event
 *	arm the flag			is attention wanted?
 *	attract attention			no longer so
 *	full barrier				full barrier
 *	any event?				is the flag armed?
 *
 * Without a full barrier on the right, too, both may miss each other; but that
 * one would cost every event of every writer as much as the event itself. So
 * the sleeper pays for both: arming a flag starts an RCU grace period, at whose
 * end the queue is woken once more. Writers run with preemption disabled from
 * reserve until after they looked at the flag. One that found the flag not armed
 * began before the grace period could have started, so it is over when the
 * grace period ends, and the sleeper, woken then, sees its event. Nobody sleeps
 * through an event for longer than that, and nothing repeats: waking does not
 * disarm, and a flag that is still armed is not armed again.
 */

#include "wakeup.h"

static void wakeup_run(struct irq_work *work)
{
	struct wakeup *wakeup = container_of(work, struct wakeup, work);

	if (wakeup->refresh)
		wakeup->refresh(wakeup);

	wake_up_all(&wakeup->any);
	if (READ_ONCE(wakeup->full_due)) {
		WRITE_ONCE(wakeup->full_due, false);
		wake_up_all(&wakeup->full);
	}
}

/* The grace period is over: whoever missed an event now sees it. */
static void wakeup_settled(struct rcu_head *head)
{
	struct wakeup *wakeup = container_of(head, struct wakeup, settle);
	unsigned long flags;

	wakeup_recheck(wakeup);

	spin_lock_irqsave(&wakeup->lock, flags);
	wakeup->settling = wakeup->settle_again;
	wakeup->settle_again = false;
	if (wakeup->settling)
		call_rcu(&wakeup->settle, wakeup_settled);
	spin_unlock_irqrestore(&wakeup->lock, flags);
}

static void wakeup_settle(struct wakeup *wakeup)
{
	unsigned long flags;

	spin_lock_irqsave(&wakeup->lock, flags);
	if (wakeup->settling) {
		wakeup->settle_again = true;
	} else {
		wakeup->settling = true;
		call_rcu(&wakeup->settle, wakeup_settled);
	}
	spin_unlock_irqrestore(&wakeup->lock, flags);
}

/*
 * From here on the next event wakes. If the flag is armed already, the grace
 * period that belongs to it serves this sleeper, too: its writer looked at the
 * flag before it was first armed.
 */
static void wakeup_arm(struct wakeup *wakeup, bool *armed)
{
	if (!READ_ONCE(*armed)) {
		WRITE_ONCE(*armed, true);
		/* pairs with the smp_mb() in cpu_buffer_attend(): the flag, then attention */
		smp_wmb();
		wakeup->attract(wakeup);
		wakeup_settle(wakeup);
	}
	/*
	 * The flag, then the events. Pairs with the order in which a writer
	 * publishes and looks, and where that is not kept with wakeup_settled().
	 */
	smp_mb();
}

static bool wakeup_ready(struct wakeup *wakeup, bool *armed,
			 bool (*ready)(void *arg), void *arg)
{
	if (ready(arg))
		return true;
	wakeup_arm(wakeup, armed);
	return ready(arg);
}

/**
 * wakeup_init - make a wakeup
 * @wakeup: zeroed memory
 * @refresh: called before sleepers are woken for an event, in the irq_work: it
 *	must not sleep; NULL for none
 * @attract: called when a flag was armed, may sleep if those who wait may: the next
 *	event of the writers concerned must call wakeup_any(), or wakeup_full()
 *
 * Context: any.
 */
void wakeup_init(struct wakeup *wakeup, void (*refresh)(struct wakeup *wakeup),
		 void (*attract)(struct wakeup *wakeup))
{
	init_irq_work(&wakeup->work, wakeup_run);
	init_waitqueue_head(&wakeup->any);
	init_waitqueue_head(&wakeup->full);
	spin_lock_init(&wakeup->lock);
	wakeup->refresh = refresh;
	wakeup->attract = attract;
}

static bool wakeup_settling(struct wakeup *wakeup)
{
	unsigned long flags;
	bool settling;

	/* taken, not only read: wakeup_settled() is past its last access then */
	spin_lock_irqsave(&wakeup->lock, flags);
	settling = wakeup->settling;
	spin_unlock_irqrestore(&wakeup->lock, flags);
	return settling;
}

/**
 * wakeup_destroy - wait until nothing of a wakeup runs any more
 * @wakeup: one that nobody sleeps on and no writer knows any more
 *
 * The module's exit has to call rcu_barrier() besides, for the last instructions
 * of the callback.
 *
 * Context: may sleep.
 */
void wakeup_destroy(struct wakeup *wakeup)
{
	irq_work_sync(&wakeup->work);
	while (wakeup_settling(wakeup))
		rcu_barrier();
}

/**
 * wakeup_any - there is an event: wake those who wait for any
 * @wakeup: the wakeup
 *
 * Context: any, NMI too, after the event was published and before preemption is
 * enabled.
 */
void wakeup_any(struct wakeup *wakeup)
{
	if (!READ_ONCE(wakeup->any_armed))
		return;
	WRITE_ONCE(wakeup->any_armed, false);
	irq_work_queue(&wakeup->work);
}

/**
 * wakeup_full - the watermark is reached: wake those who wait for it
 * @wakeup: the wakeup
 *
 * Context: as wakeup_any().
 */
void wakeup_full(struct wakeup *wakeup)
{
	if (!READ_ONCE(wakeup->full_armed))
		return;
	WRITE_ONCE(wakeup->full_armed, false);
	WRITE_ONCE(wakeup->full_due, true);
	irq_work_queue(&wakeup->work);
}

/**
 * wakeup_recheck - have every sleeper look again at what it waits for
 * @wakeup: the wakeup
 *
 * Context: process, softirq or irq; takes the wait queues' locks.
 */
void wakeup_recheck(struct wakeup *wakeup)
{
	wake_up_all(&wakeup->any);
	wake_up_all(&wakeup->full);
}

/**
 * wakeup_all - free every sleeper, event or not
 * @wakeup: the wakeup
 *
 * Context: as wakeup_recheck().
 */
void wakeup_all(struct wakeup *wakeup)
{
	/* first: the queues' locks make the sleepers see it */
	atomic_inc(&wakeup->kick);
	wakeup_recheck(wakeup);
}

/**
 * wakeup_wait_any - sleep until an event may have come
 * @wakeup: the wakeup
 * @ready: what to wait for; must not sleep. Whatever can make it true must call
 *	wakeup_any() or wakeup_all() afterwards
 * @arg: for @ready
 *
 * Context: may sleep.
 *
 * Return: 0 when @ready said so, -ERESTARTSYS on a signal.
 */
int wakeup_wait_any(struct wakeup *wakeup, bool (*ready)(void *arg), void *arg)
{
	return wait_event_interruptible(wakeup->any,
					wakeup_ready(wakeup, &wakeup->any_armed, ready, arg));
}

/**
 * wakeup_wait_full - sleep until the watermark is reached
 * @wakeup: the wakeup
 * @ready: as for wakeup_wait_any(), with wakeup_full()
 * @arg: for @ready
 *
 * Context: may sleep.
 *
 * Return: 0 when @ready said so, -ERESTARTSYS on a signal.
 */
int wakeup_wait_full(struct wakeup *wakeup, bool (*ready)(void *arg), void *arg)
{
	return wait_event_interruptible(wakeup->full,
					wakeup_ready(wakeup, &wakeup->full_armed, ready, arg));
}

/*
 * In both queues: epoll enters once, and the watermark may come and go later.
 * Armed even if it is ready: an edge-triggered epoll asks once for each wakeup,
 * and has to hear of what comes after.
 */
static __poll_t wakeup_poll(struct wakeup *wakeup, bool *armed, struct file *file,
			    poll_table *table, bool (*ready)(void *arg), void *arg)
{
	poll_wait(file, &wakeup->any, table);
	poll_wait(file, &wakeup->full, table);
	wakeup_arm(wakeup, armed);
	return ready(arg) ? EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * wakeup_poll_any - poll for any event
 * @wakeup: the wakeup
 * @file: the file that is polled
 * @table: of the poll
 * @ready: as for wakeup_wait_any(), but may sleep
 * @arg: for @ready
 *
 * Context: may sleep if @ready does.
 *
 * Return: EPOLLIN | EPOLLRDNORM if @ready says so, else 0.
 */
__poll_t wakeup_poll_any(struct wakeup *wakeup, struct file *file,
			 poll_table *table, bool (*ready)(void *arg), void *arg)
{
	return wakeup_poll(wakeup, &wakeup->any_armed, file, table, ready, arg);
}

/**
 * wakeup_poll_full - poll for the watermark
 * @wakeup: the wakeup
 * @file: the file that is polled
 * @table: of the poll
 * @ready: as for wakeup_wait_full(), but may sleep
 * @arg: for @ready
 *
 * Context: may sleep if @ready does.
 *
 * Return: EPOLLIN | EPOLLRDNORM if @ready says so, else 0.
 */
__poll_t wakeup_poll_full(struct wakeup *wakeup, struct file *file,
			  poll_table *table, bool (*ready)(void *arg), void *arg)
{
	return wakeup_poll(wakeup, &wakeup->full_armed, file, table, ready, arg);
}
