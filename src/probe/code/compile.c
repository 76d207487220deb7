/* SPDX-License-Identifier: GPL-2.0-only */
/* Compiling a resolved probe. */
#include "probe/code/compile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "masks/condition.h"
#include "probe/code/emit.h"
#include "probe/code/layout.h"

/* ---- a probe's condition --------------------------------------------------------------------- */

enum {
	WORD = 8,
	COMM = 16,
	COMM_AT = -32, /* from R10 */
	R1 = BPF_REG_1,
	R2 = BPF_REG_2,
	R3 = LKST_R_VALUE,
};

/* The jump that is taken where the comparison does not hold. */
static u8 otherwise(const struct lkst_trigger_term *t)
{
	switch (t->op) {
	case LKST_TRIGGER_EQ:
		return BPF_JNE;
	case LKST_TRIGGER_NE:
		return BPF_JEQ;
	case LKST_TRIGGER_LT:
		return t->is_signed ? BPF_JSGE : BPF_JGE;
	case LKST_TRIGGER_LE:
		return t->is_signed ? BPF_JSGT : BPF_JGT;
	case LKST_TRIGGER_GT:
		return t->is_signed ? BPF_JSLE : BPF_JLE;
	default:
		return t->is_signed ? BPF_JSLT : BPF_JLT;
	}
}

static void extend_sign(struct lkst_code *c, u8 reg, u8 bytes)
{
	if (bytes == WORD)
		return;
	lkst_emit_imm(c, BPF_LSH, reg, 64 - 8 * bytes);
	lkst_emit_imm(c, BPF_ARSH, reg, 64 - 8 * bytes);
}

/* Drops the record unless what is in R3 compares as @t says. */
static void filter_compare(struct lkst_code *c, const struct lkst_trigger_term *t,
			   struct lkst_jumps *drops)
{
	if (t->mask != ~0ULL) {
		lkst_emit_constant(c, R2, t->mask);
		lkst_emit_reg(c, BPF_AND, R3, R2);
	}
	lkst_emit_constant(c, R2, t->operand);
	lkst_jumps_add(c, drops, lkst_emit_jump_reg(c, otherwise(t), R3, R2));
}

/* The same for the characters at register @base + @at. */
static void compare_text(struct lkst_code *c, const struct lkst_trigger_term *t, u8 base, s16 at,
			 struct lkst_jumps *drops)
{
	struct lkst_jumps others = {};
	u16 i;

	for (i = 0; i < t->length && i < LKST_TRIGGER_TEXT; i++) {
		lkst_emit_load(c, 1, R3, base, (s16)(at + i));
		lkst_jumps_add(c, t->op == LKST_TRIGGER_EQ ? drops : &others,
			       lkst_emit_jump(c, BPF_JNE, R3, (u8)t->text[i]));
		if (!t->text[i])
			break;
	}
	if (t->op == LKST_TRIGGER_EQ)
		return;
	lkst_jumps_add(c, drops, lkst_emit_jump(c, BPF_JA, 0, 0));
	lkst_jumps_land(c, &others);
}

/* Drops the record if the field at @offset could not be read. */
static void check_fault(struct lkst_code *c, const struct lkst_layout *l, u16 offset,
			struct lkst_jumps *drops)
{
	u32 i;

	for (i = 0; i < l->probe->nr_args; i++) {
		if (!l->args[i].may_fault || l->fields[l->args[i].field].offset != offset)
			continue;
		lkst_emit_load(c, 4, R1, LKST_R_RECORD,
			       (s16)lkst_layout_at(l, (unsigned int)l->faults));
		lkst_jumps_add(c, drops,
			       lkst_emit_jump(c, BPF_JSET, R1,
					      (s32)lkst_layout_fault(l, l->args[i].field)));
	}
}

static void compare_comm(struct lkst_code *c, const struct lkst_trigger_term *t,
			 struct lkst_jumps *drops)
{
	lkst_emit_reg(c, BPF_MOV, R1, LKST_R_FRAME);
	lkst_emit_imm(c, BPF_ADD, R1, COMM_AT);
	lkst_emit_imm(c, BPF_MOV, R2, COMM);
	lkst_emit_call(c, BPF_FUNC_get_current_comm);
	compare_text(c, t, LKST_R_FRAME, COMM_AT, drops);
}

