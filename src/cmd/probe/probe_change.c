/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Setting and removing probes. All is checked before anything is changed: every definition is read, resolved and
 * compiled, and every name is known to be free.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "cmd/probe/probe.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/verbs.h"
#include "live/probes/probe_kernel.h"
#include "live/probes/probe_place.h"
#include "probe/code/compile.h"

enum {
	NUMBER_MAX = 1024, /* of names that --force makes: perf's MAX_EVENT_INDEX */
	LEFT_OUT_NAMED = 3,  /* functions that a note names */
	LEFT_OUT_TEXT = LEFT_OUT_NAMED * 128,
};

/* One change of the recording. */
struct probe_change_step {
	bool is_removal, is_done;
	char event[LKST_PROBE_FULL_NAME]; /* "GROUP:EVENT" */
	const struct lkst_probe *probe;	  /* to be set */
	char *definition;		  /* what is set, or was; NULL: it is not known */
	const char *head;		  /* with --save: what its part of the file begins with */
};

struct probe_change_name {
	char event[LKST_PROBE_FULL_NAME];
	char *definition; /* NULL: it is not set yet */
};

/* What a command does. */
struct change {
	struct lkst_err *e;
	const struct lkst_probe_options *o;
	struct lkst_wanted_list wanted;
	struct probe_change_step *steps;
	u32 nr_steps;
	struct probe_change_name *names; /* of the probes that there are after the steps so far */
	u32 nr_names;
	const struct lkst_catalog *catalog; /* of the recording; NULL: there is none */
	struct lkst_kernel_texts texts;
	struct lkst_probe_allowed *allowed; /* what the kernel says; NULL: nobody has asked yet */
	struct lkst_notes notes;	    /* what was left out, and why */
	u32 nr_left_out;		    /* functions of a glob that the kernel refuses */
	char left_out[LEFT_OUT_TEXT];	    /* the first of them */
};

static void probe_change_fini(struct change *c)
{
	u32 i;

	for (i = 0; i < c->nr_steps; i++)
		free(c->steps[i].definition);
	for (i = 0; i < c->nr_names; i++)
		free(c->names[i].definition);
	free(c->steps);
	free(c->names);
	lkst_notes_fini(&c->notes);
	lkst_probe_allowed_free(c->allowed);
	lkst_kernel_texts_fini(&c->texts);
	lkst_wanted_fini(&c->wanted);
}

