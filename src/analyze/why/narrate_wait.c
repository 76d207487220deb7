/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about waits: in what, for what, and what ended them. */
#include "analyze/why/narrate_wait.h"

#include <string.h>
#include <sys/socket.h>

#include "analyze/engine/naming.h"
#include "analyze/why/narrate_stack.h"
#include "analyze/why/place.h"

enum {
	REQ_OP_MASK = 0xff, /* include/linux/blk_types.h */
};

u32 lkst_narrate_waking(const struct lkst_narrator *t, const struct lkst_stretch *stretch)
{
	u16 kind;

	if (stretch->end == LKST_NOWHERE)
		return LKST_NOWHERE;
	kind = lkst_event_ref_kind(t->w, stretch->end);
	return kind == LKST_EV_sched_waking || kind == LKST_EV_sched_wakeup ? stretch->end
									    : LKST_NOWHERE;
}

/* The moment at which a wait is looked at: its begin or, if that is before the window, its end. */
static u32 look_at(const struct lkst_stretch *stretch)
{
	return stretch->begin != LKST_NOWHERE ? stretch->begin
	       : stretch->end != LKST_NOWHERE ? stretch->end
					      : 0;
}

const char *lkst_narrate_call_name(const struct lkst_narrator *t, s32 tid,
				   const struct lkst_stretch *stretch)
{
	struct lkst_place place;

	lkst_place_find(t->w, tid, look_at(stretch), &place);
	return place.call == LKST_NOWHERE ? "" : lkst_event_ref_call(t->w, place.call);
}

static void say_call(struct lkst_narrator *t, struct lkst_account_step *s, const char *key,
		     u32 call)
{
	const char *name = lkst_event_ref_call(t->w, call);

	lkst_account_text(t->account, s, key, name, strlen(name));
	lkst_account_say(t->account, s, "()");
}

/* " of /var/log/x": what the descriptor of the call at moment @call refers to, or what it opens. */
static void say_file(struct lkst_narrator *t, struct lkst_account_step *s, u32 call)
{
	const char *name = lkst_call_files_name(&t->files, t->w, call);

	if (!name)
		return;
	lkst_account_say(t->account, s, " of ");
	lkst_account_text(t->account, s, "file", name, strlen(name));
}

/* The address that a futex call is about; 0: it is none, or its entry was not seen. */
static u64 futex_of(const struct lkst_excerpt *w, u32 call)
{
	if (call == LKST_NOWHERE || lkst_event_ref_kind(w, call) != LKST_EVENT_REF_ENTRY ||
	    strncmp(lkst_event_ref_call(w, call), "futex", 5))
		return 0;
	return lkst_event_ref_int(w, call, "uaddr");
}

/* Which function asked for the kernel's lock at moment @i. */
static void say_asker(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	static const char *const fields[] = { "caller", "caller2", "caller3", "caller4",
					      "caller5" };
	enum { NR_FRAMES = sizeof(fields) / sizeof(fields[0]) };
	u64 frames[NR_FRAMES], asker;
	unsigned int k;

	for (k = 0; k < NR_FRAMES; k++)
		frames[k] = lkst_event_ref_int(t->w, i, fields[k]);
	asker = lkst_name_asker(t->w->symbols, frames, NR_FRAMES);
	if (!asker)
		return;
	lkst_account_say(t->account, s, ", asked for by ");
	lkst_account_mean(t->account, s, "lock_caller", LKST_MEANING_CODE, asker);
	lkst_account_say(t->account, s, "()");
}

/* The kernel's lock that is waited for from moment @i on. */
static void say_lock(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	u64 lock = lkst_event_ref_int(t->w, i, "lock"), ignored;
	bool is_named = lkst_symbols_find(t->w->symbols, lock, &ignored);

	lkst_account_say(t->account, s, " on the kernel's lock %s", is_named ? "" : "at ");
	lkst_account_mean(t->account, s, "lock", LKST_MEANING_DATA, lock);
	lkst_account_say(t->account, s, " (");
	lkst_account_mean(t->account, s, "lock_flags", LKST_MEANING_LOCK_FLAGS,
			  lkst_event_ref_int(t->w, i, "flags"));
	lkst_account_say(t->account, s, ")");
	say_asker(t, s, i);
}

