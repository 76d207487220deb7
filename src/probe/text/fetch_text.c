/* SPDX-License-Identifier: GPL-2.0-only */
/* One argument of a probe: what it fetches. */
#include "probe/text/fetch_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/text/fetch_type.h"

enum {
	STACK_MAX = 2048, /* words: the kernel's PARAM_MAX_STACK, of a stack of 16 KiB */
};

/* One argument while it is read. */
struct fetch_text_parser {
	struct lkst_cursor *c;
	const struct lkst_probe_place *place;
	const char *end; /* of the word */
};

static int parse_fetch(struct fetch_text_parser *p, unsigned int depth, struct lkst_fetch **ret);

bool lkst_fetch_is_several(const struct lkst_fetch *f)
{
	return f->op == LKST_FETCH_VARIABLE && f->text[0] == '*';
}

bool lkst_fetch_is_variable(const struct lkst_fetch *f)
{
	return f->op == LKST_FETCH_VARIABLE || f->op == LKST_FETCH_MEMBER ||
	       f->op == LKST_FETCH_INDEX;
}

static bool is_of_program(const struct lkst_probe_place *place)
{
	return place->path || place->kind == LKST_PLACE_MARK;
}

static bool is_symbol_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.$", c));
}

static const char *fetch_text_name_end(const char *at)
{
	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return at;
}

/* Begins a node at @at; the caller has it in any case, and frees it. */
static int fetch_text_begin(struct fetch_text_parser *p, enum lkst_fetch_op op, const char *at, struct lkst_fetch **ret)
{
	*ret = lkst_fetch_new(op);
	if (!*ret)
		return lkst_cursor_no_memory(p->c);
	(*ret)->at = lkst_cursor_offset(p->c, at);
	return 0;
}

static int fetch_text_keep(struct fetch_text_parser *p, struct lkst_fetch *f, const char *text, size_t length)
{
	f->text = strndup(text, length);
	return f->text ? 0 : lkst_cursor_no_memory(p->c);
}

/* ---- $ ---------------------------------------------------------------------------------------- */

/* Those without a number. */
static const struct {
	const char *name;
	u8 op;
	const char *text; /* of the node; NULL: none */
} words[] = {
	{ "stack", LKST_FETCH_STACK, NULL },	    { "retval", LKST_FETCH_RETVAL, NULL },
	{ "comm", LKST_FETCH_COMM, NULL },	    { "COMM", LKST_FETCH_COMM, NULL },
	{ "caller", LKST_FETCH_CALLER, NULL },	    { "backtrace", LKST_FETCH_BACKTRACE, NULL },
	{ "vars", LKST_FETCH_VARIABLE, "*" },	    { "params", LKST_FETCH_VARIABLE, "*params" },
	{ "arg*", LKST_FETCH_VARIABLE, "*params" }, { "addr", LKST_FETCH_WATCHED, NULL },
};

static int check_word(struct fetch_text_parser *p, const struct lkst_fetch *f, const char *at)
{
	const struct lkst_probe_place *place = p->place;

	if (f->op == LKST_FETCH_WATCHED && !place->watch)
		return lkst_cursor_refuse(p->c, at,
					  "$addr is the address of memory that is watched");
	if (place->watch && (f->op == LKST_FETCH_ARGUMENT || f->op == LKST_FETCH_CALLER ||
			     f->op == LKST_FETCH_VARIABLE))
		return lkst_cursor_refuse(
			p->c, at,
			"memory is accessed anywhere in a function: there are registers, memory, $addr, "
			"$stackN, $comm and $backtrace");
	if (f->op == LKST_FETCH_RETVAL && !place->is_return)
		return lkst_cursor_refuse(
			p->c, at,
			"$retval is not available on probe; it is where a function "
			"returns");
	if ((f->op == LKST_FETCH_ARGUMENT || !strncmp(at, "$arg*", 5)) &&
	    place->kind == LKST_PLACE_SYMBOL && place->offset)
		return lkst_cursor_refuse(p->c, at,
					  "$argN can be used only on function entry or exit");
	if (f->op == LKST_FETCH_VARIABLE && place->is_return)
		return lkst_cursor_refuse(
			p->c, at,
			"variables are gone when the function returns; $retval is "
			"there");
	return 0;
}

