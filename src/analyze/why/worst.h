/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The longest interval of a kind in a trace, for an explanation to begin with.
 */
#ifndef LKST_ANALYZE_WHY_WORST_H
#define LKST_ANALYZE_WHY_WORST_H

#include "analyze/engine/limited.h"
#include "analyze/model/model.h"
#include "trace/read/reader.h"

enum lkst_worst_kind {
	LKST_WORST_SYSCALL, /* from its entry to its exit */
	LKST_WORST_WAIT,    /* blocked, and then ready until it ran; threads of programs only */
	LKST_WORST_READY,   /* ready to run, but not running; threads of programs only */
	LKST_WORST_FAULT,   /* from a program's page fault to its end or, if that is not seen, that of its last wait */
	LKST_WORST_IO,	    /* a wait that a disk's request ended; threads of programs only */
	LKST_NR_WORSTS,
};

/*
 * Reads "KIND" or "KIND:CALL", a kind and a glob for the system call's name; *@ret_call is NULL without one. -EINVAL:
 * there is no such kind.
 */
int lkst_worst_parse(struct lkst_err *e, const char *text, enum lkst_worst_kind *ret_kind,
		     const char **ret_call);

/*
 * System calls that wait by design are skipped unless `call` names them: those for a time, for a child, a
 * signal, a futex or a file to be ready; and those that receive (read, accept and their kind) as far as they slept
 * for it, interruptibly, for more than half of their time.
 */
struct lkst_worst_options {
	enum lkst_worst_kind kind;
	u64 from_ns, to_ns;
	s32 tid;	  /* 0: any thread */
	const char *comm; /* a glob for its name, NULL: any */
	const char *cgroup; /* a glob for its cgroup's path or container, NULL: any */
	const char *call; /* a glob for the system call's name, NULL: any */
	struct lkst_trace *trace; /* what the cost limit left out of it is looked at; NULL: it is not */
};

struct lkst_worst {
	s32 tid;
	u64 from_ns, to_ns;
	u64 passed_over;	     /* system calls that wait by design, of any length */
	u64 longest_passed_ns;	     /* the longest of them */
	const char *longest_passed; /* its name; NULL: none was */
	/* What of such intervals was left out in that time, so that another one may be longer; "": nothing. */
	char limited[LKST_LIMITED_TEXT];
};

/*
 * A search among other subscribers of a pass, which may be restricted to a window, within which the interval must end.
 * @options and what they refer to must outlive the search; their times are looked at for what was left out only.
 */
struct lkst_worst_search;
int lkst_worst_search_new(struct lkst_err *e, struct lkst_model *model,
			  const struct lkst_worst_options *options,
			  struct lkst_worst_search **ret_search);
void lkst_worst_search_free(struct lkst_worst_search *s);
LKST_GUARD(lkst_worst_search_free, struct lkst_worst_search)

/* What it has found, after the pass. False: nothing; the calls that were skipped are counted even then. */
bool lkst_worst_search_result(const struct lkst_worst_search *s, struct lkst_worst *ret_worst);

/*
 * One pass over @t, whatever the options' `trace`. Intervals of which the beginning or the end is not recorded do not
 * count. -ENOENT: there is none.
 */
int lkst_worst_find(struct lkst_err *e, struct lkst_trace *t, const struct lkst_worst_options *options,
		    struct lkst_worst *ret_worst);

#endif
