// SPDX-License-Identifier: GPL-2.0-only
/* The figures of a stretch of time: what the state model reports, added up. */
#include "analyze/top/figures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/naming.h"
#include "analyze/engine/pending.h"
#include "analyze/engine/request.h"
#include "base/bsearch.h"
#include "base/vec.h"

const char *const lkst_blocked_on_names[] = {
	[LKST_BLOCKED_DISK] = "disk",
	[LKST_BLOCKED_LOCK] = "lock",
	[LKST_BLOCKED_SLEEP] = "sleep",
	[LKST_BLOCKED_OTHER] = "other",
};
_Static_assert(sizeof(lkst_blocked_on_names) / sizeof(char *) == LKST_NR_BLOCKED_ON,
	       "a name per group");

enum {
	DISKS_MAX = 4096,
	IRQS_MAX = 4096,
	MINOR_BITS = 20, /* of a device's number */
};

/* The pass. */
struct gathering {
	struct lkst_figures *f;
	const struct lkst_figures_options *options;
	struct lkst_feed *feed;
	struct lkst_model *model;
	struct lkst_labels labels;
	struct lkst_thread_figures *lives; /* by life */
	u32 nr_lives;
	struct lkst_pending requests; /* by request: since when it is at the driver */
	struct lkst_worst_options worst_options;
	struct lkst_worst_search *worst;
	struct lkst_limited *limited;
};

enum lkst_blocked_on lkst_blocked_on(enum lkst_cause cause)
{
	switch (cause) {
	case LKST_CAUSE_IO:
	case LKST_CAUSE_SYNC:
		return LKST_BLOCKED_DISK;
	case LKST_CAUSE_LOCK:
	case LKST_CAUSE_FUTEX:
		return LKST_BLOCKED_LOCK;
	case LKST_CAUSE_SLEEP:
		return LKST_BLOCKED_SLEEP;
	default:
		return LKST_BLOCKED_OTHER;
	}
}

/* ---- threads --------------------------------------------------------------------------- */

/* What the stretch before has of the thread. The records show if its number was given out again since. */
static const struct lkst_thread_figures *before(const struct gathering *g,
						const struct lkst_thread_life *life)
{
	const struct lkst_figures *f = g->options->before;
	size_t at = f ? lkst_lower_bound(i, f->nr_threads, f->threads[i].tid < life->tid) : 0;

	for (; f && at < f->nr_threads && f->threads[at].tid == life->tid; at++)
		if (!f->threads[at].is_over && f->threads[at].pid == life->pid)
			return &f->threads[at];
	return NULL;
}

/* What it waits for: if that began before what the trace shows, the stretch before may have seen it. */
static u8 cause_of(const struct gathering *g, const struct lkst_interval *i)
{
	const struct lkst_thread_figures *t;

	if (i->wait->cause != LKST_CAUSE_UNKNOWN || i->from_ns > g->options->from_ns)
		return i->wait->cause;
	t = before(g, i->life);
	return t && t->run == LKST_RUN_BLOCKED ? t->cause : LKST_CAUSE_UNKNOWN;
}

/* How much of a time lies in the stretch: in a damaged trace a gap may end long after the last record. */
static u64 inside(const struct lkst_figures_options *o, u64 from_ns, u64 to_ns)
{
	from_ns = from_ns > o->from_ns ? from_ns : o->from_ns;
	to_ns = to_ns <= o->to_ns ? to_ns : o->to_ns + 1;
	return from_ns < to_ns ? to_ns - from_ns : 0;
}

/* What is known only from what came later is none of the longest. */
static void figures_add_ready(struct lkst_thread_figures *t, const struct lkst_interval *i, u64 ns)
{
	t->ready_ns += ns;
	if (ns > t->ready_max_ns && i->ready != LKST_READY_UNKNOWN)
		t->ready_max_ns = ns;
}

