/* SPDX-License-Identifier: GPL-2.0-only */
/* The handler of triggers and of masksets' conditions: loading and unloading it. */
#include "live/masks/trigger_handler.h"

#include <errno.h>
#include <string.h>

#include "live/inject/injections.h"
#include "live/masks/handlers.h"
#include "live/masks/masksets.h"

static bool is_injection(const struct lkst_event_class *event)
{
	return event && !strncmp(event->name, LKST_INJECTION_GROUP, strlen(LKST_INJECTION_GROUP));
}

/*
 * The program of an injection is no hook of the recording, and asks no handler. A pattern may mean injections beside
 * other events.
 */
static int refuse_injections(struct lkst_err *e, const struct lkst_catalog *c, const bool *ids)
{
	const struct lkst_event_class *injection = NULL;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		if (ids[id] && !is_injection(c->classes[id]))
			return 0;
		if (ids[id])
			injection = c->classes[id];
	}
	if (!injection)
		return 0;
	return lkst_err_set(
		e, -ENOTSUP,
		"no handler, and so no trigger or condition, is asked about %s; what the function's "
		"caller returns can be probed: `lkst trigger add 'errors CALLER'`",
		injection->name);
}

int lkst_trigger_handler_load(struct lkst_err *e, struct lkst_session *s, const char *file,
			      const bool *ids, u8 *ret_number)
{
	bool wants[LKST_EVENT_SPACE] = {}, lacks = false;
	struct lkst_handler_options options = { .file = file, .wants = wants, .has_names = true };
	struct lkst_handler h;
	u32 id;
	int err = refuse_injections(e, lkst_session_catalog(s), ids);

	if (err)
		return err;
	if (lkst_session_rings(s)->control->is_unordered)
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel is too old for triggers: on arm64 they require Linux 5.18");
	if (!lkst_handler_find(NULL, lkst_session_own_pins(s), LKST_TRIGGER_HANDLER, &h))
		options.extends = h.number;
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		wants[id] = ids[id] && !(options.extends && lkst_hooks_serve(lkst_session_hooks(s),
									     id, options.extends));
		lacks |= wants[id];
	}
	err = lacks ? lkst_handler_load(e, s, &options, &h) : 0;
	if (err)
		return err;
	*ret_number = h.number;
	return 0;
}

/* True if a row of some maskset has a condition for event @id. */
static bool has_condition(const struct lkst_trigger_maps *m, u32 id)
{
	u32 set;

	for (set = 0; set < LKST_MASKSETS; set++)
		if (m->rows[set].condition[id])
			return true;
	return false;
}

/* Whether a trigger or a maskset's condition looks at event @id. */
static bool is_looked_at(const struct lkst_trigger_maps *m, u32 id)
{
	return m->events[id].rules || m->events[id].steps || has_condition(m, id);
}

bool lkst_trigger_handler_needs(const struct lkst_session *s, u32 id)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};

	return lkst_session_is_pinned(s) && lkst_trigger_maps_open_any(s, &m) && is_looked_at(&m, id);
}

int lkst_trigger_handler_follow(struct lkst_err *e, struct lkst_session *s, u32 id,
				struct lkst_notes *notes)
{
	bool ids[LKST_EVENT_SPACE] = {};
	struct lkst_handler h;

	if (!lkst_trigger_handler_needs(s, id) ||
	    lkst_handler_find(NULL, lkst_session_own_pins(s), LKST_TRIGGER_HANDLER, &h))
		return 0;
	ids[id] = true;
	return lkst_handler_extend(e, s, h.number, ids)
		       ?: lkst_maskset_divert(e, s, ids, h.number, notes);
}

static bool is_any_used(const struct lkst_trigger_maps *m)
{
	u32 i;

	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		if (m->triggers[i].is_used)
			return true;
	for (i = 0; i < LKST_EVENT_SPACE; i++)
		if (has_condition(m, i))
			return true;
	return false;
}

int lkst_trigger_handler_release(struct lkst_err *e, struct lkst_session *s,
				 struct lkst_trigger_maps *m, u8 number, struct lkst_notes *notes)
{
	const struct lkst_control *c = lkst_session_control(s);
	bool ids[LKST_EVENT_SPACE];
	u32 id;
	int err;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		ids[id] = lkst_maskset_default(c, id) == number && !is_looked_at(m, id);
	err = lkst_maskset_divert(e, s, ids, LKST_HANDLER_DEFAULT, notes);
	if (err || is_any_used(m))
		return err;
	return lkst_handler_unload(e, s, number, true, notes);
}
