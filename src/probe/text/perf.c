/* SPDX-License-Identifier: GPL-2.0-only */
/* The language of perf probe. */
#include "probe/text/perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/text/arguments.h"
#include "probe/text/cursor.h"

/* A place while it is read: its word, and which of its parts were there. */
struct perf_parser {
	struct lkst_cursor *c;
	struct lkst_probe *p;
	const char *end;     /* of the word */
	const char *line_at; /* where each begins; NULL: it is not there */
	const char *offset_at, *return_at, *pattern_at;
};

/* ---- words with backslashes ------------------------------------------------------------------- */

/* The first byte of @chars from @at on that has no backslash before it; @end: there is none. */
static const char *perf_find(const char *at, const char *end, const char *chars)
{
	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
		else if (strchr(chars, *at))
			return at;
	}
	return end;
}

/* A copy without backslashes. NULL: no memory. */
static char *unescaped(const char *at, const char *end)
{
	char *copy = malloc((size_t)(end - at) + 1), *to = copy;

	if (!copy)
		return NULL;
	while (at < end) {
		if (*at == '\\' && at + 1 < end)
			at++;
		*to++ = *at++;
	}
	*to = 0;
	return copy;
}

/* Where the brackets that open at @at are closed; NULL: nowhere. */
static const char *closing(const char *at, const char *end)
{
	char open = *at, close = open == '<' ? '>' : ')';
	unsigned int depth = 0;

	for (; at < end; at++) {
		depth += *at == open;
		if (*at == close && !--depth)
			return at;
	}
	return NULL;
}

/* After the sign of an operator of C++ that @at is in front of; @at: it is none. */
static const char *operator_end(const char *begin, const char *at, const char *end)
{
	static const char word[] = "operator";
	const char *sign = at + sizeof(word) - 1;

	if (sign > end || strncmp(at, word, sizeof(word) - 1) || (at > begin && at[-1] != ':'))
		return at;
	if (end - sign >= 2 && (!strncmp(sign, "()", 2) || !strncmp(sign, "[]", 2)))
		return sign + 2;
	while (sign < end && strchr("+-*/%^&|~!=<>,", *sign))
		sign++;
	return sign;
}

/*
 * The end of the name of a function at @begin, which a sign that begins another part follows. "::" and what is in <>
 * and () are of a name of C++, blanks in these, too.
 */
static const char *perf_name_end(const char *begin, const char *end)
{
	const char *at = begin, *next;
	bool is_cpp = false;

	while (at < end) {
		next = is_cpp ? operator_end(begin, at, end) : at;
		if (*at == '\\' && at + 1 < end)
			next = at + 2;
		else if (at[0] == ':' && at + 1 < end && at[1] == ':')
			next = at + 2;
		else if (at > begin && (*at == '<' || (is_cpp && *at == '(')))
			next = closing(at, end) ?: at;
		else if (strchr(";:+@%", *at) && next == at)
			return at;
		is_cpp |= at[0] == ':' && next == at + 2;
		at = next > at ? next : at + 1;
	}
	return end;
}

/* The end of the word at @at, with the blanks that are within a name of C++. */
static const char *place_end(const char *at)
{
	const char *end = lkst_cursor_word_end(at), *all = at + strlen(at), *close;
	const char *begin = at;

	if (!strstr(at, "::") || memchr(at, ';', (size_t)(end - at)))
		return end;
	for (; *at && !lkst_cursor_is_blank(*at); at++) {
		close = at > begin && (*at == '<' || *at == '(') ? closing(at, all) : NULL;
		if (close)
			at = close;
	}
	return at;
}

static int perf_keep(struct perf_parser *x, const char *at, const char *end, char **ret)
{
	*ret = unescaped(at, end);
	return *ret ? 0 : lkst_cursor_no_memory(x->c);
}

/* ---- names ------------------------------------------------------------------------------------ */

