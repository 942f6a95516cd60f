// SPDX-License-Identifier: GPL-2.0
/*
 * The meta page, GET_READER and read(2): what a reader is given, in which order,
 * and what it is told of what it was not given.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

#include "common.h"

FIXTURE(reader) {
	struct ring_map	map;
	struct sequence	seq;
};

FIXTURE_VARIANT(reader) {
	unsigned int	kb;
};

FIXTURE_VARIANT_ADD(reader, subbuf_4k) { .kb = 4 };
FIXTURE_VARIANT_ADD(reader, subbuf_8k) { .kb = 8 };
FIXTURE_VARIANT_ADD(reader, subbuf_64k) { .kb = 64 };

FIXTURE_SETUP(reader)
{
	pin(0);
	control_setup(variant->kb, variant->kb * 4);
	ASSERT_EQ(ring_map(&self->map, 0, O_NONBLOCK), 0);
	control_write("tracing_on", "1");
}

FIXTURE_TEARDOWN(reader)
{
	ring_unmap(&self->map);
	control_defaults();
}

static void mark_range(uint64_t from, uint64_t to)
{
	for (; from < to; from++)
		mark(from);
}

/* markers that fill some sub-buffers for sure */
static unsigned int subbufs_of_marks(unsigned int kb, unsigned int subbufs)
{
	return kb * 1024 / 24 * subbufs;
}

TEST_F(reader, meta_page_tells_the_geometry)
{
	struct tracemap_meta *meta = self->map.meta;
	const char *padding = (char *)meta;
	unsigned int i;

	EXPECT_EQ(meta->meta_struct_len, sizeof(*meta));
	EXPECT_EQ(meta->meta_page_size, variant->kb * 1024);
	EXPECT_EQ(meta->subbuf_size, variant->kb * 1024);
	/* slots for the size that was asked for, headers not counted, and the spare */
	EXPECT_EQ(meta->nr_subbufs, 6);
	EXPECT_EQ(meta->flags, 0);
	EXPECT_EQ(meta->reader.id, 0);
	EXPECT_EQ(meta->reader.read, 0);
	EXPECT_EQ(meta->reader.lost_events, 0);
	EXPECT_EQ(meta->entries, 0);
	EXPECT_EQ(meta->read, 0);
	for (i = meta->meta_struct_len; i < meta->meta_page_size; i++)
		ASSERT_EQ(padding[i], 0);
}

TEST_F(reader, needs_a_mapping)
{
	int fd;

	ring_unmap(&self->map);
	fd = raw_open(0, O_RDONLY | O_NONBLOCK);
	EXPECT_EQ(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER), -1);
	EXPECT_EQ(errno, ENODEV);
	close(fd);

	/* at once, though this one may wait */
	fd = raw_open(0, O_RDONLY);
	EXPECT_EQ(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER), -1);
	EXPECT_EQ(errno, ENODEV);
	close(fd);
}

TEST_F(reader, knows_its_ioctls)
{
	EXPECT_EQ(ioctl(self->map.fd, _IO('R', 0x21)), -1);
	EXPECT_EQ(errno, ENOTTY);
	EXPECT_EQ(ioctl(self->map.fd, 0), 0);
}

TEST_F(reader, empty_changes_nothing)
{
	EXPECT_EQ(get_reader(&self->map), 0);
	EXPECT_EQ(self->map.meta->reader.id, 0);
	EXPECT_EQ(self->map.meta->reader.read, 0);
}

TEST_F(reader, counts_as_mainline_does)
{
	struct tracemap_meta *meta = self->map.meta;
	int i;

	mark_range(0, 16);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(get_reader(&self->map), 0);
		EXPECT_EQ(meta->entries, 16);
		EXPECT_EQ(meta->overrun, 0);
		EXPECT_EQ(meta->read, 16);
		EXPECT_EQ(meta->reader.id, 1);
	}
}

