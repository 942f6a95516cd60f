// SPDX-License-Identifier: GPL-2.0
/*
 * trace_marker and trace_marker_raw: what is stored, how much of it, and what
 * becomes of memory that is not there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness.h"

#include "common.h"

#define SUBBUF		(16 * 1024)
#define MAX_TEXT	4096

FIXTURE(marker) {
	unsigned int text_at;	/* in a record */
	unsigned int raw_at;
	int	text;
	int	raw;
	int	fd;
	char	*image;
};

FIXTURE_SETUP(marker)
{
	pin(0);
	control_setup(SUBBUF / 1024, 256);
	control_write("tracing_on", "1");
	self->text_at = marker_text_at();
	self->raw_at = field_at("ftrace/raw_data", "id");
	self->text = control_open("trace_marker", O_WRONLY);
	self->raw = control_open("trace_marker_raw", O_WRONLY);
	self->fd = raw_open(0, O_RDONLY | O_NONBLOCK);
	ASSERT_GE(self->text, 0);
	ASSERT_GE(self->raw, 0);
	ASSERT_GE(self->fd, 0);
	self->image = malloc(SUBBUF);
}

FIXTURE_TEARDOWN(marker)
{
	free(self->image);
	close(self->text);
	close(self->raw);
	close(self->fd);
	control_defaults();
}

/* the only event that was written, and its length; NULL if there is none */
static const char *only_event(int fd, char *image, int *length)
{
	struct kbuffer *kbuf;
	unsigned long long time;
	const char *event;

	*length = 0;
	if (read(fd, image, SUBBUF) != SUBBUF)
		return NULL;
	kbuf = subbuf_load(image);
	event = kbuffer_read_event(kbuf, &time);
	*length = kbuffer_event_size(kbuf);
	if (kbuffer_next_event(kbuf, &time))
		event = NULL;
	kbuffer_free(kbuf);
	return event;
}

TEST_F(marker, text_is_stored_with_a_newline)
{
	const char *event;
	int length;

	EXPECT_EQ(write(self->text, "hello", 5), 5);
	event = only_event(self->fd, self->image, &length);
	ASSERT_NE(event, NULL);
	EXPECT_STREQ(event + self->text_at, "hello\n");

	EXPECT_EQ(write(self->text, "hello\n", 6), 6);
	event = only_event(self->fd, self->image, &length);
	ASSERT_NE(event, NULL);
	EXPECT_STREQ(event + self->text_at, "hello\n");
}

TEST_F(marker, nothing_writes_nothing)
{
	EXPECT_EQ(write(self->text, "", 0), 0);
	EXPECT_EQ(stat_of(0, "reserved"), 0);
}

TEST_F(marker, long_text_is_stored_as_far_as_it_says)
{
	static const int lengths[] = { 4095, 4096, 4097, 64 * 1024 };
	const char *event;
	int i, length;
	char *text;

	for (i = 0; i < 4; i++) {
		text = malloc(lengths[i]);
		memset(text, 'a' + i, lengths[i]);
		ASSERT_EQ(write(self->text, text, lengths[i]),
			  lengths[i] < MAX_TEXT ? lengths[i] : MAX_TEXT);
		event = only_event(self->fd, self->image, &length);
		ASSERT_NE(event, NULL);
		EXPECT_EQ(strspn(event + self->text_at, (char[]) { 'a' + i, 0 }),
			  lengths[i] < MAX_TEXT ? lengths[i] : MAX_TEXT);
		free(text);
	}
}

TEST_F(marker, small_subbufs_take_what_fits)
{
	char text[8192], image[4096];
	ssize_t stored;

	close(self->fd);
	control_setup(4, 64);
	control_write("tracing_on", "1");
	self->fd = raw_open(0, O_RDONLY | O_NONBLOCK);
	memset(text, 'x', sizeof(text));
	stored = write(self->text, text, sizeof(text));
	EXPECT_GT(stored, 4000);
	EXPECT_LT(stored, 4096);
	EXPECT_EQ(stat_of(0, "dropped big"), 0);
	ASSERT_EQ(read(self->fd, image, sizeof(image)), sizeof(image));
	/* the header of the sub-buffer, of the event with its length, of the record */
	EXPECT_EQ(strspn(image + SUBBUF_HEADER + 8 + self->text_at, "x"), stored);
}

