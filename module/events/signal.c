// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#define EVENT_SYSTEM	signal
#define CREATE_TRACE_POINTS
#include <trace/events/signal.h>
