/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about what a thread did where it ran. */
#include "analyze/why/narrate_running.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/tick_names.h"
#include "base/vec.h"
#include "trace/format/catalog.h"

enum {
	CALLERS_TEXT = LKST_RUNNING_CALLERS * LKST_CODE_TEXT,
	FUNCTION_MIN = 5, /* one in so many ticks: the least for the function that is said */
};

/* What has no name is shown by its place, which is no function that is called. */
static const char *brackets_of(const struct lkst_frame_name *name)
{
	return name->text[0] == '0' ? "" : "()";
}

/* The function, and of which file it is, where that is not shown by its name. */
static void say_place(struct lkst_narrator *t, struct lkst_account_step *s, const char *key,
		      const char *where_key, const struct lkst_frame_name *name)
{
	lkst_account_text(t->account, s, key, name->text, strlen(name->text));
	lkst_account_say(t->account, s, "%s", brackets_of(name));
	if (strchr(name->text, '['))
		return;
	lkst_account_say(t->account, s, " (");
	lkst_account_text(t->account, s, where_key, name->where, strlen(name->where));
	lkst_account_say(t->account, s, ")");
}

/* ---- samples ---------------------------------------------------------------------------------- */

/* The time that @nr of @of samples stand for. */
static u64 narrate_running_part_of(u64 ran_ns, u32 nr, u32 of)
{
	return (u64)((double)ran_ns * nr / of);
}

/* ", called by gz_decomp() < gz_read() < ..." */
static void say_callers(struct lkst_narrator *t, struct lkst_account_step *s,
			const struct lkst_running_place *place)
{
	char text[CALLERS_TEXT];
	size_t used = 0;
	u32 i;

	for (i = 0; i < place->nr_callers && i < LKST_RUNNING_CALLERS && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s", i ? " < " : "",
					 place->callers[i]->text, brackets_of(place->callers[i]));
	if (!i)
		return;
	lkst_account_say(t->account, s, ", called by ");
	lkst_account_text(t->account, s, "callers", text, strlen(text));
	if (place->nr_callers > LKST_RUNNING_CALLERS)
		lkst_account_say(t->account, s, " < ...");
}

static void say_most(struct lkst_narrator *t, struct lkst_account_step *s, const char *words,
		     const struct lkst_running_place *place, u64 ran_ns, u32 nr)
{
	lkst_account_say(t->account, s, "%s about ", words);
	lkst_account_fact(t->account, s, "in_function_ns", LKST_ACCOUNT_DURATION,
			  narrate_running_part_of(ran_ns, place->nr, nr));
	lkst_account_say(t->account, s, " of it in ");
	say_place(t, s, "function", "function_of", place->function);
	say_callers(t, s, place);
	if (place->self) {
		lkst_account_say(t->account, s, ", and there ");
		lkst_account_fact(t->account, s, "in_inner_function_ns", LKST_ACCOUNT_DURATION,
				  narrate_running_part_of(ran_ns, place->nr_self, nr));
		lkst_account_say(t->account, s, " in ");
		say_place(t, s, "inner_function", "inner_function_of", place->self);
	}
	lkst_account_say(t->account, s, " (");
	lkst_account_fact(t->account, s, "samples_there", LKST_ACCOUNT_NUMBER, place->nr);
	lkst_account_say(t->account, s, " of ");
	lkst_account_fact(t->account, s, "samples", LKST_ACCOUNT_NUMBER, nr);
	lkst_account_say(t->account, s, " sample%s)", nr == 1 ? "" : "s");
}

/* ---- ticks ------------------------------------------------------------------------------------ */

static void add_ticks(struct lkst_narrator *t, const struct lkst_account_step *s,
		      const struct lkst_stretch *stretch, struct lkst_narrated_running *r)
{
	const struct lkst_excerpt *w = t->w;
	struct lkst_places_list own = lkst_excerpt_thread(w, s->tid);
	u32 i = lkst_moments_before_ns(w, own, stretch->from_ns), *moment;

	for (; i < own.nr && w->moments[own.at[i]].ns < stretch->to_ns; i++) {
		if (lkst_event_ref_kind(w, own.at[i]) != LKST_EV_tick)
			continue;
		moment = lkst_vec_add(r->ticks, r->nr_ticks);
		if (!moment) {
			t->account->error = -ENOMEM;
			return;
		}
		*moment = own.at[i];
	}
}

static struct lkst_tick_doing doing_at(const struct lkst_excerpt *w, u32 moment)
{
	return lkst_tick_doing_of((u8)lkst_event_ref_int(w, moment, "where"),
				  (u8)lkst_event_ref_int(w, moment, "flags"),
				  (s16)lkst_event_ref_number(w, moment));
}

/* One of each, as a number of 32 bits. */
static u32 narrate_running_number_of(const struct lkst_tick_doing *doing)
{
	return (u32)doing->where << 17 | (u32)doing->may_be_over << 16 | (u16)doing->call;
}

static int narrate_running_by_number(const void *one, const void *other)
{
	const u32 a = *(const u32 *)one, b = *(const u32 *)other;

	return (a > b) - (a < b);
}

/* Which of the @nr @numbers is there most often, and how often. Sorts them. */
static u32 narrate_running_most_of(u32 *numbers, u32 nr, u32 *ret_nr)
{
	u32 best = 0, run = 0, i;

	qsort(numbers, nr, sizeof(*numbers), narrate_running_by_number);
	*ret_nr = 0;
	for (i = 0; i < nr; i++) {
		run = i && numbers[i] == numbers[i - 1] ? run + 1 : 1;
		if (run > *ret_nr) {
			*ret_nr = run;
			best = numbers[i];
		}
	}
	return best;
}

