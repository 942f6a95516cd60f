// SPDX-License-Identifier: GPL-2.0
/*
 * usage: fail_nth [-s STRIDE] [OPERATION...]
 *
 * What if there is no memory? Each operation here is tried again and again: first
 * its first allocation fails, then its second, until it has come to its end without
 * a failure. Each time it has to report ENOMEM, or do without, and leave nothing
 * behind; the next try, with memory, has to work.
 *
 * An operation that allocates a thousand times does so for a thousand things of the
 * same kind. With -s, after the first forty only each STRIDE-th allocation fails.
 * One that allocates little is gone through more than once: a slab that has to get
 * a page is one allocation more, this time, and the one behind it is left out.
 *
 * For a kernel with FAILSLAB and FAIL_PAGE_ALLOC, with tracemap loaded and mounted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#include "tracemap_test.h"

#define DIR		"/sys/kernel/tracemap/"
#define ONE_BY_ONE	40	/* allocations, before only some of them fail */
#define RAW		DIR "per_cpu/cpu0/trace_pipe_raw"
#define SUBBUF		4096
#define MAPPED		(7 * SUBBUF)	/* of 16 KiB: 5 slots, a spare, the meta page */

/* what an operation may do if it gets no memory */
enum refusal { REFUSES, NEVER_REFUSES };

/**
 * struct operation - something that allocates
 * @name:	for the report
 * @refusal:	may it report ENOMEM, or has it to do without, whatever fails?
 * @prepare:	makes what it needs; optional
 * @perform:	does it, with as little else as possible; 0 or -errno
 * @untouched:	it has failed: is all as it was before? optional
 * @undo:	it has succeeded: take it back
 */
struct operation {
	const char	*name;
	enum refusal	refusal;
	void		(*prepare)(void);
	int		(*perform)(void);
	bool		(*untouched)(void);
	void		(*undo)(void);
};

static int nth_fd;

static void give_up(const char *what)
{
	ksft_exit_fail_msg("%s: %s\n", what, strerror(errno));
}

static void must(bool good, const char *what)
{
	if (!good)
		give_up(what);
}

static int error_of(long ret)
{
	return ret < 0 ? -errno : 0;
}

static int store(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	int err = error_of(fd);

	if (err)
		return err;
	err = error_of(write(fd, text, strlen(text)));
	close(fd);
	return err;
}

static void set(const char *file, const char *text)
{
	must(!store(file, text), file);
}

static bool contains(const char *file, const char *text)
{
	char got[4096];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	must(fd >= 0, file);
	length = read(fd, got, sizeof(got) - 1);
	must(length >= 0, file);
	close(fd);
	got[length] = '\0';
	return strstr(got, text);
}

static bool reads(const char *file, const char *text)
{
	char line[64];

	snprintf(line, sizeof(line), "\n%s\n", text);
	return contains(file, line + 1);
}

static bool exists(const char *file)
{
	return !access(file, F_OK);
}

/* the module as a file in memory, so that loading it reads no disk */
struct image {
	const char	*name;
	char		*bytes;
	size_t		length;
};

static struct image tracemap = { .name = "tracemap" };
static struct image writer = { .name = "tracemap_test" };

static void read_image(struct image *image, const char *dir)
{
	char path[256];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.ko", dir, image->name);
	fd = open(path, O_RDONLY);
	must(fd >= 0 && !fstat(fd, &st), path);
	image->length = st.st_size;
	image->bytes = malloc(image->length);
	must(image->bytes && read(fd, image->bytes, image->length) == st.st_size, path);
	close(fd);
}

static int load(const struct image *image)
{
	return error_of(syscall(SYS_init_module, image->bytes, image->length, ""));
}

static int unload(const struct image *image)
{
	return error_of(syscall(SYS_delete_module, image->name, O_NONBLOCK));
}

static int module_load(void)
{
	return load(&tracemap);
}

static int module_unload(void)
{
	return unload(&tracemap);
}

static bool module_gone(void)
{
	return !exists("/sys/module/tracemap") && !exists("/sys/kernel/tracemap") &&
	       !contains("/proc/filesystems", "tracemap");
}

static bool module_there(void)
{
	return exists("/sys/module/tracemap") && exists("/sys/kernel/tracemap");
}

static void must_load(void)
{
	must(!module_load(), "load tracemap.ko");
}

static void must_unload(void)
{
	must(!module_unload(), "unload tracemap");
}

static int fs_mount(void)
{
	return error_of(mount("nodev", "/sys/kernel/tracemap", "tracemap", 0, NULL));
}

static bool not_mounted(void)
{
	return !exists(DIR "README");
}

static void must_mount(void)
{
	must(!fs_mount(), "mount");
}

static void must_umount(void)
{
	must(!umount("/sys/kernel/tracemap"), "umount");
}

