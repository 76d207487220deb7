/* SPDX-License-Identifier: GPL-2.0-only */
/* The record of a probe. */
#include "probe/code/layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "trace/format/catalog.h"

enum {
	WORD = 8,
	COMM = 16, /* TASK_COMM_LEN */
	FAULTS_MAX = 32,
	FULL_NAME_MAX = 80, /* of "GROUP:EVENT" */
};

LKST_GUARD(lkst_catalog_free, struct lkst_catalog)

/* ---- what an argument is ---------------------------------------------------------------------- */

bool lkst_layout_reads(const struct lkst_layout *l, const struct lkst_fetch *f)
{
	switch (f->op) {
	case LKST_FETCH_STACK_N:
	case LKST_FETCH_AT:
	case LKST_FETCH_AT_SYMBOL:
	case LKST_FETCH_AT_FILE:
	case LKST_FETCH_MEMORY:
	case LKST_FETCH_ELEMENT:
		return true;
	case LKST_FETCH_CALLER:
		return !l->probe->place.is_return && lkst_register_link(l->machine) < 0;
	default:
		return false;
	}
}

static bool may_fault(const struct lkst_layout *l, const struct lkst_fetch *f, unsigned int depth)
{
	if (!f || depth > LKST_FETCH_DEPTH)
		return false;
	return lkst_layout_reads(l, f) || f->op == LKST_FETCH_BACKTRACE ||
	       may_fault(l, f->base, depth + 1) || may_fault(l, f->index, depth + 1);
}

static bool is_string(u8 form)
{
	return form == LKST_FORM_STRING || form == LKST_FORM_USTRING;
}

static bool is_good_size(u8 size)
{
	return size == 1 || size == 2 || size == 4 || size == WORD;
}

/* The name that argument @i has or gets, as in the kernel (kernel/trace/trace_probe.c). */
static const char *layout_name_of(const struct lkst_probe *probe, u32 i, char name[LKST_PROBE_NAME])
{
	if (probe->args[i].name[0])
		return probe->args[i].name;
	snprintf(name, LKST_PROBE_NAME, "arg%u", i + 1);
	return name;
}

/* ---- fields ----------------------------------------------------------------------------------- */

static struct lkst_field_class *layout_add(struct lkst_layout *l, const char *name, u8 type, u8 size,
					   u8 meaning)
{
	struct lkst_field_class *f;

	if (l->event.nr_fields == LKST_FIELDS_MAX)
		return NULL;
	f = &l->fields[l->event.nr_fields++];
	*f = (struct lkst_field_class){ .type = type, .size = size, .meaning = meaning };
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->base = lkst_meaning_base[meaning];
	return f;
}

/* What an address of code means: readers have names for the kernel's alone. */
static u8 code_meaning(const struct lkst_layout *l)
{
	return l->is_user ? LKST_MEANING_ADDR : LKST_MEANING_CODE;
}

static u8 layout_meaning_of(const struct lkst_layout *l, const struct lkst_probe_arg *arg)
{
	switch (arg->type.form) {
	case LKST_FORM_NONE:
		return arg->fetch->op == LKST_FETCH_CALLER ? code_meaning(l) : LKST_MEANING_HEX;
	case LKST_FORM_HEX:
		return LKST_MEANING_HEX;
	case LKST_FORM_SYMBOL:
	case LKST_FORM_SYMSTR:
		return code_meaning(l);
	default:
		return LKST_MEANING_DEC;
	}
}

/* An integer, or an array of them. */
static struct lkst_field_class *add_number(struct lkst_layout *l, const char *name,
					   const struct lkst_probe_arg *arg,
					   const struct lkst_layout_arg *a)
{
	bool is_signed = arg->type.form == LKST_FORM_SIGNED;
	u8 type = a->is_array ? (is_signed ? LKST_CLASS_SINTS : LKST_CLASS_UINTS)
			      : (is_signed ? LKST_CLASS_SINT : LKST_CLASS_UINT);
	struct lkst_field_class *f = layout_add(l, name, type, a->size, layout_meaning_of(l, arg));

	if (f && a->is_array)
		f->count = a->count;
	return f;
}

static struct lkst_field_class *add_chars(struct lkst_layout *l, const char *name, u16 count)
{
	struct lkst_field_class *f = layout_add(l, name, LKST_CLASS_CHARS, 0, LKST_MEANING_TEXT);

