/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of a probe, their names, and its condition. */
#include "probe/text/arguments.h"

#include <stdio.h>
#include <string.h>

#include "probe/text/fetch_text.h"

/* Fields that the kernel's own record of a probe has (reserved_field_names in kernel/trace/trace_probe.c). */
static const char *const reserved[] = {
	"common_type", "common_flags", "common_preempt_count", "common_pid",
	"common_tgid", "__probe_ip",   "__probe_ret_ip",       "__probe_func",
};

/* ---- names ------------------------------------------------------------------------------------ */

static bool arguments_is_used(const struct lkst_probe *p, const char *name, u32 before)
{
	size_t i;

	for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!strcmp(reserved[i], name))
			return true;
	for (i = 0; i < before; i++)
		if (!strcmp(p->args[i].name, name))
			return true;
	return false;
}

/* The name that @f has by itself; NULL: none. */
static const char *own_name(enum lkst_argument_names names, const struct lkst_fetch *f)
{
	if (names == LKST_NAMES_OF_PERF)
		while (f->op == LKST_FETCH_INDEX)
			f = f->base;
	if (f->op == LKST_FETCH_VARIABLE ||
	    (f->op == LKST_FETCH_MEMBER && names == LKST_NAMES_OF_PERF))
		return f->text;
	return NULL;
}

/* Adds _1, _2 ... to the name of argument @i until no other before it has it. */
static void arguments_make_unique(struct lkst_probe *p, u32 i)
{
	char base[LKST_PROBE_NAME - 4], *name = p->args[i].name;
	unsigned int number;

	snprintf(base, sizeof(base), "%s", name);
	for (number = 1; arguments_is_used(p, name, i) && number < 100; number++)
		snprintf(name, LKST_PROBE_NAME, "%s_%u", base, number);
}

/* Whether what stands for several arguments, number @i, is there already. */
static int check_once(struct lkst_cursor *c, const struct lkst_probe *p, u32 i)
{
	u32 k;

	for (k = 0; k < i; k++)
		if (lkst_fetch_is_several(p->args[k].fetch) && !strcmp(p->args[k].fetch->text, p->args[i].fetch->text))
			return lkst_cursor_refuse(c, c->text + p->args[i].at,
						  "$arg*, $params or $vars can be used only once in the parameters");
	return 0;
}

static int arguments_name_argument(struct lkst_cursor *c, enum lkst_argument_names names,
				   struct lkst_probe *p, u32 i)
{
	struct lkst_probe_arg *arg = &p->args[i];
	const char *own;

	if (lkst_fetch_is_several(arg->fetch))
		return check_once(c, p, i);
	if (!arg->name[0]) {
		own = own_name(names, arg->fetch);
		if (own && strlen(own) >= LKST_PROBE_NAME)
			return lkst_cursor_refuse(
				c, c->text + arg->at,
				"argument name is too long: give it one of at most %d "
				"characters, as in x=%.16s...",
				LKST_PROBE_NAME - 1, own);
		if (own)
			snprintf(arg->name, sizeof(arg->name), "%s", own);
		else
			snprintf(arg->name, sizeof(arg->name), "arg%u", i + 1);
		if (names == LKST_NAMES_OF_PERF)
			arguments_make_unique(p, i);
	}
	if (arguments_is_used(p, arg->name, i))
		return lkst_cursor_refuse(c, c->text + arg->at,
					  "this argument name is already used");
	return 0;
}

/* ---- the rest of a definition ----------------------------------------------------------------- */

static bool is_if(const struct lkst_cursor *c)
{
	return c->at[0] == 'i' && c->at[1] == 'f' && lkst_cursor_word_end(c->at) == c->at + 2;
}

static int parse_condition(struct lkst_cursor *c, struct lkst_probe *p)
{
	const char *end;

	c->at += 2;
	if (!lkst_cursor_skip_blanks(c))
		return lkst_cursor_refuse(c, c->at, "no filter rule after 'if'");
	for (end = c->at; *end; end++)
		if (*end == '#' && lkst_cursor_is_blank(end[-1]))
			return lkst_cursor_refuse(
				c, end,
				"no word of a condition begins with #, which begins a "
				"comment where definitions are kept");
	while (lkst_cursor_is_blank(end[-1]))
		end--;
	p->condition_at = lkst_cursor_offset(c, c->at);
	p->condition = strndup(c->at, (size_t)(end - c->at));
	return p->condition ? 0 : lkst_cursor_no_memory(c);
}

int lkst_arguments_parse(struct lkst_cursor *c, enum lkst_argument_names names,
			 struct lkst_probe *p)
{
	int err = 0;

	while (!err && lkst_cursor_skip_blanks(c)) {
		if (is_if(c))
			return parse_condition(c, p);
		if (p->nr_args == LKST_PROBE_ARGS_MAX)
			return lkst_cursor_refuse(
				c, c->at, "too many arguments are specified: there are at most %d",
				LKST_PROBE_ARGS_MAX);
		err = lkst_fetch_parse(c, &p->place, &p->args[p->nr_args]);
		if (!err)
			err = arguments_name_argument(c, names, p, p->nr_args++);
	}
	return err;
}
