/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU and each thread did along the time of a trace: the state model's intervals, kept by lane. */
#include "analyze/lanes/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/bsearch.h"
#include "base/vec.h"

/* Lanes while they are filled: by CPU, and by life. */
struct lanes_filling {
	struct lkst_lanes *lanes;
	struct lkst_model *model;
	struct lkst_lane *cpus, *threads;
	u32 nr_cpus, nr_threads;
};

static struct lkst_lane *cpu_lane(struct lanes_filling *f, u32 cpu)
{
	return lkst_vec_reach(f->cpus, f->nr_cpus, cpu);
}

/* What is not known of a CPU up to @to_ns is a slice, too. */
static int lanes_fill_up(struct lanes_filling *f, struct lkst_lane *lane, u32 cpu, u64 to_ns)
{
	const struct lkst_slices *s = &lane->slices;
	u64 from_ns = s->nr ? s->list[s->nr - 1].to_ns : f->lanes->begin_ns;

	return lkst_slices_add(&lane->slices, (struct lkst_slice){ .from_ns = from_ns,
								   .to_ns = to_ns,
								   .life = LKST_LIFE_NONE,
								   .state = LKST_LANE_UNKNOWN,
								   .cpu = (s16)cpu });
}

/* ---- moments that concern all lanes ---------------------------------------------------------- */

enum { LANE_MARKS_MAX = 16384 }; /* more are left out */

static int lane_marks_add(struct lkst_lane_marks *m, u64 ns, u16 event, const char *text)
{
	struct lkst_lane_mark *mark;

	if (m->nr == LANE_MARKS_MAX)
		return 0;
	mark = lkst_vec_add(m->list, m->nr);
	if (!mark)
		return -ENOMEM;
	*mark = (struct lkst_lane_mark){ ns, event, text };
	return 0;
}

static int lane_marks_on_record(void *ctx, const struct lkst_record *r, const void *record)
{
	return lane_marks_add(ctx, r->ns, (u16)r->event->index, NULL);
}

/* It is written later than what it says happened. */
static int lane_marks_on_end(void *ctx, const struct lkst_record *r, const void *record)
{
	static const char *const ways[] = {
		"the recording ends here",
		"the recording ends here: the disk was full",
		"the recording ends here: the kernel stopped",
		"the trace ends here: it was cut from one that has no end",
		"a part of the recording ends here; it goes on in the next part",
	};
	const struct lkst_rec_state_end *x = record;

	return lane_marks_add(ctx, x->ended, LKST_EV_state_end,
			      x->how < sizeof(ways) / sizeof(ways[0]) ? ways[x->how] : ways[0]);
}

/* Has @f fill @m, which must stay. 0 or -ENOMEM. */
static int lane_marks_subscribe(struct lkst_lane_marks *m, struct lkst_feed *f)
{
	static const enum lkst_event_index events[] = {
		LKST_EV_incident,   LKST_EV_trigger_fired, LKST_EV_maskset_switch,
		LKST_EV_shed_begin, LKST_EV_shed_end,
	};
	int err = lkst_feed_event(f, LKST_EV_state_end, lane_marks_on_end, m);
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]) && err >= 0; i++)
		err = lkst_feed_event(f, events[i], lane_marks_on_record, m);
	return err < 0 ? err : 0;
}

static int lane_marks_compare(const void *a, const void *b)
{
	const struct lkst_lane_mark *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The pass is over. What happened after @end_ns, the last record, is shown then. */
static void lane_marks_end(struct lkst_lane_marks *m, u64 end_ns)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		if (m->list[i].ns > end_ns)
			m->list[i].ns = end_ns;
	if (m->nr)
		qsort(m->list, m->nr, sizeof(*m->list), lane_marks_compare);
}

static void lane_marks_fini(struct lkst_lane_marks *m)
{
	free(m->list);
	*m = (struct lkst_lane_marks){};
}

/* ---- the model's calls -------------------------------------------------------------------------- */

