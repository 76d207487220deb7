/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a thread is, as the records of the scheduler say: its registers at the kernel's entry name the system call
 * that it is in, whether that call was recorded or not.
 */
#include <string.h>

#include "analyze/model/model_parts.h"
#include "trace/format/catalog.h"
#include "trace/known/call_result.h"

/* Of a call's arguments, a bit for each: those of 4 bytes, of these the signed ones, and the lower halves of values. */
struct lkst_call_form {
	bool is_known;
	u8 narrow, is_signed, half;
};

static const struct lkst_call_form *locate_form_of(struct lkst_model *s, s16 row)
{
	struct lkst_call_form *form = &s->forms[row];
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int i, nr;

	if (form->is_known)
		return form;
	nr = lkst_syscall_args(&lkst_syscalls[row], args);
	for (i = 0; i < nr; i++) {
		form->narrow |= args[i].size == 4 ? 1 << i : 0;
		form->is_signed |= args[i].is_signed ? 1 << i : 0;
		form->half |= lkst_syscall_is_half(args, i, nr) ? 1 << i : 0;
	}
	form->is_known = true;
	return form;
}

/* The call of number @number, as LKST_MEANING_CALL has it; -1: none. */
static struct lkst_syscall_now locate_call_of(const struct lkst_model *s, s16 number)
{
	struct lkst_syscall_now call = { .row = -1, .nr = -1 };
	const struct lkst_syscall *row = lkst_syscall_of_call(number, s->is_arm64);

	if (number < 0)
		return call;
	call.nr = number & ~LKST_CALL_COMPAT;
	call.is_compat = number & LKST_CALL_COMPAT;
	call.row = row ? (s16)(row - lkst_syscalls) : -1;
	return call;
}

/* A 32-bit caller's value of 64 bits is in two registers. */
static void locate_join_args(u8 half, struct lkst_syscall_now *call)
{
	u32 i, n = 0;

	for (i = 0; i < call->nr_args; i++) {
		call->args[n] = call->args[i];
		if (half & 1 << i && i + 1u < call->nr_args) {
			call->args[n] = (u32)call->args[i] | call->args[i + 1] << 32;
			i++;
		}
		n++;
	}
	call->nr_args = (u8)n;
}

/* The registers have all 64 bits, whatever the argument's type. */
static void locate_take_args(struct lkst_model *s, const struct lkst_record *r, u16 field, u32 nr,
			     struct lkst_syscall_now *call)
{
	u32 length = 0, i;
	const u8 *bytes = field < r->event->nr_fields ? lkst_record_field(r, field, &length) : NULL;
	const struct lkst_call_form *form = call->row >= 0 ? locate_form_of(s, call->row) : NULL;

	if (!bytes || nr > LKST_SYSCALL_ARGS_MAX || length < nr * sizeof(u64))
		return;
	call->has_args = true;
	call->nr_args = (u8)nr;
	memcpy(call->args, bytes, nr * sizeof(u64));
	for (i = 0; i < nr && form; i++)
		if (form->narrow & 1 << i)
			call->args[i] = form->is_signed & 1 << i ? (u64)(s64)(s32)call->args[i] : (u32)call->args[i];
	if (form && form->half)
		locate_join_args(form->half, call);
}

/* Calls that end as others than they began: they restore the registers of a signal's moment. */
static bool returns_from_signal(const struct lkst_syscall_now *call)
{
	const char *name = call->row >= 0 ? lkst_syscalls[call->row].name : "";

	return !strcmp(name, "rt_sigreturn") || !strcmp(name, "sigreturn");
}

/*
 * Whether @t went on with a call by the entry that was recorded, which does not say with which, and the registers do:
 * the programs look it up (bpf/where.h). A 32-bit program's they do not.
 */
static bool is_continued(const struct lkst_model_thread *t)
{
	return t->where == LKST_WHERE_CALL && lkst_call_continues_another(t->call.row) && !t->call.is_compat &&
	       !t->here.is_compat && !lkst_call_continues_another(t->here.row);
}

/* Whether @t is in another call than the one that is known to have been entered, or in none. */
static bool is_elsewhere(const struct lkst_model_thread *t)
{
	if (t->where == LKST_WHERE_CALL)
		return !is_continued(t) && (t->here.nr != t->call.nr || t->here.is_compat != t->call.is_compat);
	return t->where == LKST_WHERE_NONE && !returns_from_signal(&t->call);
}

/* What a record says of where a thread is. */
struct said {
	const struct lkst_record *r;
	u16 args_field;
	u8 where, flags;
	s16 call;
	u32 nr_args;
};

