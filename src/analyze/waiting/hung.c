/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph of who waits for whom when a trace ends. */
#include "analyze/waiting/hung.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/lock.h"
#include "base/vec.h"

enum {
	STATE_UNINTERRUPTIBLE = 2, /* TASK_*, include/linux/sched.h */
	STATE_NO_LOAD = 0x400,
	FUTEX_COMMAND = 0x7f, /* FUTEX_*, include/uapi/linux/futex.h */
	FUTEX_WAKE_OP = 1,
	FUTEX_CMP_REQUEUE_OP = 4,
	FUTEX_WAKE_AND_OP = 5,
	FUTEX_UNLOCK_PI_OP = 7,
	FUTEX_WAKE_BITSET_OP = 10,
	PLACES_MAX = 1 << 20, /* of locks, and of threads, that are distinguished */
};

/* What the list of threads says of one that waited for a lock. */
struct lkst_hung_listed {
	u64 ns, lock;
	s32 holder_tid;
};

/* Who has taken a lock of a program, which others wanted, as futex(2) shows it. */
struct lkst_hung_taken {
	u64 address;
	u64 ns;
	s32 pid;
	u32 life; /* LKST_LIFE_NONE: it was released, or that is not known */
};

static struct lkst_hung_thread *hung_thread_of(struct lkst_hung *h, u32 life)
{
	const u32 before = h->nr_threads;
	struct lkst_hung_thread *t = lkst_vec_reach(h->threads, h->nr_threads, life);
	u32 i;

	if (!t) {
		h->error = -ENOMEM;
		return NULL;
	}
	for (i = before; i < h->nr_threads; i++)
		h->threads[i].holder = h->threads[i].end = LKST_LIFE_NONE;
	return t;
}

/* ---- the pass --------------------------------------------------------------------- */

/* As lkst_map_set(); -ENOSPC also for the one key that no map has. */
static int hung_put_place(struct lkst_map *m, u64 key, u64 value)
{
	m->max = PLACES_MAX;
	return key == LKST_HASH_NONE ? -ENOSPC : lkst_map_set(m, key, value);
}

static int hung_on_interval(void *ctx, const struct lkst_interval *i)
{
	struct lkst_hung *h = ctx;
	struct lkst_hung_thread *t;
	int err;

	if (i->life->tid <= 0 || i->to_ns <= i->from_ns)
		return 0;
	if (!(i->flags & LKST_INTERVAL_OPEN)) {
		if (i->run != LKST_RUN_BLOCKED || i->wait->cause != LKST_CAUSE_LOCK)
			return 0;
		err = hung_put_place(&h->woken, i->wait->object, i->to_ns);
		h->is_full |= err == -ENOSPC;
		return err == -ENOMEM ? err : 0;
	}
	/* What follows a state that was known until the end of some CPU's records. */
	if (i->run == LKST_RUN_UNKNOWN)
		return 0;
	t = hung_thread_of(h, i->life->nr);
	if (!t)
		return h->error;
	t->from_ns = i->from_ns;
	t->to_ns = i->to_ns;
	t->run = i->run;
	t->cpu = i->cpu;
	t->is_earlier = i->flags & LKST_INTERVAL_EARLIER;
	if (i->wait)
		t->wait = *i->wait;
	return 0;
}

static int hung_on_listed_wait(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_wait *e = record;
	struct lkst_hung *h = ctx;
	struct lkst_hung_listed *l;
	int err;

	if (!e->lock || e->holder_is != LKST_HOLDER_OWNER)
		return 0;
	l = lkst_vec_add(h->list, h->nr_list);
	if (!l)
		return -ENOMEM;
	*l = (struct lkst_hung_listed){ r->ns, e->lock, e->holder_tid };
	err = hung_put_place(&h->listed, (u64)e->thread_tid, h->nr_list);
	return err == -ENOMEM ? err : 0;
}

