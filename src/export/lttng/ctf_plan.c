/* SPDX-License-Identifier: GPL-2.0-only */
/* Plans: which bytes of a record, and what else, make the event that LTTng would have written. */
#include "export/lttng/ctf_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/syscalls.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "export/lttng/ctf_metadata.h"

/* ---- a step makes one field, or several that are copied together ----------------------------- */

/* Where a field's value comes from: the words of ctf_events.def, and those for fields that keep their form. */
#define CTF_HOWS(H)                                                                                \
	H(VALUE)      /* a number, in the width of the field's type */                             \
	H(TEXT)	      /* characters, in the form of the field's type */                            \
	H(SIX)	      /* six numbers of 64 bits, one after the other */                            \
	H(PRIO)	      /* a priority as LTTng counts: nice 0 is 20, real-time is negative */        \
	H(TASK_STATE) /* what a thread waits for, by the bits that the kernel shows to users */    \
	H(SECTORS)    /* bytes, in sectors of 512 */                                               \
	H(RWBS) /* a request's operation and flags, by LTTng's bits; it is kept by the request */  \
	H(RWBS_OF)   /* the same, as it was kept when the request was issued */                    \
	H(BLK_ERROR) /* a request's status as an error number */                                   \
	H(COMM_OF)   /* the name of a thread */                                                    \
	H(PRIO_OF)   /* the priority of a thread, as it was last seen */                           \
	H(IRQ_NAME)  /* the device of an interrupt */                                              \
	H(NET_NAME)  /* the name of a network interface */                                         \
	H(OWN_TID)   /* the thread that ran */                                                     \
	H(OWN_COMM)                                                                                \
	H(OWN_PRIO)                                                                                \
	H(COPY)	 /* bytes as they are in the record */                                             \
	H(FIELD) /* a field as it is, of any form and at any place */

enum ctf_how {
#define H(name) CTF_HOW_##name,
	CTF_HOWS(H)
#undef H
};

struct ctf_step {
	u8 how; /* enum ctf_how */
	u8 in;	/* bytes of the number in the record */
	u8 out; /* bytes of it in the event */
	bool is_signed;
	u16 from; /* where in the record; of FIELD and TEXT: the field's index */
	u16 with; /* of COPY: bytes; of RWBS: where the request's address is, 0: not there */
};

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
static u64 make_value(const struct ctf_step *step, const struct lkst_ctf_context *context,
		      const struct lkst_record *r)
{
	u64 v = ctf_step_get_int(r->bytes + step->from, step->in, step->is_signed);

	switch (step->how) {
	case CTF_HOW_PRIO:
		return v - MAX_RT_PRIO;
	case CTF_HOW_TASK_STATE:
		return report_state((u32)v);
	case CTF_HOW_SECTORS:
		return v / 512;
	case CTF_HOW_BLK_ERROR:
		return (u64)(s64)blk_error(v);
	case CTF_HOW_RWBS:
		v = rwbs_of((u32)v);
		if (step->with)
			lkst_ctf_requests_keep(context->requests, lkst_le64(r->bytes + step->with),
					       (u32)v);
		return v;
	case CTF_HOW_RWBS_OF:
		return lkst_ctf_requests_find(context->requests, v);
	default:
		return v;
	}
}

/* Puts what @step makes of @r at @at. Returns its end. */
static u8 *ctf_follow(const struct ctf_step *step, const struct lkst_ctf_context *context,
		      const struct lkst_record *r, u8 *at)
{
	const u8 *from = r->bytes + step->from;
	const char *name;
	u32 length;

	switch (step->how) {
	case CTF_HOW_COPY:
		memcpy(at, from, step->with);
		return at + step->with;
	case CTF_HOW_FIELD:
		return ctf_step_put_field(r, step->from, at);
	case CTF_HOW_TEXT:
		from = lkst_record_field(r, step->from, &length);
		return ctf_step_put_string(from, length, at);
	case CTF_HOW_COMM_OF:
		return lkst_ctf_put_comm(context->threads,
					 (s32)ctf_step_get_int(from, step->in, step->is_signed), r->cpu, at);
	case CTF_HOW_PRIO_OF:
		return put_prio(context->threads, (s32)ctf_step_get_int(from, step->in, step->is_signed),
				at);
	case CTF_HOW_IRQ_NAME:
	case CTF_HOW_NET_NAME:
		name = lkst_ctf_name(context->names,
				     step->how == CTF_HOW_IRQ_NAME ? LKST_CTF_IRQ
									: LKST_CTF_NETDEV,
				     (u32)ctf_step_get_int(from, step->in, false));
		return ctf_step_put_string(name, strlen(name), at);
	case CTF_HOW_OWN_TID:
		return lkst_ctf_put_int(at, (u64)(s64)r->tid, 4);
	case CTF_HOW_OWN_COMM:
		return lkst_ctf_put_comm(context->threads, r->tid, r->cpu, at);
	case CTF_HOW_OWN_PRIO:
		return put_prio(context->threads, r->tid, at);
	default:
		return lkst_ctf_put_int(at, make_value(step, context, r), step->out);
	}
}

