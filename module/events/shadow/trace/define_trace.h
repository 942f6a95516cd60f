/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands before the kernel's header of the same name while probes are compiled
 * from a trace header: the tracepoints are the kernel's, so none are defined
 * here, and neither are probes for perf and BPF.
 */
#ifdef CREATE_TRACE_POINTS

#undef DEFINE_TRACE
#define DEFINE_TRACE(...)
#undef DEFINE_TRACE_FN
#define DEFINE_TRACE_FN(...)
#undef DEFINE_TRACE_SYSCALL
#define DEFINE_TRACE_SYSCALL(...)

#pragma push_macro("CONFIG_PERF_EVENTS")
#undef CONFIG_PERF_EVENTS
#pragma push_macro("CONFIG_BPF_EVENTS")
#undef CONFIG_BPF_EVENTS

#include_next <trace/define_trace.h>

#pragma pop_macro("CONFIG_BPF_EVENTS")
#pragma pop_macro("CONFIG_PERF_EVENTS")

#endif /* CREATE_TRACE_POINTS */
