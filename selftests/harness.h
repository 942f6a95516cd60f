/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's test harness, with time for machines that are slow: emulated, under
 * KASAN, and busy with other things. What hangs is found all the same, if later.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	600

#endif