	if (f)
		f->count = count;
	return f;
}

/* The field of @arg, if its size is fixed; of a stack, that of its length. */
static struct lkst_field_class *add_fixed(struct lkst_layout *l, const char *name,
					  const struct lkst_probe_arg *arg,
					  const struct lkst_layout_arg *a)
{
	char length[LKST_PROBE_NAME + 8];

	switch (a->store) {
	case LKST_STORE_COMM:
		return add_chars(l, name, COMM);
	case LKST_STORE_TEXT:
		return add_chars(l, name, a->count);
	case LKST_STORE_BACKTRACE:
		snprintf(length, sizeof(length), "nr_%s", name);
		return layout_add(l, length, LKST_CLASS_UINT, 2, LKST_MEANING_DEC);
	default:
		return arg->type.form == LKST_FORM_CHAR ? add_chars(l, name, a->count)
							: add_number(l, name, arg, a);
	}
}

static struct lkst_field_class *add_strings(struct lkst_layout *l, const char *name,
					    const struct lkst_layout_arg *a)
{
	char element[LKST_PROBE_NAME + 8];
	struct lkst_field_class *f = NULL;
	u16 i;

	for (i = 0; i < a->count; i++) {
		snprintf(element, sizeof(element), a->is_array ? "%s_%u" : "%s", name, i);
		f = layout_add(l, element, LKST_CLASS_STRING, 0, LKST_MEANING_TEXT);
		if (!f)
			return NULL;
	}
	return f;
}

/* ---- types ------------------------------------------------------------------------------------ */

static int choose_string(struct lkst_err *e, struct lkst_layout *l,
			 const struct lkst_probe_arg *arg, struct lkst_layout_arg *a)
{
	if (!lkst_layout_reads(l, arg->fetch))
		return lkst_probe_refuse(
			e, -EINVAL, l->probe, arg->at,
			"a string is read from memory: write +0(...) around its address");
	a->store = LKST_STORE_STRING;
	return 0;
}

static int choose_bits(struct lkst_err *e, struct lkst_layout *l, const struct lkst_probe_arg *arg,
		       struct lkst_layout_arg *a)
{
	const struct lkst_fetch_type *t = &arg->type;

	if (a->is_array)
		return lkst_probe_refuse(e, -EINVAL, l->probe, arg->at,
					 "there are no arrays of bit-fields");
	if (!t->bits || t->bits + t->bit_at > a->size * 8)
		return lkst_probe_refuse(e, -EINVAL, l->probe, arg->at,
					 "%u bits from bit %u on are not in %u bits", t->bits,
					 t->bit_at, a->size * 8);
	a->store = LKST_STORE_BITS;
	return 0;
}

static int layout_choose_number(struct lkst_err *e, struct lkst_layout *l,
				const struct lkst_probe_arg *arg, struct lkst_layout_arg *a)
{
	const struct lkst_fetch_type *t = &arg->type;

	a->size = t->form == LKST_FORM_CHAR ? 1 : t->size ?: WORD;
	if (t->form == LKST_FORM_SYMBOL || t->form == LKST_FORM_SYMSTR || t->form == LKST_FORM_NONE)
		a->size = WORD;
	if (!is_good_size(a->size))
		return lkst_probe_refuse(e, -EINVAL, l->probe, arg->at, "its type has %u bytes",
					 a->size);
	if (t->form == LKST_FORM_BITS)
		return choose_bits(e, l, arg, a);
	a->store = LKST_STORE_VALUE;
	if (lkst_layout_reads(l, arg->fetch))
		a->store = LKST_STORE_MEMORY;
	else if (a->is_array)
		return lkst_probe_refuse(
			e, -EINVAL, l->probe, arg->at,
			"an array is read from memory: write +0(...) around its address");
	return 0;
}

static int layout_choose(struct lkst_err *e, struct lkst_layout *l, const struct lkst_probe_arg *arg,
			 struct lkst_layout_arg *a)
{
	const struct lkst_fetch *f = arg->fetch;
	u8 form = arg->type.form;

