/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads by number; their creation, names and ends. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/model/model_parts.h"
#include "base/vec.h"

enum {
	CLONE_THREAD_FLAG = 0x10000, /* CLONE_THREAD, include/uapi/linux/sched.h */
	/* A thread's listed creation is this much before the record of it, at most. */
	LISTED_SLACK_NS = 1000000000,
	CANDIDATES = 16, /* that are looked at for one that has ended */
	EXIT_SIGNAL = 0x7f, /* of an exit code: wait(2) */
	EXIT_CORE = 0x80,
	FORMER_MAX = 1 << 18, /* names that lives had before */
};

/* ---- tables ----------------------------------------------------------------------- */

struct lkst_thread_life *lkst_model_life_now(struct lkst_model *s, s32 tid)
{
	struct lkst_thread_life *life;
	u32 chunk = s->nr_lives / LKST_LIVES_CHUNK;

	if (s->nr_lives % LKST_LIVES_CHUNK == 0) {
		struct lkst_thread_life **chunks =
			reallocarray(s->lives, chunk + 1, sizeof(struct lkst_thread_life *));

		if (!chunks)
			return NULL;
		s->lives = chunks;
		chunks[chunk] = calloc(LKST_LIVES_CHUNK, sizeof(struct lkst_thread_life));
		if (!chunks[chunk])
			return NULL;
	}
	life = &s->lives[chunk][s->nr_lives % LKST_LIVES_CHUNK];
	life->nr = s->nr_lives++;
	life->tid = tid;
	life->idle_cpu = -1;
	return life;
}

static struct lkst_model_thread **model_threads_place_of(struct lkst_model *s, s32 tid)
{
	struct lkst_model_thread ***leaf = &s->tids[tid / LKST_TIDS_LEAF];

	if (!*leaf)
		*leaf = calloc(LKST_TIDS_LEAF, sizeof(struct lkst_model_thread *));
	return *leaf ? &(*leaf)[tid % LKST_TIDS_LEAF] : NULL;
}

/* A thread of which nothing is known but its life. */
static void reset(struct lkst_model_thread *t, u64 since_ns)
{
	*t = (struct lkst_model_thread){ .life = t->life,
					 .further = t->further,
					 .since_ns = since_ns,
					 .no_call_ns = since_ns,
					 .has_doubt = true,
					 .cpu = -1 };
}

/* The same, if it is in the list of threads: what that says of it stays. */
static void reset_listed(struct lkst_model_thread *t, u64 since_ns)
{
	u32 listed_state = t->listed_state;
	u64 listed_ns = t->listed_ns;

	reset(t, since_ns);
	t->is_listed = true;
	t->listed_state = listed_state;
	t->listed_ns = listed_ns;
}

/* Gives @t a life of its own, or a share in that of all further threads. */
static int model_threads_begin_life(struct lkst_model *s, struct lkst_model_thread *t, s32 tid)
{
	struct lkst_thread_life *all;

	if (s->nr_lives < LKST_LIVES_MAX) {
		t->life = lkst_model_life_now(s, tid);
		return t->life ? 0 : -ENOMEM;
	}
	if (s->further == LKST_LIFE_NONE) {
		all = lkst_model_life_now(s, -1);
		if (!all)
			return -ENOMEM;
		snprintf(all->comm, sizeof(all->comm), "further threads");
		all->has_comm = true;
		s->further = all->nr;
	}
	s->nr_further++;
	t->further = (struct lkst_thread_life){ .nr = s->further, .tid = tid, .idle_cpu = -1 };
	t->life = &t->further;
	return 0;
}

/* @t's number is free again. */
static int model_threads_drop(struct lkst_model *s, struct lkst_model_thread *t)
{
	struct lkst_model_thread **added = lkst_vec_add(s->free_threads, s->nr_free);

	if (!added)
		return -ENOMEM;
	*model_threads_place_of(s, t->life->tid) = NULL;
	s->nr_threads--;
	*added = t;
	return 0;
}

/* The CPU that is believed to run @t, or NULL. */
static struct lkst_model_cpu *cpu_with(const struct lkst_model *s,
				       const struct lkst_model_thread *t)
{
	struct lkst_model_cpu *c = t->cpu >= 0 && (u32)t->cpu < s->nr_cpus ? s->cpus[t->cpu] : NULL;

	return c && c->thread == t ? c : NULL;
}