/* $stackN and $argN: @digits is where N begins. */
static int fetch_text_parse_numbered(struct fetch_text_parser *p, enum lkst_fetch_op op, const char *at,
				     const char *digits, struct lkst_fetch **ret)
{
	bool is_arg = op == LKST_FETCH_ARGUMENT;
	unsigned long number;
	char *end;
	int err;

	errno = 0;
	number = strtoul(digits, &end, 10);
	if (end != fetch_text_name_end(digits))
		return lkst_cursor_refuse(p->c, at, "invalid $-variable specified");
	if (errno || number > STACK_MAX || (is_arg && !number))
		return lkst_cursor_refuse(p->c, at, "invalid %s number: %s to %d can be",
					  is_arg ? "argument" : "stack", is_arg ? "1" : "0",
					  STACK_MAX);
	p->c->at = end;
	err = fetch_text_begin(p, op, at, ret);
	if (err)
		return err;
	(*ret)->number = (s64)number;
	return check_word(p, *ret, at);
}

static int parse_dollar(struct fetch_text_parser *p, struct lkst_fetch **ret)
{
	const char *at = p->c->at, *name = at + 1, *end = fetch_text_name_end(name);
	size_t i;
	int err;

	if (*end == '*')
		end++;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].name) != (size_t)(end - name) ||
		    strncmp(words[i].name, name, (size_t)(end - name)))
			continue;
		p->c->at = end;
		err = fetch_text_begin(p, words[i].op, at, ret);
		if (!err && words[i].text)
			err = fetch_text_keep(p, *ret, words[i].text, strlen(words[i].text));
		return err ? err : check_word(p, *ret, at);
	}
	if (!strncmp(name, "stack", 5) && isdigit((unsigned char)name[5]))
		return fetch_text_parse_numbered(p, LKST_FETCH_STACK_N, at, name + 5, ret);
	if (!strncmp(name, "arg", 3) && isdigit((unsigned char)name[3]))
		return fetch_text_parse_numbered(p, LKST_FETCH_ARGUMENT, at, name + 3, ret);
	return lkst_cursor_refuse(
		p->c, at,
		"invalid $-variable specified: there are $stack, $stackN, $retval, "
		"$argN, $comm, $caller, $backtrace, $addr, $vars and $params");
}

/* ---- % @ \ ------------------------------------------------------------------------------------ */

static int parse_register(struct fetch_text_parser *p, struct lkst_fetch **ret)
{
	const char *at = p->c->at, *end = fetch_text_name_end(at + 1);
	int err;

	if (end == at + 1)
		return lkst_cursor_refuse(p->c, at, "invalid register name");
	p->c->at = end;
	err = fetch_text_begin(p, LKST_FETCH_REGISTER, at, ret);
	return err ? err : fetch_text_keep(p, *ret, at + 1, (size_t)(end - at - 1));
}

/* "+OFFS" or "-OFFS"; false: it is neither, and nothing was read. */
static bool parse_offset(struct lkst_cursor *c, s64 *ret)
{
	bool is_minus = *c->at == '-';
	const char *at = c->at++;
	u64 number;

	if (!lkst_cursor_number(c, (u64)INT64_MAX + is_minus, &number)) {
		c->at = at;
		return false;
	}
	*ret = is_minus ? (s64)-number : (s64)number;
	return true;
}

static int fetch_text_parse_symbol(struct fetch_text_parser *p, const char *at, struct lkst_fetch **ret)
{
	const char *name = at + 1, *end = name;
	int err;

	while (is_symbol_char(*end))
		end++;
	if (end == name)
		return lkst_cursor_refuse(p->c, at, "invalid memory address");
	if (is_of_program(p->place))
		return lkst_cursor_refuse(p->c, at, "symbol is not available with uprobe");
	p->c->at = end;
	err = fetch_text_begin(p, LKST_FETCH_AT_SYMBOL, at, ret);
	if (err)
		return err;
	if ((*end == '+' || *end == '-') && !parse_offset(p->c, &(*ret)->number))
		return lkst_cursor_refuse(p->c, end, "invalid memory address: the offset is wrong");
	return fetch_text_keep(p, *ret, name, (size_t)(end - name));
}

