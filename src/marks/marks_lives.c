// SPDX-License-Identifier: GPL-2.0-only
/* Whose threads were that have ended. */
#include "marks/marks_lives.h"

#include <stdlib.h>

#include "trace/format/catalog.h"

enum {
	ENTRIES = 32768, /* that are remembered; a power of two, as is the next */
	HEADS = 8192,
	CHAIN_MAX = 256,   /* of a head that are looked at */
	PARENTS_MAX = 16, /* whose user a process may have from its parent, and so on */
};

enum kind {
	BORN,
	RUNS, /* another program */
	ENDED,
};

struct marks_lives_entry {
	u64 ns;
	u64 before; /* number of the one before it of the same head, plus 1; 0: there was none */
	s32 tid, pid, parent_pid;
	u32 uid, euid;
	u8 kind;
};

struct lkst_marks_lives {
	u64 nr;		  /* entries so far */
	u64 heads[HEADS]; /* number of the newest entry, plus 1 */
	struct marks_lives_entry list[ENTRIES];
};

struct lkst_marks_lives *lkst_marks_lives_new(void)
{
	return calloc(1, sizeof(struct lkst_marks_lives));
}

void lkst_marks_lives_free(struct lkst_marks_lives *l)
{
	free(l);
}

/* ---- what comes in ---------------------------------------------------------------------------- */

static u64 marks_lives_get(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

/* What @r says; false: nothing of interest. */
static bool marks_lives_read_entry(const struct lkst_record *r, struct marks_lives_entry *ret)
{
	*ret = (struct marks_lives_entry){ .ns = r->ns, .tid = r->tid };
	switch (r->event->index) {
	case LKST_EV_sched_process_fork:
		ret->kind = BORN;
		ret->tid = (s32)marks_lives_get(r, "child_tid");
		ret->pid = (s32)marks_lives_get(r, "child_pid");
		ret->parent_pid = (s32)marks_lives_get(r, "parent_pid");
		return true;
	case LKST_EV_exec_args:
		ret->kind = RUNS;
		ret->uid = (u32)marks_lives_get(r, "uid");
		ret->euid = (u32)marks_lives_get(r, "euid");
		return true;
	case LKST_EV_sched_process_exit:
		ret->kind = ENDED;
		ret->pid = (s32)marks_lives_get(r, "exit_pid");
		return true;
	default:
		return false;
	}
}

static void marks_lives_add(struct lkst_marks_lives *l, const struct marks_lives_entry *entry)
{
	u64 *head = &l->heads[(u32)entry->tid % HEADS];
	struct marks_lives_entry *to = &l->list[l->nr % ENTRIES];

	*to = *entry;
	to->before = *head;
	*head = ++l->nr;
}

void lkst_marks_lives_feed(struct lkst_marks_lives *l, const struct lkst_catalog *c, struct lkst_block_cursor *cursor)
{
	struct lkst_record record;
	struct marks_lives_entry entry;

	/* Where a block makes no sense, what it says is not known. */
	while (lkst_block_next(NULL, cursor, c, &record) > 0)
		if (marks_lives_read_entry(&record, &entry))
			marks_lives_add(l, &entry);
}

/* ---- what is asked ---------------------------------------------------------------------------- */

/* The entries of thread @tid, newest first; CPUs record at the same time, so they are nearly in order. */
struct marks_lives_walk {
	const struct lkst_marks_lives *l;
	s32 tid;
	u64 at; /* number of the next one, plus 1 */
	u32 left;
};

static struct marks_lives_walk begin_walk(const struct lkst_marks_lives *l, s32 tid)
{
	return (struct marks_lives_walk){ l, tid, l->heads[(u32)tid % HEADS], CHAIN_MAX };
}

static const struct marks_lives_entry *marks_lives_next_of(struct marks_lives_walk *w)
{
	while (w->at && w->at + ENTRIES > w->l->nr && w->left) {
		const struct marks_lives_entry *entry = &w->l->list[(w->at - 1) % ENTRIES];

		w->at = entry->before;
		w->left--;
		if (entry->tid == w->tid)
			return entry;
	}
	/* What is behind is not looked at: it is as if it were not known. */
	return NULL;
}

/* The last entry of a kind up to @ns, or the first from there on. NULL: it is not known. */
static const struct marks_lives_entry *last_until(const struct lkst_marks_lives *l, s32 tid, enum kind kind, u64 ns)
{
	struct marks_lives_walk w = begin_walk(l, tid);
	const struct marks_lives_entry *found = NULL, *entry;

	while ((entry = marks_lives_next_of(&w)))
		if (entry->kind == kind && entry->ns <= ns && (!found || entry->ns > found->ns))
			found = entry;
	return found;
}

static const struct marks_lives_entry *first_from(const struct lkst_marks_lives *l, s32 tid, enum kind kind, u64 ns)
{
	struct marks_lives_walk w = begin_walk(l, tid);
	const struct marks_lives_entry *found = NULL, *entry;

	while ((entry = marks_lives_next_of(&w)))
		if (entry->kind == kind && entry->ns >= ns && (!found || entry->ns < found->ns))
			found = entry;
	return found;
}

static u64 marks_lives_ns_of(const struct marks_lives_entry *entry)
{
	return entry ? entry->ns : 0;
}

/* Whether process @pid ran as user @uid at @ns. */
static bool ran_as(const struct lkst_marks_lives *l, s32 pid, u32 uid, u64 ns)
{
	u32 i;

	for (i = 0; i < PARENTS_MAX; i++) {
		const struct marks_lives_entry *runs = last_until(l, pid, RUNS, ns),
					       *born = last_until(l, pid, BORN, ns);

		if (runs && runs->ns >= marks_lives_ns_of(born))
			return runs->uid == uid || runs->euid == uid;
		if (!born)
			return false;
		/* It runs what its parent ran, as the same user. */
		pid = born->parent_pid;
		ns = born->ns;
	}
	return false;
}

/* Whether the process was the user's when its thread marked. */
static bool was_user(const struct lkst_marks_lives *l, const struct lkst_marks_ended *ended)
{
	const struct marks_lives_entry *end = first_from(l, ended->pid, ENDED, ended->ns);
	const u64 begin = marks_lives_ns_of(last_until(l, ended->pid, BORN, ended->ns));

	/* The process may have had the thread, and have gone on. */
	if (!end && ended->is_there && marks_lives_ns_of(last_until(l, ended->pid, BORN, UINT64_MAX)) <= ended->ns)
		return true;
	/* Before the first birth that is known it was there already. */
	if (end && ended->was_there_ns && ended->was_there_ns >= begin && ended->was_there_ns <= end->ns)
		return true;
	return ran_as(l, ended->pid, ended->uid, ended->ns);
}

bool lkst_marks_lives_was_of(const struct lkst_marks_lives *l, const struct lkst_marks_ended *ended, u64 *ret_from,
			     u64 *ret_to)
{
	const struct marks_lives_entry *end = first_from(l, ended->tid, ENDED, ended->ns), *born;

	if (!end || end->pid != ended->pid)
		return false;
	born = last_until(l, ended->tid, BORN, end->ns);
	/* This life began later, and the end of the one before is not known. */
	if (marks_lives_ns_of(born) > ended->ns || !was_user(l, ended))
		return false;
	*ret_from = marks_lives_ns_of(born);
	*ret_to = end->ns;
	return true;
}
