/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Non-maskable interrupts at will.
 */
#ifndef _TEST_NMI_H
#define _TEST_NMI_H

#include <linux/types.h>

int nmi_errands_init(void);
void nmi_errands_exit(void);

int nmi_run_here(void (*func)(void *arg), void *arg);
bool nmi_send(int cpu, void (*func)(void *arg), void *arg);
void nmi_wait(int cpu);

#endif /* _TEST_NMI_H */
