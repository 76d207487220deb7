// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has a CPU switch to another buffer. User space runs this program itself, on that CPU
 * (BPF_PROG_TEST_RUN, src/bpf/maskset.bpf.c). It is not attached to anything.
 *
 * Context: the kernel calls it on the CPU by an inter-processor interrupt, or directly between get_cpu()
 * and put_cpu() (bpf_prog_test_run_raw_tp() in net/bpf/test_run.c).
 */
#include "bpf/jump.h"

/* Argument 0: the number of the buffer whose records are meant; argument 1: the buffer to go to. */
SEC("raw_tp")
int raw_tp__buffer_jump(struct bpf_raw_tracepoint_args *ctx)
{
	lkst_buffer_jump(ctx->args[0], ctx->args[1]);
	return 0;
}
