/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records are of what the kernel counts itself (enum lkst_counter). */
#ifndef LKST_TRACE_READ_COUNTED_H
#define LKST_TRACE_READ_COUNTED_H

#include "trace/format/block.h"
#include "trace/format/catalog.h"

/* The events of a catalogue, by number. */
struct lkst_counted {
	u8 kind[LKST_ID_MAX + 1];				   /* of what counter a record is, plus 1 */
	s32 fixed[LKST_ID_MAX + 1];				   /* the counter's number */
	const struct lkst_field_class *number_of[LKST_ID_MAX + 1]; /* or the field that has it */
};

/* Fills in @m, which is all zero, for the events of @catalog. */
void lkst_counted_map(struct lkst_counted *m, const struct lkst_catalog *catalog);

/*
 * Of which counter @r is: its kind and number. Packets sent are LKST_COUNTER_SENT, by whatever interface. False: of
 * none.
 */
bool lkst_counted_of(const struct lkst_counted *m, const struct lkst_record *r, u8 *ret_kind,
		     s32 *ret_number);

#endif
