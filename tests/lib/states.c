/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/states.h"

static void states_put(struct states *st, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(st->text + st->used, sizeof(st->text) - st->used, format, args);
	va_end(args);
	if (n > 0 && st->used + (size_t)n < sizeof(st->text))
		st->used += (size_t)n;
}

static void states_tear(struct states *st, const char *what, s64 nr, u64 told_ns, u64 from_ns,
			u64 to_ns)
{
	if (!st->is_torn)
		snprintf(st->tear, sizeof(st->tear), "%s %lld: told up to %llu, then %llu-%llu",
			 what, (long long)nr, (unsigned long long)told_ns,
			 (unsigned long long)from_ns, (unsigned long long)to_ns);
	st->is_torn = true;
}

static void states_put_waker(struct states *st, const struct lkst_waker *w)
{
	if (w->context == LKST_CONTEXT_THREAD)
		states_put(st, "<%d", w->tid);
	else if (w->context == LKST_CONTEXT_IRQ || w->context == LKST_CONTEXT_SOFTIRQ)
		states_put(st, "<%s%d", lkst_context_names[w->context], w->number);
	else
		states_put(st, "<%s", lkst_context_names[w->context]);
}

static int states_interval(void *ctx, const struct lkst_interval *i)
{
	static const char letters[] = "URWBSND";
	struct states *st = ctx;
	u64 *told = &st->thread_ns[i->life->nr];

	if (i->from_ns >= i->to_ns || (*told && *told != i->from_ns))
		states_tear(st, "thread", i->life->tid, *told, i->from_ns, i->to_ns);
	*told = i->to_ns;
	if (i->life->tid != st->tid)
		return 0;
	states_put(st, "%s%c%llu-%llu", st->used ? " " : "", letters[i->run],
		   (unsigned long long)i->from_ns, (unsigned long long)i->to_ns);
	if (i->run == LKST_RUN_RUNNING)
		states_put(st, "@%d", i->cpu);
	if (i->run == LKST_RUN_READY && i->ready == LKST_READY_PREEMPTED)
		states_put(st, "-");
	if (i->run == LKST_RUN_READY && i->ready == LKST_READY_CREATED)
		states_put(st, "+");
	if (i->run == LKST_RUN_READY && i->waker)
		states_put_waker(st, i->waker);
	if (i->run == LKST_RUN_BLOCKED && i->wait->cause)
		states_put(st, "/%s", lkst_cause_names[i->wait->cause]);
	return 0;
}

static int states_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct states *st = ctx;
	u64 *told = &st->cpu_ns[i->cpu];

	if (i->from_ns >= i->to_ns || i->from_ns != (*told ? *told : lkst_model_begin(st->state)))
		states_tear(st, "CPU", i->cpu, *told, i->from_ns, i->to_ns);
	*told = i->to_ns;
	if ((s32)i->cpu != st->cpu)
		return 0;
	states_put(st, "%s", st->used ? " " : "");
	if (i->life)
		states_put(st, "%d", i->life->tid);
	else
		states_put(st, "?");
	states_put(st, ":%llu-%llu", (unsigned long long)i->from_ns, (unsigned long long)i->to_ns);
	if (i->irq_ns)
		states_put(st, "(irq %llu)", (unsigned long long)i->irq_ns);
	if (i->softirq_ns)
		states_put(st, "(softirq %llu)", (unsigned long long)i->softirq_ns);
	return 0;
}

static int states_frame(void *ctx, const struct lkst_irq_context *f)
{
	struct states *st = ctx;

	if (st->wants_frames)
		states_put(st, "%s%s%d:%llu-%llu(%llu)%s", st->used ? " " : "",
			   lkst_context_names[f->context], f->number,
			   (unsigned long long)f->from_ns, (unsigned long long)f->to_ns,
			   (unsigned long long)f->inner_ns, f->is_cut ? "!" : "");
	return 0;
}

static int states_call(void *ctx, const struct lkst_call_interval *c)
{
	struct states *st = ctx;

	if (st->wants_calls)
		states_put(st, "%s%s:%llu-%llu=%lld R%lluW%lluB%llu%s", st->used ? " " : "",
			   c->call.row >= 0 ? lkst_syscalls[c->call.row].name : "?",
			   (unsigned long long)c->from_ns, (unsigned long long)c->to_ns,
			   (long long)c->ret, (unsigned long long)c->running_ns,
			   (unsigned long long)c->ready_ns, (unsigned long long)c->blocked_ns,
			   !c->has_entry ? "?"
			   : c->has_exit ? ""
					 : "!");
	return 0;
}

static const struct lkst_model_calls states_calls = {
	.interval = states_interval,
	.cpu = states_cpu,
	.frame = states_frame,
	.call = states_call,
};

void states_open(struct states *st)
{
	struct lkst_err e = {};

	if (lkst_trace_open(&e, st->dir, &st->trace) || lkst_feed_new(&e, st->trace, &st->feed)) {
		fprintf(stderr, "states_open: %s\n", e.text);
		abort();
	}
}

void states_run(struct states *st)
{
	struct lkst_err e = {};
	u64 begin_ns, end_ns, to_ns;
	u32 i;

	if (!st->state && lkst_model_new(&e, st->feed, &st->state))
		abort();
	if (lkst_model_subscribe(st->state, &states_calls, st) < 0)
		abort();
	if (lkst_feed_run(&e, st->feed)) {
		fprintf(stderr, "states_run: %s\n", e.text);
		abort();
	}
	lkst_trace_range(st->trace, &begin_ns, &end_ns);
	lkst_feed_window(st->feed, &begin_ns, &to_ns);
	if (end_ns > to_ns)
		end_ns = to_ns;
	for (i = 0; i < STATES_CPUS_MAX; i++)
		if (st->cpu_ns[i] && st->cpu_ns[i] != end_ns)
			states_tear(st, "CPU", i, st->cpu_ns[i], end_ns, end_ns);
	st->doubts = *lkst_model_doubts(st->state);
}

void states_close(struct states *st)
{
	lkst_model_free(st->state);
	lkst_feed_free(st->feed);
	lkst_trace_close(st->trace);
	make_scratch_remove(st->dir);
}
