/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments as they were written, and what they are at a spot. */
#include "probe/resolve/expression.h"

#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "probe/resolve/prototype.h"
#include "probe/resolve/scope_variables.h"

enum {
	WRITTEN_MAX = 128, /* of an expression in an error */
	DEPTH_MAX =
		2 *
		LKST_FETCH_DEPTH, /* of one as written: a member is a level, a pointer another */
};

static int evaluate(struct lkst_spot *s, const struct lkst_fetch *f, unsigned int depth,
		    struct lkst_value *ret_value);

bool lkst_expression_has_variables(const struct lkst_fetch *f)
{
	if (!f)
		return false;
	return f->op == LKST_FETCH_VARIABLE || f->op == LKST_FETCH_MEMBER ||
	       f->op == LKST_FETCH_INDEX || lkst_expression_has_variables(f->base) ||
	       lkst_expression_has_variables(f->index);
}

bool lkst_expression_has_registers(const struct lkst_fetch *f)
{
	if (!f)
		return false;
	return f->op == LKST_FETCH_REGISTER || f->op == LKST_FETCH_STACK ||
	       f->op == LKST_FETCH_STACK_N || f->op == LKST_FETCH_ARGUMENT ||
	       lkst_expression_has_registers(f->base) || lkst_expression_has_registers(f->index);
}

/* Writes an expression as perf probe's language has it, for errors. */
static void write_expression(const struct lkst_fetch *f, char text[WRITTEN_MAX], unsigned int depth)
{
	size_t length;

	if (depth > DEPTH_MAX)
		return;
	if (f->base)
		write_expression(f->base, text, depth + 1);
	length = strlen(text);
	text += length;
	length = WRITTEN_MAX - length;
	switch (f->op) {
	case LKST_FETCH_VARIABLE:
		snprintf(text, length, "%s", f->text);
		break;
	case LKST_FETCH_MEMBER:
		snprintf(text, length, "%s%s", f->is_arrow ? "->" : ".", f->text);
		break;
	case LKST_FETCH_INDEX:
		if (f->index && f->index->op == LKST_FETCH_NUMBER)
			snprintf(text, length, "[%lld]", (long long)f->index->number);
		else
			snprintf(text, length, "[%s]",
				 f->index && f->index->text ? f->index->text : "...");
		break;
	case LKST_FETCH_RETVAL:
		snprintf(text, length, "$retval");
		break;
	case LKST_FETCH_ARGUMENT:
		snprintf(text, length, "$arg%lld", (long long)f->number);
		break;
	default:
		snprintf(text, length, "the argument");
	}
}

/* The parameter @name by BTF. */
static int find_parameter(struct lkst_spot *s, const char *name, struct lkst_value *ret_value)
{
	struct lkst_suggest near = { .word = name };
	char text[LKST_SUGGEST_TEXT];
	u32 i;

	for (i = 0; i < lkst_prototype_count(s->prototype); i++) {
		const char *is = lkst_prototype_name(s->prototype, i);

		if (is && !strcmp(is, name))
			return lkst_prototype_parameter(s, s->prototype, i, ret_value);
		if (is)
			lkst_suggest_offer(&near, is);
	}
	return lkst_err_set(s->e, -ENOENT,
			    "%s has no parameter %s%s (other variables require debug information)",
			    s->function, name, lkst_suggest_text(&near, text));
}

static int find_variable(struct lkst_spot *s, const char *name, struct lkst_value *ret_value)
{
	if (s->prototype && (s->is_entry || s->is_return))
		return find_parameter(s, name, ret_value);
	if (s->has_scope && s->is_return)
		return lkst_err_set(s->e, -EOPNOTSUPP,
				    "%s is gone when %s returns: only $retval is known then", name,
				    s->function);
	if (s->has_scope)
		return lkst_variable_find(s, name, ret_value);
	return lkst_err_set(s->e, -ENODATA,
			    "where %s is at %s requires debug information, and there is none of %s",
			    name, s->where, lkst_image_name(s->image));
}