/* What is known of the futex at @address in process @pid; NULL: nothing. */
static struct lkst_hung_taken *taken_of(const struct lkst_hung *h, s32 pid, u64 address)
{
	const u64 key = address ^ ((u64)(u32)pid * 0x9e3779b97f4a7c15ULL);
	const uint64_t *at = lkst_map_find(&h->takers, key);

	return at && h->taken[*at - 1].pid == pid && h->taken[*at - 1].address == address ? &h->taken[*at - 1] : NULL;
}

static int hung_take(struct lkst_hung *h, s32 pid, u64 address, u32 life, u64 ns)
{
	const u64 key = address ^ ((u64)(u32)pid * 0x9e3779b97f4a7c15ULL);
	struct lkst_hung_taken *taken = taken_of(h, pid, address);
	int err = 0;

	if (!taken && life != LKST_LIFE_NONE) {
		taken = lkst_vec_add(h->taken, h->nr_taken);
		if (!taken)
			return -ENOMEM;
		err = hung_put_place(&h->takers, key, h->nr_taken);
	}
	if (taken)
		*taken = (struct lkst_hung_taken){ address, ns, pid, life };
	return err == -ENOMEM ? err : 0;
}

static bool releases(u64 command)
{
	return command == FUTEX_WAKE_OP || command == FUTEX_WAKE_BITSET_OP || command == FUTEX_WAKE_AND_OP ||
	       command == FUTEX_UNLOCK_PI_OP || command == FUTEX_CMP_REQUEUE_OP;
}

/*
 * Who has waited for a lock of a program, and returns, has it, if he does not wait again. He has marked it as wanted
 * by others, so that he makes a call, too, when he releases it.
 */
static int hung_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lkst_hung *h = ctx;
	const struct lkst_wait as_wait = { .cause = LKST_CAUSE_FUTEX, .call = c->call };
	const s32 pid = c->life->pid;

	if (c->call.row < 0 || strcmp(lkst_syscalls[c->call.row].name, "futex") != 0 || !c->call.has_args ||
	    c->call.nr_args < 3 || !pid || c->life->tid <= 0)
		return 0;
	if (c->flags & LKST_INTERVAL_OPEN && !releases(c->call.args[1] & FUTEX_COMMAND))
		return 0;
	if (releases(c->call.args[1] & FUTEX_COMMAND) || !c->has_exit)
		return hung_take(h, pid, c->call.args[0], LKST_LIFE_NONE, c->to_ns);
	if (!lkst_hung_is_lock_futex(&as_wait))
		return 0;
	return hung_take(h, pid, c->call.args[0], c->ret == 0 || c->ret == -EAGAIN ? c->life->nr : LKST_LIFE_NONE,
			 c->to_ns);
}

int lkst_hung_subscribe(struct lkst_hung *h, struct lkst_feed *f, struct lkst_model *model,
			const struct lkst_limited *limited)
{
	static const struct lkst_model_calls calls = { .interval = hung_on_interval, .call = hung_on_call };
	int r;

	h->model = model;
	r = limited ? lkst_lacks_init(limited, lkst_trace_catalog(lkst_feed_trace(f)), &h->lacks) : 0;
	if (r >= 0)
		r = lkst_model_subscribe(model, &calls, h);
	if (r >= 0)
		r = lkst_feed_event(f, LKST_EV_state_wait, hung_on_listed_wait, h);
	return r < 0 ? r : 1;
}

/* ---- who is stuck ----------------------------------------------------------------- */

static bool hung_is_named(s16 call, const char *const *names)
{
	for (; call >= 0 && *names; names++)
		if (!strcmp(lkst_syscalls[call].name, *names))
			return true;
	return false;
}

/* Calls that wait without a fault of anybody, though neither their name nor their state says so. */
static bool hung_waits_by_nature(s16 call)
{
	static const char *const names[] = { "ioctl", "vfork",		"clone",	"clone3",
					     "fork",  "io_uring_enter", "io_getevents", NULL };

	return hung_is_named(call, names);
}