static int perf_parse_name(struct perf_parser *x, const char *at, const char *end, char *name)
{
	size_t length = (size_t)(end - at);

	if (length >= LKST_PROBE_NAME)
		return lkst_cursor_refuse(x->c, at,
					  "a name of a group or event has at most %d characters",
					  LKST_PROBE_NAME - 1);
	if (!lkst_is_name(at, length))
		return lkst_cursor_refuse(
			x->c, at,
			"that is bad for event name: it must follow C symbol-naming rule");
	memcpy(name, at, length);
	return 0;
}

/* "[GROUP:]EVENT=", if it is there. */
static int perf_parse_names(struct perf_parser *x)
{
	const char *at = x->c->at, *equals = perf_find(at, x->end, ";=@+%"), *colon;
	int err = 0;

	if (equals == x->end || *equals != '=')
		return 0;
	colon = perf_find(at, equals, ":");
	/* "ns::V::operator=" */
	if (colon + 1 < equals && colon[1] == ':')
		return 0;
	if (colon < equals) {
		err = perf_parse_name(x, at, colon, x->p->group);
		at = colon + 1;
	}
	x->c->at = equals + 1;
	return err ? err : perf_parse_name(x, at, equals, x->p->event);
}

/* Makes a name of what was made of another's. */
static void clean(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}

/* The group of a program's probes: of its name, as far as that is one in C, so that p_O0 and p_O2 are two. */
static void make_group(struct lkst_probe *p)
{
	const char *base = p->place.path, *slash = base ? strrchr(base, '/') : NULL;
	int length = 0;

	if (p->group[0])
		return;
	strcpy(p->group, "probe");
	if (!base)
		return;
	base = slash ? slash + 1 : base;
	while (isalnum((unsigned char)base[length]) || base[length] == '_')
		length++;
	snprintf(p->group, sizeof(p->group), "probe_%.*s", length, base);
}

void lkst_perf_name(struct lkst_probe *p, const char *function)
{
	const struct lkst_probe_place *place = &p->place;
	int length = (int)strcspn(function, ".@("), room;
	char tail[16] = "";

	if (p->event[0])
		return;
	if (place->is_return)
		strcpy(tail, "__return");
	else if (place->kind == LKST_PLACE_FUNCTION_LINE)
		snprintf(tail, sizeof(tail), "_L%u", place->line);
	room = LKST_PROBE_NAME - 2 - (int)strlen(tail);
	snprintf(p->event, sizeof(p->event), "%s%.*s%s",
		 isdigit((unsigned char)*function) ? "_" : "", length < room ? length : room,
		 function, tail);
	clean(p->event);
}

/* The event, where the text says enough. */
static void perf_make_event(struct lkst_probe *p)
{
	const struct lkst_probe_place *place = &p->place;

	if (place->kind == LKST_PLACE_ADDRESS && !p->event[0])
		snprintf(p->event, sizeof(p->event), "abs_%llx",
			 (unsigned long long)place->address);
	else if (place->symbol && !strpbrk(place->symbol, "*?["))
		lkst_perf_name(p, place->symbol);
}

/* ---- marks ------------------------------------------------------------------------------------ */

static bool is_mark(const char *at, const char *end)
{
	return *at == '%' || (!strncmp(at, "sdt_", 4) && memchr(at, ':', (size_t)(end - at)));
}

/* "%[[sdt_]PROVIDER:]NAME[@PROGRAM]" */
static int parse_mark(struct perf_parser *x)
{
	struct lkst_probe_place *place = &x->p->place;
	const char *at = x->c->at + (*x->c->at == '%'), *stop = perf_find(at, x->end, ";=@+%");
	const char *colon = perf_find(at, stop, ":"), *name = colon < stop ? colon + 1 : at;
	int err = 0;

	place->kind = LKST_PLACE_MARK;
	if (stop < x->end && *stop != '@')
		return lkst_cursor_refuse(x->c, stop,
					  "that must be an SDT name: %%PROVIDER:NAME[@PROGRAM]");
	if (!strncmp(at, "sdt_", 4) && colon < stop)
		at += 4;
	if (name == stop || at == colon)
		return lkst_cursor_refuse(x->c, at,
					  "that must be an SDT name: %%PROVIDER:NAME[@PROGRAM]");
	if (colon < stop)
		err = perf_keep(x, at, colon, &place->provider);
	if (!err)
		err = perf_keep(x, name, stop, &place->symbol);
	if (!err && stop < x->end) {
		free(place->path);
		err = perf_keep(x, stop + 1, x->end, &place->path);
	}
	x->c->at = x->end;
	if (err)
		return err;
	if (!place->path || !place->path[0])
		return lkst_cursor_refuse(
			x->c, stop, "a mark is in a program: -x PROGRAM, or @PROGRAM after it");
	if (!x->p->group[0] && place->provider)
		snprintf(x->p->group, sizeof(x->p->group), "sdt_%.58s", place->provider);
	clean(x->p->group);
	return 0;
}