/* A node of the kernel's language whose type is known. False: it is not known. */
static bool type_of(struct lkst_spot *s, const struct lkst_fetch *f, struct lkst_ctype *ret_type)
{
	struct lkst_value v;
	struct lkst_spot quiet = *s;
	u32 i;

	if (f->op == LKST_FETCH_RETVAL && s->is_return && (s->prototype || s->has_scope)) {
		*ret_type = s->prototype ? lkst_prototype_result(s->prototype)
					 : lkst_ctype_of_die(&s->scope);
		return true;
	}
	if (f->op != LKST_FETCH_ARGUMENT || !s->prototype)
		return false;
	/* $argN is the N-th register: that of parameter N if each before it takes one. */
	quiet.e = NULL;
	quiet.is_return = true;
	for (i = 0; i < lkst_prototype_count(s->prototype); i++)
		if (!lkst_prototype_parameter(&quiet, s->prototype, i, &v) &&
		    v.place == LKST_VALUE_NODE && v.node->number == f->number) {
			*ret_type = v.type;
			return true;
		}
	return false;
}

static struct lkst_fetch *clone(struct lkst_spot *s, const struct lkst_fetch *f)
{
	struct lkst_fetch *copy = lkst_pool_fetch(s->pool, f->op, f->text, f->number, f->base);

	if (!copy)
		return NULL;
	copy->is_user = f->is_user;
	copy->index = f->index;
	copy->size = f->size;
	copy->index_size = f->index_size;
	copy->is_index_signed = f->is_index_signed;
	copy->at = f->at;
	return copy;
}

/* The node of the kernel's language for @f, in which variables may be. */
static int lower(struct lkst_spot *s, const struct lkst_fetch *f, unsigned int depth,
		 struct lkst_fetch **ret_node)
{
	char what[WRITTEN_MAX] = "";
	struct lkst_fetch *copy;
	struct lkst_value v;
	int code = 0;

	if (depth > DEPTH_MAX)
		return lkst_err_set(s->e, -E2BIG, "an argument is nested too deeply");
	if (f->op == LKST_FETCH_VARIABLE || f->op == LKST_FETCH_MEMBER ||
	    f->op == LKST_FETCH_INDEX) {
		code = evaluate(s, f, depth + 1, &v);
		write_expression(f, what, 0);
		return code ? code : lkst_value_load(s, &v, what, ret_node);
	}
	copy = clone(s, f);
	if (!copy)
		return -ENOMEM;
	if (f->base)
		code = lower(s, f->base, depth + 1, &copy->base);
	if (!code && f->index)
		code = lower(s, f->index, depth + 1, &copy->index);
	if (!code)
		*ret_node = copy;
	return code;
}

static int evaluate_index(struct lkst_spot *s, const struct lkst_fetch *f, unsigned int depth,
			  struct lkst_value *v, const char *what)
{
	struct lkst_value index;
	int code;

	if (!f->index)
		return lkst_err_set(s->e, -EINVAL, "an element of %s has no index", what);
	if (f->index->op == LKST_FETCH_NUMBER)
		return lkst_value_element(s, v, f->index->number, NULL, what);
	code = evaluate(s, f->index, depth + 1, &index);
	return code ? code : lkst_value_element(s, v, 0, &index, what);
}

static int evaluate(struct lkst_spot *s, const struct lkst_fetch *f, unsigned int depth,
		    struct lkst_value *ret_value)
{
	char what[WRITTEN_MAX] = "";
	struct lkst_value v = { 0 };
	int code;

