/* SPDX-License-Identifier: GPL-2.0-only */
/* Variables and parameters that can be named at a spot, by DWARF. */
#include "probe/resolve/scope_variables.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "probe/debuginfo/dies.h"
#include "probe/debuginfo/lines.h"
#include "probe/resolve/location.h"
#include "probe/resolve/points.h"

enum { BLOCKS_MAX = 64 };

static bool is_variable(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

static Dwarf_Addr scope_variables_address_of(const struct lkst_spot *s)
{
	return s->address - s->image->dwarf_bias;
}

/* A search among the children of one block. */
struct block_search {
	struct lkst_image *image;
	const char *name;
	Dwarf_Addr address;
	struct lkst_suggest *near;
};

static enum lkst_die_step visit_named(void *arg, Dwarf_Die *die)
{
	struct block_search *b = arg;
	const char *is = is_variable(die) ? dwarf_diename(die) : NULL;

	if (is && !strcmp(is, b->name))
		return LKST_DIE_END;
	if (is && b->near)
		lkst_suggest_offer(b->near, is);
	return LKST_DIE_OVER;
}

static enum lkst_die_step visit_block(void *arg, Dwarf_Die *die)
{
	struct block_search *b = arg;

	return dwarf_tag(die) == DW_TAG_lexical_block && lkst_die_has(b->image, die, b->address)
		       ? LKST_DIE_END
		       : LKST_DIE_OVER;
}

/* Looks in the blocks around the spot: the innermost has precedence. */
static bool find_local(struct lkst_spot *s, struct block_search *b, Dwarf_Die *ret_die)
{
	Dwarf_Die blocks[BLOCKS_MAX];
	int nr = 1;

	blocks[0] = s->scope;
	while (nr < BLOCKS_MAX &&
	       lkst_die_walk(s->image, &blocks[nr - 1], visit_block, b, &blocks[nr]))
		nr++;
	while (nr--)
		if (lkst_die_walk(s->image, &blocks[nr], visit_named, b, ret_die))
			return true;
	return false;
}

static enum lkst_die_step visit_named_inside(void *arg, Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_lexical_block ? LKST_DIE_INTO : visit_named(arg, die);
}

/* Whether the function has such a variable in its source, of which nothing is left here. */
static bool is_left_out(struct lkst_spot *s, struct block_search *b, Dwarf_Die *ret_die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	return dwarf_attr(&s->scope, DW_AT_abstract_origin, &attr) &&
	       dwarf_formref_die(&attr, &origin) &&
	       lkst_die_walk(s->image, &origin, visit_named_inside, b, ret_die);
}

static enum lkst_die_step visit_global(void *arg, Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_tag(die) != DW_TAG_variable || visit_named(arg, die) != LKST_DIE_END)
		return LKST_DIE_OVER;
	/* A declaration may come before what says where it is. */
	return dwarf_attr_integrate(die, DW_AT_location, &attr) ||
			       dwarf_attr_integrate(die, DW_AT_const_value, &attr)
		       ? LKST_DIE_END
		       : LKST_DIE_OVER;
}

static enum lkst_die_step visit_declared(void *arg, Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_variable ? visit_named(arg, die) : LKST_DIE_OVER;
}

/* A variable that is only declared, since its definition has no debug information, may have a symbol. */
static bool scope_variables_find_symbol(struct lkst_spot *s, struct block_search *b, struct lkst_value *ret_value)
{
	const struct lkst_image_symbol *symbol =
		lkst_image_symbol_named(s->image, b->name, false, NULL);
	Dwarf_Off offset = 0;
	Dwarf_Die unit, die;
	bool found = false;

	while (symbol && !found && lkst_die_next_unit(s->image, &offset, &unit))
		found = lkst_die_walk(s->image, &unit, visit_declared, b, &die);
	if (!found)
		return false;
	*ret_value = (struct lkst_value){ .place = LKST_VALUE_FIXED,
					  .type = lkst_ctype_of_die(&die),
					  .offset = symbol->address };
	return true;
}

/* Looks for a variable outside functions: in the spot's unit, then in all. */
static bool find_global(struct lkst_spot *s, struct block_search *b, Dwarf_Die *ret_die)
{
	Dwarf_Off offset = 0;
	Dwarf_Die unit;

	if (lkst_die_walk(s->image, &s->unit, visit_global, b, ret_die))
		return true;
	/* Elsewhere, only one that can be named from here. */
	while (lkst_die_next_unit(s->image, &offset, &unit)) {
		Dwarf_Attribute attr;

		if (lkst_die_walk(s->image, &unit, visit_global, b, ret_die) &&
		    dwarf_attr_integrate(ret_die, DW_AT_external, &attr))
			return true;
	}
	return false;
}

/* Among the lines of a function, the nearest at which a variable lives. */
struct scope_variables_line_search {
	struct lkst_spot *spot;
	Dwarf_Die *variable;
	u64 from, to;  /* of one range of addresses in which it lives */
	u64 best_from; /* the first of the nearest such range; 0: none */
	const char *source, *best_source;
	int line, best;
};

static int distance(const struct scope_variables_line_search *l, int line)
{
	return line > l->line ? line - l->line : l->line - line;
}

