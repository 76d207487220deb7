/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording that is tried and released. */
#include "live/recording/trial.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "live/programs/tick_place.h"
#include "live/recording/start.h"
#include "live/rings/history.h"

enum { SAMPLE_NS = 10000000, OFF_CPU_NS = 10000000 };

int lkst_trial_plan(struct lkst_err *e, const char *btf_file, struct lkst_plan **ret_plan)
{
	const struct lkst_plan_options options = { .btf_file = btf_file,
						   .is_whole = true,
						   .has_samples = true,
						   .has_off_cpu = true,
						   .has_mappings = true };

	return lkst_plan_make_for(e, &options, ret_plan);
}

void lkst_trial_look(const struct lkst_plan *plan, struct lkst_trial *t)
{
	struct lkst_err why;
	unsigned int i;

	for (i = 0; i < LKST_EVENT_SPACE; i++)
		t->nr_syscalls +=
			plan->catalog->classes[i] && plan->catalog->classes[i]->syscall >= 0;
	t->nr_syscalls /= 2;
	for (i = 0; i < LKST_NR_EVENTS; i++) {
		why.text[0] = 0;
		t->events[i].row = lkst_plan_choose_hook(&why, plan->kernel, i);
		if (t->events[i].row < 0)
			snprintf(t->events[i].why, LKST_TRIAL_WHY, "%.*s", LKST_TRIAL_WHY - 1,
				 why.text);
	}
}

static void keep_notes(struct lkst_trial *t, const struct lkst_notes *notes)
{
	unsigned int i;

	for (i = 0; i < notes->nr; i++)
		lkst_notes_add(&t->notes, "%s", notes->text[i]);
}

/* What a note says of why @name is not recorded: its words after "NAME is not recorded: ". NULL: none does. */
static const char *find_reason(const struct lkst_trial *t, const char *name)
{
	static const char verdict[] = " is not recorded: ";
	const size_t length = strlen(name);
	unsigned int i;

	for (i = 0; i < t->notes.nr; i++) {
		const char *text = t->notes.text[i];

		if (!strncmp(text, name, length) &&
		    !strncmp(text + length, verdict, strlen(verdict)))
			return text + length + strlen(verdict);
	}
	return NULL;
}

static void put_why(struct lkst_trial_event *event, const char *why)
{
	size_t length = strlen(why);

	if (length && why[length - 1] == '.')
		length--;
	snprintf(event->why, LKST_TRIAL_WHY, "%.*s",
		 (int)(length < LKST_TRIAL_WHY ? length : LKST_TRIAL_WHY - 1), why);
}

/* Why event @i is not recorded though the kernel has a place for it. */
static void explain_event(struct lkst_trial *t, unsigned int i, bool reads_memory)
{
	const char *target = lkst_events[i].hooks[t->events[i].row].target;
	const char *why = find_reason(t, target) ?: find_reason(t, lkst_events[i].name);

	if (!why && !reads_memory)
		why = "the kernel is locked down (confidentiality) and lets no program copy its memory or hook its "
		      "functions";
	put_why(&t->events[i], why ?: "its program cannot be loaded or attached");
}

/* A tick is recorded by a program of another event's, if it is known where the kernel keeps its time. */
static void judge_tick(struct lkst_trial *t, const struct lkst_plan *plan, bool reads_memory)
{
	struct lkst_trial_event *tick = &t->events[LKST_EV_tick];
	struct lkst_program_config found = {};
	struct lkst_err why = {};

	if (!tick->is_loaded || (reads_memory && !lkst_tick_place_find(&why, plan->kernel, &found)))
		return;
	tick->is_loaded = tick->is_attached = false;
	if (reads_memory)
		put_why(tick, why.text);
	else
		explain_event(t, LKST_EV_tick, reads_memory);
}

/* The further rows of event @i's hooks that @plan has and whose programs are in @hooks. */
static u32 find_also(const struct lkst_plan *plan, const struct lkst_hooks *hooks, unsigned int i)
{
	const struct lkst_event_desc *d = &lkst_events[i];
	unsigned int row;
	u32 also = 0;

	for (row = 0; row < d->nr_hooks; row++)
		if (plan->also[i] & 1U << row &&
		    lkst_hooks_find(hooks, lkst_hook_kind(&d->hooks[row]), d->hooks[row].target))
			also |= 1U << row;
	return also;
}

