/* SPDX-License-Identifier: GPL-2.0-only */
/* In which functions the threads of a window ran, as far as samples say. */
#ifndef LKST_ANALYZE_WHY_RUNNING_H
#define LKST_ANALYZE_WHY_RUNNING_H

#include "analyze/engine/samples.h"
#include "base/cleanup.h"
#include "trace/known/threads.h"

struct lkst_running;

/*
 * Makes a pass over the samples that @t has from @from_ns to @to_ns. @symbols and @namer name their functions, as in
 * struct lkst_samples_options; @threads knows the processes of threads. *@ret_running is NULL: there are none.
 */
int lkst_running_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		     struct lkst_symbols *symbols, struct lkst_code_namer namer,
		     const struct lkst_threads *threads, struct lkst_running **ret_running);
void lkst_running_free(struct lkst_running *r);
LKST_GUARD(lkst_running_free, struct lkst_running)

/* Samples of a thread, of one or more stretches of its time. All zero is none. */
struct lkst_running_samples {
	u32 *paths;
	u32 nr;
};

/* Adds those of thread @tid from @from_ns to before @to_ns. @r may be NULL. 0 or -ENOMEM. */
int lkst_running_add(const struct lkst_running *r, s32 tid, u64 from_ns, u64 to_ns,
		     struct lkst_running_samples *samples);
void lkst_running_samples_fini(struct lkst_running_samples *samples);

enum { LKST_RUNNING_CALLERS = 3 };

/* Where most of the samples are. */
struct lkst_running_place {
	const struct lkst_frame_name *function;
	u32 nr; /* of the samples: with all that it has called */
	const struct lkst_frame_name *callers[LKST_RUNNING_CALLERS]; /* the innermost first */
	u32 nr_callers; /* how many there are; not more than LKST_RUNNING_CALLERS are listed */
	const struct lkst_frame_name
		*self; /* where most of them are themselves, if it is called there; NULL: none */
	u32 nr_self;
};

/*
 * The innermost function that at least half of @samples are in, by way of the same callers; if there is none, the one
 * in which most of them are themselves. False: no sample has a function.
 */
bool lkst_running_most(const struct lkst_running *r, const struct lkst_running_samples *samples,
		       struct lkst_running_place *ret_place);

#endif
