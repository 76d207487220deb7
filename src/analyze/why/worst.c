/* SPDX-License-Identifier: GPL-2.0-only */
/* The longest interval, by what the state model reports. */
#include "analyze/why/worst.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "trace/known/call_result.h"
#include "trace/known/threads.h"

struct lkst_worst_search {
	const struct lkst_model *model;
	const struct lkst_worst_options *options;
	struct lkst_worst best;
	u64 best_ns;
	/* WAIT, IO: the life whose wait is the longest so far, until it runs again. */
	u32 waiting;
	struct lkst_limited *limited; /* NULL: it is not looked at */
	bool takes_all; /* SYSCALL: also calls that wait by design */
};

/* How a system call waits. */
enum design {
	DESIGN_WORK,	/* for what it does itself */
	DESIGN_RECEIVE, /* for what others send, or for a disk: its sleep shows which */
	DESIGN_WAIT,	/* for what its caller wants to wait for */
};

static const char *const words[] = { "syscall", "wait", "ready", "fault", "io" };
_Static_assert(sizeof(words) / sizeof(words[0]) == LKST_NR_WORSTS, "a word for each");

int lkst_worst_parse(struct lkst_err *e, const char *text, enum lkst_worst_kind *ret_kind,
		     const char **ret_call)
{
	size_t length = strcspn(text, ":");
	unsigned int i;

	for (i = 0; i < LKST_NR_WORSTS; i++)
		if (strlen(words[i]) == length && !strncmp(words[i], text, length)) {
			*ret_kind = (enum lkst_worst_kind)i;
			*ret_call = text[length] ? text + length + 1 : NULL;
			return 0;
		}
	return lkst_err_set(e, -EINVAL,
			    "\"%s\" cannot be searched for: syscall, wait, ready, fault and io can",
			    text);
}

static enum design design_of(const struct lkst_syscall_now *now)
{
	const struct lkst_syscall *call = now->row >= 0 ? &lkst_syscalls[now->row] : NULL;

	if (!call)
		return DESIGN_WORK;
	/* The call that it goes on with is not known. Only calls that wait by design are gone on with. */
	if (lkst_call_continues_another(now->row))
		return DESIGN_WAIT;
	switch (lkst_syscall_cause(call)) {
	case LKST_CAUSE_POLL:
	case LKST_CAUSE_SLEEP:
	case LKST_CAUSE_FUTEX:
	case LKST_CAUSE_CHILD:
	case LKST_CAUSE_SIGNAL:
		return DESIGN_WAIT;
	default:
		return lkst_sys_waits[call->waits].receives ? DESIGN_RECEIVE : DESIGN_WORK;
	}
}

static bool worst_is_wanted(const struct lkst_worst_search *s, const struct lkst_thread_life *life)
{
	char comm[sizeof(life->comm) + 1] = "";

	if (life->idle_cpu >= 0 || (s->options->tid && life->tid != s->options->tid))
		return false;
	memcpy(comm, life->comm, sizeof(life->comm));
	if (s->options->cgroup && !lkst_cgroups_match(lkst_model_cgroups(s->model),
						      lkst_model_cgroup(s->model, life), s->options->cgroup))
		return false;
	return !s->options->comm || (life->has_comm && !fnmatch(s->options->comm, comm, 0));
}

static bool is_wanted_call(const struct lkst_worst_search *s, const struct lkst_syscall_now *call)
{
	if (!s->options->call)
		return true;
	return call && call->row >= 0 &&
	       !fnmatch(s->options->call, lkst_syscalls[call->row].name, 0);
}

/* True if this is the longest so far. */
static bool worst_offer(struct lkst_worst_search *s, const struct lkst_thread_life *life, u64 from_ns,
			u64 to_ns)
{
	if (to_ns <= from_ns || to_ns - from_ns <= s->best_ns || !worst_is_wanted(s, life))
		return false;
	s->best_ns = to_ns - from_ns;
	s->best.tid = life->tid;
	s->best.from_ns = from_ns;
	s->best.to_ns = to_ns;
	return true;
}

/* ---- what the state model tells ----------------------------------------------------- */

static bool worst_is_limited(const struct lkst_worst_search *s, u32 id, u64 from_ns, u64 to_ns)
{
	return s->limited && lkst_limited_crosses(s->limited, id, from_ns, to_ns);
}