	a->is_array = arg->type.count > 0;
	a->count = arg->type.count ?: 1;
	a->may_fault = may_fault(l, f, 0);
	if (arg->type.count > LKST_FETCH_ARRAY_MAX)
		return lkst_probe_refuse(e, -EINVAL, l->probe, arg->at,
					 "an array has %u elements at most", LKST_FETCH_ARRAY_MAX);
	if (form == LKST_FORM_DENTRY || form == LKST_FORM_FILE)
		return lkst_probe_refuse(e, -EINVAL, l->probe, arg->at,
					 "the name of a file is not resolved to a place in memory");
	if (f->op == LKST_FETCH_BACKTRACE) {
		a->store = LKST_STORE_BACKTRACE;
		a->count = arg->type.count ?: LKST_PROBE_FRAMES;
		return 0;
	}
	if (f->op == LKST_FETCH_COMM || f->op == LKST_FETCH_TEXT) {
		if ((form != LKST_FORM_NONE && !is_string(form)) || a->is_array)
			return lkst_probe_refuse(e, -EINVAL, l->probe, arg->at, "it is a string");
		a->store = f->op == LKST_FETCH_COMM ? LKST_STORE_COMM : LKST_STORE_TEXT;
		if (f->op == LKST_FETCH_TEXT)
			a->count = (u16)(strnlen(f->text ?: "", LKST_PROBE_STRING_MAX) + 1);
		return 0;
	}
	return is_string(form) ? choose_string(e, l, arg, a) : layout_choose_number(e, l, arg, a);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static int choose_all(struct lkst_err *e, struct lkst_layout *l)
{
	const struct lkst_probe *probe = l->probe;
	char name[LKST_PROBE_NAME];
	int err = 0;
	u32 i;

	if (probe->nr_args > LKST_PROBE_ARGS_MAX)
		return lkst_err_set(e, -E2BIG, "a probe has %u arguments at most",
				    LKST_PROBE_ARGS_MAX);
	for (i = 0; i < probe->nr_args && !err; i++) {
		if (!probe->args[i].fetch)
			return lkst_err_set(e, -EINVAL, "argument %u is nothing", i + 1);
		err = layout_choose(e, l, &probe->args[i], &l->args[i]);
		if (err)
			lkst_err_add(e, "argument %s", layout_name_of(probe, i, name));
	}
	return err;
}

static bool is_varying(const struct lkst_layout_arg *a)
{
	return a->store == LKST_STORE_STRING || a->store == LKST_STORE_BACKTRACE;
}

static bool add_fixed_fields(struct lkst_layout *l)
{
	const struct lkst_probe *probe = l->probe;
	char name[LKST_PROBE_NAME];
	bool faults = false;
	u32 i;

	if (!layout_add(l, probe->place.is_return ? LKST_PROBE_FIELD_RET_IP : LKST_PROBE_FIELD_IP,
			LKST_CLASS_UINT, WORD, code_meaning(l)))
		return false;
	l->func = probe->place.is_many ? l->event.nr_fields : -1;
	if (l->func >= 0 &&
	    !layout_add(l, LKST_PROBE_FIELD_FUNC, LKST_CLASS_UINT, WORD, LKST_MEANING_CODE))
		return false;
	for (i = 0; i < probe->nr_args; i++)
		faults |= l->args[i].may_fault;
	l->faults = faults ? l->event.nr_fields : -1;
	if (faults && !layout_add(l, LKST_PROBE_FIELD_FAULTS, LKST_CLASS_UINT, 4, LKST_MEANING_HEX))
		return false;
	for (i = 0; i < probe->nr_args; i++) {
		struct lkst_layout_arg *a = &l->args[i];

		a->field = a->length_field = l->event.nr_fields;
		if (a->store != LKST_STORE_STRING &&
		    !add_fixed(l, layout_name_of(probe, i, name), &probe->args[i], a))
			return false;
	}
	return true;
}

/* Strings, and then a stack, whose words must be aligned. */
static bool add_varying_fields(struct lkst_layout *l)
{
	const struct lkst_probe *probe = l->probe;
	char name[LKST_PROBE_NAME];
	struct lkst_field_class *f;
	u32 i, pass;

	for (pass = LKST_STORE_STRING; pass <= LKST_STORE_BACKTRACE; pass++)
		for (i = 0; i < probe->nr_args; i++) {
			struct lkst_layout_arg *a = &l->args[i];

			if (a->store != pass || !is_varying(a))
				continue;
			a->field = l->event.nr_fields;
			if (pass == LKST_STORE_STRING) {
				if (!add_strings(l, layout_name_of(probe, i, name), a))
					return false;
				continue;
			}
			f = layout_add(l, layout_name_of(probe, i, name), LKST_CLASS_WORDS, WORD,
				       code_meaning(l));
			if (!f)
				return false;
			f->length_field = a->length_field;
		}
	return true;
}

/* Lets the catalogue say where each field is, so that what writes a record and what reads it agree. */
static int layout_place(struct lkst_err *e, struct lkst_layout *l)
{
	_cleanup_(lkst_catalog_freep) struct lkst_catalog *c = lkst_catalog_new();
	const struct lkst_event_class *class;
	struct lkst_event_class event = l->event;
	int err;

	if (!c)
		return lkst_err_sys(e, -ENOMEM, "laying out a probe's record");
	event.id = 1;
	err = lkst_catalog_add(e, c, &event);
	if (err)
		return err;
	class = c->classes[1];
	memcpy(l->fields, class->fields, class->nr_fields * sizeof(l->fields[0]));
	l->event = *class;
	l->event.fields = l->fields;
	l->event.id = 0;
	l->size = class->size - (u32)sizeof(struct lkst_record_head);
	return 0;
}

/* Shares the room among the strings. */
static int layout_find_room(struct lkst_err *e, struct lkst_layout *l)
{
	u32 strings = 0, stacks = 0, i, rest;

	for (i = 0; i < l->probe->nr_args; i++) {
		const struct lkst_layout_arg *a = &l->args[i];

		if (a->store == LKST_STORE_STRING)
			strings += a->count;
		else if (a->store == LKST_STORE_BACKTRACE)
			stacks += a->count * WORD + 4;
	}
	rest = l->size + stacks < LKST_PROBE_RECORD_MAX ? LKST_PROBE_RECORD_MAX - l->size - stacks
							: 0;
	l->string_max = strings ? rest / strings : 0;
	if (l->string_max > LKST_PROBE_STRING_MAX)
		l->string_max = LKST_PROBE_STRING_MAX;
	if (!rest || (strings && l->string_max < LKST_PROBE_STRING_MIN))
		return lkst_err_set(e, -E2BIG,
				    "its arguments take more than the %u bytes that a record has",
				    LKST_PROBE_RECORD_MAX);
	l->room = l->size + stacks + strings * l->string_max;
	return 0;
}

static int check_fields(struct lkst_err *e, const struct lkst_layout *l)
{
	const struct lkst_layout_arg *a;
	u16 i;

	for (i = 0; i < l->event.nr_fields; i++)
		if (l->fields[i].meaning == LKST_MEANING_PAD && i != l->faults)
			return lkst_err_set(
				e, -EINVAL,
				"no argument can be called %s, which readers take for padding",
				l->fields[i].name);
	for (i = 0; i < l->probe->nr_args; i++) {
		a = &l->args[i];
		if (a->may_fault &&
		    a->field + (a->store == LKST_STORE_STRING ? a->count : 1) - l->faults >
			    FAULTS_MAX + 1)
			return lkst_err_set(e, -E2BIG, "more than %u fields may fail to be read",
					    FAULTS_MAX);
	}
	return 0;
}

int lkst_layout_make(struct lkst_err *e, const struct lkst_probe *probe, enum lkst_machine machine,
		     struct lkst_layout *ret_layout)
{
	struct lkst_layout *l = ret_layout;
	int err;

	memset(l, 0, sizeof(*l));
	l->probe = probe;
	l->machine = machine;
	l->is_user = probe->place.path != NULL;
	l->event.fields = l->fields;
	/* The catalogue has no room for the longest group and event together. */
	if (snprintf(l->event.name, sizeof(l->event.name), "%s:%s", probe->group, probe->event) > FULL_NAME_MAX)
		return lkst_err_set(e, -EINVAL, "a probe's name has %d characters at most, with its group",
				    FULL_NAME_MAX);
	err = choose_all(e, l);
	if (err)
		return err;
	if (!add_fixed_fields(l) || !add_varying_fields(l))
		return lkst_err_set(e, -E2BIG, "a record has %u fields at most", LKST_FIELDS_MAX);
	return layout_place(e, l) ?: check_fields(e, l) ?: layout_find_room(e, l);
}