static int parse_memory(struct fetch_text_parser *p, struct lkst_fetch **ret)
{
	const char *at = p->c->at;
	u64 number;
	int err;

	if (isdigit((unsigned char)at[1])) {
		p->c->at++;
		if (!lkst_cursor_number(p->c, UINT64_MAX, &number))
			return lkst_cursor_refuse(p->c, at, "invalid memory address");
		err = fetch_text_begin(p, LKST_FETCH_AT, at, ret);
	} else if (at[1] == '+') {
		if (!is_of_program(p->place))
			return lkst_cursor_refuse(p->c, at,
						  "file offset is not available with kprobe");
		p->c->at += 2;
		if (!lkst_cursor_number(p->c, INT64_MAX, &number))
			return lkst_cursor_refuse(p->c, at, "invalid file offset value");
		err = fetch_text_begin(p, LKST_FETCH_AT_FILE, at, ret);
	} else {
		return fetch_text_parse_symbol(p, at, ret);
	}
	if (!err)
		(*ret)->number = (s64)number;
	return err;
}

static int parse_immediate(struct fetch_text_parser *p, struct lkst_fetch **ret)
{
	const char *at = p->c->at, *value = at + 1;
	s64 number = 0;
	int err;

	if (*value == '"') {
		const char *end = memchr(value + 1, '"', (size_t)(p->end - value - 1));

		if (!end)
			return lkst_cursor_refuse(p->c, p->end, "string is not closed with '\"'");
		p->c->at = end + 1;
		err = fetch_text_begin(p, LKST_FETCH_TEXT, at, ret);
		return err ? err : fetch_text_keep(p, *ret, value + 1, (size_t)(end - value - 1));
	}
	p->c->at = value;
	if (*value == '+' || *value == '-' ? !parse_offset(p->c, &number)
					   : !lkst_cursor_number(p->c, UINT64_MAX, (u64 *)&number))
		return lkst_cursor_refuse(p->c, value, "invalid immediate value");
	err = fetch_text_begin(p, LKST_FETCH_NUMBER, at, ret);
	if (!err)
		(*ret)->number = number;
	return err;
}

/* ---- memory at what another argument fetches -------------------------------------------------- */

/* What is in parentheses, and is an address or an index. */
static int parse_inner(struct fetch_text_parser *p, unsigned int depth, struct lkst_fetch **ret)
{
	const char *at = p->c->at;
	int err = parse_fetch(p, depth, ret);

	if (err)
		return err;
	if ((*ret)->op == LKST_FETCH_COMM || (*ret)->op == LKST_FETCH_TEXT ||
	    (*ret)->op == LKST_FETCH_BACKTRACE)
		return lkst_cursor_refuse(p->c, at, "%s can not be dereferenced",
					  (*ret)->op == LKST_FETCH_COMM	  ? "$comm"
					  : (*ret)->op == LKST_FETCH_TEXT ? "text"
									  : "$backtrace");
	if (lkst_fetch_is_several(*ret))
		return lkst_cursor_refuse(
			p->c, at,
			"$vars, $params and $arg* must be an independent parameter "
			"without name etc.");
	return 0;
}

/* ":u8" and the like: how much of an index counts. */
static int parse_index_type(struct fetch_text_parser *p, struct lkst_fetch *f)
{
	static const char *const types[] = { ":u8", ":s8", ":u16", ":s16" };
	unsigned int i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t length = strlen(types[i]);

		if (strncmp(p->c->at, types[i], length))
			continue;
		p->c->at += length;
		f->index_size = i < 2 ? 1 : 2;
		f->is_index_signed = i % 2;
		return 0;
	}
	return lkst_cursor_refuse(
		p->c, p->c->at,
		"the type of an index is u8, s8, u16 or s16; without one it has 32 bits");
}

/* ",INDEX[:TYPE],SIZE" */
static int parse_element(struct fetch_text_parser *p, unsigned int depth, struct lkst_fetch *f)
{
	const char *at;
	u64 size;
	int err;

	p->c->at++;
	err = parse_inner(p, depth, &f->index);
	if (!err && *p->c->at == ':')
		err = parse_index_type(p, f);
	if (err)
		return err;
	if (*p->c->at != ',')
		return lkst_cursor_refuse(p->c, p->c->at,
					  "an index is followed by the size of an element, as in "
					  "+0(%%di,%%si,8)");
	at = ++p->c->at;
	if (!lkst_cursor_number(p->c, UINT32_MAX, &size) || !size)
		return lkst_cursor_refuse(p->c, at, "invalid size of an element");
	f->op = LKST_FETCH_ELEMENT;
	f->size = (u32)size;
	return 0;
}