	if (depth > DEPTH_MAX)
		return lkst_err_set(s->e, -E2BIG, "an argument is nested too deeply");
	if (f->op == LKST_FETCH_VARIABLE) {
		code = find_variable(s, f->text, &v);
		if (code)
			s->wrong_at = f->at;
	} else if (f->op == LKST_FETCH_MEMBER || f->op == LKST_FETCH_INDEX) {
		code = f->base ? evaluate(s, f->base, depth + 1, &v) : -EINVAL;
		if (code)
			return code;
		v.is_user |= f->is_user;
		write_expression(f->base, what, 0);
		code = f->op == LKST_FETCH_MEMBER
			       ? lkst_value_member(s, &v, f->text, f->is_arrow, what)
			       : evaluate_index(s, f, depth, &v, what);
		if (code && f->op == LKST_FETCH_MEMBER)
			s->wrong_at = f->at + (f->is_arrow ? strlen("->") : strlen("."));
	} else {
		write_expression(f, what, 0);
		if (!type_of(s, f, &v.type))
			return lkst_err_set(s->e, -EINVAL, "the type of %s at %s is not known",
					    what, s->where);
		v.place = LKST_VALUE_NODE;
		code = lower(s, f, depth + 1, &v.node);
	}
	v.is_user |= f->is_user;
	if (!code)
		*ret_value = v;
	return code;
}

/* The name that an argument gets of what it is: its last member, or its variable. */
static void expression_set_name(const struct lkst_fetch *f, char name[LKST_PROBE_NAME])
{
	unsigned int depth = 0;

	while (f && f->op == LKST_FETCH_INDEX && depth++ < DEPTH_MAX)
		f = f->base;
	if (f && (f->op == LKST_FETCH_MEMBER || f->op == LKST_FETCH_VARIABLE))
		snprintf(name, LKST_PROBE_NAME, "%s", f->text);
}

/* No two arguments of a probe have one name. */
static void expression_make_unique(struct lkst_probe_arg *args, u32 nr)
{
	char base[LKST_PROBE_NAME];
	u32 i, n = 0;

	snprintf(base, sizeof(base), "%s", args[nr].name);
	for (i = 0; i < nr && base[0]; i++)
		if (!strcmp(args[i].name, args[nr].name)) {
			snprintf(args[nr].name, LKST_PROBE_NAME, "%.56s_%u", base, ++n);
			i = (u32)-1;
		}
}

/* @*node becomes what memory holds @offset bytes after it. */
static int expression_dereference(struct lkst_spot *s, u64 offset, struct lkst_fetch **node)
{
	*node = lkst_pool_fetch(s->pool, LKST_FETCH_MEMORY, NULL, (s64)offset, *node);
	return *node ? 0 : -ENOMEM;
}

static bool expression_is_text(const struct lkst_fetch_type *type)
{
	return type->form == LKST_FORM_STRING || type->form == LKST_FORM_USTRING;
}

/* Where member @inner of member @outer of the kernel's struct @name is. */
static int expression_find_member(struct lkst_spot *s, const char *name, const char *outer, const char *inner,
				  u64 *ret_offset)
{
	struct lkst_ctype type = { .btf = s->image->base_btf ?: s->image->btf };
	struct lkst_ctype_member a, b;
	int id = type.btf ? btf__find_by_name_kind(type.btf, name, BTF_KIND_STRUCT) : -ENOENT;

	type.id = id > 0 ? (u32)id : 0;
	if (id < 0 || lkst_ctype_member(&type, outer, &a) || lkst_ctype_member(&a.type, inner, &b))
		return lkst_err_set(s->e, -ENODATA,
				    "this kernel's types (BTF) have no %s.%s in struct %s", outer,
				    inner, name);
	*ret_offset = (a.bit_at + b.bit_at) / 8;
	return 0;
}

/* %pd and %pD: the name of what a pointer to a struct dentry, or to a struct file, is about. */
static int resolve_file_name(struct lkst_spot *s, const struct lkst_probe_arg *from,
			     struct lkst_probe_arg *to)
{
	u64 name = 0, dentry = 0;
	int code;

