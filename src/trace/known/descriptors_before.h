/* SPDX-License-Identifier: GPL-2.0-only */
/* What the state of a trace says of descriptors, and since when that holds. */
#ifndef LKST_TRACE_KNOWN_DESCRIPTORS_BEFORE_H
#define LKST_TRACE_KNOWN_DESCRIPTORS_BEFORE_H

#include "trace/known/descriptors.h"
#include "trace/read/reader.h"

/*
 * Tells @d, which has had no record, what the state of @t says of descriptors (state_descriptor). A snapshot has what
 * was found at its end, and that holds since the last record that may have changed the descriptor: so @t is read up to
 * then, if it has such records. 0, or a negative errno and a sentence.
 */
int lkst_descriptors_tell_state(struct lkst_err *e, struct lkst_descriptors *d, struct lkst_trace *t);

#endif
