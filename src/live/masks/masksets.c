/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The masksets of a recording, and which one is active. The order of a switch matters: first hooks are attached, since
 * an event without a hook can't be recorded; then the store; then hooks that nobody needs are detached.
 */
#include "live/masks/masksets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "live/masks/maskset_hooks.h"
#include "live/rings/writers.h"
#include "live/session/command.h"
#include "masks/mask_text.h"

/* ---- the table -------------------------------------------------------------------------------- */

bool lkst_maskset_exists(const struct lkst_control *c, u32 set)
{
	return set < LKST_MASKSETS && c->name[set][0];
}

bool lkst_maskset_is_reserved(u32 set)
{
	return set < LKST_MASKSET_USER;
}

/* RALL, which has all events, shows what DEFAULT means: it may be a handler that replaces it. */
u8 lkst_maskset_default(const struct lkst_control *c, u32 id)
{
	u8 handler = lkst_route_handler(c->route[LKST_MASKSET_RALL][id]);

	return handler && handler != LKST_HANDLER_NOTHING ? handler : LKST_HANDLER_DEFAULT;
}

/*
 * Writes one entry, but leaves it to the controller of costs whether the event is left out for now. That
 * changes entries of all masksets meanwhile, from the lowest on (lkst_budget_mark() in
 * src/bpf/budget/budget.bpf.c): RALL, which has all events, shows it, and is read again after the store.
 */
static void put_route(struct lkst_control *c, u32 set, u32 id, u16 route)
{
	const u16 *all = &c->route[LKST_MASKSET_RALL][id];
	bool is_shed;
	u16 wanted;

	do {
		is_shed = lkst_route_is_shed(__atomic_load_n(all, __ATOMIC_SEQ_CST));
		wanted = is_shed && (u8)route != LKST_HANDLER_NOTHING ? route | LKST_HANDLER_SHED
								      : route;
		if (__atomic_load_n(&c->route[set][id], __ATOMIC_RELAXED) != wanted)
			__atomic_store_n(&c->route[set][id], wanted, __ATOMIC_SEQ_CST);
	} while (is_shed != lkst_route_is_shed(__atomic_load_n(all, __ATOMIC_SEQ_CST)));
}

u16 lkst_maskset_resolve(const struct lkst_control *c, u32 id, u16 route)
{
	if ((u8)route != LKST_HANDLER_DEFAULT)
		return route;
	return lkst_route(lkst_maskset_default(c, id), route >> 8);
}

void lkst_maskset_put(struct lkst_control *c, u32 set, const struct lkst_mask *mask)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		put_route(c, set, id,
			  set == LKST_MASKSET_RALL ? mask->route[id]
						   : lkst_maskset_resolve(c, id, mask->route[id]));
	memcpy(c->name[set], mask->name, sizeof(c->name[set]));
}

u32 lkst_maskset_first(const struct lkst_plan *plan)
{
	return plan->is_chosen ? LKST_MASKSETS - 1 : LKST_MASKSET_RDEFAULT;
}

void lkst_maskset_fill_control(struct lkst_control *c, const struct lkst_plan *plan)
{
	struct lkst_mask mask;
	u32 set, id;

	lkst_mask_init(&mask, "", NULL);
	for (set = 0; set < LKST_MASKSETS; set++)
		lkst_maskset_put(c, set, &mask);
	/* Where no maskset can be chosen, RNOTHING is the time before recording begins and after it ends. */
	lkst_mask_init(&mask, "RNOTHING", plan->is_whole ? plan->catalog : NULL);
	lkst_maskset_put(c, LKST_MASKSET_RNOTHING, &mask);
	lkst_mask_init(&mask, "RALL", plan->catalog);
	lkst_mask_set_all(&mask, plan->catalog, true);
	lkst_maskset_put(c, LKST_MASKSET_RALL, &mask);
	lkst_mask_init(&mask, "RDEFAULT", plan->catalog);
	lkst_mask_set_all(&mask, plan->catalog, false);
	lkst_maskset_put(c, LKST_MASKSET_RDEFAULT, &mask);
	if (!plan->is_chosen)
		return;
	lkst_mask_init(&mask, "start", plan->catalog);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (plan->is_wanted[id])
			mask.route[id] = lkst_route(LKST_HANDLER_DEFAULT, plan->buffer[id]);
	lkst_maskset_put(c, LKST_MASKSETS - 1, &mask);
}