static int lanes_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct lkst_lane *lane = cpu_lane(ctx, i->cpu);
	struct lkst_slice slice = { .from_ns = i->from_ns,
				    .to_ns = i->to_ns,
				    .life = i->life ? i->life->nr : LKST_LIFE_NONE,
				    .state = LKST_LANE_UNKNOWN,
				    .cpu = (s16)i->cpu };

	if (!lane)
		return -ENOMEM;
	if (i->life)
		slice.state = i->life->idle_cpu >= 0 ? LKST_LANE_IDLE : LKST_LANE_RUNNING;
	return lanes_fill_up(ctx, lane, i->cpu, i->from_ns) ?: lkst_slices_add(&lane->slices, slice);
}

/* Those that interrupted a thread hold all that interrupted them. */
static int lanes_on_frame(void *ctx, const struct lkst_irq_context *f)
{
	u8 interrupted = f->tid > 0 ? LKST_LANE_RUNNING
			 : !f->tid  ? LKST_LANE_IDLE
				    : LKST_LANE_UNKNOWN;
	struct lanes_filling *filling = ctx;
	struct lkst_lane *lane;
	u32 name;

	if (f->depth || f->is_cut || f->has_no_begin)
		return 0;
	lane = cpu_lane(ctx, f->cpu);
	if (!lane || lkst_lane_names_add(&filling->lanes->names,
					 (struct lkst_lane_name){ .context = f->context,
								  .number = f->number,
								  .code = f->code },
					 &name))
		return -ENOMEM;
	return lkst_slices_add(&lane->irqs, (struct lkst_slice){ .from_ns = f->from_ns,
								 .to_ns = f->to_ns,
								 .life = name,
								 .state = interrupted,
								 .detail = f->context,
								 .cpu = (s16)f->cpu });
}

static u8 blocked_on(const struct lkst_wait *wait)
{
	if (!wait)
		return LKST_LANE_BLOCKED;
	switch (wait->cause) {
	case LKST_CAUSE_IO:
	case LKST_CAUSE_SYNC:
		return LKST_LANE_DISK;
	case LKST_CAUSE_LOCK:
	case LKST_CAUSE_FUTEX:
		return LKST_LANE_LOCK;
	default:
		return LKST_LANE_BLOCKED;
	}
}

/* LKST_NR_LANE_STATES: it is not there. */
static u8 lanes_state_of(const struct lkst_interval *i)
{
	switch (i->run) {
	case LKST_RUN_RUNNING:
		return LKST_LANE_RUNNING;
	case LKST_RUN_READY:
		return LKST_LANE_READY;
	case LKST_RUN_BLOCKED:
		return blocked_on(i->wait);
	case LKST_RUN_STOPPED:
		return LKST_LANE_STOPPED;
	case LKST_RUN_NEW:
	case LKST_RUN_DEAD:
		return LKST_NR_LANE_STATES;
	default:
		return LKST_LANE_UNKNOWN;
	}
}

/* What woke the thread of @lane. */
static int add_waking(struct lanes_filling *f, struct lkst_lane *lane, const struct lkst_waker *waker)
{
	const struct lkst_lane_name name = { .context = waker->context,
					     .number = waker->number,
					     .code = waker->code };
	struct lkst_waking waking = {
		.ns = waker->ns, .life = waker->life, .name = UINT32_MAX, .cpu = waker->cpu
	};
	struct lkst_waking *last = lane->nr_wakings ? &lane->wakings[lane->nr_wakings - 1] : NULL;

	if (last && last->ns >= waking.ns)
		return 0;
	if (waker->context != LKST_CONTEXT_THREAD) {
		waking.life = LKST_LIFE_NONE;
		if (lkst_lane_names_add(&f->lanes->names, name, &waking.name))
			return -ENOMEM;
	}
	last = lkst_vec_add(lane->wakings, lane->nr_wakings);
	if (!last)
		return -ENOMEM;
	*last = waking;
	return 0;
}

