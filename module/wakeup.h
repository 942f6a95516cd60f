/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waking those who wait for events, from any context. A wakeup serves either a
 * cpu_buffer or the whole buffer, and knows which.
 */
#ifndef _TRACEMAP_WAKEUP_H
#define _TRACEMAP_WAKEUP_H

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

/**
 * struct wakeup - sleepers of one cpu_buffer or of one buffer
 * @work:	runs the wakeup outside the writer's context
 * @any:	those who wait for any event
 * @full:	those who wait for the watermark
 * @full_due:	the next run of @work wakes @full, too
 * @kick:	grows when every sleeper has to return, event or not
 * @refresh:	brings a cpu_buffer's meta page up to date before sleepers are
 *		woken; NULL for the whole buffer's, which never touches one
 * @attract:	has the writers that it waits for call wakeup_any() or wakeup_full()
 *		after their next event
 * @settle:	wakes once more, a grace period after a flag was armed
 * @lock:	of the two below
 * @settling:	@settle is on its way
 * @settle_again: a flag was armed meanwhile, it has to go once more
 * @any_armed:	somebody may sleep on @any: the next event queues @work
 * @full_armed:	somebody may sleep on @full: an event that reaches the
 *		watermark queues @work
 */
struct wakeup {
	struct irq_work		work;
	wait_queue_head_t	any;
	wait_queue_head_t	full;
	bool			full_due;
	atomic_t		kick;
	void			(*refresh)(struct wakeup *wakeup);
	void			(*attract)(struct wakeup *wakeup);

	struct rcu_head		settle;
	spinlock_t		lock;	/* settling, settle_again */
	bool			settling;
	bool			settle_again;

	bool			any_armed;
	bool			full_armed;
};

void wakeup_init(struct wakeup *wakeup, void (*refresh)(struct wakeup *wakeup),
		 void (*attract)(struct wakeup *wakeup));
void wakeup_destroy(struct wakeup *wakeup);

void wakeup_any(struct wakeup *wakeup);
void wakeup_full(struct wakeup *wakeup);
void wakeup_recheck(struct wakeup *wakeup);
void wakeup_all(struct wakeup *wakeup);

int wakeup_wait_any(struct wakeup *wakeup, bool (*ready)(void *arg), void *arg);
int wakeup_wait_full(struct wakeup *wakeup, bool (*ready)(void *arg), void *arg);
__poll_t wakeup_poll_any(struct wakeup *wakeup, struct file *file,
			 poll_table *table, bool (*ready)(void *arg), void *arg);
__poll_t wakeup_poll_full(struct wakeup *wakeup, struct file *file,
			  poll_table *table, bool (*ready)(void *arg), void *arg);

/* How often all sleepers were freed: one whose figure has grown must return. */
static inline unsigned int wakeup_kicks(const struct wakeup *wakeup)
{
	return atomic_read_acquire(&wakeup->kick);
}

#endif /* _TRACEMAP_WAKEUP_H */
