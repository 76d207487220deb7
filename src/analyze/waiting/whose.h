/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose waiting is told: that of some threads, or of the time in which threads had spans of a name. Who caused it may
 * be anybody.
 */
#ifndef LKST_ANALYZE_WAITING_WHOSE_H
#define LKST_ANALYZE_WAITING_WHOSE_H

#include "analyze/model/model.h"
#include "analyze/model/spans.h"

/* Part of the time of a state. */
struct lkst_whose_part {
	u64 from_ns, to_ns;
	u64 since_ns; /* since when that thread's time has been wanted without a break; 0: all of it is */
};

/* A thread had a span. */
struct lkst_whose_stretch {
	u64 from_ns, to_ns;
	u32 life;
};

/* All zero: everybody's. */
struct lkst_whose {
	bool (*chooses)(void *ctx, const struct lkst_thread_life *life); /* NULL: all threads */
	void *ctx;
	const char *span; /* a shell pattern for the names of spans; NULL: not only in spans */
	u64 from_ns, to_ns; /* only the waiting in that time; `to_ns` 0: all of it */

	u64 nr_left_out; /* parts of spans: who had them, or until when, is not known, or they are too many */

	/* Private. */
	const struct lkst_model *model;
	struct lkst_spans *spans;
	struct lkst_whose_stretch *stretches;
	u32 nr;
	u8 *known; /* by life: whether it is chosen */
	u32 nr_known;
};

/* What is chosen must be set. Has the pass of @f, with its @model and @threads, find spans, if any. 0 or -ENOMEM. */
int lkst_whose_subscribe(struct lkst_whose *s, struct lkst_feed *f, struct lkst_model *model,
			 const struct lkst_threads *threads);

/* After the pass. */
void lkst_whose_finish(struct lkst_whose *s);
void lkst_whose_fini(struct lkst_whose *s);

/* In the pass: whether what the thread does now is of the scope. Not of spans: they are known when they are over. */
bool lkst_whose_has_now(const struct lkst_whose *s, const struct lkst_thread_life *life);

/* The same of a thread that may not be known: that is of everybody's alone. */
bool lkst_whose_may_have(const struct lkst_whose *s, const struct lkst_thread_life *life);

/* Whether the scope has that life at some time; not of spans. Asked after the pass. 1, 0 or -ENOMEM. */
int lkst_whose_chooses(struct lkst_whose *s, u32 life);

/*
 * After it: the first part of the time of life number @life from @from_ns to @to_ns that is of the scope. 1; 0: there
 * is none; -ENOMEM.
 */
int lkst_whose_part(struct lkst_whose *s, u32 life, u64 from_ns, u64 to_ns, struct lkst_whose_part *ret_part);

#endif
