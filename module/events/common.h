/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header that every record starts with, struct trace_entry: filled as the
 * tracefs of this kernel fills it.
 */
#ifndef _TRACEMAP_EVENTS_COMMON_H
#define _TRACEMAP_EVENTS_COMMON_H

#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include "../compat.h"

static __always_inline unsigned char event_irq_flag(void)
{
	if (!IS_ENABLED(CONFIG_TRACE_IRQFLAGS_SUPPORT))
		return COMPAT_TRACE_IRQS_NOSUPPORT;
	return irqs_disabled() ? TRACE_FLAG_IRQS_OFF : 0;
}

static __always_inline unsigned char event_resched_flags(void)
{
	unsigned char flags = 0;

	if (compat_need_resched_now())
		flags |= TRACE_FLAG_NEED_RESCHED;
	if (test_preempt_need_resched())
		flags |= TRACE_FLAG_PREEMPT_RESCHED;
#ifdef CONFIG_ARCH_HAS_PREEMPT_LAZY
	if (test_thread_flag(TIF_NEED_RESCHED_LAZY))
		flags |= TRACE_FLAG_NEED_RESCHED_LAZY;
#endif
#ifdef COMPAT_TRACE_LAZY_COUNT
	if (need_resched_lazy())
		flags |= TRACE_FLAG_NEED_RESCHED_LAZY;
#endif
	return flags;
}

/* On PREEMPT_RT the softirq count is the task's, elsewhere it is in preempt_count() */
static __always_inline unsigned char event_context_flags(unsigned int count)
{
	unsigned int softirqs = IS_ENABLED(CONFIG_PREEMPT_RT) ? softirq_count() :
								count & SOFTIRQ_MASK;
	unsigned char flags = 0;

	if (likely(!(count & (NMI_MASK | HARDIRQ_MASK)) && !softirqs))
		return 0;
	if (count & NMI_MASK)
		flags |= TRACE_FLAG_NMI;
	if (count & HARDIRQ_MASK)
		flags |= TRACE_FLAG_HARDIRQ;
	if (softirqs & SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_SOFTIRQ;
	if (softirqs >> (SOFTIRQ_SHIFT + 1))
		flags |= COMPAT_TRACE_BH_OFF;
	return flags;
}

/* The upper nibble says how often migration is disabled, if this kernel's tracefs says so */
static __always_inline unsigned char event_preempt_byte(unsigned int disabled)
{
#ifdef COMPAT_TRACE_MIGRATE_DISABLE
	unsigned int pinned = 0;

#ifdef CONFIG_SMP
	pinned = current->migration_disabled;
#endif
	return min(disabled, 15U) | min(pinned, 15U) << 4;
#else
	return disabled;
#endif
}

/**
 * event_fill_common - fill the header of a record as tracefs does
 * @entry: the record
 * @type: the event's id
 * @depth: preempt_disable() calls of tracemap's own that are in force now, such
 *	as the one of tracemap_reserve(): they are not the traced context's
 *
 * Any context, NMI too.
 */
static __always_inline void event_fill_common(struct trace_entry *entry, unsigned short type,
					      unsigned int depth)
{
	unsigned int count = preempt_count();
	unsigned int disabled = count & PREEMPT_MASK;

	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		disabled -= depth;
	entry->type = type;
	entry->flags = event_irq_flag() | event_context_flags(count) | event_resched_flags();
	entry->preempt_count = event_preempt_byte(disabled);
#ifdef COMPAT_TRACE_LAZY_COUNT
	entry->preempt_lazy_count = preempt_lazy_count();
#endif
	entry->pid = current->pid;
}

#endif /* _TRACEMAP_EVENTS_COMMON_H */
