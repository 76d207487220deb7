/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the life records that were copied say about threads that the kernel's list does not show: threads that
 * have ended since, and earlier names of threads. So the state of a trace can show how things were when the
 * trace begins, although it is taken later.
 */
#ifndef LKST_LIVE_STATE_LIFE_H
#define LKST_LIVE_STATE_LIFE_H

#include <stddef.h>

#include "abi/events.h"
#include "abi/listed.h"
#include "trace/format/catalog.h"

/* The threads that there are, as records for the state stream. */
struct lkst_thread_list {
	struct lkst_rec_state_thread *list;
	unsigned int nr;
	u64 *idle_tasks; /* by CPU: the idle thread's task_struct, 0: not known */
	unsigned int nr_idle_tasks;
	struct lkst_listed_thread *waits; /* of those that sleep, where they are, sorted by thread */
	unsigned int nr_waits;
	s32 *renewed; /* processes that were created or have run another program since, sorted */
	unsigned int nr_renewed;
};

/* Adds a thread, or the task_struct of a CPU's idle thread. -ENOMEM or 0. */
int lkst_thread_list_add(struct lkst_thread_list *l, const struct lkst_rec_state_thread *thread);
int lkst_thread_list_set_idle(struct lkst_thread_list *l, unsigned int cpu, u64 task);
void lkst_thread_list_fini(struct lkst_thread_list *l);

struct lkst_life_log;
struct lkst_life_log *lkst_life_new(const struct lkst_catalog *catalog);
void lkst_life_free(struct lkst_life_log *l);

/* Takes in blocks of a life buffer, as they were copied. -ENOMEM or 0. */
int lkst_life_feed(struct lkst_life_log *l, const void *blocks, size_t length);

/* Forgets what is older than @ns. */
void lkst_life_forget(struct lkst_life_log *l, u64 ns);

/*
 * Turns @threads, as they are now, into those that there were before all records that were fed: adds threads that have
 * ended and were not created in between, and restores first names; the cgroup of one that was moved since is not known.
 * Whose arguments are not those of that time is in @threads, too. -ENOMEM or 0.
 */
int lkst_life_undo(struct lkst_life_log *l, struct lkst_thread_list *threads);

/* Adds to @threads all that have ended, whenever they were created. -ENOMEM or 0. */
int lkst_life_add_ended(struct lkst_life_log *l, struct lkst_thread_list *threads);

#endif