/*
 * Makes room for one more thread: drops one; if the trace shows that thread again, it is new. Takes the next one
 * in order of numbers, preferably one that has ended, and never one that runs.
 */
static int model_threads_make_room(struct lkst_model *s)
{
	struct lkst_model_thread *victim = NULL, *t;
	u32 looked, nr_met = 0, at = s->hand;

	for (looked = 0; looked < LKST_TID_MAX && nr_met < CANDIDATES; looked++) {
		at = (at + 1) % LKST_TID_MAX;
		if (!s->tids[at / LKST_TIDS_LEAF]) {
			at |= LKST_TIDS_LEAF - 1;
			continue;
		}
		t = lkst_model_find(s, (s32)at);
		if (!t || t->run == LKST_RUN_RUNNING || cpu_with(s, t))
			continue;
		nr_met++;
		if (!victim || t->run == LKST_RUN_DEAD)
			victim = t;
		if (t->run == LKST_RUN_DEAD)
			break;
	}
	if (!victim)
		return -ENOMEM;
	s->hand = (u32)victim->life->tid;
	return model_threads_drop(s, victim);
}

static struct lkst_model_thread *model_threads_make(struct lkst_model *s, s32 tid, u64 since_ns)
{
	struct lkst_model_thread **place = model_threads_place_of(s, tid), *t;

	if (!place || (s->nr_threads == LKST_MODEL_THREADS_MAX && model_threads_make_room(s) < 0))
		return NULL;
	t = s->nr_free ? s->free_threads[--s->nr_free] : malloc(sizeof(*t));
	if (!t || model_threads_begin_life(s, t, tid)) {
		free(t);
		return NULL;
	}
	reset(t, since_ns);
	*place = t;
	s->nr_threads++;
	return t;
}

struct lkst_model_thread *lkst_model_get(struct lkst_model *s, s32 tid)
{
	struct lkst_model_thread *t = lkst_model_find(s, tid);

	if (t || tid <= 0 || tid >= LKST_TID_MAX)
		return t;
	return model_threads_make(s, tid, s->begin_ns);
}

/* The CPU that was believed to run @t does not. */
static int leave_cpu(struct lkst_model *s, struct lkst_model_thread *t, u64 ns)
{
	struct lkst_model_cpu *c = cpu_with(s, t);

	if (!c)
		return 0;
	s->doubts.missed++;
	return lkst_model_lose_cpu(s, c, c->last_ns, ns, false);
}

/* The life of @t is over, at @ns or before. */
static int model_threads_end_life(struct lkst_model *s, struct lkst_model_thread *t, u64 ns)
{
	int err = leave_cpu(s, t, ns);

	if (err < 0)
		return err;
	if (t->is_seen || t->run != LKST_RUN_UNKNOWN)
		err = lkst_model_change(s, t, ns,
					t->run == LKST_RUN_DEAD ? LKST_RUN_DEAD : LKST_RUN_UNKNOWN,
					LKST_RUN_DEAD, NULL);
	if (err >= 0 && !t->life->is_over) {
		t->life->is_over = true;
		t->life->end_ns = ns;
		err = lkst_model_tell_over(s, t->life);
	}
	return err;
}

struct lkst_model_thread *lkst_model_reuse(struct lkst_model *s, struct lkst_model_thread *t,
					   u64 ns)
{
	if (model_threads_end_life(s, t, ns) < 0 || model_threads_begin_life(s, t, t->life->tid))
		return NULL;
	reset(t, ns);
	return t;
}

/* ---- names and families ------------------------------------------------------------- */

/* Keeps the name that a life has until now. Where there is no room, it is not found by it. */
static void keep_former(struct lkst_model *s, struct lkst_thread_life *life)
{
	struct lkst_former_name *former =
		s->nr_former < FORMER_MAX ? lkst_vec_add(s->former, s->nr_former) : NULL;

	if (!former)
		return;
	former->before = life->former;
	memcpy(former->comm, life->comm, sizeof(former->comm));
	life->former = s->nr_former;
}

bool lkst_model_was_called(const struct lkst_model *s, const struct lkst_thread_life *life, const char *name)
{
	char comm[sizeof(life->comm) + 1] = "";
	u32 at;

	memcpy(comm, life->comm, sizeof(life->comm));
	if (life->has_comm && !fnmatch(name, comm, 0))
		return true;
	for (at = life->former; at; at = s->former[at - 1].before) {
		memcpy(comm, s->former[at - 1].comm, sizeof(life->comm));
		if (!fnmatch(name, comm, 0))
			return true;
	}
	return false;
}

