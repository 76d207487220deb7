/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel programs of a recording: which of them are needed, what they are told, loading and
 * attaching them.
 */
#ifndef LKST_LIVE_PROGRAMS_H
#define LKST_LIVE_PROGRAMS_H

#include "base/notes.h"
#include "live/memory.h"
#include "live/plan.h"

struct lkst_bpf;

enum { LKST_HOOK_NAME_MAX = 128 };

/* An attached program: the name of its pin, and its link, which keeps it attached. */
struct lkst_hook {
	char name[LKST_HOOK_NAME_MAX];
	int link_fd;
};

/* All zero but threads_fd, which is -1, is empty. */
struct lkst_programs {
	struct lkst_bpf *skel; /* NULL: opened from pins */
	struct lkst_hook *hooks;
	unsigned int nr_hooks;
	int threads_fd; /* link of the program that lists threads */
	struct lkst_notes notes;
};

/* Which processes a recording is restricted to. */
struct lkst_filter {
	enum lkst_filter_mode mode;
	const u32 *pids;
	unsigned int nr_pids;
};

/*
 * Takes the memory and loads the programs that @plan needs, with @control as their control page.
 * They are not attached yet.
 */
int lkst_programs_load(struct lkst_err *e, struct lkst_programs *p, const struct lkst_plan *plan,
		       const struct lkst_filter *filter, const struct lkst_memory *memory,
		       const struct lkst_control *control);

/* Attaches them. A hook that fails is noted, and the rest goes on. */
int lkst_programs_attach(struct lkst_err *e, struct lkst_programs *p, const struct lkst_plan *plan);

/* Descriptors of the memory array and the control page; they stay with @p. */
int lkst_programs_memory_fd(const struct lkst_programs *p);
int lkst_programs_control_fd(const struct lkst_programs *p);

/* Adds a hook whose link was opened elsewhere; takes over @link_fd, also on failure. */
int lkst_programs_add_hook(struct lkst_programs *p, const char *name, int link_fd);

/* How often the kernel skipped a hook's program because it was already running on the CPU. */
u64 lkst_hook_skipped(const struct lkst_hook *hook);

void lkst_programs_unload(struct lkst_programs *p);

#endif
