// SPDX-License-Identifier: GPL-2.0
/*
 * Instruction by instruction: what a case executes, in order.
 *
 * With the trap flag set the processor comes to debug_trap() before each instruction.
 */
#include <linux/kdebug.h>
#include <linux/notifier.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>

#include "bench.h"

#define MAX_STEPS	16384
#define MAX_LENGTH	15

static unsigned long steps[MAX_STEPS];
static unsigned int taken;
static bool stepping;

static int debug_trap(struct notifier_block *block, unsigned long why, void *data)
{
	struct die_args *args = data;
	unsigned long *dr6 = (unsigned long *)args->err;

	if (why != DIE_DEBUG || !stepping || user_mode(args->regs) || !(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	if (taken < MAX_STEPS)
		steps[taken++] = args->regs->ip;
	*dr6 &= ~DR_STEP;
	return NOTIFY_STOP;
}

static struct notifier_block traps = { .notifier_call = debug_trap };

/**
 * steps_take - note what a case executes
 * @one: the case
 * @run: how often it shall do so
 *
 * Context: interrupts off; no other case may be running.
 */
void steps_take(const struct bench_case *one, struct bench_run *run)
{
	taken = 0;
	stepping = true;
	asm volatile("pushfq; orq %0, (%%rsp); popfq" : : "i" (X86_EFLAGS_TF) : "memory", "cc");
	one->run(run);
	asm volatile("pushfq; andq %0, (%%rsp); popfq"
		     : : "i" (~(long)X86_EFLAGS_TF) : "memory", "cc");
	stepping = false;
}

/**
 * steps_show - tell what steps_take() has noted
 * @file: gets a line for each instruction: its address, its place, and the bytes there
 * @unused: nothing
 *
 * Context: may sleep; no case may be running.
 *
 * Return: 0.
 */
int steps_show(struct seq_file *file, void *unused)
{
	u8 bytes[MAX_LENGTH];
	unsigned int i;

	for (i = 0; i < taken; i++) {
		memcpy(bytes, (void *)steps[i], sizeof(bytes));
		seq_printf(file, "%lx %pS %*phN\n", steps[i], (void *)steps[i], MAX_LENGTH, bytes);
	}
	return 0;
}

/**
 * steps_init - get to see traps
 *
 * Context: may sleep.
 *
 * Return: 0 or an error.
 */
int steps_init(void)
{
	return register_die_notifier(&traps);
}

/**
 * steps_exit - leave them to others
 *
 * Context: may sleep.
 */
void steps_exit(void)
{
	unregister_die_notifier(&traps);
}