static int figures_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct gathering *g = ctx;
	u64 ns = inside(g->options, i->from_ns, i->to_ns);
	struct lkst_thread_figures *t;

	if (i->life->idle_cpu >= 0)
		return 0;
	t = lkst_vec_reach(g->lives, g->nr_lives, i->life->nr);
	if (!t)
		return -ENOMEM;
	t->run = i->run;
	switch (i->run) {
	case LKST_RUN_RUNNING:
		t->running_ns += ns;
		t->nr_runs += !(i->flags & LKST_INTERVAL_EARLIER);
		t->cpu = i->cpu + 1;
		break;
	case LKST_RUN_READY:
		figures_add_ready(t, i, ns);
		break;
	case LKST_RUN_BLOCKED:
		t->cause = cause_of(g, i);
		t->blocked_ns[t->cause] += ns;
		break;
	case LKST_RUN_STOPPED:
		t->stopped_ns += ns;
		break;
	case LKST_RUN_UNKNOWN:
		t->unknown_ns += ns;
		break;
	default:
		break;
	}
	return 0;
}

u64 lkst_figures_blocked(const struct lkst_thread_figures *t, enum lkst_blocked_on on)
{
	u64 ns = 0;
	unsigned int i;

	for (i = 0; i < LKST_NR_CAUSES; i++)
		ns += lkst_blocked_on((enum lkst_cause)i) == on ? t->blocked_ns[i] : 0;
	return ns;
}

u64 lkst_figures_blocked_all(const struct lkst_thread_figures *t)
{
	u64 ns = 0;
	unsigned int i;

	for (i = 0; i < LKST_NR_CAUSES; i++)
		ns += t->blocked_ns[i];
	return ns;
}

unsigned int lkst_figures_longest_cause(const struct lkst_thread_figures *t)
{
	unsigned int longest = LKST_NR_CAUSES, i;
	u64 ns = 0;

	for (i = 0; i < LKST_NR_CAUSES; i++)
		if (t->blocked_ns[i] > ns) {
			longest = i;
			ns = t->blocked_ns[i];
		}
	return longest;
}

/* ---- CPUs and interrupts ----------------------------------------------------------------- */

static int figures_on_cpu(void *ctx, const struct lkst_cpu_interval *i)
{
	struct gathering *g = ctx;
	struct lkst_cpu_figures *cpu = lkst_vec_reach(g->f->cpus, g->f->nr_cpus, i->cpu);
	u64 ns = inside(g->options, i->from_ns, i->to_ns), interrupts_ns = i->irq_ns + i->softirq_ns;

	if (!cpu)
		return -ENOMEM;
	if (!i->life) {
		cpu->unknown_ns += ns;
		return 0;
	}
	ns = ns > interrupts_ns ? ns - interrupts_ns : 0;
	cpu->irq_ns += i->irq_ns;
	cpu->softirq_ns += i->softirq_ns;
	if (i->life->idle_cpu >= 0)
		cpu->idle_ns += ns;
	else
		cpu->threads_ns += ns;
	return 0;
}

/* NULL: *@err, or with that 0, there are too many kinds. */
static struct lkst_irq_figures *irq_of(struct lkst_figures *f, u8 context, u32 number, int *err)
{
	struct lkst_irq_figures *irq;
	u32 i;

	*err = 0;
	for (i = 0; i < f->nr_irqs; i++)
		if (f->irqs[i].context == context && f->irqs[i].number == number)
			return &f->irqs[i];
	if (f->nr_irqs == IRQS_MAX)
		return NULL;
	irq = lkst_vec_add(f->irqs, f->nr_irqs);
	if (!irq) {
		*err = -ENOMEM;
		return NULL;
	}
	irq->context = context;
	irq->number = number;
	return irq;
}

static int figures_on_frame(void *ctx, const struct lkst_irq_context *c)
{
	u32 number = c->context == LKST_CONTEXT_VECTOR ? (u32)c->code
		     : c->context == LKST_CONTEXT_IRQ || c->context == LKST_CONTEXT_SOFTIRQ
			     ? (u32)c->number
			     : 0;
	u64 ns = c->to_ns - c->from_ns;
	struct gathering *g = ctx;
	struct lkst_irq_figures *irq;
	int err;

	irq = irq_of(g->f, c->context, number, &err);
	if (!irq)
		return err;
	if (c->has_no_begin || c->is_cut) {
		irq->nr_partial++;
		return 0;
	}
	ns = ns > c->inner_ns ? ns - c->inner_ns : 0;
	irq->count++;
	irq->ns += ns;
	if (ns > irq->worst_ns)
		irq->worst_ns = ns;
	return 0;
}

