// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exceptions: page faults, faults of the hardware and non-maskable interrupts.
 */
#include "bpf/record.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pt_regs___fault {
	unsigned long ip;
};
#pragma clang attribute pop

/* A page fault's event. */
#define FAULT_PROGRAM(event)                                                                       \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, u64 address, struct pt_regs___fault *regs, u64 error_code)   \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->address, address);                                                   \
		LKST_PUT64(r->ip, regs->ip);                                                       \
		r->error_code = error_code;                                                        \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

FAULT_PROGRAM(page_fault_user)
FAULT_PROGRAM(page_fault_kernel)

SEC("tp_btf/mce_record")
int BPF_PROG(tp_btf__mce_record, struct mce *mce)
{
	LKST_RECORD(mce_record, r);
	if (!r)
		return 0;
	LKST_PUT64(r->status, mce->status);
	LKST_PUT64(r->address, mce->addr);
	LKST_PUT64(r->ip, mce->ip);
	r->mcgstatus = mce->mcgstatus;
	r->mce_cpu = mce->extcpu;
	r->bank = mce->bank;
	LKST_COMMIT(mce_record);
	return 0;
}

SEC("tp_btf/nmi_handler")
int BPF_PROG(tp_btf__nmi_handler, void *handler, s64 duration_ns, int nr_handled)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(nmi_handler);
	LKST_RECORD(nmi_handler, r);
	if (!r)
		return 0;
	LKST_PUT64(r->handler, handler);
	r->duration_ns = duration_ns > 0xffffffff ? 0xffffffff : duration_ns;
	r->nr_handled = nr_handled;
	LKST_COMMIT(nmi_handler);
	return 0;
}