void lkst_narrate_wait(struct lkst_narrator *t, struct lkst_account_step *s,
		       const struct lkst_stretch *stretch)
{
	const struct lkst_thread *thread = lkst_threads_find(t->w->threads, s->tid);
	struct lkst_place p;
	u64 futex;

	lkst_place_find(t->w, s->tid, look_at(stretch), &p);
	lkst_account_say(t->account, s, "blocked");
	futex = futex_of(t->w, p.call);
	if (p.call != LKST_NOWHERE) {
		lkst_account_say(t->account, s, " in ");
		say_call(t, s, "call", p.call);
		say_file(t, s, p.call);
	} else if (p.fault != LKST_NOWHERE) {
		lkst_account_say(t->account, s, " in a page fault at ");
		lkst_account_mean(t->account, s, "fault", LKST_MEANING_ADDR,
				  lkst_event_ref_int(t->w, p.fault, "address"));
	} else if (p.work != LKST_NOWHERE) {
		lkst_account_say(t->account, s, " in its work ");
		lkst_account_mean(t->account, s, "work", LKST_MEANING_CODE,
				  lkst_event_ref_int(t->w, p.work, "function"));
	} else if (thread && thread->is_kernel) {
		lkst_account_say(t->account, s, ", a kernel thread");
	}
	if (futex) {
		lkst_account_say(t->account, s, " on the lock at ");
		lkst_account_mean(t->account, s, "futex", LKST_MEANING_ADDR, futex);
	}
	if (p.lock != LKST_NOWHERE)
		say_lock(t, s, p.lock);
	if (p.reclaim != LKST_NOWHERE)
		lkst_account_say(t->account, s, ", looking for memory");
	lkst_narrate_cite(t, s, p.call);
	lkst_narrate_cite(t, s, p.call == LKST_NOWHERE ? p.fault : LKST_NOWHERE);
	lkst_narrate_cite(t, s, p.lock);
	lkst_narrate_cite(t, s, stretch->begin);
	/* What was recorded nearer to the wait says more. */
	if (!lkst_narrate_caller(t, s, stretch->begin) && !lkst_narrate_caller(t, s, p.call))
		lkst_narrate_caller(t, s, p.fault);
}

/* ---- what ended it ------------------------------------------------------------------ */

static void tell_thread(struct lkst_narrator *t, struct lkst_account_step *s,
			const struct lkst_wake_cause *g)
{
	const struct lkst_account_part *futex = lkst_account_find(s, "futex");
	struct lkst_place p;
	s32 waker = t->w->moments[g->waking].tid;
	bool is_released;

	lkst_place_find(t->w, waker, g->waking, &p);
	is_released = futex && futex_of(t->w, p.call) == futex->value;
	lkst_account_say(t->account, s, ", until ");
	lkst_account_fact(t->account, s, "waker", LKST_ACCOUNT_THREAD, (u64)waker);
	lkst_narrate_owner(t, s, "waker_cgroup", waker, s->tid);
	lkst_account_say(t->account, s, is_released ? " released it" : " woke it");
	if (p.ending != LKST_NOWHERE) {
		lkst_account_say(t->account, s, " by ending");
	} else if (p.call != LKST_NOWHERE) {
		lkst_account_say(t->account, s, " in ");
		say_call(t, s, "waker_call", p.call);
	} else if (p.work != LKST_NOWHERE) {
		lkst_account_say(t->account, s, " in its work ");
		lkst_account_mean(t->account, s, "waker_work", LKST_MEANING_CODE,
				  lkst_event_ref_int(t->w, p.work, "function"));
	}
	lkst_narrate_cite(t, s, p.ending != LKST_NOWHERE ? p.ending : p.call);
}

