/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cost limit: what user space tells the controller in the kernel (src/bpf/budget.bpf.c) before
 * it runs, and what that keeps of its doings. Costs are in millionths of a CPU's time (ppm).
 */
#ifndef LKST_ABI_BUDGET_H
#define LKST_ABI_BUDGET_H

#include "abi/control.h"
#include "abi/types.h"

enum {
	LKST_BUDGET_MAGIC = 0x54445542, /* "BUDT" */
	LKST_KIND_NONE = 0xffff,
	LKST_KIND_NAME = 64,	   /* with its NUL */
	LKST_KIND_PRECIOUS = 0xff, /* a value: never left out */
	LKST_BUDGET_PERIOD_MS = 250,
	LKST_BUDGET_MEASURE = 32, /* records made to measure what one costs */
	/* How long a kind is left out at least, and at most before it is tried again. */
	LKST_BUDGET_HOLD_S = 2,
	LKST_BUDGET_HOLD_MAX_S = 64,
};

/* Events that are left out and taken back together: one, or an entry and its exit. */
struct lkst_kind {
	/* User space writes these before the controller runs. */
	u16 id[2];   /* 0: none */
	u16 unit_ns; /* what recording one costs */
	u16 idle_ns; /* what it costs while it is left out: its hook stays attached */
	u8 value;    /* the least valuable are left out first; LKST_KIND_PRECIOUS: never */
	u8 name_length;
	/* The controller writes the rest. */
	u8 is_shed;
	u8 pad;
	u32 ppm;      /* what it cost when it was left out */
	u32 times;    /* how often it was */
	u32 hold_s;   /* how long it is left out at least */
	u64 ns;	      /* what it cost on busy CPUs in the last period */
	u64 since_ns; /* when it was left out or taken back */
	u64 shed_ns;  /* how long it was left out, the present interval not counted */
	char name[LKST_KIND_NAME];
};
_Static_assert(sizeof(struct lkst_kind) == 48 + LKST_KIND_NAME, "no holes");

struct lkst_budget {
	u32 magic;
	u32 version;   /* LKST_ABI_VERSION */
	u32 limit_ppm; /* of each CPU's time; 0: there is no limit, and no controller */
	u32 nr_kinds;
	u32 record_ns; /* what a record costs without its hook, measured at start */
	/* The controller writes these. */
	u32 busiest_ppm; /* what recording costs on the CPU where it costs most */
	u32 idle_ppm;	 /* what hooks of kinds that were left out lately still cost */
	u32 nr_shed;
	u64 tick_ns;		       /* when it last looked */
	u16 kind_of[LKST_EVENT_SPACE]; /* by event: number of its kind, or LKST_KIND_NONE */
};
_Static_assert(sizeof(struct lkst_budget) == 40 + 2 * LKST_EVENT_SPACE, "no holes");

#endif
