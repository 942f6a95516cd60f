// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the kernel's events there are, how they are described and switched:
 * as in tracefs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#include "busy.h"
#include "tracefs.h"

struct comparison {
	unsigned int	events;
	unsigned int	differ;
};

/* Newer kernels tell another type of a byte in header_page that nobody reads. */
static void forget_type(char *text)
{
	static const char newer[] = "field: char overwrite;\toffset:8;\tsize:1;\tsigned:0;";
	static const char older[] = "field: int overwrite;\toffset:8;\tsize:1;\tsigned:1;";
	char *at = text ? strstr(text, newer) : NULL;

	if (!at)
		return;
	memmove(at + strlen(older), at + strlen(newer), strlen(at + strlen(newer)) + 1);
	memcpy(at, older, strlen(older));
}

static bool same_file(const char *dir, const char *name)
{
	char path[PATH_MAX];
	char *ours, *theirs;
	bool same;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ours = slurp(TRACEMAP, path);
	theirs = slurp(TRACEFS, path);
	forget_type(theirs);
	same = ours && theirs && !strcmp(ours, theirs);
	if (!same)
		printf("# %s is\n%s\n# and not\n%s\n", path, ours ? ours : "(nothing)",
		       theirs ? theirs : "(nothing)");
	free(ours);
	free(theirs);
	return same;
}

static void compare_event(const char *event, void *arg)
{
	struct comparison *comparison = arg;

	char path[PATH_MAX];

	comparison->events++;
	comparison->differ += !same_file(event, "format");
	/* the records of markers have none in tracefs */
	snprintf(path, sizeof(path), "%s/id", event);
	if (exists(TRACEFS, path))
		comparison->differ += !same_file(event, "id");
}

TEST(same_formats)
{
	struct comparison comparison = {};

	if (!mount_tracefs())
		SKIP(return, "no tracefs to compare with");
	each_event(compare_event, &comparison);
	printf("# %u events\n", comparison.events);
	EXPECT_GT(comparison.events, 2);
	EXPECT_EQ(comparison.differ, 0);
	EXPECT_TRUE(exists(TRACEMAP, "events/ftrace/print/format"));
	EXPECT_TRUE(exists(TRACEMAP, "events/ftrace/raw_data/format"));
	EXPECT_FALSE(exists(TRACEMAP, "events/ftrace/print/enable"));
}

TEST(same_headers)
{
	if (!mount_tracefs())
		SKIP(return, "no tracefs to compare with");
	EXPECT_TRUE(same_file("events", "header_event"));
	/* which says how large a sub-buffer is */
	if (number(TRACEMAP, "buffer_subbuf_size_kb") * 1024 != sysconf(_SC_PAGESIZE))
		SKIP(return, "sub-buffers are not of the default size");
	EXPECT_TRUE(same_file("events", "header_page"));
}

/* Events of a captured system that tracefs has and tracemap cannot have */
static bool known_to_be_missing(const char *system, const char *event)
{
	static const char * const missing[] = {
		"sched/sched_move_numa", "sched/sched_stick_numa", "sched/sched_swap_numa",
		"sched/sched_skip_cpuset_numa", "workqueue/workqueue_queue_work",
	};
	char name[512];
	size_t i;

	snprintf(name, sizeof(name), "%s/%s", system, event);
	for (i = 0; i < ARRAY_SIZE(missing); i++) {
		if (!strcmp(name, missing[i]))
			return true;
	}
	return false;
}

TEST(no_other_event_is_missing)
{
	static const char * const systems[] = {
		"irq", "power", "raw_syscalls", "sched", "signal", "timer", "workqueue",
	};
	struct dirent *event;
	char path[PATH_MAX];
	size_t i;
	DIR *dir;

	if (!mount_tracefs())
		SKIP(return, "no tracefs to compare with");
	for (i = 0; i < ARRAY_SIZE(systems); i++) {
		snprintf(path, sizeof(path), TRACEFS "/events/%s", systems[i]);
		dir = opendir(path);
		ASSERT_NE(dir, NULL);
		while ((event = readdir(dir))) {
			if (event->d_name[0] == '.' || event->d_type != DT_DIR ||
			    known_to_be_missing(systems[i], event->d_name))
				continue;
			snprintf(path, sizeof(path), "events/%s/%s/format", systems[i],
				 event->d_name);
			EXPECT_TRUE(exists(TRACEMAP, path)) {
				TH_LOG("%s", path);
			}
		}
		closedir(dir);
	}
}

FIXTURE(set_event) {};

FIXTURE_SETUP(set_event)
{
	ASSERT_EQ(store(TRACEMAP, "set_event", ""), 0);
}

FIXTURE_TEARDOWN(set_event)
{
	store(TRACEMAP, "set_event", "");
}

static char enabled(const char *event)
{
	char path[PATH_MAX];
	char *text;
	char first;

	snprintf(path, sizeof(path), "events/%s/enable", event);
	text = slurp(TRACEMAP, path);
	first = text ? text[0] : '?';
	free(text);
	return first;
}

