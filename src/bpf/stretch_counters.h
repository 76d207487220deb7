/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the CPU and of the kernel, read at each switch: what they have grown by since the switch before
 * belongs to the thread that leaves the CPU now. In a recording without --counters nothing of this is in the
 * programs: what is counted is constant when they are verified.
 */
#ifndef LKST_BPF_STRETCH_COUNTERS_H
#define LKST_BPF_STRETCH_COUNTERS_H

#include "bpf/record.h"

/* The kernel's counters: number n of a CPU is element n * nr_cpus + CPU. Its size is set before loading. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags,
	       BPF_F_PRESERVE_ELEMS); /* they stay when the process that put them there has ended */
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(u32));
} lkst_counters SEC(".maps") __weak;

/* What they were at this CPU's last switch; bit n of `known`: number n was read. */
struct lkst_counters_seen {
	u64 value[LKST_PERF_AT_ONCE];
	u32 known;
	u32 next; /* the thread that came to the CPU then */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lkst_counters_seen);
} lkst_counted SEC(".maps") __weak;

/* What was counted in a stretch. */
struct lkst_counters_now {
	u64 value[LKST_PERF_AT_ONCE];
	u8 kind[LKST_PERF_AT_ONCE];
	bool has_any;
};

/* Reads counter @i and finds what it has grown by. One that cannot be read now counts again from the next time on. */
static __always_inline void lkst_read_counter(struct lkst_counters_seen *seen, u32 cpu, u32 i,
					      struct lkst_counters_now *now)
{
	struct bpf_perf_event_value read;

	now->value[i] = 0;
	now->kind[i] = LKST_PERF_NOTHING;
	if (!lkst_cfg.counters[i])
		return;
	if (bpf_perf_event_read_value(&lkst_counters, (u64)i * lkst_cfg.nr_cpus + cpu, &read,
				      sizeof(read))) {
		seen->known &= ~(1U << i);
		return;
	}
	if (seen->known & 1U << i) {
		now->value[i] = read.counter - seen->value[i];
		now->kind[i] = lkst_cfg.counters[i];
		now->has_any = true;
	}
	seen->value[i] = read.counter;
	seen->known |= 1U << i;
}

/*
 * To be called at a switch, by its program, where @prev leaves the CPU and @next comes. If another thread than
 * @prev came at the switch before, then there was one that the program was not called at, as on machines that hide
 * threads: nobody knows how much of what was counted is whose.
 */
static __always_inline void lkst_count_stretch(struct task_struct *prev, struct task_struct *next)
{
	struct lkst_counters_now now = {};
	struct lkst_counters_seen *seen;
	u32 zero = 0, cpu, i;

	if (!lkst_cfg.counters[0])
		return;
	cpu = lkst_this_cpu();
	seen = bpf_map_lookup_elem(&lkst_counted, &zero);
	if (!seen)
		return;
	if (!lkst_is_wanted(lkst_cfg.id[LKST_EV_perf_counters])) {
		seen->known = 0;
		return;
	}
	if (seen->next != (u32)prev->pid)
		seen->known = 0;
	seen->next = next->pid;
#pragma unroll
	for (i = 0; i < LKST_PERF_AT_ONCE; i++)
		lkst_read_counter(seen, cpu, i, &now);
	if (!now.has_any || !lkst_wants(prev))
		return;
	lkst_recording_by(perf_counters, r, prev->pid) {
		r->kind1 = now.kind[0];
		r->kind2 = now.kind[1];
		r->kind3 = now.kind[2];
		r->kind4 = now.kind[3];
		LKST_PUT64(r->value1, now.value[0]);
		LKST_PUT64(r->value2, now.value[1]);
		LKST_PUT64(r->value3, now.value[2]);
		LKST_PUT64(r->value4, now.value[3]);
	}
}

#endif
