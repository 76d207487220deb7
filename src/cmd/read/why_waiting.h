/* SPDX-License-Identifier: GPL-2.0-only */
/* `lkst why` without a question: where the waiting of a trace went; and the example of one of its rows, "#2". */
#ifndef LKST_CMD_READ_WHY_WAITING_H
#define LKST_CMD_READ_WHY_WAITING_H

#include "cmd/read/tables.h"

struct lkst_why_waiting_options {
	struct lkst_tally_options which; /* whose waiting */
	const char *from, *to; /* as --from and --to have them, NULL: not given */
	unsigned int tree_depth; /* 0: without the tree */
	bool is_text;	       /* for a person, whom the sentences are enough for */
};

/* The tables of the analysis waiting. @options: struct lkst_why_waiting_options. */
int lkst_why_waiting_tables(struct lkst_err *e, const void *options, struct lkst_trace *t,
			    struct lkst_shown_tables *shown);

/* Whether @arg is the number of a row: "#2". */
bool lkst_why_waiting_is_number(const char *arg);

/*
 * The longest wait of row @arg: whose it is, and from when to when; adds to @notes what else is known of its threads.
 * -EINVAL: no number; -ENOENT: there is none.
 */
int lkst_why_waiting_find(struct lkst_err *e, struct lkst_trace *t, const struct lkst_why_waiting_options *o,
			  const char *arg, struct lkst_notes *notes, s32 *ret_tid, u64 *ret_from_ns, u64 *ret_to_ns);

/*
 * Adds to @notes what the analysis says of the waiting of thread @tid from one time to another, by the clock of @t: the
 * cause in a sentence, where there is harm and it is known.
 */
int lkst_why_waiting_note(struct lkst_err *e, struct lkst_trace *t, s32 tid, u64 from_ns, u64 to_ns,
			  struct lkst_notes *notes);

#endif
