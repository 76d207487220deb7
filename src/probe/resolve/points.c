/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions that a place means by DWARF. */
#include "probe/resolve/points.h"

#include <dwarf.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/suggest.h"
#include "base/vec.h"
#include "probe/debuginfo/cpp_name.h"
#include "probe/debuginfo/lines.h"
#include "probe/debuginfo/source_text.h"
#include "probe/resolve/location.h"
#include "probe/resolve/resolved.h"
#include "probe/text/lazy.h"

/* What is known while places are looked for. */
struct points_search {
	struct lkst_err *e;
	struct lkst_image *image;
	const struct lkst_probe_place *place;
	bool has_variables;
	struct lkst_points *points;
	/* Of the function or line that is looked for now. */
	Dwarf_Die *unit;
	Dwarf_Die own_unit; /* what `unit` points to where no caller has it */
	const char *source;
	int line;
	struct lkst_source_text text; /* of LAZY */
	/* Of what was found and cannot be used. */
	bool found_function, found_inlined;
	const char *owner_source; /* of the line */
	int owner_line;
	int code;
};

void lkst_points_fini(struct lkst_points *p)
{
	free(p->list);
	*p = (struct lkst_points){ 0 };
}

void lkst_place_text(const struct lkst_probe_place *place, char *text, size_t size)
{
	const char *symbol = place->symbol ? place->symbol : "?";
	const char *source = place->source ? place->source : "?";

	switch (place->kind) {
	case LKST_PLACE_FUNCTION_LINE:
		snprintf(text, size, "%s:%u", symbol, place->line);
		break;
	case LKST_PLACE_FUNCTION_LAZY:
		snprintf(text, size, "%s;%s", symbol, place->pattern ? place->pattern : "");
		break;
	case LKST_PLACE_SOURCE_LINE:
		snprintf(text, size, "%s:%u", source, place->line);
		break;
	case LKST_PLACE_SOURCE_LAZY:
		snprintf(text, size, "%s;%s", source, place->pattern ? place->pattern : "");
		break;
	default:
		if (place->offset)
			snprintf(text, size, "%s+%llu", symbol, (unsigned long long)place->offset);
		else
			snprintf(text, size, "%s%s", symbol, place->is_return ? "%return" : "");
	}
}

void lkst_point_text(struct lkst_image *image, const struct lkst_point *point, char *text,
		     size_t size)
{
	Dwarf_Addr at = point->address - image->dwarf_bias, entry;
	Dwarf_Die unit = point->unit, function = point->scope;
	const char *name;

	if (!lkst_die_function_at(image, &unit, at, &function) ||
	    !lkst_die_entry(&function, &entry))
		entry = at;
	name = dwarf_diename(&function);
	snprintf(text, size, "%s+%llu", name ? name : "?", (unsigned long long)(at - entry));
}

static bool is_definition(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Addr address;

	return dwarf_tag(die) == DW_TAG_subprogram && !dwarf_attr(die, DW_AT_declaration, &attr) &&
	       (dwarf_attr(die, DW_AT_inline, &attr) || lkst_die_entry(die, &address));
}

static bool has_name(Dwarf_Die *die, const char *name)
{
	const char *is = dwarf_diename(die);
	Dwarf_Attribute attr;

	if (is && (!strcmp(is, name) || !fnmatch(name, is, 0)))
		return true;
	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		return false;
	is = dwarf_formstring(&attr);
	return is &&
	       (!strcmp(is, name) || (lkst_cpp_is_written(name) && lkst_cpp_means(name, is)));
}

struct function_walk {
	const char *name, *source;
	int (*found)(void *arg, Dwarf_Die *unit, Dwarf_Die *function);
	void *arg;
	Dwarf_Die unit;
	bool has_found;
	int code;
};

static enum lkst_die_step points_visit_function(void *arg, Dwarf_Die *die)
{
	struct function_walk *w = arg;
	const char *source;

	if (!has_name(die, w->name) || !is_definition(die))
		return LKST_DIE_OVER;
	source = w->source ? lkst_die_source(die) : NULL;
	if (w->source && (!source || !lkst_source_matches(source, w->source)))
		return LKST_DIE_OVER;
	w->has_found = true;
	w->code = w->found(w->arg, &w->unit, die);
	return w->code ? LKST_DIE_END : LKST_DIE_OVER;
}

/*
 * The function that begins where the symbol of that name does: debug information knows a function by its name in the
 * source, and not by its aliases, the versions of these, or the names of a compiler's copies.
 */
