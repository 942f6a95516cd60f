/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tracemap_test: what the self-tests and their module share. The module
 * owns one buffer, shown as instances/selftest, and writes numbered records
 * into it from any CPU and context that it is told to.
 */
#ifndef _TRACEMAP_TEST_H
#define _TRACEMAP_TEST_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define TEST_INSTANCE	"selftest"

enum test_context {
	TEST_TASK,
	TEST_SOFTIRQ,
	TEST_HARDIRQ,
	TEST_NMI,
	TEST_NR_CONTEXTS,
};

/**
 * struct test_record - the payload of every event
 * @seq:	one sequence for each CPU and context. A number is used up by an
 *		event that was accepted and by one that was refused, not by one
 *		that was discarded: so what is missing was overwritten or dropped
 * @context:	enum test_context
 * @cpu:	who wrote it
 * @length:	bytes of the whole record
 * @pattern:	byte i is the low byte of @seq + i
 */
struct test_record {
	__u64	seq;
	__u16	context;
	__u16	cpu;
	__u32	length;
	__u8	pattern[];
};

/**
 * struct test_create - TEST_CREATE: make the buffer and start from 0 everywhere
 * @size:	bytes a CPU
 * @order:	log2 of a sub-buffer's pages
 * @mode:	enum tracemap_mode
 */
struct test_create {
	__u64	size;
	__u32	order;
	__u32	mode;
};

/**
 * struct test_write - TEST_WRITE: try to write, and return when it is done
 * @count:	events that are to be tried, those to be discarded included
 * @cpu:	where; ENODEV if it is not online
 * @context:	enum test_context; EOPNOTSUPP if that cannot be had here
 * @min_length:	of a record, struct test_record included
 * @max_length:	same; lengths in between are random
 * @discard:	every which event is taken back, 0 for none
 * @held:	if not 0, the events are written by an interrupt while a task
 *		holds a reservation of that many bytes. That one counts as
 *		TEST_TASK's, the others as TEST_HARDIRQ's. With @discard it
 *		is taken back afterwards
 */
struct test_write {
	__u64	count;
	__u32	cpu;
	__u32	context;
	__u32	min_length;
	__u32	max_length;
	__u32	discard;
	__u32	held;
};

/**
 * struct test_flood - TEST_FLOOD: write flat out, and return at once
 * @count:	events to be accepted on each CPU
 * @cpus:	mask of CPUs, which must be online
 * @contexts:	mask of 1 << enum test_context; a task always takes part
 * @min_length:	as in struct test_write
 * @max_length:	same
 * @discard:	same, on average and at random
 * @burst:	most events that one interrupt writes
 * @period_us:	an interrupt comes that often
 * @seed:	of everything that is random
 */
struct test_flood {
	__u64	count;
	__u64	cpus;
	__u32	contexts;
	__u32	min_length;
	__u32	max_length;
	__u32	discard;
	__u32	burst;
	__u32	period_us;
	__u64	seed;
};

/**
 * struct test_counts - TEST_COUNTS: what was written since TEST_CREATE
 * @cpu:	asked for
 * @context:	asked for
 * @attempted:	sequence numbers used up
 * @accepted:	those of them that found room
 * @discarded:	events taken back, in neither of the above
 */
struct test_counts {
	__u32	cpu;
	__u32	context;
	__u64	attempted;
	__u64	accepted;
	__u64	discarded;
};

#define TEST_CREATE	_IOW('T', 0xe0, struct test_create)
#define TEST_DESTROY	_IO('T', 0xe1)
#define TEST_WRITE	_IOW('T', 0xe2, struct test_write)
#define TEST_FLOOD	_IOW('T', 0xe3, struct test_flood)
#define TEST_FLOODING	_IO('T', 0xe4)	/* CPUs on which a flood still runs */
#define TEST_STOP	_IO('T', 0xe5)	/* end the flood early */
#define TEST_COUNTS	_IOWR('T', 0xe6, struct test_counts)

#endif /* _TRACEMAP_TEST_H */
