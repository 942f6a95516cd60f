// SPDX-License-Identifier: GPL-2.0
/*
 * Events as text, the way trace-cmd prints them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "common.h"
#include "text.h"

/* These clocks do not count nanoseconds. */
static bool counts_something_else(const char *clock)
{
	return !strcmp(clock, "counter") || !strcmp(clock, "uptime") ||
	       !strcmp(clock, "x86-tsc") || !strcmp(clock, "ppc-tb");
}

static const char *header_for(const char *clock)
{
	if (clock && counts_something_else(clock))
		return "%16s-%-5d [%03d] %d: ";
	return "%16s-%-5d [%03d] %6.1000d: ";
}

/**
 * text_open - read the formats of all events, and the kernel's symbols
 * @text: all zero
 *
 * Return: 0, or -1 after having said what is wrong.
 */
int text_open(struct text *text)
{
	char *clock;

	text->tep = tracefs_local_events(tracing_dir());
	if (!text->tep) {
		complain("cannot read the formats in %s/events", tracing_dir());
		return -1;
	}
	text->plugins = tep_load_plugins(text->tep);
	trace_seq_init(&text->seq);
	clock = tracefs_get_clock(NULL);
	text->header = header_for(clock);
	free(clock);
	return 0;
}

/**
 * text_close - forget the formats
 * @text: what text_open() made
 */
void text_close(struct text *text)
{
	if (!text->tep)
		return;
	tep_unload_plugins(text->plugins, text->tep);
	trace_seq_destroy(&text->seq);
	tep_free(text->tep);
}

/**
 * text_refresh - a new pass begins: names of new tasks may be looked up
 * @text: what text_open() made
 */
void text_refresh(struct text *text)
{
	text->names = false;
}

/* The kernel goes on learning names; the list is read again, but not for ever. */
static void find_name(struct text *text, struct tep_record *record)
{
	int pid = tep_data_pid(text->tep, record);

	if (!pid || text->names || tep_is_pid_registered(text->tep, pid))
		return;
	text->names = true;
	tracefs_load_cmdlines(tracing_dir(), text->tep);
}

/* Where scheduler events tell a task's name, and where its pid. */
static const struct {
	const char	*comm;
	const char	*pid;
} told_names[] = {
	{ "prev_comm",		"prev_pid" },
	{ "next_comm",		"next_pid" },
	{ "parent_comm",	"parent_pid" },
	{ "child_comm",		"child_pid" },
	{ "comm",		"pid" },
};

static void learn_name(struct text *text, struct tep_event *event,
		       struct tep_record *record, const char *comm_field,
		       const char *pid_field)
{
	unsigned long long pid;
	const char *comm;
	int len;

	comm = tep_get_field_raw(NULL, event, comm_field, record, &len, 0);
	if (!comm || len < 1 || !memchr(comm, '\0', len) || !*comm ||
	    tep_get_field_val(NULL, event, pid_field, record, &pid, 0) || !pid)
		return;
	if (strcmp(tep_data_comm_from_pid(text->tep, pid), comm))
		tep_override_comm(text->tep, comm, pid);
}

static void learn_names(struct text *text, struct tep_event *event,
			struct tep_record *record)
{
	size_t i;

	if (strcmp(event->system, "sched"))
		return;
	for (i = 0; i < ARRAY_SIZE(told_names); i++)
		learn_name(text, event, record, told_names[i].comm,
			   told_names[i].pid);
}

static void print_loss(const struct tep_record *record)
{
	if (record->missed_events > 0)
		printf("CPU:%d [LOST %lld EVENTS]\n", record->cpu,
		       record->missed_events);
	else if (record->missed_events < 0)
		printf("CPU:%d [LOST EVENTS]\n", record->cpu);
}

static void print_unknown(struct trace_seq *seq, struct text *text,
			  struct tep_record *record)
{
	trace_seq_printf(seq, "[unknown event %d, %d bytes]",
			 tep_data_type(text->tep, record), record->size);
}

/* The text of a mark may bring a newline along. */
static void print_line(const struct trace_seq *seq)
{
	size_t len = seq->len;

	while (len && seq->buffer[len - 1] == '\n')
		len--;
	printf("%.*s\n", (int)len, seq->buffer);
}

/**
 * text_print - print an event, and the loss before it if there was one
 * @text: what text_open() made
 * @record: the event
 */
void text_print(struct text *text, struct tep_record *record)
{
	struct tep_event *event = tep_find_event_by_record(text->tep, record);
	struct trace_seq *seq = &text->seq;

	print_loss(record);
	trace_seq_reset(seq);
	find_name(text, record);
	tep_print_event(text->tep, seq, record, text->header, TEP_PRINT_COMM,
			TEP_PRINT_PID, TEP_PRINT_CPU, TEP_PRINT_TIME);
	if (!event) {
		print_unknown(seq, text, record);
	} else {
		trace_seq_printf(seq, "%s:%*s", event->name,
				 strlen(event->name) < 21 ?
				 21 - (int)strlen(event->name) : 1, "");
		tep_print_event(text->tep, seq, record, "%s", TEP_PRINT_INFO);
		learn_names(text, event, record);
	}
	trace_seq_terminate(seq);
	print_line(seq);
}
