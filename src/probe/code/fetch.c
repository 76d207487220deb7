/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions that evaluate a probe's arguments. */
#include "probe/code/fetch.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum {
	WORD = 8,
	COMM = 16,
	READ_AT = -WORD,       /* from R10: what memory is read into */
	NESTED_AT = -2 * WORD, /* and an index for each level of nesting */
	R1 = BPF_REG_1,
	R2 = BPF_REG_2,
	R3 = LKST_R_VALUE,
	R4 = BPF_REG_4,
	/* An int3 has been executed where the kernel's probes are on x86 (arch/x86/kernel/kprobes/core.c). */
	X86_BREAKPOINT = 1,
	USER_STACK = 256, /* BPF_F_USER_STACK */
};

static int value(struct lkst_err *e, struct lkst_fetch_builder *b, const struct lkst_fetch *f,
		 u8 size, unsigned int depth);

/* ---- addresses -------------------------------------------------------------------------------- */

static void load_register(struct lkst_fetch_builder *b, int offset)
{
	lkst_emit_load(b->code, WORD, R3, LKST_R_CPU, (s16)offset);
}

static bool is_return(const struct lkst_fetch_builder *b)
{
	return b->layout->probe->place.is_return;
}

static int symbol_address(struct lkst_err *e, struct lkst_fetch_builder *b,
			  const struct lkst_fetch *f)
{
	u64 address = 0;

	if (!f->text || !b->find_symbol || b->find_symbol(b->ctx, f->text, &address))
		return lkst_probe_refuse(e, -ENOENT, b->layout->probe, f->at,
					 "there is no symbol %s", f->text ?: "");
	lkst_emit_constant(b->code, R3, address + (u64)f->number);
	return 0;
}

/* Byte @f->number of the file that the probed instruction was loaded from. */
static int file_address(struct lkst_err *e, struct lkst_fetch_builder *b,
			const struct lkst_fetch *f)
{
	const struct lkst_probe_place *place = &b->layout->probe->place;

	if (!b->layout->is_user || place->kind != LKST_PLACE_FILE)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "@+OFFSET is only for a place in a program's file");
	if (place->is_return)
		return lkst_probe_refuse(
			e, -EINVAL, b->layout->probe, f->at,
			"where a file was loaded is not known at a function's return");
	load_register(b, lkst_register_ip(b->layout->machine));
	lkst_emit_add(b->code, R3, (u64)f->number - place->offset, R1);
	return 0;
}

/* Cuts the index in R1 to the bits that it has: the 32 lowest and a sign, as one of C, if nothing else is said. */
static void cut_index(struct lkst_fetch_builder *b, const struct lkst_fetch *f)
{
	const s32 unused = 64 - (f->index_size ? f->index_size * 8 : 32);
	const bool is_signed = f->is_index_signed || !f->index_size;

	lkst_emit_imm(b->code, BPF_LSH, R1, unused);
	lkst_emit_imm(b->code, is_signed ? BPF_ARSH : BPF_RSH, R1, unused);
}

/* base + index * size + number. */
static int element_address(struct lkst_err *e, struct lkst_fetch_builder *b,
			   const struct lkst_fetch *f, unsigned int depth)
{
	const s16 slot = (s16)(NESTED_AT - WORD * (s16)depth);
	int err;

	if (!f->index || !f->base)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "an element lacks its array or its index");
	if (f->index_size > 2)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "an index has 1, 2 or 4 bytes, not %u", f->index_size);
	if (f->size > INT_MAX)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "an element has %u bytes", f->size);
	err = value(e, b, f->index, f->index_size ?: WORD, depth + 1);
	if (err)
		return err;
	lkst_emit_store(b->code, WORD, LKST_R_FRAME, slot, R3);
	err = value(e, b, f->base, WORD, depth + 1);
	if (err)
		return err;
	lkst_emit_load(b->code, WORD, R1, LKST_R_FRAME, slot);
	cut_index(b, f);
	lkst_emit_imm(b->code, BPF_MUL, R1, (s32)f->size);
	lkst_emit_reg(b->code, BPF_ADD, R3, R1);
	lkst_emit_add(b->code, R3, (u64)f->number, R1);
	return 0;
}

