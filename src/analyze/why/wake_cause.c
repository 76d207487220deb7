/* SPDX-License-Identifier: GPL-2.0-only */
/* From a wake-up back to what it came from. */
#include "analyze/why/wake_cause.h"

#include <string.h>

#include "abi/softirq.h"
#include "analyze/why/packet.h"

enum {
	CONTEXT_MAX = 1 << 20,	/* records looked through for a context's begin */
	REQUESTS_MAX = 1 << 14, /* records of requests looked through for those that wait */
	AHEAD_MAX = 512,	/* requests of a disk that are distinguished */
};

/* What nests on a CPU: its entry and its exit. */
static const struct {
	u16 entry, exit;
} nests[] = {
	{ LKST_EV_hrtimer_expire_entry, LKST_EV_hrtimer_expire_exit },
	{ LKST_EV_timer_expire_entry, LKST_EV_timer_expire_exit },
	{ LKST_EV_tasklet_entry, LKST_EV_tasklet_exit },
	{ LKST_EV_irq_handler_entry, LKST_EV_irq_handler_exit },
	{ LKST_EV_softirq_entry, LKST_EV_softirq_exit },
	{ LKST_EV_local_timer_entry, LKST_EV_local_timer_exit },
	{ LKST_EV_reschedule_entry, LKST_EV_reschedule_exit },
	{ LKST_EV_call_function_entry, LKST_EV_call_function_exit },
	{ LKST_EV_call_function_single_entry, LKST_EV_call_function_single_exit },
};
enum { NR_NESTS = sizeof(nests) / sizeof(nests[0]) };

const char *lkst_wake_cause_word(enum lkst_wake_cause_kind kind)
{
	static const char *const words[] = { "unknown", "thread",  "timer", "disk",	   "packet",
					     "device",	"softirq", "cpu",   "some softirq", "interrupt" };

	return words[kind];
}

/* What moment @i says of its own context, if it is a waking: enum lkst_waker_kind. */
static u8 said_context(const struct lkst_excerpt *w, u32 i)
{
	return lkst_event_ref_kind(w, i) == LKST_EV_sched_waking ? (u8)lkst_event_ref_int(w, i, "context")
								  : LKST_WAKER_UNKNOWN;
}

static bool is_softirq_entry(u16 kind)
{
	return kind == LKST_EV_softirq_entry || kind == LKST_EV_tasklet_entry || kind == LKST_EV_timer_expire_entry;
}

/* Whether a context that began with @kind can be what is said of it. A timer of high resolution may run in either. */
static bool agrees(u8 said, u16 kind)
{
	if (said == LKST_WAKER_UNKNOWN || kind == LKST_EV_hrtimer_expire_entry)
		return said != LKST_WAKER_THREAD;
	return said == (is_softirq_entry(kind) ? LKST_WAKER_SOFTIRQ : LKST_WAKER_INTERRUPT);
}

/* The context of a moment, as far as records say. */
struct context {
	u32 entry;    /* of the innermost interrupt, softirq, timer or tasklet; LKST_NOWHERE: none, or not known */
	u32 within;   /* the last moment of a wanted kind in it; LKST_NOWHERE: none */
	bool is_sure; /* nothing else may have begun in it, or ended it: no interrupts were left out meanwhile */
};

/* Whether interrupts may have begun, or ended, between moments @from and @i, unseen. */
static bool may_lack(const struct lkst_excerpt *w, u64 from_ns, u32 i, bool of_softirqs)
{
	return lkst_lacks(&w->lacks, LKST_LACK_INTERRUPTS, from_ns, w->moments[i].ns) ||
	       (of_softirqs && lkst_lacks(&w->lacks, LKST_LACK_SOFTIRQS, from_ns, w->moments[i].ns));
}

/* Moment @at is an entry of what has not ended before moment @i. */
static void take_entry(const struct lkst_excerpt *w, u32 at, u32 i, struct context *c)
{
	const u16 kind = lkst_event_ref_kind(w, at);

	c->is_sure = false;
	if (lkst_excerpt_may_be_over(w, at, w->moments[i].ns)) {
		c->within = LKST_NOWHERE;
		return;
	}
	c->entry = at;
	/* Nothing interrupts an interrupt. */
	c->is_sure = !(is_softirq_entry(kind) || kind == LKST_EV_hrtimer_expire_entry) ||
		     !may_lack(w, w->moments[at].ns, i, false);
	if (!c->is_sure)
		c->within = LKST_NOWHERE;
}

