/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of another version's layout, made into this program's own structs field by field, by
 * name. Private to the feed.
 */
#ifndef LKST_ANALYZE_ENGINE_CONVERT_H
#define LKST_ANALYZE_ENGINE_CONVERT_H

#include "trace/format/block.h"

enum {
	LKST_CONVERT_STRING_MAX = 4096, /* of a string, with its NUL: longer ones are cut */
	LKST_CONVERT_MAX = 1024 + LKST_CONVERT_STRING_MAX, /* of a converted record */
};

/* How to convert the records of one class. */
struct lkst_convert;

/* @event's `index` names a built-in event. NULL: no memory. Free it with free(). */
struct lkst_convert *lkst_convert_new(const struct lkst_event_class *event);

/* Bits of the built-in event's fields that @event lacks, or has in a form that cannot be converted. */
u64 lkst_convert_missing(const struct lkst_event_class *event);

/* Makes @r into the built-in event's struct in @ret_record, of LKST_CONVERT_MAX bytes. */
void lkst_convert_record(const struct lkst_convert *c, const struct lkst_record *r, u8 *ret_record);

#endif