/* ---- disks ------------------------------------------------------------------------------- */

static struct lkst_disk_figures *figures_disk_of(struct lkst_figures *f, u32 dev, int *err)
{
	struct lkst_disk_figures *disk;
	u32 i;

	*err = 0;
	for (i = 0; i < f->nr_disks; i++)
		if (f->disks[i].dev == dev)
			return &f->disks[i];
	if (f->nr_disks == DISKS_MAX)
		return NULL;
	disk = lkst_vec_add(f->disks, f->nr_disks);
	if (disk)
		disk->dev = dev;
	else
		*err = -ENOMEM;
	return disk;
}

/* The time of a request that was sent before begins with the first time. */
static int figures_on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *x = record;
	u64 request = lkst_request_pack(x->dev, x->flags, x->bytes);
	struct lkst_pending_entry *entry;
	struct gathering *g = ctx;
	int got = lkst_pending_put(&g->requests, x->rq, &entry);

	if (got <= 0)
		return got;
	if (!entry->start_ns || !lkst_request_is_requeued(entry->value))
		entry->start_ns = r->ns;
	entry->value = request;
	return 0;
}

static int figures_on_requeue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_requeue *x = record;
	struct gathering *g = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&g->requests, x->rq);

	if (entry)
		entry->value = lkst_request_requeue(entry->value);
	return 0;
}

/* It became part of another, which has its own time. */
static int figures_on_merge(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_merge *x = record;
	struct gathering *g = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&g->requests, x->rq);

	if (entry)
		lkst_pending_remove(&g->requests, entry);
	return 0;
}

static int figures_on_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *x = record;
	struct gathering *g = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&g->requests, x->rq);
	struct lkst_disk_figures *disk = NULL;
	bool is_known;
	int err = 0;

	if (r->ns >= g->options->from_ns)
		disk = figures_disk_of(g->f, x->dev, &err);
	if (disk)
		disk->bytes += x->bytes;
	if (entry && !lkst_request_complete(&entry->value, x->bytes))
		return err;
	/* Where some were left out since, it may be another one at the same address. */
	is_known = entry && !lkst_limited_crosses(g->limited, r->event->id, entry->start_ns, r->ns);
	if (disk && is_known) {
		u64 ns = r->ns - entry->start_ns;

		disk->requests++;
		disk->sum_ns += ns;
		disk->worst_ns = ns > disk->worst_ns ? ns : disk->worst_ns;
	} else if (disk) {
		disk->no_begin++;
	}
	if (entry)
		lkst_pending_remove(&g->requests, entry);
	return err;
}

static int figures_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct gathering *g = ctx;

	if (!lkst_buffer_is_of_kernel(gap->buffer) || gap->buffer == LKST_BUFFER_LIFE ||
	    gap->from_ns >= g->options->to_ns)
		return 0;
	/* What became of the requests in it is not known. */
	lkst_pending_fini(&g->requests);
	g->f->gaps += gap->to_ns > g->options->from_ns;
	return 0;
}

static int subscribe_disks(struct gathering *g)
{
	static const struct {
		enum lkst_event_index index;
		lkst_feed_call *call;
	} wanted[] = {
		{ LKST_EV_block_rq_issue, figures_on_issue },
		{ LKST_EV_block_rq_requeue, figures_on_requeue },
		{ LKST_EV_block_rq_merge, figures_on_merge },
		{ LKST_EV_block_rq_complete, figures_on_complete },
	};
	unsigned int i;
	int err;

	lkst_feed_always(g->feed, true);
	err = lkst_feed_gaps(g->feed, figures_on_gap, g);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && err >= 0; i++)
		err = lkst_feed_event(g->feed, wanted[i].index, wanted[i].call, g);
	lkst_feed_always(g->feed, false);
	return err < 0 ? err : 0;
}

/* ---- the ledger ---------------------------------------------------------------------------- */

static int figures_on_loss(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_loss *x = record;
	struct gathering *g = ctx;

	if (x->cause < LKST_LOSS_NR)
		g->f->lost[x->cause] += x->count;
	return 0;
}

