/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparisons of a condition: as they were written, and as the kernel makes them. */
#ifndef LKST_MASKS_CONDITION_TERM_H
#define LKST_MASKS_CONDITION_TERM_H

#include "abi/trigger.h"
#include "masks/condition_lex.h"

/* A comparison as it was written. */
struct lkst_comparison {
	char field[LKST_WORD_MAX];
	u8 op; /* enum lkst_trigger_op */
	bool has_mask;
	u64 mask;
	bool is_negative;
	struct lkst_word value;
};

/* Reads one. @field: the field if it is not written; NULL: it is. */
int lkst_comparison_parse(struct lkst_err *e, struct lkst_words *w, const char *field,
			  struct lkst_comparison *ret_comparison);

/*
 * Makes @x the term @ret_term for records of @event; @has_latency: the event ends an interval. -ENOENT: its
 * records have no such field, and the text names those that are near.
 */
int lkst_comparison_compile(struct lkst_err *e, const struct lkst_comparison *x,
			    const struct lkst_event_class *event, bool has_latency,
			    struct lkst_trigger_term *ret_term);

/* The integer field called @name, which distinguishes intervals. */
int lkst_condition_key(struct lkst_err *e, const struct lkst_event_class *event, const char *name,
		       struct lkst_trigger_key *ret_key);

#endif