static int device = -1;

static int buffer_create(void)
{
	struct test_create create = { .size = 8192, .order = 0, .mode = 0 };

	return error_of(ioctl(device, TEST_CREATE, &create));
}

static void must_create(void)
{
	must(!buffer_create(), "TEST_CREATE");
}

static int buffer_destroy(void)
{
	return error_of(ioctl(device, TEST_DESTROY));
}

static void must_destroy(void)
{
	must(!buffer_destroy(), "TEST_DESTROY");
}

static bool no_instance(void)
{
	return !exists(DIR "instances/" TEST_INSTANCE);
}

/* A CPU that comes gets a ring if it has none, so it has to come anew each time. */
#define CPU_ONLINE	"/sys/devices/system/cpu/cpu1/online"

static void cpu_without_ring(void)
{
	must_umount();
	must_unload();
	set(CPU_ONLINE, "0");
	must_load();
	must_mount();
}

static int cpu_up(void)
{
	return store(CPU_ONLINE, "1");
}

static bool cpu_is_down(void)
{
	return reads(CPU_ONLINE, "0");
}

static void nothing(void)
{
}

static int resize(void)
{
	return store(DIR "buffer_size_kb", "32");
}

static bool resize_untouched(void)
{
	return reads(DIR "buffer_size_kb", "16");
}

static void resize_back(void)
{
	set(DIR "buffer_size_kb", "16");
}

static int resize_cpu(void)
{
	return store(DIR "per_cpu/cpu1/buffer_size_kb", "64");
}

static int set_order(void)
{
	return store(DIR "buffer_subbuf_size_kb", "8");
}

static bool order_untouched(void)
{
	return reads(DIR "buffer_subbuf_size_kb", "4");
}

static void order_back(void)
{
	set(DIR "buffer_subbuf_size_kb", "4");
}

static int raw_open(void)
{
	int fd = open(RAW, O_RDONLY | O_NONBLOCK);
	int err = error_of(fd);

	close(fd);
	return err;
}

static int control_open(void)
{
	int fd = open(DIR "trace", O_RDWR | O_TRUNC);
	int err = error_of(fd);

	close(fd);
	return err;
}

static int raw_fd = -1;

static void raw_opened(void)
{
	if (raw_fd < 0)
		raw_fd = open(RAW, O_RDONLY | O_NONBLOCK);
	must(raw_fd >= 0, RAW);
}

static void *mapped;

/* where nothing is near, so that page tables are wanted, too */
#define FAR	((void *)(1UL << 44))

static int map(void)
{
	mapped = mmap(FAR, MAPPED, PROT_READ, MAP_SHARED, raw_fd, 0);
	return error_of(mapped == MAP_FAILED ? -1 : 0);
}

static void unmap(void)
{
	must(!munmap(mapped, MAPPED), "munmap");
}

/* a mapping that is left over would keep its size as it is */
static bool not_mapped(void)
{
	if (resize())
		return false;
	resize_back();
	return true;
}

static bool unread(const char *count)
{
	char line[32];

	snprintf(line, sizeof(line), "entries: %s\n", count);
	return contains(DIR "per_cpu/cpu0/stats", line);
}

static int mark(void)
{
	return store(DIR "trace_marker", "marked");
}

static void one_event(void)
{
	raw_opened();
	if (unread("0"))
		must(!mark(), "trace_marker");
	must(unread("1"), "one event");
}

static bool still_one_event(void)
{
	return unread("1");
}

static int raw_read(void)
{
	char image[SUBBUF];
	int fd = open(RAW, O_RDONLY | O_NONBLOCK);
	int err = error_of(fd);

	if (err)
		return err;
	err = error_of(read(fd, image, sizeof(image)));
	close(fd);
	return err;
}

static int pipe_fds[2];

static int raw_splice(void)
{
	return error_of(splice(raw_fd, NULL, pipe_fds[1], NULL, SUBBUF, SPLICE_F_NONBLOCK));
}

static void empty_pipe(void)
{
	char image[SUBBUF];

	must(read(pipe_fds[0], image, sizeof(image)) == SUBBUF, "pipe");
}

static int epoll_fd;

static int epoll_add(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	return error_of(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, raw_fd, &event));
}

static void epoll_remove(void)
{
	must(!epoll_ctl(epoll_fd, EPOLL_CTL_DEL, raw_fd, NULL), "EPOLL_CTL_DEL");
}

static void no_events(void)
{
	raw_opened();
	close(open(DIR "trace", O_WRONLY | O_TRUNC));
	must(unread("0"), "no events");
}

static bool still_no_events(void)
{
	return unread("0");
}

#define ENABLE_ONE	DIR "events/signal/signal_generate/enable"
#define ENABLE_SOME	DIR "events/irq/enable"

