// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks: waiting for one that another holds. Every take and release: function.bpf.c.
 */
#include "bpf/record.h"

SEC("tp_btf/contention_begin")
int BPF_PROG(tp_btf__contention_begin, void *lock, unsigned int flags)
{
	if (!lkst_wants_current())
		return 0;
	LKST_RECORD(contention_begin, r);
	if (!r)
		return 0;
	LKST_PUT64(r->lock, lock);
	r->flags = flags;
	LKST_COMMIT(contention_begin);
	return 0;
}

SEC("tp_btf/contention_end")
int BPF_PROG(tp_btf__contention_end, void *lock, int result)
{
	if (!lkst_wants_current())
		return 0;
	LKST_RECORD(contention_end, r);
	if (!r)
		return 0;
	LKST_PUT64(r->lock, lock);
	r->result = result;
	LKST_COMMIT(contention_end);
	return 0;
}