/* ---- the tables ------------------------------------------------------------------------------- */

/* The types of ctf_events.def. */
static const struct lkst_ctf_type type_s32 = { LKST_CTF_NUMBER, 4, true, 10, 0, NULL },
				  type_s64 = { LKST_CTF_NUMBER, 8, true, 10, 0, NULL },
				  type_u32 = { LKST_CTF_NUMBER, 4, false, 10, 0, NULL },
				  type_u64 = { LKST_CTF_NUMBER, 8, false, 10, 0, NULL },
				  type_x8 = { LKST_CTF_NUMBER, 1, false, 16, 0, NULL },
				  type_x64 = { LKST_CTF_NUMBER, 8, false, 16, 0, NULL },
				  type_args6 = { LKST_CTF_ARRAY, 8, false, 16, 6, NULL },
				  type_text16 = { LKST_CTF_CHARS, 1, false, 10, 16, NULL },
				  type_string = { .form = LKST_CTF_STRING };

struct member {
	const char *name;
	const struct lkst_ctf_type *type;
	u8 how;		/* enum ctf_how */
	const char *of; /* "none": no field */
};

struct ctf_plan_row {
	const char *name;
	const struct member *members;
	u8 nr_members;
};

#define LTTNG(event, lttng) static const struct member members_##event[] = {
#define MEMBER(type, name, how, of) { #name, &type_##type, CTF_HOW_##how, #of },
#define END                                                                                        \
	}                                                                                          \
	;
#include "export/lttng/ctf_events.def"

/* By enum lkst_event_index; without a name: LTTng does not have the event. */
static const struct ctf_plan_row rows[LKST_NR_EVENTS] = {
#define LTTNG(event, lttng)                                                                        \
	[LKST_EV_##event] = { lttng, members_##event,                                              \
			      sizeof(members_##event) / sizeof(members_##event[0]) },
#include "export/lttng/ctf_events.def"
};

struct ctf_plan_call {
	bool is_compat;
	const char *ours, *lttng, *arguments;
};

static const struct ctf_plan_call calls[] = {
#define CALL64(ours, lttng, arguments) { false, #ours, #lttng, arguments },
#define CALL32(ours, lttng, arguments) { true, #ours, #lttng, arguments },
#include "export/lttng/ctf_calls.def"
};

static const struct ctf_plan_call *ctf_plan_find_call(bool is_compat, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].is_compat == is_compat && !strcmp(calls[i].ours, name))
			return &calls[i];
	return is_compat ? ctf_plan_find_call(false, name) : NULL;
}

/* ---- plans ------------------------------------------------------------------------------------ */

struct plan {
	struct ctf_step *steps;
	u32 nr;
};

struct lkst_ctf_plans {
	struct plan all[LKST_ID_MAX + 1]; /* by id */
};

static int ctf_plan_add_step(struct plan *plan, struct ctf_step step)
{
	struct ctf_step *last = plan->nr ? &plan->steps[plan->nr - 1] : NULL, *added;

	if (step.how == CTF_HOW_COPY && last && last->how == CTF_HOW_COPY &&
	    last->from + last->with == step.from && last->with + step.with <= UINT16_MAX) {
		last->with = (u16)(last->with + step.with);
		return 0;
	}
	added = lkst_vec_add(plan->steps, plan->nr);
	if (!added)
		return -ENOMEM;
	*added = step;
	return 0;
}

