/* SPDX-License-Identifier: GPL-2.0-only */
/* The type of an argument. */
#include "probe/text/fetch_type.h"

#include <stdio.h>
#include <string.h>

#include "probe/text/fetch_text.h"

/* Those that are a word. */
static const struct {
	const char *name;
	u8 form, size;
} names[] = {
	{ "u8", LKST_FORM_UNSIGNED, 1 },   { "u16", LKST_FORM_UNSIGNED, 2 },
	{ "u32", LKST_FORM_UNSIGNED, 4 },  { "u64", LKST_FORM_UNSIGNED, 8 },
	{ "s8", LKST_FORM_SIGNED, 1 },	   { "s16", LKST_FORM_SIGNED, 2 },
	{ "s32", LKST_FORM_SIGNED, 4 },	   { "s64", LKST_FORM_SIGNED, 8 },
	{ "x8", LKST_FORM_HEX, 1 },	   { "x16", LKST_FORM_HEX, 2 },
	{ "x32", LKST_FORM_HEX, 4 },	   { "x64", LKST_FORM_HEX, 8 },
	{ "char", LKST_FORM_CHAR, 1 },	   { "symbol", LKST_FORM_SYMBOL, 8 },
	{ "string", LKST_FORM_STRING, 0 }, { "ustring", LKST_FORM_USTRING, 0 },
	{ "symstr", LKST_FORM_SYMSTR, 0 }, { "u", LKST_FORM_UNSIGNED, 0 },
	{ "s", LKST_FORM_SIGNED, 0 },	   { "x", LKST_FORM_HEX, 0 },
	{ "%pd", LKST_FORM_DENTRY, 0 },	   { "%pD", LKST_FORM_FILE, 0 },
};

enum { NR_NAMES = sizeof(names) / sizeof(names[0]) };

static bool is_memory(u8 op)
{
	return op == LKST_FETCH_AT || op == LKST_FETCH_AT_SYMBOL || op == LKST_FETCH_AT_FILE ||
	       op == LKST_FETCH_MEMORY || op == LKST_FETCH_ELEMENT;
}

