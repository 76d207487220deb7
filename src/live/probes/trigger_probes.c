/* SPDX-License-Identifier: GPL-2.0-only */
/* Triggers that fire when functions return errors. */
#include "live/probes/trigger_probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/probes/error_probes.h"
#include "masks/error_trigger.h"

static int trigger_probes_add(struct lkst_err *e, struct lkst_session *s, const char *text,
			      const struct lkst_trigger_options *options, struct lkst_notes *notes,
			      u32 *ret_number)
{
	_cleanup_free_ struct lkst_condition *condition = NULL;

	return lkst_condition_parse(e, lkst_session_catalog(s), text, &condition)
		       ?: lkst_trigger_add(e, s, condition, options, notes, ret_number);
}

/* Sets the probes. 1: they were there already. */
static int trigger_probes_set_probes(struct lkst_err *e, struct lkst_session *s,
				     const struct lkst_error_trigger *t, struct lkst_notes *notes)
{
	struct lkst_error_probes p = {};
	char text[LKST_ERROR_PROBES_TEXT];
	int err;

	if (lkst_error_probes_are_set(s, t->name))
		return 1;
	memcpy(p.name, t->name, sizeof(p.name));
	err = lkst_error_probes_set(e, s, t->module[0] ? t->module : NULL, t->globs, notes, &p);
	if (!err)
		lkst_notes_add(notes, "The trigger watches %s.", lkst_error_probes_text(&p, text));
	return err;
}

int lkst_trigger_add_text(struct lkst_err *e, struct lkst_session *s,
			  const struct lkst_trigger_options *options, struct lkst_notes *notes,
			  u32 *ret_number)
{
	struct lkst_error_trigger t;
	int err, set;

	if (!lkst_error_trigger_is(options->text))
		return trigger_probes_add(e, s, options->text, options, notes, ret_number);
	err = lkst_error_trigger_parse(e, options->text, &t);
	set = err ?: trigger_probes_set_probes(e, s, &t, notes);
	if (set < 0)
		return set;
	err = trigger_probes_add(e, s, t.condition, options, notes, ret_number);
	if (err && !set)
		lkst_error_probes_remove(NULL, s, t.name);
	return err;
}

/* ---- removing --------------------------------------------------------------------------------- */

/* The trigger that a word means. */
struct meant {
	const char *word;
	bool has_probes;
	struct lkst_error_trigger probes;
};

/* 1: it is this one, as lkst_trigger_remove() decides it. */
static int is_meant(void *ctx, u32 number, const struct lkst_trigger *trigger)
{
	struct meant *m = ctx;
	char *end;
	unsigned long asked = strtoul(m->word, &end, 10);

	if (strcmp(trigger->name, m->word) && (!*m->word || *end || asked != number))
		return 0;
	m->has_probes = lkst_error_trigger_is(trigger->condition) &&
			!lkst_error_trigger_parse(NULL, trigger->condition, &m->probes);
	return 1;
}

/* 1: it needs the probes called @ctx. */
static int needs(void *ctx, u32 number, const struct lkst_trigger *trigger)
{
	struct lkst_error_trigger t;

	return lkst_error_trigger_is(trigger->condition) &&
	       !lkst_error_trigger_parse(NULL, trigger->condition, &t) && !strcmp(t.name, ctx);
}

int lkst_trigger_remove_all(struct lkst_err *e, struct lkst_session *s, const char *word,
			    struct lkst_notes *notes)
{
	struct meant m = { .word = word };
	int err;

	lkst_trigger_each(NULL, s, is_meant, &m);
	err = lkst_trigger_remove(e, s, word, notes);
	if (err || !m.has_probes || lkst_trigger_each(NULL, s, needs, m.probes.name) > 0)
		return err;
	return lkst_error_probes_remove(e, s, m.probes.name);
}
