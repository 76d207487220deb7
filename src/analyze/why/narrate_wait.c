/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about waits: in what, for what, and what ended them. */
#include "analyze/why/narrate_wait.h"

#include <string.h>
#include <sys/socket.h>

#include "abi/lock.h"
#include "analyze/engine/naming.h"
#include "analyze/why/place.h"
#include "base/out.h"

enum {
	REQ_OP_MASK = 0xff, /* include/linux/blk_types.h */
};

/* ---- who called: by the stacks that a handler has recorded after events ---------------------- */

enum {
	STACK_SEARCH_MAX = 64, /* moments about the thread between an event and its stack */
	FRAMES_TOLD = 6,
};

/* The moment of the stack that a handler wrote after moment @i of thread @tid, LKST_NOWHERE: it wrote none. */
static u32 find_stack(const struct lkst_excerpt *w, s32 tid, u32 i)
{
	struct lkst_places_list own = lkst_excerpt_thread(w, tid);
	u32 at = lkst_places_before(own, i) + 1, steps;

	for (steps = 0; at < own.nr && steps < STACK_SEARCH_MAX; at++, steps++) {
		const u16 kind = lkst_event_ref_kind(w, own.at[at]);
		const bool is_own = w->moments[own.at[at]].tid == tid;

		if (kind == LKST_EV_tick)
			continue;
		if (is_own && kind == LKST_EVENT_REF_STACK)
			return own.at[at];
		/* Others may wake it meanwhile; when it runs again, what follows is about something else. */
		if (is_own || kind == LKST_EV_sched_switch)
			break;
	}
	return LKST_NOWHERE;
}

/* Puts the function of one frame, or its address if nothing is known of it. */
static char *narrate_stack_put_frame(const struct lkst_narrator *t, char *p, const struct lkst_event_ref *m, s32 pid,
				     u64 address, bool is_return)
{
	const struct lkst_code_view code = { t->w->mappings, t->w->namer };
	char *end;

	if (is_return)
		p = lkst_put_str(p, " by ");
	end = lkst_code_put(&code, p, pid, m->ns, address, is_return);
	return end != p ? end : lkst_put_hex(p, address);
}

/*
 * ", called from commit+0x1c[db] by main+0x81[db]": the program's stack that was recorded after moment @i of the thread
 * of @s, if there is one. True: it was told.
 */
static bool narrate_caller(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	const u32 at = i == LKST_NOWHERE ? LKST_NOWHERE : find_stack(t->w, s->tid, i);
	const s32 pid = lkst_threads_pid_of(t->w->threads, s->tid);
	const struct lkst_event_ref *m;
	char text[FRAMES_TOLD * (LKST_CODE_TEXT + sizeof(" by "))], *p = text;
	u64 frames[FRAMES_TOLD];
	u32 nr, k;

	if (at == LKST_NOWHERE)
		return false;
	m = &t->w->moments[at];
	nr = lkst_event_ref_frames(t->w, at, frames, FRAMES_TOLD);
	if (!nr)
		return false;
	for (k = 0; k < nr; k++)
		p = narrate_stack_put_frame(t, p, m, pid, frames[k], k);
	lkst_account_say(t->account, s, ", called from ");
	lkst_account_text(t->account, s, "called_from", text, (size_t)(p - text));
	lkst_narrate_cite(t, s, at);
	return true;
}

/* ---- in what and for what -------------------------------------------------------------------- */

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
static u32 narrate_wait_look_at(const struct lkst_stretch *stretch)
{
	return stretch->begin != LKST_NOWHERE ? stretch->begin
	       : stretch->end != LKST_NOWHERE ? stretch->end
					      : 0;
}

const char *lkst_narrate_call_name(const struct lkst_narrator *t, s32 tid,
				   const struct lkst_stretch *stretch)
{
	struct lkst_place place;

	lkst_place_find(t->w, tid, narrate_wait_look_at(stretch), &place);
	return place.call == LKST_NOWHERE ? "" : lkst_event_ref_call(t->w, place.call);
}

static void narrate_wait_say_call(struct lkst_narrator *t, struct lkst_account_step *s, const char *key,
				  u32 call)
{
	const char *name = lkst_event_ref_call(t->w, call);

	lkst_account_text(t->account, s, key, name, strlen(name));
	lkst_account_say(t->account, s, "()");
}

