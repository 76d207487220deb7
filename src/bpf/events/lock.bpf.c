// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks: waiting for one that another holds; and every acquire and release, by the functions that do it.
 *
 * Context: those run with preemption off as function.bpf.c says.
 */
#include <linux/ptrace.h>

#include "abi/lock.h"
#include "bpf/blocker.h"
#include "bpf/record.h"

/* This program and what runs it, bpf_trace_run2(), are on top of the stack. */
enum { FRAMES_SKIPPED = 2, FRAMES = 5 };

/* The least time between the stacks of two waits that spin. */
#define STACKS_APART_NS 1000000ULL

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} lkst_stack_due SEC(".maps");

/*
 * To unwind the stack takes some 5 us. That is little for a thread that is about to sleep, but as much as the whole
 * wait of one that spins, with interrupts off. So a CPU takes only one stack of such waits in a millisecond, which
 * is half a percent of its time at most.
 */
static __always_inline bool has_stack(u32 flags)
{
	u32 zero = 0;
	u64 now, *due;

	if ((flags & (LKST_LOCK_SPIN | LKST_LOCK_MUTEX)) != LKST_LOCK_SPIN)
		return true;
	due = bpf_map_lookup_elem(&lkst_stack_due, &zero);
	now = bpf_ktime_get_ns();
	if (!due || now < LKST_LOAD(*due))
		return false;
	LKST_STORE(*due, now + STACKS_APART_NS);
	return true;
}

/*
 * The stack is taken before the place is reserved, since it takes longer than all the rest. A frame that is not there
 * is 0. Which of them asked for the lock depends on how the kernel was built
 * (analyze/engine/naming.c knows their names).
 */
LKST_TP(contention_begin, void *lock, unsigned int flags)
{
	u64 frames[FRAMES] = {}, holder;

	if (!lkst_wants_current())
		return LKST_UNWANTED(contention_begin);
	if (has_stack(flags))
		bpf_get_stack(ctx, frames, sizeof(frames), FRAMES_SKIPPED);
	holder = lkst_holder_of((u64)lock, flags);
	lkst_recording(contention_begin, r) {
		LKST_PUT64(r->lock, lock);
		r->flags = flags;
		r->holder_is = holder >> 32;
		r->holder_tid = (s32)holder;
		LKST_PUT64(r->caller, frames[0]);
		LKST_PUT64(r->caller2, frames[1]);
		LKST_PUT64(r->caller3, frames[2]);
		LKST_PUT64(r->caller4, frames[3]);
		LKST_PUT64(r->caller5, frames[4]);
	}
	return 0;
}

LKST_TP(contention_end, void *lock, int result)
{
	lkst_recording_if(contention_end, r, lkst_wants_current()) {
		LKST_PUT64(r->lock, lock);
		r->result = result;
	}
	return 0;
}

/* The return address at a function's entry: on top of the stack, or in a register. */
static __always_inline u64 caller_of(struct pt_regs *ctx)
{
#ifdef __TARGET_ARCH_x86
	u64 caller = 0;

	bpf_probe_read_kernel(&caller, sizeof(caller), (void *)PT_REGS_SP(ctx));
	return caller;
#else
	return PT_REGS_RET(ctx);
#endif
}

/* A lock is requested. */
#define TAKE_PROGRAM(function, event)                                                              \
	LKST_KPROBE(function, u64 lock)                                                            \
	{                                                                                          \
		u64 caller;                                                                        \
                                                                                                   \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		caller = caller_of(ctx);                                                           \
		lkst_recording(event, r) {                                                         \
			LKST_PUT64(r->lock, lock);                                                 \
			LKST_PUT64(r->caller, caller);                                             \
		}                                                                                  \
		return 0;                                                                          \
	}

TAKE_PROGRAM(_raw_spin_lock, spin_lock)
TAKE_PROGRAM(_raw_spin_lock_irq, spin_lock)
TAKE_PROGRAM(_raw_spin_lock_irqsave, spin_lock)
TAKE_PROGRAM(_raw_spin_lock_bh, spin_lock)
TAKE_PROGRAM(rt_spin_lock, spin_lock)
TAKE_PROGRAM(_raw_spin_trylock, spin_trylock)
TAKE_PROGRAM(_raw_spin_trylock_bh, spin_trylock)
TAKE_PROGRAM(rt_spin_trylock, spin_trylock)
TAKE_PROGRAM(rt_spin_trylock_bh, spin_trylock)
TAKE_PROGRAM(_raw_write_lock, write_lock)
TAKE_PROGRAM(_raw_write_lock_irq, write_lock)
TAKE_PROGRAM(_raw_write_lock_irqsave, write_lock)
TAKE_PROGRAM(_raw_write_lock_bh, write_lock)
TAKE_PROGRAM(rt_write_lock, write_lock)
TAKE_PROGRAM(_raw_write_trylock, write_trylock)
TAKE_PROGRAM(rt_write_trylock, write_trylock)
TAKE_PROGRAM(_raw_read_lock, read_lock)
TAKE_PROGRAM(_raw_read_lock_irq, read_lock)
TAKE_PROGRAM(_raw_read_lock_irqsave, read_lock)
TAKE_PROGRAM(_raw_read_lock_bh, read_lock)
TAKE_PROGRAM(rt_read_lock, read_lock)
TAKE_PROGRAM(_raw_read_trylock, read_trylock)
TAKE_PROGRAM(rt_read_trylock, read_trylock)

/* A lock is released. */
#define RELEASE_PROGRAM(function, event)                                                           \
	LKST_KPROBE(function, u64 lock)                                                            \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current())                                  \
			LKST_PUT64(r->lock, lock);                                                 \
		return 0;                                                                          \
	}

RELEASE_PROGRAM(_raw_spin_unlock, spin_unlock)
RELEASE_PROGRAM(_raw_spin_unlock_irq, spin_unlock)
RELEASE_PROGRAM(_raw_spin_unlock_irqrestore, spin_unlock)
RELEASE_PROGRAM(_raw_spin_unlock_bh, spin_unlock)
RELEASE_PROGRAM(rt_spin_unlock, spin_unlock)
RELEASE_PROGRAM(_raw_write_unlock, write_unlock)
RELEASE_PROGRAM(_raw_write_unlock_irq, write_unlock)
RELEASE_PROGRAM(_raw_write_unlock_irqrestore, write_unlock)
RELEASE_PROGRAM(_raw_write_unlock_bh, write_unlock)
RELEASE_PROGRAM(rt_write_unlock, write_unlock)
RELEASE_PROGRAM(_raw_read_unlock, read_unlock)
RELEASE_PROGRAM(_raw_read_unlock_irq, read_unlock)
RELEASE_PROGRAM(_raw_read_unlock_irqrestore, read_unlock)
RELEASE_PROGRAM(_raw_read_unlock_bh, read_unlock)
RELEASE_PROGRAM(rt_read_unlock, read_unlock)