static int enable_one(void)
{
	return store(ENABLE_ONE, "1");
}

static bool one_is_off(void)
{
	return reads(ENABLE_ONE, "0");
}

static bool one_is_on(void)
{
	return reads(ENABLE_ONE, "1");
}

static int switch_fd = -1;

/* opening the file may fail, switching off may not */
static void one_on(void)
{
	if (switch_fd < 0)
		switch_fd = open(ENABLE_ONE, O_WRONLY);
	must(switch_fd >= 0, ENABLE_ONE);
	set(ENABLE_ONE, "1");
}

static int disable_one(void)
{
	return error_of(write(switch_fd, "0", 1));
}

static void one_off(void)
{
	set(ENABLE_ONE, "0");
}

/* Some may be on after an error, as with tracefs. */
static int enable_some(void)
{
	return store(ENABLE_SOME, "1");
}

static void some_off(void)
{
	set(ENABLE_SOME, "0");
	must(reads(ENABLE_SOME, "0"), "a system's events off");
}

static int read_file(const char *file)
{
	char text[4096];
	int fd = open(file, O_RDONLY);
	int err = error_of(fd);

	if (err)
		return err;
	err = error_of(read(fd, text, sizeof(text)));
	close(fd);
	return err;
}

static int read_stats(void)
{
	return read_file(DIR "per_cpu/cpu0/stats");
}

static int read_format(void)
{
	return read_file(DIR "events/sched/sched_switch/format");
}

static int read_names(void)
{
	return read_file(DIR "saved_cmdlines");
}

/* with the module not loaded */
static const struct operation unloaded[] = {
	{ "load", REFUSES, NULL, module_load, module_gone, must_unload },
	{ "unload", NEVER_REFUSES, must_load, module_unload, module_there, nothing },
};

/* with the module loaded, the file system not mounted */
static const struct operation loaded[] = {
	{ "create a buffer", REFUSES, NULL, buffer_create, NULL, must_destroy },
	{ "destroy a buffer", NEVER_REFUSES, must_create, buffer_destroy, NULL, nothing },
	{ "mount", REFUSES, NULL, fs_mount, not_mounted, must_umount },
};

static const struct operation mounted[] = {
	{ "create a buffer with files", REFUSES, NULL, buffer_create, no_instance, must_destroy },
	{ "resize", REFUSES, NULL, resize, resize_untouched, resize_back },
	{ "resize one CPU", REFUSES, NULL, resize_cpu, resize_untouched, resize_back },
	{ "resize sub-buffers", REFUSES, NULL, set_order, order_untouched, order_back },
	{ "open trace_pipe_raw", REFUSES, NULL, raw_open, not_mapped, nothing },
	{ "open a control file", REFUSES, NULL, control_open, not_mapped, nothing },
	{ "mmap", REFUSES, raw_opened, map, not_mapped, unmap },
	{ "read", REFUSES, one_event, raw_read, still_one_event, nothing },
	{ "splice", REFUSES, one_event, raw_splice, still_one_event, empty_pipe },
	{ "epoll", REFUSES, raw_opened, epoll_add, not_mapped, epoll_remove },
	{ "write a marker", REFUSES, no_events, mark, still_no_events, nothing },
	{ "enable an event", REFUSES, NULL, enable_one, one_is_off, one_off },
	{ "disable an event", NEVER_REFUSES, one_on, disable_one, one_is_on, nothing },
	{ "enable a system", REFUSES, some_off, enable_some, NULL, some_off },
	{ "read stats", REFUSES, NULL, read_stats, NULL, nothing },
	{ "read a format", REFUSES, NULL, read_format, NULL, nothing },
	{ "read saved_cmdlines", REFUSES, NULL, read_names, NULL, nothing },
};

/* with nothing open */
static const struct operation hotplug[] = {
	{ "a CPU comes", REFUSES, cpu_without_ring, cpu_up, cpu_is_down, nothing },
};

static void arm(unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	must(pwrite(nth_fd, text, length, 0) == length, "fail-nth");
}

/* Has the allocation that was to fail come, and failed? */
static bool disarm(void)
{
	char text[16] = "";

	must(pread(nth_fd, text, sizeof(text) - 1, 0) > 0, "fail-nth");
	arm(0);
	return atoi(text) == 0;
}

/**
 * struct tally - how an operation has come through
 * @nth:	the allocation that fails, or was the last to fail
 * @failed:	how many have
 * @refused:	how many made the operation report an error
 * @wrong:	what it should not have done
 */
struct tally {
	unsigned int	nth;
	unsigned int	failed;
	unsigned int	refused;
	unsigned int	wrong;
};

static unsigned int stride = 1;

static void prepare(const struct operation *op)
{
	if (op->prepare)
		op->prepare();
}