TEST_F(set_event, patterns)
{
	EXPECT_EQ(store(TRACEMAP, "set_event", "sched:sched_switch"), 0);
	EXPECT_EQ(enabled("sched/sched_switch"), '1');
	EXPECT_EQ(enabled("sched"), 'X');
	EXPECT_EQ(store(TRACEMAP, "set_event", ""), 0);
	EXPECT_EQ(enabled("sched"), '0');

	EXPECT_EQ(store(TRACEMAP, "set_event", "sched:"), 0);
	EXPECT_EQ(enabled("sched"), '1');
	EXPECT_EQ(enabled("irq"), '0');
	EXPECT_EQ(store(TRACEMAP, "set_event", "irq:*"), 0);
	EXPECT_EQ(enabled("irq"), '1');
	EXPECT_EQ(store(TRACEMAP, "set_event", ""), 0);

	EXPECT_EQ(store(TRACEMAP, "set_event", "timer"), 0);
	EXPECT_EQ(enabled("timer"), '1');
	EXPECT_EQ(store(TRACEMAP, "set_event", "sched_switch"), 0);
	EXPECT_EQ(enabled("sched/sched_switch"), '1');
	EXPECT_EQ(store(TRACEMAP, "set_event", ""), 0);
	EXPECT_EQ(store(TRACEMAP, "set_event", ":sched_waking"), 0);
	EXPECT_EQ(enabled("sched/sched_waking"), '1');
	EXPECT_EQ(store(TRACEMAP, "set_event", "s*:*_wak*"), 0);
	EXPECT_EQ(enabled("sched/sched_wakeup_new"), '1');
	EXPECT_EQ(enabled("sched/sched_switch"), '0');

	EXPECT_EQ(store(TRACEMAP, "set_event", "*:*"), 0);
	EXPECT_EQ(enabled("irq"), '1');
	EXPECT_EQ(enabled("workqueue"), '1');
}

static int append(const char *text)
{
	int fd = open(TRACEMAP "/set_event", O_WRONLY);
	int err = write(fd, text, strlen(text)) < 0 ? errno : 0;

	close(fd);
	return err;
}

TEST_F(set_event, negation)
{
	ASSERT_EQ(append("sched:*"), 0);
	EXPECT_EQ(append("!sched:sched_switch"), 0);
	EXPECT_EQ(enabled("sched/sched_switch"), '0');
	EXPECT_EQ(enabled("sched/sched_waking"), '1');
	EXPECT_EQ(append("!*:*"), 0);
	EXPECT_EQ(enabled("sched"), '0');
}

TEST_F(set_event, nothing_matches)
{
	ASSERT_EQ(append("signal:*"), 0);
	EXPECT_EQ(append("nonesuch"), EINVAL);
	EXPECT_EQ(append("nonesuch:*"), EINVAL);
	EXPECT_EQ(append("sched:nonesuch"), EINVAL);
	EXPECT_EQ(append("irq:sched_switch"), EINVAL);
	EXPECT_EQ(append("ftrace:print"), EINVAL);
	EXPECT_EQ(append("!nonesuch"), EINVAL);
	EXPECT_EQ(enabled("signal"), '1');
	EXPECT_EQ(enabled("sched"), '0');
}

static const char * const instances[] = { INSTANCE, INSTANCE "2" };
static bool done;

static void *keep_busy(void *arg)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		busy(1);
	return NULL;
}

/*
 * Two others keep the tracepoints on meanwhile, so that only the lists of probes
 * change, and no code: emulated machines do not survive thousands of patches.
 */
TEST_F(set_event, switching_under_load)
{
	pthread_t thread;
	int i;

	if (!mount_tracefs())
		SKIP(return, "no tracefs to keep tracepoints on");
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(make_instance(instances[i]), 0);
		ASSERT_EQ(store(instances[i], "events/sched/enable", "1"), 0);
	}
	__atomic_store_n(&done, false, __ATOMIC_RELAXED);
	ASSERT_EQ(pthread_create(&thread, NULL, keep_busy, NULL), 0);
	for (i = 0; i < 50; i++) {
		EXPECT_EQ(append("sched:*"), 0);
		EXPECT_EQ(append("!sched:*"), 0);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(enabled("sched"), '0');
	for (i = 0; i < 2; i++) {
		store(instances[i], "events/sched/enable", "0");
		rmdir(instances[i]);
	}
}

/* Lines "PID NAME" of saved_cmdlines for this pid */
static int named(pid_t pid, const char *name)
{
	char *text = slurp(TRACEMAP, "saved_cmdlines");
	char *line, *save;
	char wanted[64];
	int count = 0;

	snprintf(wanted, sizeof(wanted), "%d %s", pid, name);
	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		count += !strcmp(line, wanted);
	free(text);
	return count;
}

TEST(task_names)
{
	int ready[2];
	char byte;
	pid_t pid;

	ASSERT_EQ(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "tracemap named");
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	ASSERT_EQ(read(ready[0], &byte, 1), 1);
	EXPECT_EQ(named(pid, "tracemap named"), 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(named(pid, "tracemap named"), 1);
	EXPECT_EQ(named(0, "<idle>"), 0);
}

TEST_HARNESS_MAIN