static int probe_change_no_memory(struct change *c)
{
	return lkst_err_sys(c->e, -ENOMEM, "changing probes");
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Whether --force must not take a name: what was called so before may have left records of another layout. */
static bool was_used(const struct change *c, const char *event)
{
	return c->catalog && lkst_catalog_find(c->catalog, event);
}

static struct probe_change_name *probe_change_find_name(struct change *c, const char *event)
{
	u32 i;

	for (i = 0; i < c->nr_names; i++)
		if (!strcmp(c->names[i].event, event))
			return &c->names[i];
	return NULL;
}

static int probe_change_add_name(struct change *c, const char *event, const char *definition)
{
	struct probe_change_name *name = lkst_vec_add(c->names, c->nr_names);

	if (!name)
		return probe_change_no_memory(c);
	snprintf(name->event, sizeof(name->event), "%s", event);
	name->definition = definition ? strdup(definition) : NULL;
	return definition && !name->definition ? probe_change_no_memory(c) : 0;
}

static int probe_change_add_state(void *ctx, const struct lkst_probe_state *state)
{
	return probe_change_add_name(ctx, state->event, state->row->definition);
}

static void full_name(const struct lkst_probe *p, char event[LKST_PROBE_FULL_NAME])
{
	snprintf(event, LKST_PROBE_FULL_NAME, "%s:%s", p->group, p->event);
}

/* Gives @p the name of @first, the first probe of its function, with the lowest number that makes it a new one. */
static int probe_change_choose_name(struct change *c, const char *first, bool is_first, struct lkst_probe *p,
				    char event[LKST_PROBE_FULL_NAME])
{
	unsigned int number;

	snprintf(p->event, sizeof(p->event), "%s", first);
	full_name(p, event);
	if (!probe_change_find_name(c, event) && !(c->o->force && was_used(c, event)))
		return 0;
	if (is_first && !c->o->force)
		return lkst_probe_refuse(
			c->e, -EEXIST, p, 0,
			"there is a probe %s already: --del removes it, --force sets "
			"another one beside it",
			event);
	for (number = 1; number < NUMBER_MAX; number++) {
		snprintf(p->event, sizeof(p->event), "%.57s_%u", first, number);
		full_name(p, event);
		if (!probe_change_find_name(c, event) && !was_used(c, event))
			return 0;
	}
	return lkst_err_set(c->e, -EEXIST, "there are too many probes called %s", first);
}

/* ---- the steps -------------------------------------------------------------------------------- */

static int plan_removal(struct change *c, const char *event)
{
	struct probe_change_step *step = lkst_vec_add(c->steps, c->nr_steps);
	struct probe_change_name *name = probe_change_find_name(c, event);

	if (!step)
		return probe_change_no_memory(c);
	step->is_removal = true;
	snprintf(step->event, sizeof(step->event), "%s", event);
	step->definition = lkst_take(name->definition);
	*name = c->names[--c->nr_names];
	c->names[c->nr_names].definition = NULL;
	return 0;
}

/* Removes all that match @pattern, or none of which is an error. */
static int plan_removals(struct change *c, const char *pattern)
{
	bool is_one = false;
	int err = 0;
	u32 i;

	for (i = c->nr_names; i-- > 0 && !err;) {
		char event[LKST_PROBE_FULL_NAME];

		if (!lkst_probe_matches(pattern, c->names[i].event))
			continue;
		snprintf(event, sizeof(event), "%s", c->names[i].event);
		is_one = true;
		err = plan_removal(c, event);
	}
	if (err || is_one)
		return err;
	return lkst_err_set(c->e, -ENOENT, "no probe that is set matches \"%s\"", pattern);
}

/* -:[GRP/]EVENT of a file. */
static int plan_written_removal(struct change *c, const struct lkst_probe *p)
{
	char pattern[LKST_PROBE_FULL_NAME];

	snprintf(pattern, sizeof(pattern), "%s:%s", p->group[0] ? p->group : "*", p->event);
	return plan_removals(c, pattern);
}

/* Compiles it, which finds what cannot be fetched. */
static int check_probe(struct change *c, const struct lkst_probe *p)
{
	const struct lkst_probe_target target = { .machine = lkst_machine_own(),
						  .find_symbol = lkst_kernel_find_symbol };
	struct lkst_probe_code *code = NULL;
	int err = lkst_probe_compile(c->e, p, &target, &code);

	free(code);
	return err;
}

static int plan_probe(struct change *c, const struct lkst_wanted *item, const char *first,
		      bool is_first, struct lkst_probe *p)
{
	char event[LKST_PROBE_FULL_NAME], text[LKST_PROBE_TEXT];
	struct probe_change_step *step;
	int err = probe_change_choose_name(c, first, is_first, p, event) ?:
		  lkst_wanted_format(c->e, item, p, text) ?:
		  check_probe(c, p) ?:
		  probe_change_add_name(c, event, NULL);

	if (err)
		return err;
	step = lkst_vec_add(c->steps, c->nr_steps);
	if (!step)
		return probe_change_no_memory(c);
	step->probe = p;
	step->head = item->head;
	memcpy(step->event, event, sizeof(event));
	step->definition = strdup(text);
	return step->definition ? 0 : probe_change_no_memory(c);
}

/* Whether @event is @first, or that with a number: of the same function, or of a name that the definition gives. */
static bool is_numbered(const char *event, const char *first)
{
	size_t length = strlen(first);

	if (!length || strncmp(event, first, length))
		return false;
	event += length;
	return !*event || (event[0] == '_' && event[1] && !event[1 + strspn(event + 1, "0123456789")]);
}

/* Refuses what the kernel will refuse: "checks everything" is more than what LKST itself knows. */
static int check_allowed(struct change *c, const struct lkst_probe *p)
{
	struct lkst_probe_row row = {};
	struct lkst_err why = {};
	int err;

	/* What is only shown or kept may be for another kernel. */
	if (c->o->definition.nr || c->o->save || p->place.path || p->place.watch || p->place.is_many)
		return 0;
	if (!c->allowed)
		c->allowed = lkst_kernel_probe_allowed(&c->texts);
	if (!c->allowed)
		return probe_change_no_memory(c);
	err = lkst_probe_place_describe(c->e, p, &row);
	if (err)
		return err;
	err = lkst_probe_allowed_check(&why, c->allowed, &row);
	return err ? lkst_probe_refuse(c->e, err, p, p->place.at, "%s", why.text) : 0;
}

/* Keeps the name of a function that a glob matches, and the kernel refuses. */
static void probe_change_leave_out(struct change *c, const struct lkst_probe *p)
{
	size_t used = strlen(c->left_out);

	if (!c->nr_left_out++)
		used = 0;
	if (c->nr_left_out <= LEFT_OUT_NAMED)
		snprintf(c->left_out + used, sizeof(c->left_out) - used, "%s%s", used ? ", " : "", p->place.symbol);
}

static bool probe_change_is_glob(const struct lkst_probe *p)
{
	return p->place.kind == LKST_PLACE_SYMBOL && p->place.symbol && strpbrk(p->place.symbol, "*?[");
}

/* Says which functions of a glob are left out; @err: why the last of them is, which is told if there are no others. */
static int end_glob(struct change *c, const struct lkst_wanted *item, int err)
{
	const u32 nr = item->resolved.nr;

	if (!c->nr_left_out || c->nr_left_out == nr)
		return err;
	lkst_notes_add(&c->notes, "%u of the %u functions that match %s are left out, where the kernel "
					      "lets nobody set a probe: %s%s",
		       c->nr_left_out, nr, item->written.probe.place.symbol, c->left_out,
		       c->nr_left_out > LEFT_OUT_NAMED ? " ..." : "");
	return 0;
}

static int plan_wanted(struct change *c, const struct lkst_wanted *item)
{
	const bool of_glob = probe_change_is_glob(&item->written.probe);
	char first[LKST_PROBE_NAME] = "";
	int err = 0, refused = 0;
	u32 i;

	c->nr_left_out = 0;

	if (item->written.is_removal)
		return plan_written_removal(c, &item->written.probe);
	for (i = 0; i < item->resolved.nr && !err; i++) {
		struct lkst_probe *p = &item->resolved.probes[i];
		bool is_first = !is_numbered(p->event, first);

		if (is_first)
			memcpy(first, p->event, sizeof(first));
		err = check_allowed(c, p);
		if (of_glob && (err == -EPERM || err == -EADDRNOTAVAIL)) {
			probe_change_leave_out(c, p);
			refused = err;
			err = 0;
			continue;
		}
		err = err ?: plan_probe(c, item, first, is_first, p);
	}
	return err ?: end_glob(c, item, refused);
}

static int probe_change_plan(struct change *c)
{
	int err = 0;
	u32 i;

	for (i = 0; i < c->o->del.nr && !err; i++)
		err = plan_removals(c, c->o->del.items[i]);
	for (i = 0; i < c->wanted.nr && !err; i++)
		err = plan_wanted(c, &c->wanted.items[i]);
	return err;
}

/* ---- making them ------------------------------------------------------------------------------ */

/* Sets again what this command has removed. */
static void probe_change_restore(const struct probe_change_step *step, struct lkst_job *job)
{
	struct lkst_definition d;

	if (!step->definition || lkst_definition_parse(NULL, step->definition, &d)) {
		lkst_notes_add(&job->notes, "%s stays removed", step->event);
		return;
	}
	if (lkst_probe_set(NULL, job->s, &d.probe, step->definition, &job->notes))
		lkst_notes_add(&job->notes, "%s stays removed: it could not be set again",
			       step->event);
	lkst_probe_fini(&d.probe);
}

/* Takes all steps back, the last one first: a command fails as a whole. */
static void probe_change_take_back(struct change *c, struct lkst_job *job)
{
	u32 i;

	for (i = c->nr_steps; i-- > 0;) {
		if (c->steps[i].is_done && c->steps[i].is_removal)
			probe_change_restore(&c->steps[i], job);
		else if (c->steps[i].is_done)
			lkst_probe_remove(NULL, job->s, c->steps[i].event);
	}
}

/* Whoever removes a probe alone may not know what else names it. */
static void note_needed(const struct change *c, struct lkst_job *job)
{
	u32 i, k;

	for (i = 0; i < c->nr_steps; i++) {
		const char *event = c->steps[i].event;

		for (k = i + 1; k < c->nr_steps && strcmp(c->steps[k].event, event); k++)
			;
		if (c->steps[i].is_removal && k == c->nr_steps &&
		    lkst_probe_is_needed(job->s, event))
			lkst_notes_add(
				&job->notes,
				"A trigger, or a condition of a maskset, looks at %s: from now on it "
				"finds nothing there, until that probe is set again.",
				event);
	}
}

static int probe_change_apply(struct change *c, struct lkst_job *job)
{
	int err = 0;
	u32 i;

	note_needed(c, job);

	for (i = 0; i < c->nr_steps && !err; i++) {
		struct probe_change_step *step = &c->steps[i];

		err = step->is_removal ? lkst_probe_remove(c->e, job->s, step->event)
				       : lkst_probe_set(c->e, job->s, step->probe, step->definition,
							&job->notes);
		step->is_done = !err;
	}
	if (err)
		probe_change_take_back(c, job);
	return err;
}

static void probe_change_print_steps(const struct change *c)
{
	u32 i;

	for (i = 0; i < c->nr_steps && !c->o->quiet; i++) {
		const struct probe_change_step *step = &c->steps[i];

		if (step->is_removal)
			lkst_print_message(stdout, "%s%s",
					   c->o->dry_run ? "would remove " : "removed ",
					   step->event);
		else
			lkst_probe_print(step->event, step->definition);
		if (!step->is_removal && c->o->verbose)
			lkst_print_message(stdout, "    %s", step->definition);
	}
	if (!c->o->quiet)
		lkst_recording_print(&c->notes);
}

static int run_in_turn(struct change *c, struct lkst_job *job)
{
	int err = lkst_probes_each(c->e, job->s, probe_change_add_state, c);

	c->catalog = lkst_session_catalog(job->s);
	err = err ?: probe_change_plan(c);
	if (!err && !c->o->dry_run)
		err = probe_change_apply(c, job);
	if (!err)
		probe_change_print_steps(c);
	return err;
}

/* A dry run needs no recording, unless something is to be removed. */
static int probe_change_run(struct change *c)
{
	bool is_free = c->o->dry_run && !c->o->del.nr;
	struct lkst_job job = { .e = is_free ? NULL : c->e, .turn.lock = -1 };
	int err = lkst_job_open(&job, c->o->dry_run ? LKST_TURN_LOOK : LKST_TURN_CHANGE);

	job.e = c->e;
	if (err && is_free) {
		err = probe_change_plan(c);
		if (!err)
			probe_change_print_steps(c);
		return err;
	}
	err = err ?: run_in_turn(c, &job);
	lkst_job_close(&job);
	if (!c->o->quiet)
		lkst_recording_print(&job.notes);
	lkst_notes_fini(&job.notes);
	return err;
}

/* --definition: the lines that would be set. */
static int print_definitions(struct change *c)
{
	int err = probe_change_plan(c);
	u32 i;

	for (i = 0; i < c->nr_steps && !err; i++)
		if (!c->steps[i].is_removal)
			lkst_print_message(stdout, "%s", c->steps[i].definition);
	return err;
}

/* --save: the same in a file. */
static int probe_change_save(struct change *c)
{
	_cleanup_free_ struct lkst_saving *list = NULL;
	u32 i, nr = 0;
	int err = probe_change_plan(c);

	list = calloc(c->nr_steps + 1, sizeof(*list));
	if (!list)
		return probe_change_no_memory(c);
	for (i = 0; i < c->nr_steps; i++)
		if (!c->steps[i].is_removal)
			list[nr++] =
				(struct lkst_saving){ c->steps[i].head, c->steps[i].definition };
	err = err ?: lkst_probe_save(c->e, c->o->save, list, nr);
	if (!err && !c->o->quiet && strcmp(c->o->save, "-"))
		probe_change_print_steps(c);
	return err;
}

/* What was left out of probes that are at several places. */
static void probe_change_print_notes(const struct lkst_wanted_list *w)
{
	u32 i;

	for (i = 0; i < w->nr; i++)
		lkst_recording_print(&w->items[i].resolved.notes);
}

int lkst_wanted_set(struct lkst_err *e, const struct lkst_probe_options *o,
		    struct lkst_wanted_list *wanted, struct lkst_session *s,
		    struct lkst_notes *notes)
{
	_cleanup_(probe_change_fini) struct change c = { .e = e, .o = o, .wanted = *wanted };
	struct lkst_job job = { .e = e, .s = s, .turn.lock = -1 };
	unsigned int i;
	int err;

	*wanted = (struct lkst_wanted_list){};
	err = lkst_probes_each(e, s, probe_change_add_state, &c);
	c.catalog = lkst_session_catalog(s);
	err = err ?: probe_change_plan(&c) ?: probe_change_apply(&c, &job);
	for (i = 0; i < c.notes.nr; i++)
		lkst_notes_add(&job.notes, "%s", c.notes.text[i]);
	*notes = job.notes;
	return err;
}

int lkst_probe_change(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		      unsigned int nr_args)
{
	_cleanup_(probe_change_fini) struct change c = { .e = e, .o = o };
	int err = lkst_wanted_read(e, o, args, nr_args, &c.wanted)
			  ?: lkst_wanted_resolve(e, o, &c.wanted);

	if (!o->quiet)
		probe_change_print_notes(&c.wanted);
	if (err)
		return err;
	if (o->save)
		return probe_change_save(&c);
	return o->definition.nr ? print_definitions(&c) : probe_change_run(&c);
}