/*
 * The CPU's records before moment @i, back to where the context of @i began. If one of them, in that
 * very context, is of kind @wanted, the last such is within.
 */
static void search_context(const struct lkst_excerpt *w, u32 i, u16 wanted, struct context *c)
{
	struct lkst_places_list cpu = lkst_excerpt_cpu(w, w->moments[i].cpu);
	u32 place = lkst_places_before(cpu, i), steps, n;
	u32 ended[NR_NESTS] = {}, nr_ended = 0;

	*c = (struct context){ LKST_NOWHERE, LKST_NOWHERE, false };
	for (steps = 0; place && steps < CONTEXT_MAX; steps++) {
		u32 at = cpu.at[--place];
		u16 kind = lkst_event_ref_kind(w, at);

		/* Interrupts do not switch, and make no system calls. */
		if (kind == LKST_EV_sched_switch || kind == LKST_EVENT_REF_ENTRY ||
		    kind == LKST_EVENT_REF_EXIT) {
			c->is_sure = !may_lack(w, w->moments[at].ns, i, true);
			return;
		}
		if (kind == wanted && !nr_ended && c->within == LKST_NOWHERE)
			c->within = at;
		for (n = 0; n < NR_NESTS; n++) {
			if (kind == nests[n].exit) {
				ended[n]++;
				nr_ended++;
			}
			if (kind != nests[n].entry)
				continue;
			if (!ended[n]) {
				take_entry(w, at, i, c);
				return;
			}
			ended[n]--;
			nr_ended--;
		}
	}
	c->is_sure = !may_lack(w, w->from_ns, i, true);
}

/* The same, where it is the context that moment @i itself says. */
static void find_context(const struct lkst_excerpt *w, u32 i, u16 wanted, struct context *c)
{
	const u8 said = said_context(w, i);

	search_context(w, i, wanted, c);
	if (c->entry == LKST_NOWHERE) {
		c->within = LKST_NOWHERE;
		return;
	}
	if (said == LKST_WAKER_UNKNOWN ? c->is_sure : agrees(said, lkst_event_ref_kind(w, c->entry)))
		return;
	c->entry = c->within = LKST_NOWHERE;
}

u32 lkst_wake_cause_context(const struct lkst_excerpt *w, u32 i)
{
	struct context c;

	find_context(w, i, LKST_EVENT_REF_NONE, &c);
	return c.entry;
}

bool lkst_wake_cause_is_threads(const struct lkst_excerpt *w, u32 i)
{
	struct context c;

	find_context(w, i, LKST_EVENT_REF_NONE, &c);
	return c.entry == LKST_NOWHERE && (c.is_sure || said_context(w, i) == LKST_WAKER_THREAD);
}

/* A search back through the window. */
struct wake_cause_search {
	const struct lkst_excerpt *w;
	u32 max; /* records of a kind */
};

/*
 * The last moment before @i of kind @kind whose field @name is @value; LKST_NOWHERE: none, or one may have come since,
 * unseen.
 */
static u32 find_before(const struct wake_cause_search *s, u32 i, u16 kind, const char *name, u64 value)
{
	struct lkst_places_list moments = lkst_excerpt_kind(s->w, kind);
	u32 place = lkst_places_before(moments, i), steps;

	for (steps = 0; place && steps < s->max; steps++) {
		u32 at = moments.at[--place];

		if (lkst_event_ref_kind(s->w, at) == kind &&
		    lkst_event_ref_int(s->w, at, name) == value)
			return lkst_excerpt_may_be_over(s->w, at, s->w->moments[i].ns) ? LKST_NOWHERE : at;
	}
	return LKST_NOWHERE;
}

/* ---- by kind ---------------------------------------------------------------------- */

static void follow_thread(const struct lkst_excerpt *w, struct lkst_wake_cause *c, u32 i)
{
	if (w->moments[i].tid <= 0)
		return;
	c->tid = w->moments[i].tid;
	c->until_ns = w->moments[i].ns;
}