static void model_threads_set_comm(struct lkst_model *s, struct lkst_thread_life *life, const comm16 comm)
{
	if (life->has_comm && strncmp(life->comm, (const char *)comm, sizeof(life->comm) - 1))
		keep_former(s, life);
	memcpy(life->comm, comm, sizeof(life->comm));
	life->comm[sizeof(life->comm) - 1] = 0;
	life->has_comm = true;
}

/* Whether @t is the thread whose creation at @ns is being reported: it was in the list of threads. */
static bool is_listed_as_born(const struct lkst_model_thread *t, u64 ns)
{
	u64 start_ns = t->life->start_ns;

	return t->is_listed && !t->is_seen && !t->life->is_born && start_ns &&
	       start_ns <= ns + LISTED_SLACK_NS && ns <= start_ns + LISTED_SLACK_NS;
}

/*
 * Number @tid begins to exist. Two events show it, task_newtask and sched_process_fork, and a trace
 * may have either.
 */
static int be_born(struct lkst_model *s, const struct lkst_record *r, s32 tid, const comm16 comm,
		   struct lkst_model_thread **ret_thread)
{
	struct lkst_model_thread *t = lkst_model_find(s, tid);
	const struct lkst_model_thread *parent = lkst_model_find(s, r->tid);
	const bool is_kernel = parent && parent->life->is_kernel;

	*ret_thread = NULL;
	if (tid <= 0 || tid >= LKST_TID_MAX)
		return 0;
	if (t && t->run == LKST_RUN_NEW && t->life->is_born) {
		*ret_thread = t;
		return 0;
	}
	if (t && is_listed_as_born(t, r->ns))
		reset_listed(t, r->ns);
	else
		t = t ? lkst_model_reuse(s, t, r->ns) : model_threads_make(s, tid, r->ns);
	if (!t)
		return -ENOMEM;
	s->renamed_tid = s->renamed_tid == tid ? 0 : s->renamed_tid;
	t->life->start_ns = r->ns;
	t->life->is_born = t->is_fresh = true;
	t->life->is_kernel = is_kernel;
	model_threads_set_comm(s, t->life, comm);
	*ret_thread = t;
	return lkst_model_change(s, t, r->ns, LKST_RUN_UNKNOWN, LKST_RUN_NEW, NULL);
}

static int model_threads_on_newtask(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_task_newtask *e = record;
	struct lkst_model *s = ctx;
	const struct lkst_model_thread *parent;
	struct lkst_model_thread *t;
	int err = be_born(s, r, e->child_tid, e->child_comm, &t);

	parent = lkst_model_find(s, r->tid);
	if (err < 0 || !t)
		return err;
	if (!(e->clone_flags & CLONE_THREAD_FLAG))
		t->life->pid = e->child_tid;
	else if (parent)
		t->life->pid = parent->life->pid;
	if (parent)
		t->life->parent_pid = e->clone_flags & CLONE_THREAD_FLAG ? parent->life->parent_pid
									 : parent->life->pid;
	return 0;
}

static int model_threads_on_fork(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_fork *e = record;
	struct lkst_model_thread *t;
	int err = be_born(ctx, r, e->child_tid, e->child_comm, &t);

	if (err < 0 || !t)
		return err;
	t->life->pid = e->child_pid;
	t->life->cgroup = e->cgroup;
	/* A further thread of a process has the process's parent, not the process as its parent. */
	if (e->child_pid != e->parent_pid)
		t->life->parent_pid = e->parent_pid;
	return 0;
}

/*
 * A thread that is not the first of its process runs another program: it has the number of the first when it gets the
 * new name, before any other record shows that.
 */
static void rename_next_owner(struct lkst_model *s, const struct lkst_record *r, const comm16 comm)
{
	struct lkst_model_cpu *c = r->cpu < s->nr_cpus ? s->cpus[r->cpu] : NULL;

	s->renamed_tid = r->tid;
	memcpy(s->renamed_comm, comm, sizeof(s->renamed_comm));
	if (c && c->life && c->thread && lkst_model_takes_over(s, c->thread, r->tid, r->ns))
		c->tid = r->tid;
}

