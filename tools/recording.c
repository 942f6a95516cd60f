// SPDX-License-Identifier: GPL-2.0
/*
 * What show switches on, and off again: recording as a whole, and events.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

#include "common.h"
#include "recording.h"

struct enabled_event {
	struct enabled_event	*next;
	char			*system;
	char			*event;
};

/**
 * recording_open - see how things are, and stop recording
 * @recording: all zero
 *
 * Recording stops for a moment so that counters can be read that fit together.
 *
 * Return: 0, or -1 after having said what is wrong.
 */
int recording_open(struct recording *recording)
{
	int on = tracefs_trace_is_on(NULL);

	if (on < 0) {
		complain_about("tracing_on");
		return -1;
	}
	recording->was_on = on;
	return recording_stop(recording);
}

/**
 * recording_start - switch recording on
 * @recording: what recording_open() made
 *
 * Return: 0, or -1 after having said what is wrong.
 */
int recording_start(struct recording *recording)
{
	recording->touched = true;
	if (!tracefs_trace_on(NULL))
		return 0;
	complain_about("tracing_on");
	return -1;
}

/**
 * recording_stop - switch recording off
 * @recording: what recording_open() made
 *
 * Return: 0, or -1 after having said what is wrong.
 */
int recording_stop(struct recording *recording)
{
	recording->touched = true;
	if (!tracefs_trace_off(NULL))
		return 0;
	complain_about("tracing_on");
	return -1;
}

static void forget_event(struct enabled_event *enabled)
{
	free(enabled->system);
	free(enabled->event);
	free(enabled);
}

static struct enabled_event *remember_event(const char *system, const char *event)
{
	struct enabled_event *enabled = calloc(1, sizeof(*enabled));

	if (!enabled)
		return NULL;
	enabled->system = strdup(system);
	enabled->event = strdup(event);
	if (enabled->system && enabled->event)
		return enabled;
	forget_event(enabled);
	return NULL;
}

/* An event that is on already is somebody else's, and stays on at the end. */
static int enable_event(const char *system, const char *event, void *arg)
{
	struct recording *recording = arg;
	struct enabled_event *enabled;

	if (tracefs_event_is_enabled(NULL, system, event) == TRACEFS_ALL_ENABLED)
		return 0;
	enabled = remember_event(system, event);
	if (!enabled) {
		complain("%s", strerror(ENOMEM));
		return -1;
	}
	if (tracefs_event_enable(NULL, system, event)) {
		complain("cannot enable %s:%s: %s", system, event, strerror(errno));
		forget_event(enabled);
		return -1;
	}
	enabled->next = recording->events;
	recording->events = enabled;
	return 0;
}

/**
 * recording_enable - enable all events that match a pattern
 * @recording: what recording_open() made
 * @pattern: as visit_events() takes it
 *
 * Return: 0, or -1 after having said what is wrong.
 */
int recording_enable(struct recording *recording, const char *pattern)
{
	int matches = visit_events(pattern, enable_event, recording);

	if (!matches)
		complain("no event matches '%s': see 'tracemap list'", pattern);
	return matches > 0 ? 0 : -1;
}

/**
 * recording_restore - put everything back as it was
 * @recording: what recording_open() made
 *
 * Return: 0, or -1 after having said what could not be put back.
 */
int recording_restore(struct recording *recording)
{
	struct enabled_event *enabled;
	int ret = 0;

	while ((enabled = recording->events)) {
		recording->events = enabled->next;
		if (tracefs_event_disable(NULL, enabled->system, enabled->event)) {
			complain("cannot disable %s:%s: %s", enabled->system,
				 enabled->event, strerror(errno));
			ret = -1;
		}
		forget_event(enabled);
	}
	if (!recording->touched)
		return ret;
	if (recording->was_on)
		return recording_start(recording) ? -1 : ret;
	return recording_stop(recording) ? -1 : ret;
}
