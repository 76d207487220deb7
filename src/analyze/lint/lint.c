/* SPDX-License-Identifier: GPL-2.0-only */
/* The pass of lint: which rules can be applied, the groups of rules, and the account of findings. */
#include "analyze/lint/lint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"
#include "analyze/engine/limited.h"
#include "analyze/engine/unrecorded.h"
#include "analyze/lint/lint_pass.h"
#include "base/cleanup.h"
#include "base/glob.h"
#include "base/vec.h"

const struct lkst_lint_rule_desc lkst_lint_rules[] = {
	[LKST_LINT_USE_AFTER_FREE] = { "use-after-free",
				       "a timer or work runs that lies in memory freed meanwhile" },
	[LKST_LINT_DOUBLE_FREE] = { "double-free",
				    "memory is freed twice without being allocated between" },
	[LKST_LINT_SLEEP] = { "sleep",
			      "a thread sleeps in an interrupt, or while it holds a spin lock" },
	[LKST_LINT_LOCK_KEPT] = { "lock-kept",
				  "a thread leaves the kernel or sleeps and never releases a lock" },
	[LKST_LINT_LOCK_STRANGER] = { "lock-stranger",
				      "a lock is released by another thread than took it" },
	[LKST_LINT_LOCK_TWICE] = { "lock-twice",
				   "a thread asks for a lock that it holds, and stops for good" },
	[LKST_LINT_LOCK_ORDER] = { "lock-order",
				   "two locks are taken one inside the other, both ways round" },
};
_Static_assert(sizeof(lkst_lint_rules) / sizeof(lkst_lint_rules[0]) == LKST_NR_LINT_RULES,
	       "a row per rule");

static const struct lkst_lint_group *const groups[] = { &lkst_lint_memory, &lkst_lint_sleep,
							&lkst_lint_locks };
enum { NR_GROUPS = sizeof(groups) / sizeof(groups[0]) };

/*
 * The events that a rule cannot do without: if the kernel skipped records of one, the rule is not
 * applied. Other events that a rule looks at may be missing: then it finds less.
 *
 * Takes and releases of locks are recorded by kprobes. A hit is skipped while the program of another
 * probe, or a bpf(2) call that must not be disturbed, is under way on the CPU (trace_call_bpf() and
 * bpf_disable_instrumentation(), kernel/trace/bpf_trace.c and include/linux/bpf.h). That is an interrupt,
 * or code between two switches of the CPU: code that takes a spin lock in one of these also releases it
 * there, so that a take and its release are skipped together. With PREEMPT_RT they are not, since a
 * lock's holder may be preempted there. Linux has counted such skips since 6.7.
 */
static const struct {
	enum lkst_lint_rule rule;
	enum lkst_event_index index;
	bool is_lock;
} needs[] = {
	{ LKST_LINT_USE_AFTER_FREE, LKST_EV_timer_init, false },
	{ LKST_LINT_USE_AFTER_FREE, LKST_EV_timer_start, false },
	{ LKST_LINT_USE_AFTER_FREE, LKST_EV_hrtimer_init, false },
	{ LKST_LINT_USE_AFTER_FREE, LKST_EV_hrtimer_start, false },
	{ LKST_LINT_USE_AFTER_FREE, LKST_EV_workqueue_queue_work, false },
	{ LKST_LINT_DOUBLE_FREE, LKST_EV_kmalloc, false },
	{ LKST_LINT_DOUBLE_FREE, LKST_EV_kmem_cache_alloc, false },
	{ LKST_LINT_SLEEP, LKST_EV_softirq_entry, false },
	{ LKST_LINT_SLEEP, LKST_EV_irq_handler_entry, false },
	{ LKST_LINT_LOCK_KEPT, LKST_EV_spin_unlock, true },
	{ LKST_LINT_LOCK_STRANGER, LKST_EV_spin_lock, true },
	{ LKST_LINT_LOCK_STRANGER, LKST_EV_spin_unlock, true },
	{ LKST_LINT_LOCK_TWICE, LKST_EV_spin_unlock, true },
	{ LKST_LINT_LOCK_ORDER, LKST_EV_spin_unlock, true },
};

struct lkst_lint_search {
	struct lkst_lint_pass pass;
	struct lkst_lint lint;
	void *ctx[NR_GROUPS];
	u64 skipped[LKST_NR_EVENTS];
	struct lkst_unrecorded *unrecorded;
	struct lkst_limited *limited;
	bool wants[LKST_EVENT_SPACE]; /* the events that the rules look at, by their ids */
	bool is_rt;		      /* the recorded kernel is for real time (PREEMPT_RT) */
};

