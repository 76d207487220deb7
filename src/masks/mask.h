/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A maskset: what is done with each event of a catalogue, as a table by event id. mask_text.h has its text,
 * shipped_masks.h those that come with the program.
 */
#ifndef LKST_MASKS_MASK_H
#define LKST_MASKS_MASK_H

#include "abi/control.h"
#include "abi/trigger.h"
#include "result/notes.h"
#include "trace/format/catalog.h"
#include "trace/format/event_types.h"

enum {
	LKST_BUFFER_USUAL = -1,				   /* the one that an event goes to if nobody says otherwise */
	LKST_MASK_CONDITIONS = 32,			   /* different ones in a maskset */
	LKST_MASK_CONDITION = LKST_TRIGGER_MASK_CONDITION, /* characters of one, with its NUL */
};

struct lkst_mask {
	char name[LKST_MASKSET_NAME];
	u16 route[LKST_EVENT_SPACE]; /* lkst_route(), by event id of the catalogue */
	/* The number in `conditions`, plus 1, of what must hold for a record to be kept; 0: nothing. */
	u8 condition[LKST_EVENT_SPACE];
	char conditions[LKST_MASK_CONDITIONS][LKST_MASK_CONDITION];
};

/* The buffer that an event goes to if nobody says otherwise. */
u8 lkst_mask_usual_buffer(const struct lkst_event_class *event);

/*
 * True for the events by which a trace knows its threads: their birth, program, name and end. Every maskset
 * has them; where one says NOTHING, they go to DEFAULT. @index: an enum lkst_event_index, or -1.
 */
bool lkst_mask_has_always(int index);

/*
 * Clears @mask: of the events of @c only those that every maskset has are recorded, and those that an option
 * asks for. @c NULL: not even
 * those, as where there is no maskset.
 */
void lkst_mask_init(struct lkst_mask *mask, const char *name, const struct lkst_catalog *c);

/*
 * Sends the events that @type means, or that @glob names, to @handler and @buffer (a number or
 * LKST_BUFFER_USUAL). Events that only represent @type are not sent to NOTHING: their own rows decide that.
 * Returns how many events are meant.
 */
unsigned int lkst_mask_set_type(struct lkst_mask *mask, const struct lkst_catalog *c,
				const struct lkst_event_types *types, u16 type, u8 handler,
				int buffer);
unsigned int lkst_mask_set_glob(struct lkst_mask *mask, const struct lkst_catalog *c,
				const char *glob, u8 handler, int buffer);

/*
 * From now on @event, which @mask sends to DEFAULT, is recorded only if @text holds: comparisons as in the
 * condition of a trigger (doc/triggers.md), of fields of the record and of the thread. -ENOENT: its records
 * have no such field. -EINVAL: @text is none. -E2BIG: it is too long, or there are too many.
 */
int lkst_mask_set_condition(struct lkst_err *e, struct lkst_mask *mask,
			    const struct lkst_event_class *event, const char *text);

/*
 * The same for all events that @glob names and whose records have the fields: they are sent to DEFAULT and
 * @buffer, the others are left as they are. *@ret_nr: how many. -ENOENT: there are such events, but none has the
 * fields. -EINVAL: as lkst_mask_set_condition(), or every maskset has all of them.
 */
int lkst_mask_set_glob_if(struct lkst_err *e, struct lkst_mask *mask, const struct lkst_catalog *c,
			  const char *glob, int buffer, const char *text, unsigned int *ret_nr);

/* What must hold for event @id to be recorded, NULL: nothing. */
const char *lkst_mask_condition(const struct lkst_mask *mask, u32 id);

/* True if any event has a condition. */
bool lkst_mask_has_conditions(const struct lkst_mask *mask);

/*
 * True if RDEFAULT has event @d of the built-in catalogue, and a recording that asks for none: all but
 * taking and releasing locks. Waiting for one is rare, and in it.
 */
bool lkst_mask_has_by_default(const struct lkst_event_desc *d);

/* Sends all of the catalogue's events to the default handler, or those that RDEFAULT has. */
void lkst_mask_set_all(struct lkst_mask *mask, const struct lkst_catalog *c, bool is_all);

/* How many events are not sent to the handler NOTHING, of those that a maskset decides on. */
unsigned int lkst_mask_count(const u16 *route, const struct lkst_catalog *c);

#endif