static bool hung_locks_file(const struct lkst_wait *w)
{
	static const char *const names[] = { "flock", "fcntl", "fcntl64", "semop", "semtimedop", NULL };

	return hung_is_named(w->call.row, names);
}

/* Whether it may be that nobody has opened the other end of a named pipe, which is no harm. */
static bool may_be_at_pipe(const struct lkst_wait *w)
{
	static const char *const names[] = { "open", "openat", "openat2", "creat", NULL };

	return hung_is_named(w->call.row, names);
}

static bool is_uninterruptible(const struct lkst_wait *w)
{
	return (w->task_state & (STATE_UNINTERRUPTIBLE | STATE_NO_LOAD)) == STATE_UNINTERRUPTIBLE;
}

/* Whether nobody would choose to wait so: for a lock, where no signal helps, or in a call that need not wait. */
static bool is_unwanted(const struct lkst_hung_thread *t, const struct lkst_thread_life *life,
			const struct lkst_hung_ask *ask)
{
	const struct lkst_wait *w = &t->wait;

	if (t->run != LKST_RUN_BLOCKED || !w->task_state || hung_waits_by_nature(w->call.row))
		return false;
	if (is_uninterruptible(w) || w->cause == LKST_CAUSE_LOCK)
		return true;
	if (life->is_kernel)
		return false;
	if (w->cause == LKST_CAUSE_FUTEX)
		return lkst_hung_is_lock_futex(w);
	if (w->cause == LKST_CAUSE_IPC)
		return hung_locks_file(w);
	if (w->cause == LKST_CAUSE_SYSCALL && may_be_at_pipe(w))
		return ask && ask->is_at_server(ask->arg, life->pid, life->tid);
	return (w->cause == LKST_CAUSE_SYSCALL && w->call.row >= 0) || w->cause == LKST_CAUSE_FAULT ||
	       w->cause == LKST_CAUSE_SYNC;
}

/* A wait that is older than the trace may be as long as is asked for, if no trace so short can show it. */
static bool is_long(const struct lkst_hung *h, const struct lkst_hung_thread *t, u64 least_ns)
{
	const u64 whole_ns = t->to_ns - lkst_model_complete_from(h->model);

	if (t->to_ns - t->from_ns >= least_ns)
		return true;
	return t->is_earlier && t->from_ns <= lkst_model_complete_from(h->model) && whole_ns < least_ns;
}

/* ---- who waits for whom ----------------------------------------------------------- */

/*
 * Whether @holder, which had the lock of @t at @ns, has it still: it has done nothing since; or it is a lock that is
 * always given to one who waits for it, and none of these was woken.
 */
static bool still_holds(const struct lkst_hung *h, const struct lkst_hung_thread *t, u32 holder, u64 ns)
{
	const struct lkst_hung_thread *by = holder < h->nr_threads ? &h->threads[holder] : NULL;
	const uint64_t *woken;

	if (ns >= t->to_ns)
		return true;
	if (by && (by->run == LKST_RUN_BLOCKED || by->run == LKST_RUN_STOPPED) && by->from_ns <= ns)
		return true;
	/* Who waited before the trace began is not known to wait for this lock when he is woken. */
	if (t->wait.cause != LKST_CAUSE_LOCK || t->is_earlier || h->is_full ||
	    !(t->wait.lock_flags & (LKST_LOCK_MUTEX | LKST_LOCK_RT)) ||
	    lkst_lacks(&h->lacks, LKST_LACK_WAKEUPS, ns, t->to_ns))
		return false;
	woken = lkst_map_find(&h->woken, t->wait.object);
	return !woken || *woken <= ns;
}

static u32 hung_life_of(const struct lkst_hung *h, s32 tid)
{
	const struct lkst_thread_life *life = tid > 0 ? lkst_model_life_of(h->model, tid, 0) : NULL;

	return life && life->tid == tid ? life->nr : LKST_LIFE_NONE;
}

