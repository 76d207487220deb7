/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of LTTng's fields, made of those of a record. */
#include "export/lttng/ctf_step.h"

#include <errno.h>
#include <stdio.h>

#include "base/bytes.h"

/* ---- values ----------------------------------------------------------------------------------- */

/* The kernel's numbers (include/linux/sched.h). */
enum {
	TASK_UNINTERRUPTIBLE = 2,
	EXIT_ZOMBIE = 0x20,
	TASK_DEAD = 0x80,
	TASK_NOLOAD = 0x400,
	TASK_RTLOCK_WAIT = 0x1000,
	TASK_FROZEN = 0x8000,
	TASK_REPORT = 0x7f,
	TASK_REPORT_IDLE = 0x80,
	MAX_RT_PRIO = 100,
	DEFAULT_PRIO = 120, /* of nice 0: of a thread whose priority is not known */
};

/* As the kernel's __task_state_index() shows it, which LTTng uses; the end of a thread as that of one to be reaped. */
static u64 report_state(u32 state)
{
	u32 shown = state & TASK_REPORT;

	if ((state & (TASK_UNINTERRUPTIBLE | TASK_NOLOAD)) == (TASK_UNINTERRUPTIBLE | TASK_NOLOAD))
		shown = TASK_REPORT_IDLE;
	if (state & (TASK_RTLOCK_WAIT | TASK_FROZEN))
		shown = TASK_UNINTERRUPTIBLE;
	if (state & TASK_DEAD)
		shown = EXIT_ZOMBIE;
	return shown ? 1u << (31 - __builtin_clz(shown)) : 0;
}

/* A request's operation and flags (include/linux/blk_types.h) by LTTng's bits (block.h). */
static u32 rwbs_of(u32 flags)
{
	enum {
		REQ_OP_MASK = 0xff,
		REQ_SYNC = 1 << 11,
		REQ_META = 1 << 12,
		REQ_FUA = 1 << 17,
		REQ_PREFLUSH = 1 << 18,
		REQ_RAHEAD = 1 << 19,
	};
	static const u16 operations[] = { 1 << 2, 1 << 0, 1 << 8, 1 << 1, 0, 1 << 1 | 1 << 7 };
	u32 operation = flags & REQ_OP_MASK;
	u32 rwbs =
		operation < sizeof(operations) / sizeof(operations[0]) ? operations[operation] : 0;

	rwbs |= flags & REQ_RAHEAD ? 1 << 3 : 0;
	rwbs |= flags & REQ_SYNC ? 1 << 5 : 0;
	rwbs |= flags & REQ_META ? 1 << 6 : 0;
	rwbs |= flags & REQ_FUA ? 1 << 9 : 0;
	rwbs |= flags & REQ_PREFLUSH ? 1 << 10 : 0;
	return rwbs;
}

/* By blk_status_t, block/blk-core.c. */
static s32 blk_error(u64 status)
{
	static const s32 errors[] = { 0,	  -EOPNOTSUPP, -ETIMEDOUT, -ENOSPC, -ENOLINK,
				      -EREMOTEIO, -EBADE,      -ENODATA,   -EILSEQ, -ENOMEM,
				      -EIO,	  -EREMCHG,    -EAGAIN };

	return status < sizeof(errors) / sizeof(errors[0]) ? errors[status] : -EIO;
}

static u64 ctf_step_get_int(const u8 *at, u32 size, bool is_signed)
{
	u64 v = 0;

	switch (size) {
	case 1:
		return is_signed ? (u64)(s8)*at : *at;
	case 2:
		v = (u64)at[0] | (u64)at[1] << 8;
		return is_signed ? (u64)(s16)v : v;
	case 4:
		v = lkst_le32(at);
		return is_signed ? (u64)(s32)v : v;
	default:
		return lkst_le64(at);
	}
}

u8 *lkst_ctf_put_comm(const struct lkst_threads *threads, s32 tid, u32 cpu, u8 *at)
{
	const struct lkst_thread *thread = tid ? lkst_threads_find(threads, tid) : NULL;
	char name[16 + 8] =
		"<...>"; /* the kernel's tracers write this for a name that they have not seen */

	if (thread && thread->has_comm) {
		memcpy(at, thread->comm, 16);
		return at + 16;
	}
	if (!tid)
		snprintf(name, sizeof(name), "swapper/%u", cpu);
	memcpy(at, name, 16);
	return at + 16;
}

