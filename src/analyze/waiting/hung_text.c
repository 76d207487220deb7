/* SPDX-License-Identifier: GPL-2.0-only */
/* The sentences of what has not ended. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "abi/lock.h"
#include "analyze/waiting/hung.h"
#include "base/size.h"

enum {
	STATE_TRACED = 8,     /* TASK_*, include/linux/sched.h */
	FUTEX_COMMAND = 0x7f, /* FUTEX_*, include/uapi/linux/futex.h */
	FUTEX_WAIT_OP = 0,
	FUTEX_LOCK_PI_OP = 6,
	FUTEX_WAIT_BITSET_OP = 9,
	FUTEX_LOCK_PI2_OP = 13,
	FUTEX_CONTENDED = 2, /* the value of a lock that others wait for, in glibc and musl */
	FUTEX_TID = 0x3fffffff, /* of who has it, in robust locks, and in others of musl */
	FUTEX_OWNER_DIED = 0x40000000,
	THREADS_TOLD = 4,
	CYCLE_TOLD = 5,
	WHAT = 256,
};

#define FUTEX_WAITERS 0x80000000U

struct hung_text_writer {
	char *text;
	size_t length;
	const struct lkst_hung *h;
	struct lkst_symbols *symbols;
};

static void hung_text_say(struct hung_text_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void hung_text_say(struct hung_text_writer *w, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->text + w->length, LKST_HUNG_TEXT - w->length, format, args);
	va_end(args);
	if (n > 0)
		w->length += (size_t)n;
	if (w->length >= LKST_HUNG_TEXT)
		w->length = LKST_HUNG_TEXT - 1;
}

bool lkst_hung_is_lock_futex(const struct lkst_wait *w)
{
	const struct lkst_syscall_now *call = &w->call;
	const u64 command = call->args[1] & FUTEX_COMMAND;

	if (!call->has_args || call->nr_args < 3)
		return false;
	if (command == FUTEX_LOCK_PI_OP || command == FUTEX_LOCK_PI2_OP)
		return true;
	return (command == FUTEX_WAIT_OP || command == FUTEX_WAIT_BITSET_OP) &&
	       ((u32)call->args[2] == FUTEX_CONTENDED || lkst_hung_owner_of(w));
}

s32 lkst_hung_owner_of(const struct lkst_wait *w)
{
	const u64 command = w->call.args[1] & FUTEX_COMMAND;
	const u32 value = (u32)w->call.args[2];

	if (w->cause != LKST_CAUSE_FUTEX || !w->call.has_args || w->call.nr_args < 3 ||
	    (command != FUTEX_WAIT_OP && command != FUTEX_WAIT_BITSET_OP) || !(value & FUTEX_WAITERS))
		return 0;
	return value & FUTEX_OWNER_DIED ? 0 : (s32)(value & FUTEX_TID);
}

/* "4711/shop" */
static void say_thread(struct hung_text_writer *w, u32 life)
{
	const struct lkst_thread_life *l = lkst_model_life(w->h->model, life);

	if (l->comm[0])
		hung_text_say(w, "%d/%.16s", l->tid, l->comm);
	else
		hung_text_say(w, "%d", l->tid);
}

static const char *lock_word(u32 flags)
{
	if (flags & LKST_LOCK_MUTEX)
		return "mutex";
	if (flags & LKST_LOCK_RT)
		return "rt-mutex";
	if (flags & LKST_LOCK_READ)
		return "to read";
	return flags & LKST_LOCK_WRITE ? "to write" : "semaphore";
}

static const char *hung_text_call_of(const struct lkst_hung_thread *t, char call[64])
{
	call[0] = '\0';
	if (t->wait.call.row >= 0)
		snprintf(call, 64, "%s()", lkst_syscalls[t->wait.call.row].name);
	return call;
}

