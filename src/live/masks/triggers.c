/* SPDX-License-Identifier: GPL-2.0-only */
/* The triggers of a recording: writing what the handler in the kernel uses. */
#include "live/masks/triggers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/masks/masksets.h"
#include "live/masks/trigger_handler.h"
#include "live/masks/trigger_maps.h"
#include "live/programs/handler_pins.h"
#include "live/session/command.h"

/* ---- lists ------------------------------------------------------------------------------------ */

static unsigned int list_length(u64 list)
{
	unsigned int nr = 0;

	for (; list; list >>= 8)
		nr += (list & 0xff) != 0;
	return nr;
}

/* The list without those whose flag is set. */
static u64 list_without(u64 list, const bool *gone)
{
	u64 kept = 0;
	unsigned int at = 0;

	for (; list; list >>= 8)
		if ((list & 0xff) && !gone[(list & 0xff) - 1])
			kept |= (list & 0xff) << (8 * at++);
	return kept;
}

static void triggers_mark(u64 list, bool *used)
{
	for (; list; list >>= 8)
		if (list & 0xff)
			used[(list & 0xff) - 1] = true;
}

/* ---- places ----------------------------------------------------------------------------------- */

/* Where a condition's parts go in the maps. */
struct places {
	u32 trigger, interval;
	bool shares_interval; /* another trigger has it, and its steps are there */
	u8 rule[LKST_CONDITION_RULES], step[LKST_CONDITION_STEPS];
};

/* FNV-1a, 64 bits wide, of what makes up the condition's interval; 0: it has none. */
static u64 triggers_sign(const struct lkst_condition *condition)
{
	const unsigned char *bytes;
	u64 hash = 0xcbf29ce484222325;
	size_t i;
	u32 id;

	if (!condition->nr_steps)
		return 0;
	bytes = (const unsigned char *)condition->steps;
	for (i = 0; i < condition->nr_steps * sizeof(condition->steps[0]); i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (condition->events[id].steps)
			hash = (hash ^ id ^ condition->events[id].steps << 12) * 0x100000001b3;
	return hash ?: 1;
}

static int choose_free(struct lkst_err *e, bool *used, unsigned int nr_places, unsigned int nr,
		       u8 *ret_places)
{
	unsigned int i, found = 0;

	for (i = 0; i < nr_places && found < nr; i++)
		if (!used[i])
			ret_places[found++] = (u8)i;
	return found == nr
		       ? 0
		       : lkst_err_set(e, -ENOSPC,
				      "all triggers together have too many parts; `lkst trigger "
				      "remove` makes room");
}

static int choose_interval(struct lkst_err *e, const struct lkst_trigger_maps *m, u64 signature,
			   struct places *p)
{
	bool used[LKST_TRIGGER_INTERVALS + 1] = { true };
	u32 i;

	for (i = 0; i < LKST_TRIGGERS_MAX && signature; i++) {
		if (!m->triggers[i].is_used)
			continue;
		used[m->triggers[i].interval % (LKST_TRIGGER_INTERVALS + 1)] = true;
		if (m->triggers[i].signature == signature) {
			p->interval = m->triggers[i].interval;
			p->shares_interval = true;
			return 0;
		}
	}
	for (i = 1; signature && i <= LKST_TRIGGER_INTERVALS; i++)
		if (!used[i]) {
			p->interval = i;
			return 0;
		}
	return signature ? lkst_err_set(e, -ENOSPC, "triggers measure too many intervals") : 0;
}

static int choose_trigger(struct lkst_err *e, const struct lkst_trigger_maps *m, struct places *p)
{
	for (p->trigger = 1; p->trigger < LKST_TRIGGERS_MAX; p->trigger++)
		if (!m->triggers[p->trigger].is_used)
			return 0;
	return lkst_err_set(e, -ENOSPC, "there are %u triggers, and can't be more",
			    LKST_TRIGGERS_MAX - 1);
}

static int choose_places(struct lkst_err *e, const struct lkst_session *s,
			 const struct lkst_trigger_maps *m, const struct lkst_condition *condition,
			 struct places *p)
{
	bool rules[LKST_TRIGGER_RULES] = {}, steps[LKST_TRIGGER_STEPS] = {};
	int err = choose_trigger(e, m, p) ?: choose_interval(e, m, triggers_sign(condition), p);
	u32 id;

	if (err)
		return err;
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_trigger_event *old = &m->events[id],
						*new = &condition->events[id];
		unsigned int nr_steps = p->shares_interval ? 0 : list_length(new->steps);

		triggers_mark(old->rules, rules);
		triggers_mark(old->steps, steps);
		if (list_length(old->rules) + list_length(new->rules) > LKST_TRIGGER_PER_EVENT ||
		    list_length(old->steps) + nr_steps > LKST_TRIGGER_PER_EVENT)
			return lkst_err_set(e, -ENOSPC,
					    "event %s has as many triggers as it can have",
					    lkst_session_catalog(s)->classes[id]->name);
	}
	err = choose_free(e, rules, LKST_TRIGGER_RULES, condition->nr_rules, p->rule);
	if (err || p->shares_interval)
		return err;
	return choose_free(e, steps, LKST_TRIGGER_STEPS, condition->nr_steps, p->step);
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void write_rules(struct lkst_trigger_maps *m, const struct lkst_condition *condition,
			const struct places *p)
{
	unsigned int i;

	for (i = 0; i < condition->nr_rules; i++) {
		const struct lkst_condition_rule *rule = &condition->rules[i];

		memcpy(&m->terms[p->rule[i] * LKST_TRIGGER_TERMS], rule->terms,
		       sizeof(rule->terms));
		m->rules[p->rule[i]] = (struct lkst_trigger_rule){
			.trigger = (u16)p->trigger,
			.nr_terms = rule->nr_terms,
			.interval = rule->ends ? (u8)p->interval : 0,
			.key = rule->key,
		};
	}
}

static void write_steps(struct lkst_trigger_maps *m, const struct lkst_condition *condition,
			const struct places *p)
{
	unsigned int i;

	for (i = 0; i < condition->nr_steps; i++) {
		const struct lkst_condition_step *step = &condition->steps[i];

		m->terms[LKST_TRIGGER_STEP_TERMS + p->step[i]] = step->term;
		m->steps[p->step[i]] = (struct lkst_trigger_step){
			.interval = (u8)p->interval,
			.op = step->op,
			.key = step->key,
		};
	}
}

/* Bytes of @new, numbers of a condition's parts, after those of @old, by their places. */
static u64 triggers_join(u64 old, u64 new, const u8 *places)
{
	u64 list = 0;

	/* One after the other, so that steps keep their order. */
	for (; new; new >>= 8)
		if (new & 0xff)
			list |= (u64)(places[(new & 0xff) - 1] + 1) << (8 * list_length(list));
	return old ? old | list << (8 * list_length(old)) : list;
}

/* From here on the handler looks for it. */
static void publish(struct lkst_trigger_maps *m, const struct lkst_condition *condition,
		    const struct places *p)
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE && !p->shares_interval; id++)
		__atomic_store_n(&m->events[id].steps,
				 triggers_join(m->events[id].steps, condition->events[id].steps, p->step),
				 __ATOMIC_RELEASE);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		__atomic_store_n(&m->events[id].rules,
				 triggers_join(m->events[id].rules, condition->events[id].rules, p->rule),
				 __ATOMIC_RELEASE);
}

