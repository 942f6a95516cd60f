// SPDX-License-Identifier: GPL-2.0
/*
 * usage: debug-exit
 *
 * Ends the VM by a way of QEMU's, whose exit status nothing else in the machine can
 * bring about, as soon as stdin has a byte or ends. What that takes is asked for at the
 * start: the kernel may be locked down by then.
 */
#include <stdio.h>
#include <unistd.h>

#ifdef __aarch64__

/* Arm's "Semihosting for AArch32 and AArch64": SYS_EXIT, of an application. */
#define SYS_EXIT	0x18
#define APPLICATION	0x20026
#define STATUS		33

static int get_ready(void)
{
	return 0;
}

static void end(void)
{
	unsigned long block[] = { APPLICATION, STATUS };

	asm volatile("mov x0, %0; mov x1, %1; hlt #0xf000"
		     : : "i" (SYS_EXIT), "r" (block) : "x0", "x1", "memory");
}

#else

#include <sys/io.h>

/* QEMU's isa-debug-exit, which makes 33 of it */
#define PORT	0xf4
#define STATUS	16

static int get_ready(void)
{
	return ioperm(PORT, 1, 1);
}

static void end(void)
{
	outb(STATUS, PORT);
}

#endif

int main(void)
{
	char byte;

	if (get_ready()) {
		perror("debug-exit");
		return 1;
	}
	read(STDIN_FILENO, &byte, 1);
	end();
	return 1;
}
