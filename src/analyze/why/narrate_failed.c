/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about system calls that failed. */
#include "analyze/why/narrate_failed.h"

#include <string.h>

#include "analyze/engine/error_chain.h"
#include "analyze/why/stretch.h"

enum {
	FAILED_TOLD = 16,    /* calls of an interval */
	THEN_TOLD = 6,	     /* functions that passed an error on */
	SEARCH_MAX = 1 << 20 /* records looked through */
};

/* A call of the thread, while its moments are looked through. */
struct narrate_failed_call {
	u32 entry; /* LKST_NOWHERE: none was seen */
	u32 nr;	   /* returns, also those that are kept no more */
	u32 returns[LKST_ERROR_STEPS];
};

/* The error that moment @i says a function returned, and the function. */
static s32 error_at(const struct lkst_excerpt *w, u32 i, u64 *ret_function)
{
	const struct lkst_event_ref *m = &w->moments[i];
	const struct lkst_event_class *event = w->catalog->classes[m->id];
	const struct lkst_record r = { .event = event, .bytes = m->bytes, .size = event->size };

	return lkst_error_of_return(&r, ret_function);
}

static void narrate_failed_say_function(struct lkst_narrator *t, struct lkst_account_step *s, const char *key,
					u64 function)
{
	char name[LKST_KEY_TEXT];

	lkst_error_function_name(t->w->catalog, t->w->symbols, function, name);
	lkst_account_text(t->account, s, key, name, strlen(name));
}

/* "path_openat, first link_path_walk said so": those further out come first. */
static void tell_functions(struct lkst_narrator *t, struct lkst_account_step *s, const u32 *returns,
			   u32 nr)
{
	u64 function;
	u32 i;

	for (i = nr - 1; i > 0 && nr - 1 - i < THEN_TOLD; i--) {
		error_at(t->w, returns[i], &function);
		narrate_failed_say_function(t, s, "function", function);
		lkst_account_say(t->account, s, ", ");
	}
	if (i > 0)
		lkst_account_say(t->account, s, "%u others, ", i);
	lkst_account_say(t->account, s, "first ");
	error_at(t->w, returns[0], &function);
	narrate_failed_say_function(t, s, "first", function);
	lkst_account_say(t->account, s, " said so");
	lkst_narrate_cite(t, s, returns[0]);
}

/* The call that ends at moment @exit, if it failed and a function said so. */
static bool tell_call(struct lkst_narrator *t, struct lkst_account_step *parent,
		      const struct narrate_failed_call *c, u32 exit)
{
	const s64 ret = (s64)lkst_event_ref_int(t->w, exit, "ret");
	const char *name = lkst_event_ref_call(t->w, exit);
	u32 kept = c->nr < LKST_ERROR_STEPS ? c->nr : LKST_ERROR_STEPS, nr = 0, i;
	u32 returns[LKST_ERROR_STEPS];
	struct lkst_account_step *s;
	char error[LKST_ERROR_TEXT];
	u64 function;

	for (i = c->nr - kept; i < c->nr; i++)
		if (error_at(t->w, c->returns[i % LKST_ERROR_STEPS], &function) == ret)
			returns[nr++] = c->returns[i % LKST_ERROR_STEPS];
	if (!nr)
		return false;
	s = lkst_account_add(t->account, parent, "failed", t->w->moments[c->entry].ns,
			     t->w->moments[exit].ns, parent->tid);
	lkst_error_text((s32)-ret, error);
	lkst_account_text(t->account, s, "call", name, strlen(name));
	lkst_account_say(t->account, s, "() failed with ");
	lkst_account_text(t->account, s, "error", error, strlen(error));
	lkst_account_say(t->account, s, ": ");
	lkst_narrate_cite(t, s, c->entry);
	tell_functions(t, s, returns, nr);
	lkst_narrate_cite(t, s, exit);
	return true;
}

/* The kind of moment @i, if it is of the thread itself. */
static u16 own_kind(const struct lkst_excerpt *w, u32 i, s32 tid)
{
	return w->moments[i].tid == tid ? lkst_event_ref_kind(w, i) : LKST_EVENT_REF_NONE;
}

void lkst_narrate_failed(struct lkst_narrator *t, struct lkst_account_step *parent)
{
	struct lkst_places_list list = lkst_excerpt_thread(t->w, parent->tid);
	struct narrate_failed_call c = { .entry = LKST_NOWHERE };
	u32 i, nr_told = 0, steps = 0;

	for (i = 0; i < list.nr && steps++ < SEARCH_MAX && nr_told < FAILED_TOLD; i++) {
		const u32 at = list.at[i];

		if (t->w->moments[at].ns > parent->to_ns)
			break;
		switch (own_kind(t->w, at, parent->tid)) {
		case LKST_EVENT_REF_ENTRY:
			c = (struct narrate_failed_call){ .entry = at };
			break;
		case LKST_EVENT_REF_RETURN:
			c.returns[c.nr++ % LKST_ERROR_STEPS] = at;
			break;
		case LKST_EVENT_REF_EXIT:
			if (c.entry != LKST_NOWHERE && t->w->moments[at].ns >= parent->from_ns)
				nr_told += tell_call(t, parent, &c, at);
			c = (struct narrate_failed_call){ .entry = LKST_NOWHERE };
			break;
		}
	}
}