/* " of /var/log/x": what the descriptor of the call at moment @call refers to, or what it opens. */
static void say_file(struct lkst_narrator *t, struct lkst_account_step *s, u32 call)
{
	const struct lkst_event_ref *m = &t->w->moments[call];
	const char *name = lkst_event_ref_kind(t->w, call) == LKST_EVENT_REF_ENTRY
				   ? lkst_call_files_name(t->w->files, m->tid, m->ns)
				   : NULL;

	if (!name)
		return;
	lkst_account_say(t->account, s, " of ");
	lkst_account_text(t->account, s, "file", name, strlen(name));
}

/* The address that a futex call is about; 0: it is none, or its entry was not seen. */
static u64 futex_of(const struct lkst_excerpt *w, u32 call)
{
	if (call == LKST_NOWHERE || strncmp(lkst_event_ref_call(w, call), "futex", 5))
		return 0;
	if (lkst_event_ref_kind(w, call) == LKST_EV_sched_switch)
		return lkst_event_ref_arg(w, call, 0);
	return lkst_event_ref_kind(w, call) == LKST_EVENT_REF_ENTRY ? lkst_event_ref_int(w, call, "uaddr") : 0;
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

/* Who had the lock of moment @i. Who reads, or took a semaphore, may have it no more while others do. */
static void narrate_wait_say_holder(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	const u64 is = lkst_event_ref_int(t->w, i, "holder_is"), tid = lkst_event_ref_int(t->w, i, "holder_tid");

	if (is == LKST_HOLDER_OWNER) {
		lkst_account_say(t->account, s, ", held by ");
		lkst_account_fact(t->account, s, "holder", LKST_ACCOUNT_THREAD, tid);
		lkst_account_say(t->account, s, " when the wait began");
	} else if (is == LKST_HOLDER_READER) {
		lkst_account_say(t->account, s, ", read by others, ");
		lkst_account_fact(t->account, s, "last_reader", LKST_ACCOUNT_THREAD, tid);
		lkst_account_say(t->account, s, " among the last");
	} else if (is == LKST_HOLDER_TAKER) {
		lkst_account_say(t->account, s, ", taken last by ");
		lkst_account_fact(t->account, s, "last_taker", LKST_ACCOUNT_THREAD, tid);
	}
}

/* The kernel's lock that is waited for from moment @i on. */
static void say_lock(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	const u64 flags = lkst_event_ref_int(t->w, i, "flags");
	u64 lock = lkst_event_ref_int(t->w, i, "lock"), ignored;
	bool is_named = lkst_symbols_find(t->w->symbols, lock, &ignored);

	lkst_account_say(t->account, s, " on the kernel's lock %s", is_named ? "" : "at ");
	lkst_account_mean(t->account, s, "lock", LKST_MEANING_DATA, lock);
	if (!flags) {
		lkst_account_say(t->account, s, " (semaphore)");
	} else {
		lkst_account_say(t->account, s, " (");
		lkst_account_mean(t->account, s, "lock_flags", LKST_MEANING_LOCK_FLAGS, flags);
		lkst_account_say(t->account, s, ")");
	}
	say_asker(t, s, i);
}

/* The lock that a wait at @p is for, and who had it. @is_futex: it is the program's own, and said already. */
static void say_locks(struct lkst_narrator *t, struct lkst_account_step *s, const struct lkst_place *p, bool is_futex)
{
	const u32 said = p->blocker != LKST_NOWHERE ? p->blocker : p->lock;
	const bool is_same = p->lock != LKST_NOWHERE &&
			     lkst_event_ref_int(t->w, said, "lock") == lkst_event_ref_int(t->w, p->lock, "lock");

	if (said == LKST_NOWHERE)
		return;
	if (!is_futex || lkst_event_ref_int(t->w, said, "flags") != LKST_LOCK_RT)
		say_lock(t, s, is_same ? p->lock : said);
	narrate_wait_say_holder(t, s, said);
}

/* That a thread looks for memory of a cgroup from moment @i on, and which: the limit may be of one above. */
static void say_cgroup_reclaim(struct lkst_narrator *t, struct lkst_account_step *s, u32 i)
{
	const char *path = lkst_narrate_cgroup(t, lkst_event_ref_int(t->w, i, "cgroup"));

	lkst_account_say(t->account, s, ", looking for memory of its cgroup");
	if (!path)
		return;
	lkst_account_say(t->account, s, ", ");
	lkst_account_text(t->account, s, "memory_cgroup", path, strlen(path));
	lkst_account_say(t->account, s, " or one above");
}

/* Whether the registers tell a call that goes on from one that is over. */
static bool is_exact(const struct lkst_excerpt *w)
{
	return !lkst_catalog_is_arm64(w->catalog);
}

/* Who is stopped waits for no file or lock: its state says so (TASK_*, include/linux/sched.h). */
static const char *wait_word(const struct lkst_excerpt *w, u32 begin)
{
	enum { STOPPED = 4, TRACED = 8, FROZEN = 0x8000 };
	const u64 state = begin != LKST_NOWHERE && lkst_event_ref_kind(w, begin) == LKST_EV_sched_switch
				  ? lkst_event_ref_int(w, begin, "prev_state")
				  : 0;

	return state & TRACED ? "stopped by its tracer" : state & STOPPED ? "stopped by a signal"
						      : state & FROZEN	  ? "frozen"
									  : "blocked";
}

void lkst_narrate_wait(struct lkst_narrator *t, struct lkst_account_step *s,
		       const struct lkst_stretch *stretch)
{
	const struct lkst_thread *thread = lkst_threads_find(t->w->threads, s->tid);
	struct lkst_place p;
	u64 futex;

	lkst_place_find(t->w, s->tid, narrate_wait_look_at(stretch), &p);
	lkst_account_say(t->account, s, "%s", wait_word(t->w, stretch->begin));
	futex = futex_of(t->w, p.call);
	if (p.call != LKST_NOWHERE) {
		lkst_account_say(t->account, s, " in ");
		narrate_wait_say_call(t, s, "call", p.call);
		say_file(t, s, p.call);
	} else if (p.behind != LKST_NOWHERE) {
		lkst_account_say(t->account, s, is_exact(t->w) ? " on its way out of " : " in or behind ");
		narrate_wait_say_call(t, s, "call", p.behind);
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
	say_locks(t, s, &p, futex != 0);
	if (p.reclaim != LKST_NOWHERE)
		lkst_account_say(t->account, s, ", looking for memory");
	if (p.cgroup_reclaim != LKST_NOWHERE)
		say_cgroup_reclaim(t, s, p.cgroup_reclaim);
	lkst_narrate_cite(t, s, p.call == stretch->begin ? LKST_NOWHERE : p.call);
	lkst_narrate_cite(t, s, p.call == LKST_NOWHERE ? p.fault : LKST_NOWHERE);
	lkst_narrate_cite(t, s, p.lock);
	lkst_narrate_cite(t, s, p.blocker);
	lkst_narrate_cite(t, s, stretch->begin);
	/* What was recorded nearer to the wait says more. */
	if (!narrate_caller(t, s, stretch->begin) && !narrate_caller(t, s, p.call))
		narrate_caller(t, s, p.fault);
}

/* ---- what ended it ------------------------------------------------------------------ */

static void narrate_wait_tell_thread(struct lkst_narrator *t, struct lkst_account_step *s,
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
		narrate_wait_say_call(t, s, "waker_call", p.call);
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
		else if (!lkst_wake_cause_is_threads(t->w, g->origin))
			lkst_account_say(t->account, s, "a thread or an interrupt");
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
		narrate_wait_tell_thread(t, s, g);
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
	case LKST_WAKE_CAUSE_SOME_SOFTIRQ:
		lkst_account_say(t->account, s, ", until a softirq woke it; which one is not recorded");
		break;
	case LKST_WAKE_CAUSE_INTERRUPT:
		lkst_account_say(t->account, s, ", until an interrupt woke it; which one is not recorded");
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
	s64 ahead;
	u64 operation;

	if (begin == LKST_NOWHERE) {
		lkst_account_say(t->account, s, " whose beginning is not recorded");
		lkst_narrate_cite(t, s, g->from);
		return s;
	}
	ahead = lkst_wake_cause_ahead(w, g);
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
	if (ahead >= 0) {
		lkst_account_say(t->account, r, ", requests ahead of it: ");
		lkst_account_fact(t->account, r, "ahead", LKST_ACCOUNT_NUMBER, (u64)ahead);
	}
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
	} else if (lkst_wake_cause_context(w, g->origin) != LKST_NOWHERE) {
		lkst_account_say(t->account, p, " sent by an interrupt");
	} else {
		lkst_account_say(t->account, p, " sent by a thread or an interrupt");
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