static int memory_address(struct lkst_err *e, struct lkst_fetch_builder *b,
			  const struct lkst_fetch *f, unsigned int depth)
{
	int err = f->base ? value(e, b, f->base, WORD, depth + 1)
			  : lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					      "there is no address to read at");

	if (!err)
		lkst_emit_add(b->code, R3, (u64)f->number, R1);
	return err;
}

/* The word @number words above the stack pointer. */
static int stack_address(struct lkst_err *e, struct lkst_fetch_builder *b,
			 const struct lkst_fetch *f, u64 number)
{
	if (number > INT_MAX / WORD)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "the stack has no %llu words", (unsigned long long)number);
	load_register(b, lkst_register_sp(b->layout->machine));
	lkst_emit_add(b->code, R3, number * WORD, R1);
	return 0;
}

static int check_caller(struct lkst_err *e, struct lkst_fetch_builder *b,
			const struct lkst_fetch *f)
{
	const struct lkst_probe_place *place = &b->layout->probe->place;

	if (place->kind == LKST_PLACE_SYMBOL && place->offset)
		return lkst_probe_refuse(
			e, -EINVAL, b->layout->probe, f->at,
			"where a function returns to is known only at its entry and return");
	return 0;
}

/* Puts into R3 where @f, which reads memory, reads it. */
static int address(struct lkst_err *e, struct lkst_fetch_builder *b, const struct lkst_fetch *f,
		   unsigned int depth)
{
	switch (f->op) {
	case LKST_FETCH_STACK_N:
		return stack_address(e, b, f, (u64)f->number);
	case LKST_FETCH_CALLER:
		return check_caller(e, b, f) ?: stack_address(e, b, f, 0);
	case LKST_FETCH_AT:
		lkst_emit_constant(b->code, R3, (u64)f->number);
		return 0;
	case LKST_FETCH_AT_SYMBOL:
		return symbol_address(e, b, f);
	case LKST_FETCH_AT_FILE:
		return file_address(e, b, f);
	case LKST_FETCH_ELEMENT:
		return element_address(e, b, f, depth);
	default:
		return memory_address(e, b, f, depth);
	}
}

static bool is_of_user(const struct lkst_fetch_builder *b, const struct lkst_fetch *f)
{
	return b->layout->is_user || f->is_user;
}

/* ---- values ----------------------------------------------------------------------------------- */

/* Reads @size bytes at R3 and puts them into R3; jumps away if they can't be read. */
static void fetch_read_word(struct lkst_fetch_builder *b, const struct lkst_fetch *f, u8 size)
{
	struct lkst_code *c = b->code;

	lkst_emit_reg(c, BPF_MOV, R1, LKST_R_FRAME);
	lkst_emit_imm(c, BPF_ADD, R1, READ_AT);
	lkst_emit_imm(c, BPF_MOV, R2, size);
	lkst_emit_call(c, is_of_user(b, f) ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	lkst_jumps_add(c, &b->faults, lkst_emit_jump(c, BPF_JNE, LKST_R_RESULT, 0));
	lkst_emit_load(c, size, R3, LKST_R_FRAME, READ_AT);
}

/* The address that is watched. */
static int watched_value(struct lkst_err *e, struct lkst_fetch_builder *b,
			 const struct lkst_fetch *f)
{
	const struct lkst_probe_place *place = &b->layout->probe->place;
	u64 address = place->address;

	if (!place->watch)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "no memory is watched");
	if (place->kind == LKST_PLACE_SYMBOL &&
	    (!b->find_symbol || b->find_symbol(b->ctx, place->symbol, &address)))
		return lkst_probe_refuse(e, -ENOENT, b->layout->probe, place->at,
					 "there is no symbol %s", place->symbol);
	lkst_emit_constant(b->code, R3, address + place->offset);
	return 0;
}

