// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

/*
 * The probe of workqueue_queue_work looks into a structure that is private to
 * the kernel's workqueues. It cannot be captured; this lets its header compile.
 */
#define LEAVE_OUT_workqueue_queue_work	1
struct pool_workqueue {
	struct {
		int	cpu;
	} *pool;
	struct {
		char	name[1];
	} *wq;
};

#define EVENT_SYSTEM	workqueue
#define CREATE_TRACE_POINTS
#include <trace/events/workqueue.h>