/* The thread of @waking did it itself. */
static void be_thread(const struct lkst_excerpt *w, struct lkst_wake_cause *c, u32 waking, s32 victim)
{
	follow_thread(w, c, waking);
	if (c->tid)
		c->kind = LKST_WAKE_CAUSE_THREAD;
	if (c->tid == victim)
		c->tid = 0;
}

static void be_timer(const struct wake_cause_search *s, struct lkst_wake_cause *c, u32 from)
{
	const struct lkst_excerpt *w = s->w;
	bool is_high = lkst_event_ref_kind(w, from) == LKST_EV_hrtimer_expire_entry;
	const char *name = is_high ? "hrtimer" : "timer";

	c->kind = LKST_WAKE_CAUSE_TIMER;
	c->from = from;
	c->origin = find_before(s, from, is_high ? LKST_EV_hrtimer_start : LKST_EV_timer_start,
				name, lkst_event_ref_int(w, from, name));
}

/* Requests by their addresses; those that do not fit are not distinguished. */
struct requests {
	u64 rq[AHEAD_MAX];
	bool is_waiting[AHEAD_MAX];
	u32 nr;
};

static u32 find_request(const struct requests *r, u64 rq)
{
	u32 i;

	for (i = 0; i < r->nr && r->rq[i] != rq; i++)
		;
	return i;
}

/* The requests that disk @dev has at moment @i: their last record was not their end. */
static void find_waiting(const struct lkst_excerpt *w, u32 i, u64 dev,
			 struct requests *ret_requests)
{
	struct lkst_places_list moments = lkst_excerpt_kind(w, LKST_EV_block_rq_complete);
	u32 place = lkst_places_before(moments, i), steps;
	struct requests *r = ret_requests;

	r->nr = 0;
	for (steps = 0; place && steps < REQUESTS_MAX && r->nr < AHEAD_MAX; steps++) {
		u32 at = moments.at[--place];
		u64 rq = lkst_event_ref_int(w, at, "rq");

		if (lkst_event_ref_int(w, at, "dev") != dev || find_request(r, rq) < r->nr)
			continue;
		r->is_waiting[r->nr] = lkst_event_ref_kind(w, at) != LKST_EV_block_rq_complete;
		r->rq[r->nr++] = rq;
	}
}

s64 lkst_wake_cause_ahead(const struct lkst_excerpt *w, const struct lkst_wake_cause *trigger)
{
	struct lkst_places_list moments = lkst_excerpt_kind(w, LKST_EV_block_rq_complete);
	u32 begin = trigger->queued == LKST_NOWHERE ? trigger->origin : trigger->queued;
	u32 place = lkst_places_before(moments, begin + 1), nr = 0, k;
	u64 dev = lkst_event_ref_int(w, trigger->from, "dev");
	struct requests r;

	if (lkst_lacks(&w->lacks, LKST_LACK_REQUESTS, w->from_ns, w->moments[trigger->from].ns))
		return -1;
	find_waiting(w, begin, dev, &r);
	for (; place < moments.nr && moments.at[place] < trigger->from; place++) {
		u32 at = moments.at[place];

		if (lkst_event_ref_kind(w, at) != LKST_EV_block_rq_complete ||
		    lkst_event_ref_int(w, at, "dev") != dev)
			continue;
		k = find_request(&r, lkst_event_ref_int(w, at, "rq"));
		if (k < r.nr && r.is_waiting[k]) {
			r.is_waiting[k] = false;
			nr++;
		}
	}
	return nr;
}

