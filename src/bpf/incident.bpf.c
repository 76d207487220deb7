// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the moment. User space runs this program itself (BPF_PROG_TEST_RUN, src/bpf/maskset.bpf.c). It is
 * not attached to anything.
 */
#include "bpf/incident.h"

/* Argument 0: for how long recording goes on in this bank, ns. Returns the incident's number; 0: it is not kept. */
SEC("raw_tp")
int raw_tp__incident(struct bpf_raw_tracepoint_args *ctx)
{
	struct lkst_incident_cause cause = {
		.tid = LKST_TID(),
		.ns = LKST_CLOCK(),
		.post_ns = ctx->args[0],
	};

	return lkst_incident_keep(&cause);
}
