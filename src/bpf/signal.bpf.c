// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals: sent and taken.
 */
#include "bpf/record.h"

enum {
	SI_KERNEL = 0x80, /* include/uapi/asm-generic/siginfo.h */
};

/*
 * Why a signal was sent. Two values of the pointer are not addresses: 0 is SEND_SIG_NOINFO, whose
 * code is SI_USER, and 1 is SEND_SIG_PRIV, whose code is SI_KERNEL (include/linux/sched/signal.h).
 * For the sake of the latter, newer kernels do not let programs follow the pointer
 * (raw_tp_null_args in kernel/bpf/btf.c), so what it points to is copied.
 */
static __always_inline s32 code_of(struct kernel_siginfo *info)
{
	if (!info)
		return 0;
	if ((u64)info == 1)
		return SI_KERNEL;
	return BPF_CORE_READ(info, si_code);
}

SEC("tp_btf/signal_generate")
int BPF_PROG(tp_btf__signal_generate, int signal, struct kernel_siginfo *info,
	     struct task_struct *task, int group, int result)
{
	if (!lkst_wants_current() && !lkst_wants(task))
		return 0;
	LKST_RECORD(signal_generate, r);
	if (!r)
		return 0;
	r->target_tid = task->pid;
	r->code = code_of(info);
	r->signal = signal;
	r->is_group = group;
	r->result = result;
	LKST_COMMIT(signal_generate);
	return 0;
}

SEC("tp_btf/signal_deliver")
int BPF_PROG(tp_btf__signal_deliver, int signal, struct kernel_siginfo *info,
	     struct k_sigaction *action)
{
	if (!lkst_wants_current())
		return 0;
	LKST_RECORD(signal_deliver, r);
	if (!r)
		return 0;
	r->signal = signal;
	r->code = code_of(info);
	LKST_PUT64(r->handler, action->sa.sa_handler);
	r->sa_flags = action->sa.sa_flags;
	LKST_COMMIT(signal_deliver);
	return 0;
}