static int weigh_line(void *arg, const char *source, int line, Dwarf_Addr address)
{
	struct scope_variables_line_search *l = arg;
	struct lkst_spot at = *l->spot;
	struct lkst_value value;

	at.e = NULL;
	at.address = address + at.image->dwarf_bias;
	if (at.address < l->from || at.address >= l->to ||
	    (l->source && strcmp(source, l->source)) ||
	    (l->best && distance(l, line) >= distance(l, l->best)) ||
	    !lkst_line_is_own(at.image, &at.unit, source, line, address) ||
	    lkst_location_value(&at, l->variable, "", &value))
		return 0;
	l->best = line;
	l->best_source = source;
	return 0;
}

static int weigh_range(void *arg, u64 from, u64 to)
{
	struct scope_variables_line_search *l = arg;
	struct lkst_spot at = *l->spot;
	u64 here = l->spot->address;
	struct lkst_value value;

	l->from = from;
	l->to = to;
	at.e = NULL;
	at.address = from;
	if (lkst_location_value(&at, l->variable, "", &value))
		return 0;
	if (!l->best_from ||
	    (from > here ? from - here : here - from) <
		    (l->best_from > here ? l->best_from - here : here - l->best_from))
		l->best_from = from;
	lkst_lines_walk(l->spot->image, &l->spot->unit, &l->spot->scope, weigh_line, l);
	return 0;
}

/* No line begins where the variable lives: says at which offset it does. */
static int optimized_out_of_lines(struct lkst_spot *s, const struct scope_variables_line_search *l,
				  const char *name)
{
	struct lkst_point point = { .address = l->best_from, .unit = s->unit, .scope = s->scope };
	char where[128];

	if (!l->best_from)
		return lkst_err_set(
			s->e, -ENOENT,
			"%s is optimized out at %s, and there is no place at which it lives", name,
			s->where);
	lkst_point_text(s->image, &point, where, sizeof(where));
	return lkst_err_set(s->e, -ENOENT,
			    "%s is optimized out at %s: it lives where no line begins, at %s", name,
			    s->where, where);
}

/* The variable is not there at the spot: says where it is. */
static int optimized_out(struct lkst_spot *s, Dwarf_Die *die, const char *name)
{
	struct scope_variables_line_search l = { .spot = s, .variable = die };
	int begin = lkst_die_line(&s->scope);
	char line[64];

	if (!lkst_line_at(s->image, &s->unit, scope_variables_address_of(s), &l.source, &l.line))
		l.line = begin;
	l.source = lkst_die_source(&s->scope);
	lkst_location_ranges(s->image, die, weigh_range, &l);
	if (!l.best)
		return optimized_out_of_lines(s, &l, name);
	if (s->function && begin && l.best >= begin && l.source && !strcmp(l.source, l.best_source))
		snprintf(line, sizeof(line), "%.48s:%d", s->function, l.best - begin);
	else
		snprintf(line, sizeof(line), "line %d", l.best);
	return lkst_err_set(
		s->e, -ENOENT,
		"%s is optimized out at %s: the nearest line at which it lives is %s (%s:%d)", name,
		s->where, line, l.best_source, l.best);
}

int lkst_variable_find(struct lkst_spot *s, const char *name, struct lkst_value *ret_value)
{
	struct lkst_suggest near = { .word = name };
	struct block_search b = {
		.image = s->image, .name = name, .address = scope_variables_address_of(s), .near = &near
	};
	char text[LKST_SUGGEST_TEXT];
	Dwarf_Die die;
	int code;

	if (!find_local(s, &b, &die)) {
		if (is_left_out(s, &b, &die))
			return optimized_out(s, &die, name);
		b.near = NULL;
		if (!find_global(s, &b, &die))
			return scope_variables_find_symbol(s, &b, ret_value)
				       ? 0
				       : lkst_err_set(s->e, -ENOENT,
						      "there is no variable %s at %s%s", name,
						      s->where, lkst_suggest_text(&near, text));
	}
	code = lkst_location_value(s, &die, name, ret_value);
	return code == -ENOENT ? optimized_out(s, &die, name) : code;
}

struct all_search {
	struct lkst_spot spot;
	int (*found)(void *arg, Dwarf_Die *die, const char *name, bool is_parameter);
	void *arg;
	int code;
};

static enum lkst_die_step visit_any(void *arg, Dwarf_Die *die)
{
	struct all_search *a = arg;
	const char *name = is_variable(die) ? dwarf_diename(die) : NULL;
	Dwarf_Attribute attr;
	struct lkst_value value;

	/* A constant is not what one probes for: perf probe leaves them out. */
	if (name && dwarf_attr_integrate(die, DW_AT_location, &attr) &&
	    !lkst_location_value(&a->spot, die, name, &value) &&
	    !(value.node && value.node->op == LKST_FETCH_NUMBER))
		a->code = a->found(a->arg, die, name, dwarf_tag(die) == DW_TAG_formal_parameter);
	if (a->code)
		return LKST_DIE_END;
	return lkst_die_has(a->spot.image, die, scope_variables_address_of(&a->spot)) ? LKST_DIE_INTO
								      : LKST_DIE_OVER;
}

int lkst_variables_walk(struct lkst_spot *s,
			int (*found)(void *arg, Dwarf_Die *die, const char *name,
				     bool is_parameter),
			void *arg)
{
	struct all_search a = { *s, found, arg, 0 };

	a.spot.e = NULL;
	lkst_die_walk(s->image, &s->scope, visit_any, &a, NULL);
	return a.code;
}
