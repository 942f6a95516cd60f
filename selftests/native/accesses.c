// SPDX-License-Identifier: GPL-2.0
/*
 * The ring is compiled with -fsanitize=thread and linked with this instead of
 * the sanitizer: every load and store that the compiler left in becomes a step.
 */
#include <shim.h>

#define ACCESS(name)						\
void __tsan_##name(void *at)					\
{								\
	(void)at;						\
	shim_step();						\
}

ACCESS(read1)
ACCESS(read2)
ACCESS(read4)
ACCESS(read8)
ACCESS(read16)
ACCESS(unaligned_read2)
ACCESS(unaligned_read4)
ACCESS(unaligned_read8)
ACCESS(unaligned_read16)
ACCESS(write1)
ACCESS(write2)
ACCESS(write4)
ACCESS(write8)
ACCESS(write16)
ACCESS(unaligned_write2)
ACCESS(unaligned_write4)
ACCESS(unaligned_write8)
ACCESS(unaligned_write16)
ACCESS(volatile_read4)
ACCESS(volatile_read8)
ACCESS(volatile_write4)
ACCESS(volatile_write8)
ACCESS(func_entry)

#define RANGE(name)						\
void __tsan_##name(void *at, unsigned long size)		\
{								\
	(void)at;						\
	(void)size;						\
	shim_step();						\
}

RANGE(read_range)
RANGE(write_range)

void __tsan_func_exit(void)
{
}

void __tsan_init(void)
{
}

/* In one step of their own: with the fibers nothing happens at the same time. */
s64 __tsan_atomic64_load(const s64 *at, int order)
{
	(void)order;
	shim_step();
	return *at;
}

void __tsan_atomic64_store(s64 *at, s64 value, int order)
{
	(void)order;
	shim_step();
	*at = value;
}

s32 __tsan_atomic32_load(const s32 *at, int order)
{
	(void)order;
	shim_step();
	return *at;
}

void __tsan_atomic32_store(s32 *at, s32 value, int order)
{
	(void)order;
	shim_step();
	*at = value;
}

u8 __tsan_atomic8_load(const u8 *at, int order)
{
	(void)order;
	shim_step();
	return *at;
}

void __tsan_atomic8_store(u8 *at, u8 value, int order)
{
	(void)order;
	shim_step();
	*at = value;
}

s64 __tsan_atomic64_fetch_or(s64 *at, s64 value, int order)
{
	s64 old;

	(void)order;
	shim_step();
	old = *at;
	*at = old | value;
	return old;
}

s64 __tsan_atomic64_fetch_and(s64 *at, s64 value, int order)
{
	s64 old;

	(void)order;
	shim_step();
	old = *at;
	*at = old & value;
	return old;
}

s64 __tsan_atomic64_fetch_add(s64 *at, s64 value, int order)
{
	s64 old;

	(void)order;
	shim_step();
	old = *at;
	*at = old + value;
	return old;
}

int __tsan_atomic64_compare_exchange_strong(s64 *at, s64 *expected,
					    s64 value, int order, int failure)
{
	s64 old;

	(void)order;
	(void)failure;
	shim_step();
	old = *at;
	if (old == *expected) {
		*at = value;
		return 1;
	}
	*expected = old;
	return 0;
}

void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	shim_step();
}