static void tell_timer(struct lkst_narrator *t, struct lkst_account_step *s,
		       const struct lkst_wake_cause *g)
{
	const struct lkst_event_ref *run = &t->w->moments[g->from], *start;

	lkst_account_say(t->account, s, ", until a timer ran");
	if (g->origin == LKST_NOWHERE) {
		lkst_account_say(t->account, s, ", of function ");
		lkst_account_mean(t->account, s, "function", LKST_MEANING_CODE,
				  lkst_event_ref_int(t->w, g->from, "function"));
	} else {
		start = &t->w->moments[g->origin];
		lkst_account_say(t->account, s, " that ");
		if (lkst_wake_cause_context(t->w, g->origin) != LKST_NOWHERE)
			lkst_account_say(t->account, s, "an interrupt");
		else if (start->tid == s->tid)
			lkst_account_say(t->account, s, "it");
		else
			lkst_account_fact(t->account, s, "timer_tid", LKST_ACCOUNT_THREAD,
					  (u64)start->tid);
		lkst_account_say(t->account, s, " had set ");
		lkst_account_fact(t->account, s, "timer_ns", LKST_ACCOUNT_DURATION,
				  run->ns - start->ns);
		lkst_account_say(t->account, s, " before");
	}
	lkst_narrate_cite(t, s, g->origin);
	lkst_narrate_cite(t, s, g->from);
}

static void say_label(struct lkst_narrator *t, struct lkst_account_step *s, const char *key,
		      enum lkst_label_kind kind, u32 number, unsigned int meaning)
{
	const char *label = lkst_labels_find(&t->w->labels, kind, number);

	if (label)
		lkst_account_text(t->account, s, key, label, strlen(label));
	else
		lkst_account_mean(t->account, s, key, meaning, number);
}

static void tell_device(struct lkst_narrator *t, struct lkst_account_step *s,
			const struct lkst_wake_cause *g)
{
	u32 irq = (u32)lkst_event_ref_int(t->w, g->from, "irq");

	if (lkst_event_ref_kind(t->w, g->from) != LKST_EV_irq_handler_entry) {
		lkst_account_say(t->account, s, ", until the CPU's timer interrupt");
	} else {
		lkst_account_say(t->account, s, ", until interrupt ");
		lkst_account_fact(t->account, s, "irq", LKST_ACCOUNT_NUMBER, irq);
		lkst_account_say(t->account, s, " of ");
		say_label(t, s, "device", LKST_LABEL_IRQ, irq, LKST_MEANING_IRQ);
	}
	lkst_narrate_cite(t, s, g->from);
}

static void tell_softirq(struct lkst_narrator *t, struct lkst_account_step *s,
			 const struct lkst_wake_cause *g)
{
	if (lkst_event_ref_kind(t->w, g->from) == LKST_EV_softirq_entry) {
		lkst_account_say(t->account, s, ", until softirq ");
		lkst_account_mean(t->account, s, "softirq", LKST_MEANING_SOFTIRQ,
				  lkst_event_ref_int(t->w, g->from, "vec"));
	} else {
		lkst_account_say(t->account, s, ", until a tasklet of function ");
		lkst_account_mean(t->account, s, "function", LKST_MEANING_CODE,
				  lkst_event_ref_int(t->w, g->from, "function"));
	}
	lkst_narrate_cite(t, s, g->from);
}

/* "10.0.0.2:5432", or the port alone of an address that is too long for a record. */
static void say_sender(struct lkst_narrator *t, struct lkst_account_step *s, const struct lkst_excerpt *w, u32 packet)
{
	if (lkst_event_ref_int(w, packet, "family") == AF_INET) {
		lkst_account_mean(t->account, s, "source_address", LKST_MEANING_IPV4,
				  lkst_event_ref_int(w, packet, "source_address"));
		lkst_account_say(t->account, s, ":");
	} else {
		lkst_account_say(t->account, s, "port ");
	}
	lkst_account_fact(t->account, s, "source_port", LKST_ACCOUNT_NUMBER,
			  lkst_event_ref_int(w, packet, "source_port"));
}

static void tell_packet(struct lkst_narrator *t, struct lkst_account_step *s, const struct lkst_wake_cause *g)
{
	if (lkst_event_ref_kind(t->w, g->from) == LKST_EV_packet_receive) {
		lkst_account_say(t->account, s, ", until a packet came in from ");
		say_sender(t, s, t->w, g->from);
	} else {
		lkst_account_say(t->account, s, ", until a packet came in on ");
		say_label(t, s, "interface", LKST_LABEL_NETDEV,
			  (u32)lkst_event_ref_int(t->w, g->from, "ifindex"), LKST_MEANING_IFINDEX);
	}
	lkst_narrate_cite(t, s, g->from);
}