static int lanes_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lanes_filling *f = ctx;
	u8 state = lanes_state_of(i);
	struct lkst_lane *lane;

	if (i->life->idle_cpu >= 0)
		return 0;
	if (lkst_counts_state(&f->lanes->counts, state, i->from_ns, i->to_ns))
		return -ENOMEM;
	if (i->life->nr >= LKST_LIVES_MAX || state == LKST_NR_LANE_STATES)
		return 0;
	lane = lkst_vec_reach(f->threads, f->nr_threads, i->life->nr);
	if (!lane || (i->waker && add_waking(f, lane, i->waker)))
		return -ENOMEM;
	return lkst_slices_add(&lane->slices,
			       (struct lkst_slice){
				       .from_ns = i->from_ns,
				       .to_ns = i->to_ns,
				       .life = i->life->nr,
				       .state = state,
				       .detail = i->wait ? i->wait->cause : 0,
				       .cpu = i->run == LKST_RUN_RUNNING ? (s16)i->cpu : -1,
			       });
}

/* The lane of a thread, NULL: it has none (0), or there is no memory. */
static struct lkst_lane *thread_lane(struct lanes_filling *f, const struct lkst_thread_life *life,
				     int *ret_err)
{
	struct lkst_lane *lane = NULL;

	*ret_err = 0;
	if (life->idle_cpu >= 0 || life->nr >= LKST_LIVES_MAX)
		return NULL;
	lane = lkst_vec_reach(f->threads, f->nr_threads, life->nr);
	*ret_err = lane ? 0 : -ENOMEM;
	return lane;
}

/* Of a call whose entry or exit was not seen it is not known when the thread was in it. */
static int lanes_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lanes_filling *f = ctx;
	struct lkst_lane *lane;
	u32 name;
	int err;

	if (!c->has_entry || (!c->has_exit && !(c->flags & LKST_INTERVAL_OPEN)))
		return 0;
	lane = thread_lane(f, c->life, &err);
	if (!lane)
		return err;
	if (lkst_lane_names_add(&f->lanes->names,
				(struct lkst_lane_name){ .context = LKST_CONTEXT_THREAD,
							 .number = c->call.nr,
							 .code = (u64)(c->call.row + 1) },
				&name))
		return -ENOMEM;
	return lkst_slices_add(&lane->calls, (struct lkst_slice){ .from_ns = c->from_ns,
								  .to_ns = c->to_ns,
								  .life = name,
								  .state = LKST_LANE_RUNNING,
								  .cpu = -1 });
}

static int lanes_on_fault(void *ctx, const struct lkst_fault_interval *i)
{
	int err;
	struct lkst_lane *lane = thread_lane(ctx, i->life, &err);

	if (!lane)
		return err;
	return lkst_slices_add(&lane->faults, (struct lkst_slice){ .from_ns = i->from_ns,
								   .to_ns = i->to_ns,
								   .life = LKST_LIFE_NONE,
								   .state = LKST_LANE_RUNNING,
								   .cpu = -1 });
}

static int lanes_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lanes_filling *f = ctx;

	if (lkst_buffer_is_of_kernel(gap->buffer))
		lkst_gaps_add(&f->lanes->gaps, gap);
	return 0;
}

/* ---- after the pass ----------------------------------------------------------------------------- */

static int take_lane(struct lkst_lanes *lanes, u8 kind, u32 number, struct lkst_lane *from)
{
	struct lkst_lane *lane = lkst_vec_add(lanes->list, lanes->nr);

	if (!lane)
		return -ENOMEM;
	*lane = *from;
	*from = (struct lkst_lane){};
	lane->kind = kind;
	lane->number = number;
	return lkst_slices_index(&lane->slices) ?: lkst_slices_index(&lane->irqs);
}

/* A thread that nothing is known of all the time has no lane. */
static bool lanes_is_known(const struct lkst_lane *lane)
{
	u32 i;

	for (i = 0; i < lane->slices.nr; i++)
		if (lane->slices.list[i].state != LKST_LANE_UNKNOWN)
			return true;
	return false;
}