int lkst_lint_room(void *list, u32 nr, size_t size)
{
	void *old, *grown;

	if (!lkst_vec_is_full(nr))
		return 0;
	memcpy(&old, list, sizeof(old));
	grown = lkst_vec_extend(old, nr, lkst_vec_room(nr), size);
	if (!grown)
		return -ENOMEM;
	memcpy(list, &grown, sizeof(grown));
	return 0;
}

int lkst_lint_add(struct lkst_lint_pass *p, const struct lkst_finding *f)
{
	p->lint->nr_findings++;
	if (p->nr_findings == LKST_LINT_FINDINGS_MAX)
		return 0;
	if (lkst_lint_room(&p->findings, p->nr_findings, sizeof(*p->findings)))
		return -ENOMEM;
	p->findings[p->nr_findings++] = *f;
	return 0;
}

/* ---- the pass ----------------------------------------------------------------------- */

static int lint_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_lint_search *d = ctx;
	unsigned int i;

	for (i = 0; i < NR_GROUPS && lkst_buffer_is_of_kernel(gap->buffer); i++)
		if (d->ctx[i])
			groups[i]->gap(d->ctx[i]);
	return 0;
}

static int on_name(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_lint_search *d = ctx;

	return lkst_threads_feed(d->pass.lint->threads, r);
}

/* True if @hook, "tp_btf__sched_switch", is the program of a hook of event @index. */
static bool is_hook_of(const char *hook, u32 length, unsigned int index)
{
	const struct lkst_event_desc *desc = &lkst_events[index];
	unsigned int i;

	for (i = 0; i < desc->nr_hooks; i++) {
		size_t target = strlen(desc->hooks[i].target);

		if (length > target + 2 &&
		    !memcmp(hook + length - target, desc->hooks[i].target, target) &&
		    hook[length - target - 1] == '_' && hook[length - target - 2] == '_')
			return true;
	}
	return false;
}

/* The state stream comes first, so that this is known before any other record comes. */
static int lint_on_skipped(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_skipped *s = record;
	struct lkst_lint_search *d = ctx;
	u32 length = (u32)strlen(s->hook.bytes);
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (is_hook_of(s->hook.bytes, length, i))
			d->skipped[i] += s->count;
	return 0;
}

static int lint_subscribe(struct lkst_lint_search *d)
{
	static const u16 names[] = { LKST_EV_state_thread,	 LKST_EV_task_newtask,
				     LKST_EV_sched_process_fork, LKST_EV_sched_process_exec,
				     LKST_EV_sched_process_exit, LKST_EV_task_rename };
	int r = lkst_feed_gaps(d->pass.feed, lint_on_gap, d);
	unsigned int i;

	if (r >= 0)
		r = lkst_feed_event(d->pass.feed, LKST_EV_state_skipped, lint_on_skipped, d);
	for (i = 0; i < sizeof(names) / sizeof(names[0]) && r >= 0; i++)
		r = lkst_feed_event(d->pass.feed, names[i], on_name, d);
	if (r >= 0)
		r = lkst_unrecorded_new(d->pass.feed, &d->unrecorded);
	lkst_feed_watch(d->pass.feed, d->wants);
	for (i = 0; i < NR_GROUPS && r >= 0; i++)
		r = groups[i]->begin(&d->pass, &d->ctx[i]);
	lkst_feed_watch(d->pass.feed, NULL);
	return r;
}

static int lint_finish(struct lkst_lint_search *d)
{
	unsigned int i;
	int r = 0;

	for (i = 0; i < NR_GROUPS && !r; i++)
		if (d->ctx[i])
			r = groups[i]->end(d->ctx[i]);
	return r;
}

/* ---- the account -------------------------------------------------------------------- */

/* Drops the findings of rules whose events the kernel has skipped. */
static void drop_doubtful(struct lkst_lint_search *d)
{
	bool is_doubtful[LKST_NR_LINT_RULES] = {};
	struct lkst_lint_pass *p = &d->pass;
	u32 i, kept = 0;
	size_t n;

	for (n = 0; n < sizeof(needs) / sizeof(needs[0]); n++) {
		if (!d->skipped[needs[n].index] || !p->wants[needs[n].rule] ||
		    (needs[n].is_lock && !d->is_rt))
			continue;
		is_doubtful[needs[n].rule] = true;
		lkst_notes_add(&p->lint->notes,
			       "rule %s is not applied: %llu records of %s are missing, since "
			       "the kernel skipped its program",
			       lkst_lint_rules[needs[n].rule].name,
			       (unsigned long long)d->skipped[needs[n].index],
			       lkst_events[needs[n].index].name);
	}
	for (i = 0; i < p->nr_findings; i++)
		if (!is_doubtful[p->findings[i].rule])
			p->findings[kept++] = p->findings[i];
	p->lint->nr_findings -= p->nr_findings - kept;
	p->nr_findings = kept;
	if (!kept)
		p->lint->nr_findings = 0;
}

