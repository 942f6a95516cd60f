// SPDX-License-Identifier: GPL-2.0
/*
 * What can be mapped, what is refused and how, and what a mapping keeps alive.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#include "common.h"

FIXTURE(mapping) {
	int	fd;
	size_t	page;
	size_t	subbuf;
	size_t	length;
};

FIXTURE_VARIANT(mapping) {
	unsigned int	kb;
};

FIXTURE_VARIANT_ADD(mapping, subbuf_4k) { .kb = 4 };
FIXTURE_VARIANT_ADD(mapping, subbuf_8k) { .kb = 8 };
FIXTURE_VARIANT_ADD(mapping, subbuf_64k) { .kb = 64 };

FIXTURE_SETUP(mapping)
{
	struct ring_map map;

	pin(0);
	control_setup(variant->kb, variant->kb * 8);
	ASSERT_EQ(ring_map(&map, 0, O_NONBLOCK), 0);
	self->subbuf = map.meta->subbuf_size;
	self->length = map.length;
	ring_unmap(&map);
	self->page = getpagesize();
	ASSERT_EQ(self->subbuf, variant->kb * 1024);

	self->fd = raw_open(0, O_RDONLY | O_NONBLOCK);
	ASSERT_GE(self->fd, 0);
}

FIXTURE_TEARDOWN(mapping)
{
	close(self->fd);
	control_defaults();
}

/* the errno of an mmap, 0 if it worked; what it mapped is unmapped again */
static int try_mmap(int fd, size_t length, int prot, int flags, off_t offset)
{
	void *at = mmap(NULL, length, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return errno;
	munmap(at, length);
	return 0;
}

/* another size, and back: works unless the ring is mapped */
static int try_resize(void)
{
	char kb[16], other[16];
	int err;

	snprintf(kb, sizeof(kb), "%lld", control_number("buffer_size_kb"));
	snprintf(other, sizeof(other), "%lld", control_number("buffer_size_kb") * 2);
	err = control_write("buffer_size_kb", other);
	return err ? err : control_write("buffer_size_kb", kb);
}

TEST_F(mapping, private_writable_and_executable_are_refused)
{
	int fd = raw_open(0, O_RDWR | O_NONBLOCK);

	EXPECT_EQ(try_mmap(self->fd, self->length, PROT_READ, MAP_PRIVATE, 0), EPERM);
	EXPECT_EQ(try_mmap(self->fd, self->length, PROT_READ | PROT_EXEC, MAP_SHARED, 0), EPERM);
	/* a descriptor that is read-only is refused by the VFS already */
	EXPECT_EQ(try_mmap(self->fd, self->length, PROT_READ | PROT_WRITE, MAP_SHARED, 0), EACCES);

	ASSERT_GE(fd, 0);
	EXPECT_EQ(try_mmap(fd, self->length, PROT_READ | PROT_WRITE, MAP_SHARED, 0), EPERM);
	EXPECT_EQ(try_mmap(fd, self->length, PROT_WRITE, MAP_SHARED_VALIDATE, 0), EPERM);
	EXPECT_EQ(try_mmap(fd, self->length, PROT_READ, MAP_SHARED, 0), 0);
	close(fd);
}

TEST_F(mapping, stays_read_only)
{
	int fd = raw_open(0, O_RDWR | O_NONBLOCK);
	void *at = mmap(NULL, self->length, PROT_READ, MAP_SHARED, fd, 0);

	ASSERT_NE(at, MAP_FAILED);
	EXPECT_EQ(mprotect(at, self->length, PROT_READ | PROT_WRITE), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(mprotect(at, self->length, PROT_READ | PROT_EXEC), -1);
	EXPECT_EQ(errno, EACCES);
	munmap(at, self->length);
	close(fd);
}

TEST_F(mapping, ranges_outside_are_refused)
{
	const int read = PROT_READ, shared = MAP_SHARED;
	size_t offset;

	EXPECT_EQ(try_mmap(self->fd, self->length + self->page, read, shared, 0), EINVAL);
	EXPECT_EQ(try_mmap(self->fd, self->page, read, shared, self->length), EINVAL);
	EXPECT_EQ(try_mmap(self->fd, self->subbuf, read, shared, self->length + self->subbuf),
		  EINVAL);
	EXPECT_EQ(try_mmap(self->fd, 2 * self->subbuf, read, shared, self->length - self->subbuf),
		  EINVAL);
	/* the largest page offset there can be */
	EXPECT_NE(try_mmap(self->fd, self->page, read, shared, 0x7ffffffffffff000), 0);
	for (offset = self->page; offset < self->subbuf; offset += self->page)
		EXPECT_EQ(try_mmap(self->fd, self->page, read, shared, offset), EINVAL);
}

TEST_F(mapping, starts_at_any_subbuf)
{
	size_t offset;

	for (offset = 0; offset < self->length; offset += self->subbuf) {
		EXPECT_EQ(try_mmap(self->fd, self->page, PROT_READ, MAP_SHARED, offset), 0);
		EXPECT_EQ(try_mmap(self->fd, self->length - offset, PROT_READ, MAP_SHARED,
				   offset), 0);
	}
}

TEST_F(mapping, refused_ones_leave_nothing_behind)
{
	int i;

	for (i = 0; i < 100; i++) {
		try_mmap(self->fd, self->length, PROT_READ, MAP_PRIVATE, 0);
		try_mmap(self->fd, self->length, PROT_READ | PROT_EXEC, MAP_SHARED, 0);
		try_mmap(self->fd, self->length + self->page, PROT_READ, MAP_SHARED, 0);
	}
	EXPECT_EQ(try_resize(), 0);
}

TEST_F(mapping, keeps_the_geometry)
{
	void *at = mmap(NULL, self->page, PROT_READ, MAP_SHARED, self->fd, 0);
	char before[64], after[64];

	ASSERT_NE(at, MAP_FAILED);
	control_write("tracing_on", "1");
	ASSERT_EQ(mark(1), 0);
	ASSERT_EQ(control_read("buffer_size_kb", before, sizeof(before)), 0);
	EXPECT_EQ(try_resize(), -EBUSY);
	EXPECT_EQ(control_write("per_cpu/cpu0/buffer_size_kb", "1000"), -EBUSY);
	EXPECT_EQ(control_write("buffer_subbuf_size_kb", variant->kb == 4 ? "8" : "4"), -EBUSY);
	EXPECT_EQ(control_number("buffer_subbuf_size_kb"), variant->kb);
	ASSERT_EQ(control_read("buffer_size_kb", after, sizeof(after)), 0);
	EXPECT_STREQ(before, after);
	EXPECT_EQ(stat_of(0, "entries"), 1);
	EXPECT_EQ(mark(2), 0);

	munmap(at, self->page);
	EXPECT_EQ(try_resize(), 0);
	EXPECT_EQ(control_write("buffer_subbuf_size_kb", variant->kb == 4 ? "8" : "4"), 0);
}

TEST_F(mapping, several_show_the_same)
{
	char *whole = mmap(NULL, self->length, PROT_READ, MAP_SHARED, self->fd, 0);
	char *meta = mmap(NULL, self->subbuf, PROT_READ, MAP_SHARED, self->fd, 0);
	char *rest = mmap(NULL, self->length - self->subbuf, PROT_READ, MAP_SHARED, self->fd,
			  self->subbuf);
	int i;

	ASSERT_NE(whole, MAP_FAILED);
	ASSERT_NE(meta, MAP_FAILED);
	ASSERT_NE(rest, MAP_FAILED);
	control_write("tracing_on", "1");
	for (i = 0; i < 2000; i++)
		mark(i);
	control_write("tracing_on", "0");
	EXPECT_EQ(ioctl(self->fd, TRACE_MMAP_IOCTL_GET_READER), 0);

	EXPECT_EQ(memcmp(whole, meta, self->subbuf), 0);
	EXPECT_EQ(memcmp(whole + self->subbuf, rest, self->length - self->subbuf), 0);

	munmap(whole, self->length);
	EXPECT_EQ(try_resize(), -EBUSY);
	munmap(rest, self->length - self->subbuf);
	EXPECT_EQ(try_resize(), -EBUSY);
	munmap(meta, self->subbuf);
	EXPECT_EQ(try_resize(), 0);
}

static unsigned long sum(const char *at, size_t length)
{
	unsigned long total = 0;
	size_t i;

	for (i = 0; i < length; i++)
		total += ((const volatile unsigned char *)at)[i];
	return total;
}

TEST_F(mapping, cannot_be_cut)
{
	char *at = mmap(NULL, self->length, PROT_READ, MAP_SHARED, self->fd, 0);
	char *middle;

	ASSERT_NE(at, MAP_FAILED);
	middle = at + self->length / 2 / self->page * self->page;
	EXPECT_EQ(munmap(middle, self->page), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(munmap(at, self->page), -1);
	EXPECT_EQ(mprotect(middle, self->page, PROT_NONE), -1);
	EXPECT_EQ(mmap(middle, self->page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		       -1, 0), MAP_FAILED);
	EXPECT_EQ(mremap(at, self->length, self->length - self->page, 0), MAP_FAILED);
	EXPECT_EQ(mremap(at, self->length, self->length + self->page, MREMAP_MAYMOVE), MAP_FAILED);

	EXPECT_GT(sum(at, self->length), 0);
	EXPECT_EQ(try_resize(), -EBUSY);
	EXPECT_EQ(munmap(at, self->length), 0);
	EXPECT_EQ(try_resize(), 0);
}

TEST_F(mapping, can_be_moved)
{
	char *at = mmap(NULL, self->length, PROT_READ, MAP_SHARED, self->fd, 0);
	char *to = mmap(NULL, self->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct tracemap_meta *meta;

	ASSERT_NE(at, MAP_FAILED);
	meta = mremap(at, self->length, self->length, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	ASSERT_EQ((char *)meta, to);
	EXPECT_EQ(meta->subbuf_size, self->subbuf);
	EXPECT_GT(sum(to, self->length), 0);
	EXPECT_EQ(try_resize(), -EBUSY);
	EXPECT_EQ(munmap(to, self->length), 0);
	EXPECT_EQ(try_resize(), 0);
}

TEST_F(mapping, outlives_its_file)
{
	struct tracemap_meta *meta = mmap(NULL, self->length, PROT_READ, MAP_SHARED, self->fd, 0);

	ASSERT_NE(meta, MAP_FAILED);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(try_resize(), -EBUSY);

	/* still the buffer that events go to, and whose files count */
	control_write("tracing_on", "1");
	EXPECT_EQ(mark(1), 0);
	control_write("tracing_on", "0");
	self->fd = raw_open(0, O_RDONLY | O_NONBLOCK);
	EXPECT_EQ(ioctl(self->fd, TRACE_MMAP_IOCTL_GET_READER), 0);
	EXPECT_EQ(meta->read, 1);

	munmap(meta, self->length);
	EXPECT_EQ(try_resize(), 0);
}

/* runs in a child; its status is what try() returned, 255 if it was killed */
static int in_child(int (*try)(const char *at, size_t length), const char *at, size_t length)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(try(at, length));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int touch(const char *at, size_t length)
{
	signal(SIGSEGV, SIG_DFL);
	return sum(at, length) == 0;
}

TEST_F(mapping, fork_does_not_inherit_it)
{
	char *at = mmap(NULL, self->length, PROT_READ, MAP_SHARED, self->fd, 0);

	ASSERT_NE(at, MAP_FAILED);
	EXPECT_EQ(in_child(touch, at, self->length), 255);
	EXPECT_EQ(try_resize(), -EBUSY);
	munmap(at, self->length);
	EXPECT_EQ(try_resize(), 0);
}

TEST_F(mapping, fork_inherits_it_if_told_to)
{
	char *at = mmap(NULL, self->length, PROT_READ, MAP_SHARED, self->fd, 0);

	ASSERT_NE(at, MAP_FAILED);
	if (madvise(at, self->length, MADV_DOFORK)) {
		ASSERT_EQ(errno, EINVAL);
		munmap(at, self->length);
		SKIP(return, "this kernel does not let it be inherited");
	}
	EXPECT_EQ(in_child(touch, at, self->length), 0);
	EXPECT_EQ(try_resize(), -EBUSY);
	munmap(at, self->length);
	EXPECT_EQ(try_resize(), 0);
}

static int be_killed(const char *at, size_t length)
{
	return kill(getpid(), SIGKILL);
}

TEST_F(mapping, kill_takes_it_away)
{
	char *at = mmap(NULL, self->length, PROT_READ, MAP_SHARED, self->fd, 0);

	ASSERT_NE(at, MAP_FAILED);
	madvise(at, self->length, MADV_DOFORK);
	EXPECT_EQ(in_child(be_killed, at, self->length), 255);
	munmap(at, self->length);
	EXPECT_EQ(try_resize(), 0);
}

TEST_F(mapping, every_subbuf_can_be_touched)
{
	struct ring_map map;
	uint32_t id;
	int i, round;

	ASSERT_EQ(ring_map(&map, 0, O_NONBLOCK), 0);
	control_write("tracing_on", "1");
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 50; i++)
			mark(i);
		ASSERT_EQ(get_reader(&map), 0);
		ASSERT_LT(map.meta->reader.id, map.meta->nr_subbufs);
		for (id = 0; id < map.meta->nr_subbufs; id++)
			sum(subbuf_at(&map, id), self->subbuf);
	}
	ring_unmap(&map);
}

TEST_HARNESS_MAIN