/* ---- the parts of a place --------------------------------------------------------------------- */

/* A number up to @stop. */
static int perf_parse_number(struct perf_parser *x, const char *stop, u64 max, const char *what, u64 *ret)
{
	const char *at = x->c->at;

	if (lkst_cursor_number(x->c, max, ret) && x->c->at == stop)
		return 0;
	return lkst_cursor_refuse(x->c, at, "there is non-digit char in %s, or it is too large",
				  what);
}

/* "@SRC" */
static int parse_source(struct perf_parser *x, const char *stop)
{
	struct lkst_probe_place *place = &x->p->place;

	if (place->source)
		return lkst_cursor_refuse(x->c, x->c->at - 1, "SRC@SRC is not allowed");
	if (stop == x->c->at || (*x->c->at == '@' && stop == x->c->at + 1))
		return lkst_cursor_refuse(x->c, stop, "the name of a source file is missing");
	return perf_keep(x, x->c->at, stop, &place->source);
}

/* "%return" or "%next" */
static int parse_where(struct perf_parser *x, const char *stop)
{
	const char *at = x->c->at;
	size_t length = (size_t)(stop - at);

	if (length == 6 && !strncmp(at, "return", length)) {
		x->p->place.is_return = true;
		x->return_at = at - 1;
		return 0;
	}
	if (length == 4 && !strncmp(at, "next", length)) {
		x->p->place.is_next = true;
		return 0;
	}
	return lkst_cursor_refuse(x->c, at - 1,
				  "%%%.*s is not supported: there are %%return and %%next",
				  (int)length, at);
}

/* One part, which begins with @sign and ends at @stop; the cursor is after the sign. */
static int parse_part(struct perf_parser *x, char sign, const char *stop)
{
	struct lkst_probe_place *place = &x->p->place;
	u64 number = 0;
	int err = 0;

	switch (sign) {
	case ';':
		x->pattern_at = x->c->at;
		if (stop == x->c->at)
			return lkst_cursor_refuse(x->c, stop, "the pattern is missing");
		place->pattern = strndup(x->c->at, (size_t)(stop - x->c->at));
		return place->pattern ? 0 : lkst_cursor_no_memory(x->c);
	case ':':
		x->line_at = x->c->at;
		err = perf_parse_number(x, stop, INT32_MAX, "line number", &number);
		place->line = (u32)number;
		return err;
	case '+':
		x->offset_at = x->c->at;
		return perf_parse_number(x, stop, UINT32_MAX, "offset", &place->offset);
	case '@':
		return parse_source(x, stop);
	default:
		return parse_where(x, stop);
	}
}

static int parse_parts(struct perf_parser *x)
{
	int err = 0;

	while (!err && x->c->at < x->end) {
		char sign = *x->c->at++;
		/* "@@V" is a version of the function, "@V" is one if there is no source of that name. */
		bool is_version = sign == '@' && *x->c->at == '@' && x->c->at < x->end;
		const char *stop = sign == ';' ? x->end
					       : perf_find(x->c->at + is_version, x->end, ";:+@%");

		err = parse_part(x, sign, stop);
		x->c->at = err ? x->c->at : stop;
	}
	return err;
}

/* ---- which parts go with which ---------------------------------------------------------------- */

