/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Illegal sequences in a trace: events of the kernel in an order in which they must not happen. A
 * finding rests on two or three events that are all in the trace. Where records are missing, or an
 * event that a rule needs was not recorded, nothing is found, rather than something wrong:
 * doc/why.md says for each rule what it requires.
 */
#ifndef LKST_ANALYZE_LINT_LINT_H
#define LKST_ANALYZE_LINT_LINT_H

#include "analyze/engine/feed.h"
#include "base/cleanup.h"
#include "result/account.h"
#include "result/notes.h"
#include "trace/known/symbols.h"
#include "trace/known/threads.h"
#include "trace/read/reader.h"

enum lkst_lint_rule {
	LKST_LINT_USE_AFTER_FREE,
	LKST_LINT_DOUBLE_FREE,
	LKST_LINT_SLEEP,
	LKST_LINT_LOCK_KEPT,
	LKST_LINT_LOCK_STRANGER,
	LKST_LINT_LOCK_TWICE,
	LKST_LINT_LOCK_ORDER,
	LKST_NR_LINT_RULES,
};

struct lkst_lint_rule_desc {
	const char *name;
	const char *help; /* what it finds, in one line */
};
extern const struct lkst_lint_rule_desc lkst_lint_rules[];

enum { LKST_LINT_FINDINGS_MAX = 1000 }; /* more are only counted */

struct lkst_lint {
	struct lkst_account *account; /* a step for each finding, whose kind is the rule's name */
	struct lkst_threads *threads; /* as at the end of the trace */
	struct lkst_symbols *symbols; /* names of functions and locks */
	struct lkst_notes notes;      /* which rules could not be applied, and why */
	u64 nr_findings;
};

/*
 * The rules that one of the globs @rules names (none: all) look at what @f reads, which may have other subscribers, and
 * a window: a finding is of events that are all in it. lkst_lint_finish() says what they found when the pass is over.
 * -ENOENT: a glob names none. @f and its trace must stay longer.
 */
struct lkst_lint_search;
int lkst_lint_begin(struct lkst_err *e, struct lkst_feed *f, char *const *rules,
		    unsigned int nr_rules, struct lkst_lint_search **ret_search);

/* *@ret_lint is to be given back with lkst_lint_fini(). To be called once. 0 or a negative errno. */
int lkst_lint_finish(struct lkst_err *e, struct lkst_lint_search *s, struct lkst_lint *ret_lint);
void lkst_lint_search_free(struct lkst_lint_search *s);
LKST_GUARD(lkst_lint_search_free, struct lkst_lint_search)

/*
 * One pass over @t by the rules that one of the globs @rules names (none: all). -ENOENT: a glob names
 * none. *@ret_lint is to be given back with lkst_lint_fini(). @look and @ctx: as of lkst_feed_look(), NULL: nobody
 * looks.
 */
int lkst_lint_run(struct lkst_err *e, struct lkst_trace *t, char *const *rules,
		  unsigned int nr_rules, lkst_feed_look_call *look, void *ctx,
		  struct lkst_lint *ret_lint);
void lkst_lint_fini(struct lkst_lint *l);

#endif
