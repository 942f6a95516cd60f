// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#define EVENT_SYSTEM	raw_syscalls
#define CREATE_TRACE_POINTS
#include <trace/events/syscalls.h>
