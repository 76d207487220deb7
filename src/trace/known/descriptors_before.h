/* SPDX-License-Identifier: GPL-2.0-only */
/* What the state of a trace says of descriptors, and since when that holds. */
#ifndef LKST_TRACE_KNOWN_DESCRIPTORS_BEFORE_H
#define LKST_TRACE_KNOWN_DESCRIPTORS_BEFORE_H

#include "trace/known/descriptors.h"
#include "trace/read/reader.h"

/*
 * Tells @d, which has had no record, what the state of @t says of descriptors (state_descriptor). A snapshot has what
 * was found at its end, and that holds since the last record that may have changed the descriptor: so @t is read up to
 * then, if it has such records and has not been read for that before. 0, or a negative errno and a sentence.
 */
int lkst_descriptors_tell_state(struct lkst_err *e, struct lkst_descriptors *d, struct lkst_trace *t);

/*
 * The same reading, for one who reads @t from its beginning anyway: feed it all gaps and records, in order, and
 * @threads, which must stay, before it. *@ret_before: NULL: nothing need be read. After the end @t knows.
 */
struct lkst_descriptors_before;
int lkst_descriptors_before_new(struct lkst_err *e, struct lkst_trace *t, const struct lkst_threads *threads,
				struct lkst_descriptors_before **ret_before);
void lkst_descriptors_before_gap(struct lkst_descriptors_before *b, const struct lkst_gap *gap);
int lkst_descriptors_before_feed(struct lkst_descriptors_before *b, const struct lkst_record *r);
int lkst_descriptors_before_end(struct lkst_descriptors_before *b);
void lkst_descriptors_before_free(struct lkst_descriptors_before *b);
LKST_GUARD(lkst_descriptors_before_free, struct lkst_descriptors_before)

#endif