void lkst_narrate_trigger(struct lkst_narrator *t, struct lkst_account_step *s,
			  const struct lkst_wake_cause *g)
{
	switch (g->kind) {
	case LKST_WAKE_CAUSE_THREAD:
		tell_thread(t, s, g);
		break;
	case LKST_WAKE_CAUSE_TIMER:
		tell_timer(t, s, g);
		break;
	case LKST_WAKE_CAUSE_DISK:
		lkst_account_say(t->account, s, ", until disk ");
		say_label(t, s, "disk", LKST_LABEL_DISK,
			  (u32)lkst_event_ref_int(t->w, g->from, "dev"), LKST_MEANING_DEV);
		lkst_account_say(t->account, s, " had done a request");
		break;
	case LKST_WAKE_CAUSE_PACKET:
		tell_packet(t, s, g);
		break;
	case LKST_WAKE_CAUSE_DEVICE:
		tell_device(t, s, g);
		break;
	case LKST_WAKE_CAUSE_SOFTIRQ:
		tell_softirq(t, s, g);
		break;
	case LKST_WAKE_CAUSE_CPU:
		lkst_account_say(t->account, s, ", until an interrupt that another CPU sent");
		lkst_narrate_cite(t, s, g->from);
		break;
	default:
		lkst_account_say(t->account, s, "; what ended that is not recorded");
		break;
	}
	lkst_account_note(t->account, s, "trigger",
			  lkst_wake_cause_word((enum lkst_wake_cause_kind)g->kind));
	lkst_narrate_cite(t, s, g->waking);
}

/* ---- requests and packets ----------------------------------------------------------- */

struct lkst_account_step *lkst_narrate_request(struct lkst_narrator *t, struct lkst_account_step *s,
					       const struct lkst_wake_cause *g)
{
	static const char *const operations[] = { "read", "write", "flush", "discard" };
	const struct lkst_excerpt *w = t->w;
	u32 begin = g->queued != LKST_NOWHERE ? g->queued : g->origin;
	struct lkst_account_step *r;
	u64 operation;

	if (begin == LKST_NOWHERE) {
		lkst_account_say(t->account, s, " whose beginning is not recorded");
		lkst_narrate_cite(t, s, g->from);
		return s;
	}
	operation = lkst_event_ref_int(w, g->origin, "flags") & REQ_OP_MASK;
	r = lkst_account_add(t->account, s, "request", w->moments[begin].ns, w->moments[g->from].ns,
			     w->moments[begin].tid);
	lkst_account_say(t->account, r, "%s of ",
			 operation < sizeof(operations) / sizeof(operations[0])
				 ? operations[operation]
				 : "operation");
	lkst_account_fact(t->account, r, "bytes", LKST_ACCOUNT_BYTES,
			  lkst_event_ref_int(w, g->origin, "bytes"));
	lkst_account_say(t->account, r, " at sector ");
	lkst_account_fact(t->account, r, "sector", LKST_ACCOUNT_NUMBER,
			  lkst_event_ref_int(w, g->origin, "sector"));
	lkst_account_say(t->account, r, " of disk ");
	say_label(t, r, "disk", LKST_LABEL_DISK, (u32)lkst_event_ref_int(w, g->origin, "dev"),
		  LKST_MEANING_DEV);
	if (g->queued != LKST_NOWHERE) {
		lkst_account_say(t->account, r, ", of it ");
		lkst_account_fact(t->account, r, "queued_ns", LKST_ACCOUNT_DURATION,
				  w->moments[g->origin].ns - w->moments[g->queued].ns);
		lkst_account_say(t->account, r, " before the driver had it");
	}
	lkst_account_say(t->account, r, ", requests ahead of it: ");
	lkst_account_fact(t->account, r, "ahead", LKST_ACCOUNT_NUMBER, lkst_wake_cause_ahead(w, g));
	lkst_narrate_cite(t, r, g->queued);
	lkst_narrate_cite(t, r, g->origin);
	lkst_narrate_cite(t, r, g->from);
	if (g->raised != LKST_NOWHERE) {
		lkst_account_say(t->account, r, ", done by ");
		lkst_account_fact(t->account, r, "waker", LKST_ACCOUNT_THREAD, (u64)g->tid);
		lkst_narrate_cite(t, r, g->raised);
	}
	return r;
}

