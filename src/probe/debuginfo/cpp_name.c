/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of C++. */
#include "probe/debuginfo/cpp_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 24,	     /* types in types */
	PARTS_MAX = 48,	     /* that a name may refer to again */
	POOL_SIZE = 1 << 13, /* bytes of their texts */
	PARAMETERS_MAX = 16, /* of a template */
};

/* A text that was written and may be referred to: where it is in the pool. */
struct cpp_name_part {
	size_t at, length;
};

/* What is known while a symbol is read. */
struct reader {
	const char *at;
	char *out; /* of LKST_CPP_NAME bytes */
	size_t length;
	char pool[POOL_SIZE];
	size_t pool_used;
	struct cpp_name_part parts[PARTS_MAX];
	unsigned int nr_parts;
	struct cpp_name_part parameters[PARAMETERS_MAX]; /* of the function's template */
	unsigned int nr_parameters;
	unsigned int depth;
	bool is_in_parameters; /* of the function */
	bool is_template;      /* what was read last ends in <...> */
	bool is_made;	       /* a constructor, a destructor or a conversion: has no type */
};

static bool read_type(struct reader *r);

/* ---- text and parts of it --------------------------------------------------------------------- */

static bool put_bytes(struct reader *r, const char *text, size_t length)
{
	if (length >= LKST_CPP_NAME - r->length)
		return false;
	memmove(r->out + r->length, text, length);
	r->length += length;
	r->out[r->length] = 0;
	return true;
}

static bool cpp_name_put(struct reader *r, const char *text)
{
	return put_bytes(r, text, strlen(text));
}

/* Keeps what was written from byte @from on. */
static bool cpp_name_keep(struct reader *r, size_t from, struct cpp_name_part *ret)
{
	size_t length = r->length - from;

	if (length > sizeof(r->pool) - r->pool_used)
		return false;
	memcpy(r->pool + r->pool_used, r->out + from, length);
	*ret = (struct cpp_name_part){ r->pool_used, length };
	r->pool_used += length;
	return true;
}

static bool remember(struct reader *r, size_t from)
{
	return r->nr_parts < PARTS_MAX && cpp_name_keep(r, from, &r->parts[r->nr_parts++]);
}

static bool cpp_name_take(struct reader *r, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(r->at, text, length))
		return false;
	r->at += length;
	return true;
}

/* A number in base 36 and "_"; the one without digits is 0, "0_" is 1. */
static bool cpp_name_read_number(struct reader *r, unsigned int base, unsigned int *ret)
{
	unsigned int value = 0;
	bool is_first = true;

	for (; *r->at && *r->at != '_'; r->at++) {
		unsigned int digit = isdigit((unsigned char)*r->at) ? (unsigned int)(*r->at - '0')
				     : isupper((unsigned char)*r->at)
					     ? (unsigned int)(*r->at - 'A') + 10
					     : base;

		if (digit >= base || value > PARTS_MAX)
			return false;
		value = value * base + digit;
		is_first = false;
	}
	*ret = is_first ? 0 : value + 1;
	return cpp_name_take(r, "_");
}

/* ---- names ------------------------------------------------------------------------------------ */

/* "4burn" */
static bool read_source_name(struct reader *r)
{
	static const char unnamed[] = "_GLOBAL__N";
	unsigned long length;
	char *end;

	if (!isdigit((unsigned char)*r->at))
		return false;
	length = strtoul(r->at, &end, 10);
	r->at = end;
	if (length >= LKST_CPP_NAME || strnlen(end, length) < length)
		return false;
	r->at += length;
	if (length >= sizeof(unnamed) - 1 && !strncmp(end, unnamed, sizeof(unnamed) - 1))
		return cpp_name_put(r, "(anonymous namespace)");
	return put_bytes(r, end, length);
}