static int lint_by_time(const void *a, const void *b)
{
	u64 x = ((const struct lkst_finding *)a)->sights[0].ns;
	u64 y = ((const struct lkst_finding *)b)->sights[0].ns;

	return x < y ? -1 : x > y ? 1 : 0;
}

static void say_where(struct lkst_account *a, struct lkst_account_step *s,
		      const struct lkst_sight *sight)
{
	lkst_account_say(a, s, " by ");
	lkst_account_fact(a, s, NULL, LKST_ACCOUNT_THREAD, (u64)sight->tid);
	lkst_account_say(a, s, " on CPU %u", sight->cpu);
}

/* What each of a rule's events is, in the order in which they happened. */
static const char *const phrases[LKST_NR_LINT_RULES][LKST_LINT_SIGHTS] = {
	[LKST_LINT_USE_AFTER_FREE] = { "set", "its memory freed", "run" },
	[LKST_LINT_DOUBLE_FREE] = { "allocated", "freed", "freed again" },
	[LKST_LINT_SLEEP] = { "begun", "put to sleep in it", "ended" },
	[LKST_LINT_LOCK_KEPT] = { "taken", "not released until the kernel was left" },
	[LKST_LINT_LOCK_STRANGER] = { "taken", "released" },
	[LKST_LINT_LOCK_TWICE] = { "taken", "asked for again" },
	[LKST_LINT_LOCK_ORDER] = { "the second taken inside the first",
				   "the first taken inside the second" },
};

static const char *const sleep_phrases[LKST_LINT_SIGHTS] = { "taken", "put to sleep with it",
							     "released" };

static void lint_tell(struct lkst_account *a, const struct lkst_finding *f)
{
	struct lkst_account_step *s =
		lkst_account_add(a, &a->root, lkst_lint_rules[f->rule].name, f->sights[0].ns,
				 f->sights[f->nr_sights - 1].ns, f->sights[f->nr_sights - 1].tid);
	/* Of the two kinds of sleep only locks have an address. */
	const char *const *words =
		f->rule == LKST_LINT_SLEEP && f->object ? sleep_phrases : phrases[f->rule];
	unsigned int i;

	lkst_account_say(a, s, "%s: %s", lkst_lint_rules[f->rule].name, f->what);
	if (f->object) {
		lkst_account_say(a, s, " ");
		lkst_account_mean(a, s, "object", LKST_MEANING_DATA, f->object);
	}
	if (f->other) {
		lkst_account_say(a, s, " and ");
		lkst_account_mean(a, s, "other", LKST_MEANING_DATA, f->other);
	}
	for (i = 0; i < f->nr_sights; i++) {
		lkst_account_say(a, s, "%s %s", i ? ", then" : ":", words[i]);
		say_where(a, s, &f->sights[i]);
		lkst_account_cite(a, s, f->sights[i].ns, f->sights[i].cpu, f->sights[i].tid,
				  f->sights[i].event);
	}
	if (f->code) {
		lkst_account_say(a, s, "; code ");
		lkst_account_mean(a, s, "code", LKST_MEANING_CODE, f->code);
	}
}

static int make_account(struct lkst_lint_search *d)
{
	struct lkst_lint_pass *p = &d->pass;
	u32 i;

	drop_doubtful(d);
	if (p->nr_findings)
		qsort(p->findings, p->nr_findings, sizeof(*p->findings), lint_by_time);
	for (i = 0; i < p->nr_findings; i++)
		lint_tell(p->lint->account, &p->findings[i]);
	return p->lint->account->error;
}

/* ---- all of it ---------------------------------------------------------------------- */