static bool ctf_plan_is_number(const struct lkst_field_class *f)
{
	return (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT) &&
	       f->offset != LKST_OFFSET_VARIES;
}

static u16 index_of(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return (u16)(f - event->fields);
}

/* Whether six fields of 8 bytes follow each other from @f on. */
static bool has_six(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	u16 i, first = index_of(event, f);

	for (i = 0; i < 6; i++)
		if (first + i >= event->nr_fields || event->fields[first + i].size != 8 ||
		    !ctf_plan_is_number(&event->fields[first + i]) ||
		    event->fields[first + i].offset != f->offset + 8 * i)
			return false;
	return true;
}

/* The step for text in the form of @type. Returns false if the field does not have it. */
static bool plan_text(const struct lkst_event_class *event, const struct lkst_field_class *f,
		      const struct lkst_ctf_type *type, struct ctf_step *step)
{
	if (f->type != LKST_CLASS_CHARS && f->type != LKST_CLASS_STRING)
		return false;
	if (type->form == LKST_CTF_STRING) {
		*step = (struct ctf_step){ .how = CTF_HOW_TEXT, .from = index_of(event, f) };
		return true;
	}
	*step = (struct ctf_step){ .how = CTF_HOW_COPY, .from = f->offset, .with = f->count };
	return f->type == LKST_CLASS_CHARS && f->count == type->count &&
	       f->offset != LKST_OFFSET_VARIES;
}

/* The step for member @m. Returns false if the records do not have what it needs: then it is left out. */
static bool plan_member(const struct lkst_event_class *event, const struct member *m, struct ctf_step *step)
{
	const struct lkst_field_class *f = lkst_class_field(event, m->of);
	const struct lkst_field_class *request = lkst_class_field(event, "rq");

	*step = (struct ctf_step){ .how = m->how, .out = m->type->size };
	if (!strcmp(m->of, "none"))
		return true;
	if (!f)
		return false;
	if (m->how == CTF_HOW_TEXT)
		return plan_text(event, f, m->type, step);
	if (!ctf_plan_is_number(f))
		return false;
	step->from = f->offset;
	step->in = f->size;
	step->is_signed = f->type == LKST_CLASS_SINT;
	if (m->how == CTF_HOW_VALUE && f->size == m->type->size)
		*step = (struct ctf_step){ .how = CTF_HOW_COPY, .from = f->offset, .with = f->size };
	if (m->how == CTF_HOW_SIX)
		*step = (struct ctf_step){ .how = CTF_HOW_COPY, .from = f->offset, .with = 6 * 8 };
	if (m->how == CTF_HOW_RWBS && request && ctf_plan_is_number(request) && request->size == 8)
		step->with = request->offset;
	return m->how != CTF_HOW_SIX || has_six(event, f);
}

static int plan_row(FILE *metadata, struct plan *plan, const struct lkst_event_class *event,
		    const struct ctf_plan_row *row)
{
	struct ctf_step step;
	u32 i;
	int err = 0;

	lkst_ctf_describe_event(metadata, "", row->name, event->id);
	for (i = 0; i < row->nr_members && !err; i++) {
		if (!plan_member(event, &row->members[i], &step))
			continue;
		lkst_ctf_describe_field(metadata, row->members[i].name, row->members[i].type);
		err = ctf_plan_add_step(plan, step);
	}
	lkst_ctf_describe_end(metadata);
	return err;
}

