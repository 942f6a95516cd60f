// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the kernel's events are the same, byte for byte, when tracemap and
 * tracefs record at once.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#include "busy.h"
#include "tracefs.h"

#define ID_MAX		8192
#define FIELDS_MAX	32
#define SUBBUF_MAX	(1 << 19)
#define MATCH_NS	500000000	/* between a record of tracefs and ours of the same */
#define MARGIN_NS	20000000	/* at both ends of a recording */

struct field {
	char		name[64];
	unsigned int	offset;
	unsigned int	size;
	bool		dynamic;
};

struct format {
	char		name[64];
	unsigned int	nr_fields;
	struct field	fields[FIELDS_MAX];
	unsigned int	seen;
};

static struct format *formats[ID_MAX];

/* One line "field:TYPE NAME;	offset:N;	size:N;	signed:N;" */
static void parse_field(struct format *format, char *line)
{
	struct field *field = &format->fields[format->nr_fields];
	char *end = strchr(line, ';');
	char *name;

	if (!end || format->nr_fields == FIELDS_MAX ||
	    sscanf(end, "; offset:%u; size:%u;", &field->offset, &field->size) != 2)
		return;
	field->dynamic = strstr(line, "__data_loc") && strstr(line, "__data_loc") < end;
	*end = '\0';
	name = strrchr(line, ' ');
	snprintf(field->name, sizeof(field->name), "%s", name ? name + 1 : line);
	format->nr_fields++;
}

static void parse_format(const char *event, void *arg)
{
	struct format *format;
	char path[PATH_MAX];
	char *text, *line, *save;
	long id;

	snprintf(path, sizeof(path), "%s/format", event);
	text = slurp(TRACEMAP, path);
	if (!text)
		return;
	id = atol(strstr(text, "ID: ") + 4);
	format = calloc(1, sizeof(*format));
	snprintf(format->name, sizeof(format->name), "%s", strrchr(event, '/') + 1);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "\tfield:", 7))
			parse_field(format, line);
	}
	free(text);
	formats[id] = format;
}

struct record {
	uint64_t	time;
	unsigned int	length;
	uint8_t		*bytes;
	bool		matched;
};

struct stream {
	struct record	*records;
	size_t		count;
	size_t		room;
};

static void add_record(struct stream *stream, uint64_t time, const void *bytes,
		       unsigned int length)
{
	struct record *record;

	if (stream->count == stream->room) {
		stream->room = stream->room ? 2 * stream->room : 1024;
		stream->records = realloc(stream->records, stream->room * sizeof(*record));
	}
	record = &stream->records[stream->count++];
	*record = (struct record){ .time = time, .length = length, .bytes = malloc(length) };
	memcpy(record->bytes, bytes, length);
}

/* The records of a sub-buffer in ftrace's page format */
static void parse_subbuf(struct stream *stream, const uint8_t *page)
{
	uint64_t time = *(const uint64_t *)page;
	unsigned int bytes = *(const unsigned long *)(page + 8) & 0xfffffff;
	const uint8_t *at = page + 8 + sizeof(long);
	const uint8_t *end = at + bytes;

	while (at < end) {
		const uint32_t *word = (const void *)at;
		unsigned int type = word[0] & 31;
		uint64_t delta = word[0] >> 5;

		switch (type) {
		case 29:
			if (!delta)
				return;
			at += word[1] + 4;
			break;
		case 30:
			time += delta | (uint64_t)word[1] << 27;
			at += 8;
			break;
		case 31:
			time = delta | (uint64_t)word[1] << 27;
			at += 8;
			break;
		case 0:
			time += delta;
			add_record(stream, time, &word[2], word[1] - 4);
			at += word[1] + 4;
			break;
		default:
			time += delta;
			add_record(stream, time, &word[1], type * 4);
			at += type * 4 + 4;
		}
	}
}

static void drain(struct stream *stream, const char *dir, int cpu)
{
	long kb = exists(dir, "buffer_subbuf_size_kb") ? number(dir, "buffer_subbuf_size_kb") :
							 sysconf(_SC_PAGESIZE) / 1024;
	uint8_t *page = aligned_alloc(8, SUBBUF_MAX);
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", dir, cpu);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	while (fd >= 0 && read(fd, page, kb * 1024) > 0)
		parse_subbuf(stream, page);
	if (fd >= 0)
		close(fd);
	free(page);
}

static void forget(struct stream *stream)
{
	while (stream->count)
		free(stream->records[--stream->count].bytes);
	free(stream->records);
}