TEST_F(reader, sees_a_held_subbuf_grow)
{
	struct tracemap_meta *meta = self->map.meta;
	uint32_t read;

	mark_range(0, 3);
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.count, 3);
	read = meta->reader.read;

	mark_range(3, 6);
	drain(&self->map, &self->seq);
	EXPECT_EQ(meta->reader.id, 1);
	EXPECT_GT(meta->reader.read, read);
	EXPECT_EQ(self->seq.count, 6);

	/* and on, through all sub-buffers and round the ring */
	mark_range(6, 2000);
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.disorder, 0);
	EXPECT_EQ(self->seq.next, 2000);
}

TEST_F(reader, that_keeps_up_moves_no_subbuf)
{
	unsigned int marks = subbufs_of_marks(variant->kb, 20);
	unsigned int i;

	for (i = 0; i < marks; i++) {
		mark(i);
		if (i % 50 == 0)
			drain(&self->map, &self->seq);
	}
	control_write("tracing_on", "0");
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.count, marks);
	EXPECT_EQ(self->seq.disorder, 0);
	EXPECT_FALSE(self->seq.backwards);
	EXPECT_EQ(stat_of(0, "overrun"), 0);
	EXPECT_EQ(stat_of(0, "exchanges"), 0);
	EXPECT_GE(stat_of(0, "sub-buffers read"), 19);
	EXPECT_TRUE(stats_add_up(0));
}

TEST_F(reader, keeps_what_it_holds_when_lapped)
{
	unsigned int marks = subbufs_of_marks(variant->kb, 12);
	struct tracemap_meta *meta = self->map.meta;
	struct sequence again = {};
	uint32_t read;
	const void *held;
	long long lost;
	char *copy;

	mark_range(0, 10);
	drain(&self->map, &self->seq);
	held = subbuf_at(&self->map, meta->reader.id);
	read = meta->reader.read;
	copy = malloc(read);
	memcpy(copy, (char *)held + SUBBUF_HEADER, read);

	/* twice round the ring, with the reader where it is */
	mark_range(10, marks);
	control_write("tracing_on", "0");
	EXPECT_EQ(memcmp(copy, (char *)held + SUBBUF_HEADER, read), 0);
	free(copy);
	EXPECT_EQ(stat_of(0, "exchanges"), 1);

	/* what is left of the held one, then a gap that is told to the event */
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.disorder, 0);
	EXPECT_EQ(self->seq.next, marks);
	EXPECT_GT(self->seq.lost, 0);
	EXPECT_EQ(self->seq.lost, stat_of(0, "overrun"));
	EXPECT_EQ(self->seq.count + self->seq.lost, marks);
	EXPECT_EQ(stat_of(0, "entries"), 0);
	EXPECT_TRUE(stats_add_up(0));

	/* nothing is read twice */
	drain(&self->map, &again);
	EXPECT_EQ(again.count, 0);
	lost = meta->reader.lost_events;
	EXPECT_EQ(lost, 0);
}

TEST_F(reader, is_told_of_the_loss_in_the_subbuf_too)
{
	struct tracemap_meta *meta = self->map.meta;
	long long missed;

	mark_range(0, subbufs_of_marks(variant->kb, 12));
	control_write("tracing_on", "0");
	ASSERT_EQ(get_reader(&self->map), 0);
	EXPECT_GT(meta->reader.lost_events, 0);
	EXPECT_EQ(meta->reader.lost_events, stat_of(0, "overrun"));
	missed = missed_before(subbuf_at(&self->map, meta->reader.id));
	/* its number is there if there was room behind the events */
	if (missed != -1)
		EXPECT_EQ(missed, meta->reader.lost_events);
}

TEST_F(reader, drops_when_full_and_says_where)
{
	unsigned int marks = subbufs_of_marks(variant->kb, 12);
	uint64_t dropped, lost;
	unsigned int i;

	control_write("options/overwrite", "0");
	for (i = 0; i < marks; i++)
		mark(i);
	dropped = stat_of(0, "dropped events");
	EXPECT_GT(dropped, 0);
	EXPECT_EQ(stat_of(0, "overrun"), 0);

	/* no gap in what is there: what was refused comes after it */
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.disorder, 0);
	EXPECT_EQ(self->seq.lost, 0);
	EXPECT_EQ(self->seq.count, marks - dropped);

	/* and is told of before what gets in next */
	for (; i < marks + 10; i++)
		EXPECT_EQ(mark(i), 0);
	control_write("tracing_on", "0");
	lost = stat_of(0, "dropped events");
	EXPECT_EQ(lost, dropped);
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.lost, lost);
	EXPECT_EQ(self->seq.disorder, 0);
	EXPECT_EQ(self->seq.next, marks + 10);
	EXPECT_EQ(stat_of(0, "exchanges") <= 1, 1);
	EXPECT_TRUE(stats_add_up(0));
}