static int lint_choose(struct lkst_err *e, char *const *globs, unsigned int nr_globs, bool *ret_wants)
{
	unsigned int i, rule;
	bool any;

	for (rule = 0; rule < LKST_NR_LINT_RULES; rule++)
		ret_wants[rule] = !nr_globs;
	for (i = 0; i < nr_globs; i++) {
		any = false;
		for (rule = 0; rule < LKST_NR_LINT_RULES; rule++)
			if (lkst_glob_matches(globs[i], "", lkst_lint_rules[rule].name, NULL))
				any = ret_wants[rule] = true;
		if (!any)
			return lkst_err_set(e, -ENOENT, "there is no rule \"%s\"; --list has them",
					    globs[i]);
	}
	return 0;
}

/* There, softirqs and holders of locks may sleep (Documentation/core-api/real-time). */
static void heed_real_time(struct lkst_lint_search *d, const struct lkst_catalog *c)
{
	d->is_rt = strstr(c->version, "PREEMPT_RT");
	if (!d->is_rt || !d->pass.wants[LKST_LINT_SLEEP])
		return;
	d->pass.wants[LKST_LINT_SLEEP] = false;
	lkst_notes_add(&d->pass.lint->notes,
		       "rule %s is not applied: with PREEMPT_RT softirqs and holders of "
		       "spin locks may sleep",
		       lkst_lint_rules[LKST_LINT_SLEEP].name);
}

void lkst_lint_search_free(struct lkst_lint_search *d)
{
	unsigned int i;

	if (!d)
		return;
	for (i = 0; i < NR_GROUPS; i++)
		groups[i]->free(d->ctx[i]);
	free(d->pass.findings);
	lkst_unrecorded_free(d->unrecorded);
	lkst_limited_free(d->limited);
	lkst_lint_fini(&d->lint);
	free(d);
}

int lkst_lint_begin(struct lkst_err *e, struct lkst_feed *f, char *const *rules,
		    unsigned int nr_rules, struct lkst_lint_search **ret_search)
{
	_cleanup_(lkst_lint_search_freep) struct lkst_lint_search *d = calloc(1, sizeof(*d));
	struct lkst_trace *t = lkst_feed_trace(f);
	int r;

	if (!d)
		return lkst_err_sys(e, -ENOMEM, "preparing the rules");
	d->lint = (struct lkst_lint){ .account = lkst_account_new(),
				      .threads = lkst_threads_new(),
				      .symbols = lkst_symbols_new() };
	if (!d->lint.account || !d->lint.threads || !d->lint.symbols)
		return lkst_err_sys(e, -ENOMEM, "preparing the rules");
	d->pass.lint = &d->lint;
	d->pass.feed = f;
	r = lint_choose(e, rules, nr_rules, d->pass.wants);
	if (!r)
		r = lkst_symbols_load(e, d->lint.symbols, t) ?: lkst_limited_new(e, t, &d->limited);
	if (r)
		return r;
	heed_real_time(d, lkst_trace_catalog(t));
	r = lint_subscribe(d);
	if (r < 0)
		return lkst_err_sys(e, r, "preparing the rules");
	*ret_search = lkst_take(d);
	return 0;
}

int lkst_lint_finish(struct lkst_err *e, struct lkst_lint_search *d, struct lkst_lint *ret_lint)
{
	u64 begin_ns, end_ns;
	int r;

	lkst_unrecorded_end(d->unrecorded);
	lkst_unrecorded_note(d->unrecorded, d->wants, &d->lint.notes);
	lkst_trace_range(lkst_feed_trace(d->pass.feed), &begin_ns, &end_ns);
	lkst_limited_note(d->limited, d->wants, begin_ns, end_ns, &d->lint.notes);
	r = lint_finish(d);
	if (!r)
		r = make_account(d);
	if (r)
		return lkst_err_sys(e, r, "collecting what was found");
	*ret_lint = d->lint;
	d->lint = (struct lkst_lint){};
	return 0;
}

int lkst_lint_run(struct lkst_err *e, struct lkst_trace *t, char *const *rules,
		  unsigned int nr_rules, lkst_feed_look_call *look, void *ctx,
		  struct lkst_lint *ret_lint)
{
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_lint_search_freep) struct lkst_lint_search *d = NULL;
	int r = lkst_feed_new(e, t, &f);

	*ret_lint = (struct lkst_lint){};
	if (r)
		return r;
	lkst_feed_look(f, look, ctx);
	return lkst_lint_begin(e, f, rules, nr_rules, &d) ?:
	       lkst_feed_run(e, f) ?:
	       lkst_lint_finish(e, d, ret_lint);
}

void lkst_lint_fini(struct lkst_lint *l)
{
	lkst_account_free(l->account);
	lkst_threads_free(l->threads);
	lkst_symbols_free(l->symbols);
	lkst_notes_fini(&l->notes);
}