static bool read_operator(struct reader *r)
{
	static const char *const operators[][2] = {
		{ "nw", "operator new" },   { "na", "operator new[]" },	  { "dl", "operator delete" },
		{ "da", "operator delete[]" }, { "ps", "operator+" },	  { "ng", "operator-" },
		{ "ad", "operator&" },	    { "de", "operator*" },	  { "co", "operator~" },
		{ "pl", "operator+" },	    { "mi", "operator-" },	  { "ml", "operator*" },
		{ "dv", "operator/" },	    { "rm", "operator%" },	  { "an", "operator&" },
		{ "or", "operator|" },	    { "eo", "operator^" },	  { "aS", "operator=" },
		{ "pL", "operator+=" },	    { "mI", "operator-=" },	  { "mL", "operator*=" },
		{ "dV", "operator/=" },	    { "rM", "operator%=" },	  { "aN", "operator&=" },
		{ "oR", "operator|=" },	    { "eO", "operator^=" },	  { "ls", "operator<<" },
		{ "rs", "operator>>" },	    { "lS", "operator<<=" },	  { "rS", "operator>>=" },
		{ "eq", "operator==" },	    { "ne", "operator!=" },	  { "lt", "operator<" },
		{ "gt", "operator>" },	    { "le", "operator<=" },	  { "ge", "operator>=" },
		{ "ss", "operator<=>" },    { "nt", "operator!" },	  { "aa", "operator&&" },
		{ "oo", "operator||" },	    { "pp", "operator++" },	  { "mm", "operator--" },
		{ "cm", "operator," },	    { "pm", "operator->*" },	  { "pt", "operator->" },
		{ "cl", "operator()" },	    { "ix", "operator[]" },
	};
	size_t i;

	if (cpp_name_take(r, "cv")) {
		r->is_made = true;
		return cpp_name_put(r, "operator ") && read_type(r);
	}
	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (cpp_name_take(r, operators[i][0]))
			return cpp_name_put(r, operators[i][1]);
	return false;
}

/* A constructor or destructor of the class whose name is written from @from on. */
static bool read_structor(struct reader *r, size_t from)
{
	size_t at, begin, end = r->length, depth = 0;

	if (!((*r->at == 'C' && strchr("12345", r->at[1])) ||
	      (*r->at == 'D' && strchr("01245", r->at[1]))) ||
	    !r->at[1] || from == end)
		return false;
	/* The last name, without its template's arguments. */
	for (at = from, begin = from; at < r->length; at++) {
		depth += r->out[at] == '<';
		if (!depth && at > from && r->out[at] == ':')
			begin = at + 1;
		if (!depth)
			end = at + 1;
		depth -= depth && r->out[at] == '>';
	}
	if (end <= begin || !cpp_name_put(r, *r->at == 'C' ? "::" : "::~"))
		return false;
	r->at += 2;
	r->is_made = true;
	return put_bytes(r, r->out + begin, end - begin);
}

static bool read_unqualified(struct reader *r)
{
	bool is_read;

	r->is_template = r->is_made = false;
	(void)cpp_name_take(r, "L");
	is_read = isdigit((unsigned char)*r->at) ? read_source_name(r) : read_operator(r);
	while (is_read && cpp_name_take(r, "B"))
		is_read = cpp_name_put(r, "[abi:") && read_source_name(r) && cpp_name_put(r, "]");
	return is_read;
}

/* "Li5E" */
static bool read_literal(struct reader *r)
{
	const char *end = strchr(r->at, 'E');
	static const char types[] = "bisjlmxy"; /* and how their literals end */
	static const char *const suffixes[] = { "", "", "", "u", "l", "ul", "ll", "ull" };
	const char *type = *r->at ? strchr(types, *r->at) : NULL;
	bool is_bool = *r->at == 'b';

	if (!end || !type)
		return false;
	r->at++;
	if (is_bool) {
		if (end != r->at + 1 || !cpp_name_put(r, *r->at == '1' ? "true" : "false"))
			return false;
	} else {
		if (*r->at == 'n' && (r->at++, !cpp_name_put(r, "-")))
			return false;
		if (end == r->at || strspn(r->at, "0123456789") != (size_t)(end - r->at) ||
		    !put_bytes(r, r->at, (size_t)(end - r->at)) ||
		    !cpp_name_put(r, suffixes[type - types]))
			return false;
	}
	r->at = end + 1;
	return true;
}

/* One argument of a template; a pack is several. */
static bool read_argument(struct reader *r, struct cpp_name_part *list, unsigned int *nr, bool is_in_pack)
{
	size_t from = r->length;
	bool is_first = true;

	if (!is_in_pack && cpp_name_take(r, "J")) {
		for (; !cpp_name_take(r, "E"); is_first = false)
			if ((!is_first && !cpp_name_put(r, ", ")) || !read_argument(r, NULL, NULL, true))
				return false;
	} else if (cpp_name_take(r, "L") ? !read_literal(r) : !read_type(r)) {
		return false;
	}
	return !list || (*nr < PARAMETERS_MAX && cpp_name_keep(r, from, &list[(*nr)++]));
}

/* "I...E" */
static bool read_arguments(struct reader *r)
{
	struct cpp_name_part list[PARAMETERS_MAX];
	unsigned int nr = 0;
	size_t from, begin;

	if (!cpp_name_put(r, r->length && r->out[r->length - 1] == '<' ? " <" : "<"))
		return false;
	for (begin = r->length; !cpp_name_take(r, "E");) {
		from = r->length;
		if ((from > begin && !cpp_name_put(r, ", ")) || !*r->at ||
		    !read_argument(r, list, &nr, false))
			return false;
		/* A pack may be empty. */
		if (from > begin && r->length == from + 2)
			r->out[r->length = from] = 0;
	}
	if (!r->is_in_parameters) {
		memcpy(r->parameters, list, nr * sizeof(list[0]));
		r->nr_parameters = nr;
	}
	r->is_template = true;
	return cpp_name_put(r, r->out[r->length - 1] == '>' ? " >" : ">");
}