static void set_holder(struct lkst_hung_thread *t, u32 holder, enum lkst_hung_known known)
{
	t->holder = holder;
	t->known = holder == LKST_LIFE_NONE ? LKST_HUNG_NOBODY : known;
}

/* Whether @t, which is the life @life, is stuck at what the list of threads says; *@ret: what. */
static bool is_as_listed(const struct lkst_hung *h, const struct lkst_hung_thread *t,
			 const struct lkst_thread_life *life, const struct lkst_hung_listed **ret)
{
	const uint64_t *place = lkst_map_find(&h->listed, (u64)life->tid);

	*ret = place ? &h->list[*place - 1] : NULL;
	return place && (*ret)->ns >= t->from_ns && (t->wait.cause == LKST_CAUSE_LOCK ? (*ret)->lock == t->wait.object
										   : t->wait.cause == LKST_CAUSE_FUTEX);
}

/* The lock of a program: who took it last, in the trace, and has gone on to something else since. */
static void find_taker(struct lkst_hung *h, struct lkst_hung_thread *t, const struct lkst_thread_life *life)
{
	const struct lkst_hung_taken *taken = life->pid ? taken_of(h, life->pid, t->wait.object) : NULL;
	const struct lkst_hung_thread *by;

	if (!taken || taken->life == LKST_LIFE_NONE || taken->life >= h->nr_threads || taken->life == life->nr)
		return;
	by = &h->threads[taken->life];
	if (by->run != LKST_RUN_BLOCKED || by->from_ns < taken->ns || by->wait.call.row < 0 ||
	    (by->wait.cause == LKST_CAUSE_FUTEX && by->wait.object == t->wait.object) ||
	    lkst_lacks(&h->lacks, LKST_LACK_CALLS, taken->ns, by->from_ns))
		return;
	set_holder(t, taken->life, LKST_HUNG_NOW);
}

/* Who waits for one child waits for that. */
static void find_child(struct lkst_hung *h, struct lkst_hung_thread *t)
{
	const struct lkst_syscall_now *call = &t->wait.call;

	if (t->wait.cause == LKST_CAUSE_CHILD && call->has_args && call->nr_args && call->row >= 0 &&
	    !strcmp(lkst_syscalls[call->row].name, "wait4") && (s32)call->args[0] > 0)
		set_holder(t, hung_life_of(h, (s32)call->args[0]), LKST_HUNG_NOW);
}

static void hung_find_holder(struct lkst_hung *h, struct lkst_hung_thread *t, const struct lkst_thread_life *life,
			     const struct lkst_hung_ask *ask)
{
	const struct lkst_hung_listed *listed;
	s32 tid = 0;
	u32 holder;

	if (t->run != LKST_RUN_BLOCKED)
		return;
	if (ask)
		tid = ask->holder(ask->arg, life->pid, life->tid, &t->wait, &t->how);
	if (tid > 0 && hung_life_of(h, tid) != LKST_LIFE_NONE) {
		set_holder(t, hung_life_of(h, tid), LKST_HUNG_NOW);
		return;
	}
	t->how = NULL;
	tid = t->wait.holder_tid ?: lkst_hung_owner_of(&t->wait);
	if (tid && (t->wait.cause == LKST_CAUSE_LOCK || t->wait.cause == LKST_CAUSE_FUTEX)) {
		holder = hung_life_of(h, tid);
		set_holder(t, holder, still_holds(h, t, holder, t->from_ns) ? LKST_HUNG_NOW : LKST_HUNG_BEGIN);
	}
	if (t->known != LKST_HUNG_NOW && is_as_listed(h, t, life, &listed)) {
		holder = hung_life_of(h, listed->holder_tid);
		if (holder != LKST_LIFE_NONE && still_holds(h, t, holder, listed->ns))
			set_holder(t, holder, LKST_HUNG_NOW);
	}
	if (t->known == LKST_HUNG_NOBODY && t->wait.cause == LKST_CAUSE_FUTEX && lkst_hung_is_lock_futex(&t->wait))
		find_taker(h, t, life);
	find_child(h, t);
}