/* True if @word is a number; only one below LKST_MASKSETS is put into *@ret_set. */
static bool is_number(const char *word, u32 *ret_set)
{
	char *end;
	unsigned long number = strtoul(word, &end, strncmp(word, "0x", 2) ? 10 : 16);

	if (*end || end == word || word[0] == '-' || word[0] == '+')
		return false;
	*ret_set = number < LKST_MASKSETS ? number : LKST_MASKSETS;
	return true;
}

int lkst_maskset_find(struct lkst_err *e, const struct lkst_control *c, const char *word,
		      u32 *ret_set)
{
	u32 set = LKST_MASKSETS;

	if (is_number(word, &set)) {
		*ret_set = set;
		if (set == LKST_MASKSETS)
			return lkst_err_set(e, -EINVAL, "masksets have the numbers 0 to %u, not %s",
					    LKST_MASKSETS - 1, word);
		return lkst_maskset_exists(c, set)
			       ? 0
			       : lkst_err_set(e, -ENOENT, "there is no maskset %u", set);
	}
	for (set = 0; set < LKST_MASKSETS; set++)
		if (lkst_maskset_exists(c, set) &&
		    !strncmp(c->name[set], word, sizeof(c->name[set]))) {
			*ret_set = set;
			return 0;
		}
	*ret_set = LKST_MASKSETS;
	return lkst_err_set(e, -ENOENT,
			    "there is no maskset \"%s\"; `lkst maskset list` shows them", word);
}

int lkst_maskset_find_free(struct lkst_err *e, const struct lkst_control *c, bool highest,
			   u32 *ret_set)
{
	u32 i;

	for (i = LKST_MASKSET_USER; i < LKST_MASKSETS; i++) {
		u32 set = highest ? LKST_MASKSETS + LKST_MASKSET_USER - 1 - i : i;

		if (!lkst_maskset_exists(c, set)) {
			*ret_set = set;
			return 0;
		}
	}
	return lkst_err_set(e, -ENOSPC,
			    "all %u masksets are in use; `lkst maskset delete` makes room",
			    LKST_MASKSETS);
}

int lkst_maskset_refuse_reserved(struct lkst_err *e, const struct lkst_control *c, u32 set)
{
	return lkst_err_set(e, -EPERM,
			    "maskset %u (%s) is reserved and can't be changed; copy it with `lkst "
			    "maskset copy %s NAME`",
			    set, c->name[set], c->name[set]);
}

int lkst_maskset_place(struct lkst_err *e, const struct lkst_control *c, const char *word,
		       u32 *ret_set)
{
	u32 set;
	int err = lkst_maskset_find(e, c, word, &set);

	if (!err && lkst_maskset_is_reserved(set))
		return lkst_maskset_refuse_reserved(e, c, set);
	if (err == -ENOENT && set == LKST_MASKSETS)
		err = lkst_mask_check_name(e, word) ?: lkst_maskset_find_free(e, c, false, &set);
	else if (err == -ENOENT)
		err = 0;
	if (err)
		return err;
	*ret_set = set;
	return 0;
}

/* ---- switching -------------------------------------------------------------------------------- */

int lkst_maskset_switch(struct lkst_err *e, struct lkst_session *s, u32 set)
{
	const u64 args[LKST_COMMAND_ARGS] = { set };
	int err = lkst_command_run(e, s, LKST_COMMAND_SWITCH, args, LKST_COMMAND_ANY_CPU);

	if (err != -ENOENT)
		return err;
	/* A kernel may reject the program: the switch matters, its record does not. */
	__atomic_store_n(&lkst_session_control(s)->active, set, __ATOMIC_RELEASE);
	return 0;
}

int lkst_maskset_settle(struct lkst_err *e, struct lkst_session *s)
{
	const u64 args[LKST_COMMAND_ARGS] = { lkst_maskset_nr_attached(s) };
	int err;

	/* For all writers that have read the old maskset. */
	lkst_wait_for_writers(lkst_session_rings(s)->nr_cpus);
	err = lkst_command_run(e, s, LKST_COMMAND_SETTLED, args, LKST_COMMAND_ANY_CPU);
	return err == -ENOENT ? 0 : err;
}

