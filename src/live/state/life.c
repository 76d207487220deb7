/* SPDX-License-Identifier: GPL-2.0-only */
/* What life records say about threads that the kernel's list does not show. */
#include "live/state/life.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "trace/format/block.h"

enum {
	ENTRIES_MAX = 1 << 18, /* beyond, the older half goes */
	RENEWED_MAX = 1 << 22, /* the numbers that there can be */
	COMM = 16,
	EXIT_DEAD = 0x10, /* TASK_STATE of one that has ended: include/linux/sched.h */
};

enum life_kind {
	BORN,
	RENAMED,
	ENDED,
};

struct life_entry {
	u64 ns;
	s32 tid, pid;
	enum life_kind kind;
	u64 task, cgroup; /* when it ended; 0: not known */
	char name[COMM]; /* before it was renamed; when it ended */
};

struct lkst_life_log {
	const struct lkst_catalog *catalog;
	struct life_entry *list;
	unsigned int nr;
	s32 *moved; /* threads that came to another cgroup, and processes as negative numbers */
	unsigned int nr_moved;
	s32 *renewed; /* processes that have run another program, or began */
	unsigned int nr_renewed;
};

/* ---- lists -------------------------------------------------------------------------- */

int lkst_thread_list_set_idle(struct lkst_thread_list *l, unsigned int cpu, u64 task)
{
	u64 *idle_task = lkst_vec_reach(l->idle_tasks, l->nr_idle_tasks, cpu);

	if (!idle_task)
		return -ENOMEM;
	*idle_task = task;
	return 0;
}

int lkst_thread_list_add(struct lkst_thread_list *l, const struct lkst_rec_state_thread *thread)
{
	struct lkst_rec_state_thread *added = lkst_vec_add(l->list, l->nr);

	if (!added)
		return -ENOMEM;
	*added = *thread;
	return 0;
}

void lkst_thread_list_fini(struct lkst_thread_list *l)
{
	free(l->list);
	free(l->waits);
	free(l->idle_tasks);
	free(l->renewed);
}

/* ---- what comes in ------------------------------------------------------------------ */

static u64 get_int(const struct lkst_record *r, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	return f ? lkst_record_int(r, f) : 0;
}

static void get_name(const struct lkst_record *r, const char *name, char ret_name[COMM])
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);
	const u8 *bytes;
	u32 length = 0;

	memset(ret_name, 0, COMM);
	bytes = f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;
	if (bytes)
		memcpy(ret_name, bytes, length < COMM - 1 ? length : COMM - 1);
}

/* What @r says; false: nothing of interest. */
static bool read_entry(const struct lkst_record *r, struct life_entry *ret)
{
	*ret = (struct life_entry){ .ns = r->ns };
	switch (r->event->index) {
	case LKST_EV_sched_process_fork:
		ret->kind = BORN;
		ret->tid = (s32)get_int(r, "child_tid");
		return true;
	case LKST_EV_task_rename:
		ret->kind = RENAMED;
		ret->tid = (s32)get_int(r, "target_tid");
		get_name(r, "oldcomm", ret->name);
		return ret->name[0];
	case LKST_EV_sched_process_exit:
		ret->kind = ENDED;
		ret->tid = r->tid;
		ret->pid = (s32)get_int(r, "exit_pid");
		ret->task = get_int(r, "task");
		ret->cgroup = get_int(r, "cgroup");
		get_name(r, "comm", ret->name);
		return true;
	default:
		return false;
	}
}

