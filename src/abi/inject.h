/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What user space and the program of an injection (src/bpf/inject.bpf.c) tell each other. The program is made for one
 * injection: the plan is constant when the verifier sees it. The state is memory that both have mapped, so that an
 * injection is disarmed by one store.
 */
#ifndef LKST_ABI_INJECT_H
#define LKST_ABI_INJECT_H

#include "abi/types.h"

enum {
	LKST_INJECTION_MAGIC = 0x4a4e494c, /* "LINJ", by its bytes in memory */
	LKST_INJECTION_VERSION = 1,
	LKST_INJECTION_TEXT = 512,  /* with its NUL */
	LKST_INJECTION_FRAMES = 32, /* return addresses that are looked at */
};

/* Which calls of the function are meant, by where they come from. */
enum lkst_injection_caller {
	LKST_CALLER_ANY,
	LKST_CALLER_FROM,  /* the function returns to the caller */
	LKST_CALLER_UNDER, /* the caller is anywhere on the stack, within LKST_INJECTION_FRAMES */
};

struct lkst_injection_plan {
	u16 id;		    /* of the event */
	u16 is_preemptible; /* the kernel may preempt the program, which prevents that by itself */
	u16 caller;	    /* enum lkst_injection_caller */
	u16 pad;
	u32 pid;	/* of the process; 0: any */
	u32 own_pid;	/* of the command that has armed it, in which nothing is injected */
	u64 comm[2];	/* the thread's name; 0: any */
	u64 chance;	/* of 2^32 */
	u64 first;	/* the first call at which to inject, from 1 on */
	u64 every;	/* and each so many calls after it, at least 1 */
	u64 times;	/* at most; 0: any number */
	u64 expires_ns; /* CLOCK_MONOTONIC */
	s64 value;	/* what the function returns */
	/* Kernel addresses; of a program, bytes from the function's beginning, modulo 2^64. */
	u64 function, function_end;
	u64 caller_begin, caller_end;
};

/* Everything but `disarmed` is written by one side only: the counts by the program. */
struct lkst_injection_state {
	u32 magic;
	u32 version;
	u32 pid;			/* of the command */
	u32 disarmed;			/* other than 0: nothing is injected any more */
	u64 expires_ns;			/* as in the plan */
	u64 calls;			/* that were meant, so far */
	u64 taken;			/* of `times` */
	u64 injected;			/* each of them is a record */
	char text[LKST_INJECTION_TEXT]; /* as the user wrote it */
	char event[96];
};

/* The record's fields, behind its head. */
struct lkst_injection_record {
	u64 function;
	s64 value;
	u64 nr;	    /* which injection it is, from 1 on */
	u64 call;   /* which of the calls that are meant */
	u64 caller; /* the address that the function returns to; 0: it is not known */
};

/* Names of its maps, for user space. */
#define LKST_INJECTION_PLAN_MAP ".rodata.inject"
#define LKST_INJECTION_STATE_MAP "lkst_injection"

#endif
