/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernels do in different ways, and what older ones cannot. The programs are built twice of one source: for
 * kernels that have all that is named below, and, with LKST_FLOOR defined, for those from Linux 5.10 on that lack some
 * of it; live/programs/floor.h chooses. In the first, each of these is one plain access, so that they do not pay for
 * the others. Before Linux 5.18 arm64 has no exchange (1902472b4fa9), without which the stores there are in no order
 * (record.h): readers do what is missing (live/rings/rings.h).
 */
#ifndef LKST_BPF_COMPAT_H
#define LKST_BPF_COMPAT_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "abi/types.h"
/* The helpers want the integer names first. */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"

#ifndef LKST_FLOOR

/* The thread that runs now. Linux 5.11, 3ca1032ab7ab. */
#define LKST_CURRENT() bpf_get_current_task_btf()

/* LKST_READ(p, a, b) is p->a->b, of a thread or what it leads to, which may be that of LKST_CURRENT(). */
#define LKST_READ(p, ...) ___arrow((p), ##__VA_ARGS__)

/* Stores @v in @x, and gives what was there, in one step. For x86 Linux 5.12, 5ffa25502b5a. */
#define LKST_ATOMIC_EXCHANGE(x, v) __sync_lock_test_and_set(&(x), v)
#define LKST_EXCHANGE LKST_ATOMIC_EXCHANGE

/* A store that other CPUs see before any later load is done. */
#define LKST_STORE_FENCE(x, v) ((void)LKST_EXCHANGE(x, v))

/* The bits of what @task waits for. The member has this name since Linux 5.14, 2f064a59a11f. */
#define LKST_TASK_STATE(task) ((task)->__state)

/* The CPU that @task is on, or was last. There since Linux 5.16, bcf9033e5449. */
#define LKST_TASK_CPU(task) ((task)->thread_info.cpu)

/* The registers with which @task entered the kernel. Linux 5.15, dd6e10fbd9fb. */
#define LKST_TASK_REGS(task) ((void *)bpf_task_pt_regs(task))

/* Whether they are those of a program. */
#define LKST_ARE_OF_PROGRAM(regs) true

/*
 * What @prev waits for, which leaves the CPU; 0: it was still ready to run. sched_switch has said so since Linux 5.18,
 * fa2c3254d7cf; the argument has the name prev_state.
 */
#define LKST_PREV_STATE_ARG , unsigned int prev_state
#define LKST_PREV_STATE(preempt, prev) ((preempt) ? 0 : prev_state)

/* The disk of request @rq. Its queue has it since Linux 5.15, d152c682f03c. */
#define LKST_DISK(rq) ((rq)->q->disk)

/* The flags of page fault @fault. They have a type of their own since Linux 5.13, da2f5eb3d344. */
#define LKST_FAULT_FLAGS(fault) BPF_CORE_READ(fault, flags)

/* How a request went, as block_rq_complete has said it since Linux 5.16. */
#define LKST_BLOCK_STATUS_TYPE u8
#define LKST_BLOCK_STATUS(status) (status)

/*
 * Map @name has a u32 for each thread that needs one. LKST_THREAD_NOTE() gives a pointer to that of @task, NULL: it has
 * none; LKST_THREAD_NOTE_MAKE() makes one if it can. It is freed with the thread. For programs of hooks Linux 5.12,
 * a10787e6d58c.
 */
#define LKST_THREAD_NOTES(name)                                                                    \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_TASK_STORAGE);                                           \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
		__type(key, int);                                                                  \
		__type(value, u32);                                                                \
	} name SEC(".maps")
#define LKST_THREAD_NOTE(map, task) bpf_task_storage_get(map, task, 0, 0)
#define LKST_THREAD_NOTE_MAKE(map, task) bpf_task_storage_get(map, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE)

/* A function with a pointer to memory, which the verifier checks once. Linux 5.12, e5069b9c23b3. */
#define LKST_STEP __noinline
#define LKST_WEAK_STEP __weak __noinline /* in a header that several files include */

/*
 * Stores @new in @x if @old is there, and gives what was there, in one step. For x86 Linux 5.12, 5ffa25502b5a. Where
 * another CPU does the same at this moment, something other than @old may be given instead.
 */
#define LKST_ATOMIC_COMPARE_EXCHANGE(x, old, new) __sync_val_compare_and_swap(&(x), old, new)
#define LKST_COMPARE_EXCHANGE LKST_ATOMIC_COMPARE_EXCHANGE