void lkst_hung_what(const struct lkst_hung_thread *t, struct lkst_symbols *symbols, char *text, size_t room)
{
	const struct lkst_wait *w = &t->wait;
	char call[64], name[LKST_SYMBOL_ROOM];
	u64 ignored;

	hung_text_call_of(t, call);
	switch (w->cause) {
	case LKST_CAUSE_LOCK:
		*lkst_symbols_put(symbols, name, w->object) = '\0';
		snprintf(text, room, "the kernel's lock %s%.128s (%s)%s%s",
			 symbols && lkst_symbols_find(symbols, w->object, &ignored) ? "" : "at ", name,
			 lock_word(w->lock_flags), call[0] ? " in " : "", call);
		break;
	case LKST_CAUSE_FUTEX:
		if (lkst_hung_is_lock_futex(w))
			snprintf(text, room, "the lock at 0x%llx in %s", (unsigned long long)w->object, call);
		else
			snprintf(text, room, "%s", call);
		break;
	case LKST_CAUSE_FAULT:
		snprintf(text, room, "a page of its memory");
		break;
	case LKST_CAUSE_KERNEL:
		snprintf(text, room, "work, as a thread of the kernel");
		break;
	default:
		snprintf(text, room, "%s", call[0] ? call : "something that is not known");
		break;
	}
}

static void say_what(struct hung_text_writer *w, const struct lkst_hung_thread *t)
{
	char what[WHAT];

	lkst_hung_what(t, w->symbols, what, sizeof(what));
	if (t->wait.cause == LKST_CAUSE_LOCK || t->wait.cause == LKST_CAUSE_FAULT ||
	    t->wait.cause == LKST_CAUSE_KERNEL || t->wait.call.row < 0 ||
	    (t->wait.cause == LKST_CAUSE_FUTEX && lkst_hung_is_lock_futex(&t->wait)))
		hung_text_say(w, "waits for %s", what);
	else if (t->wait.cause == LKST_CAUSE_SLEEP)
		hung_text_say(w, "sleeps in %s", what);
	else
		hung_text_say(w, "waits in %s", what);
}

/* " for 12.3 s"; of what began before the trace: " for at least 12.3 s". */
static void hung_text_say_for(struct hung_text_writer *w, const struct lkst_hung_thread *t)
{
	char text[LKST_DURATION_TEXT];

	lkst_duration_format(t->to_ns - t->from_ns, text);
	hung_text_say(w, " for %s%s", t->is_earlier ? "at least " : "", text);
}

/* ", which 4711/shop has": of whom it waits for, and how well that is known. */
static void hung_text_say_holder(struct hung_text_writer *w, const struct lkst_hung_thread *t)
{
	if (t->known == LKST_HUNG_NOBODY)
		return;
	if (t->wait.cause == LKST_CAUSE_CHILD) {
		hung_text_say(w, " until ");
		say_thread(w, t->holder);
		hung_text_say(w, " ends");
		return;
	}
	hung_text_say(w, ", which ");
	say_thread(w, t->holder);
	if (t->known == LKST_HUNG_BEGIN)
		hung_text_say(w, " had when the wait began");
	else if (t->how)
		hung_text_say(w, " has (%s)", t->how);
	else if (t->wait.cause == LKST_CAUSE_FUTEX && !t->wait.holder_tid && !lkst_hung_owner_of(&t->wait))
		hung_text_say(w, " took last");
	else
		hung_text_say(w, " has");
}

static void say_wait(struct hung_text_writer *w, u32 life)
{
	const struct lkst_hung_thread *t = &w->h->threads[life];

	say_thread(w, life);
	hung_text_say(w, " ");
	say_what(w, t);
	hung_text_say_holder(w, t);
	hung_text_say_for(w, t);
}

/* What the thread does that all wait for. */
static void say_doing(struct hung_text_writer *w, u32 life)
{
	const struct lkst_hung_thread *t = &w->h->threads[life];
	const struct lkst_thread_life *l = lkst_model_life(w->h->model, life);

	switch (t->run) {
	case LKST_RUN_RUNNING:
		hung_text_say(w, "runs");
		if (t->cpu >= 0)
			hung_text_say(w, " on CPU %d", t->cpu);
		break;
	case LKST_RUN_READY:
		hung_text_say(w, t->is_earlier ? "is ready" : "is ready but has no CPU");
		break;
	case LKST_RUN_STOPPED:
		hung_text_say(w, t->wait.task_state & STATE_TRACED ? "is stopped by its tracer (ptrace)"
							 : "is stopped by a signal");
		break;
	case LKST_RUN_BLOCKED:
		say_what(w, t);
		hung_text_say_holder(w, t);
		break;
	default:
		hung_text_say(w, l->is_over || t->run == LKST_RUN_DEAD ? "has ended" : "does what is not known");
		return;
	}
	hung_text_say_for(w, t);
}