int lkst_maskset_set(struct lkst_err *e, struct lkst_session *s, u32 set, struct lkst_notes *notes,
		     struct lkst_switch_times *ret_times)
{
	struct lkst_switch_times *t = ret_times;
	u64 times[5];
	int err;

	times[0] = lkst_monotonic_ns();
	err = lkst_maskset_attach(e, s, 1U << set, NULL, notes, &t->nr_attached);
	if (err)
		return err;
	times[1] = lkst_monotonic_ns();
	err = lkst_maskset_switch(e, s, set);
	if (err)
		return err;
	times[2] = lkst_monotonic_ns();
	err = lkst_maskset_detach(e, s, 1U << set, &t->nr_detached);
	if (err)
		return err;
	times[3] = lkst_monotonic_ns();
	err = lkst_maskset_settle(e, s);
	times[4] = lkst_monotonic_ns();
	t->attach_ns = times[1] - times[0];
	t->switch_ns = times[2] - times[1];
	t->detach_ns = times[3] - times[2];
	t->settle_ns = times[4] - times[3];
	return err;
}

/* ---- changing --------------------------------------------------------------------------------- */

bool lkst_maskset_is_in_use(const struct lkst_control *c, u32 set)
{
	return c->active == set || c->armed & 1U << set;
}

/* Before entries of several masksets change: records it, and attaches what the table @route needs. */
static int begin_change(struct lkst_err *e, struct lkst_session *s, const u16 *route,
			struct lkst_notes *notes)
{
	const u32 active = lkst_session_control(s)->active;
	u32 ignored;
	int err = lkst_maskset_switch(e, s, active);

	return err ?: lkst_maskset_attach(e, s, 1U << active, route, notes, &ignored);
}

/* When they have changed. */
static int end_change(struct lkst_err *e, struct lkst_session *s)
{
	u32 ignored;
	int err = lkst_maskset_detach(e, s, 1U << lkst_session_control(s)->active, &ignored);

	return err ?: lkst_maskset_settle(e, s);
}

/* A table with those of @ids that a maskset in use sends to DEFAULT, for @handler. */
static void reroute_in_use(const struct lkst_control *c, const bool *ids, u8 handler, u16 *route)
{
	u32 id, set;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		route[id] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
		for (set = 0; ids[id] && set < LKST_MASKSETS; set++)
			if (lkst_maskset_is_in_use(c, set) &&
			    lkst_route_handler(c->route[set][id]) == lkst_maskset_default(c, id))
				route[id] = lkst_route(handler, LKST_BUFFER_MAIN);
	}
}

/* RALL first, since that one decides. */
static void reroute_one(struct lkst_control *c, u32 id, u8 handler)
{
	static const u32 all = LKST_MASKSET_RALL;
	u8 old = lkst_maskset_default(c, id);
	u32 set;

	put_route(c, all, id, lkst_route(handler, c->route[all][id] >> 8));
	for (set = 0; set < LKST_MASKSETS; set++)
		if (set != all && lkst_route_handler(c->route[set][id]) == old)
			put_route(c, set, id, lkst_route(handler, c->route[set][id] >> 8));
}

static bool admits(const struct lkst_control *c, u32 set)
{
	return set == LKST_MASKSET_RALL || set == LKST_MASKSET_RDEFAULT ||
	       (set != LKST_MASKSET_RNOTHING && lkst_maskset_is_in_use(c, set));
}

/*
 * Writes the entries of an event that comes back, @wanted. If it was left out to keep to the cost limit when it went,
 * it still is, and RALL has to show that. What the controller changes meanwhile is seen after the stores.
 */
static void put_admitted(struct lkst_session *s, u32 id, u16 wanted)
{
	const struct lkst_budget_fds *limit = lkst_session_budget_fds(s);
	struct lkst_control *c = lkst_session_control(s);
	bool is_left_out = lkst_budget_leaves_out(limit, id);
	u16 *all = &c->route[LKST_MASKSET_RALL][id];
	u32 set;

	do {
		__atomic_store_n(all, is_left_out ? wanted | LKST_HANDLER_SHED : wanted,
				 __ATOMIC_SEQ_CST);
		for (set = 0; set < LKST_MASKSETS; set++)
			if (set != LKST_MASKSET_RALL && admits(c, set))
				put_route(c, set, id, wanted);
	} while (is_left_out && !(is_left_out = lkst_budget_leaves_out(limit, id)));
}