/* Says of each event of @plan what became of its program, which @hooks has if it was loaded. */
static void judge(struct lkst_trial *t, const struct lkst_plan *plan,
		  const struct lkst_hooks *hooks)
{
	const bool reads_memory = lkst_kernel_lets_read_memory();
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++) {
		struct lkst_trial_event *event = &t->events[i];
		u16 of;

		if (event->row < 0 || !plan->id[i])
			continue;
		of = hooks->of[plan->id[i]];
		event->is_tried = true;
		event->is_loaded = of != 0;
		event->also = find_also(plan, hooks, i);
		event->is_attached = of && hooks->items[of - 1].is_attached;
		if (!of || (!event->is_attached && find_reason(t, hooks->items[of - 1].target)))
			explain_event(t, i, reads_memory);
	}
	judge_tick(t, plan, reads_memory);
	t->is_made = true;
}

static u32 usual_budget(void)
{
	return lkst_kernel_can_limit() ? LKST_USUAL_BUDGET_PPM : 0;
}

/* Has the verifier look at all programs, and attaches none. */
static int load_only(struct lkst_err *e, const struct lkst_plan *plan, struct lkst_trial *t)
{
	_cleanup_(lkst_memory_free) struct lkst_memory memory = {};
	_cleanup_(lkst_programs_unload) struct lkst_programs programs = {};
	_cleanup_(lkst_hooks_fini) struct lkst_hooks hooks = {};
	_cleanup_free_ struct lkst_control *control = calloc(1, sizeof(*control));
	const struct lkst_filter filter = { .mode = LKST_FILTER_NONE };
	int err;

	if (!control)
		return lkst_err_sys(e, -ENOMEM, "trying to record");
	err = lkst_memory_plan(e, LKST_BUFFER_BYTES_MIN, LKST_USUAL_BLOCK_BYTES, 0, 0,
			       plan->has_stacks, &memory)
		      ?: lkst_programs_load(e, &programs, plan, &filter, &memory, control,
					    usual_budget());
	if (err)
		return err;
	keep_notes(t, &programs.notes);
	err = lkst_programs_list_hooks(e, &programs, plan, &hooks);
	if (!err)
		judge(t, plan, &hooks);
	return err;
}

static int take_costs(struct lkst_err *e, const struct lkst_session *s, struct lkst_trial *t)
{
	_cleanup_(lkst_budget_view_free) struct lkst_budget_view budget = {};
	int err = lkst_session_budget(e, s, &budget);

	if (err)
		return err;
	t->costs = budget.page.costs;
	t->has_costs = true;
	return 0;
}

int lkst_trial_make(struct lkst_err *e, const struct lkst_plan *plan, struct lkst_trial *t)
{
	const struct lkst_session_options options = {
		.buffer_bytes = LKST_USUAL_MIN,
		.block_bytes = LKST_USUAL_BLOCK_BYTES,
		.budget_ppm = usual_budget(),
		.sampling = { .period_ns = SAMPLE_NS, .clock = LKST_SAMPLE_CPU_CLOCK },
		.off_cpu_ns = OFF_CPU_NS,
		.maskset = "standard",
	};
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	int err;

	keep_notes(t, &plan->notes);
	err = lkst_session_start(e, plan, &options, &s);
	if (err)
		return err;
	keep_notes(t, lkst_session_notes(s));
	judge(t, plan, lkst_session_hooks(s));
	return take_costs(e, s, t);
}

int lkst_trial_make_beside(struct lkst_err *e, const struct lkst_plan *plan,
			   const struct lkst_session *running, struct lkst_trial *t)
{
	keep_notes(t, &plan->notes);
	return load_only(e, plan, t) ?: (running ? take_costs(e, running, t) : 0);
}

void lkst_trial_fini(struct lkst_trial *t)
{
	lkst_notes_fini(&t->notes);
}