/* Field @i as it is, called @name. Of a field whose length another one says, that one is called as it is here. */
static int plan_field(FILE *metadata, struct plan *plan, const struct lkst_event_class *event,
		      u16 i, const char *name)
{
	static const u8 forms[] = {
		[LKST_CLASS_UINT] = LKST_CTF_NUMBER, [LKST_CLASS_SINT] = LKST_CTF_NUMBER,
		[LKST_CLASS_CHARS] = LKST_CTF_CHARS, [LKST_CLASS_STRING] = LKST_CTF_STRING,
		[LKST_CLASS_UINTS] = LKST_CTF_ARRAY, [LKST_CLASS_SINTS] = LKST_CTF_ARRAY,
		[LKST_CLASS_TEXT] = LKST_CTF_CHARS,  [LKST_CLASS_BYTES] = LKST_CTF_ARRAY,
		[LKST_CLASS_WORDS] = LKST_CTF_ARRAY,
	};
	const struct lkst_field_class *f = &event->fields[i];
	bool is_signed = f->type == LKST_CLASS_SINT || f->type == LKST_CLASS_SINTS;
	struct lkst_ctf_type type = { forms[f->type], f->size, is_signed, f->base, f->count, NULL };
	bool is_array = type.form == LKST_CTF_ARRAY;

	if (f->type == LKST_CLASS_BYTES || type.form == LKST_CTF_CHARS)
		type.size = 1;
	if (lkst_class_has_length(f))
		type.length = event->fields[f->length_field].name;
	lkst_ctf_describe_field(metadata, name, &type);
	if (type.form == LKST_CTF_STRING || type.length || f->offset == LKST_OFFSET_VARIES)
		return ctf_plan_add_step(plan, (struct ctf_step){ .how = CTF_HOW_FIELD, .from = i });
	return ctf_plan_add_step(
		plan,
		(struct ctf_step){
			.how = CTF_HOW_COPY,
			.from = f->offset,
			.with = (u16)(type.size * (is_array || f->type == LKST_CLASS_CHARS ? f->count : 1)),
		});
}

/* An event that LTTng does not have. */
static int plan_own(FILE *metadata, struct plan *plan, const struct lkst_event_class *event)
{
	u16 i;
	int err = 0;

	lkst_ctf_describe_event(metadata, "", event->name, event->id);
	for (i = 0; i < event->nr_fields && !err; i++)
		if (event->fields[i].meaning != LKST_MEANING_PAD)
			err = plan_field(metadata, plan, event, i, event->fields[i].name);
	lkst_ctf_describe_end(metadata);
	return err;
}

/* ---- system calls ----------------------------------------------------------------------------- */

enum { ARGUMENT_NAME = 32 };

/* Word @i of @text, "" if there is none: words are separated by @between. */
static void get_word(const char *text, u32 i, const char *between, char name[ARGUMENT_NAME])
{
	size_t length;

	name[0] = 0;
	while (i--) {
		text += strcspn(text, between);
		text += strspn(text, between);
	}
	length = strcspn(text, between);
	if (length < ARGUMENT_NAME) {
		memcpy(name, text, length);
		name[length] = 0;
	}
}

/*
 * The position among the arguments of @s of the one called @name, which has @length bytes, or of the lower half of a
 * value that is called so; -1: it is none.
 */
static int find_argument(const struct lkst_syscall *s, const char *name, size_t length, bool *ret_is_half)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int i, nr = lkst_syscall_args(s, args);

	for (i = 0; i < nr; i++) {
		*ret_is_half = lkst_syscall_is_half(args, i, nr);
		if (strlen(args[i].name) == length + (*ret_is_half ? strlen("_lo") : 0) &&
		    !memcmp(args[i].name, name, length))
			return (int)i;
	}
	return -1;
}

/*
 * LTTng's name of field @i of a system call's event, or our name. False: LTTng does not have it: the address of a
 * string that is there itself.
 */
static bool ctf_plan_name_argument(const struct lkst_event_class *event, const struct ctf_plan_call *call, u16 i,
				   char name[LKST_NAME_MAX])
{
	const struct lkst_syscall *s = &lkst_syscalls[event->syscall];
	const char *own = event->fields[i].name;
	size_t length = strlen(own);
	bool is_string = event->fields[i].type == LKST_CLASS_STRING, is_half;
	char string[LKST_NAME_MAX + 8], lttng[ARGUMENT_NAME] = "";
	int at;

	snprintf(string, sizeof(string), "%s_str", own);
	if (!is_string && lkst_class_field(event, string))
		return false;
	if (is_string && length > 4 && !strcmp(own + length - 4, "_str"))
		length -= 4;
	at = find_argument(s, own, length, &is_half);
	if (call && at >= 0)
		get_word(call->arguments, (u32)at, " ", lttng);
	snprintf(name, LKST_NAME_MAX, "%s", *lttng ? lttng : own);
	if (!*lttng && at >= 0)
		name[length] = 0;
	return true;
}

