/* SPDX-License-Identifier: GPL-2.0-only */
/* Two events between which time is measured: "EVENT .. EVENT [key=FIELD]". */
#ifndef LKST_MASKS_EVENT_PAIR_H
#define LKST_MASKS_EVENT_PAIR_H

#include "masks/condition_lex.h"

struct lkst_event_pair {
	char begin[LKST_WORD_MAX], end[LKST_WORD_MAX];
	char key[LKST_WORD_MAX]; /* the field by which the two belong together, "": the thread */
};

/* Reads an event's name, or one of the shorter names that conditions have for some. */
int lkst_event_name_parse(struct lkst_err *e, struct lkst_words *w, char name[LKST_WORD_MAX]);

/* Reads what follows @pair->begin, from the ".." on. */
int lkst_event_pair_parse_rest(struct lkst_err *e, struct lkst_words *w,
			       struct lkst_event_pair *pair);

/* Reads @text, which is a pair and nothing more. -EINVAL: it is not; the text says where. Trusts no byte. */
int lkst_event_pair_parse(struct lkst_err *e, const char *text, struct lkst_event_pair *ret_pair);

#endif