static void write_trigger(struct lkst_trigger_maps *m, const struct lkst_condition *condition,
			  const struct lkst_trigger_options *o, const struct places *p)
{
	struct lkst_trigger *t = &m->triggers[p->trigger];

	memset(t, 0, sizeof(*t));
	t->once = o->once;
	t->pause_ns = o->pause_ns;
	t->post_ns = o->post_ns;
	t->interval = p->interval;
	t->signature = triggers_sign(condition);
	snprintf(t->name, sizeof(t->name), "%s", o->name ?: o->text);
	snprintf(t->condition, sizeof(t->condition), "%s", o->text);
	t->name_length = (u32)strlen(t->name);
	t->is_used = 1;
}

/* ---- the handler ------------------------------------------------------------------------------ */

/* Loads the handler for the condition's events. */
static int triggers_load(struct lkst_err *e, struct lkst_session *s, const struct lkst_condition *condition,
			 const struct lkst_trigger_options *o, u8 *ret_number)
{
	bool ids[LKST_EVENT_SPACE];
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		ids[id] = lkst_condition_has(condition, id);
	return lkst_trigger_handler_load(e, s, o->file, ids, ret_number);
}

/* ---- adding ----------------------------------------------------------------------------------- */

static int triggers_check_name(struct lkst_err *e, const struct lkst_trigger_maps *m, const char *name)
{
	u32 i;

	if (!*name || strlen(name) >= LKST_TRIGGER_NAME)
		return lkst_err_set(e, -EINVAL, "a trigger's name has 1 to %u characters",
				    LKST_TRIGGER_NAME - 1);
	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		if (m->triggers[i].is_used && !strcmp(m->triggers[i].name, name))
			return lkst_err_set(e, -EEXIST, "trigger %u is called \"%s\" already", i,
					    name);
	return 0;
}