	if (s->image->program)
		return lkst_err_set(s->e, -EINVAL, "%%pd and %%pD are of the kernel's memory");
	code = lower(s, from->fetch, 0, &to->fetch)
		       ?: expression_find_member(s, "dentry", "d_name", "name", &name);
	if (!code && from->type.form == LKST_FORM_FILE)
		code = expression_find_member(s, "file", "f_path", "dentry", &dentry)
			       ?: expression_dereference(s, dentry, &to->fetch);
	to->type = (struct lkst_fetch_type){ .form = LKST_FORM_STRING };
	return code ?: expression_dereference(s, name, &to->fetch) ?: expression_dereference(s, 0, &to->fetch);
}

/* How many of the $argN the function of @s has; 0: that is not known, since a struct in registers is several. */
static u32 count_arguments(struct lkst_spot *s)
{
	const u32 nr = lkst_prototype_count(s->prototype);
	struct lkst_spot quiet = *s;
	struct lkst_value v;
	u32 i;

	quiet.e = NULL;
	quiet.is_return = true; /* then a parameter is a node, $argN */
	for (i = 0; i < nr; i++)
		if (lkst_prototype_parameter(&quiet, s->prototype, i, &v) || v.place != LKST_VALUE_NODE ||
		    v.node->number != i + 1)
			return 0;
	return lkst_prototype_is_variadic(s->prototype) ? 0 : nr;
}

/* Whether the function of @s has what @f names of it in the kernel's language, as far as BTF tells. */
static int check_has(struct lkst_spot *s, const struct lkst_fetch *f)
{
	struct lkst_ctype result;
	u32 nr;

	for (; f && s->prototype; f = f->base) {
		s->wrong_at = f->at;
		if (f->op == LKST_FETCH_RETVAL) {
			result = lkst_prototype_result(s->prototype);
			if (lkst_ctype_look(&result).kind == LKST_CTYPE_VOID)
				return lkst_err_set(s->e, -EINVAL, "$retval: %s returns 'void' type", s->function);
		}
		nr = f->op == LKST_FETCH_ARGUMENT ? count_arguments(s) : 0;
		if (nr && f->number > nr)
			return lkst_err_set(s->e, -EINVAL, "$arg%lld: %s has %u argument%s", (long long)f->number,
					    s->function, nr, nr == 1 ? "" : "s");
	}
	s->wrong_at = 0;
	return 0;
}

static int resolve_argument(struct lkst_spot *s, const struct lkst_probe_arg *from,
			    struct lkst_probe_arg *to)
{
	const struct lkst_fetch *f = from->fetch;
	bool is_typed = f->op == LKST_FETCH_VARIABLE || f->op == LKST_FETCH_MEMBER ||
			f->op == LKST_FETCH_INDEX;
	char what[WRITTEN_MAX] = "";
	struct lkst_value v = { 0 };
	struct lkst_spot quiet = *s;
	int code;

	memcpy(to->name, from->name, sizeof(to->name));
	to->at = from->at;
	if (!to->name[0])
		expression_set_name(f, to->name);
	if (from->type.form == LKST_FORM_DENTRY || from->type.form == LKST_FORM_FILE)
		return resolve_file_name(s, from, to);
	write_expression(f, what, 0);
	code = check_has(s, f);
	if (code)
		return code;
	if (is_typed) {
		code = evaluate(s, f, 0, &v);
		return code ? code : lkst_value_argument(s, &v, &from->type, what, to);
	}
	/* What the kernel's language names has a type too, if BTF or DWARF knows the function. */
	quiet.e = NULL;
	if (from->type.form == LKST_FORM_NONE && type_of(s, f, &v.type)) {
		v.place = LKST_VALUE_NODE;
		code = lower(s, f, 0, &v.node);
		if (code || !lkst_value_argument(&quiet, &v, &from->type, what, to))
			return code;
	}
	to->type = from->type;
	code = lower(s, f, 0, &to->fetch);
	/* As the kernel has it: a result that is a string is where that is. */
	if (!code && expression_is_text(&from->type) &&
	    (f->op == LKST_FETCH_RETVAL || f->op == LKST_FETCH_ARGUMENT))
		code = expression_dereference(s, 0, &to->fetch);
	return code;
}