/* "S_", "S0_", "St" ... */
static bool read_reference(struct reader *r)
{
	static const char *const known[][2] = {
		{ "Sa", "std::allocator" }, { "Sb", "std::basic_string" }, { "Ss", "std::string" },
		{ "Si", "std::istream" },   { "So", "std::ostream" },	   { "Sd", "std::iostream" },
	};
	unsigned int i, n;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (cpp_name_take(r, known[i][0]))
			return cpp_name_put(r, known[i][1]);
	if (!cpp_name_take(r, "S") || !cpp_name_read_number(r, 36, &n) || n >= r->nr_parts)
		return false;
	return put_bytes(r, r->pool + r->parts[n].at, r->parts[n].length);
}

/* "N...E", the first letter of which was read. What was written from @from on is the name. */
static bool read_nested(struct reader *r, size_t from)
{
	bool is_first = true;

	r->at += strspn(r->at, "rVK");
	if (*r->at == 'R' || *r->at == 'O')
		r->at++;
	for (; !cpp_name_take(r, "E"); is_first = false) {
		if (is_first && cpp_name_take(r, "St")) {
			if (!cpp_name_put(r, "std"))
				return false;
			continue;
		}
		if (is_first && *r->at == 'S') {
			if (!read_reference(r))
				return false;
			continue;
		}
		if (!is_first && cpp_name_take(r, "I")) {
			if (!read_arguments(r))
				return false;
		} else if (*r->at == 'C' || (*r->at == 'D' && isdigit((unsigned char)r->at[1]))) {
			if (!read_structor(r, from))
				return false;
		} else if ((!is_first && !cpp_name_put(r, "::")) || !read_unqualified(r)) {
			return false;
		}
		if (!remember(r, from))
			return false;
	}
	if (is_first || !r->nr_parts)
		return false;
	/* The whole is no part unless it is a type, and then that is said by who reads one. */
	r->nr_parts--;
	return true;
}

/* The name of a function or type; what is referred to by "S_" and no more, is no new part of a type. */
static bool read_name(struct reader *r, bool *ret_is_reference)
{
	size_t from = r->length;
	bool is_std;

	*ret_is_reference = false;
	if (cpp_name_take(r, "N"))
		return read_nested(r, from);
	is_std = cpp_name_take(r, "St");
	if (!is_std && *r->at == 'S') {
		*ret_is_reference = *r->at == 'S';
		if (!read_reference(r))
			return false;
	} else if ((is_std && !cpp_name_put(r, "std::")) || !read_unqualified(r)) {
		return false;
	}
	if (!cpp_name_take(r, "I"))
		return true;
	if (!*ret_is_reference && !remember(r, from))
		return false;
	*ret_is_reference = false;
	return read_arguments(r);
}

/* ---- types ------------------------------------------------------------------------------------ */

static const char *builtin(struct reader *r)
{
	static const char *const types[] = {
		['v' - 'a'] = "void",	       ['w' - 'a'] = "wchar_t",
		['b' - 'a'] = "bool",	       ['c' - 'a'] = "char",
		['a' - 'a'] = "signed char",   ['h' - 'a'] = "unsigned char",
		['s' - 'a'] = "short",	       ['t' - 'a'] = "unsigned short",
		['i' - 'a'] = "int",	       ['j' - 'a'] = "unsigned int",
		['l' - 'a'] = "long",	       ['m' - 'a'] = "unsigned long",
		['x' - 'a'] = "long long",     ['y' - 'a'] = "unsigned long long",
		['n' - 'a'] = "__int128",      ['o' - 'a'] = "unsigned __int128",
		['f' - 'a'] = "float",	       ['d' - 'a'] = "double",
		['e' - 'a'] = "long double",   ['g' - 'a'] = "__float128",
		['z' - 'a'] = "...",
	};
	const char *type = NULL;

	if (*r->at >= 'a' && *r->at <= 'z')
		type = types[*r->at - 'a'];
	if (type)
		r->at++;
	else if (cpp_name_take(r, "Dn"))
		type = "decltype(nullptr)";
	else if (cpp_name_take(r, "Di"))
		type = "char32_t";
	else if (cpp_name_take(r, "Ds"))
		type = "char16_t";
	else if (cpp_name_take(r, "Du"))
		type = "char8_t";
	return type;
}

/* "T_": an argument of the function's template. */
static bool read_parameter(struct reader *r)
{
	unsigned int n;

	if (!cpp_name_read_number(r, 10, &n) || n >= r->nr_parameters)
		return false;
	return put_bytes(r, r->pool + r->parameters[n].at, r->parameters[n].length);
}