static int parse_dereference(struct fetch_text_parser *p, unsigned int depth, struct lkst_fetch **ret)
{
	const char *at = p->c->at, *brace = memchr(at, '(', (size_t)(p->end - at));
	bool is_user = at[1] == 'u', is_minus = *at == '-';
	struct lkst_fetch *f;
	u64 offset;
	int err;

	if (!brace)
		return lkst_cursor_refuse(p->c, at, "dereference needs a brace, as in +8(%%di)");
	p->c->at += 1 + is_user;
	if (!lkst_cursor_number(p->c, (u64)INT64_MAX + is_minus, &offset) || p->c->at != brace)
		return lkst_cursor_refuse(p->c, at, "invalid dereference offset");
	err = fetch_text_begin(p, LKST_FETCH_MEMORY, at, ret);
	if (err)
		return err;
	f = *ret;
	f->is_user = is_user;
	f->number = is_minus ? (s64)-offset : (s64)offset;
	p->c->at = brace + 1;
	err = parse_inner(p, depth, &f->base);
	if (!err && *p->c->at == ',')
		err = parse_element(p, depth, f);
	if (err)
		return err;
	if (*p->c->at != ')')
		return lkst_cursor_refuse(p->c, p->c->at,
					  p->c->at == p->end ? "dereference brace is not closed"
							     : "invalid fetch argument");
	p->c->at++;
	return 0;
}

/* ---- variables -------------------------------------------------------------------------------- */

static int parse_variable(struct fetch_text_parser *p, struct lkst_fetch **ret)
{
	const char *at = p->c->at, *end = fetch_text_name_end(at);
	int err;

	p->c->at = end;
	err = fetch_text_begin(p, LKST_FETCH_VARIABLE, at, ret);
	if (!err)
		err = fetch_text_keep(p, *ret, at, (size_t)(end - at));
	return err ? err : check_word(p, *ret, at);
}

/* "->NAME" or ".NAME", of which @length bytes are the sign. */
static int parse_member(struct fetch_text_parser *p, size_t length, struct lkst_fetch *f)
{
	const char *name = p->c->at + length, *end = fetch_text_name_end(name);

	f->op = LKST_FETCH_MEMBER;
	f->is_arrow = length == 2;
	if (!lkst_is_name(name, (size_t)(end - name)))
		return lkst_cursor_refuse(p->c, name, "the name of a member is missing");
	p->c->at = end;
	return fetch_text_keep(p, f, name, (size_t)(end - name));
}

/* "[INDEX]": a number or a variable. */
static int parse_index(struct fetch_text_parser *p, unsigned int depth, struct lkst_fetch *f)
{
	const char *at = ++p->c->at;
	u64 number;
	int err;

	f->op = LKST_FETCH_INDEX;
	if (isdigit((unsigned char)*at)) {
		if (!lkst_cursor_number(p->c, INT64_MAX, &number))
			return lkst_cursor_refuse(p->c, at, "invalid array index");
		err = fetch_text_begin(p, LKST_FETCH_NUMBER, at, &f->index);
		if (!err)
			f->index->number = (s64)number;
	} else if (isalpha((unsigned char)*at) || *at == '_') {
		err = parse_fetch(p, depth, &f->index);
	} else {
		return lkst_cursor_refuse(p->c, at, "array index must be a number or a variable");
	}
	if (!err && *p->c->at != ']')
		return lkst_cursor_refuse(p->c, p->c->at, "array index is not closed");
	p->c->at += !err;
	return err;
}

/* What follows a variable, $retval or $argN: members and elements, the outermost last. */
static int parse_members(struct fetch_text_parser *p, unsigned int depth, struct lkst_fetch **f)
{
	unsigned int nr;
	int err = 0;

	for (nr = 0; !err; nr++) {
		const char *at = p->c->at;
		struct lkst_fetch *outer;

		if (*at == '-' && at[1] != '>')
			return lkst_cursor_refuse(p->c, at,
						  "failed to parse single hyphen. Forgot '>'?");
		if (*at != '-' && *at != '.' && *at != '[')
			return 0;
		if (nr == LKST_FETCH_DEPTH)
			return lkst_cursor_refuse(p->c, at, "dereference is too much nested");
		if (lkst_fetch_is_several(*f))
			return lkst_cursor_refuse(p->c, at, "$vars and $params have no members");
		err = fetch_text_begin(p, LKST_FETCH_MEMBER, at, &outer);
		if (err)
			return err;
		outer->base = *f;
		*f = outer;
		err = *at == '[' ? parse_index(p, depth + 1, outer)
				 : parse_member(p, *at == '-' ? 2 : 1, outer);
	}
	return err;
}

/* ---- an argument ------------------------------------------------------------------------------ */

