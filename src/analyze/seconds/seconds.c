/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts what a recording did in each second. */
#include "analyze/seconds/seconds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/request.h"
#include "base/hash.h"
#include "base/vec.h"

enum {
	/* What is remembered, at most; what comes beyond is counted as left out. */
	THREADS_MAX = 1 << 16,
	REQUESTS_MAX = 1 << 14,
	CGROUPS_MAX = 256,
	IRQS_MAX = 8,  /* within each other */
	LOCKS_MAX = 4, /* that one thread waits for at a time: spinning on its way to another */
	STATE_DEAD = 0x10 | 0x20 | 0x80, /* of TASK_*, include/linux/sched.h */
};

const char *const lkst_measure_names[] = {
	"runqueue", "syscall", "lock", "disk", "irq", "softirq"
};
_Static_assert(sizeof(lkst_measure_names) / sizeof(lkst_measure_names[0]) == LKST_NR_MEASURES, "");

/* What is to be done for an event; by its id, so that it is looked up once. */
enum plan {
	PLAN_NEW, /* not looked up yet */
	PLAN_COUNT,
	PLAN_SWITCH,
	PLAN_WAKING,
	PLAN_WAKEUP,
	PLAN_WAKEUP_NEW,
	PLAN_ENTRY,
	PLAN_EXIT,
	PLAN_IRQ_ENTRY,
	PLAN_IRQ_EXIT,
	PLAN_VECTOR_ENTRY,
	PLAN_VECTOR_EXIT,
	PLAN_SOFTIRQ_ENTRY,
	PLAN_SOFTIRQ_EXIT,
	PLAN_ISSUE,
	PLAN_REQUEUE,
	PLAN_MERGE,
	PLAN_COMPLETE,
	PLAN_LOCK,
	PLAN_LOCKED,
	PLAN_DOUBT,
};

enum run { RUN_UNKNOWN, RUN_RUNNING, RUN_READY, RUN_ASLEEP };

struct seconds_thread {
	u64 key;      /* its number */
	u64 since_ns; /* of `run` */
	u64 call_ns;
	u16 call;	 /* the id of the entry, 0: it is in none that is known */
	u8 run;		 /* enum run */
	bool is_pending; /* it was woken while it ran, and may sleep still */
};

struct irq {
	u8 plan; /* of its entry */
	u32 number;
	u64 from_ns, inner_ns;
};

struct seconds_cpu {
	u64 at_ns; /* up to there its time is counted */
	s32 tid;   /* -1: not known */
	u32 depth;
	struct seconds_thread *thread; /* found last, until an entry is added or removed; NULL: none */
	struct irq irqs[IRQS_MAX];
};

struct seconds_request {
	u64 key; /* its address */
	u64 from_ns;
	u64 packed;
};

/* The locks that a thread waits for. */
struct locks {
	u64 key; /* the thread */
	u32 nr;
	struct {
		u64 lock, from_ns, inner_ns;
	} list[LOCKS_MAX];
};

struct lkst_seconds {
	struct lkst_seconds_options options;
	u8 plans[LKST_EVENT_SPACE];
	u64 doubt_ns; /* durations that began before are not known to belong to their ends */
	struct seconds_cpu *cpus;
	u32 nr_room, nr_cpus; /* those that there is room for, and that there are */
	struct lkst_hash threads, requests, locks;
	struct lkst_hist *calls; /* of this second, by the id of their entries */
	struct lkst_second second;
	int error;
};

/* ---- what events mean ------------------------------------------------------------------------ */