/* ---- where each way ends ---------------------------------------------------------- */

enum { WALK_NEW, WALK_ON, WALK_DONE };

/* The thread that @life is known to wait for and that the graph has; LKST_LIFE_NONE: none. */
static u32 hung_next_of(const struct lkst_hung *h, u32 life)
{
	const struct lkst_hung_thread *t = &h->threads[life];

	return t->is_cut ? LKST_LIFE_NONE : t->holder;
}

/*
 * The way has come back to @life. If all of the cycle is certain, it is one; else its first uncertain edge is cut, and
 * the way ends there. Those of it that are behind that edge are to be walked again.
 */
static void close_cycle(struct lkst_hung *h, u32 life)
{
	u32 at = life, lowest = life, cut = LKST_LIFE_NONE;

	do {
		h->threads[at].walk = WALK_NEW;
		if (cut == LKST_LIFE_NONE && h->threads[at].known != LKST_HUNG_NOW)
			cut = at;
		lowest = at < lowest ? at : lowest;
		at = h->threads[at].holder;
	} while (at != life);
	if (cut != LKST_LIFE_NONE) {
		h->threads[cut].is_cut = true;
		return;
	}
	do {
		h->threads[at].is_in_cycle = true;
		h->threads[at].end = lowest;
		at = h->threads[at].holder;
	} while (at != life);
}

/* Finds out where the way from @start ends; every thread is passed a few times at most. */
static void hung_walk(struct lkst_hung *h, u32 start)
{
	u32 at = start, next, end;

	/* To the end, or back to where it was. */
	for (;; at = next) {
		h->threads[at].walk = WALK_ON;
		next = hung_next_of(h, at);
		if (next == LKST_LIFE_NONE || h->threads[next].walk == WALK_DONE)
			break;
		if (h->threads[next].walk == WALK_ON) {
			close_cycle(h, next);
			break;
		}
	}
	/* Once more, now that there is an end. */
	for (at = start; !h->threads[at].is_in_cycle && h->threads[at].walk != WALK_DONE; at = next) {
		next = hung_next_of(h, at);
		if (next == LKST_LIFE_NONE)
			break;
	}
	end = h->threads[at].is_in_cycle || h->threads[at].walk == WALK_DONE ? h->threads[at].end : at;
	for (at = start; at != LKST_LIFE_NONE && h->threads[at].walk != WALK_DONE; at = hung_next_of(h, at)) {
		h->threads[at].walk = WALK_DONE;
		h->threads[at].is_told = true;
		if (!h->threads[at].is_in_cycle)
			h->threads[at].end = end;
	}
}

static int make_graph(struct lkst_hung *h, const struct lkst_hung_question *q)
{
	const u32 nr_lives = lkst_model_nr_lives(h->model);
	u32 i;

	/* Then all that a thread may wait for have a place. */
	if (nr_lives && !hung_thread_of(h, nr_lives - 1))
		return -ENOMEM;
	for (i = 0; i < nr_lives; i++) {
		struct lkst_hung_thread *t = &h->threads[i];
		const struct lkst_thread_life *life = lkst_model_life(h->model, i);

		if (!t->run)
			continue;
		t->is_stuck = is_long(h, t, q->least_ns) && is_unwanted(t, life, q->ask);
		hung_find_holder(h, t, life, q->ask);
	}
	for (i = 0; i < nr_lives; i++)
		if (h->threads[i].is_stuck && h->threads[i].walk == WALK_NEW)
			hung_walk(h, i);
	for (i = 0; i < nr_lives; i++) {
		const struct lkst_hung_thread *t = &h->threads[i];

		h->nr_told += t->is_stuck;
		h->nr_others += !t->is_told && (t->run == LKST_RUN_BLOCKED || t->run == LKST_RUN_STOPPED) &&
				is_long(h, t, q->least_ns);
	}
	return 0;
}