static void find_by_symbol(struct lkst_image *image, struct function_walk *w)
{
	const struct lkst_image_symbol *symbol =
		lkst_image_symbol_named(image, w->name, true, NULL);
	Dwarf_Addr entry, address;
	Dwarf_Die function;

	if (!symbol)
		return;
	address = symbol->address - image->dwarf_bias;
	if (lkst_die_unit_at(image, address, &w->unit) &&
	    lkst_die_function_at(image, &w->unit, address, &function) &&
	    lkst_die_entry(&function, &entry) && entry == address)
		w->code = w->found(w->arg, &w->unit, &function);
}

int lkst_functions_find(struct lkst_image *image, const char *name, const char *source,
			int (*found)(void *arg, Dwarf_Die *unit, Dwarf_Die *function), void *arg)
{
	struct function_walk w = { .name = name, .source = source, .found = found, .arg = arg };
	Dwarf_Off offset = 0;

	while (!w.code && lkst_die_next_unit(image, &offset, &w.unit))
		lkst_die_walk_functions(image, &w.unit, points_visit_function, &w, NULL);
	if (!w.has_found && !source)
		find_by_symbol(image, &w);
	return w.code;
}

struct instance_walk {
	struct lkst_image *image;
	Dwarf_Off function;
	Dwarf_Die *unit;
	int (*found)(void *arg, Dwarf_Die *unit, Dwarf_Die *instance);
	void *arg;
	int code;
};

/* What is left of a function that was inlined in part is called on the line where the function begins: no instance. */
static bool is_own_part(Dwarf_Die *instance, Dwarf_Die *function)
{
	const char *call = lkst_die_call_source(instance), *source = lkst_die_source(function);

	return call && source && lkst_die_call_line(instance) == lkst_die_line(function) &&
	       !strcmp(call, source);
}

static enum lkst_die_step visit_instance(void *arg, Dwarf_Die *die)
{
	struct instance_walk *w = arg;
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (dwarf_attr(die, DW_AT_abstract_origin, &attr) && dwarf_formref_die(&attr, &origin) &&
	    dwarf_dieoffset(&origin) == w->function && !is_own_part(die, &origin))
		w->code = w->found(w->arg, w->unit, die);
	return w->code ? LKST_DIE_END : LKST_DIE_INTO;
}

static enum lkst_die_step visit_caller(void *arg, Dwarf_Die *die)
{
	struct instance_walk *w = arg;

	return lkst_die_walk_inlined(w->image, die, visit_instance, w, NULL) ? LKST_DIE_END
									     : LKST_DIE_OVER;
}

int lkst_instances_find(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *function,
			int (*found)(void *arg, Dwarf_Die *unit, Dwarf_Die *instance), void *arg)
{
	struct instance_walk w = { .image = image,
				   .function = dwarf_dieoffset(function),
				   .unit = unit,
				   .found = found,
				   .arg = arg };

	lkst_die_walk_functions(image, unit, visit_caller, &w, NULL);
	return w.code;
}

static int points_add_point(struct points_search *s, Dwarf_Die *scope, Dwarf_Addr address, bool is_entry)
{
	struct lkst_point *p;
	u32 i;

	for (i = 0; i < s->points->nr; i++)
		if (s->points->list[i].address == address + s->image->dwarf_bias)
			return 0;
	if (s->points->nr == LKST_RESOLVED_MAX)
		return lkst_err_set(s->e, -E2BIG, "there are more than %d such places",
				    LKST_RESOLVED_MAX);
	p = lkst_vec_add(s->points->list, s->points->nr);
	if (!p)
		return -ENOMEM;
	p->address = address + s->image->dwarf_bias;
	p->is_entry = is_entry;
	p->unit = *s->unit;
	p->scope = *scope;
	p->function = dwarf_diename(scope);
	if (!lkst_line_at(s->image, s->unit, address, &p->source, &p->line))
		p->line = 0;
	return 0;
}

/* Among the functions at an address, which one a line is in. */
struct scope_search {
	struct points_search *s;
	Dwarf_Die best;
	bool has_best;
	int distance;
};

/* Weighs one function or instance at the address. True: it is the one that was named. */
static bool points_weigh(struct scope_search *w, Dwarf_Die *die)
{
	const char *source = lkst_die_source(die);
	int line = lkst_die_line(die);

	if (!w->has_best) {
		w->best = *die;
		w->has_best = true;
	}
	if (w->s->place->symbol && has_name(die, w->s->place->symbol)) {
		w->best = *die;
		return true;
	}
	if (!source || !w->s->source || strcmp(source, w->s->source) || line > w->s->line ||
	    w->s->line - line >= w->distance)
		return false;
	w->distance = w->s->line - line;
	w->best = *die;
	return false;
}