static int register_value(struct lkst_err *e, struct lkst_fetch_builder *b,
			  const struct lkst_fetch *f)
{
	int offset = f->text ? lkst_register_find(b->layout->machine, f->text) : -ENOENT;

	if (offset < 0)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "this machine has no register %%%s", f->text ?: "");
	load_register(b, offset);
	return 0;
}

static int argument_value(struct lkst_err *e, struct lkst_fetch_builder *b,
			  const struct lkst_fetch *f)
{
	int offset = lkst_register_argument(b->layout->machine, (u64)f->number);

	if (is_return(b))
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "$arg%lld is gone when the function returns",
					 (long long)f->number);
	if (offset < 0)
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "argument %lld of a function is in no register",
					 (long long)f->number);
	load_register(b, offset);
	return 0;
}

static int result_value(struct lkst_err *e, struct lkst_fetch_builder *b,
			const struct lkst_fetch *f)
{
	if (!is_return(b))
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "$retval is known only at a function's return");
	load_register(b, lkst_register_result(b->layout->machine));
	return 0;
}

/* Where the function returns to, or does now; only at its entry, or when it does, is that in a register. */
static int caller_value(struct lkst_err *e, struct lkst_fetch_builder *b,
			const struct lkst_fetch *f)
{
	if (is_return(b)) {
		load_register(b, lkst_register_ip(b->layout->machine));
		return 0;
	}
	load_register(b, lkst_register_link(b->layout->machine));
	return check_caller(e, b, f);
}

/* Puts the value of @f into R3; what memory holds is cut to @size bytes. */
static int value(struct lkst_err *e, struct lkst_fetch_builder *b, const struct lkst_fetch *f,
		 u8 size, unsigned int depth)
{
	int err;

	if (depth >= LKST_FETCH_DEPTH)
		return lkst_probe_refuse(e, -E2BIG, b->layout->probe, f->at,
					 "it is nested deeper than %u levels", LKST_FETCH_DEPTH);
	if (lkst_layout_reads(b->layout, f)) {
		err = address(e, b, f, depth);
		if (!err)
			fetch_read_word(b, f, size);
		return err;
	}
	switch (f->op) {
	case LKST_FETCH_REGISTER:
		return register_value(e, b, f);
	case LKST_FETCH_STACK:
		load_register(b, lkst_register_sp(b->layout->machine));
		return 0;
	case LKST_FETCH_RETVAL:
		return result_value(e, b, f);
	case LKST_FETCH_ARGUMENT:
		return argument_value(e, b, f);
	case LKST_FETCH_CALLER:
		return caller_value(e, b, f);
	case LKST_FETCH_WATCHED:
		return watched_value(e, b, f);
	case LKST_FETCH_NUMBER:
		lkst_emit_constant(b->code, R3, (u64)f->number);
		return 0;
	case LKST_FETCH_VARIABLE:
	case LKST_FETCH_MEMBER:
	case LKST_FETCH_INDEX:
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at,
					 "\"%s\" is not resolved to a place in memory",
					 f->text ?: "");
	default:
		return lkst_probe_refuse(e, -EINVAL, b->layout->probe, f->at, "it is not a number");
	}
}

/* ---- storing ---------------------------------------------------------------------------------- */

/* R1 = the byte @at of the record. */
static void point_to(struct lkst_fetch_builder *b, u8 reg, s32 at)
{
	lkst_emit_reg(b->code, BPF_MOV, reg, LKST_R_RECORD);
	lkst_emit_imm(b->code, BPF_ADD, reg, at);
}

/* R1 = the record's end as it is now. */
static void point_to_end(struct lkst_fetch_builder *b, u8 reg)
{
	lkst_emit_reg(b->code, BPF_MOV, reg, LKST_R_RECORD);
	lkst_emit_reg(b->code, BPF_ADD, reg, LKST_R_SIZE);
}

