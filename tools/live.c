// SPDX-License-Identifier: GPL-2.0
/*
 * Showing what is recorded while it is recorded: pass after pass over all CPUs,
 * asleep in between. Sleeping is what keeps this from being traced into a loop:
 * a pass handles what was recorded before the last one ended, so nothing that a
 * pass does makes it any longer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "common.h"
#include "live.h"
#include "merge.h"
#include "recording.h"
#include "stats.h"
#include "text.h"
#include "totals.h"

#define PASS_MS		200	/* between passes, as long as no ring fills up */
#define PAUSE_MS	20	/* after a pass with little to show, whatever fills up */
#define LITTLE		1000	/* events */

/**
 * struct live - a show in progress
 * @wish:	what the user asked for
 * @text:	how to print events
 * @merge:	the rings
 * @totals:	the counters at the start
 * @recording:	what has to be put back
 * @child:	the command, 0 if there is none (any more)
 * @over:	the command has ended
 * @write_error: errno of the first write to stdout that failed
 * @shown:	events printed
 * @end:	when to stop, if the wish is limited to seconds
 * @looked:	the second in which CPUs were last looked for
 * @bound:	time up to which the next pass may print
 */
struct live {
	const struct live_wish	*wish;
	struct text		text;
	struct merge		merge;
	struct totals		totals;
	struct recording	recording;
	pid_t			child;
	bool			over;
	int			write_error;
	unsigned long long	shown;
	struct timespec		end;
	time_t			looked;
	__u64		bound;
};

/* SIGHUP last, see catch_signals() */
static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };

static int stops;

static int nr_stops(void)
{
	return __atomic_load_n(&stops, __ATOMIC_RELAXED);
}

static void on_stop(int signal)
{
	(void)signal;
	__atomic_fetch_add(&stops, 1, __ATOMIC_RELAXED);
}

/* SIGCHLD has only to interrupt the sleep. */
static void on_child(int signal)
{
	(void)signal;
}

/*
 * Lives on with a closed pipe, so that what was switched on is switched off, and
 * without a terminal if it was started by nohup.
 */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_stop }, before;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigaction(stop_signals[i], &action, &before);
	if (before.sa_handler == SIG_IGN)
		signal(SIGHUP, SIG_IGN);
	action.sa_handler = on_child;
	sigaction(SIGCHLD, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* Returns what was blocked before. */
static sigset_t block_signals(void)
{
	sigset_t block, before;
	size_t i;

	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigaddset(&block, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &block, &before);
	return before;
}

/* Milliseconds until the wish's time is over, at most @limit. */
static int time_left(const struct live *live, int limit)
{
	struct timespec now;
	double left;

	if (!live->wish->seconds)
		return limit;
	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (live->end.tv_sec - now.tv_sec) * 1e3 +
	       (live->end.tv_nsec - now.tv_nsec) / 1e6;
	if (left <= 0)
		return 0;
	return left < limit ? (int)left + 1 : limit;
}

static void start_timer(struct live *live)
{
	double seconds = live->wish->seconds;

	clock_gettime(CLOCK_MONOTONIC, &live->end);
	live->end.tv_sec += (time_t)seconds;
	live->end.tv_nsec += (long)((seconds - (time_t)seconds) * 1e9);
}

static bool has_count(const struct live *live)
{
	return live->wish->count && live->shown >= live->wish->count;
}

static bool is_over(struct live *live)
{
	if (live->child && child_has_ended(live->child)) {
		live->child = 0;
		live->over = true;
	}
	return live->over || nr_stops() || has_count(live) ||
	       live->write_error || !time_left(live, 1);
}

static void check_output(struct live *live, bool failed)
{
	if (failed && !live->write_error)
		live->write_error = errno;
}

static int show_event(struct tep_record *record, void *arg)
{
	struct live *live = arg;

	text_print(&live->text, record);
	live->shown++;
	check_output(live, ferror(stdout));
	return has_count(live) || live->write_error;
}

/* The end has come already, so it takes a signal of its own to cut it short. */
static int show_last_event(struct tep_record *record, void *arg)
{
	return show_event(record, arg) || nr_stops() > 1;
}

static int show_live_event(struct tep_record *record, void *arg)
{
	return show_event(record, arg) || nr_stops();
}

/* Returns 0 also if the CPU was never online: it may come yet. */
static int open_cpu(struct live *live, int cpu, const struct tracemap_stats *start)
{
	struct tracemap_reader *reader = tracemap_open(tracing_dir(), cpu);

	if (!reader && (errno == ENODEV || errno == ENXIO || errno == ENOENT))
		return 0;
	if (!reader || tracemap_map(reader))
		goto err_close;
	if (totals_add(&live->totals, cpu, start) ||
	    merge_add(&live->merge, reader))
		goto err_close;
	return 0;

err_close:
	if (errno == EPROTO)
		complain("cpu%d's meta page is too short: the module is too old",
			 cpu);
	else
		complain("cannot map cpu%d's buffer: %s", cpu, strerror(errno));
	tracemap_close(reader);
	return -1;
}

static bool is_open(const struct live *live, int cpu)
{
	int i;

	for (i = 0; i < live->totals.nr; i++)
		if (live->totals.cpus[i].cpu == cpu)
			return true;
	return false;
}

static int open_cpu_at_start(struct live *live, int cpu)
{
	struct tracemap_stats start;
	int ret = get_quiet_stats(cpu, &start);

	return ret > 0 ? open_cpu(live, cpu, &start) : ret;
}

/* All that it has recorded was recorded since the start. */
static int open_cpu_that_came(struct live *live, int cpu)
{
	static const struct tracemap_stats none;

	return is_open(live, cpu) ? 0 : open_cpu(live, cpu, &none);
}

static int for_wanted_cpus(struct live *live,
			   int (*visit)(struct live *live, int cpu))
{
	int *cpus, nr, i, ret = 0;

	if (live->wish->cpu >= 0)
		return visit(live, live->wish->cpu);
	nr = list_cpus(&cpus);
	if (nr < 0)
		return -1;
	for (i = 0; i < nr && !ret; i++)
		ret = visit(live, cpus[i]);
	free(cpus);
	return ret;
}

/* Once a second is soon enough for a CPU that comes online. */
static int look_for_cpus(struct live *live)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec == live->looked)
		return 0;
	live->looked = now.tv_sec;
	return for_wanted_cpus(live, open_cpu_that_came);
}

