/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Showing what is recorded while it is recorded.
 */
#ifndef _TRACEMAP_LIVE_H
#define _TRACEMAP_LIVE_H

/**
 * struct live_wish - what the user asked show for
 * @patterns:	events to enable
 * @nr_patterns: how many
 * @cpu:	the only CPU to show, or -1 for all
 * @count:	events to show at most, or 0
 * @seconds:	how long to show them, or 0
 * @command:	what to run meanwhile, NULL at its end; or empty
 */
struct live_wish {
	char			**patterns;
	int			nr_patterns;
	int			cpu;
	unsigned long long	count;
	double			seconds;
	char			**command;
};

int live_show(const struct live_wish *wish);

#endif /* _TRACEMAP_LIVE_H */