/* Notes in the record that @field could not be read. */
static void note_fault(struct lkst_fetch_builder *b, u16 field)
{
	s16 at = (s16)lkst_layout_at(b->layout, (unsigned int)b->layout->faults);

	lkst_emit_load(b->code, 4, R1, LKST_R_RECORD, at);
	lkst_emit_imm(b->code, BPF_OR, R1, (s32)lkst_layout_fault(b->layout, field));
	lkst_emit_store(b->code, 4, LKST_R_RECORD, at, R1);
}

/* Empties @bytes at @at. Reading at address 0 of the kernel fails, and so clears any number of bytes. */
static void fetch_clear(struct lkst_fetch_builder *b, u16 at, u32 bytes)
{
	struct lkst_code *c = b->code;

	if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == WORD) {
		lkst_emit_store_imm(c, (u8)bytes, LKST_R_RECORD, (s16)at, 0);
		return;
	}
	point_to(b, R1, at);
	lkst_emit_imm(c, BPF_MOV, R2, (s32)bytes);
	lkst_emit_imm(c, BPF_MOV, R3, 0);
	lkst_emit_call(c, BPF_FUNC_probe_read_kernel);
}

/* The way of an argument that could not be read; others jump over it. */
static void end_fixed(struct lkst_fetch_builder *b, u16 field, u32 bytes)
{
	u32 over;

	if (!b->faults.nr)
		return;
	over = lkst_emit_jump(b->code, BPF_JA, 0, 0);
	lkst_jumps_land(b->code, &b->faults);
	note_fault(b, field);
	fetch_clear(b, lkst_layout_at(b->layout, field), bytes);
	lkst_emit_land(b->code, over);
}

static int store_value(struct lkst_err *e, struct lkst_fetch_builder *b, u32 i)
{
	const struct lkst_probe_arg *arg = &b->layout->probe->args[i];
	const struct lkst_layout_arg *a = &b->layout->args[i];
	const u16 at = lkst_layout_at(b->layout, a->field);
	int err = value(e, b, arg->fetch, a->size, 0);

	if (err)
		return err;
	if (a->store == LKST_STORE_BITS) {
		lkst_emit_imm(b->code, BPF_LSH, R3, 64 - arg->type.bits - arg->type.bit_at);
		lkst_emit_imm(b->code, BPF_RSH, R3, 64 - arg->type.bits);
	}
	lkst_emit_store(b->code, a->size, LKST_R_RECORD, (s16)at, R3);
	end_fixed(b, a->field, a->size);
	return 0;
}