/* Whether the trigger can fire without event @id: it makes the time that is measured right, and no more. */
static bool is_optional(const struct lkst_condition *condition, u32 id)
{
	u64 steps = condition->events[id].steps;

	if (condition->events[id].rules)
		return false;
	for (; steps; steps >>= 8)
		if (condition->steps[(steps & 0xff) - 1].op == LKST_TRIGGER_BEGIN)
			return false;
	return true;
}

static void triggers_note_left_out(const struct lkst_session *s, const struct lkst_condition *condition,
				   u8 number, struct lkst_notes *notes)
{
	const struct lkst_control *c = lkst_session_control(s);
	const u16 *route = c->route[c->active & (LKST_MASKSETS - 1)];
	const char *set = c->name[c->active & (LKST_MASKSETS - 1)];
	unsigned int nr_out = 0, nr_own = 0;
	const char *out = "", *own = "", *optional = NULL;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		u8 handler = lkst_route_handler(route[id]);

		if (!lkst_condition_has(condition, id) || handler == number)
			continue;
		if (is_optional(condition, id)) {
			optional = lkst_session_catalog(s)->classes[id]->name;
			continue;
		}
		if (handler == LKST_HANDLER_NOTHING && !nr_out++)
			out = lkst_session_catalog(s)->classes[id]->name;
		if (handler != LKST_HANDLER_NOTHING && !nr_own++)
			own = lkst_session_catalog(s)->classes[id]->name;
	}
	if (nr_out)
		lkst_notes_add(notes,
			       "The active maskset, %s, does not record %s%s, which the trigger "
			       "needs: until one that does is set, it can't fire%s.",
			       set, out, nr_out > 1 ? " and others" : "",
			       nr_out > 1 ? " by those" : "");
	if (optional)
		lkst_notes_add(
			notes,
			"The trigger does not see %s, which maskset %s leaves out or sends to "
			"another handler: the time of what was tried more than once may be wrong.",
			optional, set);
	if (nr_own)
		lkst_notes_add(notes,
			       "Maskset %s sends %s%s to another handler, where no trigger "
			       "looks.",
			       set, own, nr_own > 1 ? " and others" : "");
}

static int insert_trigger(struct lkst_err *e, struct lkst_session *s, struct lkst_trigger_maps *m,
		 const struct lkst_condition *condition, const struct lkst_trigger_options *o,
		 u8 number, struct lkst_notes *notes, u32 *ret_number)
{
	bool ids[LKST_EVENT_SPACE];
	struct places p = {};
	u32 id;
	int err = o->name ? triggers_check_name(e, m, o->name) : 0;

	err = err ?: choose_places(e, s, m, condition, &p);
	if (err)
		return err;
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		ids[id] = lkst_condition_has(condition, id);
	write_trigger(m, condition, o, &p);
	err = lkst_trigger_switch_prepare(e, s, m, p.trigger, o, number, notes);
	err = err ?: lkst_maskset_divert(e, s, ids, number, notes);
	if (err) {
		m->triggers[p.trigger].is_used = 0;
		return err;
	}
	write_rules(m, condition, &p);
	if (!p.shares_interval)
		write_steps(m, condition, &p);
	publish(m, condition, &p);
	triggers_note_left_out(s, condition, number, notes);
	*ret_number = p.trigger;
	return 0;
}

int lkst_trigger_add(struct lkst_err *e, struct lkst_session *s,
		     const struct lkst_condition *condition,
		     const struct lkst_trigger_options *options, struct lkst_notes *notes,
		     u32 *ret_number)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	u8 number = 0;
	int err = triggers_load(e, s, condition, options, &number);

	if (err)
		return err;
	err = lkst_trigger_maps_open(e, s, number, &m);
	err = err ?: insert_trigger(e, s, &m, condition, options, number, notes, ret_number);
	if (err && m.triggers)
		lkst_trigger_handler_release(NULL, s, &m, number, notes);
	return err;
}

/* ---- removing --------------------------------------------------------------------------------- */

static int triggers_find(struct lkst_err *e, const struct lkst_trigger_maps *m, const char *word,
			 u32 *ret_number)
{
	char *end;
	unsigned long number = strtoul(word, &end, 10);
	u32 i;

	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		if (m->triggers[i].is_used &&
		    (!strcmp(m->triggers[i].name, word) || (*word && !*end && number == i))) {
			*ret_number = i;
			return 0;
		}
	return lkst_err_set(e, -ENOENT,
			    "there is no trigger \"%s\"; `lkst trigger list` shows them", word);
}

