/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cost limit: what user space tells the controller in the kernel (src/bpf/budget/budget.bpf.c) before
 * it runs, and what the controller notes as it runs. Costs are in millionths of a CPU's time (ppm).
 */
#ifndef LKST_ABI_BUDGET_H
#define LKST_ABI_BUDGET_H

#include "abi/control.h"
#include "abi/types.h"

enum {
	LKST_BUDGET_MAGIC = 0x54445542, /* "BUDT" */
	LKST_KIND_NONE = 0xffff,
	LKST_GROUP_NONE = 0xffff,
	LKST_KIND_NAME = 64,	   /* with its NUL */
	LKST_KIND_PRECIOUS = 0xff, /* a value: never left out */
	LKST_BUDGET_PERIOD_MS = 250,
	/* How long a kind is left out at least; and before it is tried again at most, if nothing else is asked for. */
	LKST_BUDGET_HOLD_S = 2,
	LKST_BUDGET_RETRY_S = 64,
	/* A helper that has not done what it was asked to within this time is considered lost. */
	LKST_BUDGET_ANSWER_S = 10,
	LKST_BUDGET_ADDED = 128, /* kinds that may be added while the controller runs: of probes */
};

/* Events that are left out and taken back together: one, or an entry and its exit. */
struct lkst_kind {
	/* User space writes these before the controller runs, or, of a probe that is set later, before kind_of. */
	u16 id[2];   /* 0: none */
	u16 unit_ns; /* what recording one costs */
	u16 idle_ns; /* what it costs while it is left out: its hook stays attached */
	u8 value;    /* the least valuable are left out first; LKST_KIND_PRECIOUS: never */
	u8 name_length;
	/* The controller writes the rest, but for begins_out, which user space sets before. */
	u8 is_shed;
	u8 begins_out; /* it is to be left out from the beginning, and ppm is there already */
	u16 group; /* of its hooks; LKST_GROUP_NONE: it has none. User space writes it */
	u16 pad2;
	u32 tries; /* how often it was tried, to see whether there is room for it */
	/* What it cost when it was left out, or would have when it was tried last, on the CPU where most is paid. */
	u32 ppm;
	u32 times;    /* how often it was left out */
	u32 hold_s;   /* how long it is left out before it is tried */
	u64 ns;	      /* what it cost on busy CPUs in the last period */
	u64 since_ns; /* when it was left out or taken back */
	u64 shed_ns;  /* how long it was left out, the present interval not counted */
	u64 due_ns;   /* when it is to be tried */
	char name[LKST_KIND_NAME];
};
_Static_assert(sizeof(struct lkst_kind) == 64 + LKST_KIND_NAME, "no holes");

/*
 * Hooks that are attached and detached together because they serve the same kinds: usually one kind. All
 * system calls share two hooks. Hooks that serve more than one kind are detached only when all of these
 * are left out, and then one row of the kinds, which has no events of its own, stands for all of them.
 *
 * The controller asks for it, and a process in user space does it (src/live/recording/limit.c), under the lock of
 * commands.
 */
struct lkst_hook_group {
	/* User space writes these before the controller runs. */
	u16 whole;  /* number of the kind that is left out while they are detached */
	u8 is_kept; /* they serve a kind that is never left out */
	u8 pad;
	/* The process that detaches hooks writes these. */
	u32 is_off;  /* they are detached, whatever a maskset needs */
	u64 done_ns; /* when that process last did what it was asked to */
	/* The controller writes the rest. */
	u32 is_asked; /* they are to be detached */
	u32 is_tried; /* they are attached, or to be, to see how often they run; all is left out still */
	u64 since_ns; /* when is_asked or is_tried was set */
	u32 times;    /* how often they were to be detached */
	u32 is_fresh; /* they cost too much when they were to be detached, and were not just tried */
	u64 ran_ns; /* time of runs that recorded nothing, on all CPUs, since recording began */
	u64 idle_ns; /* the same in the last period */
};
_Static_assert(sizeof(struct lkst_hook_group) == 56, "no holes");

