// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any tracepoint, by name: one program, attached to each in the classic way, copies the record
 * that the kernel builds for its own tracers. It costs more than a program of the catalogue, because
 * the kernel fills in that record each time.
 *
 * The attachment's cookie is the index of the tracepoint's plan. A classic record starts with 8
 * common bytes, which are not kept; the data of variable fields follows the fixed part.
 *
 * A probe that was set through tracefs has a program of its own (enum lkst_tracefs_probe). It may be in a
 * module that is not loaded yet: the kernel arms it when the module is loaded.
 */
#include <linux/ptrace.h>

#include "bpf/record.h"

const volatile struct lkst_tracepoint_plan lkst_tracepoints[LKST_TRACEPOINTS] SEC(".rodata.tps");

enum {
	COMMON = 8, /* struct trace_entry, include/linux/trace_events.h */
	SMALL = 128,
	HEAD = sizeof(struct lkst_record_head),
};

/* Where the record's data ends, counted from its start, variable fields included. */
static __always_inline u32 end_of(void *ctx, u32 index)
{
	u32 end = lkst_tracepoints[index].size, i;

	for (i = 0; i < LKST_DYNAMIC_MAX; i++) {
		u32 word = 0, field_end;

		if (i >= lkst_tracepoints[index].nr_dynamic)
			break;
		if (bpf_probe_read_kernel(&word, sizeof(word),
					  ctx + lkst_tracepoints[index].dynamic[i]))
			continue;
		field_end = (word & 0xffff) + (word >> 16);
		if (field_end > end)
			end = field_end;
	}
	return end;
}

/* @limit: a constant that @length does not exceed. */
static __always_inline void copy(void *ctx, u32 id, u32 length, u32 limit)
{
	lkst_recording_id(void, rec, id, HEAD + length, HEAD + limit) {
		length = LKST_BOUNDED(length);
		if (length <= limit)
			bpf_probe_read_kernel(rec + HEAD, length, ctx + COMMON);
	}
}

/* Variable data that does not fit is counted as a loss: half of it could not be decoded. */
static __always_inline void count_too_long(u32 id)
{
	u32 active = LKST_LOAD(lkst_control.active) & (LKST_MASKSETS - 1);
	u16 route = LKST_LOAD(lkst_control.route[active][id & LKST_ID_MAX]);
	struct lkst_state *st = lkst_state_page(route >> 8);

	/* Each handler has this program, and only one of them is to count. */
	if (st && (route & 0xff) == lkst_cfg.handler)
		LKST_COUNT(&st->lost[LKST_LOSS_TOO_LONG]);
}

struct probe_entry {
	struct lkst_record_head head;
	u64 ip, args[LKST_PROBE_ARGS];
} __attribute__((packed, aligned(4)));

struct probe_return {
	struct lkst_record_head head;
	u64 ip, ret;
} __attribute__((packed, aligned(4)));

static __always_inline void probe_enters(struct pt_regs *ctx, u32 id)
{
	lkst_recording_id(struct probe_entry, r, id, sizeof(*r), sizeof(*r)) {
		LKST_PUT64(r->ip, PT_REGS_IP(ctx));
		LKST_PUT64(r->args[0], PT_REGS_PARM1(ctx));
		LKST_PUT64(r->args[1], PT_REGS_PARM2(ctx));
		LKST_PUT64(r->args[2], PT_REGS_PARM3(ctx));
		LKST_PUT64(r->args[3], PT_REGS_PARM4(ctx));
		LKST_PUT64(r->args[4], PT_REGS_PARM5(ctx));
	}
}

static __always_inline void probe_returns(struct pt_regs *ctx, u32 id)
{
	lkst_recording_id(struct probe_return, r, id, sizeof(*r), sizeof(*r)) {
		LKST_PUT64(r->ip, PT_REGS_IP(ctx));
		LKST_PUT64(r->ret, PT_REGS_RC(ctx));
	}
}

SEC("kprobe")
int probe__any(struct pt_regs *ctx)
{
	u32 index = bpf_get_attach_cookie(ctx);

	if (index >= LKST_TRACEPOINTS)
		return 0;
	if (!lkst_wants_current())
		return lkst_count_idle(lkst_tracepoints[index].id);
	if (lkst_tracepoints[index].probe == LKST_PROBE_ENTRY)
		probe_enters(ctx, lkst_tracepoints[index].id);
	else
		probe_returns(ctx, lkst_tracepoints[index].id);
	return 0;
}

SEC("tp")
int tp__any(void *ctx)
{
	u32 index = bpf_get_attach_cookie(ctx), id, length;

	if (index >= LKST_TRACEPOINTS)
		return 0;
	if (!lkst_wants_current())
		return lkst_count_idle(lkst_tracepoints[index].id);
	id = lkst_tracepoints[index].id;
	length = end_of(ctx, index) - COMMON;
	if (length <= SMALL)
		copy(ctx, id, length, SMALL);
	else if (length <= LKST_TRACEPOINT_MAX)
		copy(ctx, id, length, LKST_TRACEPOINT_MAX);
	else
		count_too_long(id);
	return 0;
}