static struct format *format_of(const struct record *record)
{
	uint16_t id = *(const uint16_t *)record->bytes;

	return id < ID_MAX ? formats[id] : NULL;
}

/*
 * What may change between one's probe and the other's, because it is not among
 * the arguments: an interrupt may ask for a reschedule, jiffies go on, and another
 * CPU may reap a task that is on its way out.
 */
static bool may_differ(const struct field *field, const struct record *a,
		       const struct record *b)
{
	if (!strcmp(field->name, "common_flags"))
		return !((a->bytes[field->offset] ^ b->bytes[field->offset]) & ~0x26);
	return !strcmp(field->name, "now") || !strcmp(field->name, "baseclk") ||
	       !strcmp(field->name, "prev_state");
}

static bool same_field(const struct field *field, const struct record *a, const struct record *b)
{
	uint32_t location;

	if (memcmp(a->bytes + field->offset, b->bytes + field->offset, field->size))
		return false;
	if (!field->dynamic)
		return true;
	location = *(const uint32_t *)(a->bytes + field->offset);
	return !memcmp(a->bytes + (location & 0xffff), b->bytes + (location & 0xffff),
		       location >> 16);
}

/* All but the gaps between the fields */
static bool same_record(const struct record *a, const struct record *b, bool loosely)
{
	const struct format *format = format_of(a);
	unsigned int i;

	if (!format || a->length != b->length || format_of(b) != format)
		return false;
	for (i = 0; i < format->nr_fields; i++) {
		const struct field *field = &format->fields[i];

		if (same_field(field, a, b) || (loosely && may_differ(field, a, b)))
			continue;
		return false;
	}
	return true;
}

/*
 * tracefs's probes were registered first, so they run first: what one of ours has
 * recorded is the same as the latest of theirs before it that is alike. Interrupts
 * can come in between, and a virtual CPU may have to wait there.
 */
static struct record *find_match(const struct record *record, struct record *first,
				 struct record *last, bool loosely)
{
	for (; last >= first && last->time + MATCH_NS >= record->time; last--) {
		if (!last->matched && same_record(record, last, loosely))
			return last;
	}
	return NULL;
}

static size_t match(struct stream *ours, struct stream *theirs, bool loosely)
{
	struct record *theirs_end = theirs->records + theirs->count;
	struct record *before = theirs->records;
	struct record *record, *found;
	size_t matches = 0;

	for (record = ours->records; record < ours->records + ours->count; record++) {
		while (before < theirs_end && before->time <= record->time)
			before++;
		if (record->matched)
			continue;
		found = find_match(record, theirs->records, before - 1, loosely);
		if (!found)
			continue;
		found->matched = true;
		record->matched = true;
		format_of(record)->seen++;
		matches++;
	}
	return matches;
}

/* Records that have no match, though both were recording when they were made */
static size_t unmatched(const struct stream *stream, const struct stream *other, const char *whose)
{
	uint64_t from, until;
	size_t count = 0;
	size_t i;

	if (!stream->count || !other->count)
		return stream->count;
	from = stream->records[0].time;
	if (other->records[0].time > from)
		from = other->records[0].time;
	until = stream->records[stream->count - 1].time;
	if (other->records[other->count - 1].time < until)
		until = other->records[other->count - 1].time;
	for (i = 0; i < stream->count; i++) {
		const struct record *record = &stream->records[i];

		if (record->matched || record->time < from + MARGIN_NS ||
		    record->time + MARGIN_NS > until)
			continue;
		if (count++ < 10)
			printf("# only in %s: %s at %llu, flags %02x, preempt %02x, pid %d\n",
			       whose, format_of(record) ? format_of(record)->name : "?",
			       (unsigned long long)record->time, record->bytes[2],
			       record->bytes[3], *(int *)(record->bytes + 4));
	}
	return count;
}

/* Events that were lost for whatever reason; -1 if there are no statistics */
static long lost(const char *dir, int cpu)
{
	static const char * const counters[] = {
		"overrun: ", "commit overrun: ", "dropped events: ", "dropped big: ",
	};
	char path[PATH_MAX];
	long count = 0;
	char *stats, *at;
	size_t i;

	snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", cpu);
	stats = slurp(dir, path);
	if (!stats)
		return -1;
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		at = strstr(stats, counters[i]);
		count += at ? atol(at + strlen(counters[i])) : 0;
	}
	free(stats);
	return count;
}