static void compare_thread(struct lkst_code *c, const struct lkst_trigger_term *t,
			   struct lkst_jumps *drops)
{
	lkst_emit_call(c, BPF_FUNC_get_current_pid_tgid);
	lkst_emit_reg(c, BPF_MOV, R3, LKST_R_RESULT);
	if (t->source == LKST_TRIGGER_PID)
		lkst_emit_imm(c, BPF_RSH, R3, 32);
	else
		extend_sign(c, R3, 4);
	filter_compare(c, t, drops);
}

static int emit_term(struct lkst_err *e, struct lkst_code *c, const struct lkst_layout *l,
		     const struct lkst_trigger_term *t, struct lkst_jumps *drops)
{
	const s16 at = (s16)(t->offset - (u16)sizeof(struct lkst_record_head));

	switch (t->source) {
	case LKST_TRIGGER_ALWAYS:
		return 0;
	case LKST_TRIGGER_FIELD:
		check_fault(c, l, t->offset, drops);
		lkst_emit_load(c, t->size, R3, LKST_R_RECORD, at);
		if (t->is_signed)
			extend_sign(c, R3, t->size);
		filter_compare(c, t, drops);
		return 0;
	case LKST_TRIGGER_CHARS:
		check_fault(c, l, t->offset, drops);
		compare_text(c, t, LKST_R_RECORD, at, drops);
		return 0;
	case LKST_TRIGGER_TID:
	case LKST_TRIGGER_PID:
		compare_thread(c, t, drops);
		return 0;
	case LKST_TRIGGER_CPU:
		lkst_emit_call(c, BPF_FUNC_get_smp_processor_id);
		lkst_emit_reg(c, BPF_MOV, R3, LKST_R_RESULT);
		filter_compare(c, t, drops);
		return 0;
	case LKST_TRIGGER_COMM:
		compare_comm(c, t, drops);
		return 0;
	default:
		return lkst_err_set(
			e, -EINVAL,
			"a probe's condition compares its arguments and its thread alone");
	}
}

/*
 * Compares what the record has by now. Jumps that drop it are added to @drops. What could not be read is unknown, so
 * that no comparison with it holds, != included.
 */
static int filter_emit(struct lkst_err *e, struct lkst_code *c, const struct lkst_layout *l,
		       struct lkst_jumps *drops)
{
	struct lkst_trigger_term terms[LKST_TRIGGER_TERMS];
	unsigned int nr = 0, i;
	int err;

	if (!l->probe->condition)
		return 0;
	err = lkst_condition_compile(e, &l->event, l->probe->condition, terms, &nr);
	for (i = 0; i < nr && !err; i++)
		err = emit_term(e, c, l, &terms[i], drops);
	return err;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void emit_end(struct lkst_code *c, const struct lkst_layout *l, struct lkst_jumps *drops)
{
	if (l->event.is_fixed)
		lkst_emit_imm(c, BPF_MOV, LKST_R_RESULT, 1);
	else
		lkst_emit_reg(c, BPF_MOV, LKST_R_RESULT, LKST_R_SIZE);
	lkst_emit_exit(c);
	if (!drops->nr)
		return;
	lkst_jumps_land(c, drops);
	lkst_emit_imm(c, BPF_MOV, LKST_R_RESULT, 0);
	lkst_emit_exit(c);
}

static int code_compile(struct lkst_err *e, struct lkst_probe_code *p,
			const struct lkst_probe_target *target)
{
	struct lkst_fetch_builder b = {
		.code = &p->code,
		.layout = &p->layout,
		.find_symbol = target->find_symbol,
		.ctx = target->ctx,
	};
	struct lkst_jumps drops = {};
	int err = lkst_fetch_emit(e, &b);

	err = err ?: filter_emit(e, &p->code, &p->layout, &drops);
	if (err)
		return err;
	emit_end(&p->code, &p->layout, &drops);
	return p->code.is_full
		       ? lkst_err_set(e, -E2BIG, "its arguments take more than %u instructions",
				      LKST_CODE_MAX)
		       : 0;
}

int lkst_probe_compile(struct lkst_err *e, const struct lkst_probe *probe,
		       const struct lkst_probe_target *target, struct lkst_probe_code **ret_code)
{
	_cleanup_free_ struct lkst_probe_code *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return lkst_err_sys(e, -ENOMEM, "compiling a probe");
	err = lkst_layout_make(e, probe, target->machine, &p->layout);
	err = err ?: code_compile(e, p, target);
	if (err)
		return err;
	*ret_code = lkst_take(p);
	return 0;
}