static u8 *put_prio(const struct lkst_threads *threads, s32 tid, u8 *at)
{
	const struct lkst_thread *thread = tid ? lkst_threads_find(threads, tid) : NULL;
	const s64 prio = thread && thread->has_prio ? thread->prio : DEFAULT_PRIO;

	return lkst_ctf_put_int(at, (u64)(prio - MAX_RT_PRIO), 4);
}

static u8 *ctf_step_put_string(const void *text, size_t length, u8 *at)
{
	if (length)
		memcpy(at, text, length);
	at[length] = 0;
	return at + length + 1;
}

/* Field @i as it is. */
static u8 *ctf_step_put_field(const struct lkst_record *r, u16 i, u8 *at)
{
	const struct lkst_field_class *f = &r->event->fields[i];
	u32 length, ignored;
	const u8 *bytes = lkst_record_field(r, i, &length);

	if (f->type == LKST_CLASS_STRING)
		return ctf_step_put_string(bytes, length, at);
	if (f->type == LKST_CLASS_CHARS)
		length = f->count;
	if (lkst_class_has_length(f)) {
		const u8 *count = lkst_record_field(r, f->length_field, &ignored);

		length = (u32)ctf_step_get_int(count, r->event->fields[f->length_field].size, false);
		length *= f->type == LKST_CLASS_WORDS ? f->size : 1;
	}
	if (length)
		memcpy(at, bytes, length);
	return at + length;
}

/* ---- fields ------------------------------------------------------------------------------------ */

/* The number that @step makes of the one in the record. */
static u64 make_value(const struct lkst_ctf_step *step, const struct lkst_ctf_context *context,
		      const struct lkst_record *r)
{
	u64 v = ctf_step_get_int(r->bytes + step->from, step->in, step->is_signed);

	switch (step->how) {
	case LKST_CTF_HOW_PRIO:
		return v - MAX_RT_PRIO;
	case LKST_CTF_HOW_TASK_STATE:
		return report_state((u32)v);
	case LKST_CTF_HOW_SECTORS:
		return v / 512;
	case LKST_CTF_HOW_BLK_ERROR:
		return (u64)(s64)blk_error(v);
	case LKST_CTF_HOW_RWBS:
		v = rwbs_of((u32)v);
		if (step->with)
			lkst_ctf_requests_keep(context->requests, lkst_le64(r->bytes + step->with),
					       (u32)v);
		return v;
	case LKST_CTF_HOW_RWBS_OF:
		return lkst_ctf_requests_find(context->requests, v);
	default:
		return v;
	}
}

u8 *lkst_ctf_follow(const struct lkst_ctf_step *step, const struct lkst_ctf_context *context,
		    const struct lkst_record *r, u8 *at)
{
	const u8 *from = r->bytes + step->from;
	const char *name;
	u32 length;

	switch (step->how) {
	case LKST_CTF_HOW_COPY:
		memcpy(at, from, step->with);
		return at + step->with;
	case LKST_CTF_HOW_FIELD:
		return ctf_step_put_field(r, step->from, at);
	case LKST_CTF_HOW_TEXT:
		from = lkst_record_field(r, step->from, &length);
		return ctf_step_put_string(from, length, at);
	case LKST_CTF_HOW_COMM_OF:
		return lkst_ctf_put_comm(context->threads,
					 (s32)ctf_step_get_int(from, step->in, step->is_signed), r->cpu, at);
	case LKST_CTF_HOW_PRIO_OF:
		return put_prio(context->threads, (s32)ctf_step_get_int(from, step->in, step->is_signed),
				at);
	case LKST_CTF_HOW_IRQ_NAME:
	case LKST_CTF_HOW_NET_NAME:
		name = lkst_ctf_name(context->names,
				     step->how == LKST_CTF_HOW_IRQ_NAME ? LKST_CTF_IRQ
									: LKST_CTF_NETDEV,
				     (u32)ctf_step_get_int(from, step->in, false));
		return ctf_step_put_string(name, strlen(name), at);
	case LKST_CTF_HOW_OWN_TID:
		return lkst_ctf_put_int(at, (u64)(s64)r->tid, 4);
	case LKST_CTF_HOW_OWN_COMM:
		return lkst_ctf_put_comm(context->threads, r->tid, r->cpu, at);
	case LKST_CTF_HOW_OWN_PRIO:
		return put_prio(context->threads, r->tid, at);
	default:
		return lkst_ctf_put_int(at, make_value(step, context, r), step->out);
	}
}
