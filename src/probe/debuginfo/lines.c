/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of sources and the instructions that they begin with. */
#include "probe/debuginfo/lines.h"

#include <dwarf.h>
#include <string.h>

#include "probe/debuginfo/dies.h"

/* Row @i of the table. */
static bool any_row(Dwarf_Lines *lines, size_t i, int *ret_line, Dwarf_Addr *ret_address,
		    const char **ret_source)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i);
	bool is_end;

	if (!line || dwarf_lineno(line, ret_line) || dwarf_lineaddr(line, ret_address) ||
	    dwarf_lineendsequence(line, &is_end) || is_end)
		return false;
	*ret_source = dwarf_linesrc(line, NULL, NULL);
	return *ret_source != NULL;
}

/* The same, if it begins a statement. */
static bool lines_row(Dwarf_Lines *lines, size_t i, int *ret_line, Dwarf_Addr *ret_address,
		      const char **ret_source)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i);
	bool is_statement;

	return line && !dwarf_linebeginstatement(line, &is_statement) && is_statement &&
	       any_row(lines, i, ret_line, ret_address, ret_source);
}

/* Whether the row is @scope's own, and not of what is inlined in it. */
static bool is_of_scope(struct lkst_image *image, Dwarf_Die *scope, Dwarf_Addr address, int line)
{
	const char *source = lkst_die_source(scope), *call;
	Dwarf_Die inlined;

	if (!lkst_die_has(image, scope, address))
		return false;
	if (!lkst_die_inlined_at(image, scope, address, &inlined))
		return true;
	call = lkst_die_call_source(&inlined);
	if (call && source && !strcmp(call, source) && lkst_die_call_line(&inlined) == line)
		return true;
	/* A function that is inlined in itself. */
	call = lkst_die_source(&inlined);
	return lkst_die_line(&inlined) == lkst_die_line(scope) && call && source &&
	       !strcmp(call, source);
}

struct declared {
	lkst_line_found *found;
	void *arg;
	int code;
};

/* The line on which something inlined is called has that instance's first instruction. */
static enum lkst_die_step visit_call(void *arg, Dwarf_Die *die)
{
	struct declared *d = arg;
	const char *source;
	Dwarf_Addr address;
	int line;

	source = lkst_die_call_source(die);
	line = lkst_die_call_line(die);
	if (source && line && lkst_die_entry(die, &address))
		d->code = d->found(d->arg, source, line, address);
	return d->code ? LKST_DIE_END : LKST_DIE_INTO;
}

/* The line on which function @die is declared has its first instruction. */
static int walk_declared(struct lkst_image *image, struct declared *d, Dwarf_Die *die)
{
	const char *source = lkst_die_source(die);
	int line = lkst_die_line(die);
	Dwarf_Addr address;

	if (source && line && lkst_die_entry(die, &address)) {
		d->code = d->found(d->arg, source, line, address);
		if (d->code)
			return d->code;
	}
	lkst_die_walk_inlined(image, die, visit_call, d, NULL);
	return d->code;
}

struct unit_walk {
	struct lkst_image *image;
	struct declared declared;
};

static enum lkst_die_step lines_visit_function(void *arg, Dwarf_Die *die)
{
	struct unit_walk *w = arg;

	return walk_declared(w->image, &w->declared, die) ? LKST_DIE_END : LKST_DIE_OVER;
}

int lkst_lines_walk(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *scope,
		    lkst_line_found *found, void *arg)
{
	struct unit_walk w = { image, { found, arg, 0 } };
	const char *source;
	Dwarf_Addr address;
	Dwarf_Lines *lines;
	size_t nr, i;
	int line, code;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return 0;
	for (i = 0; i < nr && lkst_image_step(image); i++) {
		if (!lines_row(lines, i, &line, &address, &source) ||
		    (scope && !is_of_scope(image, scope, address, line)))
			continue;
		code = found(arg, source, line, address);
		if (code)
			return code;
	}
	if (scope)
		return walk_declared(image, &w.declared, scope);
	lkst_die_walk_functions(image, unit, lines_visit_function, &w, NULL);
	return w.declared.code;
}

