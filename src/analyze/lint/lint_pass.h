/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of lint share: lint.c drives, lint_memory.c, lint_sleep.c and lint_locks.c hold the
 * rules. Private to them.
 */
#ifndef LKST_ANALYZE_LINT_LINT_PASS_H
#define LKST_ANALYZE_LINT_LINT_PASS_H

#include "analyze/engine/feed.h"
#include "analyze/lint/lint.h"
#include "base/map.h"

/* An event that was seen. */
struct lkst_sight {
	u64 ns;
	u32 cpu;
	s32 tid;
	const char *event; /* its name, the catalogue's */
};

static inline struct lkst_sight lkst_sight_of(const struct lkst_record *r)
{
	return (struct lkst_sight){ r->ns, r->cpu, r->tid, r->event->name };
}

enum {
	LKST_LINT_SIGHTS = 3,
	/* Events on two CPUs that are closer than this may have happened in the other order. */
	LKST_LINT_SKEW_NS = 10000,
};

/* Two or three events that must not follow each other. */
struct lkst_finding {
	enum lkst_lint_rule rule;
	const char *what;  /* static: "a timer", "a softirq" ... */
	u64 object, other; /* addresses; 0: none */
	u64 code;	   /* where in the kernel, 0: not known */
	struct lkst_sight sights[LKST_LINT_SIGHTS];
	u8 nr_sights;
};

struct lkst_lint_pass {
	struct lkst_lint *lint;
	struct lkst_feed *feed;
	bool wants[LKST_NR_LINT_RULES];
	struct lkst_finding *findings;
	u32 nr_findings;
};

/* Adds a finding. -ENOMEM or 0. */
int lkst_lint_add(struct lkst_lint_pass *p, const struct lkst_finding *f);

/*
 * Makes room in *@list, a pointer to an array that has @nr elements of @size bytes and grows by this
 * function only, for one more, of zeros. The array may move. -ENOMEM or 0.
 */
int lkst_lint_room(void *list, u32 nr, size_t size);

/*
 * A group of rules. begin() subscribes what it needs to the pass's feed and allocates *@ret_ctx, NULL
 * if none of its rules is wanted or can be applied; then gap() is called for every gap, and end() adds
 * what can be said only at the end. free() takes NULL.
 */
struct lkst_lint_group {
	int (*begin)(struct lkst_lint_pass *p, void **ret_ctx);
	void (*gap)(void *ctx);
	int (*end)(void *ctx);
	void (*free)(void *ctx);
};
extern const struct lkst_lint_group lkst_lint_memory, lkst_lint_sleep, lkst_lint_locks;

#endif
