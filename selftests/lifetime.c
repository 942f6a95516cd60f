// SPDX-License-Identifier: GPL-2.0
/*
 * What goes first, and what stays until nobody needs it: buffers of other
 * modules, and the module itself. It gets unloaded here; whatever was recorded
 * before is lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"

#include "writers.h"

#define ROOT	"/sys/kernel/tracemap"
#define SECONDS	20	/* far more than anything here may need */

static bool is_loaded(void)
{
	return !access("/sys/module/tracemap", F_OK);
}

static bool is_mounted(void)
{
	return !access(ROOT "/tracing_on", F_OK);
}

static int load(void)
{
	int err = is_loaded() ? 0 : module_load("tracemap");

	if (err || is_mounted())
		return err;
	return mount("nodev", ROOT, "tracemap", 0, NULL) ? -errno : 0;
}

/* Lazily: what is open keeps it, and so the module. */
static int unload(void)
{
	int err = module_unload("tracemap_test");

	if (err && err != -ENOENT)
		return err;
	if (is_mounted() && umount2(ROOT, MNT_DETACH))
		return -errno;
	return module_unload("tracemap");
}

/* The last user's exit may still be under way. */
static int unload_soon(void)
{
	time_t end = time(NULL) + SECONDS;
	int err;

	do {
		err = unload();
		if (err != -EAGAIN && err != -EBUSY)
			break;
		usleep(1000);
	} while (time(NULL) < end);
	return err;
}

FIXTURE(lifetime) {
	struct ring_map	map;
};

FIXTURE_SETUP(lifetime)
{
	const char *dir = getenv("TRACEMAP_MODULES");

	self->map.fd = -1;
	if (!dir)
		SKIP(return, "unloads the module: set TRACEMAP_MODULES to where it is");
	ASSERT_EQ(chdir(dir), 0);
	ASSERT_EQ(access("tracemap.ko", R_OK), 0);
	ASSERT_EQ(load(), 0);
}

FIXTURE_TEARDOWN(lifetime)
{
	ring_unmap(&self->map);
	writers_close();
	EXPECT_EQ(load(), 0);
}

TEST_F(lifetime, goes_and_comes_back)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		/* with events on, and some recorded */
		ASSERT_EQ(control_write("set_event", "sched:sched_switch"), 0);
		ASSERT_EQ(control_write("trace_marker", "hello"), 0);
		ASSERT_EQ(ring_map(&self->map, 0, O_NONBLOCK), 0);
		ASSERT_EQ(get_reader(&self->map), 0);
		ring_unmap(&self->map);
		ASSERT_EQ(unload_soon(), 0);
		ASSERT_FALSE(is_loaded());
		ASSERT_NE(access(ROOT, F_OK), 0);
		ASSERT_EQ(load(), 0);
		EXPECT_EQ(stat_of(0, "reserved"), 0);
	}
}

TEST_F(lifetime, an_open_file_keeps_it)
{
	static const char *const files[] = {
		"trace", "trace_marker", "README", "per_cpu/cpu0/stats",
		"per_cpu/cpu0/trace_pipe_raw", "events/header_page",
	};
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_EQ(load(), 0);
		fd = control_open(files[i], strcmp(files[i], "trace_marker") ? O_RDONLY : O_WRONLY);
		ASSERT_GE(fd, 0) TH_LOG("%s", files[i]);
		EXPECT_EQ(unload(), -EAGAIN) TH_LOG("%s", files[i]);
		EXPECT_TRUE(is_loaded());
		close(fd);
		EXPECT_EQ(unload_soon(), 0) TH_LOG("%s", files[i]);
	}
}

TEST_F(lifetime, a_mapping_keeps_it)
{
	ASSERT_EQ(ring_map(&self->map, 0, O_NONBLOCK), 0);
	close(self->map.fd);
	self->map.fd = -1;
	EXPECT_EQ(unload(), -EAGAIN);
	EXPECT_EQ(self->map.meta->meta_struct_len, sizeof(struct tracemap_meta));
	ring_unmap(&self->map);
	EXPECT_EQ(unload_soon(), 0);
}

TEST_F(lifetime, a_user_of_its_interface_keeps_it)
{
	ASSERT_EQ(writers_open(65536, 0, OVERWRITE), 0);
	EXPECT_EQ(module_unload("tracemap"), -EAGAIN);
	/* its own device is open */
	EXPECT_EQ(module_unload("tracemap_test"), -EAGAIN);
	EXPECT_EQ(writers_write(0, TEST_TASK, 10, 32), 0);
	writers_close();
	EXPECT_EQ(unload_soon(), 0);
}

TEST_F(lifetime, two_buffers_of_one_name_cannot_be)
{
	ASSERT_EQ(writers_open(65536, 0, OVERWRITE), 0);
	EXPECT_EQ(writers_create(65536, 0, OVERWRITE), -EEXIST);
	ASSERT_EQ(writers_destroy(), 0);
	EXPECT_EQ(writers_create(0, 0, OVERWRITE), -EINVAL);
	EXPECT_EQ(writers_create(65536, 20, OVERWRITE), -EINVAL);
	EXPECT_EQ(writers_create(1ULL << 50, 0, OVERWRITE), -EINVAL);
	EXPECT_EQ(writers_create(1ULL << 42, 0, OVERWRITE), -ENOMEM);
	EXPECT_EQ(writers_create(65536, 0, PRODUCER_CONSUMER), 0);
	EXPECT_EQ(control_number("options/overwrite"), 0);
}