int lkst_maskset_admit(struct lkst_err *e, struct lkst_session *s, u32 id, struct lkst_notes *notes)
{
	const u16 wanted = lkst_route(LKST_HANDLER_DEFAULT, LKST_BUFFER_MAIN);
	struct lkst_control *c = lkst_session_control(s);
	u16 route[LKST_EVENT_SPACE];
	u32 set;
	int err;

	for (set = 0; set < LKST_EVENT_SPACE; set++)
		route[set] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
	for (set = 0; set < LKST_MASKSETS; set++)
		if (lkst_maskset_is_in_use(c, set) && admits(c, set))
			route[id] = wanted;
	err = begin_change(e, s, route, notes);
	if (err)
		return err;
	put_admitted(s, id, wanted);
	return end_change(e, s);
}

int lkst_maskset_retire(struct lkst_err *e, struct lkst_session *s, u32 id)
{
	struct lkst_control *c = lkst_session_control(s);
	u32 set;
	int err = lkst_maskset_switch(e, s, c->active);

	if (err)
		return err;
	for (set = 0; set < LKST_MASKSETS; set++)
		put_route(c, set, id, lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN));
	return end_change(e, s);
}

int lkst_maskset_divert(struct lkst_err *e, struct lkst_session *s, const bool *ids, u8 handler,
			struct lkst_notes *notes)
{
	struct lkst_control *c = lkst_session_control(s);
	u16 route[LKST_EVENT_SPACE];
	bool is_change = false;
	u32 id;
	int err;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		is_change |= ids[id] && lkst_maskset_default(c, id) != handler;
	if (!is_change)
		return 0;
	reroute_in_use(c, ids, handler, route);
	err = begin_change(e, s, route, notes);
	if (err)
		return err;
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (ids[id])
			reroute_one(c, id, handler);
	return end_change(e, s);
}

unsigned int lkst_maskset_count(const struct lkst_control *c, u32 set, u8 handler)
{
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += lkst_route_handler(c->route[set][id]) == handler;
	return nr;
}

int lkst_maskset_withdraw(struct lkst_err *e, struct lkst_session *s, u8 handler,
			  struct lkst_notes *notes)
{
	struct lkst_control *c = lkst_session_control(s);
	u16 route[LKST_EVENT_SPACE];
	unsigned int nr = 0;
	u32 set, id;
	int err;

	for (set = 0; set < LKST_MASKSETS; set++)
		nr += lkst_maskset_count(c, set, handler);
	if (!nr)
		return 0;
	/* In its place comes what DEFAULT means, whichever maskset sends the event there. */
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		route[id] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
		for (set = 0; set < LKST_MASKSETS; set++)
			if (lkst_maskset_is_in_use(c, set) &&
			    lkst_route_handler(c->route[set][id]) == handler)
				route[id] =
					lkst_route(lkst_maskset_default(c, id), LKST_BUFFER_MAIN);
	}
	err = begin_change(e, s, route, notes);
	if (err)
		return err;
	for (set = 0; set < LKST_MASKSETS; set++)
		for (id = 0; id < LKST_EVENT_SPACE; id++)
			if (lkst_route_handler(c->route[set][id]) == handler)
				put_route(c, set, id,
					  lkst_route(lkst_maskset_default(c, id),
						     c->route[set][id] >> 8));
	return end_change(e, s);
}

int lkst_maskset_arm(struct lkst_err *e, struct lkst_session *s, u32 set, bool on,
		     struct lkst_notes *notes)
{
	struct lkst_control *c = lkst_session_control(s);
	u32 ignored;

	if (on) {
		c->armed |= 1U << set;
		return lkst_maskset_attach(e, s, 1U << c->active, NULL, notes, &ignored);
	}
	c->armed &= ~(1U << set);
	return lkst_maskset_detach(e, s, 1U << c->active, &ignored);
}