/* An address that its type says to be one of characters: only BTF knows. */
static bool is_typed(const struct lkst_fetch *f)
{
	return lkst_fetch_is_variable(f) || f->op == LKST_FETCH_ARGUMENT ||
	       f->op == LKST_FETCH_RETVAL;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* "b<width>@<offset>/<container>", in bits. */
static int parse_bits(struct lkst_cursor *c, struct lkst_fetch_type *type)
{
	const char *at = c->at;
	u64 width, offset = 0, container = 0;
	bool is_good;

	c->at++;
	is_good = lkst_cursor_number(c, 64, &width) && *c->at++ == '@' &&
		  lkst_cursor_number(c, 63, &offset) && *c->at++ == '/' &&
		  lkst_cursor_number(c, 64, &container);
	if (!is_good || !width)
		return lkst_cursor_refuse(
			c, at, "invalid bitfield: it is b<width>@<offset>/<container>, in bits");
	if (container != 8 && container != 16 && container != 32 && container != 64)
		return lkst_cursor_refuse(
			c, at,
			"unknown type is specified: a bitfield's container has 8, 16, "
			"32 or 64 bits");
	if (width + offset > container)
		return lkst_cursor_refuse(c, at,
					  "invalid bitfield: it is wider than its container");
	*type = (struct lkst_fetch_type){ .form = LKST_FORM_BITS,
					  .size = (u8)(container / 8),
					  .bits = (u8)width,
					  .bit_at = (u8)offset };
	return 0;
}

static int parse_word(struct lkst_cursor *c, struct lkst_fetch_type *type)
{
	const char *at = c->at;
	size_t length = *at == '%', i;

	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	for (i = 0; i < NR_NAMES; i++)
		if (strlen(names[i].name) == length && !strncmp(names[i].name, at, length))
			break;
	if (i == NR_NAMES)
		return lkst_cursor_refuse(
			c, at,
			"unknown type is specified: there are u8 to u64, s8 to s64, x8 to "
			"x64, char, symbol, symstr, string, ustring, %%pd, %%pD and bitfields");
	type->form = names[i].form;
	type->size = names[i].size;
	c->at += length;
	return 0;
}

/* "[N]" */
static int parse_array(struct lkst_cursor *c, struct lkst_fetch_type *type)
{
	const char *at = c->at + 1, *end = lkst_cursor_word_end(c->at);
	u64 count;

	if (*c->at != '[')
		return 0;
	if (!memchr(at, ']', (size_t)(end - at)))
		return lkst_cursor_refuse(c, end, "array is not closed");
	c->at = at;
	if (!lkst_cursor_number(c, UINT64_MAX, &count) || *c->at != ']' || !count)
		return lkst_cursor_refuse(c, at, "invalid array size");
	if (count > LKST_FETCH_ARRAY_MAX)
		return lkst_cursor_refuse(c, at,
					  "array number is too big: it has at most %d elements",
					  LKST_FETCH_ARRAY_MAX);
	type->count = (u16)count;
	c->at++;
	if (c->at != end && *c->at != '@')
		return lkst_cursor_refuse(c, c->at, "array has wrong suffix");
	return 0;
}

/* ---- what goes with which --------------------------------------------------------------------- */

static int check_string(struct lkst_cursor *c, const char *at, const struct lkst_probe_arg *arg)
{
	u8 op = arg->fetch->op;

	if (arg->type.form == LKST_FORM_SYMSTR) {
		if (op == LKST_FETCH_STACK || op == LKST_FETCH_NUMBER ||
		    (is_memory(op) && arg->fetch->is_user))
			return lkst_cursor_refuse(c, at,
						  "symbol string doesn't accept data/userdata");
		return 0;
	}
	if (!is_memory(op) && !is_typed(arg->fetch) && op != LKST_FETCH_NUMBER)
		return lkst_cursor_refuse(
			c, at, "string accepts only memory argument, as +0(%%di) or @SYMBOL is");
	return 0;
}

static int check_array(struct lkst_cursor *c, const char *at, const struct lkst_probe_arg *arg)
{
	const struct lkst_fetch *f = arg->fetch;
	bool is_good =
		is_memory(f->op) || lkst_fetch_is_variable(f) || f->op == LKST_FETCH_BACKTRACE;

	if (is_good && arg->type.form != LKST_FORM_SYMSTR)
		return 0;
	return lkst_cursor_refuse(c, at,
				  "array accepts only memory argument, as +0(%%di) or @SYMBOL is");
}

/* %pd and %pD. */
static int check_file_name(struct lkst_cursor *c, bool is_of_program, const char *at, u8 op)
{
	if (is_of_program)
		return lkst_cursor_refuse(c, at, "%%pd and %%pD are of the kernel's memory");
	if (op == LKST_FETCH_BACKTRACE || op == LKST_FETCH_STACK)
		return lkst_cursor_refuse(c, at, "%%pd and %%pD take a pointer to a struct");
	return 0;
}

static int fetch_type_check(struct lkst_cursor *c, bool is_of_program, const char *at,
			    const struct lkst_probe_arg *arg)
{
	const struct lkst_fetch_type *type = &arg->type;
	bool is_text = type->form == LKST_FORM_STRING || type->form == LKST_FORM_USTRING ||
		       type->form == LKST_FORM_SYMSTR;
	u8 op = arg->fetch->op;
	int err = 0;

	if (op == LKST_FETCH_COMM || op == LKST_FETCH_TEXT)
		return type->form == LKST_FORM_STRING && !type->count
			       ? 0
			       : lkst_cursor_refuse(
					 c, at,
					 "$comm and immediate-string only accepts string type");
	if (is_of_program && (type->form == LKST_FORM_SYMBOL || type->form == LKST_FORM_SYMSTR))
		return lkst_cursor_refuse(
			c, at,
			"unknown type is specified: only addresses of the kernel have "
			"symbols");
	if (type->form == LKST_FORM_DENTRY || type->form == LKST_FORM_FILE)
		return type->count
			       ? lkst_cursor_refuse(c, at, "there is no array of names of files")
			       : check_file_name(c, is_of_program, at, op);
	if (!type->size && !is_text && !lkst_fetch_is_variable(arg->fetch))
		return lkst_cursor_refuse(
			c, at, "unknown type is specified: only a variable has a width of its own");
	if (op == LKST_FETCH_BACKTRACE &&
	    (type->size != 8 || type->form == LKST_FORM_SIGNED || type->form == LKST_FORM_BITS))
		return lkst_cursor_refuse(
			c, at, "$backtrace is of addresses: it accepts symbol, x64 and u64");
	if (is_text)
		err = check_string(c, at, arg);
	return !err && type->count ? check_array(c, at, arg) : err;
}

int lkst_fetch_type_parse(struct lkst_cursor *c, bool is_of_program, struct lkst_probe_arg *arg)
{
	const char *at;
	int err;

	if (*c->at != ':')
		return 0;
	at = ++c->at;
	err = *at == 'b' && isdigit((unsigned char)at[1]) ? parse_bits(c, &arg->type)
							  : parse_word(c, &arg->type);
	if (!err)
		err = parse_array(c, &arg->type);
	if (!err && *c->at && *c->at != '@' && !lkst_cursor_is_blank(*c->at))
		return lkst_cursor_refuse(c, at, "unknown type is specified");
	return err ? err : fetch_type_check(c, is_of_program, at, arg);
}

/* ---- writing ---------------------------------------------------------------------------------- */

const char *lkst_fetch_type_format(const struct lkst_fetch_type *type,
				   char text[LKST_FETCH_TYPE_TEXT])
{
	size_t i, length;

	text[0] = 0;
	if (type->form == LKST_FORM_NONE)
		return text;
	if (type->form == LKST_FORM_BITS)
		snprintf(text, LKST_FETCH_TYPE_TEXT, ":b%u@%u/%u", type->bits, type->bit_at,
			 type->size * 8U);
	for (i = 0; i < NR_NAMES; i++)
		if (names[i].form == type->form && names[i].size == type->size)
			snprintf(text, LKST_FETCH_TYPE_TEXT, ":%s", names[i].name);
	length = strlen(text);
	if (type->count)
		snprintf(text + length, LKST_FETCH_TYPE_TEXT - length, "[%u]", type->count);
	return text;
}
