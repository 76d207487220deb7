/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks that masksets need. */
#include "live/masks/maskset_hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/hooks/hook_groups.h"
#include "live/hooks/pins.h"
#include "live/masks/masksets.h"
#include "live/masks/trigger_maps.h"

/* What is detached to keep to the cost limit stays so, whatever a maskset needs. */
static int clear_off(struct lkst_err *e, const struct lkst_session *s, bool *needed)
{
	_cleanup_(lkst_budget_view_free) struct lkst_budget_view v = {};
	int err;

	if (lkst_session_budget_fds(s)->groups_fd < 0)
		return 0;
	err = lkst_session_budget(e, s, &v);
	if (!err && v.kinds)
		lkst_hook_groups_clear_off(v.groups, v.page.nr_groups, v.kinds, v.page.nr_kinds,
					   lkst_session_hooks(s), needed);
	return err;
}

/* A flag per hook: needed by a maskset of @sets, an armed one or the table @more. */
static int maskset_hooks_find_needed(struct lkst_err *e, const struct lkst_session *s, u32 sets, const u16 *more,
				     bool **ret_needed)
{
	const struct lkst_control *c = lkst_session_control(s);
	const struct lkst_hooks *hooks = lkst_session_hooks(s);
	_cleanup_free_ bool *needed = calloc(hooks->nr + 1, sizeof(*needed));
	u32 set;
	int err;

	if (!needed)
		return lkst_err_sys(e, -ENOMEM, "finding the hooks that are needed");
	sets |= lkst_trigger_needs(s);
	for (set = 0; set < LKST_MASKSETS; set++)
		if ((sets | c->armed) & 1U << set)
			lkst_hooks_mark(hooks, c->route[set], needed);
	if (more)
		lkst_hooks_mark(hooks, more, needed);
	err = clear_off(e, s, needed);
	if (err)
		return err;
	*ret_needed = lkst_take(needed);
	return 0;
}

static int pin_link(struct lkst_err *e, const struct lkst_session *s, const struct lkst_hook *hook)
{
	char pin[LKST_HOOK_PIN_MAX];

	if (!lkst_session_is_pinned(s))
		return 0;
	lkst_hook_pin_name(hook, pin);
	return lkst_pins_put(e, lkst_session_own_pins(s), hook->link_fd, pin);
}

static int unpin_link(struct lkst_err *e, const struct lkst_session *s,
		      const struct lkst_hook *hook)
{
	char pin[LKST_HOOK_PIN_MAX];

	if (!lkst_session_is_pinned(s))
		return 0;
	lkst_hook_pin_name(hook, pin);
	return lkst_pins_drop(e, lkst_session_own_pins(s), pin);
}

int lkst_maskset_attach(struct lkst_err *e, struct lkst_session *s, u32 sets, const u16 *more,
			struct lkst_notes *notes, u32 *ret_nr)
{
	_cleanup_free_ bool *needed = NULL;
	struct lkst_hooks *hooks = lkst_session_hooks(s);
	struct lkst_err why = {};
	unsigned int i;
	int err = maskset_hooks_find_needed(e, s, sets, more, &needed);

	if (err)
		return err;
	for (i = 0, *ret_nr = 0; i < hooks->nr && !err; i++) {
		struct lkst_hook *hook = &hooks->items[i];

		if (!needed[i] || hook->is_attached)
			continue;
		if (lkst_hook_attach(&why, hook)) {
			lkst_notes_add(notes, "%s is not recorded: %s.", hook->target, why.text);
			continue;
		}
		(*ret_nr)++;
		err = pin_link(e, s, hook);
	}
	return err;
}

int lkst_maskset_detach(struct lkst_err *e, struct lkst_session *s, u32 sets, u32 *ret_nr)
{
	_cleanup_free_ bool *needed = NULL;
	struct lkst_hooks *hooks = lkst_session_hooks(s);
	unsigned int i;
	int err = maskset_hooks_find_needed(e, s, sets, NULL, &needed);

	if (err)
		return err;
	for (i = 0, *ret_nr = 0; i < hooks->nr && !err; i++) {
		struct lkst_hook *hook = &hooks->items[i];

		if (needed[i] || !hook->is_attached)
			continue;
		/* The pin, or the descriptor, is the last reference: the hook is detached with it. */
		err = unpin_link(e, s, hook);
		if (!err) {
			lkst_hook_detach(hook);
			(*ret_nr)++;
		}
	}
	return err;
}

u32 lkst_maskset_nr_attached(const struct lkst_session *s)
{
	const struct lkst_hooks *hooks = lkst_session_hooks(s);
	unsigned int i, nr = 0;

	for (i = 0; i < hooks->nr; i++)
		nr += hooks->items[i].is_attached;
	return nr;
}
