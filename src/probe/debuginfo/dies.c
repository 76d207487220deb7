/* SPDX-License-Identifier: GPL-2.0-only */
/* Entries of DWARF. */
#include "probe/debuginfo/dies.h"

#include <dwarf.h>
#include <string.h>

enum {
	DEPTH_MAX = 128, /* blocks in blocks in functions */
	ORIGINS_MAX = 8, /* entries that complete others */
};

struct dies_walk {
	struct lkst_image *image;
	enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die);
	void *arg;
	Dwarf_Die *found;
};

static bool walk_below(struct dies_walk *w, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return false;
	do {
		enum lkst_die_step step = w->visit(w->arg, &die);

		if (step == LKST_DIE_END) {
			if (w->found)
				*w->found = die;
			return true;
		}
		if (step == LKST_DIE_INTO && walk_below(w, &die, depth + 1))
			return true;
	} while (lkst_image_step(w->image) && !dwarf_siblingof(&die, &die));
	return false;
}

bool lkst_die_walk(struct lkst_image *image, Dwarf_Die *parent,
		   enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die), void *arg,
		   Dwarf_Die *ret_die)
{
	struct dies_walk w = { image, visit, arg, ret_die };

	return walk_below(&w, parent, 0);
}

/* A walk to entries of one kind. */
struct chosen_walk {
	enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die);
	void *arg;
};

static enum lkst_die_step choose_function(void *arg, Dwarf_Die *die)
{
	struct chosen_walk *c = arg;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		return c->visit(c->arg, die);
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return LKST_DIE_INTO;
	default:
		return LKST_DIE_OVER;
	}
}

static enum lkst_die_step choose_inlined(void *arg, Dwarf_Die *die)
{
	struct chosen_walk *c = arg;

	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
		return c->visit(c->arg, die);
	case DW_TAG_lexical_block:
		return LKST_DIE_INTO;
	default:
		return LKST_DIE_OVER;
	}
}

bool lkst_die_walk_functions(struct lkst_image *image, Dwarf_Die *unit,
			     enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die), void *arg,
			     Dwarf_Die *ret_die)
{
	struct chosen_walk c = { visit, arg };

	return lkst_die_walk(image, unit, choose_function, &c, ret_die);
}

bool lkst_die_walk_inlined(struct lkst_image *image, Dwarf_Die *die,
			   enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die), void *arg,
			   Dwarf_Die *ret_die)
{
	struct chosen_walk c = { visit, arg };

	return lkst_die_walk(image, die, choose_inlined, &c, ret_die);
}

bool lkst_die_has(struct lkst_image *image, Dwarf_Die *die, Dwarf_Addr address)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while (lkst_image_step(image) && (at = dwarf_ranges(die, at, &base, &from, &to)) > 0)
		if (address >= from && address < to)
			return true;
	return false;
}

bool lkst_die_next_unit(struct lkst_image *image, Dwarf_Off *offset, Dwarf_Die *ret_unit)
{
	Dwarf *dwarf = lkst_image_dwarf(image);
	Dwarf_Off at = *offset, next;
	size_t header;

	while (dwarf && lkst_image_step(image) &&
	       !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) && next > at) {
		*offset = next;
		if (dwarf_offdie(dwarf, at + header, ret_unit))
			return true;
		at = next;
	}
	return false;
}

bool lkst_die_entry(Dwarf_Die *die, Dwarf_Addr *ret_address)
{
	Dwarf_Addr base, from, to;
	Dwarf_Attribute attr;

	if (!dwarf_entrypc(die, ret_address))
		return *ret_address != 0;
	if (!dwarf_attr(die, DW_AT_ranges, &attr) || dwarf_ranges(die, 0, &base, &from, &to) <= 0)
		return false;
	*ret_address = from;
	return true;
}

/* Source number @i of the unit that holds @die. */
static const char *source_number(Dwarf_Die *die, u64 i)
{
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t nr;

	if (!dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &nr) ||
	    i >= nr)
		return NULL;
	return dwarf_filesrc(files, i, NULL, NULL);
}

