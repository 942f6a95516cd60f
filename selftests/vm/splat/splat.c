// SPDX-License-Identifier: GPL-2.0
/*
 * What the VM's runner must not miss: a kernel that warns, and a kernel that dies, while
 * the command that runs on it is content.
 */
#include <linux/module.h>

static bool die;
module_param(die, bool, 0);
MODULE_PARM_DESC(die, "oops rather than warn");

static int __init splat_init(void)
{
	WARN_ON(!die);
	if (die)
		WRITE_ONCE(*(int *)NULL, 0);
	return 0;
}

static void __exit splat_exit(void)
{
}

module_init(splat_init);
module_exit(splat_exit);
MODULE_DESCRIPTION("A module that should not have been loaded");
MODULE_LICENSE("GPL");