static int check_parts(struct perf_parser *x)
{
	const struct lkst_probe_place *place = &x->p->place;

	if (x->pattern_at && x->line_at)
		return lkst_cursor_refuse(x->c, x->pattern_at,
					  "lazy pattern can't be used with line number");
	if (x->pattern_at && x->offset_at)
		return lkst_cursor_refuse(x->c, x->pattern_at,
					  "lazy pattern can't be used with offset");
	if (x->line_at && x->offset_at)
		return lkst_cursor_refuse(x->c, x->offset_at,
					  "offset can't be used with line number");
	if (!place->symbol && !x->line_at && !x->pattern_at)
		return lkst_cursor_refuse(x->c, x->end,
					  "file always requires line number or lazy pattern");
	if (!place->symbol && x->offset_at)
		return lkst_cursor_refuse(x->c, x->offset_at, "offset requires an entry function");
	if (!place->symbol && !place->source)
		return lkst_cursor_refuse(x->c, x->c->text + place->at,
					  "a function or a source file is missing");
	if (x->return_at && (x->offset_at || x->line_at || x->pattern_at || !place->symbol))
		return lkst_cursor_refuse(
			x->c, x->return_at,
			"offset/line/lazy pattern can't be used with return probe");
	if (x->return_at && place->is_next)
		return lkst_cursor_refuse(x->c, x->return_at,
					  "%%next can't be used with return probe");
	return 0;
}

/* "0x...": the address is kept as the symbol until now. */
static int make_address(struct perf_parser *x)
{
	struct lkst_probe_place *place = &x->p->place;
	const char *at = x->c->text + place->at;
	struct lkst_cursor c = { .text = place->symbol, .at = place->symbol };

	if (!lkst_cursor_number(&c, UINT64_MAX, &place->address) || *c.at)
		return lkst_cursor_refuse(x->c, at, "invalid absolute address");
	if (x->line_at || x->pattern_at || x->offset_at || place->source)
		return lkst_cursor_refuse(x->c, at,
					  "an address has no offset, line, pattern or source");
	place->kind = LKST_PLACE_ADDRESS;
	free(place->symbol);
	place->symbol = NULL;
	return 0;
}

static int perf_check_symbol(struct perf_parser *x)
{
	const char *symbol = x->p->place.symbol;

	for (; *symbol; symbol++)
		if (iscntrl((unsigned char)*symbol))
			return lkst_cursor_refuse(
				x->c, x->c->text + x->p->place.at,
				"a function has no control characters in its name");
	return 0;
}

static int choose_kind(struct perf_parser *x)
{
	struct lkst_probe_place *place = &x->p->place;

	if (place->symbol && !strncmp(place->symbol, "0x", 2))
		return make_address(x);
	if (x->line_at)
		place->kind = place->symbol ? LKST_PLACE_FUNCTION_LINE : LKST_PLACE_SOURCE_LINE;
	else if (x->pattern_at)
		place->kind = place->symbol ? LKST_PLACE_FUNCTION_LAZY : LKST_PLACE_SOURCE_LAZY;
	else
		place->kind = LKST_PLACE_SYMBOL;
	return place->symbol ? perf_check_symbol(x) : 0;
}

/* A source file has a dot in its name, and a line or a pattern is next. */
static bool is_source(const char *at, const char *stop, const char *end)
{
	return stop < end && (*stop == ';' || *stop == ':') && memchr(at, '.', (size_t)(stop - at));
}

static int perf_parse_place(struct perf_parser *x)
{
	struct lkst_probe_place *place = &x->p->place;
	const char *at = x->c->at, *stop = perf_name_end(at, x->end);
	int err = 0;

	place->at = lkst_cursor_offset(x->c, at);
	if (is_mark(at, x->end))
		return parse_mark(x);
	if (stop > at)
		err = perf_keep(x, at, stop,
				is_source(at, stop, x->end) ? &place->source : &place->symbol);
	x->c->at = stop;
	if (!err)
		err = parse_parts(x);
	if (!err)
		err = check_parts(x);
	return err ? err : choose_kind(x);
}

/* ---- a probe ---------------------------------------------------------------------------------- */

