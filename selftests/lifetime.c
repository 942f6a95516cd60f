// SPDX-License-Identifier: GPL-2.0
/*
 * What goes first, and what stays until nobody needs it: buffers of other
 * modules, and the module itself. It gets unloaded here; whatever was recorded
 * before is lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#include "sleeper.h"
#include "writers.h"

#define ROOT	"/sys/kernel/tracemap"
#define INSTANCE ROOT "/instances/" TEST_INSTANCE
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
	EXPECT_EQ(writers_create(1ULL << 42, 0, OVERWRITE),
		  sizeof(long) < 8 ? -EINVAL : -ENOMEM);
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

	EXPECT_NE(access(INSTANCE, F_OK), 0);
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

	EXPECT_NE(access(INSTANCE, F_OK), 0);
	EXPECT_EQ(get_reader(&self->map), -ENODEV);
	EXPECT_EQ(self->map.meta->subbuf_size, 4096);
	EXPECT_EQ(unload(), -EAGAIN);
	ring_unmap(&self->map);
	EXPECT_EQ(unload_soon(), 0);
}

/* what nftw() finds below an instance's directory */
static struct {
	int		fds[16384];
	unsigned int	count;
	unsigned int	wrong;
} found;

static int open_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	if (type != FTW_F)
		return 0;
	found.fds[found.count] = open(path, O_RDWR | O_NONBLOCK);
	/* a CPU that could come, and never has */
	if (found.fds[found.count] < 0 && errno == ENODEV)
		return 0;
	if (found.fds[found.count] < 0 || found.count == ARRAY_SIZE(found.fds) - 1) {
		printf("# cannot open %s: %s\n", path, strerror(errno));
		return -1;
	}
	found.count++;
	return 0;
}

/* Its buffer is gone: nothing can be written, and whatever else is tried does no harm. */
static int use_one(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	char text[4096];
	int err = 0;

	poll(&pollfd, 1, 0);
	ioctl(fd, TRACE_MMAP_IOCTL_GET_READER);
	ioctl(fd, 0);
	if (write(fd, "text", 4) < 0)
		err = errno;
	if (read(fd, text, sizeof(text)) > 0)
		lseek(fd, 0, SEEK_SET);
	close(fd);
	return err;
}

TEST_F(lifetime, every_file_outlives_the_buffer)
{
	struct rlimit many = { ARRAY_SIZE(found.fds) + 100, ARRAY_SIZE(found.fds) + 100 };
	unsigned int i;

	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &many), 0);
	ASSERT_EQ(writers_open(65536, 0, OVERWRITE), 0);
	ASSERT_EQ(writers_write(0, TEST_TASK, 100, 32), 0);
	ASSERT_EQ(nftw(INSTANCE, open_one, 16, FTW_PHYS), 0);
	EXPECT_GT(found.count, 100);
	ASSERT_EQ(writers_destroy(), 0);
	for (i = 0; i < found.count; i++)
		EXPECT_NE(use_one(found.fds[i]), 0);
	/* and nothing is held any more */
	writers_close();
	EXPECT_EQ(unload_soon(), 0);
}

/* Is it as the first instance's file of the same name? */
static int compare_one(const char *path, const struct stat *there, int type, struct FTW *ftw)
{
	const char *name = path + strlen(INSTANCE);
	struct stat first;
	char other[256];

	snprintf(other, sizeof(other), ROOT "%s", name);
	if (!*name)
		return 0;
	if (stat(other, &first) || first.st_mode != there->st_mode ||
	    first.st_uid != there->st_uid || first.st_gid != there->st_gid) {
		printf("# %s is not as %s\n", path, other);
		found.wrong++;
	}
	found.count++;
	return 0;
}

TEST_F(lifetime, later_buffers_have_the_rights_of_the_first)
{
	struct stat dir;

	ASSERT_EQ(mount("nodev", ROOT, NULL, MS_REMOUNT, "uid=65534,gid=65533"), 0);
	ASSERT_EQ(writers_open(65536, 0, OVERWRITE), 0);
	ASSERT_EQ(nftw(INSTANCE, compare_one, 16, FTW_PHYS), 0);
	EXPECT_GT(found.count, 100);
	EXPECT_EQ(found.wrong, 0);
	ASSERT_EQ(stat(INSTANCE, &dir), 0);
	EXPECT_EQ(dir.st_uid, 65534);
	EXPECT_EQ(dir.st_gid, 65533);
	EXPECT_EQ(dir.st_mode & 07777, 0750);
	ASSERT_EQ(mount("nodev", ROOT, NULL, MS_REMOUNT, "uid=0,gid=0"), 0);
}

FIXTURE(sleeper) {
	struct ring_map	map;
	struct sleeper	thread;
};

FIXTURE_VARIANT(sleeper) {
	long	(*call)(int fd);
};

FIXTURE_VARIANT_ADD(sleeper, read) { in_read };
FIXTURE_VARIANT_ADD(sleeper, get_reader) { in_get_reader };
FIXTURE_VARIANT_ADD(sleeper, poll) { in_poll };
FIXTURE_VARIANT_ADD(sleeper, splice) { in_splice };

FIXTURE_SETUP(sleeper)
{
	int err = writers_open(65536, 0, OVERWRITE);

	self->map.fd = -1;
	if (err == -ENOENT)
		SKIP(return, "no tracemap_test.ko in $TRACEMAP_MODULES");
	ASSERT_EQ(err, 0);
	ASSERT_EQ(ring_map(&self->map, 0, 0), 0);
	sleeper_start(&self->thread, variant->call, self->map.fd);
	ASSERT_FALSE(self->thread.awake);
}

FIXTURE_TEARDOWN(sleeper)
{
	ring_unmap(&self->map);
	writers_close();
}

TEST_F(sleeper, is_freed_when_the_buffer_goes)
{
	ASSERT_EQ(writers_destroy(), 0);
	EXPECT_TRUE(sleeper_wakes(&self->thread));
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
	EXPECT_TRUE(sleeper_wakes(&self->thread));
}

TEST_HARNESS_MAIN
