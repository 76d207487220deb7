// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of an injection: one that takes the place of a function of the kernel, one that ends a function of a
 * program. They are an object of their own, and one of the two is loaded for each injection. What holds it are the
 * descriptors of `lkst inject`, and no pin. That it expires is decided here, where no signal can delay it.
 *
 * The first is of the kind BPF_MODIFY_RETURN: the kernel calls it before the function, and if the program returns other
 * than 0, that is what the caller gets, and the function is left out (arch/x86/net/bpf_jit_comp.c,
 * invoke_bpf_mod_ret()). The kernel allows it at functions that it lists as fit for it (ALLOW_ERROR_INJECTION) and at
 * the hooks of security modules, security_* (kernel/bpf/verifier.c, check_attach_modify_return()). The second is a
 * uprobe, which may write the registers since Linux 6.19: the function returns as if its first instruction was a
 * return.
 *
 * Context: writers on one CPU must only nest (src/bpf/ring.h), and neither kind runs with preemption off. So the
 * program turns it off before anything else and on again after all else, as in src/bpf/probe.bpf.c, or the kernel
 * is one that does not preempt itself.
 *
 * A function that is called is counted only if the call is meant; the record comes before the function returns, and
 * without a record nothing is injected.
 */
#include <linux/ptrace.h>

#include "abi/inject.h"
#include "bpf/share.h"

extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;

enum {
	THREAD_OF_KERNEL = 0x00200000, /* PF_KTHREAD */
	INIT_PID = 1,
	NAME_LKST = 0x74736b6c, /* "lkst", by its bytes */
};

const volatile struct lkst_injection_plan lkst_injection_plan SEC(".rodata.inject");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_injection_state);
} lkst_injection SEC(".maps");

/* Fields of 8 bytes are at a multiple of 4, as in every record. */
struct record {
	struct lkst_record_head head;
	struct lkst_injection_record body;
} __attribute__((packed, aligned(4)));

/* The processes that are never meant come first: the kernel's own threads, the first process, and LKST itself. */
static __always_inline bool is_process_meant(void)
{
	const volatile struct lkst_injection_plan *plan = &lkst_injection_plan;
	struct task_struct *task = bpf_get_current_task_btf();
	u32 pid = bpf_get_current_pid_tgid() >> 32;
	u64 comm[2] = {};

	if (pid <= INIT_PID || pid == plan->own_pid || task->flags & THREAD_OF_KERNEL)
		return false;
	if (plan->pid && pid != plan->pid)
		return false;
	if (bpf_get_current_comm(comm, sizeof(comm)) || (u32)comm[0] == NAME_LKST)
		return false;
	return !plan->comm[0] || (comm[0] == plan->comm[0] && comm[1] == plan->comm[1]);
}

static __always_inline bool is_armed(const struct lkst_injection_state *state)
{
	return !LKST_LOAD(state->disarmed) && LKST_CLOCK() < lkst_injection_plan.expires_ns;
}

/* Counts a call that is meant. Returns its number if it is one at which to inject, else 0. */
static __always_inline u64 count_call(struct lkst_injection_state *state)
{
	const volatile struct lkst_injection_plan *plan = &lkst_injection_plan;
	u64 call = __sync_fetch_and_add(&state->calls, 1) + 1;

	if (call < plan->first || (call - plan->first) % plan->every)
		return 0;
	return bpf_get_prandom_u32() < plan->chance ? call : 0;
}

/* Takes one of the times. Whoever is too late puts it back, so that as many as there are get one. */
static __always_inline bool take_one(struct lkst_injection_state *state)
{
	u64 times = lkst_injection_plan.times;

	if (!times || __sync_fetch_and_add(&state->taken, 1) < times)
		return true;
	__sync_fetch_and_add(&state->taken, -1);
	return false;
}

/* Records the injection; false: there was no place for the record. */
static __always_inline bool record(struct lkst_injection_state *state, u64 function, u64 call,
				   u64 caller)
{
	bool is_recorded = false;

	LKST_FILLING(struct record, r, lkst_begin_share(&lkst_scope_.slot, sizeof(*r), sizeof(*r)),
		     lkst_ring_commit(&lkst_scope_.slot, lkst_injection_plan.id))
	{
		LKST_PUT64(r->body.function, function);
		LKST_PUT64(r->body.value, lkst_injection_plan.value);
		LKST_PUT64(r->body.nr, __sync_fetch_and_add(&state->injected, 1) + 1);
		LKST_PUT64(r->body.call, call);
		LKST_PUT64(r->body.caller, caller);
		is_recorded = true;
	}
	if (!is_recorded && lkst_injection_plan.times)
		__sync_fetch_and_add(&state->taken, -1);
	return is_recorded;
}