/* The function or inlined instance that the line @s->line at @address is in. False: none. */
static bool find_scope(struct points_search *s, Dwarf_Addr address, Dwarf_Die *ret_scope)
{
	struct scope_search w = { .s = s, .distance = INT32_MAX };
	Dwarf_Die chain[LKST_DIE_CHAIN_MAX];
	u32 i, nr = lkst_die_chain(s->image, s->unit, address, chain);

	for (i = 0; i < nr && !points_weigh(&w, &chain[i]); i++)
		continue;
	if (w.has_best)
		*ret_scope = w.best;
	return w.has_best;
}

static bool is_entry_of(Dwarf_Die *scope, Dwarf_Addr address)
{
	Dwarf_Addr entry;

	return dwarf_tag(scope) == DW_TAG_subprogram && lkst_die_entry(scope, &entry) &&
	       entry == address;
}

/* A row of a line: one that another line owns would be shown there. */
static int points_found_line(void *arg, const char *source, int line, Dwarf_Addr address)
{
	struct points_search *s = arg;
	Dwarf_Die scope;

	if (line != s->line || strcmp(source, s->source))
		return 0;
	if (!lkst_line_is_own(s->image, s->unit, source, line, address)) {
		lkst_line_at(s->image, s->unit, address, &s->owner_source, &s->owner_line);
		return 0;
	}
	if (!find_scope(s, address, &scope))
		return 0;
	return s->code = points_add_point(s, &scope, address, is_entry_of(&scope, address));
}

static int found_lazy(void *arg, const char *source, int line, Dwarf_Addr address)
{
	struct points_search *s = arg;
	Dwarf_Die scope;

	if (line <= 0 || (u32)line > s->text.nr || strcmp(source, s->source) ||
	    !lkst_lazy_matches(s->text.lines[line - 1], s->place->pattern))
		return 0;
	s->line = line;
	if (!find_scope(s, address, &scope))
		return 0;
	return s->code = points_add_point(s, &scope, address, is_entry_of(&scope, address));
}

/* Walks the rows of @scope (NULL: of the unit) whose text matches the pattern. */
static int find_lazy(struct points_search *s, Dwarf_Die *scope, const char *source)
{
	int code;

	s->source = source;
	if (!source)
		return 0;
	code = lkst_source_text_read(s->e, s->image, s->unit, source, &s->text);
	if (!code)
		code = lkst_lines_walk(s->image, s->unit, scope, found_lazy, s);
	lkst_source_text_fini(&s->text);
	return code;
}

static enum lkst_die_step visit_parameter(void *arg, Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_formal_parameter && lkst_location_is_stored_later(die)
		       ? LKST_DIE_END
		       : LKST_DIE_OVER;
}

static bool is_stored_later(struct lkst_image *image, Dwarf_Die *function)
{
	return lkst_die_walk(image, function, visit_parameter, NULL, NULL);
}

/* A function's first instruction, or the one that was named; %next is dealt with by the caller. */
static int found_out_of_line(struct points_search *s, Dwarf_Die *function, Dwarf_Addr entry)
{
	const struct lkst_probe_place *place = s->place;
	Dwarf_Addr address = entry + place->offset;

	if (!place->offset && !place->is_return && !place->is_next && s->has_variables &&
	    is_stored_later(s->image, function))
		address = lkst_line_after_prologue(s->image, s->unit, function, entry);
	return points_add_point(s, function, address, address == entry);
}

static int points_found_instance(void *arg, Dwarf_Die *unit, Dwarf_Die *instance)
{
	struct points_search *s = arg;
	Dwarf_Addr entry;

	if (s->place->kind == LKST_PLACE_FUNCTION_LAZY)
		return s->code = find_lazy(s, instance, lkst_die_source(instance));
	if (!lkst_die_entry(instance, &entry))
		return 0;
	s->found_inlined = true;
	if (s->place->is_return)
		return 0;
	return s->code = points_add_point(s, instance, entry + s->place->offset, false);
}

/* A function that was named: what of it is a point depends on what was said of it. */
static int points_found_function(void *arg, Dwarf_Die *unit, Dwarf_Die *function)
{
	struct points_search *s = arg;
	Dwarf_Addr entry;

	s->unit = unit;
	s->found_function = true;
	if (s->place->kind == LKST_PLACE_FUNCTION_LINE) {
		s->source = lkst_die_source(function);
		s->line = lkst_die_line(function);
		if (!s->source || !s->line || s->place->line > (u32)(INT32_MAX - s->line))
			return 0;
		s->line += s->place->line;
		lkst_lines_walk(s->image, unit, NULL, points_found_line, s);
		return s->code;
	}
	if (!lkst_die_entry(function, &entry))
		return lkst_instances_find(s->image, unit, function, points_found_instance, s);
	if (s->place->kind == LKST_PLACE_FUNCTION_LAZY)
		return s->code = find_lazy(s, function, lkst_die_source(function));
	return s->code = found_out_of_line(s, function, entry);
}