static int figures_on_skipped(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_skipped *x = record;
	struct gathering *g = ctx;

	g->f->skipped += x->count;
	return 0;
}

static int figures_on_end(void *ctx, u64 end_ns)
{
	struct gathering *g = ctx;

	g->f->to_ns = end_ns;
	return 0;
}

static int figures_subscribe(struct gathering *g)
{
	static const struct lkst_model_calls calls = { .interval = figures_on_interval,
						       .cpu = figures_on_cpu,
						       .frame = figures_on_frame };
	int err = lkst_model_subscribe(g->model, &calls, g);

	if (err >= 0)
		err = lkst_labels_subscribe(&g->labels, g->feed);
	if (err >= 0)
		err = subscribe_disks(g);
	if (err >= 0)
		err = lkst_feed_event(g->feed, LKST_EV_state_loss, figures_on_loss, g);
	if (err >= 0)
		err = lkst_feed_event(g->feed, LKST_EV_state_skipped, figures_on_skipped, g);
	return err < 0 ? err : lkst_feed_end(g->feed, figures_on_end, g);
}

/* ---- after the pass ------------------------------------------------------------------------ */

static bool figures_is_there(const struct lkst_thread_figures *t)
{
	return t->running_ns || t->ready_ns || t->stopped_ns || t->unknown_ns ||
	       lkst_figures_blocked_all(t);
}

