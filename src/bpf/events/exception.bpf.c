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
	LKST_TP(event, u64 address, struct pt_regs___fault *regs, u64 error_code)                  \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->address, address);                                           \
			LKST_PUT64(r->ip, regs->ip);                                               \
			r->error_code = error_code;                                                \
		}                                                                                  \
		return 0;                                                                          \
	}

FAULT_PROGRAM(page_fault_user)
FAULT_PROGRAM(page_fault_kernel)

/* Later kernels hand over a struct mce_hw_err, which begins with it. */
LKST_TP(mce_record, struct mce *mce)
{
	lkst_recording(mce_record, r) {
		LKST_PUT64(r->status, mce->status);
		LKST_PUT64(r->address, mce->addr);
		LKST_PUT64(r->ip, mce->ip);
		r->mcgstatus = mce->mcgstatus;
		r->mce_cpu = mce->extcpu;
		r->bank = mce->bank;
	}
	return 0;
}

LKST_TP(nmi_handler, void *handler, s64 duration_ns, int nr_handled)
{
	lkst_recording_if(nmi_handler, r, lkst_wants_current()) {
		LKST_PUT64(r->handler, handler);
		r->duration_ns = duration_ns > 0xffffffff ? 0xffffffff : duration_ns;
		r->nr_handled = nr_handled;
	}
	return 0;
}
