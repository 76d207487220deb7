/* SPDX-License-Identifier: GPL-2.0-only */
/* The time between two events that the user names. */
#ifndef LKST_ANALYZE_ANALYSES_BETWEEN_H
#define LKST_ANALYZE_ANALYSES_BETWEEN_H

#include "trace/format/catalog.h"

/* Two events of a catalogue, and the integer fields by which they belong together; NULL: by their thread. */
struct lkst_between {
	const struct lkst_event_class *begin, *end;
	const struct lkst_field_class *begin_key, *end_key;
};

/*
 * Finds what @text, "EVENT .. EVENT [key=FIELD]" (masks/event_pair.h), names in catalogue @c, which must outlive the
 * result. -EINVAL: it is not such a text, or the field does not hold a number; -ENOENT: the trace has no such event
 * or field.
 */
int lkst_between_find(struct lkst_err *e, const struct lkst_catalog *c, const char *text,
		      struct lkst_between *ret);

#endif