/* Memory goes into the record without a detour. A helper that can't read clears what it should have filled. */
static int store_memory(struct lkst_err *e, struct lkst_fetch_builder *b, u32 i)
{
	const struct lkst_fetch *f = b->layout->probe->args[i].fetch;
	const struct lkst_layout_arg *a = &b->layout->args[i];
	const u16 at = lkst_layout_at(b->layout, a->field);
	const u32 bytes = (u32)a->size * a->count;
	int err = address(e, b, f, 0);

	if (err)
		return err;
	point_to(b, R1, at);
	lkst_emit_imm(b->code, BPF_MOV, R2, (s32)bytes);
	lkst_emit_call(b->code,
		       is_of_user(b, f) ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	lkst_jumps_add(b->code, &b->faults, lkst_emit_jump(b->code, BPF_JNE, LKST_R_RESULT, 0));
	end_fixed(b, a->field, bytes);
	return 0;
}

static void store_comm(struct lkst_fetch_builder *b, u16 at)
{
	point_to(b, R1, at);
	lkst_emit_imm(b->code, BPF_MOV, R2, COMM);
	lkst_emit_call(b->code, BPF_FUNC_get_current_comm);
}

static void store_text(struct lkst_fetch_builder *b, const struct lkst_fetch *f, u16 at, u16 count)
{
	u16 i;

	for (i = 0; i < count; i++)
		lkst_emit_store_imm(b->code, 1, LKST_R_RECORD, (s16)(at + i),
				    i + 1 < count ? f->text[i] : 0);
}

/* The string of @field, whose address is in R3, goes to the record's end. */
static void store_string_at(struct lkst_fetch_builder *b, u16 field, bool is_user)
{
	const s32 most = (s32)b->layout->string_max;
	struct lkst_code *c = b->code;
	u32 cut, fits, over;

	point_to_end(b, R1);
	/* One byte more than is kept tells a string that fits from one that is cut. */
	lkst_emit_imm(c, BPF_MOV, R2, most + 1);
	lkst_emit_call(c, is_user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
	lkst_jumps_add(c, &b->faults, lkst_emit_jump(c, BPF_JSLE, LKST_R_RESULT, 0));
	cut = lkst_emit_jump(c, BPF_JGT, LKST_R_RESULT, most);
	fits = lkst_emit_jump(c, BPF_JA, 0, 0);
	lkst_emit_land(c, cut);
	point_to_end(b, R1);
	lkst_emit_store_imm(c, 1, R1, (s16)(most - 1), 0);
	lkst_emit_store_imm(c, WORD, LKST_R_RECORD, LKST_CUT_AT, 1);
	lkst_emit_imm(c, BPF_MOV, LKST_R_RESULT, most);
	over = lkst_emit_jump(c, BPF_JA, 0, 0);
	lkst_jumps_land(c, &b->faults);
	point_to_end(b, R1);
	lkst_emit_store_imm(c, 1, R1, 0, 0);
	note_fault(b, field);
	lkst_emit_imm(c, BPF_MOV, LKST_R_RESULT, 1);
	lkst_emit_land(c, over);
	lkst_emit_land(c, fits);
	lkst_emit_reg(c, BPF_ADD, LKST_R_SIZE, LKST_R_RESULT);
}

/* A string, or as many as an array has pointers. */
static int store_strings(struct lkst_err *e, struct lkst_fetch_builder *b, u32 i)
{
	const struct lkst_probe_arg *arg = &b->layout->probe->args[i];
	const struct lkst_layout_arg *a = &b->layout->args[i];
	bool is_user = arg->type.form == LKST_FORM_USTRING || is_of_user(b, arg->fetch);
	u16 k;
	int err = 0;

	for (k = 0; k < a->count && !err; k++) {
		err = address(e, b, arg->fetch, 0);
		if (!err && a->is_array) {
			lkst_emit_add(b->code, R3, (u64)k * WORD, R1);
			fetch_read_word(b, arg->fetch, WORD);
		}
		if (!err)
			store_string_at(b, (u16)(a->field + k), is_user);
	}
	return err;
}

/* Return addresses go to the record's end; their number is in a field of its own. */
static void store_stack(struct lkst_fetch_builder *b, u32 i)
{
	const struct lkst_layout_arg *a = &b->layout->args[i];
	const s32 bytes = a->count * WORD;
	const s16 at = (s16)lkst_layout_at(b->layout, a->length_field);
	struct lkst_code *c = b->code;
	u32 over;

	lkst_emit_imm(c, BPF_ADD, LKST_R_SIZE, 3);
	lkst_emit_imm(c, BPF_AND, LKST_R_SIZE, ~3);
	lkst_emit_store_imm(c, 2, LKST_R_RECORD, at, 0);
	lkst_emit_reg(c, BPF_MOV, R1, LKST_R_CPU);
	point_to_end(b, R2);
	lkst_emit_imm(c, BPF_MOV, R3, bytes);
	lkst_emit_imm(c, BPF_MOV, R4, b->layout->is_user ? USER_STACK : 0);
	lkst_emit_call(c, BPF_FUNC_get_stack);
	lkst_jumps_add(c, &b->faults, lkst_emit_jump(c, BPF_JSLT, LKST_R_RESULT, 0));
	lkst_jumps_add(c, &b->faults, lkst_emit_jump(c, BPF_JSGT, LKST_R_RESULT, bytes));
	lkst_emit_imm(c, BPF_RSH, LKST_R_RESULT, 3);
	lkst_emit_store(c, 2, LKST_R_RECORD, at, LKST_R_RESULT);
	lkst_emit_imm(c, BPF_LSH, LKST_R_RESULT, 3);
	lkst_emit_reg(c, BPF_ADD, LKST_R_SIZE, LKST_R_RESULT);
	over = lkst_emit_jump(c, BPF_JA, 0, 0);
	lkst_jumps_land(c, &b->faults);
	note_fault(b, a->field);
	lkst_emit_land(c, over);
}

static int fetch_store(struct lkst_err *e, struct lkst_fetch_builder *b, u32 i)
{
	const struct lkst_layout_arg *a = &b->layout->args[i];
	const struct lkst_fetch *f = b->layout->probe->args[i].fetch;

	switch (a->store) {
	case LKST_STORE_MEMORY:
		return store_memory(e, b, i);
	case LKST_STORE_STRING:
		return store_strings(e, b, i);
	case LKST_STORE_COMM:
		store_comm(b, lkst_layout_at(b->layout, a->field));
		return 0;
	case LKST_STORE_TEXT:
		store_text(b, f, lkst_layout_at(b->layout, a->field), a->count);
		return 0;
	case LKST_STORE_BACKTRACE:
		store_stack(b, i);
		return 0;
	default:
		return store_value(e, b, i);
	}
}

/* ---- all of them ------------------------------------------------------------------------------ */

static void store_ip(struct lkst_fetch_builder *b)
{
	const struct lkst_layout *l = b->layout;

	load_register(b, lkst_register_ip(l->machine));
	if (!l->is_user && !is_return(b) && !l->probe->place.watch &&
	    l->machine == LKST_MACHINE_X86_64)
		lkst_emit_imm(b->code, BPF_SUB, R3, X86_BREAKPOINT);
	lkst_emit_store(b->code, WORD, LKST_R_RECORD, (s16)lkst_layout_at(l, 0), R3);
}

/*
 * Which of many functions it is (kernel/trace/bpf_trace.c, bpf_get_func_ip). At its entry, that is where the probe
 * is: how far the instruction pointer is from there depends on how the kernel gets to the program.
 */
static void store_func(struct lkst_fetch_builder *b)
{
	const struct lkst_layout *l = b->layout;

	lkst_emit_reg(b->code, BPF_MOV, R1, LKST_R_CPU);
	lkst_emit_call(b->code, BPF_FUNC_get_func_ip);
	lkst_emit_store(b->code, WORD, LKST_R_RECORD, (s16)lkst_layout_at(l, (unsigned int)l->func),
			LKST_R_RESULT);
	if (!is_return(b))
		lkst_emit_store(b->code, WORD, LKST_R_RECORD, (s16)lkst_layout_at(l, 0),
				LKST_R_RESULT);
}

int lkst_fetch_emit(struct lkst_err *e, struct lkst_fetch_builder *b)
{
	const struct lkst_layout *l = b->layout;
	struct lkst_code *c = b->code;
	int err = 0, pass;
	u32 i;

	lkst_emit_reg(c, BPF_MOV, LKST_R_CPU, R1);
	lkst_emit_reg(c, BPF_MOV, LKST_R_RECORD, R2);
	if (!l->event.is_fixed)
		lkst_emit_imm(c, BPF_MOV, LKST_R_SIZE, (s32)l->size);
	if (l->func < 0 || is_return(b))
		store_ip(b);
	if (l->func >= 0)
		store_func(b);
	if (l->faults >= 0)
		fetch_clear(b, lkst_layout_at(l, (unsigned int)l->faults), 4);
	/* In the order of their fields: what is fixed, strings, stacks. */
	for (pass = LKST_STORE_TEXT; pass <= LKST_STORE_BACKTRACE; pass++)
		for (i = 0; i < l->probe->nr_args && !err; i++) {
			u8 how = l->args[i].store < LKST_STORE_TEXT ? LKST_STORE_TEXT
								    : l->args[i].store;

			if (how != pass)
				continue;
			err = fetch_store(e, b, i);
			if (err)
				lkst_err_add(e, "argument %s", l->fields[l->args[i].field].name);
		}
	return err;
}