/* The function at @moment, as @names number it; LKST_TICK_NO_FUNCTION: it has none. -ENOMEM. */
static s64 narrate_running_function_at(const struct lkst_narrator *t, struct lkst_frame_names *names, s32 tid,
				       u32 moment, bool is_user)
{
	const struct lkst_event_ref *m = &t->w->moments[moment];
	const s32 pid = lkst_threads_pid_of(t->w->threads, tid);
	const struct lkst_code_space space = lkst_mappings_space(t->w->mappings, pid, m->ns);
	const struct lkst_frame frame = { .address = lkst_event_ref_int(t->w, moment, "ip"),
					  .ns = m->ns,
					  .space = &space,
					  .pid = pid,
					  .is_user = is_user };
	u32 function;
	s64 nr = lkst_frame_names_put(names, &frame, &function, 0, 1);

	if (nr < 0)
		return nr;
	return lkst_tick_is_named(lkst_frame_names_at(names, function)) ? function : LKST_TICK_NO_FUNCTION;
}

/* ", at 30 of these in copy_page_from_iter() (kernel)" of those ticks of @r that are @doing, @nr of them. */
static void narrate_running_say_function(struct lkst_narrator *t, struct lkst_account_step *s,
					 const struct lkst_narrated_running *r, u32 doing, u32 nr)
{
	const struct lkst_code_view code = { t->w->mappings, t->w->namer };
	_cleanup_(lkst_frame_names_freep) struct lkst_frame_names *names = lkst_frame_names_new(t->w->symbols, &code);
	_cleanup_free_ u32 *functions = calloc(nr, sizeof(*functions));
	u32 i, most, nr_most, nr_functions = 0;

	if (!names || !functions) {
		t->account->error = -ENOMEM;
		return;
	}
	for (i = 0; i < r->nr_ticks && nr_functions < nr; i++) {
		const struct lkst_tick_doing at = doing_at(t->w, r->ticks[i]);
		const s64 function = narrate_running_number_of(&at) == doing
					     ? narrate_running_function_at(t, names, s->tid, r->ticks[i],
									   at.where == LKST_WHERE_USER)
					     : LKST_TICK_NO_FUNCTION;

		if (function < 0)
			t->account->error = (int)function;
		else if (function != LKST_TICK_NO_FUNCTION)
			functions[nr_functions++] = (u32)function;
	}
	most = narrate_running_most_of(functions, nr_functions, &nr_most);
	if (!nr_most || nr_most * FUNCTION_MIN < nr)
		return;
	lkst_account_say(t->account, s, ", at ");
	lkst_account_fact(t->account, s, "ticks_in_function", LKST_ACCOUNT_NUMBER, nr_most);
	lkst_account_say(t->account, s, " of these in ");
	say_place(t, s, "tick_function", "tick_function_of", lkst_frame_names_at(names, most));
}

static void say_ticks(struct lkst_narrator *t, struct lkst_account_step *s, const char *words,
		      const struct lkst_narrated_running *r)
{
	_cleanup_free_ u32 *numbers = calloc(r->nr_ticks + 1, sizeof(*numbers));
	char text[LKST_TICK_TEXT];
	u32 i, most, nr_most;

	if (!numbers) {
		t->account->error = -ENOMEM;
		return;
	}
	if (!r->nr_ticks)
		return;
	for (i = 0; i < r->nr_ticks; i++) {
		const struct lkst_tick_doing doing = doing_at(t->w, r->ticks[i]);

		numbers[i] = narrate_running_number_of(&doing);
	}
	most = narrate_running_most_of(numbers, r->nr_ticks, &nr_most);
	lkst_tick_put(&(struct lkst_tick_doing){ (u8)(most >> 17), most >> 16 & 1, (s16)most },
		      lkst_catalog_is_arm64(t->w->catalog), text);
	lkst_account_say(t->account, s, "%s at ", words);
	lkst_account_fact(t->account, s, "ticks_there", LKST_ACCOUNT_NUMBER, nr_most);
	lkst_account_say(t->account, s, " of ");
	lkst_account_fact(t->account, s, "ticks", LKST_ACCOUNT_NUMBER, r->nr_ticks);
	lkst_account_say(t->account, s, " tick%s in ", r->nr_ticks == 1 ? "" : "s");
	lkst_account_text(t->account, s, "doing", text, strlen(text));
	narrate_running_say_function(t, s, r, most, nr_most);
}

/* ---- both ------------------------------------------------------------------------------------- */

void lkst_narrate_running_add(struct lkst_narrator *t, const struct lkst_account_step *s,
			      const struct lkst_stretch *stretch, struct lkst_narrated_running *r)
{
	if (stretch->state != LKST_STRETCH_RAN)
		return;
	add_ticks(t, s, stretch, r);
	r->ran_ns += stretch->to_ns - stretch->from_ns;
	if (lkst_running_add(t->w->running, s->tid, stretch->from_ns, stretch->to_ns, &r->samples))
		t->account->error = -ENOMEM;
}

void lkst_narrate_running_say(struct lkst_narrator *t, struct lkst_account_step *s,
			      const char *words, struct lkst_narrated_running *r)
{
	struct lkst_running_place place;

	if (r->samples.nr && lkst_running_most(t->w->running, &r->samples, &place))
		say_most(t, s, words, &place, r->ran_ns, r->samples.nr);
	else
		say_ticks(t, s, words, r);
	lkst_running_samples_fini(&r->samples);
	free(r->ticks);
	*r = (struct lkst_narrated_running){};
}

void lkst_narrate_running(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct lkst_stretch *first, const struct lkst_stretch *last)
{
	struct lkst_narrated_running r = {};
	const struct lkst_stretch *x;

	for (x = first; x <= last; x++)
		lkst_narrate_running_add(t, s, x, &r);
	lkst_narrate_running_say(t, s, ",", &r);
}