/* Adds 1 to @x, and gives what was there, in one step. For x86 Linux 5.12, 5ca419f2864a. */
#define LKST_ATOMIC_COUNT_UP(x) __sync_fetch_and_add(&(x), 1)
#define LKST_COUNT_UP LKST_ATOMIC_COUNT_UP

/* Has @function(i, &ctx) run for i from 0 to @times - 1, until it returns 1. Linux 5.17, e6f2dd0f8067. */
#define LKST_LOOP(times, max, function, ctx) bpf_loop(times, function, ctx, 0)

#else

/*
 * A pointer without a type, so that what it leads to is copied by address: lockdown=confidentiality forbids that, and
 * with it most programs. (@p is found first, or the access to it would be taken for one to the kernel's memory.)
 */
#define LKST_CURRENT() ((struct task_struct *)bpf_get_current_task())
#define LKST_READ(p, ...)                                                                          \
	({                                                                                         \
		typeof(p) __from = (p);                                                            \
		BPF_CORE_READ(__from, ##__VA_ARGS__);                                              \
	})

enum { TASK_WAKING = 0x200 }; /* include/linux/sched.h */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
/* Not all of these are in each kernel. */
struct task_struct___floor {
	long state;
	unsigned int cpu;
	void *stack;
	int on_rq;
};
struct request___floor {
	struct gendisk *rq_disk;
};
struct vm_fault___floor {
	unsigned int flags;
};
struct pt_regs___mode {
#ifdef __TARGET_ARCH_arm64
	u64 pc, pstate;
#else
	u64 cs;
#endif
};
#pragma clang attribute pop

static __always_inline u32 lkst_task_state(struct task_struct *task)
{
	return bpf_core_field_exists(task->__state) ? task->__state : ((struct task_struct___floor *)task)->state;
}
#define LKST_TASK_STATE(task) lkst_task_state(task)

static __always_inline u32 lkst_task_cpu(struct task_struct *task)
{
	return bpf_core_field_exists(task->thread_info.cpu) ? task->thread_info.cpu
							    : ((struct task_struct___floor *)task)->cpu;
}
#define LKST_TASK_CPU(task) lkst_task_cpu(task)

/*
 * A thread that waits was taken from its run queue before the switch (__schedule(), kernel/sched/core.c), so that
 * `on_rq` tells whether it does, and not the state: who wakes it on another CPU meanwhile has made that TASK_WAKING
 * (try_to_wake_up()), and waits for the switch. What the thread waited for is lost then.
 */
static __always_inline u32 lkst_prev_state(struct task_struct *prev)
{
	u32 state;

	if (((struct task_struct___floor *)prev)->on_rq)
		return 0;
	state = lkst_task_state(prev);
	return state ? state : TASK_WAKING;
}
#define LKST_PREV_STATE_ARG
#define LKST_PREV_STATE(preempt, prev) lkst_prev_state(prev)

/*
 * At the upper end of its stack (task_pt_regs(), arch/x86 and arch/arm64/include/asm/processor.h), whose size no type
 * has. Debugging by KASAN doubles it (arch/x86/include/asm/page_64_types.h, arch/arm64/include/asm/memory.h), and with
 * pages of 64 KB arm64 has stacks of as many: what is found then is not of a program.
 */
enum { STACK_BYTES = 4 << 12 };
#ifdef __TARGET_ARCH_arm64
/*
 * user_mode(), arch/arm64/include/asm/ptrace.h. Memory that is 0, and many a pointer, have that mode, too: a state has
 * 32 bits, and a program's address is not 0 and has no bit 55.
 */
#define LKST_ARE_OF_PROGRAM(regs)                                                                  \
	(!(LKST_READ((struct pt_regs___mode *)(regs), pstate) & ~0xfffffff0ULL) &&                 \
	 LKST_READ((struct pt_regs___mode *)(regs), pc) - 1 < 1ULL << 55)
#else
#define LKST_ARE_OF_PROGRAM(regs) (LKST_READ((struct pt_regs___mode *)(regs), cs) & 3)
#endif
#define LKST_TASK_REGS(task)                                                                       \
	((void *)(LKST_READ((struct task_struct___floor *)(task), stack) + STACK_BYTES -           \
		  bpf_core_type_size(struct pt_regs___mode)))

static __always_inline struct gendisk *lkst_disk(struct request *rq)
{
	return bpf_core_field_exists(rq->q->disk) ? rq->q->disk : ((struct request___floor *)rq)->rq_disk;
}
#define LKST_DISK(rq) lkst_disk(rq)

static __always_inline u32 lkst_fault_flags(struct vm_fault *fault)
{
	return bpf_core_field_exists(fault->flags) ? (u32)BPF_CORE_READ(fault, flags)
						   : BPF_CORE_READ((struct vm_fault___floor *)fault, flags);
}
#define LKST_FAULT_FLAGS(fault) lkst_fault_flags(fault)

/* Before, it was a negative errno, made of the status (blk_errors, block/blk-core.c). */
static __always_inline u32 lkst_block_status(s32 status)
{
	switch (status) {
	case -95: /* EOPNOTSUPP */
		return 1;
	case -110: /* ETIMEDOUT */
		return 2;
	case -28: /* ENOSPC */
		return 3;
	case -67: /* ENOLINK */
		return 4;
	case -121: /* EREMOTEIO */
		return 5;
	case -52: /* EBADE */
		return 6;
	case -61: /* ENODATA */
		return 7;
	case -84: /* EILSEQ */
		return 8;
	case -12: /* ENOMEM */
		return 9;
	}
	return status < 0 ? 10 /* EIO, and what has no number of its own */ : status;
}
#define LKST_BLOCK_STATUS_TYPE s32
#define LKST_BLOCK_STATUS(status) lkst_block_status(status)

/*
 * Its place in memory may be another thread's after it, but not with the same start. Of what was not used for long the
 * map forgets some, when it is full.
 */
struct lkst_thread_key {
	u64 task, start_ns;
};
#define LKST_THREAD_NOTES(name)                                                                    \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_LRU_HASH);                                               \
		__uint(max_entries, 8192);                                                         \
		__type(key, struct lkst_thread_key);                                               \
		__type(value, u32);                                                                \
	} name SEC(".maps")

