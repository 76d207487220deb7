// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fires a trigger. User space runs this program itself (BPF_PROG_TEST_RUN), like those that switch
 * masksets (maskset.bpf.c), for any reason.
 */
#include "bpf/trigger.h"

enum { REASON_WORDS = LKST_TRIGGER_NAME / 8 };

/* Arguments: the post-trigger time in ns, the length of the reason, its characters in REASON_WORDS words. */
SEC("raw_tp")
int raw_tp__trigger_fire(struct bpf_raw_tracepoint_args *ctx)
{
	struct lkst_incident_cause cause = {
		.tid = LKST_TID(),
		.ns = LKST_CLOCK(),
		.post_ns = ctx->args[0],
	};
	u64 reason[REASON_WORDS];
	u32 i;

#pragma unroll
	for (i = 0; i < REASON_WORDS; i++)
		reason[i] = ctx->args[2 + i];
	lkst_trigger_reason(&cause, (const char *)reason);
	lkst_trigger_keep(&cause, (const char *)reason, ctx->args[1]);
	return 0;
}
