/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that a catalogue gets while recording goes on. */
#include "trace/format/declared.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool lkst_event_is_same(const struct lkst_event_class *known,
			const struct lkst_event_class *declared)
{
	u16 i;

	if (known->nr_fields != declared->nr_fields)
		return false;
	for (i = 0; i < known->nr_fields; i++) {
		const struct lkst_field_class *f = &known->fields[i], *g = &declared->fields[i];

		if (strcmp(f->name, g->name) || f->type != g->type || f->size != g->size ||
		    f->count != g->count || f->length_field != g->length_field ||
		    (g->meaning > LKST_MEANING_HEX && f->meaning != g->meaning))
			return false;
	}
	return true;
}

/* The first id that is free; *@ret_left: how many more are. */
static u16 find_free(const struct lkst_catalog *c, u32 *ret_left)
{
	u16 id, free = LKST_ID_NONE;

	*ret_left = 0;
	for (id = LKST_ID_MARKS_END - 1; id >= LKST_ID_MARKS; id--) {
		if (c->classes[id])
			continue;
		*ret_left += free != LKST_ID_NONE;
		free = id;
	}
	return free;
}

int lkst_catalog_add_mark(struct lkst_err *e, struct lkst_catalog *c,
			  const struct lkst_event_class *event, u32 nr_had, u16 *ret_id)
{
	const struct lkst_event_class *known;
	struct lkst_event_class copy = *event;
	unsigned int number;
	u32 left;
	int err;

	/* Every id may have been given to an event of this name. */
	for (number = 2; (known = lkst_catalog_find(c, copy.name)) &&
			 number <= LKST_ID_MARKS_END - LKST_ID_MARKS + 2;
	     number++) {
		if (lkst_event_is_same(known, event)) {
			*ret_id = known->id;
			return 0;
		}
		snprintf(copy.name, sizeof(copy.name), "%.85s_%u", event->name, number);
	}
	copy.id = find_free(c, &left);
	if (known || copy.id == LKST_ID_NONE || left < nr_had)
		return lkst_err_set(e, -ENOSPC, "programs describe too many events: %s",
				    event->name);
	*ret_id = copy.id;
	err = lkst_catalog_add(e, c, &copy);
	return err ?: 1;
}
