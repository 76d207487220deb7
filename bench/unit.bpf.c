// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel programs that bench/unit.c compares LKST's own with: doing nothing, reading what every
 * record needs (the "floor"), and the same record through the BPF ring buffer. Linked with LKST's
 * programs into one object.
 */
#include "bpf/handler.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pt_regs___bench {
	unsigned long di, si, dx;
};
#pragma clang attribute pop

enum {
	BENCH_RING_BYTES = 4 << 20, /* as LKST's own buffer of a CPU */
};

struct bench_floor_value {
	u64 ns;
	u32 tid;
	u32 cpu;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct bench_floor_value);
} bench_value SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, BENCH_RING_BYTES);
} bench_ring SEC(".maps");

u64 bench_ring_lost SEC(".data.bench");

SEC("tp_btf/sys_enter")
int bench_empty_enter(void *ctx)
{
	return 0;
}

SEC("tp_btf/sys_enter")
int bench_empty_enter2(void *ctx)
{
	return 0;
}

SEC("tp_btf/sys_exit")
int bench_empty_exit(void *ctx)
{
	return 0;
}

static __always_inline int read_floor(void)
{
	u32 zero = 0;
	struct bench_floor_value *v = bpf_map_lookup_elem(&bench_value, &zero);

	if (!v)
		return 0;
	v->ns = bpf_ktime_get_ns();
	v->tid = bpf_get_current_pid_tgid();
	v->cpu = bpf_get_smp_processor_id();
	return 0;
}

SEC("tp_btf/sys_enter")
int bench_floor_enter(void *ctx)
{
	return read_floor();
}

SEC("tp_btf/sys_exit")
int bench_floor_exit(void *ctx)
{
	return read_floor();
}

/* What sched_switch does: four values out of structures that the hook passes. */
SEC("tp_btf/sys_enter")
int BPF_PROG(bench_fixed, struct pt_regs___bench *regs, long nr)
{
	lkst_recording(sched_switch, r) {
		r->next_tid = regs->di;
		r->prev_state = nr;
		r->prev_prio = regs->si;
		r->next_prio = regs->dx;
	}
	return 0;
}

/* A handler that does next to nothing. LKST's own programs, which are linked with it, do not call it. */
LKST_HANDLER(bench, "records what threads do that there are")
{
	return r->tid >= 0;
}

/* The same record as a program of a handler writes it. */
SEC("tp_btf/sys_enter")
int BPF_PROG(bench_handled, struct pt_regs___bench *regs, long nr)
{
	LKST_FILLING(struct lkst_rec_sched_switch, r,
		     lkst_begin(&lkst_scope_.slot, lkst_cfg.id[LKST_EV_sched_switch], sizeof(*r), sizeof(*r)),
		     lkst_commit_handled(&lkst_scope_.slot, lkst_cfg.id[LKST_EV_sched_switch])) {
		r->next_tid = regs->di;
		r->prev_state = nr;
		r->prev_prio = regs->si;
		r->next_prio = regs->dx;
	}
	return 0;
}

/* The same record, with the CPU in place of one field, since a shared ring must store it. */
SEC("tp_btf/sys_enter")
int BPF_PROG(bench_ringbuf, struct pt_regs___bench *regs, long nr)
{
	struct lkst_rec_sched_switch *r = bpf_ringbuf_reserve(&bench_ring, sizeof(*r), 0);

	if (!r) {
		__sync_fetch_and_add(&bench_ring_lost, 1);
		return 0;
	}
	r->head.id_time = bpf_ktime_get_ns() << 16 | 1;
	r->head.tid = bpf_get_current_pid_tgid();
	r->next_tid = regs->di;
	r->prev_state = nr;
	r->prev_prio = regs->si;
	r->next_prio = bpf_get_smp_processor_id();
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}