/* How a program is called. That decides what a run that records nothing costs. */
enum lkst_hook_type {
	LKST_HOOK_TYPE_TRACEPOINT,
	LKST_HOOK_TYPE_SYSCALL, /* entry or exit, the kernel's slow path of system calls included */
	LKST_HOOK_TYPE_BY_NAME, /* a tracepoint outside the catalogue: the kernel makes a record of its own */
	LKST_HOOK_TYPE_KPROBE,
	LKST_HOOK_TYPE_KRETPROBE,
	/* In a program; measured when the first such probe is set (src/live/cost/measure_program.c). */
	LKST_HOOK_TYPE_UPROBE,		/* at an instruction that the kernel runs in a single step */
	LKST_HOOK_TYPE_UPROBE_EMULATED, /* at one that it emulates */
	LKST_HOOK_TYPE_URETPROBE,	/* at the return of a function that begins with such a one */
	LKST_HOOK_TYPE_NR,
};

/* What is measured: the hook of each type, then what recording adds. */
enum lkst_cost_unit {
	LKST_COST_UNIT_HOOK,
	LKST_COST_UNIT_RECORD = LKST_COST_UNIT_HOOK + LKST_HOOK_TYPE_NR,
	LKST_COST_UNIT_SYSCALL,
	LKST_COST_UNIT_STRING,
	LKST_COST_UNIT_STACK,
	LKST_COST_UNIT_NR,
};

/* Unit costs on this machine, measured when recording started (src/live/cost/measure.c), ns. */
struct lkst_costs {
	u32 hook_ns[LKST_HOOK_TYPE_NR]; /* a run that records nothing */
	/* What recording adds to it. */
	u32 record_ns;	/* of an event of fixed size */
	u32 syscall_ns; /* of a system call's entry or exit, the mean of both */
	u32 string_ns;	/* for a string, in addition */
	u32 stack_ns;	/* to read both stacks of a thread and to find out that they are known */
	u32 measured;	/* bit i: unit i of the above was measured, not computed from others */
	u32 took_us;	/* what measuring took */
	/* A bit for each event: of a probe in a program, at an instruction that the kernel emulates. */
	u32 is_emulated[LKST_EVENT_SPACE / 32];
};

struct lkst_budget {
	u32 magic;
	u32 version;   /* LKST_ABI_VERSION */
	u32 limit_ppm; /* of each CPU's time; 0: there is no limit, and no controller */
	u32 nr_kinds;
	struct lkst_costs costs;
	/* The controller writes these. */
	u32 busiest_ppm; /* what recording costs on the CPU where it costs most */
	u32 idle_ppm;	 /* what hooks of kinds that were left out lately still cost */
	u32 nr_shed;
	u32 nr_groups; /* user space writes it */
	/* The process that detaches hooks: its pid, which it writes itself; 0: there is none, or no longer. */
	u32 helper;
	/* Its pid again, by the controller: it has not answered, and is asked for nothing. It clears this itself. */
	u32 lost;
	u32 retry_s; /* user space writes it: what is left out is tried again after this at the latest */
	/* The kind that is tried now: its number plus 1; 0: none. It is left out still, and its runs are counted. */
	u32 tried;
	u64 tick_ns;		       /* when it last looked */
	u64 tried_ns;		       /* when it began to try that kind */
	u64 rest_ns;		       /* until then no hooks are attached to be tried */
	u16 kind_of[LKST_EVENT_SPACE]; /* by event: number of its kind, or LKST_KIND_NONE */
};
_Static_assert(sizeof(struct lkst_budget) ==
		       128 + 2 * LKST_EVENT_SPACE + LKST_EVENT_SPACE / 8, "no holes");

/*
 * How often a program ran on one CPU and recorded nothing, by event: the maskset does not want the event, its
 * kind is left out for now, or the recording is restricted to other threads. While both hooks of system calls
 * are attached, each call counts for its entry and for its exit. Runs that record are not counted.
 *
 * For a kind that is left out this is how often it would have been recorded, as long as its hooks stay
 * attached. Where programs of two handlers are attached to one hook, a run of the one that does not handle
 * the event counts, too.
 * Runs for an event that has no id in this recording count for LKST_ID_NONE.
 *
 * The map lkst_idle has an element for each possible CPU, to which only that CPU adds, with a plain load and
 * store: if an interrupt comes between the two, what it adds to the same counter is lost, and the counter may then
 * be less than it was a moment before. So the difference of two readings is a rate, a little too low at worst, and
 * 0 if it is negative.
 */
struct lkst_idle {
	u64 runs[LKST_EVENT_SPACE];
};

#endif