/* Whether the call is one of those that wait by design; then it is counted. */
static bool pass_over(struct lkst_worst_search *s, const struct lkst_call_interval *c)
{
	enum design design = s->takes_all ? DESIGN_WORK : design_of(&c->call);
	u64 ns = c->to_ns - c->from_ns;

	if (design == DESIGN_WORK || (design == DESIGN_RECEIVE && c->sleep_ns <= ns / 2))
		return false;
	s->best.passed_over++;
	if (ns > s->best.longest_passed_ns) {
		s->best.longest_passed_ns = ns;
		s->best.longest_passed = lkst_syscalls[c->call.row].name;
	}
	return true;
}

static int worst_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lkst_worst_search *s = ctx;

	/* Where some were left out between the two, they may be of two calls. */
	if (c->entry_or_exit && worst_is_limited(s, c->entry_or_exit->record->event->id, c->from_ns, c->to_ns))
		return 0;
	if (!c->has_entry || !c->has_exit || !is_wanted_call(s, &c->call) || !worst_is_wanted(s, c->life))
		return 0;
	if (!pass_over(s, c))
		worst_offer(s, c->life, c->from_ns, c->to_ns);
	return 0;
}

static void on_blocked(struct lkst_worst_search *s, const struct lkst_interval *i)
{
	bool is_candidate;

	switch (s->options->kind) {
	case LKST_WORST_WAIT:
		is_candidate = !i->life->is_kernel && is_wanted_call(s, i->call);
		break;
	case LKST_WORST_IO:
		is_candidate = !i->life->is_kernel && i->waker && i->waker->rq &&
			       is_wanted_call(s, i->call);
		break;
	case LKST_WORST_FAULT:
		/* Where its end is recorded, that comes later. */
		if (i->wait->fault_ns)
			worst_offer(s, i->life, i->wait->fault_ns, i->to_ns);
		return;
	default:
		return;
	}
	if (is_candidate && worst_offer(s, i->life, i->from_ns, i->to_ns))
		s->waiting = i->life->nr;
}

/* Whether the longest wait so far is of @life. Further threads share a number. */
static bool is_waiting(const struct lkst_worst_search *s, const struct lkst_thread_life *life)
{
	return s->waiting == life->nr && s->best.tid == life->tid;
}

static int worst_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_worst_search *s = ctx;
	bool is_whole =
		!(i->flags & (LKST_INTERVAL_OPEN | LKST_INTERVAL_EARLIER | LKST_INTERVAL_CUT));

	if (i->life->tid < 0 || i->life->tid >= LKST_TID_MAX)
		return 0;
	if (i->run == LKST_RUN_READY) {
		if (s->options->kind == LKST_WORST_READY && is_whole && !i->life->is_kernel)
			worst_offer(s, i->life, i->from_ns, i->to_ns);
		/* Its wait is not over until it runs. */
		if (is_waiting(s, i->life) && i->from_ns == s->best.to_ns)
			s->best.to_ns = i->to_ns;
	} else if (is_waiting(s, i->life)) {
		s->waiting = LKST_LIFE_NONE;
	}
	if (i->run == LKST_RUN_BLOCKED && is_whole)
		on_blocked(s, i);
	/* Whom a signal or a tracer has stopped waits for whoever lets it go on. */
	if (i->run == LKST_RUN_STOPPED && is_whole && s->options->kind == LKST_WORST_WAIT && !s->options->call &&
	    worst_offer(s, i->life, i->from_ns, i->to_ns))
		s->waiting = i->life->nr;
	return 0;
}

static int worst_on_fault(void *ctx, const struct lkst_fault_interval *f)
{
	struct lkst_worst_search *s = ctx;

	if (!f->is_kernels)
		worst_offer(s, f->life, f->from_ns, f->to_ns);
	return 0;
}

/* ---- what was left out -------------------------------------------------------------- */

/* Events without which such an interval is not seen; "": threads' switches are enough, which always stay. */
static void put_patterns(const struct lkst_worst_options *o, char *text, size_t size)
{
	switch (o->kind) {
	case LKST_WORST_SYSCALL:
		snprintf(text, size, "syscall_entry_%s syscall_exit_%s", o->call ?: "*", o->call ?: "*");
		return;
	case LKST_WORST_FAULT:
		snprintf(text, size, "page_fault_*");
		return;
	case LKST_WORST_IO:
		snprintf(text, size, "block_rq_complete");
		return;
	default:
		text[0] = '\0';
	}
}

static int look_at_limited(struct lkst_err *e, struct lkst_worst_search *s)
{
	const struct lkst_worst_options *o = s->options;
	bool wants[LKST_EVENT_SPACE] = {};
	char patterns[LKST_LIMITED_TEXT];
	u64 begin_ns, end_ns;
	int err = lkst_limited_new(e, o->trace, &s->limited);

	if (err)
		return err;
	put_patterns(o, patterns, sizeof(patterns));
	lkst_limited_match(s->limited, patterns, wants);
	lkst_trace_range(o->trace, &begin_ns, &end_ns);
	if (!lkst_limited_is(s->limited, wants, o->from_ns > begin_ns ? o->from_ns : begin_ns,
			     o->to_ns < end_ns ? o->to_ns : end_ns, s->best.limited))
		s->best.limited[0] = '\0';
	return 0;
}