/* ---- rows -------------------------------------------------------------------------- */

static int hung_compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* Whether @t waits for nobody, and nobody for it, that is known. */
static bool hung_is_alone(const struct lkst_hung *h, u32 life, const u32 *followers)
{
	return h->threads[life].end == life && !h->threads[life].is_in_cycle && followers[life] <= 1 &&
	       h->threads[life].known == LKST_HUNG_NOBODY;
}

struct hung_order {
	const struct lkst_hung *h;
	const u32 *followers; /* by life: how many stuck threads' ways end there */
};

/* Of threads that wait for nobody who is known, those of a name that wait for the same are one row. */
static int compare_alone(const struct hung_order *o, u32 a, u32 b)
{
	const struct lkst_thread_life *x = lkst_model_life(o->h->model, a), *y = lkst_model_life(o->h->model, b);
	const struct lkst_hung_thread *p = &o->h->threads[a], *q = &o->h->threads[b];
	const bool has_lock = p->wait.cause == LKST_CAUSE_LOCK || p->wait.cause == LKST_CAUSE_FUTEX;
	int order = strncmp(x->comm, y->comm, sizeof(x->comm));

	order = order ?: hung_compare(p->wait.cause, q->wait.cause);
	order = order ?: hung_compare((u64)(p->wait.call.row + 1), (u64)(q->wait.call.row + 1));
	if (!order && has_lock)
		order = hung_compare(p->wait.object, q->wait.object);
	if (!order && p->wait.cause == LKST_CAUSE_FUTEX)
		order = hung_compare((u64)x->pid, (u64)y->pid);
	return order;
}

/* Whose stuck threads are one row lie together. */
static int by_row(const void *a, const void *b, void *arg)
{
	const struct hung_order *o = arg;
	const u32 x = *(const u32 *)a, y = *(const u32 *)b;
	const bool x_alone = hung_is_alone(o->h, x, o->followers), y_alone = hung_is_alone(o->h, y, o->followers);
	int order;

	if (x_alone != y_alone)
		return x_alone ? 1 : -1;
	order = x_alone ? compare_alone(o, x, y) : hung_compare(o->h->threads[x].end, o->h->threads[y].end);
	/* Who has waited longest comes first. */
	return order ?: hung_compare(o->h->threads[x].from_ns, o->h->threads[y].from_ns) ?: hung_compare(x, y);
}

/* A cycle before all else, then the row with most threads, then the longest wait. */
static int hung_by_weight(const void *a, const void *b, void *arg)
{
	const struct lkst_hung *h = arg;
	const struct lkst_hung_row *x = &h->rows[*(const u32 *)a], *y = &h->rows[*(const u32 *)b];
	const bool x_cycle = h->threads[x->end].is_in_cycle, y_cycle = h->threads[y->end].is_in_cycle;

	if (x_cycle != y_cycle)
		return x_cycle ? -1 : 1;
	return hung_compare(y->nr, x->nr) ?: hung_compare(y->longest_ns, x->longest_ns) ?: hung_compare(x->end, y->end);
}

static void hung_fill_row(struct lkst_hung *h, struct lkst_symbols *symbols, const u32 *threads, u32 nr,
			  bool is_of_alone, struct lkst_hung_row *row)
{
	u32 i;

	*row = (struct lkst_hung_row){ .nr = nr, .end = h->threads[threads[0]].end, .since_ns = UINT64_MAX };
	if (is_of_alone)
		row->end = threads[0];
	row->kind = h->threads[row->end].is_in_cycle ? "deadlock" : is_of_alone ? "unknown" : "holder";
	for (i = 0; i < nr; i++) {
		const struct lkst_hung_thread *t = &h->threads[threads[i]];

		if (t->to_ns - t->from_ns > row->longest_ns)
			row->longest_ns = t->to_ns - t->from_ns;
		if (t->from_ns < row->since_ns)
			row->since_ns = t->from_ns;
		row->is_earlier |= t->is_earlier;
	}
	lkst_hung_text(h, symbols, threads, row);
}

