/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACEMAP_CLOCK_H
#define _TRACEMAP_CLOCK_H

#include <linux/compiler.h>
#include <linux/trace_clock.h>
#include <linux/types.h>

/**
 * struct tracemap_clock - one of the clocks in trace_clock
 * @name:	as tracefs spells it
 * @read:	the time now; any context, NMI too
 * @in_ns:	its unit is nanoseconds
 */
struct tracemap_clock {
	const char	*name;
	u64		(*read)(void);
	bool		in_ns;
};

extern const struct tracemap_clock tracemap_clocks[];
extern const unsigned int tracemap_nr_clocks;

const struct tracemap_clock *clock_find(const char *name);

/* The first of the clocks is almost everybody's, and need not be called by its address. */
static __always_inline u64 clock_now(u64 (*read)(void))
{
	return likely(read == trace_clock_local) ? trace_clock_local() : read();
}

#endif /* _TRACEMAP_CLOCK_H */