/* ---- a search ----------------------------------------------------------------------- */

static int search_new(struct lkst_err *e, const struct lkst_worst_options *options,
		      struct lkst_worst_search **ret_search)
{
	_cleanup_(lkst_worst_search_freep) struct lkst_worst_search *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "searching");
	s->options = options;
	s->waiting = LKST_LIFE_NONE;
	s->takes_all = options->call;
	err = options->trace ? look_at_limited(e, s) : 0;
	if (!err)
		*ret_search = lkst_take(s);
	return err;
}

static int worst_subscribe(struct lkst_err *e, struct lkst_worst_search *s, struct lkst_model *model)
{
	static const struct lkst_model_calls calls = { .interval = worst_on_interval };
	static const struct lkst_model_calls with_calls = { .call = worst_on_call };
	static const struct lkst_model_calls with_faults = { .interval = worst_on_interval, .fault = worst_on_fault };
	int r = lkst_model_subscribe(model,
				     s->options->kind == LKST_WORST_SYSCALL ? &with_calls
				     : s->options->kind == LKST_WORST_FAULT ? &with_faults
									    : &calls,
				     s);

	s->model = model;
	return r < 0 ? lkst_err_sys(e, r, "searching") : 0;
}

int lkst_worst_search_new(struct lkst_err *e, struct lkst_model *model,
			  const struct lkst_worst_options *options,
			  struct lkst_worst_search **ret_search)
{
	_cleanup_(lkst_worst_search_freep) struct lkst_worst_search *s = NULL;
	int err = search_new(e, options, &s) ?: worst_subscribe(e, s, model);

	if (!err)
		*ret_search = lkst_take(s);
	return err;
}

bool lkst_worst_search_result(const struct lkst_worst_search *s, struct lkst_worst *ret_worst)
{
	*ret_worst = s->best;
	return s->best_ns != 0;
}

void lkst_worst_search_free(struct lkst_worst_search *s)
{
	if (!s)
		return;
	lkst_limited_free(s->limited);
	free(s);
}

/* ---- the pass ----------------------------------------------------------------------- */

static int search_all(struct lkst_err *e, struct lkst_trace *t, struct lkst_worst_search *s)
{
	_cleanup_(lkst_threads_freep) struct lkst_threads *threads = lkst_threads_new();
	_cleanup_(lkst_feed_freep) struct lkst_feed *f = NULL;
	_cleanup_(lkst_model_freep) struct lkst_model *state = NULL;
	int r = threads ? lkst_feed_new(e, t, &f) : lkst_err_sys(e, -ENOMEM, "searching");

	if (r)
		return r;
	lkst_feed_limit(f, s->options->from_ns, s->options->to_ns);
	if (s->options->cgroup)
		r = lkst_feed_threads(f, threads);
	if (r < 0)
		return lkst_err_sys(e, r, "searching");
	r = lkst_model_new(e, f, &state);
	if (r)
		return r;
	lkst_model_know_cgroups(state, threads);
	return worst_subscribe(e, s, state) ?: lkst_feed_run(e, f);
}

static int found_none(struct lkst_err *e, const struct lkst_worst_search *s)
{
	const char *limited = s->best.limited;

	if (s->best.passed_over)
		return lkst_err_set(e, -ENOENT,
				    "all system calls that are recorded whole wait by design%s%s; --worst syscall:%s "
				    "takes those, too",
				    limited[0] ? ", of what was recorded: " : "", limited, s->best.longest_passed);
	return lkst_err_set(e, -ENOENT, "no %s of that thread or name is recorded whole%s%s%s", words[s->options->kind],
			    limited[0] ? ": " : "", limited, limited[0] ? " (the cost limit)" : "");
}

int lkst_worst_find(struct lkst_err *e, struct lkst_trace *t,
		    const struct lkst_worst_options *options, struct lkst_worst *ret_worst)
{
	_cleanup_(lkst_worst_search_freep) struct lkst_worst_search *s = NULL;
	struct lkst_worst_options o = *options;
	int err;

	o.trace = t;
	err = search_new(e, &o, &s) ?: search_all(e, t, s);
	if (err)
		return err;
	if (!s->best_ns)
		return found_none(e, s);
	*ret_worst = s->best;
	return 0;
}