const char *lkst_die_source(Dwarf_Die *die)
{
	Dwarf_Die now = *die;
	Dwarf_Attribute attr;
	Dwarf_Word i;
	int steps;

	for (steps = 0; steps < ORIGINS_MAX; steps++) {
		if (dwarf_attr(&now, DW_AT_decl_file, &attr))
			return dwarf_formudata(&attr, &i) ? NULL : source_number(&now, i);
		if (!dwarf_attr(&now, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(&now, DW_AT_specification, &attr))
			return NULL;
		if (!dwarf_formref_die(&attr, &now))
			return NULL;
	}
	return NULL;
}

int lkst_die_line(Dwarf_Die *die)
{
	int line;

	return dwarf_decl_line(die, &line) || line < 0 ? 0 : line;
}

const char *lkst_die_call_source(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word i;

	if (!dwarf_attr(die, DW_AT_call_file, &attr) || dwarf_formudata(&attr, &i))
		return NULL;
	return source_number(die, i);
}

int lkst_die_call_line(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word line;

	if (!dwarf_attr(die, DW_AT_call_line, &attr) || dwarf_formudata(&attr, &line) ||
	    line > INT32_MAX)
		return 0;
	return line;
}

/* The entry that holds an address. */
struct holder_search {
	struct lkst_image *image;
	Dwarf_Addr address;
};

static enum lkst_die_step visit_holder(void *arg, Dwarf_Die *die)
{
	struct holder_search *h = arg;

	return lkst_die_has(h->image, die, h->address) ? LKST_DIE_END : LKST_DIE_OVER;
}

bool lkst_die_function_at(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
			  Dwarf_Die *ret_die)
{
	struct holder_search h = { image, address };
	Dwarf_Off offset = dwarf_dieoffset(unit);

	/* Whoever asks about one address asks about its neighbours. */
	if (image->last_unit == offset && lkst_die_has(image, &image->last_function, address)) {
		*ret_die = image->last_function;
		return true;
	}
	if (!lkst_die_walk_functions(image, unit, visit_holder, &h, ret_die))
		return false;
	image->last_function = *ret_die;
	image->last_unit = offset;
	return true;
}

bool lkst_die_inlined_at(struct lkst_image *image, Dwarf_Die *die, Dwarf_Addr address,
			 Dwarf_Die *ret_die)
{
	struct holder_search h = { image, address };
	Dwarf_Die outer = *die, inner;
	unsigned int depth = 0;

	while (depth < DEPTH_MAX &&
	       lkst_die_walk_inlined(image, &outer, visit_holder, &h, &inner)) {
		outer = *ret_die = inner;
		depth++;
	}
	return depth;
}

u32 lkst_die_chain(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
		   Dwarf_Die ret_chain[LKST_DIE_CHAIN_MAX])
{
	struct holder_search h = { image, address };
	u32 nr;

	if (!lkst_die_function_at(image, unit, address, &ret_chain[0]))
		return 0;
	for (nr = 1; nr < LKST_DIE_CHAIN_MAX; nr++)
		if (!lkst_die_walk_inlined(image, &ret_chain[nr - 1], visit_holder, &h,
					   &ret_chain[nr]))
			break;
	return nr;
}

bool lkst_die_unit_at(struct lkst_image *image, Dwarf_Addr address, Dwarf_Die *ret_unit)
{
	Dwarf *dwarf = lkst_image_dwarf(image);
	Dwarf_Off offset = 0;

	if (!dwarf)
		return false;
	if (dwarf_addrdie(dwarf, address, ret_unit))
		return true;
	/* Not every compiler writes a table of addresses. */
	while (lkst_die_next_unit(image, &offset, ret_unit))
		if (lkst_die_has(image, ret_unit, address))
			return true;
	return false;
}

bool lkst_source_matches(const char *path, const char *tail)
{
	size_t length = strlen(path), end = strlen(tail);

	while (end && *tail == '/' && length < end) {
		tail++;
		end--;
	}
	if (end > length || strcmp(path + length - end, tail))
		return false;
	return end == length || *tail == '/' || path[length - end - 1] == '/';
}
