// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switches masksets for user space, which runs these programs itself (BPF_PROG_TEST_RUN). They are not
 * attached to anything.
 *
 * Context: the kernel runs a raw tracepoint's program for user space between get_cpu() and put_cpu()
 * (bpf_prog_test_run_raw_tp() in net/bpf/test_run.c), so that preemption is off, as ring.h needs
 * it. A program of type "syscall", which would be the obvious one, can be preempted.
 */
#include "bpf/maskset.h"

/* Argument 0: the maskset to switch to. */
SEC("raw_tp")
int raw_tp__maskset_switch(struct bpf_raw_tracepoint_args *ctx)
{
	lkst_maskset_switch(ctx->args[0]);
	return 0;
}

/* Argument 0: how many hooks are attached. */
SEC("raw_tp")
int raw_tp__maskset_settled(struct bpf_raw_tracepoint_args *ctx)
{
	volatile u32 hooks = ctx->args[0]; /* as in lkst_maskset_switch() */

	lkst_maskset_changed();
	lkst_recording_own(maskset_settled, r, lkst_begin_own, sizeof(*r), sizeof(*r)) {
		r->maskset = LKST_LOAD(lkst_control.active);
		r->hooks = hooks;
	}
	return 0;
}
