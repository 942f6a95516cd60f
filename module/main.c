// SPDX-License-Identifier: GPL-2.0
/*
 * Init and exit.
 */
#include <linux/module.h>

#include "buffer.h"
#include "control.h"
#include "events/events.h"
#include "fs.h"
#include "instance.h"

static int __init tracemap_init(void)
{
	int err;

	err = buffer_init();
	if (err)
		return err;
	err = events_init();
	if (err)
		goto exit_buffer;
	err = instance_init(control_create_files);
	if (err)
		goto exit_events;
	err = fs_init(instance_populate, instance_depopulate);
	if (err)
		goto exit_instance;
	return 0;

exit_instance:
	instance_exit();
exit_events:
	events_exit();
exit_buffer:
	buffer_exit();
	return err;
}

static void __exit tracemap_exit(void)
{
	fs_exit();
	instance_exit();
	events_exit();
	buffer_exit();
}

module_init(tracemap_init);
module_exit(tracemap_exit);

MODULE_DESCRIPTION("Trace buffers that user space maps and consumes without copies");
MODULE_AUTHOR("The tracemap developers");
MODULE_VERSION("0.1");
MODULE_LICENSE("GPL");