void lkst_model_continue(const struct lkst_model_thread *t, struct lkst_syscall_now *call)
{
	const struct lkst_syscall_now raw = *call;

	if (!t->has_interrupted || !lkst_call_continues_another(raw.row))
		return;
	*call = t->call;
	call->may_be_over = raw.may_be_over;
	call->from_ns = raw.from_ns;
}

static void take_where(struct lkst_model *s, struct lkst_model_thread *t, const struct said *said)
{
	t->where = said->where;
	t->where_flags = said->flags;
	t->here = locate_call_of(s, said->where == LKST_WHERE_CALL ? said->call : -1);
	t->here.may_be_over = said->flags & LKST_WHERE_BEHIND;
	if (said->where == LKST_WHERE_CALL)
		locate_take_args(s, said->r, said->args_field, said->nr_args, &t->here);
	lkst_model_continue(t, &t->here);
}

int lkst_model_locate(struct lkst_model *s, struct lkst_model_thread *t, const struct lkst_record *r,
		      const struct lkst_rec_sched_switch *e)
{
	const struct said said = { r, s->switch_args, e->prev_where, e->prev_flags, e->prev_call, e->nr_args };
	const bool in_lock = t->in_lock, in_fault = t->in_fault;
	int err = 0;

	take_where(s, t, &said);
	if (t->where == LKST_WHERE_UNKNOWN)
		return 0;
	/* Where it is only kept from running, its arguments are not there. */
	if (t->in_call && is_continued(t) && t->here.nr_args > 0) {
		t->here.from_ns = t->call.from_ns;
		t->call = t->here;
	}
	if (t->in_call && is_elsewhere(t)) {
		err = lkst_model_end_call(s, t, r->ns, NULL);
		t->knows_call = false;
		t->in_lock = in_lock;
		t->in_fault = in_fault;
	}
	/* The program's own fault was over when it made the call. */
	if (t->where == LKST_WHERE_CALL && !t->fault_is_kernels)
		t->in_fault = false;
	return err;
}

void lkst_model_locate_listed(struct lkst_model *s, struct lkst_model_thread *t, const struct lkst_record *r,
			      const struct lkst_rec_state_wait *e)
{
	const struct said said = { r, s->listed_args, e->where, e->flags, e->call, e->nr_args };

	take_where(s, t, &said);
	t->blocker = lkst_model_lock_of(e->lock, e->lock_flags, e->holder_tid, e->holder_is);
	lkst_model_wait(s, t, t->listed_state);
	t->listed_wait = t->wait;
	t->has_listed_wait = true;
	t->where = LKST_WHERE_UNKNOWN;
}

const struct lkst_syscall_now *lkst_model_call_of(const struct lkst_model_thread *t)
{
	if (t->in_call)
		return &t->call;
	/* Where its end was recorded, it is over, whatever the registers still have. */
	return t->where == LKST_WHERE_CALL && !(t->here.may_be_over && t->knows_call) ? &t->here : NULL;
}

struct lkst_syscall_now lkst_model_waking_call(const struct lkst_model *s, const struct lkst_rec_sched_waking *e)
{
	struct lkst_syscall_now call = locate_call_of(s, s->has_waking_call ? e->call : -1);

	call.may_be_over = e->flags & LKST_WHERE_BEHIND;
	return call;
}

/* The place of @field among those of @event in this trace's records; UINT16_MAX: they do not have it. */
static u16 locate_place_of(const struct lkst_model *s, enum lkst_event_index event, const char *name)
{
	const struct lkst_catalog *catalog = lkst_trace_catalog(lkst_feed_trace(s->feed));
	const u16 id = lkst_feed_id(s->feed, event);
	const struct lkst_event_class *class = id ? catalog->classes[id] : NULL;
	const struct lkst_field_class *f = class ? lkst_class_field(class, name) : NULL;

	return f ? (u16)(f - class->fields) : UINT16_MAX;
}

int lkst_model_prepare_calls(struct lkst_model *s)
{
	s->forms = calloc(lkst_nr_syscalls, sizeof(*s->forms));
	s->is_arm64 = lkst_catalog_is_arm64(lkst_trace_catalog(lkst_feed_trace(s->feed)));
	s->switch_args = locate_place_of(s, LKST_EV_sched_switch, "prev_args");
	s->listed_args = locate_place_of(s, LKST_EV_state_wait, "args");
	s->has_waking_call = locate_place_of(s, LKST_EV_sched_waking, "call") != UINT16_MAX;
	return s->forms ? 0 : -ENOMEM;
}
