/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands before the kernel's header of the same name, whose stages make record,
 * offsets, field list and probe of each event from its trace header. They run as
 * they are, but
 *
 * - probes are called with a struct event_hook and write into its buffer;
 * - the flags that a header gives an event go to the kernel's copy only;
 * - nothing is __used: the second copy of the kernel's events goes away, and
 *   with it all that refers to symbols which the kernel does not export.
 *
 * A stage of our own then lists the probes. It needs no knowledge of the fields,
 * so new kinds of fields come with the kernel that has them.
 */
#pragma push_macro("__used")
#undef __used
#define __used	__maybe_unused

#define trace_event_file				event_hook
#define trace_event_buffer				event_record
#define trace_trigger_soft_disabled(...)		false
#define trace_event_buffer_reserve(record, hook, len)	event_reserve(record, hook, len)
#define trace_event_buffer_commit(record)		event_commit(record)

#undef __TRACE_EVENT_FLAGS
#define __TRACE_EVENT_FLAGS(...)
#undef __TRACE_EVENT_PERF_PERM
#define __TRACE_EVENT_PERF_PERM(...)

#include_next <trace/trace_events.h>

#undef trace_event_buffer_commit
#undef trace_event_buffer_reserve
#undef trace_trigger_soft_disabled
#undef trace_event_buffer
#undef trace_event_file

#pragma pop_macro("__used")

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(...)
#undef DECLARE_EVENT_SYSCALL_CLASS
#define DECLARE_EVENT_SYSCALL_CLASS(...)

/*
 * A system's file can leave an event out, by defining LEAVE_OUT_EVENT as 1: its
 * probe then goes away before the linker sees it.
 */
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, event, ...)					\
	do {									\
		static const struct event_probe probe = {			\
			.system	= __stringify(TRACE_SYSTEM),			\
			.name	= #event,					\
			.func	= trace_event_raw_event_##template,		\
			.fields	= trace_event_fields_##template,		\
			.length	= offsetof(struct trace_event_raw_##template, __data), \
		};								\
										\
		if (!__is_defined(LEAVE_OUT_##event))				\
			visit(&probe);						\
	} while (0)

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, event, ...)	DEFINE_EVENT(template, event)

event_list_fn EVENT_LIST(EVENT_SYSTEM);

void EVENT_LIST(EVENT_SYSTEM)(void (*visit)(const struct event_probe *probe))
{
#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
}