static int parse_fetch(struct fetch_text_parser *p, unsigned int depth, struct lkst_fetch **ret)
{
	const char *at = p->c->at;
	int err;

	if (depth == LKST_FETCH_DEPTH)
		return lkst_cursor_refuse(p->c, at, "dereference is too much nested");
	switch (*at) {
	case '$':
		err = parse_dollar(p, ret);
		break;
	case '%':
		return parse_register(p, ret);
	case '@':
		return parse_memory(p, ret);
	case '\\':
		return parse_immediate(p, ret);
	case '+':
	case '-':
		return parse_dereference(p, depth + 1, ret);
	default:
		if (!isalpha((unsigned char)*at) && *at != '_')
			return lkst_cursor_refuse(p->c, at, "invalid fetch argument");
		err = parse_variable(p, ret);
	}
	if (err || !((*ret)->op == LKST_FETCH_RETVAL || (*ret)->op == LKST_FETCH_ARGUMENT ||
		     (*ret)->op == LKST_FETCH_VARIABLE))
		return err;
	return parse_members(p, depth, ret);
}

static unsigned int fetch_text_depth_of(const struct lkst_fetch *f)
{
	unsigned int base, index;

	if (!f)
		return 0;
	base = fetch_text_depth_of(f->base);
	index = fetch_text_depth_of(f->index);
	return 1 + (base > index ? base : index);
}

/* "NAME=" */
static int fetch_text_parse_name(struct fetch_text_parser *p, struct lkst_probe_arg *ret)
{
	const char *at = p->c->at, *equals = memchr(at, '=', (size_t)(p->end - at));
	size_t length;

	if (*at == '\\' || !equals)
		return 0;
	length = (size_t)(equals - at);
	if (!length)
		return lkst_cursor_refuse(p->c, at, "argument name is not specified");
	if (length >= LKST_PROBE_NAME)
		return lkst_cursor_refuse(p->c, at,
					  "argument name is too long: it has at most %d characters",
					  LKST_PROBE_NAME - 1);
	if (!lkst_is_name(at, length))
		return lkst_cursor_refuse(
			p->c, at, "argument name must follow the same rules as C identifiers");
	memcpy(ret->name, at, length);
	p->c->at = equals + 1;
	return 0;
}

/* "@user": the memory that the variable's members and elements are in is the program's. */
static int parse_user(struct fetch_text_parser *p, struct lkst_fetch *f)
{
	static const char user[] = "@user";
	size_t length = strlen(user);

	if (strncmp(p->c->at, user, length))
		return 0;
	if (!lkst_fetch_is_variable(f) || lkst_fetch_is_several(f))
		return lkst_cursor_refuse(p->c, p->c->at,
					  "@user is only for variables; memory of the program is "
					  "+u8(%%di)");
	p->c->at += length;
	for (; f && lkst_fetch_is_variable(f); f = f->base)
		f->is_user = true;
	return 0;
}

/* $vars, $params, $arg*: nothing else may be said of them. */
static int check_several(struct fetch_text_parser *p, const struct lkst_probe_arg *arg)
{
	if (!lkst_fetch_is_several(arg->fetch) || (!arg->name[0] && p->c->at == p->end))
		return 0;
	return lkst_cursor_refuse(
		p->c, p->c->text + arg->fetch->at,
		"$vars, $params and $arg* must be an independent parameter without "
		"name etc.");
}

int lkst_fetch_parse(struct lkst_cursor *c, const struct lkst_probe_place *place,
		     struct lkst_probe_arg *ret)
{
	struct fetch_text_parser p = { .c = c, .place = place, .end = lkst_cursor_word_end(c->at) };
	int err;

	ret->at = lkst_cursor_offset(c, c->at);
	err = fetch_text_parse_name(&p, ret);
	if (!err && c->at == p.end)
		return lkst_cursor_refuse(c, c->at, "no argument expression");
	if (!err)
		err = parse_fetch(&p, 0, &ret->fetch);
	if (!err)
		err = check_several(&p, ret);
	if (!err && fetch_text_depth_of(ret->fetch) > LKST_FETCH_DEPTH)
		return lkst_cursor_refuse(c, c->text + ret->at, "dereference is too much nested");
	if (!err)
		err = lkst_fetch_type_parse(c, is_of_program(place), ret);
	if (!err)
		err = parse_user(&p, ret->fetch);
	if (!err && c->at != p.end)
		return lkst_cursor_refuse(c, c->at, "invalid fetch argument");
	return err;
}
