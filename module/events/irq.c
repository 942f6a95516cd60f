// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#define EVENT_SYSTEM	irq
#define CREATE_TRACE_POINTS
#include <trace/events/irq.h>