/* The arguments that $vars or $params become. */
struct expansion {
	struct lkst_spot *spot;
	const struct lkst_probe_arg *written;
	struct lkst_probe_arg *args;
	u32 *nr;
	bool only_parameters;
};

/* Adds variable @name, unless no probe can fetch it. */
static int add_variable(struct expansion *x, const char *name)
{
	struct lkst_fetch variable = { .op = LKST_FETCH_VARIABLE, .text = (char *)name };
	struct lkst_probe_arg arg = { .fetch = &variable, .type = x->written->type };
	struct lkst_spot quiet = *x->spot;
	struct lkst_probe_arg *to = &x->args[*x->nr];
	u32 i;
	int code;

	for (i = 0; i < *x->nr; i++)
		if (!strcmp(x->args[i].name, name))
			return 0;
	if (*x->nr == LKST_PROBE_ARGS_MAX)
		return lkst_err_set(
			x->spot->e, -E2BIG,
			"there are more than %d variables at %s: name those that you want",
			LKST_PROBE_ARGS_MAX, x->spot->where);
	quiet.e = NULL;
	code = resolve_argument(&quiet, &arg, to);
	if (!code)
		(*x->nr)++;
	else
		*to = (struct lkst_probe_arg){ 0 };
	return code == -ENOMEM ? code : 0;
}

static int expression_found_variable(void *arg, Dwarf_Die *die, const char *name, bool is_parameter)
{
	struct expansion *x = arg;

	return x->only_parameters && !is_parameter ? 0 : add_variable(x, name);
}

static int expand(struct expansion *x)
{
	struct lkst_spot *s = x->spot;
	int code = 0;
	u32 i;

	if (s->has_scope && !s->is_return)
		return lkst_variables_walk(s, expression_found_variable, x);
	if (!s->prototype || !(s->is_entry || s->is_return))
		return lkst_err_set(s->e, -ENODATA,
				    "the variables at %s are known only with debug information",
				    s->where);
	for (i = 0; !code && i < lkst_prototype_count(s->prototype); i++)
		if (lkst_prototype_name(s->prototype, i))
			code = add_variable(x, lkst_prototype_name(s->prototype, i));
	return code;
}

static int add_argument(struct lkst_spot *s, const struct lkst_probe_arg *from,
			struct lkst_probe_arg *args, u32 *nr)
{
	struct expansion x = { s, from, args, nr, false };
	int code;

	if (from->fetch->op == LKST_FETCH_VARIABLE && from->fetch->text[0] == '*') {
		x.only_parameters = from->fetch->text[1];
		return expand(&x);
	}
	if (*nr == LKST_PROBE_ARGS_MAX)
		return lkst_err_set(s->e, -E2BIG, "a probe has at most %d arguments",
				    LKST_PROBE_ARGS_MAX);
	code = resolve_argument(s, from, &args[*nr]);
	if (!code)
		expression_make_unique(args, (*nr)++);
	return code;
}

int lkst_expression_arguments(struct lkst_spot *s, const struct lkst_probe *written,
			      struct lkst_probe_arg ret_args[LKST_PROBE_ARGS_MAX], u32 *ret_nr)
{
	u32 i, nr = 0;
	int code;

	for (i = 0; i < written->nr_args && i < LKST_PROBE_ARGS_MAX; i++) {
		if (!written->args[i].fetch)
			continue;
		s->wrong_at = 0;
		code = add_argument(s, &written->args[i], ret_args, &nr);
		if (code && s->e && s->e->text[0]) {
			char why[LKST_ERR_MAX];

			snprintf(why, sizeof(why), "%s", s->e->text);
			return lkst_probe_refuse(s->e, code, written, s->wrong_at ?: written->args[i].at, "%s",
						 why);
		}
		if (code)
			return code;
	}
	*ret_nr = nr;
	return 0;
}
