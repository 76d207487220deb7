// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals: sent and taken.
 */
#include "bpf/record.h"

enum {
	/* include/uapi/asm-generic/siginfo.h */
	SI_KERNEL = 0x80,
	TRAP_HWBKPT = 4,
	/* include/uapi/asm-generic/signal.h */
	SIGILL = 4,
	SIGTRAP = 5,
	SIGBUS = 7,
	SIGFPE = 8,
	SIGSEGV = 11,
	/* arch/x86/include/asm/trapnr.h */
	TRAP_PAGE_FAULT = 14,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pt_regs___ip {
	unsigned long ip;
};
#pragma clang attribute pop

/*
 * Why a signal was sent. Two values of the pointer are not addresses: 0 is SEND_SIG_NOINFO, whose
 * code is SI_USER, and 1 is SEND_SIG_PRIV, whose code is SI_KERNEL (include/linux/sched/signal.h).
 * For the sake of the latter, newer kernels do not let programs follow the pointer
 * (raw_tp_null_args in kernel/bpf/btf.c), so what it points to is copied.
 */
static __always_inline s32 code_of(struct kernel_siginfo *info)
{
	if (!info)
		return 0;
	if ((u64)info == 1)
		return SI_KERNEL;
	return BPF_CORE_READ(info, si_code);
}

static __always_inline void signal_is_sent(int signal, s32 code, struct task_struct *task,
					   int group, int result)
{
	lkst_recording(signal_generate, r) {
		r->target_tid = task->pid;
		r->code = code;
		r->signal = signal;
		r->is_group = group;
		r->result = result;
	}
}

#ifdef __TARGET_ARCH_x86

/*
 * A trap sends one of these to the thread that caused it. Nothing else sends them with the same codes, except
 * code that finds a fault in place of the CPU (a single step over a system call, a bad signal frame).
 */
static __always_inline bool is_of_trap(int signal, s32 code)
{
	switch (signal) {
	case SIGILL:
	case SIGFPE:
	case SIGSEGV:
	case SIGBUS:
		return code > 0;
	case SIGTRAP:
		return (code > 0 && code <= TRAP_HWBKPT) || code == SI_KERNEL;
	}
	return false;
}

static __always_inline void trap_sends(int signal)
{
	struct task_struct *task = LKST_CURRENT();
	struct pt_regs___ip *regs = LKST_TASK_REGS(task);
	u64 trap = LKST_READ(task, thread.trap_nr), cr2 = LKST_READ(task, thread.cr2);

	lkst_recording(trap_signal, r) {
		LKST_PUT64(r->ip, LKST_READ(regs, ip));
		LKST_PUT64(r->address, trap == TRAP_PAGE_FAULT ? cr2 : 0);
		r->error_code = LKST_READ(task, thread.error_code);
		r->trap = trap;
		r->signal = signal;
	}
}

#else

static __always_inline bool is_of_trap(int signal, s32 code)
{
	return false;
}

static __always_inline void trap_sends(int signal)
{
}

#endif

LKST_TP(signal_generate, int signal, struct kernel_siginfo *info, struct task_struct *task,
	int group, int result)
{
	s32 code;

	if (!lkst_wants_current() && !lkst_wants(task))
		return LKST_UNWANTED(signal_generate);
	code = code_of(info);
	if (task->pid == LKST_TID() && is_of_trap(signal, code))
		trap_sends(signal);
	signal_is_sent(signal, code, task, group, result);
	return 0;
}

LKST_TP(signal_deliver, int signal, struct kernel_siginfo *info, struct k_sigaction *action)
{
	lkst_recording_if(signal_deliver, r, lkst_wants_current()) {
		r->signal = signal;
		r->code = code_of(info);
		LKST_PUT64(r->handler, action->sa.sa_handler);
		r->sa_flags = action->sa.sa_flags;
	}
	return 0;
}