/* Makes a row of each stretch of `told`. *@ret_firsts: by row, where it begins. */
static int hung_make_rows(struct lkst_hung *h, struct lkst_symbols *symbols, const struct hung_order *o,
			  u32 **ret_firsts)
{
	u32 i, first, nr_firsts = 0;

	for (i = 0; i < h->nr_told; i = first) {
		const u32 x = h->told[i];
		const bool alone = hung_is_alone(h, x, o->followers);
		struct lkst_hung_row *row = lkst_vec_add(h->rows, h->nr_rows);
		u32 *place = lkst_vec_add(*ret_firsts, nr_firsts);

		if (!row || !place)
			return -ENOMEM;
		*place = i;
		for (first = i + 1; first < h->nr_told; first++) {
			const u32 y = h->told[first];

			if (hung_is_alone(h, y, o->followers) != alone ||
			    (alone ? compare_alone(o, x, y) : hung_compare(h->threads[x].end, h->threads[y].end)))
				break;
		}
		hung_fill_row(h, symbols, &h->told[i], first - i, alone, row);
	}
	return 0;
}

/* Puts the rows into order, and the threads with them. */
static int order_rows(struct lkst_hung *h, const u32 *firsts)
{
	u32 *order = calloc(h->nr_rows + 1, sizeof(*order)), *told = calloc(h->nr_told + 1, sizeof(*told));
	struct lkst_hung_row *rows = calloc(h->nr_rows + 1, sizeof(*rows));
	u32 i, k, at = 0;

	h->row_of = calloc(h->nr_told + 1, sizeof(*h->row_of));
	if (!order || !told || !rows || !h->row_of) {
		free(order);
		free(told);
		free(rows);
		return -ENOMEM;
	}
	for (i = 0; i < h->nr_rows; i++)
		order[i] = i;
	qsort_r(order, h->nr_rows, sizeof(*order), hung_by_weight, h);
	for (i = 0; i < h->nr_rows; i++) {
		rows[i] = h->rows[order[i]];
		for (k = 0; k < rows[i].nr; k++, at++) {
			told[at] = h->told[firsts[order[i]] + k];
			h->row_of[at] = i;
		}
	}
	free(order);
	free(h->rows);
	free(h->told);
	h->rows = rows;
	h->told = told;
	return 0;
}

int lkst_hung_finish(struct lkst_hung *h, const struct lkst_hung_question *q, struct lkst_symbols *symbols)
{
	u32 *followers, *firsts = NULL, i, nr = 0;
	int err = make_graph(h, q);

	if (err)
		return err;
	h->told = calloc(h->nr_told + 1, sizeof(*h->told));
	followers = calloc(h->nr_threads + 1, sizeof(*followers));
	if (!h->told || !followers) {
		free(followers);
		return -ENOMEM;
	}
	for (i = 0; i < h->nr_threads; i++) {
		if (!h->threads[i].is_stuck)
			continue;
		h->told[nr++] = i;
		followers[h->threads[i].end]++;
	}
	qsort_r(h->told, nr, sizeof(*h->told), by_row, &(struct hung_order){ h, followers });
	err = hung_make_rows(h, symbols, &(struct hung_order){ h, followers }, &firsts);
	if (!err)
		err = order_rows(h, firsts);
	free(followers);
	free(firsts);
	return err;
}

void lkst_hung_fini(struct lkst_hung *h)
{
	free(h->threads);
	free(h->rows);
	free(h->told);
	free(h->row_of);
	free(h->list);
	free(h->taken);
	lkst_map_fini(&h->woken);
	lkst_map_fini(&h->listed);
	lkst_map_fini(&h->takers);
	lkst_lacks_fini(&h->lacks);
	*h = (struct lkst_hung){};
}
