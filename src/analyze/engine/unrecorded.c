/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that the trace lacks because no maskset let them through. */
#include "analyze/engine/unrecorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "masks/mask.h"
#include "masks/shipped_masks.h"

enum {
	NAMES_SHOWN = 6, /* of events; the rest is counted */
	CALLS_SHOWN = 4, /* of system calls; more are "syscall:*" */
	NAMES_MAX = 64,
	TEXT = 1024,
};

struct lkst_unrecorded {
	const struct lkst_feed *feed;
	const struct lkst_catalog *catalog;
	char names[LKST_MASKSETS][LKST_MASKSET_NAME]; /* "": not known */
	u32 events[LKST_MASKSETS];	       /* how many it lets through, as the trace says */
	u32 used;			       /* a bit for each that was active */
	bool is_known;			       /* all of these */
	bool is_let_through[LKST_EVENT_SPACE]; /* by one of these */
	struct lkst_mask mask;		       /* the one that is looked at */
};

/* ---- the trace's masksets ------------------------------------------------------------ */

static void unrecorded_use(struct lkst_unrecorded *u, u32 maskset)
{
	if (maskset < LKST_MASKSETS)
		u->used |= 1u << maskset;
}

static int unrecorded_on_maskset(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_maskset *m = record;
	struct lkst_unrecorded *u = ctx;

	if (m->maskset >= LKST_MASKSETS)
		return 0;
	snprintf(u->names[m->maskset], LKST_MASKSET_NAME, "%s", m->name.bytes);
	u->events[m->maskset] = m->events;
	if (m->active)
		unrecorded_use(u, m->maskset);
	return 0;
}

static int unrecorded_on_switch(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_maskset_switch *s = record;

	unrecorded_use(ctx, s->from);
	unrecorded_use(ctx, s->to);
	return 0;
}

int lkst_unrecorded_new(struct lkst_feed *f, struct lkst_unrecorded **ret_unrecorded)
{
	struct lkst_unrecorded *u = calloc(1, sizeof(*u));
	int r;

	*ret_unrecorded = u;
	if (!u)
		return -ENOMEM;
	u->feed = f;
	u->catalog = lkst_trace_catalog(lkst_feed_trace(f));
	lkst_feed_always(f, true);
	r = lkst_feed_event(f, LKST_EV_state_maskset, unrecorded_on_maskset, u);
	if (r >= 0)
		r = lkst_feed_event(f, LKST_EV_maskset_switch, unrecorded_on_switch, u);
	lkst_feed_always(f, false);
	return r < 0 ? r : 0;
}

void lkst_unrecorded_free(struct lkst_unrecorded *u)
{
	free(u);
}

static bool unrecorded_has(const struct lkst_mask *mask, u32 id)
{
	return lkst_route_handler(mask->route[id]) != LKST_HANDLER_NOTHING;
}

/* Makes the reserved maskset @name. */
static void fill_reserved(struct lkst_unrecorded *u, const char *name)
{
	lkst_mask_init(&u->mask, name, u->catalog);
	if (strcmp(name, "RNOTHING"))
		lkst_mask_set_all(&u->mask, u->catalog, !strcmp(name, "RALL"));
}

/* Makes maskset @i of the trace; false if it is a user's, or a shipped one that was changed. */
static bool unrecorded_fill(struct lkst_unrecorded *u, u32 i)
{
	const struct lkst_shipped_mask *shipped = lkst_shipped_mask_find(u->names[i]);

	if (i < LKST_MASKSET_USER && u->names[i][0] == 'R') {
		fill_reserved(u, u->names[i]);
		return true;
	}
	if (!shipped)
		return false;
	lkst_shipped_mask_fill(shipped, u->catalog, &u->mask);
	return lkst_mask_count(u->mask.route, u->catalog) == u->events[i];
}

void lkst_unrecorded_end(struct lkst_unrecorded *u)
{
	u32 i, id;

	/* A pause of the recording, unless there was nothing else. */
	if (u->used != 1u << LKST_MASKSET_RNOTHING)
		u->used &= ~(1u << LKST_MASKSET_RNOTHING);
	u->is_known = u->used != 0;
	for (i = 0; i < LKST_MASKSETS; i++) {
		if (!(u->used >> i & 1))
			continue;
		if (!unrecorded_fill(u, i)) {
			u->is_known = false;
			continue;
		}
		for (id = 0; id < LKST_EVENT_SPACE; id++)
			u->is_let_through[id] |= unrecorded_has(&u->mask, id);
	}
	/* A record that no maskset let through: another was active, and the record of the switch to it is missing. */
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (u->catalog->classes[id] && lkst_class_is_maskable(u->catalog->classes[id]) &&
		    !u->is_let_through[id] && lkst_feed_has_come(u->feed, id))
			u->is_known = false;
}

static bool is_unrecorded(const struct lkst_unrecorded *u, u32 id)
{
	return u->is_known && !u->is_let_through[id] && !lkst_feed_has_come(u->feed, id);
}

bool lkst_unrecorded_is(const struct lkst_unrecorded *u, enum lkst_event_index index)
{
	u32 id = lkst_feed_id(u->feed, index);

	return id && is_unrecorded(u, id);
}

/* ---- the sentence -------------------------------------------------------------------- */

