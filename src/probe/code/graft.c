/* SPDX-License-Identifier: GPL-2.0-only */
/* A function of a program replaced by other instructions. */
#include "probe/code/graft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* Whether the instruction names another by its distance: it calls a function, or takes its address. */
static bool leads_elsewhere(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL))
		return insn->src_reg == BPF_PSEUDO_CALL;
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW) && insn->src_reg == BPF_PSEUDO_FUNC;
}

/* Puts the distance right of the one that was at @at. */
static int adjust(struct lkst_err *e, const struct lkst_graft *g, u32 at, u32 nr,
		  struct bpf_insn *insn)
{
	s64 to = (s64)at + insn->imm + 1;

	if (to < 0 || to >= nr || (to > g->begin && to < g->end))
		return lkst_err_set(e, -EINVAL, "a program calls into a function that is replaced");
	insn->imm = (s32)(lkst_graft_moved(g, (u32)to) - lkst_graft_moved(g, at) - 1);
	return 0;
}

int lkst_graft(struct lkst_err *e, const struct lkst_graft *g, const struct bpf_insn *insns, u32 nr,
	       struct bpf_insn **ret_insns, u32 *ret_nr)
{
	_cleanup_free_ struct bpf_insn *out = NULL;
	u32 at, i;
	int err = 0;

	if (g->begin >= g->end || g->end > nr)
		return lkst_err_set(e, -EINVAL,
				    "a program lacks the function that is to be replaced");
	out = calloc((size_t)nr + g->nr_body, sizeof(*out));
	if (!out)
		return lkst_err_sys(e, -ENOMEM, "putting a program together");
	memcpy(out + g->begin, g->body, g->nr_body * sizeof(*out));
	for (i = 0; i < nr && !err; i++) {
		if (i >= g->begin && i < g->end)
			continue;
		at = lkst_graft_moved(g, i);
		out[at] = insns[i];
		if (leads_elsewhere(&insns[i]))
			err = adjust(e, g, i, nr, &out[at]);
	}
	if (err)
		return err;
	*ret_insns = lkst_take(out);
	*ret_nr = lkst_graft_moved(g, nr);
	return 0;
}