static int parse_text(struct lkst_cursor *c, struct lkst_probe *p)
{
	struct perf_parser x = { .c = c, .p = p };
	int err;

	if (!lkst_cursor_skip_blanks(c))
		return lkst_cursor_refuse(c, c->at,
					  "a probe is missing: FUNCTION, SOURCE:LINE ...");
	x.end = place_end(c->at);
	err = perf_parse_names(&x);
	if (!err)
		err = perf_parse_place(&x);
	if (err)
		return err;
	make_group(p);
	perf_make_event(p);
	c->at = x.end;
	return lkst_arguments_parse(c, LKST_NAMES_OF_PERF, p);
}

static int set_target(struct lkst_cursor *c, const struct lkst_perf_target *target,
		      struct lkst_probe_place *place)
{
	if (target->path)
		place->path = strdup(target->path);
	if (target->module)
		place->module = strdup(target->module);
	if (!place->path != !target->path || !place->module != !target->module)
		return lkst_cursor_no_memory(c);
	return 0;
}

int lkst_perf_parse(struct lkst_err *e, const char *text, const struct lkst_perf_target *target,
		    struct lkst_probe *ret)
{
	struct lkst_cursor c;
	int err;

	*ret = (struct lkst_probe){};
	err = lkst_cursor_begin(&c, e, text, strlen(text), &ret->text) ?:
		      set_target(&c, target, &ret->place) ?:
		      parse_text(&c, ret);
	if (err)
		lkst_probe_fini(ret);
	return err;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* "FIRST[+NUMBER|-LAST]" to the end of the text. */
static int parse_range(struct lkst_cursor *c, struct lkst_line_range *r)
{
	const char *at = c->at;
	u64 first, second;
	char sign;

	if (!lkst_cursor_number(c, INT32_MAX, &first))
		return lkst_cursor_refuse(c, at, "that is not a valid number of a line");
	r->first = (u32)first;
	sign = *c->at;
	if (sign == '+' || sign == '-') {
		at = ++c->at;
		if (!lkst_cursor_number(c, INT32_MAX, &second))
			return lkst_cursor_refuse(c, at, "that is not a valid number of a line");
		if (sign == '+' ? !second : second < first)
			return lkst_cursor_refuse(c, at,
						  "start line must be smaller than end line");
		r->last = (u32)(sign == '+' ? first + second - 1 : second);
	}
	return *c->at ? lkst_cursor_refuse(c, c->at, "nothing may follow the lines") : 0;
}

static int parse_lines(struct lkst_cursor *c, struct lkst_line_range *r)
{
	const char *at = c->at, *end = at + strlen(at), *colon = perf_find(at, end, ":");
	const char *sign = perf_find(at, colon, "@");
	bool is_function = sign < colon || (!memchr(at, '/', (size_t)(colon - at)) &&
					    !memchr(at, '.', (size_t)(colon - at)));

	if (sign == at || (sign < colon && sign + 1 == colon) ||
	    (is_function && !lkst_is_name(at, (size_t)(sign - at))))
		return lkst_cursor_refuse(c, at,
					  "that is not a valid function name, nor a source file's");
	if (is_function)
		r->function = unescaped(at, sign);
	if (sign < colon || !is_function)
		r->source = unescaped(is_function ? sign + 1 : at, colon);
	if ((is_function && !r->function) || ((sign < colon || !is_function) && !r->source))
		return lkst_cursor_no_memory(c);
	c->at = colon < end ? colon + 1 : end;
	return colon < end ? parse_range(c, r) : 0;
}

int lkst_line_range_parse(struct lkst_err *e, const char *text, struct lkst_line_range *ret)
{
	_cleanup_free_ char *copy = NULL;
	struct lkst_cursor c;
	int err;

	*ret = (struct lkst_line_range){ .last = UINT32_MAX };
	err = lkst_cursor_begin(&c, e, text, strlen(text), &copy) ?: parse_lines(&c, ret);
	if (err)
		lkst_line_range_fini(ret);
	return err;
}

void lkst_line_range_fini(struct lkst_line_range *r)
{
	free(r->function);
	free(r->source);
	*r = (struct lkst_line_range){};
}
