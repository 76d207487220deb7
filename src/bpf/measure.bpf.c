// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hook and a record cost on this machine: while it starts, user space attaches these programs by turns to
 * a place that it then passes often (src/live/cost/measure.c). They record if the maskset says so, as any program does.
 */
#include "bpf/stack.h"

/* A record like that of a switch, of an event that nothing else records yet. */
static __always_inline int record(void)
{
	const u32 id = lkst_cfg.id[LKST_EV_shed_begin];

	lkst_recording_id(struct lkst_rec_sched_switch, r, id, sizeof(*r), sizeof(*r)) {
		r->next_tid = 0;
		r->prev_state = 0;
		r->prev_prio = 0;
		r->next_prio = 0;
	}
	return 0;
}

SEC("raw_tp")
int measure__raw_tp(void *ctx)
{
	return record();
}

/* As the program of off_cpu does: of the thread that runs. */
SEC("raw_tp")
int measure__stack(void *ctx)
{
	LKST_STACK(LKST_STACK_OF_SWITCH,
		   bpf_get_task_stack(bpf_get_current_task_btf(), frames, sizeof(*frames), flags));
	return record();
}

SEC("tp")
int measure__tp(void *ctx)
{
	return record();
}

SEC("kprobe")
int measure__kprobe(void *ctx)
{
	return record();
}
