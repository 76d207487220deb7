/* SPDX-License-Identifier: GPL-2.0-only */
/* Who asks whom: connections, and answers that do not come. */
#include "analyze/waiting/past_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/ends_in.h"
#include "trace/known/call_result.h"

/* How the state begins to name a socket that its process has connected. */
#define CONNECTED_TO "socket to "

enum { CALL_SENDS = 1, CALL_RECEIVES = 2, CALL_ENDS = 4, CALL_CONNECTS = 8 };

/* What calls do with their first argument, a descriptor, found out once for all: by row. */
static u8 *learn_kinds(void)
{
	u8 *kinds = calloc(lkst_nr_syscalls, sizeof(*kinds));
	unsigned int row;

	for (row = 0; kinds && row < lkst_nr_syscalls; row++) {
		const s16 call = (s16)row;

		if (lkst_past_is_in(call, "connect"))
			kinds[row] = CALL_CONNECTS;
		else if (lkst_past_is_in(call, "close") || lkst_past_is_in(call, "shutdown"))
			kinds[row] = CALL_ENDS;
		else if (lkst_past_sends(call))
			kinds[row] = CALL_SENDS;
		else if (lkst_past_is_heard(call))
			kinds[row] = CALL_RECEIVES;
	}
	return kinds;
}

/* Calls that wait for events of files, and end with 0 when their time is over. */
static bool polls_one(const struct lkst_syscall_now *call)
{
	return (lkst_past_is_in(call->row, "poll") || lkst_past_is_in(call->row, "ppoll")) && call->has_args &&
	       call->args[1] == 1;
}

/* ---- sockets ---------------------------------------------------------------------- */

static int asking_on_connect(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_pasts *h = ctx;
	const struct lkst_thread_life *life;
	struct lkst_past_thread *t = lkst_past_thread_at(h, r, &life);

	if (t)
		t->connecting = lkst_connections_connect(&h->connections, life, record);
	return h->error;
}

static int on_accept(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_pasts *h = ctx;
	const struct lkst_thread_life *life;
	struct lkst_past_thread *t = lkst_past_thread_at(h, r, &life);

	if (t) {
		lkst_connections_accept(&h->connections, life, record, t->has_accepted);
		t->has_accepted = false;
	}
	return h->error;
}

static int on_close(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_pasts *h = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(h->model, r->tid, r->cpu);

	if (life)
		lkst_connections_close(&h->connections, life, (s32)s->args[0]);
	return 0;
}

/* ---- answers that do not come --------------------------------------------------------- */

/* Its wait was for what it has asked on the socket that it has sent on last: nothing came in time. */
static void go_unanswered(struct lkst_pasts *h, struct lkst_past_thread *t, const struct lkst_thread_life *life)
{
	struct lkst_past *p = &h->list[t->unanswered - 1];

	p->flags |= LKST_PAST_IS_UNANSWERED;
	if (!p->about)
		p->about = lkst_about_fd(&h->abouts, life, t->asked_fd - 1);
	t->unanswered = 0;
}

/*
 * Thread @t has polled one file until the time was over, after it had sent on a socket. Which file that was is not
 * recorded: who then sends there again, or closes it, has waited for an answer there; so has who asked a name server.
 */
static void poll_in_vain(struct lkst_pasts *h, struct lkst_past_thread *t, const struct lkst_thread_life *life)
{
	const u32 about = lkst_about_fd(&h->abouts, life, t->asked_fd - 1);
	const char *text = lkst_about_text(&h->abouts, about);

	t->unanswered = t->nr_past;
	h->list[t->nr_past - 1].about = about;
	if (text && lkst_text_ends_in(text, ":53"))
		go_unanswered(h, t, life);
}

/* The last wait of @t went on until its call's own time was over; @polls: in poll(2). */
static void time_is_over(struct lkst_pasts *h, struct lkst_past_thread *t, const struct lkst_thread_life *life,
			 bool polls)
{
	h->list[t->nr_past - 1].flags |= LKST_PAST_TIMED_OUT;
	if (polls && t->asked_fd)
		poll_in_vain(h, t, life);
}

static void follow_asking(struct lkst_pasts *h, struct lkst_past_thread *t, const struct lkst_thread_life *life,
			  const struct lkst_feed_syscall *s, u8 kinds)
{
	const s32 fd = (s32)s->args[0];

	if (!(kinds & (CALL_SENDS | CALL_RECEIVES | CALL_ENDS)))
		return;
	if (t->unanswered && t->asked_fd == fd + 1)
		go_unanswered(h, t, life);
	t->unanswered = 0;
	if (!(kinds & CALL_SENDS))
		t->asked_fd = t->asked_fd == fd + 1 ? 0 : t->asked_fd;
	else if (lkst_connections_is_connected(&h->connections, life, fd))
		t->asked_fd = fd + 1;
	else
		t->asked_fd = 0;
}

/*
 * Connections that were made before the trace begins, as servers have them to their databases, are known by what the
 * descriptors of a process were when it was listed.
 */
