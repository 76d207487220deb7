/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading masksets of a recording, writing and deleting them. */
#include "live/masks/maskset_edit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "live/masks/handlers.h"
#include "live/masks/mask_conditions.h"
#include "live/masks/maskset_hooks.h"
#include "live/masks/masksets.h"
#include "live/masks/trigger_maps.h"
#include "masks/mask_text.h"
#include "masks/shipped_masks.h"

static int check_mask(struct lkst_err *e, struct lkst_session *s, u32 set,
		      const struct lkst_mask *mask)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 i;

	for (i = 0; i < LKST_MASKSETS; i++)
		if (i != set && !strncmp(c->name[i], mask->name, sizeof(c->name[i])))
			return lkst_err_set(e, -EEXIST, "maskset %u is called %s already", i,
					    mask->name);
	for (i = 0; i < LKST_EVENT_SPACE; i++) {
		u8 handler = mask->route[i] & 0xff, buffer = mask->route[i] >> 8;

		if (handler != LKST_HANDLER_DEFAULT && handler != LKST_HANDLER_NOTHING) {
			int err = lkst_handler_serve(e, s, handler, i);

			if (err)
				return err;
		}
		if (buffer >= LKST_NR_BUFFERS || !lkst_rings_has(lkst_session_rings(s), buffer))
			return lkst_err_set(e, -EINVAL,
					    "there is no buffer %u; `lkst buffer list` shows them",
					    buffer);
	}
	return 0;
}

/* ---- changing --------------------------------------------------------------------------------- */

void lkst_maskset_read(const struct lkst_session *s, u32 set, struct lkst_mask *ret_mask)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 id;

	lkst_mask_init(ret_mask, "", NULL);
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		u8 handler = lkst_route_handler(c->route[set][id]);

		if (handler == lkst_maskset_default(c, id))
			handler = LKST_HANDLER_DEFAULT;
		ret_mask->route[id] = lkst_route(handler, c->route[set][id] >> 8);
	}
	memcpy(ret_mask->name, c->name[set], sizeof(ret_mask->name));
	ret_mask->name[sizeof(ret_mask->name) - 1] = 0;
	lkst_mask_conditions_read(s, set, ret_mask);
}

int lkst_maskset_write(struct lkst_err *e, struct lkst_session *s, u32 set,
		       const struct lkst_mask *mask, struct lkst_notes *notes)
{
	struct lkst_control *c = lkst_session_control(s);
	const bool is_active = c->active == set;
	u16 route[LKST_EVENT_SPACE];
	u32 ignored, id;
	int err;

	if (lkst_maskset_is_reserved(set))
		return lkst_maskset_refuse_reserved(e, c, set);
	err = lkst_mask_check_name(e, mask->name) ?: check_mask(e, s, set, mask);
	/* From the active maskset to itself: the trace shows it, before anything changes. */
	if (!err && is_active)
		err = lkst_maskset_switch(e, s, set);
	err = err ?: lkst_mask_conditions_write(e, s, set, mask, notes);
	if (err)
		return err;
	if (!lkst_maskset_is_in_use(c, set)) {
		lkst_maskset_put(c, set, mask);
		return lkst_mask_conditions_release(e, s, notes);
	}
	/* As with a switch: first the hooks that the new one needs, then the stores, then those that nobody needs. */
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		route[id] = lkst_maskset_resolve(c, id, mask->route[id]);
	err = lkst_maskset_attach(e, s, 1U << c->active, route, notes, &ignored);
	if (!err) {
		lkst_maskset_put(c, set, mask);
		err = lkst_maskset_detach(e, s, 1U << c->active, &ignored);
	}
	if (!err && is_active)
		err = lkst_maskset_settle(e, s);
	return err ?: lkst_mask_conditions_release(e, s, notes);
}

int lkst_maskset_delete(struct lkst_err *e, struct lkst_session *s, u32 set,
			struct lkst_notes *notes)
{
	struct lkst_control *c = lkst_session_control(s);
	struct lkst_mask none;
	u32 ignored;
	int err;

	if (lkst_maskset_is_reserved(set))
		return lkst_err_set(e, -EPERM, "maskset %u (%s) is reserved and can't be deleted",
				    set, c->name[set]);
	if (c->active == set)
		return lkst_err_set(e, -EBUSY,
				    "maskset %u (%s) is active; switch to another one with "
				    "`lkst maskset set`",
				    set, c->name[set]);
	err = lkst_trigger_check_free(e, s, set, c->name[set]);
	if (err)
		return err;
	c->armed &= ~(1U << set);
	lkst_mask_init(&none, "", NULL);
	err = lkst_mask_conditions_write(e, s, set, &none, notes);
	if (err)
		return err;
	lkst_maskset_put(c, set, &none);
	err = lkst_maskset_detach(e, s, 1U << c->active, &ignored);
	return err ?: lkst_mask_conditions_release(e, s, notes);
}

/* Reads the maskset @text into a free place, or over the one that has its name. */
static int maskset_edit_read_text(struct lkst_err *e, struct lkst_session *s, const char *text, size_t length,
				  struct lkst_notes *notes, u32 *ret_set)
{
	struct lkst_mask mask;
	int err = lkst_mask_parse(e, text, length, lkst_session_catalog(s), &mask, notes);

	if (err)
		return err;
	if (!mask.name[0])
		return lkst_err_set(e, -EINVAL, "it has no line \"# maskset name=NAME\"");
	err = lkst_maskset_place(e, lkst_session_control(s), mask.name, ret_set);
	return err ?: lkst_maskset_write(e, s, *ret_set, &mask, notes);
}

/* The same from file @path. */
static int maskset_edit_read_file(struct lkst_err *e, struct lkst_session *s, const char *path,
				  struct lkst_notes *notes, u32 *ret_set)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err;

	err = lkst_read_file(e, AT_FDCWD, path, LKST_MASK_TEXT_MAX, &text, &length);
	err = err ?: maskset_edit_read_text(e, s, text, length, notes, ret_set);
	if (err)
		lkst_err_add(e, "%s", path);
	return err;
}

int lkst_maskset_get(struct lkst_err *e, struct lkst_session *s, const char *word,
		     struct lkst_notes *notes, u32 *ret_set)
{
	struct lkst_control *c = lkst_session_control(s);
	const struct lkst_shipped_mask *shipped;
	struct lkst_mask mask;
	int err = lkst_maskset_find(e, c, word, ret_set);

	if (err != -ENOENT || *ret_set < LKST_MASKSETS)
		return err;
	shipped = lkst_shipped_mask_find(word);
	if (shipped) {
		err = lkst_maskset_find_free(e, c, true, ret_set);
		if (err)
			return err;
		lkst_shipped_mask_fill(shipped, lkst_session_catalog(s), &mask);
		return lkst_maskset_write(e, s, *ret_set, &mask, notes);
	}
	return strchr(word, '/') ? maskset_edit_read_file(e, s, word, notes, ret_set) : err;
}