static int take_lanes(struct lanes_filling *f)
{
	u32 i;
	int err = 0;

	for (i = 0; i < f->nr_cpus && !err; i++)
		if (f->cpus[i].slices.nr)
			err = lanes_fill_up(f, &f->cpus[i], i, f->lanes->end_ns)
				      ?: take_lane(f->lanes, LKST_LANE_OF_CPU, i, &f->cpus[i]);
	for (i = 0; i < f->nr_threads && !err; i++)
		if (lanes_is_known(&f->threads[i]))
			err = take_lane(f->lanes, LKST_LANE_OF_THREAD, i, &f->threads[i]);
	return err;
}

static u64 running_ns(const struct lkst_slices *s)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < s->nr; i++)
		if (s->list[i].state == LKST_LANE_RUNNING)
			ns += s->list[i].to_ns - s->list[i].from_ns;
	return ns;
}

static int take_threads(struct lanes_filling *f)
{
	u32 nr = lkst_model_nr_lives(f->model), i;
	struct lkst_lanes *lanes = f->lanes;

	lanes->threads = calloc(nr ?: 1, sizeof(*lanes->threads));
	if (!lanes->threads)
		return -ENOMEM;
	lanes->nr_threads = nr;
	for (i = 0; i < nr; i++) {
		const struct lkst_thread_life *life = lkst_model_life(f->model, i);
		struct lkst_lane_thread *thread = &lanes->threads[i];

		thread->tid = life->tid;
		thread->pid = life->pid;
		thread->is_kernel = life->is_kernel;
		memcpy(thread->comm, life->comm, sizeof(thread->comm));
	}
	for (i = 0; i < lanes->nr; i++)
		if (lanes->list[i].kind == LKST_LANE_OF_THREAD && lanes->list[i].number < nr)
			lanes->threads[lanes->list[i].number].running_ns =
				running_ns(&lanes->list[i].slices);
	return 0;
}

static void lane_fini(struct lkst_lane *lane)
{
	lkst_slices_fini(&lane->slices);
	lkst_slices_fini(&lane->irqs);
	lkst_slices_fini(&lane->calls);
	lkst_slices_fini(&lane->faults);
	free(lane->wakings);
}

static void lanes_filling_fini(struct lanes_filling *f)
{
	u32 i;

	for (i = 0; i < f->nr_cpus; i++)
		lane_fini(&f->cpus[i]);
	for (i = 0; i < f->nr_threads; i++)
		lane_fini(&f->threads[i]);
	free(f->cpus);
	free(f->threads);
}

/* Makes ready for the pass, in which the analyses report what they count. */
static int lanes_begin(struct lkst_err *e, struct lkst_trace *t, struct lanes_filling *f,
		       struct lkst_analysis_run **ret_run)
{
	static const struct lkst_model_calls calls = { .interval = lanes_on_interval,
						       .cpu = lanes_on_cpu,
						       .frame = lanes_on_frame,
						       .call = lanes_on_call,
						       .fault = lanes_on_fault };
	static const struct lkst_analysis *const analyses[] = {
		&lkst_analysis_bioqueue,
		&lkst_analysis_netsize,
		&lkst_analysis_runqueue,
	};
	const struct lkst_analysis_options options = { .to_ns = UINT64_MAX,
						       .change = lkst_counts_change,
						       .change_arg = &f->lanes->counts,
						       .needs_state = true };
	int err = lkst_analysis_run_new(e, t, &options, analyses,
					sizeof(analyses) / sizeof(analyses[0]), ret_run);

	if (err)
		return err;
	f->model = lkst_analysis_run_model(*ret_run);
	err = lkst_model_subscribe(f->model, &calls, f);
	if (err >= 0)
		err = lkst_feed_gaps(lkst_analysis_run_feed(*ret_run), lanes_on_gap, f);
	if (err >= 0)
		err = lane_marks_subscribe(&f->lanes->marks, lkst_analysis_run_feed(*ret_run));
	if (err >= 0)
		err = lkst_counts_subscribe(&f->lanes->counts, lkst_analysis_run_feed(*ret_run));
	if (err >= 0)
		err = lkst_lane_spans_subscribe(e, &f->lanes->spans, lkst_analysis_run_feed(*ret_run),
						lkst_analysis_run_threads(*ret_run));
	return err < 0 ? lkst_err_sys(e, err, "drawing") : 0;
}

