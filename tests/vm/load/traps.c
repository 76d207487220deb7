// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raises every trap that a program can raise on purpose, and prints what the records of it must hold,
 * which is what the kernel tells the signal's handler:
 *
 *	EVENT@NAME "FIELD":VALUE...	as tests/vm/load/functions.c does; NAME: the trap's
 *	cannot EVENT@NAME: WHY		this CPU does not raise it, or not as it should
 *
 * The first line is "tid N". It is also built as a 32-bit program (traps32.c), since some instructions
 * are no more in 64-bit mode.
 */
#include <asm/ldt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__
#define REGISTER_IP REG_RIP
#define STACK_FLAGS "pushfq\n\torq %0, (%%rsp)\n\tpopfq"
#else
#define REGISTER_IP REG_EIP
#define STACK_FLAGS "pushfl\n\torl %0, (%%esp)\n\tpopfl"
#endif

enum {
	FLAG_TRAP = 0x100,	  /* EFLAGS.TF */
	FLAG_ALIGNMENT = 0x40000, /* EFLAGS.AC */
	NO_ADDRESS = 0x12345678 & ~0xfff,
	BY_FUNCTION = 1, /* the kernel handles it in a function that trap_entry hooks */
};

static sigjmp_buf after_trap;
static int raised, signal_raised;
static unsigned long ip, error_code, address;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;

	/* Whatever the compiler puts here must not trap again. */
	__asm__ volatile(
#ifdef __x86_64__
		"pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
#else
		"pushfl\n\tandl %0, (%%esp)\n\tpopfl"
#endif
		:
		: "i"(~(FLAG_TRAP | FLAG_ALIGNMENT))
		: "memory", "cc");
	(void)info;
	signal_raised = signal;
	raised = at->uc_mcontext.gregs[REG_TRAPNO];
	error_code = at->uc_mcontext.gregs[REG_ERR];
	ip = (unsigned long)at->uc_mcontext.gregs[REGISTER_IP];
#ifdef __x86_64__
	address = at->uc_mcontext.gregs[REG_CR2];
#else
	address = at->uc_mcontext.cr2;
#endif
	siglongjmp(after_trap, 1);
}

static void divide(void)
{
	__asm__ volatile("xorl %%edx, %%edx\n\tdivl %0" : : "r"(0) : "eax", "edx");
}

static void step(void)
{
	__asm__ volatile(STACK_FLAGS "\n\tnop\n\tnop" : : "i"(FLAG_TRAP) : "memory", "cc");
}

static void break_point(void)
{
	__asm__ volatile("int3");
}

static void overflow(void)
{
	__asm__ volatile("int $4");
}

#ifndef __x86_64__
static void bound(void)
{
	static const int limits[2] = { 1, 2 };

	__asm__ volatile("bound %0, %1" : : "r"(3), "m"(limits));
}
#endif

static void invalid_opcode(void)
{
	__asm__ volatile("ud2");
}

/* Loads data segment @entry of a table of this process's own into @is_stack ? SS : ES. */
static void load_absent_segment(int is_stack)
{
	struct user_desc segment = { .entry_number = 1,
				     .limit = 0xfffff,
				     .seg_32bit = 1,
				     .limit_in_pages = 1,
				     .seg_not_present = 1,
				     .useable = 1 };
	unsigned short selector = 1 << 3 | 4 | 3; /* entry 1, local table, ring 3 */

	if (syscall(SYS_modify_ldt, 0x11, &segment, sizeof(segment)))
		return;
	if (is_stack)
		__asm__ volatile("mov %0, %%ss" : : "r"(selector));
	else
		__asm__ volatile("mov %0, %%es" : : "r"(selector));
}

static void absent_segment(void)
{
	load_absent_segment(0);
}

static void absent_stack(void)
{
	load_absent_segment(1);
}

static void protection(void)
{
	__asm__ volatile("hlt");
}

static void page_fault(void)
{
	*(volatile char *)(unsigned long)(NO_ADDRESS + 5) = 1;
}

static void x87(void)
{
	unsigned short control = 0x37f & ~4; /* division by zero is not masked */

	__asm__ volatile("fninit\n\tfldcw %0\n\tfld1\n\tfldz\n\tfdivrp\n\tfwait" : : "m"(control));
}

static void alignment(void)
{
	static const char bytes[16] __attribute__((aligned(16)));
	int value;

	__asm__ volatile(STACK_FLAGS "\n\tmovl %2, %1"
			 :
			 : "i"(FLAG_ALIGNMENT), "r"(value = 0),
			   "m"(*(const int *)(const void *)(bytes + 1))
			 : "memory", "cc");
}

__attribute__((target("sse2"))) static void simd(void)
{
	static const unsigned int control = 0x1f80 & ~0x200; /* division by zero is not masked */
	static const float one[4] = { 1 }, zero[4] = { 0 };

	__asm__ volatile("ldmxcsr %0\n\tmovss %1, %%xmm0\n\tdivss %2, %%xmm0"
			 :
			 : "m"(control), "m"(one[0]), "m"(zero[0])
			 : "xmm0");
}

static const struct trap {
	const char *name;
	void (*raise)(void);
	int number, flags;
} traps[] = {
	{ "DE", divide, 0, BY_FUNCTION },
	{ "DB", step, 1, 0 },
	{ "BP", break_point, 3, 0 },
	{ "OF", overflow, 4, BY_FUNCTION },
#ifndef __x86_64__
	{ "BR", bound, 5, 0 },
#endif
	{ "UD", invalid_opcode, 6, BY_FUNCTION },
	{ "NP", absent_segment, 11, BY_FUNCTION },
	{ "SS", absent_stack, 12, BY_FUNCTION },
	{ "GP", protection, 13, 0 },
	{ "PF", page_fault, 14, 0 },
	{ "MF", x87, 16, BY_FUNCTION },
	{ "AC", alignment, 17, 0 },
	{ "XF", simd, 19, BY_FUNCTION },
};

static void print_expected(const struct trap *t)
{
	/* The record keeps 32 bits of the error code; the kernel's is 64 wide but the CPU's is not. */
	printf("trap_signal@%s \"ip\":%lu \"address\":%lu \"error_code\":%u \"trap\":%d \"signal\":%d\n",
	       t->name, ip, t->number == 14 ? address : 0, (unsigned int)error_code, t->number,
	       signal_raised);
	if (!(t->flags & BY_FUNCTION))
		return;
	printf("trap_entry@%s \"ip\":%lu \"error_code\":%u \"trap\":%d \"signal\":%d\n", t->name,
	       ip, (unsigned int)error_code, t->number, signal_raised);
	printf("trap_exit@%s \"trap\":%d\n", t->name, t->number);
}

int main(void)
{
	static const int signals[] = { SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV };
	struct sigaction sa = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	volatile unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &sa, NULL))
			return 1;
	printf("tid %d\n", getpid());
	for (i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
		raised = -1;
		if (!sigsetjmp(after_trap, 1))
			traps[i].raise();
		__asm__ volatile(
#ifdef __x86_64__
			"pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
#else
			"pushfl\n\tandl %0, (%%esp)\n\tpopfl"
#endif
			:
			: "i"(~(FLAG_TRAP | FLAG_ALIGNMENT))
			: "memory", "cc");
		__asm__ volatile("fninit");
		if (raised == traps[i].number)
			print_expected(&traps[i]);
		else if (raised < 0)
			printf("cannot trap_signal@%s: the CPU does not raise it\n", traps[i].name);
		else
			printf("cannot trap_signal@%s: the CPU raises trap %d\n", traps[i].name,
			       raised);
	}
	return 0;
}
