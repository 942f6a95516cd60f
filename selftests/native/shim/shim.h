/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel primitives that the ring stands on, for user space. Each access
 * that others can see is a step: shim_step() may run an interrupt there or let
 * the other CPU go on.
 */
#ifndef _SHIM_H
#define _SHIM_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/cdefs.h>

void shim_step(void);

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define BITS_PER_LONG	((int)(CHAR_BIT * sizeof(long)))
#define BIT(n)		(1UL << (n))
#define GENMASK(h, l)	((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define U32_MAX		UINT_MAX
#define S32_MAX		INT_MAX
#define ALIGN(x, a)	(((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define max3(a, b, c)		max(max(a, b), c)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

#define swap(a, b) do {			\
	__typeof__(a) __tmp = (a);	\
					\
	(a) = (b);			\
	(b) = __tmp;			\
} while (0)

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* a race that does no harm */
#define data_race(x)		READ_ONCE(x)
#define READ_ONCE(x)		(shim_step(), __atomic_load_n(&(x), __ATOMIC_RELAXED))
#define WRITE_ONCE(x, v)	(shim_step(), __atomic_store_n(&(x), v, __ATOMIC_RELAXED))

/* The thread sanitizer knows no fences, gcc says so; stronger accesses stand in for them there. */
#ifdef __SANITIZE_THREAD__
#define shim_fence(order)	((void)(order))
#define SHIM_LOAD	__ATOMIC_ACQUIRE
#define SHIM_STORE	__ATOMIC_RELEASE
#else
#define shim_fence(order)	__atomic_thread_fence(order)
#define SHIM_LOAD	__ATOMIC_RELAXED
#define SHIM_STORE	__ATOMIC_RELAXED
#endif

#define barrier()	(shim_step(), __atomic_signal_fence(__ATOMIC_SEQ_CST))
/* loads before it come before loads behind it */
#define smp_rmb()	(shim_step(), shim_fence(__ATOMIC_ACQUIRE))
/* the same for stores */
#define smp_wmb()	(shim_step(), shim_fence(__ATOMIC_RELEASE))
#define preempt_disable()	barrier()
#define preempt_enable()	barrier()
#define cond_resched()	shim_step()

/*
 * name_read() and so on, for one of the kernel's counters. Aligned as there: 64 bits
 * that straddle two cache lines are no atomic word, even if a compiler thinks so.
 */
#define SHIM_COUNTER(name, type)						\
struct shim_##name {								\
	type	counter __attribute__((aligned(sizeof(type))));			\
};										\
static inline type name##_read(const struct shim_##name *v)				\
{										\
	shim_step();								\
	return __atomic_load_n(&v->counter, SHIM_LOAD);				\
}										\
static inline void name##_set(struct shim_##name *v, type i)				\
{										\
	shim_step();								\
	__atomic_store_n(&v->counter, i, SHIM_STORE);				\
}										\
static inline type name##_cmpxchg(struct shim_##name *v, type old, type new)		\
{										\
	shim_step();								\
	__atomic_compare_exchange_n(&v->counter, &old, new, false,		\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	return old;								\
}										\
static inline type name##_read_acquire(const struct shim_##name *v)			\
{										\
	shim_step();								\
	return __atomic_load_n(&v->counter, __ATOMIC_ACQUIRE);			\
}										\
static inline void name##_set_release(struct shim_##name *v, type i)			\
{										\
	shim_step();								\
	__atomic_store_n(&v->counter, i, __ATOMIC_RELEASE);			\
}										\
static inline void name##_add(type i, struct shim_##name *v)				\
{										\
	shim_step();								\
	__atomic_fetch_add(&v->counter, i, SHIM_STORE);			\
}										\
static inline void name##_inc(struct shim_##name *v)					\
{										\
	name##_add(1, v);							\
}										\
static inline void name##_dec(struct shim_##name *v)					\
{										\
	name##_add(-1, v);							\
}

#define local_t		struct shim_local
#define local64_t	struct shim_local64
#define atomic_long_t	struct shim_atomic_long
#define atomic64_t	struct shim_atomic64

SHIM_COUNTER(local, long)
SHIM_COUNTER(local64, s64)
SHIM_COUNTER(atomic_long, long)
SHIM_COUNTER(atomic64, s64)

static inline void atomic_long_or(long i, atomic_long_t *v)
{
	shim_step();
	__atomic_fetch_or(&v->counter, i, __ATOMIC_RELAXED);
}

static inline void atomic_long_andnot(long i, atomic_long_t *v)
{
	shim_step();
	__atomic_fetch_and(&v->counter, ~i, __ATOMIC_RELAXED);
}

u64 trace_clock_local(void);

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#define GFP_KERNEL	0

static inline void *kvcalloc(size_t n, size_t size, int flags)
{
	(void)flags;
	return calloc(n, size);
}

static inline void kvfree(void *p)
{
	free(p);
}

#endif /* _SHIM_H */