/* Calls @each() with every source of each unit that matches the place's, as long as it returns 0. */
static int for_sources(struct points_search *s, int (*each)(struct points_search *s, const char *source))
{
	Dwarf_Off offset = 0;
	Dwarf_Files *files;
	size_t nr, i, j;
	int code = 0;

	while (!code && lkst_die_next_unit(s->image, &offset, &s->own_unit)) {
		s->unit = &s->own_unit;
		if (dwarf_getsrcfiles(s->unit, &files, &nr))
			continue;
		for (i = 0; i < nr && !code && lkst_image_step(s->image); i++) {
			const char *source = dwarf_filesrc(files, i, NULL, NULL), *other;

			if (!source || !lkst_source_matches(source, s->place->source))
				continue;
			/* A unit may name a source twice. */
			for (j = 0; j < i && lkst_image_step(s->image); j++) {
				other = dwarf_filesrc(files, j, NULL, NULL);
				if (other && !strcmp(other, source))
					break;
			}
			s->found_function = true;
			if (j == i)
				code = each(s, source);
		}
	}
	return code;
}

static int walk_source_line(struct points_search *s, const char *source)
{
	s->source = source;
	s->line = s->place->line;
	return lkst_lines_walk(s->image, s->unit, NULL, points_found_line, s);
}

static int walk_source_lazy(struct points_search *s, const char *source)
{
	return find_lazy(s, NULL, source);
}

static enum lkst_die_step offer_function(void *arg, Dwarf_Die *die)
{
	if (dwarf_diename(die) && is_definition(die))
		lkst_suggest_offer(arg, dwarf_diename(die));
	return LKST_DIE_OVER;
}

/* Why nothing was found. */
static int no_point(struct points_search *s)
{
	const struct lkst_probe_place *place = s->place;
	bool is_by_source =
		place->kind == LKST_PLACE_SOURCE_LINE || place->kind == LKST_PLACE_SOURCE_LAZY;
	struct lkst_suggest near = { .word = place->symbol };
	char where[128], text[LKST_SUGGEST_TEXT];
	Dwarf_Off offset = 0;
	Dwarf_Die unit;

	lkst_place_text(place, where, sizeof(where));
	if (place->is_return && s->found_inlined)
		return lkst_err_set(
			s->e, -EOPNOTSUPP,
			"%s is inlined wherever it is called, so it has no return that a probe could be at",
			place->symbol);
	if (s->owner_source)
		return lkst_err_set(
			s->e, -ENOENT,
			"%s begins with an instruction that belongs to %s:%d: probe that line",
			where, s->owner_source, s->owner_line);
	if (is_by_source && !s->found_function)
		return lkst_err_set(s->e, -ENOENT, "no source of %s is named %s",
				    lkst_image_name(s->image), place->source);
	if (!s->found_function) {
		while (lkst_die_next_unit(s->image, &offset, &unit))
			lkst_die_walk(s->image, &unit, offer_function, &near, NULL);
		return lkst_err_set(s->e, -ENOENT, "%s has no function %s%s%s%s",
				    lkst_image_name(s->image), place->symbol,
				    place->source ? " in " : "", place->source ? place->source : "",
				    lkst_suggest_text(&near, text));
	}
	if (place->pattern)
		return lkst_err_set(s->e, -ENOENT, "no line of %s that has instructions matches %s",
				    place->symbol ? place->symbol : place->source, place->pattern);
	return lkst_err_set(s->e, -ENOENT,
			    "%s has no instructions: see which lines have some with --line", where);
}

int lkst_points_find(struct lkst_err *e, struct lkst_image *image,
		     const struct lkst_probe_place *place, bool has_variables,
		     struct lkst_points *ret_points)
{
	_cleanup_(lkst_points_fini) struct lkst_points points = { 0 };
	struct points_search s = { .e = e,
			    .image = image,
			    .place = place,
			    .has_variables = has_variables,
			    .points = &points };
	char where[128];
	int code;

	lkst_place_text(place, where, sizeof(where));
	code = lkst_image_need_dwarf(e, image, where);
	if (code)
		return code;
	if (place->kind == LKST_PLACE_SOURCE_LINE)
		code = for_sources(&s, walk_source_line);
	else if (place->kind == LKST_PLACE_SOURCE_LAZY)
		code = for_sources(&s, walk_source_lazy);
	else
		code = lkst_functions_find(image, place->symbol, place->source, points_found_function, &s);
	if (code)
		return code;
	if (!points.nr)
		return no_point(&s);
	*ret_points = points;
	points = (struct lkst_points){ 0 };
	return 0;
}