static int figures_by_tid(const void *a, const void *b)
{
	const struct lkst_thread_figures *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int figures_put_threads(struct gathering *g)
{
	struct lkst_figures *f = g->f;
	u32 i;

	for (i = 0; i < g->nr_lives; i++) {
		const struct lkst_thread_life *life = lkst_model_life(g->model, i);
		struct lkst_thread_figures *t;

		if (!life || !figures_is_there(&g->lives[i]))
			continue;
		t = lkst_vec_add(f->threads, f->nr_threads);
		if (!t)
			return -ENOMEM;
		*t = g->lives[i];
		t->tid = life->tid;
		t->pid = life->pid;
		memcpy(t->comm, life->comm, sizeof(t->comm));
		t->cgroup = lkst_model_cgroup(g->model, life);
		t->is_kernel = life->is_kernel;
		t->is_over = life->is_over;
		t->cpu--;
		t->nr_threads = 1;
	}
	if (f->nr_threads)
		qsort(f->threads, f->nr_threads, sizeof(*f->threads), figures_by_tid);
	return 0;
}

static int figures_put_disks(struct gathering *g)
{
	const struct lkst_pending_entry *entry;
	struct lkst_disk_figures *disk;
	const char *name;
	u32 i = 0;
	int err;

	while ((entry = lkst_pending_next(&g->requests, &i))) {
		disk = figures_disk_of(g->f, lkst_request_disk(entry->value), &err);
		if (err)
			return err;
		if (disk)
			disk->in_flight++;
	}
	for (i = 0; i < g->f->nr_disks; i++) {
		disk = &g->f->disks[i];
		name = lkst_labels_find(&g->labels, LKST_LABEL_DISK, disk->dev);
		if (name)
			snprintf(disk->name, sizeof(disk->name), "%s", name);
		else
			snprintf(disk->name, sizeof(disk->name), "%u,%u", disk->dev >> MINOR_BITS,
				 disk->dev & ((1U << MINOR_BITS) - 1));
	}
	return 0;
}

static int figures_by_time(const void *a, const void *b)
{
	const struct lkst_irq_figures *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void name_irqs(struct gathering *g)
{
	u32 i;

	for (i = 0; i < g->f->nr_irqs; i++) {
		struct lkst_irq_figures *irq = &g->f->irqs[i];

		if (irq->context == LKST_CONTEXT_IRQ)
			lkst_name_irq(&g->labels, (s32)irq->number, irq->name);
		else if (irq->context == LKST_CONTEXT_VECTOR)
			lkst_name_vector(irq->number, irq->name);
		else if (irq->context == LKST_CONTEXT_SOFTIRQ)
			lkst_name_softirq(irq->number, irq->name);
		else
			snprintf(irq->name, sizeof(irq->name), "%s",
				 irq->context < LKST_NR_CONTEXTS ? lkst_context_names[irq->context]
								 : "?");
	}
	if (g->f->nr_irqs)
		qsort(g->f->irqs, g->f->nr_irqs, sizeof(*g->f->irqs), figures_by_time);
}

static void figures_put_limited(struct lkst_figures *f, const struct lkst_limited *limited)
{
#define HARD "irq_handler_* local_timer_* reschedule_* call_function_* nmi_handler"
#define SOFT "softirq_* tasklet_* timer_expire_* hrtimer_expire_*"
	static const char *const events[LKST_NR_FIGURES_PARTS] = {
		[LKST_FIGURES_ANY] = "*",
		[LKST_FIGURES_CALLS] = "syscall_*",
		[LKST_FIGURES_IRQS] = HARD " " SOFT,
		[LKST_FIGURES_HARD] = HARD,
		[LKST_FIGURES_SOFT] = SOFT,
		[LKST_FIGURES_DISKS] = "block_rq_*",
		[LKST_FIGURES_LOCKS] = "contention_*",
	};
#undef HARD
#undef SOFT
	unsigned int i;

	for (i = 0; i < LKST_NR_FIGURES_PARTS; i++) {
		bool wants[LKST_EVENT_SPACE] = {};

		lkst_limited_match(limited, events[i], wants);
		if (!lkst_limited_is(limited, wants, f->from_ns, f->to_ns, f->limited[i]))
			f->limited[i][0] = '\0';
	}
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void gathering_fini(struct gathering *g)
{
	lkst_worst_search_free(g->worst);
	lkst_model_free(g->model);
	lkst_feed_free(g->feed);
	lkst_limited_free(g->limited);
	lkst_labels_fini(&g->labels);
	lkst_pending_fini(&g->requests);
	free(g->lives);
}

static int figures_gather(struct lkst_err *e, struct gathering *g, struct lkst_trace *t)
{
	int err = lkst_feed_new(e, t, &g->feed);

	if (err)
		return err;
	lkst_feed_limit(g->feed, g->options->from_ns, g->options->to_ns);
	g->f->known = lkst_threads_new();
	if (!g->f->known || lkst_feed_threads(g->feed, g->f->known))
		return lkst_err_sys(e, -ENOMEM, "adding up");
	err = lkst_limited_new(e, t, &g->limited) ?: lkst_model_new(e, g->feed, &g->model)
		      ?: lkst_worst_search_new(e, g->model, &g->worst_options, &g->worst);
	if (err)
		return err;
	lkst_model_know_cgroups(g->model, g->f->known);
	err = figures_subscribe(g);
	if (err < 0)
		return lkst_err_sys(e, err, "adding up");
	err = lkst_feed_run(e, g->feed);
	if (err)
		return err;
	g->f->from_ns = lkst_model_begin(g->model);
	/* The records may end before the stretch begins. */
	if (g->f->to_ns < g->f->from_ns)
		g->f->to_ns = g->f->from_ns;
	g->f->records = lkst_feed_window_records(g->feed);
	g->f->has_worst = lkst_worst_search_result(g->worst, &g->f->worst);
	name_irqs(g);
	figures_put_limited(g->f, g->limited);
	err = figures_put_threads(g) ?: figures_put_disks(g);
	return err ? lkst_err_sys(e, err, "adding up") : 0;
}

int lkst_figures_new(struct lkst_err *e, struct lkst_trace *t,
		     const struct lkst_figures_options *options, struct lkst_figures **ret_figures)
{
	_cleanup_(lkst_figures_freep) struct lkst_figures *f = calloc(1, sizeof(*f));
	_cleanup_(gathering_fini) struct gathering g = {
		.f = f,
		.options = options,
		.worst_options = { .kind = LKST_WORST_SYSCALL,
				   .from_ns = options->from_ns,
				   .to_ns = options->to_ns,
				   .trace = t },
	};
	int err;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "adding up");
	err = figures_gather(e, &g, t);
	if (!err)
		*ret_figures = lkst_take(f);
	return err;
}

void lkst_figures_free(struct lkst_figures *f)
{
	if (!f)
		return;
	free(f->threads);
	lkst_threads_free(f->known);
	free(f->cpus);
	free(f->irqs);
	free(f->disks);
	free(f);
}
