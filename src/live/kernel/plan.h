/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What to record: which events were asked for, which hook each gets on this kernel, which id and
 * which buffer. Made before anything is loaded; it needs no privilege but reading the kernel's
 * type information.
 */
#ifndef LKST_LIVE_KERNEL_PLAN_H
#define LKST_LIVE_KERNEL_PLAN_H

#include "abi/control.h"
#include "abi/program.h"
#include "live/kernel/kernel_types.h"
#include "result/notes.h"
#include "trace/format/catalog.h"

enum {
	/* The id of a system call that is known but not wanted: its route is always NOTHING. */
	LKST_ID_UNWANTED = LKST_ID_MAX,
};

struct lkst_plan_tracepoint {
	char name[LKST_NAME_MAX];
	int perf_id;
	struct lkst_tracepoint_plan plan;
};

struct lkst_plan {
	struct lkst_catalog *catalog;
	struct lkst_kernel *kernel;  /* NULL: forgotten, or not the running one */
	s16 hook[LKST_NR_EVENTS];    /* row of the event's hooks that is used, -1: not recorded */
	u32 also[LKST_NR_EVENTS];    /* bit i: row i is used, too */
	u16 id[LKST_NR_EVENTS];	     /* 0: none */
	u8 buffer[LKST_EVENT_SPACE]; /* by id */
	bool is_wanted[LKST_EVENT_SPACE]; /* by id */
	bool has_compat;
	bool is_whole;	/* events that are not wanted have an id and a hook, too */
	bool is_chosen; /* globs were given */
	bool has_stacks; /* an event refers to stacks */
	struct lkst_syscall_plan sys64[LKST_SYSCALL_MAX], sys32[LKST_SYSCALL_MAX];
	u8 counters[LKST_PERF_AT_ONCE]; /* what perf_counters counts, enum lkst_perf_counter */
	struct lkst_plan_tracepoint *tracepoints;
	unsigned int nr_tracepoints;
	struct lkst_notes notes; /* what cannot be recorded here, and why */
};

/*
 * Makes the plan for the events that @globs select; none selects the default set: all but the acquire
 * and release of locks. A glob matches an event's name, "group:name", its LKST mnemonic, a system
 * call as "syscall:<name>", or any tracepoint of the kernel as "system:name". A glob that selects
 * nothing is an error. @btf_file as in lkst_kernel_open().
 */
int lkst_plan_make(struct lkst_err *e, char *const *globs, unsigned int nr_globs,
		   const char *btf_file, struct lkst_plan **ret_plan);

/*
 * The same for a recording whose masksets can be changed during it: every event of the
 * catalogue that this kernel can record gets its id and its hook, wanted or not.
 */
int lkst_plan_make_whole(struct lkst_err *e, char *const *globs, unsigned int nr_globs,
			 const char *btf_file, struct lkst_plan **ret_plan);

/* What a plan is made for. */
struct lkst_plan_options {
	char *const *globs;
	unsigned int nr_globs;
	const char *btf_file;
	bool is_whole; /* as lkst_plan_make_whole() */
	/* What is counted for each stretch in which a thread ran; all 0: nothing, and there is no event for it. */
	u8 counters[LKST_PERF_AT_ONCE];
	bool has_samples, has_off_cpu; /* events that are recorded by an option */
	bool has_mappings;	       /* the event `mapping`, which comes with the two others */
	/*
	 * Whether @glob selects an event that will be declared later, so that it need not select another. NULL: none.
	 */
	bool (*is_known)(void *ctx, const char *glob);
	void *ctx;
};

/* The same for what @options say. */
int lkst_plan_make_for(struct lkst_err *e, const struct lkst_plan_options *options,
		       struct lkst_plan **ret_plan);

/* Frees the kernel's types, some 10 MB, which are needed until programs are loaded. */
void lkst_plan_forget_kernel(struct lkst_plan *p);
void lkst_plan_free(struct lkst_plan *p);

/*
 * How @index can be hooked on kernel @k: the row of its hooks, or -errno with the reason in one
 * sentence.
 */
int lkst_plan_choose_hook(struct lkst_err *e, const struct lkst_kernel *k,
			  enum lkst_event_index index);

/* The further functions and tracepoints of @index that kernel @k has: bit i is row i of its hooks. */
u32 lkst_plan_choose_also(const struct lkst_kernel *k, enum lkst_event_index index);

#endif
