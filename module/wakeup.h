/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waking those who wait for events, from any context. A wakeup serves either a
 * cpu_buffer or the whole buffer, and knows which.
 */
#ifndef _TRACEMAP_WAKEUP_H
#define _TRACEMAP_WAKEUP_H

#include <linux/irq_work.h>
#include <linux/poll.h>
#include <linux/wait.h>

struct wakeup;

/**
 * struct wakeup - sleepers of one cpu_buffer or of one buffer
 * @work:	runs the wakeup outside the writer's context
 * @any:	those who wait for any event
 * @full:	those who wait for the watermark
 * @any_armed:	somebody may sleep on @any: the next event queues @work
 * @full_armed:	somebody may sleep on @full: an event that reaches the
 *		watermark queues @work
 * @kick:	grows when every sleeper has to return, event or not
 * @refresh:	brings a cpu_buffer's meta page up to date before sleepers are
 *		woken; NULL for the whole buffer's, which never touches one
 */
struct wakeup {
	struct irq_work		work;
	wait_queue_head_t	any;
	wait_queue_head_t	full;
	bool			any_armed;
	bool			full_armed;
	atomic_t		kick;
	void			(*refresh)(struct wakeup *wakeup);
};

void wakeup_init(struct wakeup *wakeup, void (*refresh)(struct wakeup *wakeup));
void wakeup_destroy(struct wakeup *wakeup);

void wakeup_event(struct wakeup *wakeup);
void wakeup_all(struct wakeup *wakeup);

int wakeup_wait_any(struct wakeup *wakeup, bool (*ready)(void *arg), void *arg);
int wakeup_wait_full(struct wakeup *wakeup, bool (*ready)(void *arg), void *arg);
__poll_t wakeup_poll_any(struct wakeup *wakeup, struct file *file,
			 poll_table *table, bool (*ready)(void *arg), void *arg);
__poll_t wakeup_poll_full(struct wakeup *wakeup, struct file *file,
			  poll_table *table, bool (*ready)(void *arg), void *arg);

#endif /* _TRACEMAP_WAKEUP_H */
