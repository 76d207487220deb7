/* SPDX-License-Identifier: GPL-2.0-only */
/* The longest interval, by what the state model reports. */
#include "analyze/why/worst.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "trace/threads.h"

struct lkst_worst_search {
	const struct lkst_model *model;
	const struct lkst_worst_options *options;
	struct lkst_worst best;
	u64 best_ns;
	/* WAIT, IO: the life whose wait is the longest so far, until it runs again. */
	u32 waiting;
	u64 *faults_ns; /* FAULT: by thread, when it began; 0: none is going on. NULL for other kinds */
	u64 cover_ns;	/* no gap that has been met reaches beyond: older faults are void */
	bool has_fault_exit;
	u8 *design; /* SYSCALL: enum design by row of lkst_syscalls[]; NULL: all calls are taken */
};

/* How a system call waits. */
enum design {
	DESIGN_WORK,	/* for what it does itself */
	DESIGN_RECEIVE, /* for what others send, or for a disk: its sleep shows which */
	DESIGN_WAIT,	/* for what its caller wants to wait for */
};

static const char *const receiving[] = {
	"read",
	"readv",
	"recv",
	"recvfrom",
	"recvmsg",
	"recvmmsg",
	"accept",
	"accept4",
	"msgrcv",
	"mq_timedreceive",
	"recvmmsg_time64",
	"mq_timedreceive_time64",
	"splice",
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

static enum design design_of(const struct lkst_syscall *call)
{
	unsigned int i;

	switch (lkst_syscall_cause(call)) {
	case LKST_CAUSE_POLL:
	case LKST_CAUSE_SLEEP:
	case LKST_CAUSE_FUTEX:
	case LKST_CAUSE_CHILD:
	case LKST_CAUSE_SIGNAL:
		return DESIGN_WAIT;
	default:
		break;
	}
	for (i = 0; i < sizeof(receiving) / sizeof(receiving[0]); i++)
		if (!strcmp(receiving[i], call->name))
			return DESIGN_RECEIVE;
	return DESIGN_WORK;
}

static bool is_wanted(const struct lkst_worst_search *s, const struct lkst_thread_life *life)
{
	char comm[sizeof(life->comm) + 1] = "";

	if (life->idle_cpu >= 0 || (s->options->tid && life->tid != s->options->tid))
		return false;
	memcpy(comm, life->comm, sizeof(life->comm));
	if (s->options->cgroup && !lkst_cgroups_match(lkst_model_cgroups(s->model),
						      lkst_model_cgroup(s->model, life), s->options->cgroup))
		return false;
	return !s->options->comm || !fnmatch(s->options->comm, comm, 0);
}

static bool is_wanted_call(const struct lkst_worst_search *s, const struct lkst_syscall_now *call)
{
	if (!s->options->call)
		return true;
	return call && call->row >= 0 &&
	       !fnmatch(s->options->call, lkst_syscalls[call->row].name, 0);
}

/* True if this is the longest so far. */
static bool offer(struct lkst_worst_search *s, const struct lkst_thread_life *life, u64 from_ns,
		  u64 to_ns)
{
	if (to_ns <= from_ns || to_ns - from_ns <= s->best_ns || !is_wanted(s, life))
		return false;
	s->best_ns = to_ns - from_ns;
	s->best.tid = life->tid;
	s->best.from_ns = from_ns;
	s->best.to_ns = to_ns;
	return true;
}

/* ---- what the state model tells ----------------------------------------------------- */

/* Whether the call is one of those that wait by design; then it is counted. */
static bool pass_over(struct lkst_worst_search *s, const struct lkst_call_interval *c)
{
	enum design design = s->design && c->call.row >= 0 ? s->design[c->call.row] : DESIGN_WORK;
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

static int on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lkst_worst_search *s = ctx;

	if (!c->has_entry || !c->has_exit || !is_wanted_call(s, &c->call) || !is_wanted(s, c->life))
		return 0;
	if (!pass_over(s, c))
		offer(s, c->life, c->from_ns, c->to_ns);
	return 0;
}

static void on_blocked(struct lkst_worst_search *s, const struct lkst_interval *i)
{
	bool is_candidate;
	u64 fault_ns;

	switch (s->options->kind) {
	case LKST_WORST_WAIT:
		is_candidate = !i->life->is_kernel && is_wanted_call(s, i->call);
		break;
	case LKST_WORST_IO:
		is_candidate = !i->life->is_kernel && i->waker && i->waker->rq &&
			       is_wanted_call(s, i->call);
		break;
	case LKST_WORST_FAULT:
		fault_ns = s->faults_ns[i->life->tid];
		if (fault_ns > s->cover_ns && !s->has_fault_exit)
			offer(s, i->life, fault_ns, i->to_ns);
		return;
	default:
		return;
	}
	if (is_candidate && offer(s, i->life, i->from_ns, i->to_ns))
		s->waiting = i->life->nr;
}

/* Whether the longest wait so far is of @life. Further threads share a number. */
static bool is_waiting(const struct lkst_worst_search *s, const struct lkst_thread_life *life)
{
	return s->waiting == life->nr && s->best.tid == life->tid;
}

static int on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_worst_search *s = ctx;
	bool is_whole =
		!(i->flags & (LKST_INTERVAL_OPEN | LKST_INTERVAL_EARLIER | LKST_INTERVAL_CUT));

	if (i->life->tid < 0 || i->life->tid >= LKST_TID_MAX)
		return 0;
	if (i->run == LKST_RUN_READY) {
		if (s->options->kind == LKST_WORST_READY && is_whole && !i->life->is_kernel)
			offer(s, i->life, i->from_ns, i->to_ns);
		/* Its wait is not over until it runs. */
		if (is_waiting(s, i->life) && i->from_ns == s->best.to_ns)
			s->best.to_ns = i->to_ns;
	} else if (is_waiting(s, i->life)) {
		s->waiting = LKST_LIFE_NONE;
	}
	if (i->run == LKST_RUN_BLOCKED && is_whole)
		on_blocked(s, i);
	return 0;
}

