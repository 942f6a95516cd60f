/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writers on several CPUs that write flat out, interrupting each other.
 */
#ifndef _TEST_FLOOD_H
#define _TEST_FLOOD_H

#include "writer.h"

int flood_start(const struct test_flood *flood, const struct shape *shape);
unsigned int flood_running(void);
void flood_stop(void);

#endif /* _TEST_FLOOD_H */