static int model_threads_on_rename(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_task_rename *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_thread *t = lkst_model_get(s, e->target_tid);

	if (!t)
		return 0;
	/* Who has ended does nothing more. */
	if (e->target_tid == r->tid && (t->life->has_exit || lkst_model_run(s, t) == LKST_RUN_DEAD))
		rename_next_owner(s, r, e->newcomm);
	else
		model_threads_set_comm(s, t->life, e->newcomm);
	return 0;
}

bool lkst_model_takes_over(struct lkst_model *s, struct lkst_model_thread *t, s32 tid, u64 ns)
{
	struct lkst_model_thread *leader = lkst_model_find(s, tid);
	s32 old_tid = t->life->tid;

	/* The leader has ended, and waits for this to have its number taken (de_thread(), fs/exec.c). */
	if (tid <= 0 || tid >= LKST_TID_MAX || t->life->pid != tid || old_tid == tid ||
	    !model_threads_place_of(s, tid) ||
	    (leader && lkst_model_run(s, leader) != LKST_RUN_DEAD &&
	     lkst_model_run(s, leader) != LKST_RUN_UNKNOWN))
		return false;
	if (leader && (model_threads_end_life(s, leader, ns) < 0 || model_threads_drop(s, leader) < 0))
		return false;
	*model_threads_place_of(s, old_tid) = NULL;
	*model_threads_place_of(s, tid) = t;
	t->life->tid = tid;
	if (s->renamed_tid == tid)
		model_threads_set_comm(s, t->life, s->renamed_comm);
	s->renamed_tid = s->renamed_tid == tid ? 0 : s->renamed_tid;
	return true;
}

static int model_threads_on_exec(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exec *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_thread *t = lkst_model_find(s, r->tid);
	struct lkst_model_thread *old = lkst_model_find(s, e->old_tid);
	struct lkst_model_cpu *c = r->cpu < s->nr_cpus ? s->cpus[r->cpu] : NULL;

	/* No event in between has shown the new number yet. */
	if (e->old_tid != r->tid && old && lkst_model_takes_over(s, old, r->tid, r->ns)) {
		t = old;
		if (c && c->thread == t)
			c->tid = r->tid;
	}
	if (!t)
		t = lkst_model_get(s, r->tid);
	if (!t)
		return 0;
	t->life->pid = r->tid;
	t->life->is_kernel = false;
	return 0;
}

static int model_threads_on_thread_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_exit *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_thread *t = lkst_model_get(s, r->tid);

	if (!t)
		return 0;
	t->life->pid = e->exit_pid;
	t->life->exit_code = e->exit_code;
	t->life->cgroup = e->cgroup;
	t->life->command = s->threads ? lkst_threads_command_of(s->threads, r->tid) : NULL;
	t->life->has_exit = true;
	model_threads_set_comm(s, t->life, e->comm);
	return 0;
}

const char *lkst_life_crash(const struct lkst_thread_life *life)
{
	/* The numbers of x86 and arm64 (include/uapi/asm-generic/signal.h). */
	static const char *const names[] = { [4] = "SIGILL", [5] = "SIGTRAP",  [6] = "SIGABRT", [7] = "SIGBUS",
					     [8] = "SIGFPE", [11] = "SIGSEGV", [31] = "SIGSYS" };
	const u32 signal = life->exit_code & EXIT_SIGNAL;

	return life->has_exit && signal < sizeof(names) / sizeof(names[0]) ? names[signal] : NULL;
}

bool lkst_life_has_core(const struct lkst_thread_life *life)
{
	return life->has_exit && life->exit_code & EXIT_CORE;
}

/* This comes late: the number may have been given out again already, and then it is not that thread's. */
static int model_threads_on_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_free *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_thread *t = lkst_model_find(s, e->freed_tid);
	int err;

	if (!t ||
	    (lkst_model_run(s, t) != LKST_RUN_DEAD && lkst_model_run(s, t) != LKST_RUN_UNKNOWN))
		return 0;
	/* A thread that was created in the trace and has not been seen to end is the number's next owner. */
	if (t->run != LKST_RUN_DEAD && t->life->is_born && !t->life->has_exit)
		return 0;
	err = model_threads_end_life(s, t, r->ns);
	return err < 0 ? err : model_threads_drop(s, t);
}