/* A type but for what is said of its size. */
static bool read_inner_type(struct reader *r)
{
	static const char qualifiers[] = "rVK";
	const char *is, *at = r->at;
	size_t from = r->length, n;
	bool is_reference = false;

	is = builtin(r);
	if (is)
		return cpp_name_put(r, is);
	n = strspn(at, qualifiers);
	if (n) {
		r->at += n;
		if (!read_type(r) || (memchr(at, 'K', n) && !cpp_name_put(r, " const")) ||
		    (memchr(at, 'V', n) && !cpp_name_put(r, " volatile")) ||
		    (memchr(at, 'r', n) && !cpp_name_put(r, " restrict")))
			return false;
	} else if (*at && strchr("PRO", *at)) {
		r->at++;
		if (!read_type(r) || !cpp_name_put(r, *at == 'P' ? "*" : *at == 'R' ? "&" : "&&"))
			return false;
	} else if (cpp_name_take(r, "T")) {
		if (!read_parameter(r))
			return false;
	} else if (cpp_name_take(r, "Dp")) {
		return read_type(r);
	} else if (!read_name(r, &is_reference)) {
		return false;
	}
	return is_reference || remember(r, from);
}

static bool read_type(struct reader *r)
{
	bool is_read;

	if (r->depth == DEPTH_MAX)
		return false;
	r->depth++;
	is_read = read_inner_type(r);
	r->depth--;
	return is_read;
}

/* ---- symbols ---------------------------------------------------------------------------------- */

/* Whether the symbol ends here; a compiler's copy has more behind a dot. */
static bool is_end(const struct reader *r)
{
	return !*r->at || *r->at == '.';
}

/* Writes "(long, char*)". False: the types are not read, or it has none. */
static bool read_parameters(struct reader *r, bool has_result)
{
	size_t length = r->length;
	bool is_first = true;

	r->is_in_parameters = true;
	if (is_end(r))
		return false;
	if (has_result) {
		if (!read_type(r))
			return false;
		r->out[r->length = length] = 0;
	}
	if (!cpp_name_put(r, "("))
		return false;
	if (r->at[0] == 'v' && (!r->at[1] || r->at[1] == '.'))
		return cpp_name_put(r, ")");
	for (; !is_end(r); is_first = false)
		if ((!is_first && !cpp_name_put(r, ", ")) || !read_type(r))
			return false;
	return cpp_name_put(r, ")");
}

/* Writes the name and, if they can be read, its parameters; *@ret_length: of the name alone. */
static bool read_symbol(const char *symbol, char text[LKST_CPP_NAME], size_t *ret_length)
{
	struct reader r = { .at = symbol, .out = text };
	bool is_reference;

	text[0] = 0;
	if (!cpp_name_take(&r, "_Z") || !read_name(&r, &is_reference) || is_reference || !r.length)
		return false;
	*ret_length = r.length;
	if (!read_parameters(&r, r.is_template && !r.is_made))
		text[*ret_length] = 0;
	return true;
}

bool lkst_cpp_name(const char *symbol, char text[LKST_CPP_NAME])
{
	char all[LKST_CPP_NAME];
	size_t length;

	if (strncmp(symbol, "_Z", 2) || !read_symbol(symbol, all, &length))
		return false;
	all[length] = 0;
	memcpy(text, all, length + 1);
	return true;
}

bool lkst_cpp_is_written(const char *name)
{
	return strstr(name, "::");
}

/* Whether @written is @text, without blanks, and without what is in <> unless @has_brackets. */
static bool cpp_name_is_same(const char *written, const char *text, const char *end, bool has_brackets)
{
	unsigned int depth = 0;

	for (; text < end; text++) {
		bool is_operator = text >= end - 3 && memchr("<>=", text[0], 3) && !depth;

		/* The sign of operator<, operator<< and operator<=> is no bracket, and is last. */
		if (!has_brackets && !is_operator && (*text == '<' || depth)) {
			depth += *text == '<';
			depth -= *text == '>';
			continue;
		}
		while (*written == ' ')
			written++;
		if (*text != ' ' && *written++ != *text)
			return false;
	}
	return !written[strspn(written, " ")];
}

bool lkst_cpp_means(const char *name, const char *symbol)
{
	char text[LKST_CPP_NAME];
	bool has_brackets = strchr(name, '<');
	size_t length;

	if (strncmp(symbol, "_Z", 2) || !read_symbol(symbol, text, &length))
		return false;
	return cpp_name_is_same(name, text, text + length, has_brackets) ||
	       (text[length] && cpp_name_is_same(name, text, text + strlen(text), has_brackets));
}
