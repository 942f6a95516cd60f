// SPDX-License-Identifier: GPL-2.0
/*
 * Non-maskable interrupts at will. Other architectures than x86 have none that
 * a module could send.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "nmi.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/nmi.h>

enum { NMI_IDLE, NMI_CLAIMED, NMI_SENT };

/**
 * struct errand - what a CPU's next NMI of ours runs
 * @state:	claimed while @func and @arg are being set, then sent, then idle
 * @func:	runs in NMI context
 * @arg:	for it
 */
struct errand {
	atomic_t	state;
	void		(*func)(void *arg);
	void		*arg;
};

static DEFINE_PER_CPU(struct errand, errands);

static int nmi_handler(unsigned int reason, struct pt_regs *regs)
{
	struct errand *errand = this_cpu_ptr(&errands);

	if (atomic_read_acquire(&errand->state) != NMI_SENT)
		return NMI_DONE;
	errand->func(errand->arg);
	atomic_set_release(&errand->state, NMI_IDLE);
	return NMI_HANDLED;
}

/**
 * nmi_errands_init - be ready to take NMIs
 *
 * Return: 0 or an error.
 */
int nmi_errands_init(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_handler, 0, "tracemap_test");
}

/**
 * nmi_errands_exit - take no more NMIs
 *
 * All that were sent have been waited for.
 */
void nmi_errands_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "tracemap_test");
}

/**
 * nmi_send - interrupt a CPU, whatever it is doing
 * @cpu:	online
 * @func:	runs there in NMI context
 * @arg:	for it
 *
 * Any context but NMI.
 *
 * Return: false if that CPU has not yet run what it was sent before.
 */
bool nmi_send(int cpu, void (*func)(void *arg), void *arg)
{
	struct errand *errand = per_cpu_ptr(&errands, cpu);

	if (atomic_cmpxchg(&errand->state, NMI_IDLE, NMI_CLAIMED) != NMI_IDLE)
		return false;
	errand->func = func;
	errand->arg = arg;
	/* with the acquire in nmi_handler() */
	atomic_set_release(&errand->state, NMI_SENT);
	apic->send_IPI(cpu, NMI_VECTOR);
	return true;
}

/**
 * nmi_wait - wait until a CPU has run what it was sent
 * @cpu:	which; one that has gone since will never run it
 */
void nmi_wait(int cpu)
{
	struct errand *errand = per_cpu_ptr(&errands, cpu);

	while (atomic_read_acquire(&errand->state) != NMI_IDLE && cpu_online(cpu))
		cpu_relax();
}

/**
 * nmi_run_here - run something in NMI context on this CPU
 * @func:	runs in NMI context, before this returns
 * @arg:	for it
 *
 * The caller cannot migrate, and nobody else sends NMIs to this CPU.
 *
 * Return: 0, or -EOPNOTSUPP if there are no NMIs to be had.
 */
int nmi_run_here(void (*func)(void *arg), void *arg)
{
	int cpu = raw_smp_processor_id();

	if (!nmi_send(cpu, func, arg))
		return -EBUSY;
	nmi_wait(cpu);
	return 0;
}

#else /* !CONFIG_X86_LOCAL_APIC */

int nmi_errands_init(void)
{
	return 0;
}

void nmi_errands_exit(void)
{
}

bool nmi_send(int cpu, void (*func)(void *arg), void *arg)
{
	return false;
}

void nmi_wait(int cpu)
{
}

int nmi_run_here(void (*func)(void *arg), void *arg)
{
	return -EOPNOTSUPP;
}

#endif /* CONFIG_X86_LOCAL_APIC */
