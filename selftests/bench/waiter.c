// SPDX-License-Identifier: GPL-2.0
/*
 * usage: waiter FILE
 *
 * Sleeps in poll() until FILE has as much to read as is waited for.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>

int main(int argc, char **argv)
{
	struct pollfd ready = { .events = POLLIN };

	if (argc != 2)
		errx(2, "usage: waiter FILE");
	ready.fd = open(argv[1], O_RDONLY | O_NONBLOCK);
	if (ready.fd < 0)
		err(1, "%s", argv[1]);
	if (poll(&ready, 1, -1) < 0)
		err(1, "poll");
	return 0;
}