TEST_F(reader, second_mapping_starts_where_the_first_was)
{
	struct sequence seq = { .next = 10 };

	mark_range(0, 10);
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.count, 10);
	ring_unmap(&self->map);

	mark_range(10, 20);
	ASSERT_EQ(ring_map(&self->map, 0, O_NONBLOCK), 0);
	EXPECT_GT(self->map.meta->reader.read, 0);
	drain(&self->map, &seq);
	EXPECT_EQ(seq.count, 10);
	EXPECT_EQ(seq.next, 20);
	EXPECT_EQ(seq.lost, 0);
}

/* what stands in an image behind its time */
static unsigned long commit_of(const char *image)
{
	unsigned long commit;

	memcpy(&commit, image + 8, sizeof(commit));
	return commit;
}

TEST_F(reader, read_and_mapping_share_the_events)
{
	uint32_t size = self->map.meta->subbuf_size;
	struct sequence by_read = { .next = 10 };
	char *image = malloc(size);
	uint64_t time;

	mark_range(0, 10);
	drain(&self->map, &self->seq);
	time = self->seq.time;
	mark_range(10, 20);

	/* an image of the second half, whose times go on */
	ASSERT_EQ(read(self->map.fd, image, size), size);
	EXPECT_EQ(for_each_marker(image, 0, commit_of(image), sequence_add, &by_read), 10);
	EXPECT_EQ(by_read.lost, 0);
	EXPECT_EQ(by_read.next, 20);
	EXPECT_GE(by_read.time, time);
	EXPECT_FALSE(by_read.backwards);

	/* the mapping knows */
	EXPECT_EQ(self->map.meta->read, 20);
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.count, 10);
	EXPECT_EQ(read(self->map.fd, image, size), -1);
	EXPECT_EQ(errno, EAGAIN);

	/* and the times are those that the mapping shows */
	self->seq = (struct sequence) {};
	for_each_marker(subbuf_at(&self->map, self->map.meta->reader.id), 0, ~0U,
			sequence_add, &self->seq);
	EXPECT_EQ(self->seq.time, by_read.time);
	free(image);
}

/* One image by way of a pipe: its events' bytes, or -1. */
static int splice_image(int fd, char *image, uint32_t size)
{
	uint32_t got = 0;
	int ends[2], err;
	ssize_t ret;

	if (pipe(ends))
		return -1;
	ret = splice(fd, NULL, ends[1], NULL, size, 0);
	err = errno;
	while (ret == size && got < size)
		got += read(ends[0], image + got, size - got);
	close(ends[0]);
	close(ends[1]);
	errno = err;
	if (ret != size)
		return -1;
	return commit_of(image) & 0xfffff;
}