/* ---- a function of the kernel ----------------------------------------------------------------- */

/* The caller of the function on the stack of this program; *@is_meant: it, or one of its own callers, is the one. */
static __always_inline u64 look_at_callers(void *ctx, bool *is_meant)
{
	const volatile struct lkst_injection_plan *plan = &lkst_injection_plan;
	u64 at[LKST_INJECTION_FRAMES] = {}, caller = 0;
	long bytes = bpf_get_stack(ctx, at, sizeof(at), 0);
	bool is_above = false;
	int i;

	*is_meant = plan->caller == LKST_CALLER_ANY;
	for (i = 0; i < LKST_INJECTION_FRAMES && bytes > 0; i++) {
		if (!is_above) {
			is_above = at[i] >= plan->function && at[i] < plan->function_end;
			continue;
		}
		if ((!caller || plan->caller == LKST_CALLER_UNDER) && at[i] >= plan->caller_begin &&
		    at[i] < plan->caller_end)
			*is_meant = true;
		caller = caller ?: at[i];
	}
	return caller;
}

static __always_inline bool is_to_fail(u64 *ctx)
{
	u32 zero = 0;
	struct lkst_injection_state *state = bpf_map_lookup_elem(&lkst_injection, &zero);
	u64 call, caller = 0;
	bool is_meant = true;

	if (!state || !is_armed(state) || !is_process_meant())
		return false;
	if (lkst_injection_plan.caller != LKST_CALLER_ANY) {
		caller = look_at_callers(ctx, &is_meant);
		if (!is_meant)
			return false;
	}
	call = count_call(state);
	if (!call || !take_one(state))
		return false;
	if (!caller)
		caller = look_at_callers(ctx, &is_meant);
	return record(state, lkst_injection_plan.function, call, caller);
}

SEC("lkst_inject_kernel")
long inject__kernel(u64 *ctx)
{
	bool is_failing;

	if (lkst_injection_plan.is_preemptible)
		bpf_preempt_disable();
	is_failing = is_to_fail(ctx);
	if (lkst_injection_plan.is_preemptible)
		bpf_preempt_enable();
	return is_failing ? lkst_injection_plan.value : 0;
}

/* ---- a function of a program ------------------------------------------------------------------ */

/* Registers as the function's first instruction finds them. */
#ifdef __TARGET_ARCH_arm64
typedef struct user_pt_regs registers;
#define REG_FUNCTION(ctx) ((ctx)->pc)

static __always_inline long returns_to(const registers *ctx, u64 *to)
{
	*to = ctx->regs[30];
	return 0;
}

static __always_inline void make_return(registers *ctx, u64 to)
{
	ctx->regs[0] = lkst_injection_plan.value;
	ctx->pc = to;
}
#else
typedef struct pt_regs registers;
#define REG_FUNCTION(ctx) ((ctx)->rip)

static __always_inline long returns_to(const registers *ctx, u64 *to)
{
	return bpf_probe_read_user(to, sizeof(*to), (const void *)ctx->rsp);
}

static __always_inline void make_return(registers *ctx, u64 to)
{
	ctx->rax = lkst_injection_plan.value;
	ctx->rsp += sizeof(to);
	ctx->rip = to;
}
#endif

/* Where the function is to return to; 0: it is to run. */
static __always_inline u64 is_to_return(const registers *ctx)
{
	const volatile struct lkst_injection_plan *plan = &lkst_injection_plan;
	u32 zero = 0;
	struct lkst_injection_state *state = bpf_map_lookup_elem(&lkst_injection, &zero);
	u64 call, to = 0, function = REG_FUNCTION(ctx);

	if (!state || !is_armed(state) || !is_process_meant() || returns_to(ctx, &to))
		return 0;
	if (plan->caller != LKST_CALLER_ANY &&
	    to - function - plan->caller_begin >= plan->caller_end - plan->caller_begin)
		return 0;
	call = count_call(state);
	if (!call || !take_one(state) || !record(state, function, call, to))
		return 0;
	return to;
}

SEC("lkst_inject_program")
int inject__program(registers *ctx)
{
	u64 to;

	if (lkst_injection_plan.is_preemptible)
		bpf_preempt_disable();
	to = is_to_return(ctx);
	if (to)
		make_return(ctx, to);
	if (lkst_injection_plan.is_preemptible)
		bpf_preempt_enable();
	return 0;
}