static __always_inline u32 *lkst_thread_note(void *map, struct task_struct *task, bool make)
{
	struct lkst_thread_key key = { (u64)task, LKST_READ(task, start_boottime) };
	u32 *note = bpf_map_lookup_elem(map, &key), none = 0;

	if (note || !make || bpf_map_update_elem(map, &key, &none, BPF_ANY))
		return note;
	return bpf_map_lookup_elem(map, &key);
}
#define LKST_THREAD_NOTE(map, task) lkst_thread_note(map, task, false)
#define LKST_THREAD_NOTE_MAKE(map, task) lkst_thread_note(map, task, true)

#define LKST_STEP static __noinline
#define LKST_WEAK_STEP static __noinline

#endif

#if defined(LKST_FLOOR) || (defined(LKST_HANDLER_SOURCE) && defined(__TARGET_ARCH_x86))

/*
 * An atomic addition is a full barrier on x86 (LOCK, Intel SDM 3A, 9.2.5), and all that BPF had before. On arm64 it
 * orders nothing, and who keeps a moment does the other half for both (live/drain/incidents.c). It adds
 * nothing, so that a value that another CPU has stored in between stays. The compiler must not know that it is nothing:
 * it would make another operation of it.
 */
#define LKST_ADDED_FENCE(x, v)                                                                     \
	do {                                                                                       \
		typeof(x) __nothing = 0;                                                           \
		asm volatile("" : "+r"(__nothing));                                                \
		*(volatile typeof(x) *)&(x) = (v);                                                 \
		(void)__sync_fetch_and_add(&(x), __nothing);                                       \
	} while (0)

/*
 * The words that a CPU is at work on, by how far they are from the control page. That an element is added only if it is
 * not there is one step before others, too: each is locked in its map. A program that stops another one inside of that
 * lock and wants it itself would wait forever (Linux 5.11, 20b6cc34ea74); live/programs/floor.h says how that is
 * prevented.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, u64);
	__type(value, u32);
} lkst_claims SEC(".maps") __weak;

static __always_inline bool lkst_claim(u64 word)
{
	u32 none = 0;

	return !bpf_map_update_elem(&lkst_claims, &word, &none, BPF_NOEXIST);
}

static __always_inline void lkst_unclaim(u64 word)
{
	bpf_map_delete_elem(&lkst_claims, &word);
}

/* Another CPU has it for a few instructions. */
static __always_inline bool lkst_claim_soon(u64 word)
{
	u32 i;

	_Pragma("clang loop unroll(disable)") for (i = 0; i < 32; i++)
		if (lkst_claim(word))
			return true;
	return false;
}

