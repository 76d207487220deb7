/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cost limit of a recording: what recording costs here is measured, and the controller in the kernel
 * (src/bpf/budget/budget.bpf.c) is told the limit and started.
 */
#ifndef LKST_LIVE_COST_COST_LIMIT_H
#define LKST_LIVE_COST_COST_LIMIT_H

#include "abi/budget.h"
#include "base/err.h"
#include "live/hooks/hooks.h"
#include "live/kernel/plan.h"
#include "live/rings/memory.h"
#include "live/rings/rings.h"

struct bpf_object;

enum {
	LKST_BUDGET_PPM_MIN = 100,    /* 0.01 % of a CPU's time */
	LKST_BUDGET_PPM_MAX = 500000, /* 50 % */
};

/* A recording's budget: descriptors of its maps; -1: there is none. */
struct lkst_budget_fds {
	int budget_fd, kinds_fd, groups_fd, asks_fd, timer_fd, idle_fd;
};
#define LKST_BUDGET_NO_FDS ((struct lkst_budget_fds){ -1, -1, -1, -1, -1, -1 })
void lkst_budget_close(struct lkst_budget_fds *fds);

/*
 * Before @object is loaded: chooses its programs and maps for a limit of @limit_ppm, or none (0).
 * -ENOTSUP: this kernel cannot keep to a limit.
 */
int lkst_budget_choose(struct lkst_err *e, struct bpf_object *object, const struct lkst_plan *plan,
		       const struct lkst_memory *memory, u32 limit_ppm);

/*
 * After it is loaded, before a hook is attached: measures what recording costs, in the rings @r,
 * which are empty before and after. *@ret_fds: copies, the caller's.
 */
int lkst_budget_start(struct lkst_err *e, const struct bpf_object *object,
		      const struct lkst_plan *plan, const struct lkst_memory *memory,
		      struct lkst_rings *r, u32 limit_ppm, struct lkst_budget_fds *ret_fds);

/*
 * When the hooks are known: tells the controller which of them are detached together. Nothing is done if
 * there is no limit.
 */
int lkst_budget_group(struct lkst_err *e, const struct lkst_budget_fds *fds,
		      const struct lkst_hooks *hooks);

/*
 * When hooks are attached and nothing is recorded yet: chooses what to begin without (live/cost/first_kinds.h), of the
 * events with a flag in @is_wanted, and starts the controller. On return that is left out, and the ring says so. It
 * takes 50 ms, in which it is counted what happens on the @nr_cpus CPUs. Nothing is done if there is no limit.
 */
int lkst_budget_begin(struct lkst_err *e, const struct bpf_object *object, const struct lkst_budget_fds *fds,
		      const bool *is_wanted, u32 nr_cpus);

/*
 * Measures what a probe in a program costs, the first time that one is set: with @program_fd, its program, which is
 * not attached yet. Its event @id, which no maskset has yet, is at an instruction that the kernel emulates, or not.
 * The runs that this takes are not left in the counts of runs.
 */
int lkst_budget_measure_program(struct lkst_err *e, const struct lkst_budget_fds *fds, u32 nr_cpus,
				int program_fd, u16 id, bool is_emulated);

/*
 * Tells the controller about @event, one of a probe that is set while it runs, or of memory that is watched: a
 * kind and a group of hooks of its own. Nothing is done if there is no limit, or it knows the event, since the
 * probe was set before.
 * -ENOSPC: it has no room.
 */
int lkst_budget_add(struct lkst_err *e, const struct lkst_budget_fds *fds,
		    const struct lkst_event_class *event, bool is_watch);

/* Whether the controller leaves out event @id now. */
bool lkst_budget_leaves_out(const struct lkst_budget_fds *fds, u32 id);

/* Rows of the map that @fd, one of kinds or groups, refers to: used ones, and those for kinds that come later. */
u32 lkst_budget_rows(int fd);

/* What the controller reports, copied from its maps. */
struct lkst_budget_view {
	struct lkst_budget page;
	struct lkst_kind *kinds;	/* page.nr_kinds of them; NULL: there is no limit */
	struct lkst_hook_group *groups; /* page.nr_groups of them */
};

/* Whether the hooks of kind @kind, an index, are detached; whether they are to be. */
bool lkst_budget_is_off(const struct lkst_budget_view *v, unsigned int kind);

/* Reads what there is of all kinds together, which is one system call. */
int lkst_budget_read_page(struct lkst_err *e, const struct lkst_budget_fds *fds,
			  struct lkst_budget *ret_page);

/* Reads the maps that @fds refer to. */
int lkst_budget_read(struct lkst_err *e, const struct lkst_budget_fds *fds,
		     struct lkst_budget_view *ret_view);
void lkst_budget_view_free(struct lkst_budget_view *v);

/* Reads how often programs ran on @cpu and recorded nothing. */
int lkst_budget_read_idle(struct lkst_err *e, const struct lkst_budget_fds *fds, u32 cpu,
			  struct lkst_idle *ret_idle);

/* For how long kind @k has been left out in all, at @now. */
u64 lkst_kind_shed_ns(const struct lkst_kind *k, u64 now);

#endif