/* The trace clock's time, which only the kernel can tell. */
static int read_clock(const struct live *live, __u64 *now)
{
	struct tracemap_stats stats;

	if (get_stats(live->totals.cpus[0].cpu, &stats) <= 0)
		return -1;
	*now = stats.now;
	return 0;
}

static int show_pass(struct live *live, __u64 bound, merge_emit emit)
{
	text_refresh(&live->text);
	if (merge_pass(&live->merge, bound, emit, live) < 0) {
		complain("cannot read the buffers: %s", strerror(errno));
		return -1;
	}
	check_output(live, fflush(stdout));
	return 0;
}

/* Returns at once if what should end the show has happened already. */
static void sleep_a_while(struct live *live, bool little)
{
	sigset_t before = block_signals();

	if (!is_over(live) && little)
		tracemap_wait(NULL, 0, time_left(live, PAUSE_MS), &before);
	if (!is_over(live))
		tracemap_wait(live->merge.readers, live->merge.nr,
			      time_left(live, PASS_MS), &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/*
 * A pass prints what was stamped before the pass before it ended: by now even a
 * writer that was held up has it in its ring.
 */
static int show_until_over(struct live *live)
{
	unsigned long long shown;

	while (!is_over(live)) {
		shown = live->shown;
		if (look_for_cpus(live) ||
		    show_pass(live, live->bound, show_live_event))
			return -1;
		if (merge_has_more(&live->merge) && read_clock(live, &live->bound))
			return -1;
		sleep_a_while(live, live->shown - shown < LITTLE);
	}
	return 0;
}

/* The command's last events count, so it is recorded until it has ended. */
static int finish(struct live *live)
{
	int ret;

	if (live->child)
		child_end(live->child);
	ret = recording_stop(&live->recording);
	if (!ret)
		ret = look_for_cpus(live);
	if (!ret && !has_count(live) && nr_stops() < 2 && !live->write_error)
		ret = show_pass(live, ~0ULL, show_last_event);
	merge_drop(&live->merge);
	if (!ret && !live->write_error)
		ret = totals_print(&live->totals, live->merge.delivered);
	return ret;
}

static int enable_events(struct live *live)
{
	int i;

	for (i = 0; i < live->wish->nr_patterns; i++)
		if (recording_enable(&live->recording, live->wish->patterns[i]))
			return -1;
	return 0;
}

static int start(struct live *live)
{
	if (text_open(&live->text) || recording_open(&live->recording))
		return -1;
	live->merge.tep = live->text.tep;
	if (enable_events(live) || for_wanted_cpus(live, open_cpu_at_start) ||
	    recording_start(&live->recording))
		return -1;
	if (!live->wish->command[0])
		return 0;
	live->child = child_start(live->wish->command);
	if (live->child > 0)
		return 0;
	live->child = 0;
	return -1;
}

/* A reader who went away ends this as it ends any other filter. */
static void complain_about_output(int error)
{
	if (error == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	complain("cannot write the output: %s", strerror(error));
}

/**
 * live_show - switch recording on, print what is recorded, put things back
 * @wish: what the user asked for
 *
 * Return: the exit status.
 */
int live_show(const struct live_wish *wish)
{
	struct live live = { .wish = wish };
	int ret;

	catch_signals();
	ret = start(&live);
	if (!ret) {
		start_timer(&live);
		ret = show_until_over(&live);
		if (finish(&live))
			ret = -1;
	}
	if (recording_restore(&live.recording))
		ret = -1;
	merge_free(&live.merge);
	totals_free(&live.totals);
	text_close(&live.text);
	check_output(&live, fflush(stdout));
	if (live.write_error) {
		complain_about_output(live.write_error);
		ret = -1;
	}
	return ret ? EXIT_TROUBLE : EXIT_OK;
}
