// SPDX-License-Identifier: GPL-2.0
/*
 * Which events there are: the probes that were compiled, joined with the
 * tracepoints and the event descriptions of the kernel that runs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "cmdline.h"
#include "events.h"
#include "probe.h"
#include "registry.h"

#define NR_MARKERS	2

event_list_fn EVENT_LISTS;

static struct event *events;
static unsigned int nr_events;

struct search {
	const char		*name;
	struct tracepoint	*found;
};

static void match_tracepoint(struct tracepoint *tp, void *arg)
{
	struct search *search = arg;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

/**
 * tracepoint_find - find a tracepoint that is built into the kernel
 * @name: its name
 *
 * Context: may sleep.
 * Return: the tracepoint, NULL if this kernel has none of that name.
 */
struct tracepoint *tracepoint_find(const char *name)
{
	struct search search = { .name = name };

	for_each_kernel_tracepoint(match_tracepoint, &search);
	return search.found;
}

/* NULL if this kernel's tracefs does not have the event */
static struct trace_event_call *find_call(const char *system, const char *name)
{
	struct trace_event_file *file = trace_get_event_file(NULL, system, name);
	struct trace_event_call *call;

	if (IS_ERR(file))
		return NULL;
	call = file->event_call;
	trace_put_event_file(file);
	return call;
}

static bool same_field(const struct trace_event_fields *ours,
		       const struct trace_event_fields *theirs)
{
	return !strcmp(ours->type, theirs->type) && !strcmp(ours->name, theirs->name) &&
	       ours->size == theirs->size && ours->align == theirs->align &&
	       ours->is_signed == theirs->is_signed;
}

/*
 * Would the probe write what the kernel's description says? The kernel derives
 * the offsets from sizes and alignments, so their sum tells that the compiler
 * laid out the record in the same way.
 */
static bool same_record(const struct event_probe *probe, const struct trace_event_call *call)
{
	const struct trace_event_fields *ours = probe->fields;
	const struct trace_event_fields *theirs = call->class->fields_array;
	size_t length = sizeof(struct trace_entry);

	if (!theirs)
		return false;
	for (; ours->type && theirs->type; ours++, theirs++) {
		if (!same_field(ours, theirs))
			return false;
		length = ALIGN(length, ours->align) + ours->size;
	}
	return !ours->type && !theirs->type && length == probe->length;
}

static void add_event(struct trace_event_call *call, struct tracepoint *tp, void *func)
{
	events[nr_events++] = (struct event) {
		.call	= call,
		.tp	= tp,
		.func	= func,
	};
}

/* An event that was configured out of this kernel is left out, too */
static void add_probe(const struct event_probe *probe)
{
	struct tracepoint *tp = tracepoint_find(probe->name);
	struct trace_event_call *call = find_call(probe->system, probe->name);

	if (!tp || !call)
		return;
	if (!same_record(probe, call)) {
		pr_warn("%s:%s is not as it was when the module was built, so it is left out\n",
			probe->system, probe->name);
		return;
	}
	add_event(call, tp, probe->func);
}

static unsigned int nr_probes;

static void count_probe(const struct event_probe *probe)
{
	nr_probes++;
}

static void visit_probes(void (*visit)(const struct event_probe *probe))
{
	static event_list_fn * const lists[] = { EVENT_LISTS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		lists[i](visit);
}

static int compare_events(const void *a, const void *b)
{
	int order = strcmp(event_system(a), event_system(b));

	return order ? order : strcmp(event_name(a), event_name(b));
}

/**
 * events_init - find the events of this kernel
 *
 * Context: may sleep; once, before anything else here.
 * Return: 0 or -ENOMEM, or what registering a probe gave.
 */
int events_init(void)
{
	int err;

	visit_probes(count_probe);
	events = kcalloc(nr_probes + NR_MARKERS, sizeof(*events), GFP_KERNEL);
	if (!events)
		return -ENOMEM;
	add_event(&event_print_call, NULL, NULL);
	add_event(&event_raw_data_call, NULL, NULL);
	visit_probes(add_probe);
	sort(events, nr_events, sizeof(*events), compare_events, NULL);

	err = cmdlines_init();
	if (err)
		kfree(events);
	return err;
}

/**
 * events_exit - forget the events
 *
 * Context: may sleep; once, when no event_set is left.
 */
void events_exit(void)
{
	cmdlines_exit();
	kfree(events);
}

/**
 * events_count - number of events in the registry
 *
 * Return: the number; it does not change after events_init().
 */
unsigned int events_count(void)
{
	return nr_events;
}

/**
 * events_at - an event by its place in the registry
 * @i: less than events_count()
 *
 * Return: the event. They are sorted by system, and by name within one.
 */
const struct event *events_at(unsigned int i)
{
	return &events[i];
}

/**
 * event_index - the place of an event in the registry
 * @event: the event
 *
 * Return: what events_at() takes.
 */
unsigned int event_index(const struct event *event)
{
	return event - events;
}

/**
 * event_system - the trace system of an event
 * @event: the event
 *
 * Return: its name, the same as in tracefs.
 */
const char *event_system(const struct event *event)
{
	return event->call->class->system;
}

/**
 * event_name - the name of an event
 * @event: the event
 *
 * Return: its name, the same as in tracefs.
 */
const char *event_name(const struct event *event)
{
	return trace_event_name(event->call);
}

/**
 * event_id - the number in an event's records
 * @event: the event
 *
 * Return: common_type, the same as in tracefs.
 */
int event_id(const struct event *event)
{
	return event->call->event.type;
}

/**
 * event_can_enable - can an event be turned on and off?
 * @event: the event
 *
 * Return: false for the records of markers.
 */
bool event_can_enable(const struct event *event)
{
	return event->tp;
}

/**
 * event_print_id - common_type of the records of trace_marker
 *
 * Return: the id of ftrace:print.
 */
int event_print_id(void)
{
	return event_print_call.event.type;
}

/**
 * event_raw_data_id - common_type of the records of trace_marker_raw
 *
 * Return: the id of ftrace:raw_data.
 */
int event_raw_data_id(void)
{
	return event_raw_data_call.event.type;
}
