// SPDX-License-Identifier: GPL-2.0
/*
 * usage: debug-exit
 *
 * Ends the VM by QEMU's isa-debug-exit, whose exit status nothing else in the machine
 * can bring about, as soon as stdin has a byte or ends. The port is asked for at the
 * start: the kernel may be locked down by then.
 */
#include <stdio.h>
#include <sys/io.h>
#include <unistd.h>

#define PORT	0xf4
#define STATUS	16	/* what QEMU makes 33 of */

int main(void)
{
	char byte;

	if (ioperm(PORT, 1, 1)) {
		perror("debug-exit: ioperm");
		return 1;
	}
	read(STDIN_FILENO, &byte, 1);
	outb(STATUS, PORT);
	return 1;
}