static void be_disk(const struct wake_cause_search *s, struct lkst_wake_cause *c, u32 from, u32 context)
{
	const struct lkst_excerpt *w = s->w;
	u64 rq = lkst_event_ref_int(w, from, "rq");
	u32 raised;

	c->kind = LKST_WAKE_CAUSE_DISK;
	c->from = from;
	c->origin = find_before(s, from, LKST_EV_block_rq_issue, "rq", rq);
	if (c->origin == LKST_NOWHERE)
		return;
	c->queued = find_before(s, c->origin, LKST_EV_block_rq_insert, "rq", rq);
	/* The same address may have been another request before. */
	if (c->queued != LKST_NOWHERE) {
		u32 ended = find_before(s, c->origin, LKST_EV_block_rq_complete, "rq", rq);

		if ((ended != LKST_NOWHERE && ended > c->queued) ||
		    lkst_lacks(&w->lacks, LKST_LACK_REQUESTS, w->moments[c->queued].ns, w->moments[from].ns))
			c->queued = LKST_NOWHERE;
	}
	/* Disks without hardware: a thread did the work and raised the softirq. */
	if (lkst_event_ref_kind(w, context) != LKST_EV_softirq_entry)
		return;
	raised = find_before(s, context, LKST_EV_softirq_raise, "vec", LKST_SOFTIRQ_BLOCK);
	while (raised != LKST_NOWHERE && w->moments[raised].cpu != w->moments[from].cpu)
		raised = find_before(s, raised, LKST_EV_softirq_raise, "vec", LKST_SOFTIRQ_BLOCK);
	if (raised == LKST_NOWHERE || raised < c->origin || !lkst_wake_cause_is_threads(w, raised))
		return;
	c->raised = raised;
	follow_thread(w, c, raised);
}

/* On its way over the loopback interface a packet stays where it is in memory. */
static u32 find_sent_here(const struct wake_cause_search *s, u32 from)
{
	const struct lkst_excerpt *w = s->w;
	u32 sent = find_before(s, from, LKST_EV_net_dev_queue, "skb", lkst_event_ref_int(w, from, "skb"));

	if (sent == LKST_NOWHERE ||
	    lkst_event_ref_int(w, sent, "ifindex") != lkst_event_ref_int(w, from, "ifindex"))
		return LKST_NOWHERE;
	return sent;
}

static void be_packet(const struct wake_cause_search *s, struct lkst_wake_cause *c, u32 from)
{
	const struct lkst_excerpt *w = s->w;

	c->kind = LKST_WAKE_CAUSE_PACKET;
	c->from = from;
	c->origin = lkst_event_ref_kind(w, from) == LKST_EV_packet_receive
			    ? lkst_packet_sent(w, from, w, w->moments[from].ns, s->max)
			    : find_sent_here(s, from);
	if (c->origin == LKST_NOWHERE)
		return;
	if (lkst_wake_cause_is_threads(w, c->origin))
		follow_thread(w, c, c->origin);
}

static void be_interrupt(const struct wake_cause_search *s, struct lkst_wake_cause *c, u32 context)
{
	c->from = context;
	switch (lkst_event_ref_kind(s->w, context)) {
	case LKST_EV_hrtimer_expire_entry:
	case LKST_EV_timer_expire_entry:
		be_timer(s, c, context);
		break;
	case LKST_EV_softirq_entry:
	case LKST_EV_tasklet_entry:
		c->kind = LKST_WAKE_CAUSE_SOFTIRQ;
		break;
	case LKST_EV_irq_handler_entry:
	case LKST_EV_local_timer_entry:
		c->kind = LKST_WAKE_CAUSE_DEVICE;
		break;
	default:
		c->kind = LKST_WAKE_CAUSE_CPU;
		break;
	}
}

/* Whether who waits at the other end may hear of the system call of moment @i. */
static bool wake_cause_is_heard(const struct lkst_excerpt *w, u32 i)
{
	const char *name = lkst_event_ref_call(w, i);
	const struct lkst_syscall *call = lkst_syscall_find(false, name) ?: lkst_syscall_find(true, name);

	return call && lkst_syscall_is_heard(call);
}

/* The same of the call that the thread of waking @i was in, as that says itself. */
static bool is_said_to_be_heard(const struct lkst_excerpt *w, u32 i)
{
	return lkst_event_ref_number(w, i) >= 0 && !(lkst_event_ref_int(w, i, "flags") & LKST_WHERE_BEHIND) &&
	       wake_cause_is_heard(w, i);
}

static bool is_interrupt(u16 kind)
{
	u32 n;

	for (n = 0; n < NR_NESTS; n++)
		if ((kind == nests[n].entry || kind == nests[n].exit) && nests[n].entry != LKST_EV_softirq_entry)
			return true;
	return false;
}