static void learn_end(struct lkst_pasts *h, struct lkst_past_thread *t, const struct lkst_thread_life *life, s32 fd)
{
	static const char from[] = "socket from ";
	const char *name;

	if (!h->abouts.descriptors || fd < 0 || t->plain_fd == fd + 1 ||
	    lkst_connections_knows(&h->connections, life, fd))
		return;
	name = lkst_descriptors_name(h->abouts.descriptors, life->tid, fd);
	if (name && !strncmp(name, CONNECTED_TO, strlen(CONNECTED_TO)))
		lkst_connections_learn(&h->connections, life, fd, true);
	else if (name && !strncmp(name, from, strlen(from)))
		lkst_connections_learn(&h->connections, life, fd, false);
	else if (name)
		t->plain_fd = fd + 1; /* what has no name yet may have one later */
}

static int asking_on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_pasts *h = ctx;
	const struct lkst_thread_life *life;
	struct lkst_past_thread *t = lkst_past_thread_at(h, r, &life);
	u8 kinds;

	if (t) {
		t->entry_ns = r->ns;
		t->entry_row = s->row;
		if (lkst_past_is_in(s->row, "rt_sigreturn"))
			t->signal_ns = 0;
	}
	kinds = t && s->nr_args && s->row >= 0 ? h->kinds[s->row] : 0;
	if (kinds & CALL_SENDS)
		learn_end(h, t, life, (s32)s->args[0]);
	else if (kinds)
		t->plain_fd = 0;
	if (kinds & (CALL_SENDS | CALL_ENDS | CALL_CONNECTS))
		lkst_connections_send(&h->connections, life, (s32)s->args[0]);
	if (kinds)
		follow_asking(h, t, life, s, kinds);
	return lkst_cpu_timers_call(&h->timers, r->cpu, kinds & (CALL_SENDS | CALL_ENDS | CALL_CONNECTS)) ?: h->error;
}

/* ---- waits for answers ------------------------------------------------------------------ */

/* Whether it was woken by whom it had woken before; a partner that was busy, or stopped, then was not. */
static bool is_round_trip(struct lkst_past_thread *t, const struct lkst_past *p, s32 fd)
{
	unsigned int k;

	if (p->end != LKST_PAST_END_THREAD)
		return false;
	if (t->partner == p->waker + 1 && t->partner_fd == fd)
		return true;
	for (k = 0; k < LKST_NR_WOKEN; k++)
		if (t->woken[k] == p->waker + 1 && t->woken_ns[k] >= t->waited_ns) {
			t->partner = p->waker + 1;
			t->partner_fd = fd;
			return true;
		}
	return false;
}

/*
 * Whether the thread of @t has asked for what it waits for at a connected socket: it has sent since it waited there
 * last, or waits again in the same call. Where calls were not recorded it has at least woken somebody.
 */
static bool has_asked(struct lkst_pasts *h, const struct lkst_past_thread *t, const struct lkst_interval *i,
		      const struct lkst_past *p)
{
	const u64 call_ns = i->wait->call.from_ns;
	unsigned int k;

	if (lkst_connections_take_sent(&h->connections, i->life, i->wait->fd))
		return true;
	if (t->nr_past && call_ns && t->call_ns == call_ns)
		return h->list[t->nr_past - 1].flags & LKST_PAST_IS_CONNECTED;
	if (call_ns && !lkst_lacks(&h->lacks, LKST_LACK_CALLS, t->waited_ns, p->from_ns))
		return false;
	for (k = 0; k < LKST_NR_WOKEN; k++)
		if (t->woken[k] && t->woken_ns[k] >= t->waited_ns && t->woken_ns[k] <= p->from_ns)
			return true;
	return false;
}

/*
 * Whether a descriptor was a socket that its process had connected, when that was listed. Meanwhile it may have been
 * closed and made again, unseen; but who asks the same thread at the same descriptor then still asks.
 */
static bool may_ask(const struct lkst_pasts *h, const struct lkst_thread_life *life, s32 fd)
{
	const char *name = h->abouts.descriptors ? lkst_descriptors_found(h->abouts.descriptors, life->tid, fd) : NULL;

	return name && !strncmp(name, CONNECTED_TO, strlen(CONNECTED_TO));
}

u32 lkst_asking_flags(struct lkst_pasts *h, const struct lkst_interval *i, struct lkst_past_thread *t,
		      const struct lkst_past *p)
{
	const s32 fd = i->wait->fd;
	u32 flags = 0;

	learn_end(h, t, i->life, fd);
	if (lkst_connections_is_connected(&h->connections, i->life, fd) && has_asked(h, t, i, p))
		flags |= LKST_PAST_IS_CONNECTED;
	if (!lkst_connections_knows(&h->connections, i->life, fd) && is_round_trip(t, p, fd))
		flags |= LKST_PAST_IS_ROUND_TRIP | (may_ask(h, i->life, fd) ? LKST_PAST_MAY_ASK : 0);
	return flags;
}

