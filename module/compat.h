/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that tracemap builds for. No other file asks for a kernel's
 * version; what can be asked by feature is.
 */
#ifndef _TRACEMAP_COMPAT_H
#define _TRACEMAP_COMPAT_H

#include <linux/version.h>

#endif /* _TRACEMAP_COMPAT_H */
