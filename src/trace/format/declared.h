/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that a catalogue gets while recording goes on, from handlers, probes and programs that mark. */
#ifndef LKST_TRACE_FORMAT_DECLARED_H
#define LKST_TRACE_FORMAT_DECLARED_H

#include "trace/format/catalog.h"

/* The ids of events that programs describe: from the first on, before the end. */
enum {
	LKST_ID_MARKS_END = LKST_ID_MAX,
	LKST_ID_MARKS = LKST_ID_MARKS_END - 256,
};

/* Whether a record of @declared can be one of @known. What a value means counts only where @declared says it. */
bool lkst_event_is_same(const struct lkst_event_class *known,
			const struct lkst_event_class *declared);

/*
 * Adds what a program marks. Where another event of this name has other fields, it is called NAME_2 and so on.
 * *@ret_id: its id. Returns 1 if that is a new one, 0 if the event was there. -ENOSPC: it is not there, and after
 * adding it fewer than @nr_had ids would be left.
 */
int lkst_catalog_add_mark(struct lkst_err *e, struct lkst_catalog *c,
			  const struct lkst_event_class *event, u32 nr_had, u16 *ret_id);

#endif
