/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The label of a pinned recording: a few words of whoever started it, by which programs distinguish it from those of
 * others. It is kept beside the pins of the recording.
 */
#ifndef LKST_LIVE_SESSION_LABEL_H
#define LKST_LIVE_SESSION_LABEL_H

#include "base/err.h"

enum { LKST_LABEL_MAX = 64 }; /* with the NUL at its end */

/* -EINVAL: it is empty or too long, or has characters that a terminal obeys or that are not UTF-8. */
int lkst_label_check(struct lkst_err *e, const char *label);

/* Pins @label, which lkst_label_check() has accepted; NULL: nothing. Takes lkst_pins_prepare() first. */
int lkst_label_pin(struct lkst_err *e, const char *label);

/* The label of the pinned recording; "": it has none. It may hold anything: escape it. */
int lkst_label_read(struct lkst_err *e, char ret_label[LKST_LABEL_MAX]);

#endif