static enum plan plan_of_index(s16 index)
{
	switch (index) {
	case LKST_EV_sched_switch:
		return PLAN_SWITCH;
	case LKST_EV_sched_waking:
		return PLAN_WAKING;
	case LKST_EV_sched_wakeup:
		return PLAN_WAKEUP;
	case LKST_EV_sched_wakeup_new:
		return PLAN_WAKEUP_NEW;
	case LKST_EV_irq_handler_entry:
		return PLAN_IRQ_ENTRY;
	case LKST_EV_irq_handler_exit:
		return PLAN_IRQ_EXIT;
	case LKST_EV_local_timer_entry:
	case LKST_EV_reschedule_entry:
	case LKST_EV_call_function_entry:
	case LKST_EV_call_function_single_entry:
		return PLAN_VECTOR_ENTRY;
	case LKST_EV_local_timer_exit:
	case LKST_EV_reschedule_exit:
	case LKST_EV_call_function_exit:
	case LKST_EV_call_function_single_exit:
		return PLAN_VECTOR_EXIT;
	case LKST_EV_softirq_entry:
		return PLAN_SOFTIRQ_ENTRY;
	case LKST_EV_softirq_exit:
		return PLAN_SOFTIRQ_EXIT;
	case LKST_EV_block_rq_issue:
		return PLAN_ISSUE;
	case LKST_EV_block_rq_requeue:
		return PLAN_REQUEUE;
	case LKST_EV_block_rq_merge:
		return PLAN_MERGE;
	case LKST_EV_block_rq_complete:
		return PLAN_COMPLETE;
	case LKST_EV_contention_begin:
		return PLAN_LOCK;
	case LKST_EV_contention_end:
		return PLAN_LOCKED;
	/* From here on other events are recorded: a begin and the next end may be of different things. */
	case LKST_EV_shed_begin:
	case LKST_EV_shed_end:
	case LKST_EV_maskset_switch:
	case LKST_EV_maskset_settled:
		return PLAN_DOUBT;
	default:
		return PLAN_COUNT;
	}
}

static enum plan seconds_plan_of(const struct lkst_event_class *event)
{
	if (lkst_class_call(event))
		return event->half == LKST_HALF_ENTRY  ? PLAN_ENTRY
		       : event->half == LKST_HALF_EXIT ? PLAN_EXIT
						       : PLAN_COUNT;
	/* One that another program has laid out otherwise is only counted. */
	return event->is_native ? plan_of_index(event->index) : PLAN_COUNT;
}

/* ---- durations ------------------------------------------------------------------------------- */

static void seconds_leave_out(struct lkst_seconds *s, enum lkst_measure m)
{
	s->second.left_out[m]++;
}

static inline void add_to(struct lkst_seconds *s, struct lkst_hist *h, u64 ns)
{
	if (lkst_hist_add(h, ns, 1))
		s->error = -ENOMEM;
}

/* The cgroup of thread @tid, if it is asked for and there is room; or NULL. */
static struct lkst_second_cgroup *seconds_cgroup_of(struct lkst_seconds *s, s32 tid)
{
	const struct lkst_seconds_options *o = &s->options;
	struct lkst_second *second = &s->second;
	struct lkst_second_cgroup *c;
	u64 id = lkst_threads_cgroup_of(o->threads, tid);
	u32 i;

	for (i = 0; i < second->nr_cgroups; i++)
		if (second->cgroups[i].id == id)
			return &second->cgroups[i];
	if (!id || second->nr_cgroups == CGROUPS_MAX ||
	    !lkst_cgroups_match(lkst_threads_cgroups(o->threads), id, o->cgroup))
		return NULL;
	c = lkst_vec_add(second->cgroups, second->nr_cgroups);
	if (c)
		c->id = id;
	else
		s->error = -ENOMEM;
	return c;
}

/* Something of thread @tid, 0: of no thread, ends at @to_ns; it counts in @h. */
static bool add_in(struct lkst_seconds *s, enum lkst_measure m, struct lkst_hist *h, u64 from_ns,
		   u64 to_ns, u64 inner_ns, s32 tid)
{
	u64 ns = to_ns > from_ns + inner_ns ? to_ns - from_ns - inner_ns : 0;
	struct lkst_second_cgroup *c;

	if (from_ns < s->doubt_ns) {
		seconds_leave_out(s, m);
		return false;
	}
	add_to(s, h, ns);
	if (s->options.cgroup && tid > 0) {
		c = seconds_cgroup_of(s, tid);
		if (c)
			add_to(s, &c->durations[m], ns);
	}
	return true;
}

static bool seconds_add(struct lkst_seconds *s, enum lkst_measure m, u64 from_ns, u64 to_ns, u64 inner_ns,
			s32 tid)
{
	return add_in(s, m, &s->second.durations[m], from_ns, to_ns, inner_ns, tid);
}