/* Whether packets may come to the CPU by the record @at, or be sent by what it is of, other than the running thread. */
static bool wake_cause_brings_packets(const struct lkst_excerpt *w, u32 at)
{
	const u16 kind = lkst_event_ref_kind(w, at);

	if (kind == LKST_EV_softirq_entry)
		return lkst_softirq_may_send(lkst_event_ref_int(w, at, "vec"));
	/* What these cause is sent by softirqs. */
	return is_interrupt(kind) && kind != LKST_EV_local_timer_entry && kind != LKST_EV_local_timer_exit &&
	       kind != LKST_EV_reschedule_entry && kind != LKST_EV_reschedule_exit &&
	       kind != LKST_EV_hrtimer_expire_entry && kind != LKST_EV_hrtimer_expire_exit;
}

/*
 * Whether CPU @cpu has received packets shortly before moment @i, or still does: it may pass them on to other CPUs
 * (RPS), which it has run a function for that (net_rps_send_ipi() of net/core/dev.c, at the end of the softirq).
 */
static bool receives(const struct lkst_excerpt *w, u32 cpu, u64 since_ns, u32 i)
{
	const struct lkst_places_list list = lkst_excerpt_cpu(w, cpu);
	u32 place = lkst_places_before(list, i);

	while (place) {
		const u32 at = list.at[--place];
		const u16 kind = lkst_event_ref_kind(w, at);
		const u64 ns = w->moments[at].ns;

		if (ns + LKST_RECEIVING_MOST_NS < since_ns)
			return false;
		if ((kind == LKST_EV_softirq_entry || kind == LKST_EV_softirq_exit) &&
		    lkst_event_ref_int(w, at, "vec") == LKST_SOFTIRQ_NET_RX)
			return kind == LKST_EV_softirq_entry || ns + LKST_PASSING_ON_MOST_NS >= since_ns;
	}
	return false;
}

static bool wake_cause_may_be_passed_on(const struct lkst_excerpt *w, u64 since_ns, u32 i)
{
	u32 cpu;

	if (!lkst_lacks(&w->lacks, LKST_LACK_CALLS_OF_CPUS, since_ns, w->moments[i].ns))
		return false;
	for (cpu = 0; cpu < w->nr_cpus; cpu++)
		if (cpu != w->moments[i].cpu && receives(w, cpu, since_ns, i))
			return true;
	return since_ns < w->from_ns + LKST_RECEIVING_MOST_NS;
}

/* The same as wake_cause_is_own_softirq() for what came between the thread's record @at and @waking. */
static bool has_come_by_itself(const struct lkst_excerpt *w, u32 at, u32 waking, bool has_softirqs)
{
	const u64 since_ns = w->moments[at].ns, ns = w->moments[waking].ns;

	if (!may_lack(w, since_ns, waking, false))
		return true;
	return has_softirqs && !lkst_lacks(&w->lacks, LKST_LACK_SOFTIRQS, since_ns, ns) &&
	       !lkst_lacks(&w->lacks, LKST_LACK_DEVICES, since_ns, ns) &&
	       !wake_cause_may_be_passed_on(w, since_ns, waking);
}

/*
 * Whether the softirq in which @waking happened came in the running thread's own call, and not behind an interrupt:
 * over the machine's own network it is the thread's sending. Since the call began or the thread was switched to,
 * nothing has come that brings packets, or sends some; where softirqs are not recorded, no interrupt at all. @begin:
 * the softirq's entry, or @waking, where that is not recorded.
 */
static bool wake_cause_is_own_softirq(const struct lkst_excerpt *w, u32 begin, u32 waking)
{
	const struct lkst_places_list cpu = lkst_excerpt_cpu(w, w->moments[waking].cpu);
	const bool has_softirqs = lkst_event_ref_kind(w, begin) == LKST_EV_softirq_entry;
	const s32 tid = w->moments[waking].tid;
	u32 place = lkst_places_before(cpu, begin), steps;

	if (tid <= 0 || (has_softirqs && lkst_event_ref_int(w, begin, "vec") != LKST_SOFTIRQ_NET_RX))
		return false;
	for (steps = 0; place && steps < CONTEXT_MAX; steps++) {
		const u32 at = cpu.at[--place];
		const u16 kind = lkst_event_ref_kind(w, at);
		const bool is_entry = kind == LKST_EVENT_REF_ENTRY;

		if (has_softirqs ? wake_cause_brings_packets(w, at) : is_interrupt(kind))
			return false;
		if (!is_entry && kind != LKST_EVENT_REF_EXIT && kind != LKST_EV_sched_switch)
			continue;
		if (kind == LKST_EV_sched_switch ? w->moments[at].target != tid : w->moments[at].tid != tid)
			return false;
		return (is_entry ? wake_cause_is_heard(w, at) : is_said_to_be_heard(w, waking)) &&
		       has_come_by_itself(w, at, waking, has_softirqs);
	}
	return false;
}