void lkst_asking_set_peer(struct lkst_pasts *h, struct lkst_past *p, const struct lkst_interval *i)
{
	const bool is_at_socket = p->flags & (LKST_PAST_IS_CONNECTED | LKST_PAST_IS_SENDING);
	const u32 acceptor = is_at_socket ? lkst_connections_acceptor(&h->connections, i->life, i->wait->fd)
					  : LKST_LIFE_NONE;

	if (acceptor == LKST_LIFE_NONE || p->end == LKST_PAST_END_THREAD)
		return;
	p->waker = acceptor;
	p->flags |= LKST_PAST_HAS_PEER;
}

void lkst_asking_woken(struct lkst_pasts *h, const struct lkst_past_thread *waker, const struct lkst_past *p)
{
	/* Who waits in accept(2) and is woken by a connect(2) has that connection. */
	if (lkst_past_is_in(p->call, "accept") && lkst_past_is_in(p->waker_call, "connect") && waker->connecting) {
		lkst_connections_accepted(&h->connections, waker->connecting, p->life);
		h->threads[p->life].has_accepted = true;
	}
}

/*
 * Whether a poll(2) that was not recorded has waited for as long as it should at most: the switch has its arguments,
 * and an interrupt has ended it, as a timer's.
 */
static bool has_polled_in_vain(const struct lkst_past *p, const struct lkst_syscall_now *call)
{
	const bool is_known = lkst_past_is_in(call->row, "poll") && polls_one(call) && call->nr_args > 2;
	const s32 timeout_ms = is_known ? (s32)call->args[2] : 0;

	return timeout_ms > 0 && !call->from_ns &&
	       (p->end == LKST_PAST_END_TIMER || p->end == LKST_PAST_END_INTERRUPT) &&
	       p->to_ns - p->from_ns >= timeout_ms * (u64)1000000;
}

void lkst_asking_waited(struct lkst_pasts *h, struct lkst_past_thread *t, const struct lkst_interval *i,
			const struct lkst_past *p)
{
	if (has_polled_in_vain(p, &i->wait->call))
		time_is_over(h, t, i->life, true);
}

/* Whether the call ended because its own time was over. */
static bool is_timeout(const struct lkst_call_interval *c)
{
	if (!c->ret)
		return polls_one(&c->call);
	/* Who has waited, and is told that it goes on, has waited for as long as the socket's SO_SNDTIMEO says. */
	if (c->ret == -ETIMEDOUT || c->ret == -EINPROGRESS)
		return lkst_past_is_in(c->call.row, "connect");
	return c->ret == -EAGAIN && lkst_sys_waits[lkst_syscalls[c->call.row].waits].receives;
}

static void note_timeout(struct lkst_pasts *h, const struct lkst_call_interval *c)
{
	struct lkst_past_thread *t = c->life->nr < h->nr_threads ? &h->threads[c->life->nr] : NULL;

	if (!t || !t->nr_past || !c->from_ns || t->call_ns != c->from_ns || !is_timeout(c) ||
	    h->list[t->nr_past - 1].end == LKST_PAST_END_THREAD)
		return;
	time_is_over(h, t, c->life, !c->ret);
}

void lkst_asking_ended(struct lkst_pasts *h, const struct lkst_call_interval *c)
{
	note_timeout(h, c);
	if (c->ret != -EINPROGRESS && lkst_call_has_failed(c->call.row, c->ret) &&
	    lkst_past_is_in(c->call.row, "connect") && c->life->nr < h->nr_threads)
		lkst_connections_refused(&h->connections, h->threads[c->life->nr].connecting);
}

/*
 * What was listed later was of the same process, and not of another one with its number: its thread has not ended. And
 * it is the same connection, as far as that counts: who ended the wait has ended the last one there.
 */
void lkst_asking_settle(const struct lkst_pasts *h, struct lkst_past *p)
{
	const struct lkst_thread_life *life = lkst_model_life(h->model, p->life);

	if (life && !life->is_over && lkst_connections_answerer(&h->connections, p->life, (s32)p->object) == p->waker)
		p->flags = (p->flags & ~(u32)LKST_PAST_IS_ROUND_TRIP) | LKST_PAST_IS_CONNECTED;
	p->object = 0;
}

int lkst_asking_subscribe(struct lkst_pasts *h, struct lkst_feed *f)
{
	int r;

	h->kinds = learn_kinds();
	if (!h->kinds)
		return -ENOMEM;
	r = lkst_feed_event(f, LKST_EV_socket_connect, asking_on_connect, h);
	if (r >= 0)
		r = lkst_feed_event(f, LKST_EV_socket_accept, on_accept, h);
	if (r >= 0)
		r = lkst_feed_syscalls(f, asking_on_entry, NULL, h);
	if (r >= 0)
		r = lkst_feed_syscall(f, "close", on_close, NULL, h);
	return r;
}
