/* SPDX-License-Identifier: GPL-2.0-only */
/* The system call that a thread is in, by its registers. */
#ifndef LKST_BPF_USER_REGS_H
#define LKST_BPF_USER_REGS_H

#include "bpf/record.h"

#ifdef __TARGET_ARCH_arm64
#define TIF_32BIT 22 /* arch/arm64/include/asm/thread_info.h: the thread runs a 32-bit program */
#else
#define TS_COMPAT 2 /* arch/x86/include/asm/thread_info.h: a 32-bit system call is running */
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pt_regs___lkst {
#ifdef __TARGET_ARCH_arm64
	u64 regs[31], pc, orig_x0;
	int syscallno;
#else
	unsigned long bx, cx, dx, si, di, bp, r8, r9, r10, ax, orig_ax, ip;
#endif
};
#pragma clang attribute pop

/* Whether @task runs a 32-bit call. */
static __always_inline bool lkst_is_compat(struct task_struct *task)
{
#ifdef __TARGET_ARCH_arm64
	return lkst_cfg.has_compat && LKST_READ(task, thread_info.flags) & 1UL << TIF_32BIT;
#else
	return lkst_cfg.has_compat && LKST_READ(task, thread_info.status) & TS_COMPAT;
#endif
}

#ifdef __TARGET_ARCH_arm64

/*
 * The first one's register takes the result. A 32-bit caller has its own in the same places. The verifier wants
 * each offset as a constant.
 */
static __always_inline u64 lkst_arg(struct pt_regs___lkst *regs, bool compat, u32 i)
{
	return i == 0	? LKST_READ(regs, orig_x0)
	       : i == 1 ? LKST_READ(regs, regs[1])
	       : i == 2 ? LKST_READ(regs, regs[2])
	       : i == 3 ? LKST_READ(regs, regs[3])
	       : i == 4 ? LKST_READ(regs, regs[4])
			: LKST_READ(regs, regs[5]);
}

/* The call that the thread is in. */
static __always_inline s32 lkst_syscall_nr(struct pt_regs___lkst *regs)
{
	return LKST_READ(regs, syscallno);
}

/* Where the thread goes on in its program. */
static __always_inline u64 lkst_user_ip(struct pt_regs___lkst *regs)
{
	return LKST_READ(regs, pc);
}

#else

/* Argument registers: System V x86-64 with r10 for rcx; i386's int 0x80 order for 32-bit callers. */
static __always_inline u64 lkst_arg(struct pt_regs___lkst *regs, bool compat, u32 i)
{
	if (compat)
		return (u32)(i == 0 ? LKST_READ(regs, bx)
			     : i == 1 ? LKST_READ(regs, cx)
			     : i == 2 ? LKST_READ(regs, dx)
			     : i == 3 ? LKST_READ(regs, si)
			     : i == 4 ? LKST_READ(regs, di)
				      : LKST_READ(regs, bp));
	return i == 0 ? LKST_READ(regs, di)
	       : i == 1 ? LKST_READ(regs, si)
	       : i == 2 ? LKST_READ(regs, dx)
	       : i == 3 ? LKST_READ(regs, r10)
	       : i == 4 ? LKST_READ(regs, r8)
			: LKST_READ(regs, r9);
}

/* The call that the thread is in. */
static __always_inline s32 lkst_syscall_nr(struct pt_regs___lkst *regs)
{
	return LKST_READ(regs, orig_ax);
}

/* Where the thread goes on in its program. */
static __always_inline u64 lkst_user_ip(struct pt_regs___lkst *regs)
{
	return LKST_READ(regs, ip);
}

#endif

#endif