/*
 * The row that the instruction at @address belongs to: of those at its address the first that begins a statement;
 * @or_any: or else the last.
 */
static bool row_of(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address, bool or_any,
		   const char **ret_source, int *ret_line)
{
	Dwarf_Addr at, start = 0;
	Dwarf_Lines *lines;
	size_t nr, i, low = 0, high, middle;

	if (dwarf_getsrclines(unit, &lines, &nr) || !nr)
		return false;
	for (high = nr; low < high;) {
		middle = low + (high - low) / 2;
		if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &at))
			return false;
		if (at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || dwarf_lineaddr(dwarf_onesrcline(lines, low - 1), &start))
		return false;
	for (i = low; i && lkst_image_step(image) &&
		      !dwarf_lineaddr(dwarf_onesrcline(lines, i - 1), &at) && at == start;)
		i--;
	for (; i < low; i++)
		if (lines_row(lines, i, ret_line, &at, ret_source))
			return true;
	return or_any && any_row(lines, low - 1, ret_line, &at, ret_source);
}

static bool line_at(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address, bool or_any,
		    const char **ret_source, int *ret_line)
{
	Dwarf_Die function;
	Dwarf_Addr entry;

	if (lkst_die_function_at(image, unit, address, &function) &&
	    lkst_die_entry(&function, &entry) && entry == address) {
		*ret_source = lkst_die_source(&function);
		*ret_line = lkst_die_line(&function);
		return *ret_source && *ret_line;
	}
	return row_of(image, unit, address, or_any, ret_source, ret_line);
}

bool lkst_line_at(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
		  const char **ret_source, int *ret_line)
{
	return line_at(image, unit, address, false, ret_source, ret_line);
}

bool lkst_line_around(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
		      const char **ret_source, int *ret_line)
{
	return line_at(image, unit, address, true, ret_source, ret_line);
}

bool lkst_line_is_own(struct lkst_image *image, Dwarf_Die *unit, const char *source, int line,
		      Dwarf_Addr address)
{
	const char *owner_source;
	int owner;

	return !lkst_line_at(image, unit, address, &owner_source, &owner) ||
	       (owner == line && !strcmp(owner_source, source));
}

bool lkst_line_next(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *scope, Dwarf_Addr address,
		    Dwarf_Addr *ret_next)
{
	const char *source, *own;
	int line, own_line;
	Dwarf_Lines *lines;
	Dwarf_Addr at;
	size_t nr, i;

	if (!row_of(image, unit, address, false, &own, &own_line) ||
	    dwarf_getsrclines(unit, &lines, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!lines_row(lines, i, &line, &at, &source) || at <= address || !line ||
		    (line == own_line && !strcmp(source, own)) || !lkst_die_has(image, scope, at))
			continue;
		*ret_next = at;
		return true;
	}
	return false;
}

Dwarf_Addr lkst_line_after_prologue(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *scope,
				    Dwarf_Addr entry)
{
	bool is_end, is_statement, is_after;
	Dwarf_Line *line;
	Dwarf_Lines *lines;
	Dwarf_Addr at, next = 0;
	size_t nr, i;

	if (dwarf_getsrclines(unit, &lines, &nr))
		return entry;
	/* Where the compiler says it; else at the second line, as debuggers have always done. */
	for (i = 0; i < nr; i++) {
		line = dwarf_onesrcline(lines, i);
		if (!line || dwarf_lineaddr(line, &at) || at < entry ||
		    !lkst_die_has(image, scope, at) || dwarf_lineendsequence(line, &is_end) ||
		    is_end || dwarf_linebeginstatement(line, &is_statement) || !is_statement)
			continue;
		if (!dwarf_lineprologueend(line, &is_after) && is_after)
			return at;
		if (at > entry && !next)
			next = at;
	}
	return next ? next : entry;
}