/* ---- the list of threads ------------------------------------------------------------ */

static int model_threads_on_clock(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_clock *e = record;
	struct lkst_model *s = ctx;

	if (!s->has_boot_offset)
		s->boot_offset_ns = (s64)(e->boottime_ns - e->monotonic_ns);
	s->has_boot_offset = true;
	return 0;
}

static int on_listed(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_thread *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_thread *t = lkst_model_get(s, e->thread_tid);

	/* Of several lists the first one counts: names change later. */
	s->listed_tid = 0;
	if (!t || t->is_listed)
		return 0;
	t->is_listed = true;
	t->listed_state = e->state;
	t->listed_ns = r->ns;
	t->life->pid = e->thread_pid;
	t->life->parent_pid = e->parent_pid;
	t->life->cgroup = e->cgroup;
	t->life->is_kernel = e->flags & LKST_THREAD_KERNEL;
	model_threads_set_comm(s, t->life, e->comm);
	if (s->has_boot_offset && (s64)e->start_ns > s->boot_offset_ns)
		t->life->start_ns = e->start_ns - (u64)s->boot_offset_ns;
	/* Whoever is in the list was created before; the clocks may differ a little. */
	if (t->life->start_ns > r->ns)
		t->life->start_ns = t->life->start_ns <= r->ns + LISTED_SLACK_NS ? r->ns : 0;
	if (t->life->start_ns > t->since_ns)
		t->since_ns = t->no_call_ns = t->life->start_ns;
	s->listed_tid = e->thread_tid;
	return 0;
}

/* It follows the record of its thread, if that was taken. */
static int model_threads_on_listed_wait(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_wait *e = record;
	struct lkst_model *s = ctx;
	struct lkst_model_thread *t = s->listed_tid == e->thread_tid ? lkst_model_get(s, e->thread_tid) : NULL;

	if (t && !t->is_seen)
		lkst_model_locate_listed(s, t, r, e);
	s->listed_tid = 0;
	return 0;
}

void lkst_model_know_cgroups(struct lkst_model *s, const struct lkst_threads *threads)
{
	s->threads = threads;
}

u64 lkst_model_cgroup(const struct lkst_model *s, const struct lkst_thread_life *life)
{
	return life->is_over || life->has_exit ? life->cgroup : lkst_threads_cgroup_of(s->threads, life->tid);
}

const struct lkst_command_line *lkst_model_command(const struct lkst_model *s, const struct lkst_thread_life *life)
{
	return life->is_over || life->has_exit ? life->command : lkst_threads_command_of(s->threads, life->tid);
}

const struct lkst_cgroups *lkst_model_cgroups(const struct lkst_model *s)
{
	return lkst_threads_cgroups(s->threads);
}

int lkst_model_subscribe_lives(struct lkst_model *s)
{
	static const struct {
		enum lkst_event_index index;
		lkst_feed_call *call;
	} rows[] = {
		{ LKST_EV_task_newtask, model_threads_on_newtask },
		{ LKST_EV_sched_process_fork, model_threads_on_fork },
		{ LKST_EV_task_rename, model_threads_on_rename },
		{ LKST_EV_sched_process_exec, model_threads_on_exec },
		{ LKST_EV_sched_process_exit, model_threads_on_thread_exit },
		{ LKST_EV_sched_process_free, model_threads_on_free },
		{ LKST_EV_state_clock, model_threads_on_clock },
		{ LKST_EV_state_thread, on_listed },
		{ LKST_EV_state_wait, model_threads_on_listed_wait },
	};
	u32 i;
	int err = 0;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && err >= 0; i++)
		err = lkst_feed_event(s->feed, rows[i].index, rows[i].call, s);
	return err;
}

void lkst_model_free_lives(struct lkst_model *s)
{
	u32 i, k;

	for (i = 0; i < LKST_TID_MAX / LKST_TIDS_LEAF; i++) {
		for (k = 0; s->tids[i] && k < LKST_TIDS_LEAF; k++)
			free(s->tids[i][k]);
		free(s->tids[i]);
	}
	for (i = 0; i < s->nr_free; i++)
		free(s->free_threads[i]);
	free(s->free_threads);
	for (i = 0; i * LKST_LIVES_CHUNK < s->nr_lives; i++)
		free(s->lives[i]);
	free(s->lives);
}