/* What was spliced is a copy of what stays mapped, and GET_READER goes on after it. */
TEST_F(reader, splice_and_mapping_share_the_events)
{
	unsigned int marks = subbufs_of_marks(variant->kb, 3);
	struct tracemap_meta *meta = self->map.meta;
	uint32_t size = meta->subbuf_size;
	char *image = malloc(size);
	const char *shown;
	int bytes, round;

	/* anything is worth splicing then */
	ASSERT_EQ(control_write("buffer_percent", "0"), 0);
	for (round = 0; round < 10; round++) {
		mark_range(round * marks, (round + 1) * marks);
		bytes = splice_image(self->map.fd, image, size);
		ASSERT_GT(bytes, 0);
		for_each_marker(image, 0, bytes, sequence_add, &self->seq);
		ASSERT_LT(meta->reader.id, meta->nr_subbufs);
		ASSERT_GE(meta->reader.read, bytes);
		shown = subbuf_at(&self->map, meta->reader.id);
		EXPECT_EQ(memcmp(image + SUBBUF_HEADER,
				 shown + SUBBUF_HEADER + meta->reader.read - bytes, bytes), 0);
		EXPECT_LT(self->seq.count, (round + 1) * marks);

		drain(&self->map, &self->seq);
		ASSERT_LT(meta->reader.id, meta->nr_subbufs);
		EXPECT_EQ(self->seq.count, (round + 1) * marks);
	}
	EXPECT_EQ(splice_image(self->map.fd, image, size), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(self->seq.lost, 0);
	EXPECT_EQ(self->seq.disorder, 0);
	EXPECT_FALSE(self->seq.backwards);
	EXPECT_EQ(stat_of(0, "read events"), self->seq.count);
	EXPECT_TRUE(stats_add_up(0));
	free(image);
}

TEST_F(reader, read_goes_on_in_the_middle)
{
	uint32_t size = self->map.meta->subbuf_size;
	char *whole = malloc(size);
	uint64_t got;
	ssize_t ret;

	mark_range(0, 10);
	for (got = 0; got < size; got += ret) {
		ret = read(self->map.fd, whole + got, size - got < 100 ? size - got : 100);
		ASSERT_GT(ret, 0);
	}
	EXPECT_EQ(for_each_marker(whole, 0, commit_of(whole), sequence_add, &self->seq), 10);
	EXPECT_EQ(self->seq.next, 10);
	EXPECT_EQ(read(self->map.fd, whole, size), -1);
	EXPECT_EQ(errno, EAGAIN);
	free(whole);
}

TEST_F(reader, reset_forgets_and_goes_on)
{
	struct tracemap_meta *meta = self->map.meta;
	uint32_t id;

	mark_range(0, 500);
	ASSERT_EQ(get_reader(&self->map), 0);
	id = meta->reader.id;
	ASSERT_EQ(control_write("trace", ""), 0);
	EXPECT_EQ(meta->reader.id, id);
	EXPECT_EQ(meta->reader.read, 0);
	EXPECT_EQ(meta->entries, 0);
	EXPECT_EQ(stat_of(0, "reserved"), 0);
	EXPECT_EQ(get_reader(&self->map), 0);
	EXPECT_EQ(meta->read, 0);

	mark_range(0, 500);
	control_write("tracing_on", "0");
	drain(&self->map, &self->seq);
	EXPECT_EQ(self->seq.next, 500);
	EXPECT_EQ(self->seq.count + stat_of(0, "overrun"), 500);
	EXPECT_EQ(self->seq.disorder, 0);
	EXPECT_TRUE(stats_add_up(0));
}

static int last_possible_cpu(void)
{
	int first = 0, last = 0;
	FILE *file = fopen("/sys/devices/system/cpu/possible", "r");

	if (!file || fscanf(file, "%d-%d", &first, &last) < 1)
		last = -1;
	if (file)
		fclose(file);
	return last > first ? last : first;
}

TEST_F(reader, every_possible_cpu_has_a_file)
{
	int cpu, fd, last = last_possible_cpu();
	struct pollfd pollfd = { .events = POLLIN };
	char image[16];

	ASSERT_GE(last, sysconf(_SC_NPROCESSORS_ONLN) - 1);
	for (cpu = 0; cpu <= last; cpu++) {
		fd = raw_open(cpu, O_RDONLY | O_NONBLOCK);
		/* one that never was there has no ring */
		if (fd < 0) {
			EXPECT_EQ(fd, -ENODEV);
			continue;
		}
		pollfd.fd = fd;
		EXPECT_EQ(poll(&pollfd, 1, 0), 0);
		EXPECT_EQ(ioctl(fd, 0), 0);
		EXPECT_EQ(read(fd, image, sizeof(image)), -1);
		EXPECT_EQ(errno, EAGAIN);
		close(fd);
	}
	EXPECT_EQ(raw_open(last + 1, O_RDONLY), -ENOENT);
	EXPECT_EQ(raw_open(100000, O_RDONLY), -ENOENT);
}

TEST_HARNESS_MAIN
