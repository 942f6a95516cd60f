/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A given number of records from a given context of a given CPU.
 */
#ifndef _TEST_CONTEXTS_H
#define _TEST_CONTEXTS_H

#include <linux/irq_work.h>

#include "writer.h"

void init_hard_irq_work(struct irq_work *work, void (*func)(struct irq_work *work));
int context_write(const struct test_write *write, const struct shape *shape);

#endif /* _TEST_CONTEXTS_H */
