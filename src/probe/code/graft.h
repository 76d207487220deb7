/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A function of a program replaced by other instructions, before the kernel sees it. What follows moves, and calls of
 * it with it. Jumps stay within their function (kernel/bpf/verifier.c, check_subprogs()), so that they need no change.
 */
#ifndef LKST_PROBE_CODE_GRAFT_H
#define LKST_PROBE_CODE_GRAFT_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

struct lkst_graft {
	u32 begin, end; /* of the function that is replaced, in instructions */
	const struct bpf_insn *body;
	u32 nr_body;
};

/* Where the instruction at @at is afterwards; it is not inside the function. */
static inline u32 lkst_graft_moved(const struct lkst_graft *g, u32 at)
{
	return at < g->end ? at : at - (g->end - g->begin) + g->nr_body;
}

/*
 * Makes *@ret_insns, for the caller to free(), from the @nr instructions of a program. -EINVAL: the function does not
 * lie in them, or something leads into it.
 */
int lkst_graft(struct lkst_err *e, const struct lkst_graft *g, const struct bpf_insn *insns, u32 nr,
	       struct bpf_insn **ret_insns, u32 *ret_nr);

#endif