static void seconds_add_part(struct lkst_second_parts *parts, u32 key)
{
	u32 i;

	for (i = 0; i < parts->nr; i++)
		if (parts->list[i].key == key) {
			parts->list[i].n++;
			return;
		}
	if (parts->nr < LKST_SECOND_PARTS) {
		/* The last place is for all that have none. */
		parts->list[parts->nr].key = parts->nr == LKST_SECOND_PARTS - 1 ? UINT32_MAX : key;
		parts->list[parts->nr++].n = 1;
	} else {
		parts->list[LKST_SECOND_PARTS - 1].n++;
	}
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

static __attribute__((noinline)) struct seconds_cpu *add_cpus(struct lkst_seconds *s, u32 nr)
{
	struct seconds_cpu *c;

	if (nr >= LKST_CPUS_MAX)
		return NULL;
	c = lkst_vec_reach(s->cpus, s->nr_room, nr);
	if (!c) {
		s->error = -ENOMEM;
		return NULL;
	}
	for (; s->nr_cpus <= nr; s->nr_cpus++)
		s->cpus[s->nr_cpus] = (struct seconds_cpu){ .tid = -1, .at_ns = s->second.from_ns };
	return c;
}

static inline struct seconds_cpu *seconds_cpu_of(struct lkst_seconds *s, u32 nr)
{
	return __builtin_expect(nr < s->nr_cpus, 1) ? &s->cpus[nr] : add_cpus(s, nr);
}

/* Counts what CPU @c has done up to @ns. */
static void seconds_settle(struct lkst_seconds *s, struct seconds_cpu *c, u64 ns)
{
	struct lkst_second_times *t = &s->second.times;
	struct lkst_second_cgroup *g;
	u64 passed = ns > c->at_ns ? ns - c->at_ns : 0;

	if (!passed)
		return;
	c->at_ns = ns;
	if (c->depth && c->irqs[c->depth - 1].plan == PLAN_SOFTIRQ_ENTRY)
		t->softirq_ns += passed;
	else if (c->depth)
		t->irq_ns += passed;
	else if (c->tid < 0)
		t->unknown_ns += passed;
	else if (!c->tid)
		t->idle_ns += passed;
	else
		t->threads_ns += passed;
	if (s->options.cgroup && c->tid > 0 && !c->depth) {
		g = seconds_cgroup_of(s, c->tid);
		if (g)
			g->threads_ns += passed;
	}
}

static enum lkst_measure measure_of(const struct irq *i)
{
	return i->plan == PLAN_SOFTIRQ_ENTRY ? LKST_MEASURE_SOFTIRQ : LKST_MEASURE_IRQ;
}

/* What was counted of @i in this second, up to @to_ns, is time of which nothing is known. */
static void seconds_take_back(struct lkst_seconds *s, const struct irq *i, u64 to_ns)
{
	struct lkst_second_times *t = &s->second.times;
	u64 *counted = measure_of(i) == LKST_MEASURE_SOFTIRQ ? &t->softirq_ns : &t->irq_ns;
	u64 from_ns = i->from_ns, ns;

	if (from_ns < s->second.from_ns)
		from_ns = s->second.from_ns;
	ns = to_ns > from_ns ? to_ns - from_ns : 0;
	if (from_ns == i->from_ns)
		ns = ns > i->inner_ns ? ns - i->inner_ns : 0;
	if (ns > *counted)
		ns = *counted;
	*counted -= ns;
	t->unknown_ns += ns;
}

/* The ends of all interrupts of @c but the outermost @nr were not recorded: they were over at some time before now. */
static void drop_irqs(struct lkst_seconds *s, struct seconds_cpu *c, u32 nr)
{
	u64 to_ns = c->at_ns;

	while (c->depth > nr) {
		const struct irq *i = &c->irqs[--c->depth];

		seconds_leave_out(s, measure_of(i));
		seconds_take_back(s, i, to_ns);
		to_ns = i->from_ns;
	}
}

/* The CPU of a record, which shows who runs there if that was not known. */
static inline struct seconds_cpu *cpu_at(struct lkst_seconds *s, const struct lkst_record *r)
{
	struct seconds_cpu *c = seconds_cpu_of(s, r->cpu);

	if (c && __builtin_expect(c->tid < 0, 0)) {
		seconds_settle(s, c, r->ns);
		c->tid = r->tid;
	}
	return c;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Entries may have moved. */
static void forget_found(struct lkst_seconds *s)
{
	u32 i;

	for (i = 0; i < s->nr_cpus; i++)
		s->cpus[i].thread = NULL;
}

/* What is known of thread @tid; NULL: there are too many. */
static struct seconds_thread *seconds_thread_of(struct lkst_seconds *s, s32 tid)
{
	struct seconds_thread *t = lkst_hash_find(&s->threads, (u32)tid, sizeof(*t));

	if (t)
		return t;
	if (s->threads.nr >= THREADS_MAX)
		return NULL;
	forget_found(s);
	if (lkst_hash_reserve(&s->threads, sizeof(*t))) {
		s->error = -ENOMEM;
		return NULL;
	}
	return lkst_hash_add(&s->threads, (u32)tid, sizeof(*t));
}

/* The same for the thread of a record: as a rule it is the one that the CPU's last call was of. NULL: none. */
static inline struct seconds_thread *seconds_thread_at(struct lkst_seconds *s, struct seconds_cpu *c, s32 tid)
{
	if (tid <= 0 || !c)
		return NULL;
	if (!c->thread || c->thread->key != (u32)tid)
		c->thread = seconds_thread_of(s, tid);
	return c->thread;
}

static void seconds_switch_out(struct lkst_seconds *s, s32 tid, u32 prev_state, u64 ns)
{
	struct seconds_thread *t = seconds_thread_of(s, tid);

	if (!t)
		return;
	if (prev_state & STATE_DEAD) {
		forget_found(s);
		lkst_hash_remove(&s->threads, t, sizeof(*t));
		return;
	}
	/* What woke it while it still ran may have ended this sleep already: is_pending stays. */
	if (!prev_state)
		t->is_pending = false;
	t->run = prev_state ? RUN_ASLEEP : RUN_READY;
	t->since_ns = ns;
}

static void seconds_switch_in(struct lkst_seconds *s, s32 tid, u64 ns)
{
	struct seconds_thread *t = seconds_thread_of(s, tid);

	if (!t) {
		seconds_leave_out(s, LKST_MEASURE_RUNQUEUE);
		return;
	}
	if (t->run == RUN_READY || (t->run == RUN_ASLEEP && t->is_pending))
		seconds_add(s, LKST_MEASURE_RUNQUEUE, t->since_ns, ns, 0, tid);
	else
		seconds_leave_out(s, LKST_MEASURE_RUNQUEUE);
	t->run = RUN_RUNNING;
	t->is_pending = false;
	t->since_ns = ns;
}

static void seconds_on_switch(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_sched_switch *x = (const void *)r->bytes;
	struct seconds_cpu *c = cpu_at(s, r);

	if (!c)
		return;
	seconds_settle(s, c, r->ns);
	drop_irqs(s, c, 0);
	c->tid = x->next_tid;
	if (r->tid > 0)
		seconds_switch_out(s, r->tid, x->prev_state, r->ns);
	if (x->next_tid > 0)
		seconds_switch_in(s, x->next_tid, r->ns);
}

static void make_ready(struct seconds_thread *t, u64 ns)
{
	t->run = RUN_READY;
	t->since_ns = ns;
	t->is_pending = false;
}

static void seconds_on_waking(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_sched_waking *x = (const void *)r->bytes;
	struct seconds_thread *t = x->target_tid > 0 ? seconds_thread_of(s, x->target_tid) : NULL;

	if (!t || t->run == RUN_READY)
		return;
	/* It still runs: it may be about to sleep, or will not. */
	if (t->run == RUN_RUNNING || x->target_tid == r->tid)
		t->is_pending = true;
	else
		make_ready(t, r->ns);
}

static void seconds_on_wakeup(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_sched_wakeup *x = (const void *)r->bytes;
	struct seconds_thread *t = x->target_tid > 0 ? seconds_thread_of(s, x->target_tid) : NULL;

	if (!t || t->run == RUN_READY || t->run == RUN_RUNNING || x->target_tid == r->tid)
		return;
	/* One that was woken while it still ran has been ready since it left its CPU. */
	make_ready(t, t->run == RUN_ASLEEP && t->is_pending ? t->since_ns : r->ns);
}

static void seconds_on_wakeup_new(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_sched_wakeup_new *x = (const void *)r->bytes;
	struct seconds_thread *t = x->target_tid > 0 ? seconds_thread_of(s, x->target_tid) : NULL;

	if (!t)
		return;
	/* The number may have been that of another, whose end was not seen. */
	t->call = 0;
	make_ready(t, r->ns);
}

/* ---- system calls ---------------------------------------------------------------------------- */

static void seconds_on_entry(struct lkst_seconds *s, const struct lkst_record *r)
{
	struct seconds_thread *t = seconds_thread_at(s, cpu_at(s, r), r->tid);

	if (!t)
		return;
	t->call = r->event->id;
	t->call_ns = r->ns;
}

/* A new thread's first return, from the call of the thread that created it: not a call of its own. */
static bool seconds_is_birth(const struct lkst_event_class *exit)
{
	static const char *const names[] = { "clone", "clone3", "fork", "vfork" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(lkst_class_call(exit), names[i]))
			return true;
	return false;
}

static void seconds_on_exit_of_call(struct lkst_seconds *s, const struct lkst_record *r)
{
	struct seconds_thread *t = seconds_thread_at(s, cpu_at(s, r), r->tid);
	u16 call = t ? t->call : 0;

	if (!call) {
		if (!seconds_is_birth(r->event))
			seconds_leave_out(s, LKST_MEASURE_SYSCALL);
		return;
	}
	t->call = 0;
	/* An exit without a row of its own is that of whatever the thread was in, rt_sigreturn as a rule. */
	if (r->event->other_half != call && r->event->syscall >= 0)
		seconds_leave_out(s, LKST_MEASURE_SYSCALL);
	else
		add_in(s, LKST_MEASURE_SYSCALL, &s->calls[call], t->call_ns, r->ns, 0, r->tid);
}

/* Calls are most of what is counted: each counts once, by its name, and their sums are made here. */
static void sum_calls(struct lkst_seconds *s)
{
	struct lkst_hist *sum = &s->second.durations[LKST_MEASURE_SYSCALL];
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		struct lkst_hist *h = &s->calls[id];

		if (!h->count)
			continue;
		s->second.calls[id] += (u32)h->count;
		if (lkst_hist_merge(sum, h) ||
		    (s->options.calls && lkst_hist_merge(&s->options.calls[id], h)))
			s->error = -ENOMEM;
		lkst_hist_clear(h);
	}
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static void begin_irq(struct lkst_seconds *s, const struct lkst_record *r, enum plan plan,
		      u32 number)
{
	struct seconds_cpu *c = cpu_at(s, r);

	if (!c)
		return;
	seconds_settle(s, c, r->ns);
	/* So deep only where ends are missing. */
	while (c->depth == IRQS_MAX || (c->depth && plan == PLAN_SOFTIRQ_ENTRY &&
					c->irqs[c->depth - 1].plan == PLAN_SOFTIRQ_ENTRY))
		drop_irqs(s, c, c->depth - 1);
	c->irqs[c->depth++] = (struct irq){ (u8)plan, number, r->ns, 0 };
}

static void count_irq(struct lkst_seconds *s, const struct irq *i)
{
	if (i->plan == PLAN_SOFTIRQ_ENTRY && i->number < LKST_NR_SOFTIRQS)
		s->second.softirqs[i->number]++;
	else if (i->plan == PLAN_IRQ_ENTRY)
		seconds_add_part(&s->second.irqs, i->number);
}

static void end_irq(struct lkst_seconds *s, const struct lkst_record *r, enum plan plan, u32 number)
{
	struct seconds_cpu *c = cpu_at(s, r);
	struct irq *irq;
	u64 ns;

	if (!c)
		return;
	seconds_settle(s, c, r->ns);
	for (irq = c->irqs + c->depth; irq > c->irqs; irq--)
		if (irq[-1].plan == plan && irq[-1].number == number)
			break;
	if (irq == c->irqs) {
		seconds_leave_out(s, plan == PLAN_SOFTIRQ_ENTRY ? LKST_MEASURE_SOFTIRQ : LKST_MEASURE_IRQ);
		return;
	}
	irq--;
	/* Those within it whose end was not seen. */
	drop_irqs(s, c, (u32)(irq + 1 - c->irqs));
	c->depth--;
	ns = r->ns > irq->from_ns ? r->ns - irq->from_ns : 0;
	if (c->depth)
		c->irqs[c->depth - 1].inner_ns += ns;
	if (seconds_add(s, measure_of(irq), irq->from_ns, r->ns, irq->inner_ns, 0))
		count_irq(s, irq);
}

/* ---- disks ----------------------------------------------------------------------------------- */

static struct seconds_request *seconds_request_of(const struct lkst_seconds *s, u64 rq)
{
	return lkst_hash_find(&s->requests, rq, sizeof(struct seconds_request));
}

static void seconds_on_issue(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_block_rq_issue *x = (const void *)r->bytes;
	struct seconds_request *q = seconds_request_of(s, x->rq);
	u64 packed = lkst_request_pack(x->dev, x->flags, x->bytes);

	/* The time of a request that was sent before begins with the first time. */
	if (q && lkst_request_is_requeued(q->packed)) {
		q->packed = packed;
		return;
	}
	if (!q) {
		if (s->requests.nr >= REQUESTS_MAX || x->rq == LKST_HASH_NONE)
			return;
		if (lkst_hash_reserve(&s->requests, sizeof(*q))) {
			s->error = -ENOMEM;
			return;
		}
		q = lkst_hash_add(&s->requests, x->rq, sizeof(*q));
	}
	q->from_ns = r->ns;
	q->packed = packed;
}

static void seconds_on_requeue(struct lkst_seconds *s, const struct lkst_record *r)
{
	struct seconds_request *q = seconds_request_of(s, ((const struct lkst_rec_block_rq_requeue *)r->bytes)->rq);

	if (q)
		q->packed = lkst_request_requeue(q->packed);
}

/* It became part of another, which has its own time. */
static void seconds_on_merge(struct lkst_seconds *s, const struct lkst_record *r)
{
	struct seconds_request *q = seconds_request_of(s, ((const struct lkst_rec_block_rq_merge *)r->bytes)->rq);

	if (q)
		lkst_hash_remove(&s->requests, q, sizeof(*q));
}

static void seconds_on_complete(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_block_rq_complete *x = (const void *)r->bytes;
	struct seconds_request *q = seconds_request_of(s, x->rq);

	if (!q) {
		seconds_leave_out(s, LKST_MEASURE_DISK);
		return;
	}
	if (!lkst_request_complete(&q->packed, x->bytes))
		return;
	if (seconds_add(s, LKST_MEASURE_DISK, q->from_ns, r->ns, 0, 0))
		seconds_add_part(&s->second.disks, lkst_request_disk(q->packed));
	lkst_hash_remove(&s->requests, q, sizeof(*q));
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* The idle threads have one number; each is its CPU's. */
static u64 seconds_key_of(const struct lkst_record *r)
{
	return r->tid ? (u32)r->tid : 1ULL << 32 | r->cpu;
}

static void on_lock(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_contention_begin *x = (const void *)r->bytes;
	struct locks *l = lkst_hash_find(&s->locks, seconds_key_of(r), sizeof(*l));
	u32 i;

	if (!l) {
		if (s->locks.nr >= THREADS_MAX)
			return;
		if (lkst_hash_reserve(&s->locks, sizeof(*l))) {
			s->error = -ENOMEM;
			return;
		}
		l = lkst_hash_add(&s->locks, seconds_key_of(r), sizeof(*l));
	}
	/* A mutex begins twice, spinning and then asleep: the wait is both. */
	for (i = 0; i < l->nr; i++)
		if (l->list[i].lock == x->lock)
			return;
	if (l->nr == LOCKS_MAX) {
		seconds_leave_out(s, LKST_MEASURE_LOCK);
		return;
	}
	l->list[l->nr].lock = x->lock;
	l->list[l->nr].from_ns = r->ns;
	l->list[l->nr++].inner_ns = 0;
}

static void on_locked(struct lkst_seconds *s, const struct lkst_record *r)
{
	const struct lkst_rec_contention_end *x = (const void *)r->bytes;
	struct locks *l = lkst_hash_find(&s->locks, seconds_key_of(r), sizeof(*l));
	u32 i = l ? l->nr : 0;

	while (i && l->list[i - 1].lock != x->lock)
		i--;
	if (!i) {
		seconds_leave_out(s, LKST_MEASURE_LOCK);
		return;
	}
	while (l->nr > i) {
		seconds_leave_out(s, LKST_MEASURE_LOCK);
		l->nr--;
	}
	l->nr = --i;
	seconds_add(s, LKST_MEASURE_LOCK, l->list[i].from_ns, r->ns, l->list[i].inner_ns, r->tid);
	if (i)
		l->list[i - 1].inner_ns += r->ns - l->list[i].from_ns;
	else
		lkst_hash_remove(&s->locks, l, sizeof(*l));
}

/* ---- records --------------------------------------------------------------------------------- */

/* The number of an interrupt: the first field of all their records. */
static u32 seconds_number_of(const struct lkst_record *r)
{
	const struct lkst_rec_softirq_entry *x = (const void *)r->bytes;

	return x->vec;
}
_Static_assert(offsetof(struct lkst_rec_softirq_entry, vec) ==
		       offsetof(struct lkst_rec_irq_handler_entry, irq),
	       "");
_Static_assert(offsetof(struct lkst_rec_softirq_exit, vec) ==
		       offsetof(struct lkst_rec_irq_handler_exit, irq),
	       "");
_Static_assert(offsetof(struct lkst_rec_softirq_entry, vec) ==
		       offsetof(struct lkst_rec_local_timer_entry, vector),
	       "");
_Static_assert(offsetof(struct lkst_rec_softirq_exit, vec) ==
		       offsetof(struct lkst_rec_local_timer_exit, vector),
	       "");

static void seconds_on_irq(struct lkst_seconds *s, const struct lkst_record *r, enum plan plan)
{
	switch (plan) {
	case PLAN_IRQ_ENTRY:
	case PLAN_VECTOR_ENTRY:
	case PLAN_SOFTIRQ_ENTRY:
		begin_irq(s, r, plan, seconds_number_of(r));
		break;
	default:
		/* Each exit follows its entry in the list. */
		end_irq(s, r, plan - 1, seconds_number_of(r));
	}
}

/* Until @ns ends may be missing, of interrupts that are over. */
static void doubt(struct lkst_seconds *s, u64 ns)
{
	u32 i;

	s->doubt_ns = ns;
	for (i = 0; i < s->nr_cpus; i++) {
		seconds_settle(s, &s->cpus[i], ns);
		drop_irqs(s, &s->cpus[i], 0);
	}
}

/* Not inlined, or each record would save the registers that only these need. */
static __attribute__((noinline)) void on_rest(struct lkst_seconds *s, const struct lkst_record *r,
					      enum plan plan)
{
	switch (plan) {
	case PLAN_SWITCH:
		seconds_on_switch(s, r);
		break;
	case PLAN_WAKING:
		seconds_on_waking(s, r);
		break;
	case PLAN_WAKEUP:
		seconds_on_wakeup(s, r);
		break;
	case PLAN_WAKEUP_NEW:
		seconds_on_wakeup_new(s, r);
		break;
	case PLAN_ISSUE:
		seconds_on_issue(s, r);
		break;
	case PLAN_REQUEUE:
		seconds_on_requeue(s, r);
		break;
	case PLAN_MERGE:
		seconds_on_merge(s, r);
		break;
	case PLAN_COMPLETE:
		seconds_on_complete(s, r);
		break;
	case PLAN_LOCK:
		on_lock(s, r);
		break;
	case PLAN_LOCKED:
		on_locked(s, r);
		break;
	case PLAN_DOUBT:
		doubt(s, r->ns);
		break;
	default:
		seconds_on_irq(s, r, plan);
	}
}

int lkst_seconds_feed(struct lkst_seconds *s, const struct lkst_record *r)
{
	u16 id = r->event->id;
	enum plan plan = s->plans[id];

	if (__builtin_expect(plan == PLAN_NEW, 0))
		plan = s->plans[id] = (u8)seconds_plan_of(r->event);
	if (r->buffer == LKST_BUFFER_STATE)
		return 0;
	s->second.records++;
	s->second.events[id]++;
	/* Most are of these kinds, in this order. */
	if (plan == PLAN_ENTRY)
		seconds_on_entry(s, r);
	else if (plan == PLAN_EXIT)
		seconds_on_exit_of_call(s, r);
	else if (plan != PLAN_COUNT)
		on_rest(s, r, plan);
	return s->error;
}

void lkst_seconds_gap(struct lkst_seconds *s, const struct lkst_gap *gap)
{
	struct seconds_cpu *c;

	if (!lkst_buffer_is_of_kernel(gap->buffer))
		return;
	if (!gap->is_pause) {
		s->second.nr_gaps++;
		s->second.lost_blocks += gap->blocks;
		s->second.lost_events += gap->events;
	}
	if (gap->buffer == LKST_BUFFER_LIFE)
		return;
	if (gap->to_ns > s->doubt_ns)
		s->doubt_ns = gap->to_ns;
	c = seconds_cpu_of(s, gap->cpu);
	if (!c)
		return;
	seconds_settle(s, c, gap->from_ns);
	c->tid = -1;
	while (c->depth)
		seconds_leave_out(s, measure_of(&c->irqs[--c->depth]));
}

/* ---- seconds --------------------------------------------------------------------------------- */

const struct lkst_second *lkst_seconds_end(struct lkst_seconds *s, u64 to_ns)
{
	u32 i;

	for (i = 0; i < s->nr_cpus; i++)
		seconds_settle(s, &s->cpus[i], to_ns);
	sum_calls(s);
	s->second.to_ns = to_ns;
	s->second.nr_cpus = s->nr_cpus;
	return &s->second;
}

void lkst_seconds_next(struct lkst_seconds *s)
{
	struct lkst_second *second = &s->second;
	struct lkst_second_cgroup *g;
	u32 i, k;

	for (i = 0; i < LKST_NR_MEASURES; i++)
		lkst_hist_clear(&second->durations[i]);
	for (i = 0; i < second->nr_cgroups; i++) {
		g = &second->cgroups[i];
		for (k = 0; k < LKST_NR_MEASURES_OF_THREADS; k++)
			lkst_hist_fini(&g->durations[k]);
	}
	free(second->cgroups);
	second->cgroups = NULL;
	second->nr_cgroups = 0;
	second->from_ns = second->to_ns;
	second->records = second->nr_gaps = second->lost_blocks = second->lost_events = 0;
	memset(second->events, 0, sizeof(second->events));
	memset(second->calls, 0, sizeof(second->calls));
	memset(second->softirqs, 0, sizeof(second->softirqs));
	memset(second->left_out, 0, sizeof(second->left_out));
	second->disks.nr = second->irqs.nr = 0;
	second->times = (struct lkst_second_times){};
}

int lkst_seconds_new(struct lkst_err *e, const struct lkst_seconds_options *options,
		     struct lkst_seconds **ret_seconds)
{
	_cleanup_(lkst_seconds_freep) struct lkst_seconds *s = calloc(1, sizeof(*s));

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "counting");
	s->calls = calloc(LKST_EVENT_SPACE, sizeof(*s->calls));
	if (!s->calls)
		return lkst_err_sys(e, -ENOMEM, "counting");
	s->options = *options;
	s->second.from_ns = options->from_ns;
	/* What began before is not known. */
	s->doubt_ns = options->from_ns;
	if (options->nr_cpus && !seconds_cpu_of(s, options->nr_cpus - 1))
		return lkst_err_sys(e, -ENOMEM, "counting");
	*ret_seconds = lkst_take(s);
	return 0;
}

void lkst_seconds_free(struct lkst_seconds *s)
{
	u32 i;

	if (!s)
		return;
	s->second.to_ns = s->second.from_ns;
	lkst_seconds_next(s);
	for (i = 0; i < LKST_NR_MEASURES; i++)
		lkst_hist_fini(&s->second.durations[i]);
	for (i = 0; s->calls && i < LKST_EVENT_SPACE; i++)
		lkst_hist_fini(&s->calls[i]);
	free(s->calls);
	lkst_hash_fini(&s->threads);
	lkst_hash_fini(&s->requests);
	lkst_hash_fini(&s->locks);
	free(s->cpus);
	free(s);
}
