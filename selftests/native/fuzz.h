/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What libFuzzer calls, or a program that reads files.
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <shim.h>

int fuzz_one(const u8 *bytes, size_t size);

#endif /* _FUZZ_H */
