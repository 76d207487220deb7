/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about the functions that a thread ran in. */
#include "analyze/why/narrate_running.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { CALLERS_TEXT = LKST_RUNNING_CALLERS * LKST_CODE_TEXT };

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

/* The time that @nr of @of samples stand for. */
static u64 part_of(u64 ran_ns, u32 nr, u32 of)
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
	lkst_account_say(t->account, s, "%s ", words);
	lkst_account_fact(t->account, s, "in_function_ns", LKST_ACCOUNT_DURATION,
			  part_of(ran_ns, place->nr, nr));
	lkst_account_say(t->account, s, " of it in ");
	say_place(t, s, "function", "function_of", place->function);
	say_callers(t, s, place);
	if (place->self) {
		lkst_account_say(t->account, s, ", and there ");
		lkst_account_fact(t->account, s, "in_inner_function_ns", LKST_ACCOUNT_DURATION,
				  part_of(ran_ns, place->nr_self, nr));
		lkst_account_say(t->account, s, " in ");
		say_place(t, s, "inner_function", "inner_function_of", place->self);
	}
	lkst_account_say(t->account, s, " (");
	lkst_account_fact(t->account, s, "samples_there", LKST_ACCOUNT_NUMBER, place->nr);
	lkst_account_say(t->account, s, " of ");
	lkst_account_fact(t->account, s, "samples", LKST_ACCOUNT_NUMBER, nr);
	lkst_account_say(t->account, s, " sample%s)", nr == 1 ? "" : "s");
}

void lkst_narrate_running_add(struct lkst_narrator *t, const struct lkst_account_step *s,
			      const struct lkst_stretch *stretch, struct lkst_narrated_running *r)
{
	if (stretch->state != LKST_STRETCH_RAN || !t->w->running)
		return;
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
	lkst_running_samples_fini(&r->samples);
}

void lkst_narrate_running(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct lkst_stretch *first, const struct lkst_stretch *last)
{
	struct lkst_narrated_running r = {};
	const struct lkst_stretch *x;

	for (x = first; x <= last; x++)
		lkst_narrate_running_add(t, s, x, &r);
	lkst_narrate_running_say(t, s, ", about", &r);
}