/* LTTng has the two halves of a 32-bit caller's value, called as it calls them. False: field @i has none. */
static bool plan_halves(FILE *metadata, struct plan *plan, const struct lkst_event_class *event,
			const struct ctf_plan_call *call, u16 i, int *ret_err)
{
	const struct lkst_field_class *f = &event->fields[i];
	const struct lkst_ctf_type type = { LKST_CTF_NUMBER, 4, false, f->base, 0, NULL };
	const struct lkst_syscall *s = &lkst_syscalls[event->syscall];
	char name[ARGUMENT_NAME];
	bool is_half = false;
	int at = call && f->size == 8 ? find_argument(s, f->name, strlen(f->name), &is_half) : -1;
	u32 half;

	for (half = 0; at >= 0 && is_half && half < 2 && !*ret_err; half++) {
		get_word(call->arguments, (u32)at + half, " ", name);
		lkst_ctf_describe_field(metadata, name, &type);
		*ret_err = ctf_plan_add_step(plan, (struct ctf_step){ .how = CTF_HOW_COPY,
								      .from = (u16)(f->offset + 4 * half),
								      .with = 4 });
	}
	return at >= 0 && is_half;
}

static int plan_call(FILE *metadata, struct plan *plan, const struct lkst_event_class *event)
{
	const struct ctf_plan_call *call = ctf_plan_find_call(event->is_compat, lkst_class_call(event));
	char name[LKST_NAME_MAX], start[LKST_NAME_MAX];
	u16 i;
	int err = 0;

	/* "syscall_entry_", "compat_syscall_exit_" */
	snprintf(start, sizeof(start), "%.*s", event->call_at, event->name);
	lkst_ctf_describe_event(metadata, start, call ? call->lttng : lkst_class_call(event),
				event->id);
	for (i = 0; i < event->nr_fields && !err; i++)
		if (event->fields[i].meaning != LKST_MEANING_PAD &&
		    !plan_halves(metadata, plan, event, call, i, &err) &&
		    ctf_plan_name_argument(event, call, i, name))
			err = plan_field(metadata, plan, event, i, name);
	lkst_ctf_describe_end(metadata);
	return err;
}

/* ---- all plans -------------------------------------------------------------------------------- */

int lkst_ctf_plans_new(struct lkst_err *e, const struct lkst_catalog *c, FILE *metadata,
		       struct lkst_ctf_plans **ret_plans)
{
	_cleanup_(lkst_ctf_plans_freep) struct lkst_ctf_plans *p = calloc(1, sizeof(*p));
	u32 id;
	int err = p ? 0 : -ENOMEM;

	for (id = 1; id <= LKST_ID_MAX && !err; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event)
			continue;
		if (event->syscall >= 0 && lkst_class_call(event))
			err = plan_call(metadata, &p->all[id], event);
		else if (event->index >= 0 && rows[event->index].name)
			err = plan_row(metadata, &p->all[id], event, &rows[event->index]);
		else
			err = plan_own(metadata, &p->all[id], event);
	}
	if (err)
		return lkst_err_sys(e, err, "preparing the events");
	*ret_plans = p;
	p = NULL;
	return 0;
}

void lkst_ctf_plans_free(struct lkst_ctf_plans *p)
{
	u32 id;

	for (id = 0; p && id <= LKST_ID_MAX; id++)
		free(p->all[id].steps);
	free(p);
}

/* ---- following a plan ------------------------------------------------------------------------- */

u8 *lkst_ctf_put_fields(const struct lkst_ctf_plans *p, const struct lkst_ctf_context *context,
			const struct lkst_record *r, u8 *at)
{
	const struct plan *plan = &p->all[r->event->id];
	u32 i;

	for (i = 0; i < plan->nr; i++)
		at = ctf_follow(&plan->steps[i], context, r, at);
	return at;
}

void lkst_ctf_keep_requests(const struct lkst_ctf_plans *p, const struct lkst_ctf_context *context,
			    const struct lkst_record *r)
{
	const struct plan *plan = &p->all[r->event->id];
	u8 ignored[sizeof(u64)];
	u32 i;

	for (i = 0; i < plan->nr; i++)
		if (plan->steps[i].how == CTF_HOW_RWBS)
			ctf_follow(&plan->steps[i], context, r, ignored);
}