static int open_maps(struct lkst_err *e, const struct lkst_session *s, struct lkst_trigger_maps *m, u8 *ret_number)
{
	struct lkst_handler h;

	if (lkst_handler_find(NULL, lkst_session_own_pins(s), LKST_TRIGGER_HANDLER, &h))
		return lkst_err_set(e, -ENOENT,
				    "there is no trigger; `lkst trigger add` makes one");
	*ret_number = h.number;
	return lkst_trigger_maps_open(e, s, h.number, m);
}

/* Takes a trigger's rules out of the events' lists, and its interval's steps if nobody else has it. */
static void withdraw(struct lkst_trigger_maps *m, u32 number)
{
	const u32 interval = m->triggers[number].interval;
	bool rules[256] = {}, steps[256] = {}, is_shared = !interval;
	u32 i;

	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		is_shared |= i != number && m->triggers[i].is_used &&
			     m->triggers[i].interval == interval;
	for (i = 0; i < LKST_TRIGGER_RULES; i++)
		rules[i] = m->rules[i].trigger == number;
	for (i = 0; i < LKST_TRIGGER_STEPS; i++)
		steps[i] = !is_shared && m->steps[i].interval == interval;
	for (i = 0; i < LKST_EVENT_SPACE; i++) {
		struct lkst_trigger_event *event = &m->events[i];

		__atomic_store_n(&event->rules, list_without(event->rules, rules),
				 __ATOMIC_RELAXED);
		__atomic_store_n(&event->steps, list_without(event->steps, steps),
				 __ATOMIC_RELAXED);
	}
}

/* Intervals that have begun must not count for the next kind of interval that gets the same number. */
static void forget(struct lkst_trigger_maps *m, u32 interval)
{
	u32 i, way;

	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		if (m->triggers[i].is_used && m->triggers[i].interval == interval)
			return;
	for (i = 0; i < LKST_TRIGGER_SETS && interval; i++)
		for (way = 0; way < LKST_TRIGGER_WAYS; way++)
			if (lkst_trigger_interval_of(m->sets[i].slot[way].word) == interval)
				__atomic_store_n(&m->sets[i].slot[way].word, 0, __ATOMIC_RELAXED);
}

int lkst_trigger_remove(struct lkst_err *e, struct lkst_session *s, const char *word,
			struct lkst_notes *notes)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	u32 number = 0;
	u8 handler = 0;
	int err = open_maps(e, s, &m, &handler) ?: triggers_find(e, &m, word, &number);

	if (err)
		return err;
	withdraw(&m, number);
	err = lkst_trigger_switch_end(e, s, &m, number, notes);
	if (err)
		return err;
	/* After the grace period of settling nobody looks at its parts any more. */
	err = lkst_maskset_settle(e, s);
	if (err)
		return err;
	m.triggers[number].is_used = 0;
	forget(&m, m.triggers[number].interval);
	return lkst_trigger_handler_release(e, s, &m, handler, notes);
}

/* ---- the others ------------------------------------------------------------------------------- */

int lkst_trigger_each(struct lkst_err *e, const struct lkst_session *s,
		      int (*each)(void *ctx, u32 number, const struct lkst_trigger *t), void *ctx)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	struct lkst_handler h;
	u32 i;
	int err;

	if (lkst_handler_find(NULL, lkst_session_own_pins(s), LKST_TRIGGER_HANDLER, &h))
		return 0;
	err = lkst_trigger_maps_open(e, s, h.number, &m);
	for (i = 0; i < LKST_TRIGGERS_MAX && !err; i++) {
		struct lkst_trigger copy = m.triggers[i];

		copy.name[sizeof(copy.name) - 1] = copy.condition[sizeof(copy.condition) - 1] = 0;
		if (copy.is_used)
			err = each(ctx, i, &copy);
	}
	return err;
}

int lkst_trigger_fire(struct lkst_err *e, const struct lkst_session *s, const char *reason,
		      u64 post_ns)
{
	u64 args[LKST_COMMAND_ARGS] = { post_ns };
	char text[LKST_TRIGGER_NAME];

	snprintf(text, sizeof(text), "%s", reason);
	args[1] = strlen(text);
	memcpy(&args[2], text, args[1]);
	return lkst_command_run(e, s, LKST_COMMAND_FIRE, args, LKST_COMMAND_ANY_CPU);
}
