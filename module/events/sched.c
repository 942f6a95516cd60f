// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

/* their probes call task_numa_group_id(), which is not exported */
#define LEAVE_OUT_sched_move_numa	1
#define LEAVE_OUT_sched_stick_numa	1
#define LEAVE_OUT_sched_swap_numa	1
#define LEAVE_OUT_sched_skip_cpuset_numa	1

#define EVENT_SYSTEM	sched
#define CREATE_TRACE_POINTS
#include <trace/events/sched.h>