static void enable_in_both(const char *event, void *arg)
{
	unsigned int *failures = arg;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/enable", event);
	if (!exists(TRACEMAP, path))
		return;
	if (store(INSTANCE, path, "1") || store(TRACEMAP, path, "1")) {
		printf("# %s cannot be enabled\n", event);
		++*failures;
	}
}

FIXTURE(live) {
	char size[32];
};

FIXTURE_SETUP(live)
{
	if (!mount_tracefs())
		SKIP(return, "no tracefs to compare with");
	ASSERT_EQ(make_instance(INSTANCE), 0);
	snprintf(self->size, sizeof(self->size), "%ld", number(TRACEMAP, "buffer_size_kb"));
	ASSERT_EQ(store(TRACEMAP, "set_event", ""), 0);
	ASSERT_EQ(store(TRACEMAP, "tracing_on", "0"), 0);
	ASSERT_EQ(store(INSTANCE, "tracing_on", "0"), 0);
	ASSERT_EQ(store(TRACEMAP, "trace_clock", "mono"), 0);
	ASSERT_EQ(store(INSTANCE, "trace_clock", "mono"), 0);
	ASSERT_EQ(store(TRACEMAP, "buffer_size_kb", "8192"), 0);
	ASSERT_EQ(store(INSTANCE, "buffer_size_kb", "8192"), 0);
	ASSERT_EQ(store(TRACEMAP, "trace", ""), 0);
	each_event(parse_format, NULL);
}

FIXTURE_TEARDOWN(live)
{
	store(TRACEMAP, "set_event", "");
	store(TRACEMAP, "trace", "");
	store(TRACEMAP, "buffer_size_kb", self->size);
	store(TRACEMAP, "trace_clock", "local");
	store(TRACEMAP, "tracing_on", "1");
	rmdir(INSTANCE);
}

/* The kinds of events that busy() is sure to cause */
static const char * const expected[] = {
	"sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_process_fork",
	"sched_process_exec", "sched_process_exit", "sched_process_wait", "sys_enter", "sys_exit",
	"hrtimer_start", "hrtimer_expire_entry", "hrtimer_expire_exit", "hrtimer_cancel",
	"timer_start", "timer_expire_entry", "itimer_state", "softirq_raise", "softirq_entry",
	"softirq_exit", "signal_generate", "signal_deliver", "workqueue_activate_work",
	"workqueue_execute_start", "workqueue_execute_end",
};

static unsigned int seen(const char *name)
{
	unsigned int id;

	for (id = 0; id < ID_MAX; id++) {
		if (formats[id] && !strcmp(formats[id]->name, name))
			return formats[id]->seen;
	}
	return 0;
}

TEST_F(live, records_are_the_same)
{
	size_t exactly = 0, loosely = 0;
	unsigned int failures = 0;
	unsigned int kinds = 0;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int cpu, id;
	size_t i;

	each_event(enable_in_both, &failures);
	EXPECT_EQ(failures, 0);
	ASSERT_EQ(store(INSTANCE, "tracing_on", "1"), 0);
	ASSERT_EQ(store(TRACEMAP, "tracing_on", "1"), 0);
	if (!fork()) {
		busy(15);
		_exit(0);
	}
	busy(15);
	wait(NULL);
	ASSERT_EQ(store(TRACEMAP, "tracing_on", "0"), 0);
	ASSERT_EQ(store(INSTANCE, "tracing_on", "0"), 0);

	for (cpu = 0; cpu < cpus; cpu++) {
		struct stream ours = {}, theirs = {};

		EXPECT_EQ(lost(TRACEMAP, cpu), 0);
		EXPECT_EQ(lost(INSTANCE, cpu), 0);
		drain(&ours, TRACEMAP, cpu);
		drain(&theirs, INSTANCE, cpu);
		exactly += match(&ours, &theirs, false);
		loosely += match(&ours, &theirs, true);
		EXPECT_EQ(unmatched(&ours, &theirs, "tracemap"), 0);
		EXPECT_EQ(unmatched(&theirs, &ours, "tracefs"), 0);
		forget(&ours);
		forget(&theirs);
	}
	for (id = 0; id < ID_MAX; id++)
		kinds += formats[id] && formats[id]->seen;
	printf("# %zu records of %u kinds, %zu more that differ by an interrupt\n", exactly,
	       kinds, loosely);
	EXPECT_GT(exactly, 1000);
	EXPECT_LE(loosely, exactly / 100);
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		EXPECT_GT(seen(expected[i]), 0) {
			TH_LOG("no %s", expected[i]);
		}
	}
}

TEST_HARNESS_MAIN
