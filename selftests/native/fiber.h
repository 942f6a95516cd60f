/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two stacks and a switch between them. ucontext has one, but it asks the kernel
 * for the signal mask each time, and that is most of what it does.
 */
#ifndef _FIBER_H
#define _FIBER_H

#include <stddef.h>
#include <stdint.h>

/* what a function may expect to find again is pushed; the rest is the caller's affair */
#ifdef __x86_64__

#define FIBER_PUSHED	6

__asm__("	.text\n"
"	.type	fiber_switch, @function\n"
"fiber_switch:\n"
"	push	%rbp\n"
"	push	%rbx\n"
"	push	%r12\n"
"	push	%r13\n"
"	push	%r14\n"
"	push	%r15\n"
"	mov	%rsp, (%rdi)\n"
"	mov	(%rsi), %rsp\n"
"	pop	%r15\n"
"	pop	%r14\n"
"	pop	%r13\n"
"	pop	%r12\n"
"	pop	%rbx\n"
"	pop	%rbp\n"
"	ret\n"
"	.size	fiber_switch, . - fiber_switch\n"
);

#elif defined(__i386__)

#define FIBER_PUSHED	4

__asm__("	.text\n"
"	.type	fiber_switch, @function\n"
"fiber_switch:\n"
"	mov	4(%esp), %eax\n"
"	mov	8(%esp), %edx\n"
"	push	%ebp\n"
"	push	%ebx\n"
"	push	%esi\n"
"	push	%edi\n"
"	mov	%esp, (%eax)\n"
"	mov	(%edx), %esp\n"
"	pop	%edi\n"
"	pop	%esi\n"
"	pop	%ebx\n"
"	pop	%ebp\n"
"	ret\n"
"	.size	fiber_switch, . - fiber_switch\n"
);

#endif

#ifdef FIBER_PUSHED

struct fiber {
	void	*sp;
};

void fiber_switch(struct fiber *from, struct fiber *to);

/* The first switch returns into @run, which never returns. */
static inline void fiber_start(struct fiber *fiber, void (*run)(void), void *stack, size_t size)
{
	void **top = (void **)((uintptr_t)stack + size);

	top[-2] = (void *)run;
	fiber->sp = &top[-2 - FIBER_PUSHED];
}

#else

#include <ucontext.h>

struct fiber {
	ucontext_t	context;
};

static inline void fiber_switch(struct fiber *from, struct fiber *to)
{
	swapcontext(&from->context, &to->context);
}

static inline void fiber_start(struct fiber *fiber, void (*run)(void), void *stack, size_t size)
{
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = stack;
	fiber->context.uc_stack.ss_size = size;
	fiber->context.uc_link = NULL;
	makecontext(&fiber->context, run, 0);
}

#endif

#endif /* _FIBER_H */