void lkst_narrate_packet(struct lkst_narrator *t, struct lkst_account_step *s,
			 const struct lkst_wake_cause *g)
{
	const struct lkst_excerpt *w = t->w;
	struct lkst_account_step *p;

	if (g->origin == LKST_NOWHERE)
		return;
	p = lkst_account_add(t->account, s, "packet", w->moments[g->origin].ns,
			     w->moments[g->from].ns, w->moments[g->origin].tid);
	lkst_account_say(t->account, p, "packet of ");
	lkst_account_fact(t->account, p, "bytes", LKST_ACCOUNT_BYTES,
			  lkst_event_ref_int(w, g->from, "bytes"));
	if (g->tid) {
		lkst_account_say(t->account, p, " from ");
		lkst_account_fact(t->account, p, "waker", LKST_ACCOUNT_THREAD, (u64)g->tid);
	} else {
		lkst_account_say(t->account, p, " sent by an interrupt");
	}
	lkst_narrate_cite(t, p, g->origin);
	lkst_narrate_cite(t, p, g->from);
}

struct lkst_account_step *lkst_narrate_peer_packet(struct lkst_narrator *t, struct lkst_account_step *s,
						   const struct lkst_peer_packet *packet, s32 sender)
{
	const struct lkst_excerpt *w = packet->w;
	const u64 sent_ns = w->moments[packet->sent].ns;
	u64 received_ns = lkst_peers_ns(t->w, t->w->moments[packet->received].ns, w);
	struct lkst_narrator theirs = { .w = w, .account = t->account };
	struct lkst_account_step *p;
	u64 error_ns;

	/* Clocks that are not compared well enough may have it the other way round. */
	if (received_ns < sent_ns)
		received_ns = sent_ns;
	p = lkst_account_add(t->account, s, "packet", sent_ns, received_ns, sender);
	p->host = w->host;
	lkst_account_say(t->account, p, "packet of ");
	lkst_account_fact(t->account, p, "bytes", LKST_ACCOUNT_BYTES, lkst_event_ref_int(w, packet->sent, "bytes"));
	lkst_account_say(t->account, p, sender ? " sent from " : " sent by an interrupt from ");
	say_sender(t, p, w, packet->sent);
	if (lkst_peers_error_ns(t->w, w, &error_ns)) {
		lkst_account_say(t->account, p, "; the two clocks agree to ");
		lkst_account_fact(t->account, p, "clock_error_ns", LKST_ACCOUNT_DURATION, error_ns);
	} else {
		lkst_account_say(t->account, p, "; whether the two clocks agree is not known");
	}
	lkst_narrate_cite(&theirs, p, packet->sent);
	return p;
}

void lkst_narrate_many(struct lkst_narrator *t, struct lkst_account_step *s, const char *call,
		       u8 trigger, s32 waker, u32 nr, u64 sum_ns, u64 longest_ns, u32 waking)
{
	const char *word = lkst_wake_cause_word((enum lkst_wake_cause_kind)trigger);

	lkst_account_say(t->account, s, "blocked ");
	lkst_account_fact(t->account, s, "count", LKST_ACCOUNT_NUMBER, nr);
	lkst_account_say(t->account, s, " times");
	if (*call) {
		lkst_account_say(t->account, s, " in ");
		lkst_account_text(t->account, s, "call", call, strlen(call));
		lkst_account_say(t->account, s, "()");
	}
	lkst_account_say(t->account, s, ", woken by ");
	if (waker)
		lkst_account_fact(t->account, s, "waker", LKST_ACCOUNT_THREAD, (u64)waker);
	else
		lkst_account_text(t->account, s, "trigger", word, strlen(word));
	lkst_account_say(t->account, s, ": ");
	lkst_account_fact(t->account, s, "blocked_ns", LKST_ACCOUNT_DURATION, sum_ns);
	lkst_account_say(t->account, s, " in all, the longest ");
	lkst_account_fact(t->account, s, "longest_ns", LKST_ACCOUNT_DURATION, longest_ns);
	lkst_narrate_cite(t, s, waking);
}