static int life_by_time(const void *a, const void *b)
{
	const struct life_entry *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static void drop_half(struct lkst_life_log *l)
{
	qsort(l->list, l->nr, sizeof(*l->list), life_by_time);
	memmove(l->list, l->list + l->nr / 2, (l->nr - l->nr / 2) * sizeof(*l->list));
	l->nr -= l->nr / 2;
}

static int life_add(struct lkst_life_log *l, const struct life_entry *entry)
{
	struct life_entry *added;

	if (l->nr == ENTRIES_MAX)
		drop_half(l);
	added = lkst_vec_add(l->list, l->nr);
	if (!added)
		return -ENOMEM;
	*added = *entry;
	return 0;
}

/* Where a thread was before it was moved is not recorded. */
static int note_move(struct lkst_life_log *l, const struct lkst_record *r)
{
	s32 tid = (s32)get_int(r, "target_tid");
	s32 *added = tid > 0 && l->nr_moved < ENTRIES_MAX ? lkst_vec_add(l->moved, l->nr_moved) : NULL;

	if (added)
		*added = get_int(r, "is_process") ? -tid : tid;
	return added || tid <= 0 || l->nr_moved == ENTRIES_MAX ? 0 : -ENOMEM;
}

/* Beyond the most, numbers are missing: then arguments of a later time may be taken for earlier ones. */
static int note_renewed(struct lkst_life_log *l, s32 pid)
{
	s32 *added = l->nr_renewed < RENEWED_MAX ? lkst_vec_add(l->renewed, l->nr_renewed) : NULL;

	if (added)
		*added = pid;
	return added || l->nr_renewed == RENEWED_MAX ? 0 : -ENOMEM;
}

static int life_note(struct lkst_life_log *l, const struct lkst_record *r)
{
	struct life_entry entry;
	int err = read_entry(r, &entry) ? life_add(l, &entry) : 0;

	if (err)
		return err;
	switch (r->event->index) {
	case LKST_EV_cgroup_attach_task:
		return note_move(l, r);
	case LKST_EV_sched_process_exec:
		return note_renewed(l, r->tid);
	case LKST_EV_sched_process_fork:
		return note_renewed(l, (s32)get_int(r, "child_tid"));
	default:
		return 0;
	}
}

int lkst_life_feed(struct lkst_life_log *l, const void *blocks, size_t length)
{
	const u8 *bytes = blocks, *end = bytes + length;
	struct lkst_block_cursor cursor;
	struct lkst_block block;
	struct lkst_record record;
	int err = 0;

	for (; bytes < end && !err; bytes += block.size) {
		/* A block that makes no sense is reported by whoever reads the trace. */
		if (lkst_block_parse(NULL, bytes, (size_t)(end - bytes), NULL, &block))
			return 0;
		lkst_block_cursor_init(&cursor, &block);
		while (!err && lkst_block_next(NULL, &cursor, l->catalog, &record) > 0)
			err = life_note(l, &record);
	}
	return err;
}

void lkst_life_forget(struct lkst_life_log *l, u64 ns)
{
	unsigned int i, nr = 0;

	for (i = 0; i < l->nr; i++)
		if (l->list[i].ns >= ns)
			l->list[nr++] = l->list[i];
	l->nr = nr;
	l->nr_renewed = 0;
}

/* ---- what comes out ----------------------------------------------------------------- */

static int add_ended(struct lkst_thread_list *threads, const struct life_entry *entry, u64 cgroup)
{
	struct lkst_rec_state_thread r = { .thread_tid = entry->tid,
					   .thread_pid = entry->pid,
					   .state = EXIT_DEAD,
					   .thread_cpu = -1,
					   .task = entry->task,
					   .cgroup = cgroup };

	memcpy(r.comm, entry->name, sizeof(r.comm));
	return lkst_thread_list_add(threads, &r);
}

/* Orders by thread, and what is said of one thread by time. */
static int life_by_thread(const void *a, const void *b)
{
	const struct life_entry *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return life_by_time(a, b);
}

static int life_by_tid(const void *a, const void *b)
{
	const struct life_entry *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* Keeps the first entry of each thread, in the order of the threads' numbers. */
static void keep_first(struct lkst_life_log *l)
{
	unsigned int i, nr = 0;

	qsort(l->list, l->nr, sizeof(*l->list), life_by_thread);
	for (i = 0; i < l->nr; i++)
		if (!nr || l->list[nr - 1].tid != l->list[i].tid) {
			l->list[nr++] = l->list[i];
		} else if (l->list[nr - 1].kind == RENAMED && l->list[i].kind == ENDED &&
			   !l->list[nr - 1].pid) {
			/* Renamed, then ended: it was there, under its first name. */
			l->list[nr - 1].kind = ENDED;
			l->list[nr - 1].pid = l->list[i].pid;
			l->list[nr - 1].task = l->list[i].task;
			l->list[nr - 1].cgroup = l->list[i].cgroup;
		}
	l->nr = nr;
}

static int life_by_number(const void *a, const void *b)
{
	const s32 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool has_moved(const struct lkst_life_log *l, s32 tid, s32 pid)
{
	const s32 process = -pid;

	return l->nr_moved && (bsearch(&tid, l->moved, l->nr_moved, sizeof(tid), life_by_number) ||
			       bsearch(&process, l->moved, l->nr_moved, sizeof(process), life_by_number));
}

/* Keeps each number once, so that there are never more than numbers. */
static void sort_once(s32 *list, unsigned int *nr)
{
	unsigned int i, kept = 0;

	if (*nr)
		qsort(list, *nr, sizeof(*list), life_by_number);
	for (i = 0; i < *nr; i++)
		if (!kept || list[kept - 1] != list[i])
			list[kept++] = list[i];
	*nr = kept;
}

/* Gives the processes that are not what they were to @threads. */
static void take_renewed(struct lkst_life_log *l, struct lkst_thread_list *threads)
{
	sort_once(l->renewed, &l->nr_renewed);
	free(threads->renewed);
	threads->renewed = l->renewed;
	threads->nr_renewed = l->nr_renewed;
	l->renewed = NULL;
	l->nr_renewed = 0;
}

int lkst_life_undo(struct lkst_life_log *l, struct lkst_thread_list *threads)
{
	unsigned int i, nr_alive = threads->nr;
	int err = 0;

	keep_first(l);
	take_renewed(l, threads);
	if (l->nr_moved)
		qsort(l->moved, l->nr_moved, sizeof(*l->moved), life_by_number);
	for (i = 0; i < nr_alive; i++) {
		const struct life_entry key = { .tid = threads->list[i].thread_tid };
		const struct life_entry *found =
			l->nr ? bsearch(&key, l->list, l->nr, sizeof(key), life_by_tid) : NULL;

		/* A number that was given out again is another thread's now. */
		if (found && found->kind == RENAMED)
			memcpy(threads->list[i].comm, found->name, COMM);
		if (has_moved(l, threads->list[i].thread_tid, threads->list[i].thread_pid))
			threads->list[i].cgroup = 0;
	}
	for (i = 0; i < l->nr && !err; i++)
		if (l->list[i].kind == ENDED)
			err = add_ended(threads, &l->list[i],
					has_moved(l, l->list[i].tid, l->list[i].pid) ? 0 : l->list[i].cgroup);
	return err;
}

int lkst_life_add_ended(struct lkst_life_log *l, struct lkst_thread_list *threads)
{
	unsigned int i;
	int err = 0;

	qsort(l->list, l->nr, sizeof(*l->list), life_by_time);
	for (i = 0; i < l->nr && !err; i++)
		if (l->list[i].kind == ENDED)
			err = add_ended(threads, &l->list[i], l->list[i].cgroup);
	return err;
}

/* ---- lifetime ----------------------------------------------------------------------- */

struct lkst_life_log *lkst_life_new(const struct lkst_catalog *catalog)
{
	struct lkst_life_log *l = calloc(1, sizeof(*l));

	if (l)
		l->catalog = catalog;
	return l;
}

void lkst_life_free(struct lkst_life_log *l)
{
	if (!l)
		return;
	free(l->list);
	free(l->moved);
	free(l->renewed);
	free(l);
}
