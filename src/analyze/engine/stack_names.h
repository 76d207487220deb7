/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of a trace as lists of names, each list once. A stack is named when a sample refers to it, while it is
 * known what code its process has; if its record is not there yet, at the end.
 */
#ifndef LKST_ANALYZE_ENGINE_STACK_NAMES_H
#define LKST_ANALYZE_ENGINE_STACK_NAMES_H

#include "analyze/engine/feed.h"
#include "analyze/engine/frame_names.h"
#include "base/cleanup.h"

enum {
	LKST_STACK_NAMES_MAX = 1 << 20, /* lists */
	LKST_STACK_NAMES_DEPTH =
		3 *
		LKST_STACK_FRAMES, /* functions of the kernel and of the program, inlined ones too */
	LKST_STACK_NAMES_NONE = 0, /* the list of what has no stack */
};

/* The names of a stack. */
struct lkst_stack_list {
	u32 first;     /* private */
	u32 nr;	       /* of the names, the innermost first */
	u32 nr_kernel; /* of them the kernel's: the first */
	bool is_lost;  /* the stack is not in the trace */
	bool is_cut;   /* it is deeper */
	bool is_short; /* its program has one frame, which shows nothing of who called */

	/* Private. */
	bool is_late, is_wait;
	u32 stack;
	s32 pid;
	u64 ns, program_ns;
};

struct lkst_stack_names;

/*
 * Subscribes to stacks and mappings in @feed. @symbols names functions of the kernel and must stay, @namer those of
 * programs; without a namer their file and the place in it are shown. 0 or a negative errno.
 */
int lkst_stack_names_new(struct lkst_err *e, struct lkst_feed *feed, struct lkst_symbols *symbols,
			 struct lkst_code_namer namer, struct lkst_stack_names **ret_names);
void lkst_stack_names_free(struct lkst_stack_names *n);
LKST_GUARD(lkst_stack_names_free, struct lkst_stack_names)

/*
 * For a feed that begins at @ns: takes in the stacks and the mappings that the trace has from before, in the buffers
 * beside main. 0 or a negative errno.
 */
int lkst_stack_names_know_before(struct lkst_err *e, struct lkst_stack_names *n, u64 ns);

/*
 * The number of the list of stack @id, which a thread of process @pid had at @ns, the time of the record that is read
 * now. @is_wait: it begins where the thread left its CPU. Negative: no memory.
 */
s64 lkst_stack_names_of(struct lkst_stack_names *n, u64 id, s32 pid, bool is_wait, u64 ns);

/* After the pass, before what follows. 0 or -ENOMEM. */
int lkst_stack_names_end(struct lkst_stack_names *n);

const struct lkst_stack_list *lkst_stack_names_list(const struct lkst_stack_names *n, u32 list);

/* Numbers of its names. */
const u32 *lkst_stack_names_frames(const struct lkst_stack_names *n, u32 list);
const struct lkst_frame_names *lkst_stack_names_names(const struct lkst_stack_names *n);

#endif
