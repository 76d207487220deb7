/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions of masksets' rows: writing what the handler in the kernel evaluates, and reading it back. */
#include "live/masks/mask_conditions.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/masks/masksets.h"
#include "live/masks/trigger_handler.h"
#include "live/masks/trigger_maps.h"
#include "live/programs/installed.h"
#include "masks/condition.h"

/* ---- reading ---------------------------------------------------------------------------------- */

void lkst_mask_conditions_read(const struct lkst_session *s, u32 set, struct lkst_mask *mask)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	const struct lkst_catalog *c = lkst_session_catalog(s);
	u32 id;

	if (!lkst_session_is_pinned(s) || !lkst_trigger_maps_open_any(s, &m))
		return;
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		u8 number = m.rows[set].condition[id];
		char text[LKST_MASK_CONDITION];

		if (!number || number > LKST_TRIGGER_MASK_CONDITIONS || !c->classes[id])
			continue;
		memcpy(text, m.conditions[number - 1].text, sizeof(text));
		text[sizeof(text) - 1] = 0;
		/* It was accepted once, so it is accepted again. */
		lkst_mask_set_condition(NULL, mask, c->classes[id], text);
	}
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* A condition, resolved for an event. */
struct compiled {
	const char *text;
	struct lkst_trigger_term terms[LKST_TRIGGER_TERMS];
	unsigned int nr_terms;
};

static struct lkst_trigger_term *terms_of(const struct lkst_trigger_maps *m, u32 number)
{
	return &m->terms[LKST_TRIGGER_MASK_TERMS + number * LKST_TRIGGER_TERMS];
}

static bool mask_conditions_is_same(const struct lkst_trigger_maps *m, u32 number, const struct compiled *x)
{
	const struct lkst_mask_condition *condition = &m->conditions[number];

	return condition->nr_terms == x->nr_terms &&
	       !strncmp(condition->text, x->text, sizeof(condition->text)) &&
	       !memcmp(terms_of(m, number), x->terms, sizeof(x->terms));
}

static void mark_used(const struct lkst_trigger_maps *m, bool used[LKST_TRIGGER_MASK_CONDITIONS])
{
	u32 set, id;

	for (set = 0; set < LKST_MASKSETS; set++)
		for (id = 0; id < LKST_EVENT_SPACE; id++) {
			u8 number = m->rows[set].condition[id];

			if (number && number <= LKST_TRIGGER_MASK_CONDITIONS)
				used[number - 1] = true;
		}
}

/* The number of @x among the kernel's conditions; if none is equal, a free one is written. */
static int write_condition(struct lkst_err *e, struct lkst_trigger_maps *m, bool *used,
		 const struct compiled *x, u8 *ret_number)
{
	u32 i, unused = LKST_TRIGGER_MASK_CONDITIONS;

	for (i = 0; i < LKST_TRIGGER_MASK_CONDITIONS; i++) {
		if (used[i] && mask_conditions_is_same(m, i, x))
			break;
		if (!used[i] && unused == LKST_TRIGGER_MASK_CONDITIONS)
			unused = i;
	}
	if (i == LKST_TRIGGER_MASK_CONDITIONS) {
		if (unused == LKST_TRIGGER_MASK_CONDITIONS)
			return lkst_err_set(e, -ENOSPC,
					    "the masksets of a recording have at most %u different "
					    "conditions; `lkst maskset delete` makes room",
					    LKST_TRIGGER_MASK_CONDITIONS);
		i = unused;
		memcpy(terms_of(m, i), x->terms, sizeof(x->terms));
		m->conditions[i].nr_terms = x->nr_terms;
		snprintf(m->conditions[i].text, sizeof(m->conditions[i].text), "%s", x->text);
		used[i] = true;
	}
	*ret_number = (u8)(i + 1);
	return 0;
}

/* Writes the conditions that @mask names, and their numbers into @rows. */
static int place_all(struct lkst_err *e, const struct lkst_session *s, struct lkst_trigger_maps *m,
		     const struct lkst_mask *mask, struct lkst_mask_rows *rows)
{
	const struct lkst_catalog *c = lkst_session_catalog(s);
	bool used[LKST_TRIGGER_MASK_CONDITIONS] = {};
	int err = 0;
	u32 id;

	memset(rows, 0, sizeof(*rows));
	mark_used(m, used);
	for (id = 0; id < LKST_EVENT_SPACE && !err; id++) {
		struct compiled x = { .text = lkst_mask_condition(mask, id) };

		if (!x.text || !c->classes[id])
			continue;
		err = lkst_condition_compile(e, c->classes[id], x.text, x.terms, &x.nr_terms);
		err = err ?: write_condition(e, m, used, &x, &rows->condition[id]);
	}
	return err;
}

static int mask_conditions_load(struct lkst_err *e, struct lkst_session *s, const struct lkst_mask *mask,
				bool ids[LKST_EVENT_SPACE], u8 *ret_number)
{
	char path[LKST_HANDLER_PATH_MAX];
	int err = lkst_handler_object(e, LKST_TRIGGER_HANDLER, path);
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		ids[id] = lkst_mask_condition(mask, id) != NULL;
	return err ?: lkst_trigger_handler_load(e, s, path, ids, ret_number);
}

int lkst_mask_conditions_write(struct lkst_err *e, struct lkst_session *s, u32 set,
			       const struct lkst_mask *mask, struct lkst_notes *notes)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	bool ids[LKST_EVENT_SPACE] = {};
	struct lkst_mask_rows rows;
	u8 number = 0;
	int err = 0;
	u32 id;

	if (lkst_mask_has_conditions(mask) && !lkst_session_is_to_be_pinned(s))
		return lkst_err_set(e, -ENOTSUP,
				    "it has conditions, which only a recording that `lkst start` "
				    "begins can evaluate");
	if (!lkst_session_is_pinned(s))
		return 0;
	if (lkst_mask_has_conditions(mask))
		err = mask_conditions_load(e, s, mask, ids, &number);
	if (err)
		return err;
	if (!lkst_trigger_maps_open_any(s, &m))
		return number ? lkst_err_set(e, -EIO, "the handler of conditions is incomplete")
			      : 0;
	err = place_all(e, s, &m, mask, &rows);
	if (!err && number)
		err = lkst_maskset_divert(e, s, ids, number, notes);
	for (id = 0; id < LKST_EVENT_SPACE && !err; id++)
		__atomic_store_n(&m.rows[set].condition[id], rows.condition[id], __ATOMIC_RELEASE);
	return err;
}

int lkst_mask_conditions_release(struct lkst_err *e, struct lkst_session *s,
				 struct lkst_notes *notes)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	u8 number = lkst_session_is_pinned(s) ? lkst_trigger_maps_open_any(s, &m) : 0;

	return number ? lkst_trigger_handler_release(e, s, &m, number, notes) : 0;
}