/* The first of @threads that are not the row's end or of its cycle, and how many more there are. */
static void say_waiters(struct hung_text_writer *w, const u32 *threads, const struct lkst_hung_row *row)
{
	u32 i, told = 0, nr = 0;

	for (i = 0; i < row->nr; i++) {
		if (threads[i] == row->end || w->h->threads[threads[i]].is_in_cycle)
			continue;
		nr++;
		if (told == THREADS_TOLD)
			continue;
		hung_text_say(w, told++ ? "; " : ": ");
		say_wait(w, threads[i]);
	}
	if (nr > told)
		hung_text_say(w, "; and %u more", nr - told);
}

static u32 nr_waiters(const struct hung_text_writer *w, const u32 *threads, const struct lkst_hung_row *row)
{
	u32 i, nr = 0;

	for (i = 0; i < row->nr; i++)
		nr += threads[i] != row->end && !w->h->threads[threads[i]].is_in_cycle;
	return nr;
}

static void say_deadlock(struct hung_text_writer *w, const u32 *threads, const struct lkst_hung_row *row)
{
	const u32 nr = nr_waiters(w, threads, row);
	u32 at = row->end, told = 0, length = 0;

	hung_text_say(w, "deadlock: ");
	do {
		if (told < CYCLE_TOLD) {
			hung_text_say(w, told++ ? "; " : "");
			say_wait(w, at);
		}
		length++;
		at = w->h->threads[at].holder;
	} while (at != row->end);
	if (length > told)
		hung_text_say(w, "; and so on through %u more", length - told);
	if (!nr)
		return;
	hung_text_say(w, ". %u more wait%s for %s", nr, nr == 1 ? "s" : "", length == 1 ? "it" : "them");
	say_waiters(w, threads, row);
}

static void say_end(struct hung_text_writer *w, const u32 *threads, const struct lkst_hung_row *row)
{
	const u32 nr = nr_waiters(w, threads, row);

	if (nr) {
		hung_text_say(w, nr == 1 ? "%u thread waits for " : "%u threads wait for ", nr);
		say_thread(w, row->end);
		hung_text_say(w, ", which ");
	} else {
		say_thread(w, row->end);
		hung_text_say(w, " ");
	}
	say_doing(w, row->end);
	say_waiters(w, threads, row);
}

static void say_unknown(struct hung_text_writer *w, const u32 *threads, const struct lkst_hung_row *row)
{
	const struct lkst_thread_life *l = lkst_model_life(w->h->model, threads[0]);
	u32 i;

	if (row->nr == 1) {
		say_wait(w, threads[0]);
	} else {
		hung_text_say(w, "%u threads %.16s: each ", row->nr, l->comm);
		say_what(w, &w->h->threads[threads[0]]);
		hung_text_say(w, ", the longest");
		hung_text_say_for(w, &w->h->threads[threads[0]]);
		for (i = 0; i < row->nr && i < THREADS_TOLD; i++)
			hung_text_say(w, "%s%d", i ? ", " : " (threads ",
				      lkst_model_life(w->h->model, threads[i])->tid);
		hung_text_say(w, row->nr > THREADS_TOLD ? " and %u more)" : ")", row->nr - THREADS_TOLD);
	}
	hung_text_say(w, "; who keeps %s waiting is not known", row->nr == 1 ? "it" : "them");
}

void lkst_hung_text(const struct lkst_hung *h, struct lkst_symbols *symbols, const u32 *threads,
		    struct lkst_hung_row *row)
{
	struct hung_text_writer w = { .text = row->text, .h = h, .symbols = symbols };

	row->text[0] = '\0';
	if (h->threads[row->end].is_in_cycle)
		say_deadlock(&w, threads, row);
	else if (!strcmp(row->kind, "unknown"))
		say_unknown(&w, threads, row);
	else
		say_end(&w, threads, row);
}