#define LKST_WORD(x) ((u64)((void *)&(x) - (void *)&lkst_control))

#define LKST_CLAIMED_EXCHANGE(x, v)                                                                \
	({                                                                                         \
		u64 __word = LKST_WORD(x);                                                         \
		bool __is_mine = lkst_claim_soon(__word);                                          \
		typeof(x) __old = *(volatile typeof(x) *)&(x);                                     \
		*(volatile typeof(x) *)&(x) = (v);                                                 \
		if (__is_mine)                                                                     \
			lkst_unclaim(__word);                                                      \
		__old;                                                                             \
	})

#define LKST_CLAIMED_COMPARE_EXCHANGE(x, old, new)                                                 \
	({                                                                                         \
		u64 __word = LKST_WORD(x);                                                         \
		typeof(x) __wanted = (old), __was = ~__wanted;                                     \
		if (lkst_claim(__word)) {                                                          \
			__was = *(volatile typeof(x) *)&(x);                                       \
			if (__was == __wanted)                                                     \
				*(volatile typeof(x) *)&(x) = (new);                               \
			lkst_unclaim(__word);                                                      \
		}                                                                                  \
		__was;                                                                             \
	})

/*
 * No addition is lost, but CPUs that add at the same moment may be given the same. (The compiler would take it together
 * with the other one.)
 */
#define LKST_CLAIMED_COUNT_UP(x)                                                                   \
	({                                                                                         \
		_Static_assert(sizeof(x) == 8, "which is what is added to");                       \
		asm volatile("lock *(u64 *)(%0 + 0) += %1" ::"r"(&(x)), "r"(1ULL) : "memory");     \
		*(volatile typeof(x) *)&(x) - 1;                                                   \
	})

/* The verifier follows each turn, so @max is a constant. */
#define LKST_FOLLOWED_LOOP(times, max, function, ctx)                                              \
	do {                                                                                       \
		u32 __i;                                                                           \
		_Pragma("clang loop unroll(disable)") for (__i = 0; __i < (max); __i++)            \
			if (__i >= (times) || function(__i, ctx))                                  \
				break;                                                             \
	} while (0)

#endif

#ifdef LKST_FLOOR

#define LKST_STORE_FENCE LKST_ADDED_FENCE
#define LKST_EXCHANGE LKST_CLAIMED_EXCHANGE
#define LKST_COMPARE_EXCHANGE LKST_CLAIMED_COMPARE_EXCHANGE
#define LKST_LOOP LKST_FOLLOWED_LOOP

#elif defined(LKST_HANDLER_SOURCE) && defined(__TARGET_ARCH_x86)

/*
 * A handler is compiled once, and linked with either build: it has both ways where they differ, and the verifier
 * removes the one that lkst_cfg.is_floor rules out. The kernel still looks at all instructions, whether they are
 * removed or not, so live/programs/floor.h replaces those that it does not know.
 */
#undef LKST_EXCHANGE
#undef LKST_COMPARE_EXCHANGE
#undef LKST_COUNT_UP
#undef LKST_STEP
#undef LKST_WEAK_STEP
#undef LKST_LOOP
#undef LKST_STORE_FENCE
#define LKST_EXCHANGE(x, v) (lkst_cfg.is_floor ? LKST_CLAIMED_EXCHANGE(x, v) : LKST_ATOMIC_EXCHANGE(x, v))
#define LKST_COMPARE_EXCHANGE(x, old, new)                                                         \
	(lkst_cfg.is_floor ? LKST_CLAIMED_COMPARE_EXCHANGE(x, old, new)                            \
			   : LKST_ATOMIC_COMPARE_EXCHANGE(x, old, new))
#define LKST_COUNT_UP(x) (lkst_cfg.is_floor ? LKST_CLAIMED_COUNT_UP(x) : LKST_ATOMIC_COUNT_UP(x))
#define LKST_STEP static __noinline
#define LKST_WEAK_STEP static __noinline
#define LKST_LOOP LKST_FOLLOWED_LOOP
#define LKST_STORE_FENCE LKST_ADDED_FENCE

#endif

#endif