/*
 * Whether the thread of waking @i ran its program then: its last record before is the end of a call. Who does wakes
 * nobody, so that something has interrupted it.
 */
static bool wake_cause_is_in_program(const struct lkst_excerpt *w, u32 i)
{
	const struct lkst_places_list own = lkst_excerpt_thread(w, w->moments[i].tid);
	u32 place = lkst_places_before(own, i), steps;

	for (steps = 0; place && steps < CONTEXT_MAX; steps++) {
		const u32 at = own.at[--place];

		if (w->moments[at].tid != w->moments[i].tid || lkst_event_ref_kind(w, at) == LKST_EV_sched_waking)
			continue;
		return lkst_event_ref_kind(w, at) == LKST_EVENT_REF_EXIT;
	}
	return false;
}

/*
 * No interrupt, softirq or timer was recorded that @waking is of: what it says itself, or else a thread, if one can
 * be.
 */
static void be_unrecorded(const struct lkst_excerpt *w, struct lkst_wake_cause *c, u32 waking, s32 victim)
{
	const u8 said = said_context(w, waking);

	if (said == LKST_WAKER_SOFTIRQ && wake_cause_is_own_softirq(w, waking, waking)) {
		be_thread(w, c, waking, victim);
		return;
	}
	if (said == LKST_WAKER_SOFTIRQ || said == LKST_WAKER_INTERRUPT) {
		c->kind = said == LKST_WAKER_SOFTIRQ ? LKST_WAKE_CAUSE_SOME_SOFTIRQ : LKST_WAKE_CAUSE_INTERRUPT;
		return;
	}
	if (said == LKST_WAKER_UNKNOWN &&
	    (wake_cause_is_in_program(w, waking) || !lkst_wake_cause_is_threads(w, waking)))
		return;
	be_thread(w, c, waking, victim);
}

void lkst_wake_cause_find(const struct lkst_excerpt *w, u32 waking, s32 victim, u32 search_max,
			  struct lkst_wake_cause *ret_trigger)
{
	const struct wake_cause_search s = { w, search_max };
	struct lkst_wake_cause *c = ret_trigger;
	struct context context, other;
	u32 received;

	*c = (struct lkst_wake_cause){ .waking = waking,
				       .from = LKST_NOWHERE,
				       .origin = LKST_NOWHERE,
				       .queued = LKST_NOWHERE,
				       .raised = LKST_NOWHERE };
	if (waking == LKST_NOWHERE)
		return;
	find_context(w, waking, LKST_EV_block_rq_complete, &context);
	if (context.entry == LKST_NOWHERE) {
		be_unrecorded(w, c, waking, victim);
		return;
	}
	if (context.within != LKST_NOWHERE) {
		be_disk(&s, c, context.within, context.entry);
		return;
	}
	find_context(w, waking, LKST_EV_netif_receive_skb, &other);
	if (other.within == LKST_NOWHERE)
		find_context(w, waking, LKST_EV_packet_receive, &other);
	received = other.within;
	if (received != LKST_NOWHERE && lkst_event_ref_kind(w, context.entry) == LKST_EV_softirq_entry &&
	    lkst_event_ref_int(w, context.entry, "vec") == LKST_SOFTIRQ_NET_RX)
		be_packet(&s, c, received);
	else if (lkst_event_ref_kind(w, context.entry) == LKST_EV_softirq_entry &&
		 wake_cause_is_own_softirq(w, context.entry, waking))
		be_thread(w, c, waking, victim);
	else
		be_interrupt(&s, c, context.entry);
}
