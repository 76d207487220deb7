// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program of a probe that is set by its definition. It is an object of its own and loaded once for each probe: the
 * body of lkst_probe_fetch() is replaced, before the verifier sees it, by the instructions that the definition was
 * compiled to (src/probe/code/compile.h, src/probe/code/graft.h). The maps are those of the recording.
 *
 * Context: writers on one CPU must only nest (src/bpf/ring.h), so nothing may preempt this program. The kernel's own
 * probes run with preemption off (kernel/kprobes.c). The probes of programs do not: only migration is off
 * (kernel/trace/trace_uprobe.c, __uprobe_perf_func()). So there the program turns preemption off before anything else
 * and on again after all else, by kfuncs of Linux 6.10. There is one way out, so that none can leave it off. Where a
 * kernel lacks them, user space loads the program only if that kernel never preempts itself
 * (src/live/programs/probe_load.c).
 */
#include <linux/ptrace.h>

#include "abi/probe.h"
#include "bpf/record.h"

extern void bpf_preempt_disable(void) __weak __ksym;
extern void bpf_preempt_enable(void) __weak __ksym;

const volatile struct lkst_probe_plan lkst_probe_plan SEC(".rodata.probe");

/*
 * An element for each possible CPU; their number is set before loading. It is not of the type that has one for each
 * CPU: to find an element of that takes a call, before Linux 6.10.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_probe_cpu);
} lkst_probe_cpus SEC(".maps");

enum { HEAD = sizeof(struct lkst_record_head) };

/* Replaced. Fills what follows a record's head; 0: the condition does not hold, else how many bytes. */
static __noinline u64 lkst_probe_fetch(struct pt_regs *ctx, u8 *to)
{
	u64 bytes;

	asm volatile("%0 = 0" : "=r"(bytes) : "r"(ctx), "r"(to) : "memory");
	return bytes;
}

/* A hit: the number of this CPU and what the probe has on it, and the event's entry in the active maskset. */
struct hit {
	u32 cpu;
	u16 route;
	struct lkst_probe_cpu *on;
};

static __always_inline u16 route_of(u32 id)
{
	u32 active = LKST_LOAD(lkst_control.active) & (LKST_MASKSETS - 1);

	return LKST_LOAD(*(u16 *)((void *)lkst_control.route[active] + lkst_route_at(id)));
}

/* A handler's program counts what it handles, and DEFAULT's all else: this is such a rest. */
static __always_inline bool is_nobodys(u8 handler)
{
	return lkst_cfg.handler == LKST_HANDLER_DEFAULT &&
	       (handler == LKST_HANDLER_NOTHING || handler & LKST_HANDLER_SHED);
}

/* Counts a run that records nothing, as lkst_count_idle() does. */
static __always_inline void count_idle(u32 id, u32 cpu)
{
	struct lkst_idle *idle = bpf_map_lookup_elem(&lkst_idle, &cpu);
	u64 *runs;

	if (!idle)
		return;
	runs = &idle->runs[id & LKST_ID_MAX];
	LKST_STORE(*runs, *runs + 1);
}

/* What the condition rules out was reserved and is dropped, which costs nothing more: it is not published. */
static __always_inline void record_fixed(struct pt_regs *ctx, u32 id, const struct hit *hit)
{
	const u32 size = HEAD + lkst_probe_plan.size;
	struct lkst_slot slot;
	u8 *record = lkst_begin_on(&slot, hit->cpu, hit->route, size, size);

	if (!record)
		return;
	if (lkst_probe_fetch(ctx, record + HEAD))
		lkst_commit(&slot, id);
	else
		lkst_ring_drop(&slot);
}

/* The length must be known before a place is reserved, so the record is filled elsewhere first. */
static __always_inline void record_varying(struct pt_regs *ctx, u32 id, const struct hit *hit)
{
	const u32 room = lkst_probe_plan.size;
	struct lkst_probe_cpu *on = hit->on;
	u64 bytes;

	on->cut = 0;
	bytes = lkst_probe_fetch(ctx, on->record);
	if (!bytes || bytes > room)
		return;
	LKST_FILLING(u8, record,
		     lkst_begin_on(&lkst_scope_.slot, hit->cpu, hit->route, HEAD + bytes, HEAD + room),
		     lkst_commit(&lkst_scope_.slot, id)) {
		bytes = LKST_BOUNDED(bytes);
		if (bytes <= room)
			bpf_probe_read_kernel(record + HEAD, bytes, on->record);
		if (on->cut)
			LKST_COUNT(&lkst_scope_.slot.st->lost[LKST_LOSS_TRUNCATED]);
	}
}

/* Not preempted from here on. The maskset is asked once, and the CPU's number is found once, for all that needs it. */
static __always_inline void probe(struct pt_regs *ctx)
{
	const u32 id = lkst_probe_plan.id;
	u32 cpu = lkst_this_cpu(); /* a helper gets its address; the copy may stay in a register */
	struct hit hit = { .cpu = cpu, .route = route_of(id) };
	const bool is_ours = (u8)hit.route == lkst_cfg.handler;

	hit.on = bpf_map_lookup_elem(&lkst_probe_cpus, &cpu);
	if (!hit.on)
		return;
	if (is_ours || is_nobodys((u8)hit.route))
		hit.on->hits++;
	if (!is_ours || !lkst_wants_current())
		count_idle(id, hit.cpu);
	else if (lkst_probe_plan.is_fixed)
		record_fixed(ctx, id, &hit);
	else
		record_varying(ctx, id, &hit);
}

SEC("lkst_probe")
int probe__set(struct pt_regs *ctx)
{
	if (lkst_probe_plan.is_preemptible)
		bpf_preempt_disable();
	probe(ctx);
	if (lkst_probe_plan.is_preemptible)
		bpf_preempt_enable();
	return 0;
}
