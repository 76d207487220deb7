/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the cost limit left out, and what is not known any more because of that: a call, a fault, a lock or an interrupt
 * whose end may have been left out is not what goes on later. A thread's own events can be missing only while it runs.
 */
#include "analyze/model/model_parts.h"

int lkst_model_prepare_lacks(struct lkst_err *e, struct lkst_model *s)
{
	struct lkst_trace *t = lkst_feed_trace(s->feed);
	int err = lkst_limited_new(e, t, &s->limited);

	if (err)
		return err;
	err = lkst_lacks_init(s->limited, lkst_trace_catalog(t), &s->lacks);
	return err ? lkst_err_sys(e, err, "finding what was left out") : 0;
}

void lkst_model_free_lacks(struct lkst_model *s)
{
	lkst_lacks_fini(&s->lacks);
	lkst_limited_free(s->limited);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* The moment in which the call that @t is in may have ended, unseen; UINT64_MAX: it goes on. */
static u64 end_of_call(const struct lkst_model *s, const struct lkst_model_thread *t, u64 ns)
{
	if (!t->in_call || t->run != LKST_RUN_RUNNING)
		return UINT64_MAX;
	return lkst_limited_since(s->limited, t->call_id,
				  t->call.from_ns > t->since_ns ? t->call.from_ns : t->since_ns,
				  ns);
}

bool lkst_model_is_stale_call(const struct lkst_model *s, const struct lkst_model_thread *t, u64 ns)
{
	return end_of_call(s, t, ns) != UINT64_MAX;
}

/* Whether records of @lack may be missing since @t has run, and since @since_ns, when what is known of it was so. */
static bool lacks(const struct lkst_model *s, enum lkst_lack lack,
		  const struct lkst_model_thread *t, u64 since_ns, u64 ns)
{
	return lkst_lacks(&s->lacks, lack, since_ns > t->since_ns ? since_ns : t->since_ns, ns);
}

static int forget_stale_call(struct lkst_model *s, struct lkst_model_thread *t, u64 ns)
{
	const bool in_lock = t->in_lock, in_fault = t->in_fault;
	const u64 end_ns = end_of_call(s, t, ns);
	int err = 0;

	if (end_ns != UINT64_MAX) {
		err = lkst_model_end_call(s, t, end_ns, NULL);
		t->knows_call = false;
		t->in_lock = in_lock;
		t->in_fault = in_fault;
	}
	if (!t->in_call && lacks(s, LKST_LACK_CALLS, t, t->no_call_ns, ns)) {
		t->knows_call = false;
		t->may_call = true;
	}
	return err;
}

/* Where the end of a fault is not recorded, only the next call, or the next fault, shows that it is over. */
static void forget_stale_fault(struct lkst_model *s, struct lkst_model_thread *t, u64 ns)
{
	const u64 since_ns = t->in_fault ? t->fault_ns : t->no_call_ns;
	const enum lkst_lack end = s->has_fault_exit ? LKST_LACK_FAULT_ENDS : LKST_LACK_CALLS;

	if (!lacks(s, LKST_LACK_FAULTS, t, since_ns, ns) &&
	    !(t->in_fault && lacks(s, end, t, since_ns, ns)))
		return;
	t->in_fault = false;
	t->may_fault = true;
}

int lkst_model_forget_stale(struct lkst_model *s, struct lkst_model_thread *t, u64 ns)
{
	int err;

	if (t->run != LKST_RUN_RUNNING)
		return 0;
	err = forget_stale_call(s, t, ns);
	forget_stale_fault(s, t, ns);
	if (t->in_lock && lacks(s, LKST_LACK_LOCKS, t, t->lock_ns, ns))
		t->in_lock = false;
	if (t->work_function && lacks(s, LKST_LACK_WORK, t, t->work_ns, ns))
		t->work_function = 0;
	return err;
}

s32 lkst_model_queue_of(const struct lkst_model *s, const struct lkst_model_thread *t, u64 from_ns,
			u64 to_ns)
{
	/* A wake-up says it, and so does each move after it. */
	if (lkst_lacks(&s->lacks, LKST_LACK_MIGRATIONS, from_ns, to_ns))
		return -1;
	if (lkst_lacks(&s->lacks, LKST_LACK_WAKEUPS, from_ns, to_ns) &&
	    !lkst_feed_has_come(s->feed, lkst_feed_id(s->feed, LKST_EV_sched_migrate_task)))
		return -1;
	return t->cpu;
}