TEST_F(lifetime, a_mapping_outlives_the_buffer)
{
	struct pollfd pollfd = { .events = POLLIN };
	struct records records;
	char image[4096];

	ASSERT_EQ(writers_open(65536, 0, OVERWRITE), 0);
	ASSERT_EQ(ring_map(&self->map, 0, O_NONBLOCK), 0);
	records_start(&records, &self->map);
	ASSERT_EQ(writers_write(0, TEST_TASK, 100, 32), 0);
	ASSERT_EQ(records_consume(&records), 100);
	ASSERT_EQ(writers_destroy(), 0);

	EXPECT_NE(access(ROOT "/instances/" TEST_INSTANCE, F_OK), 0);
	EXPECT_EQ(self->map.meta->reader.read, records.read);
	EXPECT_EQ(get_reader(&self->map), -ENODEV);
	EXPECT_EQ(read(self->map.fd, image, sizeof(image)), -1);
	EXPECT_EQ(errno, ENODEV);
	pollfd.fd = self->map.fd;
	EXPECT_EQ(poll(&pollfd, 1, 0), 1);
	EXPECT_EQ(pollfd.revents, POLLERR | POLLHUP);
	EXPECT_EQ(mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->map.fd, 0), MAP_FAILED);
	EXPECT_EQ(errno, ENODEV);

	/* another of that name is not that one */
	ASSERT_EQ(writers_create(65536, 0, OVERWRITE), 0);
	ASSERT_EQ(writers_write(0, TEST_TASK, 1, 32), 0);
	EXPECT_EQ(self->map.meta->entries, 100);
	EXPECT_EQ(stat_of(0, "reserved"), 1);
}

TEST_F(lifetime, a_file_outlives_the_module_that_made_its_buffer)
{
	ASSERT_EQ(writers_open(65536, 0, OVERWRITE), 0);
	ASSERT_EQ(ring_map(&self->map, 0, O_NONBLOCK), 0);
	ASSERT_EQ(writers_write(0, TEST_TASK, 100, 32), 0);
	writers_close_device();
	ASSERT_EQ(module_unload("tracemap_test"), 0);

	EXPECT_NE(access(ROOT "/instances/" TEST_INSTANCE, F_OK), 0);
	EXPECT_EQ(get_reader(&self->map), -ENODEV);
	EXPECT_EQ(self->map.meta->subbuf_size, 4096);
	EXPECT_EQ(unload(), -EAGAIN);
	ring_unmap(&self->map);
	EXPECT_EQ(unload_soon(), 0);
}

FIXTURE(sleeper) {
	struct ring_map	map;
	pthread_t	thread;
	atomic_int	tid;
	long		(*call)(int fd);
};

FIXTURE_VARIANT(sleeper) {
	long	(*call)(int fd);
};

static long in_read(int fd)
{
	char image[4096];

	return read(fd, image, sizeof(image));
}

static long in_get_reader(int fd)
{
	return ioctl(fd, TRACE_MMAP_IOCTL_GET_READER);
}

static long in_poll(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, -1);
}

static long in_splice(int fd)
{
	int ends[2];
	long ret;

	if (pipe(ends))
		return -1;
	ret = splice(fd, NULL, ends[1], NULL, 4096, 0);
	close(ends[0]);
	close(ends[1]);
	return ret;
}

FIXTURE_VARIANT_ADD(sleeper, read) { in_read };
FIXTURE_VARIANT_ADD(sleeper, get_reader) { in_get_reader };
FIXTURE_VARIANT_ADD(sleeper, poll) { in_poll };
FIXTURE_VARIANT_ADD(sleeper, splice) { in_splice };

static void *sleep_in_call(void *arg)
{
	struct _test_data_sleeper *self = arg;

	self->tid = syscall(SYS_gettid);
	self->call(self->map.fd);
	return NULL;
}

FIXTURE_SETUP(sleeper)
{
	int err = writers_open(65536, 0, OVERWRITE);

	self->map.fd = -1;
	if (err == -ENOENT)
		SKIP(return, "no tracemap_test.ko in $TRACEMAP_MODULES");
	ASSERT_EQ(err, 0);
	ASSERT_EQ(ring_map(&self->map, 0, 0), 0);
	self->call = variant->call;
	ASSERT_EQ(pthread_create(&self->thread, NULL, sleep_in_call, self), 0);
	while (!self->tid || !sleeps(self->tid))
		usleep(1000);
}

FIXTURE_TEARDOWN(sleeper)
{
	ring_unmap(&self->map);
	writers_close();
}

static bool wakes(pthread_t thread)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += SECONDS;
	return !pthread_timedjoin_np(thread, NULL, &end);
}

TEST_F(sleeper, is_freed_when_the_buffer_goes)
{
	ASSERT_EQ(writers_destroy(), 0);
	EXPECT_TRUE(wakes(self->thread));
}

TEST_F(sleeper, is_woken_from_every_context)
{
	unsigned int context;

	/* two sub-buffers after another: enough for half of the ring at last */
	for (context = 0; context < TEST_NR_CONTEXTS; context++) {
		int err = writers_write(0, context, 3 * 4096 / 36, 32);

		if (err != -EOPNOTSUPP)
			ASSERT_EQ(err, 0);
	}
	EXPECT_TRUE(wakes(self->thread));
}

TEST_HARNESS_MAIN