TEST_F(marker, memory_that_is_not_there_is_an_error)
{
	size_t page = getpagesize();
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	char *volatile nowhere = (char *)8;

	ASSERT_NE(map, MAP_FAILED);
	memset(map, 'y', page);
	mprotect(map + page, page, PROT_NONE);
	EXPECT_EQ(write(self->text, map + page, 10), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(write(self->text, map + page - 10, 20), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(write(self->raw, map + page - 10, 20), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(write(self->text, nowhere, 10), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(stat_of(0, "reserved"), 0);
	EXPECT_EQ(control_number("tracing_on"), 1);

	EXPECT_EQ(write(self->text, map + page - 10, 10), 10);
	EXPECT_EQ(stat_of(0, "reserved"), 1);
	munmap(map, 2 * page);
}

TEST_F(marker, memory_that_comes_by_faults_is_stored)
{
	size_t page = getpagesize();
	FILE *file = tmpfile();
	const char *event;
	int length;
	char *map;

	ASSERT_NE(file, NULL);
	ASSERT_EQ(ftruncate(fileno(file), 2 * page), 0);
	ASSERT_EQ(pwrite(fileno(file), "over the edge", 13, page - 5), 13);
	map = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fileno(file), 0);
	ASSERT_NE(map, MAP_FAILED);
	/* never touched by this process, and not to be kept for it */
	madvise(map, 2 * page, MADV_DONTNEED);
	EXPECT_EQ(write(self->text, map + page - 5, 13), 13);
	event = only_event(self->fd, self->image, &length);
	ASSERT_NE(event, NULL);
	EXPECT_STREQ(event + self->text_at, "over the edge\n");
	munmap(map, 2 * page);
	fclose(file);
}

TEST_F(marker, off_is_ebadf)
{
	control_write("tracing_on", "0");
	EXPECT_EQ(write(self->text, "x", 1), -1);
	EXPECT_EQ(errno, EBADF);
	EXPECT_EQ(write(self->raw, "abcde", 5), -1);
	EXPECT_EQ(errno, EBADF);
	EXPECT_EQ(stat_of(0, "reserved"), 0);
}

TEST_F(marker, raw_needs_an_identifier_and_a_limit)
{
	/* the header of the sub-buffer, of the event with its length, of the record */
	const int most = SUBBUF - (int)SUBBUF_HEADER - 8 - self->raw_at;
	char *big = calloc(1, SUBBUF);
	const char *event;
	int length;

	for (length = 0; length < 4; length++) {
		EXPECT_EQ(write(self->raw, "abc", length), -1);
		EXPECT_EQ(errno, EINVAL);
	}
	EXPECT_EQ(write(self->raw, big, SUBBUF), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(write(self->raw, big, most + 1), -1);
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(stat_of(0, "reserved"), 0);

	EXPECT_EQ(write(self->raw, big, most), most);
	EXPECT_NE(only_event(self->fd, self->image, &length), NULL);
	free(big);

	EXPECT_EQ(write(self->raw, "\1\0\0\0payload", 11), 11);
	event = only_event(self->fd, self->image, &length);
	ASSERT_NE(event, NULL);
	EXPECT_EQ(memcmp(event + self->raw_at, "\1\0\0\0payload", 11), 0);
}

TEST_F(marker, every_way_counts)
{
	struct iovec parts[] = { { "one", 3 }, { "two", 3 } };

	control_write("set_event", "sched:sched_switch");
	usleep(50000);
	control_write("set_event", "");
	EXPECT_GT(stat_of(0, "reserved"), 0);

	control_write("trace", "");
	write(self->text, "x", 1);
	EXPECT_EQ(stat_of(0, "reserved"), 1);
	write(self->raw, "abcde", 5);
	EXPECT_EQ(stat_of(0, "reserved"), 2);
	EXPECT_EQ(writev(self->text, parts, 2), 6);
	EXPECT_GT(stat_of(0, "reserved"), 2);
	EXPECT_TRUE(stats_add_up(0));
}

TEST_F(marker, every_way_counts_what_finds_no_room)
{
	uint64_t dropped, reserved;
	char text[1000];
	int i;

	memset(text, 'x', sizeof(text));
	ASSERT_EQ(control_write("options/overwrite", "0"), 0);
	while (write(self->text, text, sizeof(text)) > 0)
		;
	EXPECT_EQ(errno, EBADF);
	/* what is left of the last sub-buffer */
	while (write(self->text, "x", 1) > 0)
		;
	dropped = stat_of(0, "dropped events");
	reserved = stat_of(0, "reserved");
	EXPECT_EQ(dropped, 2);

	EXPECT_EQ(write(self->text, "x", 1), -1);
	EXPECT_EQ(errno, EBADF);
	EXPECT_EQ(stat_of(0, "dropped events"), dropped + 1);
	/* larger than that text with its address */
	EXPECT_EQ(write(self->raw, text, 20), -1);
	EXPECT_EQ(errno, EBADF);
	EXPECT_EQ(stat_of(0, "dropped events"), dropped + 2);
	EXPECT_EQ(stat_of(0, "reserved"), reserved + 2);

	control_write("set_event", "raw_syscalls:sys_enter");
	for (i = 0; i < 10; i++)
		getppid();
	control_write("set_event", "");
	EXPECT_GE(stat_of(0, "dropped events"), dropped + 2 + 10);
	EXPECT_EQ(stat_of(0, "overrun"), 0);
	EXPECT_TRUE(stats_add_up(0));
}

TEST_F(marker, bytes_are_those_of_the_events)
{
	/* the event's header, the record up to the text, "xxxxx\n\0", and padding */
	unsigned int size = (4 + self->text_at + 7 + 3) & ~3U;
	int i;

	for (i = 0; i < 10; i++)
		write(self->text, "xxxxx", 5);
	EXPECT_EQ(stat_of(0, "bytes"), 10 * size);
	EXPECT_EQ(stat_of(0, "entries"), 10);
	EXPECT_EQ(read(self->fd, self->image, SUBBUF), SUBBUF);
	EXPECT_EQ(stat_of(0, "bytes"), 0);
	EXPECT_EQ(stat_of(0, "read events"), 10);
}

TEST_HARNESS_MAIN