static void refused(const struct operation *op, struct tally *tally, int err)
{
	tally->refused++;
	if (err != -ENOMEM || op->refusal == NEVER_REFUSES) {
		tally->wrong++;
		ksft_print_msg("%s: %s, allocation %u\n", op->name, strerror(-err),
			       tally->nth);
	}
	if (op->untouched && !op->untouched()) {
		tally->wrong++;
		ksft_print_msg("%s: something is left, allocation %u\n", op->name,
			       tally->nth);
	}
	prepare(op);
	err = op->perform();
	if (err)
		ksft_exit_fail_msg("%s: %s after allocation %u has failed once\n",
				   op->name, strerror(-err), tally->nth);
}

/* Let the next allocation fail; false if there were not so many. */
static bool try(const struct operation *op, struct tally *tally)
{
	bool fired;
	int err;

	prepare(op);
	tally->nth += tally->nth < ONE_BY_ONE ? 1 : stride;
	arm(tally->nth);
	err = op->perform();
	fired = disarm();
	if (!fired && err)
		ksft_exit_fail_msg("%s: %s, with nothing that failed\n", op->name,
				   strerror(-err));
	tally->failed += fired;
	if (err)
		refused(op, tally, err);
	op->undo();
	return fired;
}

static void walk(const struct operation *op)
{
	struct tally tally = {};
	time_t start = time(NULL);

	do {
		tally.nth = 0;
		while (try(op, &tally))
			;
	} while (tally.failed && tally.failed < ONE_BY_ONE);
	ksft_print_msg("%s: %u allocations failed, %u of them refused it, %ld s\n", op->name,
		       tally.failed, tally.refused, (long)(time(NULL) - start));
	/* a walk on which nothing went wrong was no walk */
	if (!tally.refused && op->refusal == REFUSES)
		tally.wrong++;
	ksft_test_result(!tally.wrong, "%s\n", op->name);
}

/* those that were named, if any were */
static char **wanted;

static bool is_wanted(const char *name)
{
	char **each;

	for (each = wanted; *each; each++) {
		if (!strcmp(*each, name))
			return true;
	}
	return !*wanted;
}

static void walk_all(const struct operation *ops, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (is_wanted(ops[i].name))
			walk(&ops[i]);
	}
}

/* Allocations that could wait, and single pages, are spared by default. */
static void set_up_faults(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc" };
	char path[64];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/ignore-gfp-wait", kinds[i]);
		set(path, "N");
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s/verbose", kinds[i]);
		set(path, "0");
	}
	set("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	must(nth_fd >= 0, "/proc/thread-self/fail-nth");
}

static void open_device(void)
{
	must(!load(&writer), "load tracemap_test.ko");
	device = open("/dev/tracemap_test", O_RDWR);
	must(device >= 0, "/dev/tracemap_test");
}

static void close_device(void)
{
	close(device);
	must(!unload(&writer), "unload tracemap_test");
}

static void walk_mounted(void)
{
	cpu_set_t cpu0;

	CPU_ZERO(&cpu0);
	CPU_SET(0, &cpu0);
	must(!sched_setaffinity(0, sizeof(cpu0), &cpu0), "sched_setaffinity");
	must_mount();
	set(DIR "buffer_size_kb", "16");
	set(DIR "buffer_percent", "0");
	must(!pipe(pipe_fds), "pipe");
	epoll_fd = epoll_create1(0);
	must(epoll_fd >= 0, "epoll_create1");
	walk_all(mounted, ARRAY_SIZE(mounted));
	close(raw_fd);
	close(switch_fd);
}

static void read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:")) != -1) {
		if (option != 's' || atoi(optarg) < 1)
			ksft_exit_fail_msg("usage: %s [-s STRIDE] [OPERATION...]\n", argv[0]);
		stride = atoi(optarg);
	}
	wanted = argv + optind;
}

int main(int argc, char **argv)
{
	const char *dir = getenv("TRACEMAP_MODULES");

	must(dir, "TRACEMAP_MODULES");
	read_options(argc, argv);
	ksft_print_header();
	ksft_set_plan(*wanted ? (unsigned int)(argc - optind) :
		      ARRAY_SIZE(unloaded) + ARRAY_SIZE(loaded) + ARRAY_SIZE(mounted) +
		      ARRAY_SIZE(hotplug));
	read_image(&tracemap, dir);
	read_image(&writer, dir);
	set_up_faults();

	must_umount();
	must_unload();
	walk_all(unloaded, ARRAY_SIZE(unloaded));
	must_load();
	open_device();
	walk_all(loaded, ARRAY_SIZE(loaded));
	walk_mounted();
	close_device();
	walk_all(hotplug, ARRAY_SIZE(hotplug));
	ksft_finished();
}
