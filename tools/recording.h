/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What show switches on, and off again.
 */
#ifndef _TRACEMAP_RECORDING_H
#define _TRACEMAP_RECORDING_H

#include <stdbool.h>

struct enabled_event;

/**
 * struct recording - what has to be put back
 * @was_on:	recording was on already
 * @touched:	recording has been switched since
 * @events:	events that were off and have been enabled, last one first
 */
struct recording {
	bool			was_on;
	bool			touched;
	struct enabled_event	*events;
};

int recording_open(struct recording *recording);
int recording_enable(struct recording *recording, const char *pattern);
int recording_start(struct recording *recording);
int recording_stop(struct recording *recording);
int recording_restore(struct recording *recording);

#endif /* _TRACEMAP_RECORDING_H */
