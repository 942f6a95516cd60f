/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SELFTESTS_BUSY_H
#define _SELFTESTS_BUSY_H

/*
 * Switches between tasks, signals, timers, work and new programs: a little of
 * everything that the kernel has tracepoints for, @rounds times.
 */
void busy(int rounds);

#endif /* _SELFTESTS_BUSY_H */
