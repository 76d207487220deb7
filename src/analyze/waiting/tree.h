/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where waiting went: a tree of who waited, for whom or what, what that one did meanwhile, and so on, with the times
 * added up over all waits. Threads of one name are one. Each nanosecond of a wait is in exactly one leaf: a node has
 * the time of its children, and what nobody is known to have caused.
 */
#ifndef LKST_ANALYZE_WAITING_TREE_H
#define LKST_ANALYZE_WAITING_TREE_H

#include "analyze/waiting/past.h"
#include "analyze/waiting/whose.h"

enum lkst_doing {
	LKST_DOING_UNKNOWN, /* what it did is not known, or not followed further */
	LKST_DOING_RAN,
	LKST_DOING_READY,     /* children: who had the CPU */
	LKST_DOING_THROTTLED, /* its cgroup has used up its quota; `extra`: the cgroup */
	LKST_DOING_SLEPT,     /* for a time of its own choice */
	LKST_DOING_WAITED,    /* children: for whom or what */
	LKST_DOING_STOPPED,   /* children: who has let it go on */
	LKST_DOING_TRACED,    /* the same, by its tracer */
	LKST_DOING_FROZEN,    /* the same, with its cgroup; `extra`: a number of the abouts, its file */
	LKST_DOING_CONTINUED, /* it has let another go on */
	LKST_DOING_HAD_CPU,   /* it ran while another was ready */
	LKST_DOING_TIMER,     /* nobody: a timer ended it; `extra`: its function */
	LKST_DOING_DISK,      /* nobody: a disk's request ended it; `extra`: the disk */
	LKST_DOING_INTERRUPT, /* nobody: an interrupt ended it; `extra`: the timer before a packet was sent, 0: none */
	LKST_NR_DOINGS,
};

enum { LKST_NO_NODE = UINT32_MAX };

struct lkst_tree_key {
	u32 parent; /* LKST_NO_NODE: a root */
	u32 name;   /* of threads: lkst_tree_name() */
	u8 doing;
	u8 cause; /* WAITED: enum lkst_cause */
	u16 kind; /* of a root: as its maker has chosen it */
	s16 call; /* in which system call, -1: none, or not known */
	u64 extra;
};

struct lkst_tree_node {
	struct lkst_tree_key key;
	u32 first_child, next; /* LKST_NO_NODE: none */
	u64 ns;
	u64 count;
	u64 longest_ns, longest_at_ns;
	u32 longest_life; /* whose that was */
	u32 life;	  /* of the last that did it */
	u32 lives;	  /* RAN, HAD_CPU: how many turns were of another life than the one before */
	/* For whom it did it, if it woke somebody when it had done it: one name that had most, and its surplus. */
	u32 for_name;
	u64 for_ns;
};

struct lkst_tree {
	const struct lkst_pasts *pasts;
	const struct lkst_model *model;
	struct lkst_tree_node *nodes;
	u32 nr;
	bool is_full; /* there was no room for more nodes, or no time to follow all: some is UNKNOWN */

	/* Private. */
	struct lkst_map by_key;
	u32 *name_of; /* by life */
	u32 nr_name_of;
	struct lkst_map by_name;
	char (*names)[17];
	u32 nr_names;
	u64 steps;
	int error;
};

/* @h must be complete, and stay as long as @t. All zero before. */
void lkst_tree_init(struct lkst_tree *t, const struct lkst_pasts *h, const struct lkst_model *model);
void lkst_tree_fini(struct lkst_tree *t);

/* Whether that is no thread's doing: such nodes have no name. */
bool lkst_tree_is_nobody(enum lkst_doing doing);

/* A number for the name of life number @life, and the name. */
u32 lkst_tree_name(struct lkst_tree *t, u32 life);
const char *lkst_tree_name_text(const struct lkst_tree *t, u32 name);

/*
 * Adds @part of the time of place @past of the states, a wait or a time in which a thread was ready, to the root of
 * @kind: of the thread's name, its call and @extra. What others did meanwhile is followed. @part NULL: all of it. 0 or
 * -ENOMEM.
 */
int lkst_tree_add(struct lkst_tree *t, u32 past, const struct lkst_whose_part *part, u16 kind, u64 extra);

/*
 * Adds all that life number @life did from @from_ns to @to_ns, and why, below a root of its name and @kind, which is
 * for such times alone. Returns the root; LKST_NO_NODE: there is no room, or no memory (`error`).
 */
u32 lkst_tree_add_time(struct lkst_tree *t, u32 life, u64 from_ns, u64 to_ns, u16 kind);

/* The child of @node that has most of its time; LKST_NO_NODE: it has none. */
u32 lkst_tree_largest(const struct lkst_tree *t, u32 node);

#endif