static void lanes_say_limited(struct lkst_lanes *lanes, const struct lkst_limited *limited)
{
	bool all[LKST_EVENT_SPACE];

	memset(all, true, sizeof(all));
	if (!lkst_limited_is(limited, all, lanes->begin_ns, lanes->end_ns, lanes->limited))
		lanes->limited[0] = '\0';
}

int lkst_lanes_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_lanes **ret_lanes)
{
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *run = NULL;
	_cleanup_(lkst_limited_freep) struct lkst_limited *limited = NULL;
	_cleanup_(lkst_lanes_freep) struct lkst_lanes *lanes = calloc(1, sizeof(*lanes));
	_cleanup_(lanes_filling_fini) struct lanes_filling f = { .lanes = lanes };
	int err;

	if (!lanes)
		return lkst_err_sys(e, -ENOMEM, "drawing");
	lkst_trace_range(t, &lanes->begin_ns, &lanes->end_ns);
	lanes->counts.places.max = LKST_COUNTS_MAX;
	lanes->names.places.max = LKST_LANE_NAMES_MAX;
	if (lkst_gaps_init(&lanes->gaps, LKST_LANES_GAPS_MAX))
		return lkst_err_sys(e, -ENOMEM, "drawing");
	err = lanes_begin(e, t, &f, &run) ?: lkst_analysis_run_pass(e, run);
	if (err)
		return err;
	err = lkst_limited_new(e, t, &limited);
	if (err)
		return err;
	lanes_say_limited(lanes, limited);
	err = take_lanes(&f) ?: take_threads(&f) ?: lkst_lane_spans_end(&lanes->spans)
	      ?: lkst_counts_end(&lanes->counts, lkst_analysis_run_labels(run), &lanes->gaps, limited,
				 lanes->begin_ns, lanes->end_ns);
	if (err)
		return lkst_err_sys(e, err, "drawing");
	lkst_lane_names_fill(&lanes->names, lkst_analysis_run_labels(run),
			     lkst_analysis_run_symbols(run));
	lane_marks_end(&lanes->marks, lanes->end_ns);
	*ret_lanes = lkst_take(lanes);
	return 0;
}

void lkst_lanes_free(struct lkst_lanes *lanes)
{
	u32 i;

	if (!lanes)
		return;
	for (i = 0; i < lanes->nr; i++)
		lane_fini(&lanes->list[i]);
	lkst_gaps_fini(&lanes->gaps);
	lkst_counts_fini(&lanes->counts);
	lkst_lane_names_fini(&lanes->names);
	lane_marks_fini(&lanes->marks);
	lkst_lane_spans_fini(&lanes->spans);
	free(lanes->list);
	free(lanes->threads);
	free(lanes);
}

int lkst_lane_shares(const struct lkst_lane *lane, s64 from_ns, s64 to_ns, u32 nr,
		     struct lkst_shares *ret_shares)
{
	_cleanup_free_ struct lkst_shares *irqs = NULL;
	u32 i, k;

	lkst_slices_shares(&lane->slices, from_ns, to_ns, nr, ret_shares);
	if (!lane->irqs.nr)
		return 0;
	irqs = calloc(nr, sizeof(*irqs));
	if (!irqs)
		return -ENOMEM;
	lkst_slices_shares(&lane->irqs, from_ns, to_ns, nr, irqs);
	for (i = 0; i < nr; i++)
		for (k = 0; k < LKST_NR_LANE_STATES; k++) {
			u16 *of = &ret_shares[i].of[k], irq = irqs[i].of[k];
			u16 *sum = &ret_shares[i].of[LKST_LANE_IRQ];

			irq = irq < *of ? irq : *of;
			*of -= irq;
			/* Shares are rounded: those of two halves are more than the whole. */
			*sum = *sum + irq < UINT16_MAX ? *sum + irq : UINT16_MAX;
		}
	return 0;
}

u32 lkst_lane_waking_at(const struct lkst_lane *lane, u64 ns)
{
	return (u32)lkst_lower_bound(i, lane->nr_wakings, lane->wakings[i].ns < ns);
}