/* ---- page faults -------------------------------------------------------------------- */

static int on_fault(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_worst_search *s = ctx;

	if (r->tid > 0 && r->tid < LKST_TID_MAX)
		s->faults_ns[r->tid] = r->ns;
	return 0;
}

static int on_fault_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_worst_search *s = ctx;
	/* All that offer() looks at: without a name, for then it is not asked for. */
	const struct lkst_thread_life life = { .tid = r->tid, .idle_cpu = -1 };

	if (r->tid <= 0 || r->tid >= LKST_TID_MAX)
		return 0;
	if (s->faults_ns[r->tid] > s->cover_ns)
		offer(s, &life, s->faults_ns[r->tid], r->ns);
	s->faults_ns[r->tid] = 0;
	return 0;
}

/* In a system call: a fault is over. */
static int on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *call)
{
	struct lkst_worst_search *s = ctx;

	if (r->tid > 0 && r->tid < LKST_TID_MAX)
		s->faults_ns[r->tid] = 0;
	return 0;
}

static int subscribe_faults(struct lkst_feed *f, struct lkst_worst_search *s)
{
	int r;

	s->has_fault_exit = !s->options->comm && lkst_feed_has(f, LKST_EV_page_fault_exit);
	r = lkst_feed_event(f, LKST_EV_page_fault_user, on_fault, s);
	if (r >= 0 && s->has_fault_exit)
		r = lkst_feed_event(f, LKST_EV_page_fault_exit, on_fault_exit, s);
	return r < 0 ? r : lkst_feed_syscalls(f, on_entry, NULL, s);
}

static int forget_faults(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_worst_search *s = ctx;

	if (lkst_buffer_is_of_kernel(gap->buffer) && gap->to_ns > s->cover_ns)
		s->cover_ns = gap->to_ns;
	return 0;
}

/* ---- a search ----------------------------------------------------------------------- */

/* Data by thread and by call. */
static int prepare(struct lkst_worst_search *s)
{
	unsigned int row;

	if (s->options->kind == LKST_WORST_FAULT) {
		/* Most of it is never touched. */
		s->faults_ns = calloc(LKST_TID_MAX, sizeof(*s->faults_ns));
		return s->faults_ns ? 0 : -ENOMEM;
	}
	if (s->options->kind != LKST_WORST_SYSCALL || s->options->call)
		return 0;
	s->design = calloc(lkst_nr_syscalls, sizeof(*s->design));
	if (!s->design)
		return -ENOMEM;
	for (row = 0; row < lkst_nr_syscalls; row++)
		s->design[row] = (u8)design_of(&lkst_syscalls[row]);
	return 0;
}

static int search_new(struct lkst_err *e, const struct lkst_worst_options *options,
		      struct lkst_worst_search **ret_search)
{
	_cleanup_(lkst_worst_search_freep) struct lkst_worst_search *s = calloc(1, sizeof(*s));

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "searching");
	s->options = options;
	s->waiting = LKST_LIFE_NONE;
	if (prepare(s))
		return lkst_err_sys(e, -ENOMEM, "searching");
	*ret_search = lkst_take(s);
	return 0;
}

static int subscribe(struct lkst_err *e, struct lkst_worst_search *s, struct lkst_model *model)
{
	static const struct lkst_model_calls calls = { .interval = on_interval };
	static const struct lkst_model_calls with_calls = { .call = on_call };
	int r = lkst_model_subscribe(
		model, s->options->kind == LKST_WORST_SYSCALL ? &with_calls : &calls, s);

	s->model = model;
	return r < 0 ? lkst_err_sys(e, r, "searching") : 0;
}

int lkst_worst_search_new(struct lkst_err *e, struct lkst_model *model,
			  const struct lkst_worst_options *options,
			  struct lkst_worst_search **ret_search)
{
	_cleanup_(lkst_worst_search_freep) struct lkst_worst_search *s = NULL;
	int err = search_new(e, options, &s) ?: subscribe(e, s, model);

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
	free(s->design);
	free(s->faults_ns);
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
	if (r >= 0 && s->options->kind == LKST_WORST_FAULT) {
		r = subscribe_faults(f, s);
		if (r >= 0)
			r = lkst_feed_gaps(f, forget_faults, s);
	}
	if (r < 0)
		return lkst_err_sys(e, r, "searching");
	r = lkst_model_new(e, f, &state);
	if (r)
		return r;
	lkst_model_know_cgroups(state, threads);
	return subscribe(e, s, state) ?: lkst_feed_run(e, f);
}

int lkst_worst_find(struct lkst_err *e, struct lkst_trace *t,
		    const struct lkst_worst_options *options, struct lkst_worst *ret_worst)
{
	_cleanup_(lkst_worst_search_freep) struct lkst_worst_search *s = NULL;
	int err = search_new(e, options, &s) ?: search_all(e, t, s);

	if (err)
		return err;
	if (!s->best_ns && s->best.passed_over)
		return lkst_err_set(e, -ENOENT,
				    "all system calls that are recorded whole wait by design; "
				    "--worst syscall:%s takes those, too",
				    s->best.longest_passed);
	if (!s->best_ns)
		return lkst_err_set(e, -ENOENT, "no %s of that thread or name is recorded whole",
				    words[options->kind]);
	*ret_worst = s->best;
	return 0;
}
