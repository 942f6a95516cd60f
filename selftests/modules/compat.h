/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that the test modules build for.
 */
#ifndef _TEST_COMPAT_H
#define _TEST_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/ring_buffer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *timer),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

static inline int compat_ring_buffer_unlock_commit(struct trace_buffer *buffer,
						   struct ring_buffer_event *event)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	return ring_buffer_unlock_commit(buffer, event);
#else
	return ring_buffer_unlock_commit(buffer);
#endif
}

#endif /* _TEST_COMPAT_H */