/* Masksets decide on it, and it is no 32-bit program's call: that goes with the others' of its name. */
static bool counts(const struct lkst_unrecorded *u, const bool *wants, u32 id)
{
	const struct lkst_event_class *event = u->catalog->classes[id];

	return wants[id] && event && lkst_class_is_maskable(event) && !event->is_compat;
}

/* Makes u->mask the first maskset that has all of @wants. */
static const char *unrecorded_choose(struct lkst_unrecorded *u, const bool *wants)
{
	static const char *const reserved[] = { "RDEFAULT", "RALL" };
	unsigned int i, nr_shipped;
	u32 id;

	for (nr_shipped = 0; lkst_shipped_masks[nr_shipped].name; nr_shipped++)
		;
	for (i = 0;; i++) {
		if (i < nr_shipped)
			lkst_shipped_mask_fill(&lkst_shipped_masks[i], u->catalog, &u->mask);
		else
			fill_reserved(u, reserved[i - nr_shipped]);
		for (id = 0; id < LKST_EVENT_SPACE; id++)
			if (counts(u, wants, id) && !unrecorded_has(&u->mask, id))
				break;
		if (id == LKST_EVENT_SPACE || i == nr_shipped + 1)
			return u->mask.name;
	}
}

struct unrecorded_list {
	char names[NAMES_MAX][LKST_NAME_MAX + 8];
	unsigned int nr;
};

/* Adds @prefix and @name, once. */
static void unrecorded_add(struct unrecorded_list *l, const char *prefix, const char *name)
{
	char text[LKST_NAME_MAX + 8];
	unsigned int i;

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	for (i = 0; i < l->nr; i++)
		if (!strcmp(l->names[i], text))
			return;
	if (l->nr < NAMES_MAX)
		strcpy(l->names[l->nr++], text);
}

/*
 * Lists the missing ones of @wants. An analysis mostly finds only some of the system calls that it could use: they
 * are missing if all are, and are listed as globs.
 */
static void unrecorded_collect(const struct lkst_unrecorded *u, const bool *wants, struct unrecorded_list *l)
{
	struct unrecorded_list calls = { .nr = 0 };
	bool has_call = false;
	unsigned int i;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const char *name, *call;

		if (!counts(u, wants, id))
			continue;
		name = u->catalog->classes[id]->name;
		call = lkst_class_call(u->catalog->classes[id]);
		if (u->is_known && !is_unrecorded(u, id))
			has_call |= call != NULL;
		else if (!call)
			unrecorded_add(l, "", name);
		else
			unrecorded_add(&calls, "syscall:", call);
	}
	if (!has_call && calls.nr > CALLS_SHOWN)
		unrecorded_add(l, "syscall:", "*");
	for (i = 0; !has_call && calls.nr <= CALLS_SHOWN && i < calls.nr; i++)
		unrecorded_add(l, "", calls.names[i]);
}

/* "a", "a and b", "a, b and 7 more" */
static void unrecorded_put_names(const struct unrecorded_list *l, char text[TEXT])
{
	unsigned int i, nr = l->nr > NAMES_SHOWN + 1 ? NAMES_SHOWN : l->nr, used = 0;

	for (i = 0; i < nr; i++)
		used += (unsigned int)snprintf(text + used, TEXT - used, "%s%s",
					       !i		? ""
					       : i + 1 == l->nr ? " and "
								: ", ",
					       l->names[i]);
	if (nr < l->nr)
		snprintf(text + used, TEXT - used, " and %u more", l->nr - nr);
}

/* ", which was recorded with maskset standard" */
static void put_masksets(const struct lkst_unrecorded *u, char text[TEXT])
{
	unsigned int used;
	bool is_first = true;
	u32 i;

	text[0] = 0;
	if (!u->is_known)
		return;
	used = (unsigned int)snprintf(text, TEXT, ", which was recorded with maskset%s",
				      u->used & (u->used - 1) ? "s" : "");
	for (i = 0; i < LKST_MASKSETS; i++) {
		if (!(u->used >> i & 1))
			continue;
		used += (unsigned int)snprintf(text + used, TEXT - used, "%s%s",
					       is_first ? " " : ", ", u->names[i]);
		is_first = false;
	}
}

void lkst_unrecorded_note(struct lkst_unrecorded *u, const bool wants[LKST_EVENT_SPACE],
			  struct lkst_notes *notes)
{
	char names[TEXT], masksets[TEXT];
	u64 begin_ns, end_ns, from_ns, to_ns;
	struct unrecorded_list l = { .nr = 0 };
	const char *chosen;
	u32 id;

	lkst_feed_window(u->feed, &from_ns, &to_ns);
	lkst_trace_range(lkst_feed_trace(u->feed), &begin_ns, &end_ns);
	for (id = 0; id < LKST_EVENT_SPACE && !u->is_known; id++)
		if (counts(u, wants, id) && (lkst_feed_has_come(u->feed, id) || to_ns < end_ns))
			return;
	unrecorded_collect(u, wants, &l);
	if (!l.nr)
		return;
	unrecorded_put_names(&l, names);
	put_masksets(u, masksets);
	chosen = unrecorded_choose(u, wants);
	lkst_notes_add(
		notes,
		"%s%s is %sin the trace%s; `lkst maskset set %s` or `lkst start --maskset %s` "
		"records %s.",
		l.nr > 1 ? "None of " : "", names, l.nr > 1 ? "" : "not ", masksets, chosen, chosen,
		l.nr > 1 ? "them" : "it");
}
