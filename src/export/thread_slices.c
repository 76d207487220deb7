/* SPDX-License-Identifier: GPL-2.0-only */
/* The state model's intervals of threads, cut at system calls. */
#include "export/thread_slices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"

/*
 * Calls of a thread that are over in an interval that is not. A thread that runs for long makes any number of them:
 * after so many, their part of the interval is given out.
 */
enum { CALLS_MAX = 1 << 14 };

/* A system call that is over. */
struct thread_slices_call {
	u64 from_ns, to_ns; /* from_ns 0: its entry was not seen */
	s64 ret;
	s32 nr;
	s16 row;
	bool has_ret;
};

/* Of a life. */
struct thread_slices_thread {
	struct thread_slices_call *calls; /* since `told_ns`, in order of time */
	u32 nr_calls;
	u64 told_ns; /* up to where slices were given out */
};

struct lkst_thread_slices {
	struct lkst_model *model;
	lkst_thread_slice_call *call, *returned;
	void *ctx;
	struct thread_slices_thread *threads; /* by number of their lives */
	u32 nr_threads;
};

static u64 thread_slices_max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

/* ---- giving out ------------------------------------------------------------------------------ */

/* Gives out @slice up to @to_ns, if that is any time, and goes on from there. */
static int thread_slices_tell(struct lkst_thread_slices *s, struct lkst_thread_slice *slice, u64 to_ns)
{
	int err;

	if (to_ns <= slice->from_ns)
		return 0;
	slice->to_ns = to_ns;
	err = s->call(s->ctx, slice);
	slice->from_ns = to_ns;
	return err;
}

static void set_call(struct lkst_thread_slice *slice, s16 row, s32 nr, u64 from_ns)
{
	slice->in_call = true;
	slice->row = row;
	slice->nr = nr;
	slice->call_ns = from_ns;
}

static void clear_call(struct lkst_thread_slice *slice)
{
	slice->in_call = slice->ends_call = false;
	slice->row = slice->nr = -1;
	slice->call_ns = 0;
	slice->ret = 0;
}

/* The call ended where @slice begins, and the slice before did not say so. */
static int tell_return(struct lkst_thread_slices *s, struct lkst_thread_slice *slice,
		       const struct thread_slices_call *c)
{
	if (!s->returned || !c->has_ret || !c->from_ns || c->to_ns != slice->from_ns)
		return 0;
	set_call(slice, c->row, c->nr, c->from_ns);
	slice->to_ns = c->to_ns;
	slice->ends_call = true;
	slice->ret = c->ret;
	return s->returned(s->ctx, slice);
}

/* The part of @slice up to @to_ns in which the thread's finished calls are. */
static int thread_slices_tell_calls(struct lkst_thread_slices *s, const struct thread_slices_thread *t,
				    struct lkst_thread_slice *slice, u64 to_ns)
{
	int err = 0;
	u32 i;

	for (i = 0; i < t->nr_calls && err >= 0; i++) {
		const struct thread_slices_call *c = &t->calls[i];

		if (c->to_ns <= slice->from_ns) {
			err = tell_return(s, slice, c);
			continue;
		}
		clear_call(slice);
		err = thread_slices_tell(s, slice, min_u64(c->from_ns, to_ns));
		if (err < 0 || c->from_ns >= to_ns)
			break;
		set_call(slice, c->row, c->nr, c->from_ns);
		slice->ends_call = c->has_ret && c->to_ns <= to_ns;
		slice->ret = slice->ends_call ? c->ret : 0;
		err = thread_slices_tell(s, slice, min_u64(c->to_ns, to_ns));
	}
	clear_call(slice);
	return err;
}

static void drop_calls(struct thread_slices_thread *t)
{
	free(t->calls);
	t->calls = NULL;
	t->nr_calls = 0;
}

