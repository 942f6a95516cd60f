// SPDX-License-Identifier: GPL-2.0
/*
 * The format files of the events directory, in tracefs's words: what libtraceevent
 * needs to know of a record before it can print it.
 */
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "../subbuf.h"
#include "events.h"
#include "registry.h"

#define FIELD(_type, _name) {						\
	.type		= #_type,					\
	.name		= #_name,					\
	.size		= sizeof(_type),				\
	.align		= __alignof__(_type),				\
	.is_signed	= is_signed_type(_type),			\
}

/* the rest of the record */
#define FIELD_REST(_type, _name) {					\
	.type		= #_type "[]",					\
	.name		= #_name,					\
	.size		= 0,						\
	.align		= __alignof__(_type),				\
	.is_signed	= is_signed_type(_type),			\
}

/* struct trace_entry */
static const struct trace_event_fields common_fields[] = {
	FIELD(unsigned short, common_type),
	FIELD(unsigned char, common_flags),
	FIELD(unsigned char, common_preempt_count),
	FIELD(int, common_pid),
#ifdef COMPAT_TRACE_LAZY_COUNT
	FIELD(unsigned char, common_preempt_lazy_count),
#endif
	{}
};

/*
 * What markers write. The kernel has descriptions of these, too, but gives a
 * module no way to them. Their layout and the id of the first have always been
 * the same.
 */
static struct trace_event_fields print_fields[] = {
	FIELD(unsigned long, ip),
	FIELD_REST(char, buf),
	{}
};

static struct trace_event_class print_class = {
	.system		= "ftrace",
	.fields_array	= print_fields,
};

struct trace_event_call event_print_call = {
	.class		= &print_class,
	.name		= "print",
	.event.type	= 5,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->buf",
};

static struct trace_event_fields raw_data_fields[] = {
	FIELD(unsigned int, id),
	FIELD_REST(char, buf),
	{}
};

static struct trace_event_class raw_data_class = {
	.system		= "ftrace",
	.fields_array	= raw_data_fields,
};

struct trace_event_call event_raw_data_call = {
	.class		= &raw_data_class,
	.name		= "raw_data",
	.event.type	= COMPAT_TRACE_RAW_DATA,
	.print_fmt	= "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
};

/* Does tracefs put the array behind the name? Of __data_loc it does not. */
static const char *array_of(const char *type)
{
	if (!strncmp(type, "__data_loc", strlen("__data_loc")))
		return NULL;
	return strchr(type, '[');
}

static void show_array_length(struct seq_file *m, const struct trace_event_fields *field,
			      const char *array)
{
#ifdef COMPAT_HAVE_FIELD_LEN
	if (field->len)
		seq_printf(m, "[%d]", field->len);
	else
		seq_puts(m, "[]");
#else
	seq_puts(m, array);
#endif
}

static void show_field(struct seq_file *m, const struct trace_event_fields *field, size_t offset)
{
	const char *array = array_of(field->type);
	int type_length = array ? array - field->type : strlen(field->type);

	seq_printf(m, "\tfield:%.*s %s", type_length, field->type, field->name);
	if (array)
		show_array_length(m, field, array);
	seq_printf(m, ";\toffset:%zu;\tsize:%d;\tsigned:%d;\n", offset, field->size,
		   !!field->is_signed);
}

static void show_fields(struct seq_file *m, const struct trace_event_fields *field,
			size_t offset)
{
	for (; field->type; field++) {
		offset = ALIGN(offset, field->align);
		show_field(m, field, offset);
		offset += field->size;
	}
}

/**
 * event_show_format - write what the format file of an event says
 * @event: the event
 * @m: where to
 *
 * Context: may sleep.
 * Return: 0.
 */
int event_show_format(const struct event *event, struct seq_file *m)
{
	seq_printf(m, "name: %s\nID: %d\nformat:\n", event_name(event), event_id(event));
	show_fields(m, common_fields, 0);
	seq_putc(m, '\n');
	show_fields(m, event->call->class->fields_array, sizeof(struct trace_entry));
	seq_printf(m, "\nprint fmt: %s\n", event->call->print_fmt);
	return 0;
}

static void show_page_field(struct seq_file *m, const char *declaration, size_t offset,
			    size_t size, bool is_signed)
{
	seq_printf(m, "\tfield: %s;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n", declaration, offset,
		   size, is_signed);
}

/**
 * events_show_header_page - write what events/header_page says
 * @m: where to
 * @subbuf_size: bytes of a sub-buffer, its header included
 *
 * Context: may sleep.
 * Return: 0.
 */
int events_show_header_page(struct seq_file *m, unsigned int subbuf_size)
{
	show_page_field(m, "u64 timestamp", offsetof(struct subbuf_page, time_stamp),
			sizeof_field(struct subbuf_page, time_stamp), is_signed_type(u64));
	show_page_field(m, "local_t commit", offsetof(struct subbuf_page, commit),
			sizeof_field(struct subbuf_page, commit), is_signed_type(long));
	/* a flag within commit */
	show_page_field(m, "int overwrite", offsetof(struct subbuf_page, commit), 1,
			is_signed_type(long));
	show_page_field(m, "char data", SUBBUF_HEADER, subbuf_size - SUBBUF_HEADER,
			is_signed_type(char));
	return 0;
}

/**
 * events_show_header_event - write what events/header_event says
 * @m: where to
 *
 * Context: may sleep.
 * Return: 0.
 */
int events_show_header_event(struct seq_file *m)
{
	seq_puts(m, "# compressed entry header\n");
	seq_printf(m, "\ttype_len    : %4d bits\n", 32 - SUBBUF_DELTA_BITS);
	seq_printf(m, "\ttime_delta  : %4d bits\n", SUBBUF_DELTA_BITS);
	seq_printf(m, "\tarray       : %4d bits\n\n", 32);
	seq_printf(m, "\tpadding     : type == %d\n", SUBBUF_PADDING);
	seq_printf(m, "\ttime_extend : type == %d\n", SUBBUF_TIME_EXTEND);
	seq_printf(m, "\ttime_stamp : type == %d\n", SUBBUF_TIME_STAMP);
	seq_printf(m, "\tdata max type_len  == %d\n", SUBBUF_MAX_WORDS);
	return 0;
}
