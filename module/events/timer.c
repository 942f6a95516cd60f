// SPDX-License-Identifier: GPL-2.0
#include <linux/tick.h>

#include "probe.h"

#define EVENT_SYSTEM	timer
#define CREATE_TRACE_POINTS
#include <trace/events/timer.h>