static int thread_slices_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_thread_slices *s = ctx;
	struct thread_slices_thread *t = lkst_vec_reach(s->threads, s->nr_threads, i->life->nr);
	struct lkst_thread_slice slice = { .life = i->life,
					   .run = i->run,
					   .ready = i->ready,
					   .cause = i->wait ? i->wait->cause : 0,
					   .cpu = i->cpu,
					   .waker = i->run == LKST_RUN_READY ? i->waker : NULL };
	const bool is_shared = lkst_thread_life_is_shared(i->life);
	int err;

	if (!t)
		return -ENOMEM;
	slice.from_ns = is_shared ? i->from_ns : thread_slices_max_u64(i->from_ns, t->told_ns);
	err = thread_slices_tell_calls(s, t, &slice, i->to_ns);
	drop_calls(t);
	if (err >= 0 && i->call && !is_shared) {
		err = thread_slices_tell(s, &slice, min_u64(i->call->from_ns, i->to_ns));
		set_call(&slice, i->call->row, i->call->nr, i->call->from_ns);
	}
	if (err >= 0)
		err = thread_slices_tell(s, &slice, i->to_ns);
	t->told_ns = thread_slices_max_u64(t->told_ns, i->to_ns);
	return err;
}

/* ---- taking in ------------------------------------------------------------------------------- */

/* Gives out what is certain of an interval that goes on: a thread that makes calls runs. */
static int tell_early(struct lkst_thread_slices *s, struct thread_slices_thread *t,
		      const struct lkst_thread_life *life)
{
	struct lkst_thread_now now;
	struct lkst_thread_slice slice = { .life = life };
	u64 to_ns = t->calls[t->nr_calls - 1].to_ns;
	int err = 0;

	if (lkst_model_thread(s->model, life->tid, &now) && now.life == life &&
	    now.run == LKST_RUN_RUNNING) {
		slice.run = now.run;
		slice.cpu = now.cpu;
		slice.from_ns = thread_slices_max_u64(thread_slices_max_u64(now.since_ns, t->told_ns),
						      lkst_model_begin(s->model));
		err = thread_slices_tell_calls(s, t, &slice, to_ns);
		t->told_ns = thread_slices_max_u64(slice.from_ns, t->told_ns);
	}
	drop_calls(t);
	return err;
}

/* An exit without its entry is the end of a call in which the thread was when the interval began, if it was in one. */
static int thread_slices_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lkst_thread_slices *s = ctx;
	struct thread_slices_thread *t = lkst_vec_reach(s->threads, s->nr_threads, c->life->nr);
	struct thread_slices_call *added;

	if (!t)
		return -ENOMEM;
	if (c->flags & LKST_INTERVAL_OPEN || lkst_thread_life_is_shared(c->life))
		return 0;
	if (!c->has_entry && (!c->has_exit || t->nr_calls || c->from_ns > t->told_ns))
		return 0;
	added = lkst_vec_add(t->calls, t->nr_calls);
	if (!added)
		return -ENOMEM;
	*added = (struct thread_slices_call){ .from_ns = c->has_entry ? c->from_ns : 0,
				.to_ns = c->to_ns,
				.ret = c->ret,
				.nr = c->call.nr,
				.row = c->call.row,
				.has_ret = c->has_exit };
	return t->nr_calls < CALLS_MAX ? 0 : tell_early(s, t, c->life);
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *lkst_thread_slice_call_name(const struct lkst_thread_slice *slice,
					char text[LKST_CALL_TEXT])
{
	if (slice->row >= 0)
		snprintf(text, LKST_CALL_TEXT, "%s", lkst_syscalls[slice->row].name);
	else if (slice->nr >= 0)
		snprintf(text, LKST_CALL_TEXT, "system call %d", slice->nr);
	else
		snprintf(text, LKST_CALL_TEXT, "system call");
	return text;
}

/* ---- lifetime -------------------------------------------------------------------------------- */

int lkst_thread_slices_new(struct lkst_err *e, struct lkst_model *model,
			   lkst_thread_slice_call *call, lkst_thread_slice_call *returned,
			   void *ctx, struct lkst_thread_slices **ret_slices)
{
	static const struct lkst_model_calls calls = { .interval = thread_slices_on_interval,
						       .call = thread_slices_on_call };
	struct lkst_thread_slices *s = calloc(1, sizeof(*s));

	if (!s || lkst_model_subscribe(model, &calls, s) < 0) {
		free(s);
		return lkst_err_sys(e, -ENOMEM, "exporting");
	}
	s->model = model;
	s->call = call;
	s->returned = returned;
	s->ctx = ctx;
	*ret_slices = s;
	return 0;
}

void lkst_thread_slices_free(struct lkst_thread_slices *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < s->nr_threads; i++)
		free(s->threads[i].calls);
	free(s->threads);
	free(s);
}
