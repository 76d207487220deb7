/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space and the program of a probe (src/bpf/probe.bpf.c) tell each other. The program is made for one probe:
 * the plan is constant when the verifier sees it.
 */
#ifndef LKST_ABI_PROBE_H
#define LKST_ABI_PROBE_H

#include "abi/types.h"

enum {
	LKST_PROBE_RECORD_MAX = 2048, /* bytes of a record, without its head */
};

struct lkst_probe_plan {
	u16 id;	  /* of the event */
	u16 size; /* bytes after the head; where that varies, as many as there may be */
	u16 is_fixed;
	u16 is_preemptible; /* the hook lets the kernel preempt its program, which prevents that by itself */
};

/* What the programs of a probe have on each CPU. */
struct lkst_probe_cpu {
	u64 hits; /* where a maskset sends the event nowhere, included */
	u64 cut; /* other than 0: a string of the record below was cut. It comes right before it. */
	/* A record whose size varies, on its way to the ring; one byte more, by which a cut is noticed. */
	u8 record[LKST_PROBE_RECORD_MAX + 8];
};

/*
 * Probes of this group are at the returns of functions, with what these return in a field of this name: errors are
 * looked for in it.
 */
#define LKST_ERRORS_GROUP "errors"
#define LKST_ERRORS_RET "ret"
#define LKST_ERRORS_ARG                                                                            \
	"arg" /* with a number from 1 on: what a function is called with, at its entry */
enum { LKST_ERRORS_ARGS = 6 };
enum { LKST_ERRORS_NAME = 48 /* of what the names of two such probes begin with, with its NUL */ };

/* Names of its maps, for user space. */
#define LKST_PROBE_PLAN_MAP ".rodata.probe"
#define LKST_PROBE_CPUS_MAP "lkst_probe_cpus"

#endif
