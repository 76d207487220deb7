// SPDX-License-Identifier: GPL-2.0-only
/* What debug information says of addresses. */
#include "usercode/name/inlined.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bsearch.h"
#include "base/vec.h"
#include "probe/debuginfo/dies.h"

enum {
	RANGES_MAX = 4 << 20, /* of all units and functions of an image */
	RESTARTS_MAX =
		16, /* how often as many steps are made as one walk over the whole file needs */
};

struct inlined_range {
	u64 from, to;  /* addresses of DWARF */
	Dwarf_Off die; /* what lies there */
};

struct ranges {
	struct inlined_range *list; /* by address */
	u32 nr;
};

struct inlined_unit {
	Dwarf_Off die;
	struct ranges functions;
	bool is_known;
};

struct lkst_inlined {
	struct lkst_image *image;
	Dwarf *dwarf;
	struct ranges by_address; /* units */
	struct inlined_unit *units;	  /* by the place of their entries */
	u32 nr_units;
	u32 nr_ranges, restarts;
};

/* Adds the ranges of entry @die. */
static int add_ranges(struct lkst_inlined *i, struct ranges *to, Dwarf_Die *die)
{
	Dwarf_Addr base = 0, from, end;
	ptrdiff_t at = 0;
	struct inlined_range *range;

	while (lkst_image_step(i->image) && (at = dwarf_ranges(die, at, &base, &from, &end)) > 0) {
		if (from >= end)
			continue;
		if (i->nr_ranges == RANGES_MAX)
			return 0;
		range = lkst_vec_add(to->list, to->nr);
		if (!range)
			return -ENOMEM;
		*range = (struct inlined_range){ from, end, dwarf_dieoffset(die) };
		i->nr_ranges++;
	}
	return 0;
}

static int compare_ranges(const void *one, const void *other)
{
	const struct inlined_range *a = one, *b = other;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static void sort_ranges(struct ranges *r)
{
	if (r->nr)
		qsort(r->list, r->nr, sizeof(*r->list), compare_ranges);
}

/* The entry with @address: of ranges that overlap, the one that begins last. */
static bool inlined_find_range(const struct ranges *r, u64 address, Dwarf_Off *ret_die)
{
	size_t i = lkst_lower_bound(k, r->nr, r->list[k].from <= address);

	if (!i || address >= r->list[i - 1].to)
		return false;
	*ret_die = r->list[i - 1].die;
	return true;
}

/* ---- units ------------------------------------------------------------------------------------ */

static int list_units(struct lkst_inlined *i)
{
	Dwarf_Off offset = 0;
	struct inlined_unit *unit;
	Dwarf_Die die;
	int err = 0;

	while (!err && lkst_die_next_unit(i->image, &offset, &die)) {
		unit = lkst_vec_add(i->units, i->nr_units);
		if (!unit)
			return -ENOMEM;
		unit->die = dwarf_dieoffset(&die);
		err = add_ranges(i, &i->by_address, &die);
	}
	sort_ranges(&i->by_address);
	return err;
}

struct lkst_inlined *lkst_inlined_new(struct lkst_image *image)
{
	_cleanup_(lkst_inlined_freep) struct lkst_inlined *i = calloc(1, sizeof(*i));

	if (!i)
		return NULL;
	i->image = image;
	i->dwarf = lkst_image_dwarf(image);
	if (!i->dwarf || list_units(i))
		return NULL;
	return lkst_take(i);
}

void lkst_inlined_free(struct lkst_inlined *i)
{
	u32 k;

	if (!i)
		return;
	for (k = 0; k < i->nr_units; k++)
		free(i->units[k].functions.list);
	free(i->units);
	free(i->by_address.list);
	free(i);
}

/* Units are listed in the order of the file. */
static struct inlined_unit *unit_at(struct lkst_inlined *i, u64 address)
{
	Dwarf_Off die;
	size_t k;

	if (!inlined_find_range(&i->by_address, address, &die))
		return NULL;
	k = lkst_lower_bound(u, i->nr_units, i->units[u].die < die);
	return k < i->nr_units && i->units[k].die == die ? &i->units[k] : NULL;
}

/* ---- functions -------------------------------------------------------------------------------- */

struct inlined_function_walk {
	struct lkst_inlined *i;
	struct inlined_unit *unit;
	int err;
};

static enum lkst_die_step inlined_add_function(void *arg, Dwarf_Die *die)
{
	struct inlined_function_walk *w = arg;

	w->err = add_ranges(w->i, &w->unit->functions, die);
	return w->err ? LKST_DIE_END : LKST_DIE_OVER;
}

/* The function of @unit, out of line, that holds @address. */
static bool inlined_function_at(struct lkst_inlined *i, struct inlined_unit *unit, Dwarf_Die *unit_die, u64 address,
				Dwarf_Die *ret_die)
{
	struct inlined_function_walk walk = { i, unit, 0 };
	Dwarf_Off offset;
	Dwarf_Die last;

	if (!unit->is_known) {
		unit->is_known = true;
		lkst_die_walk_functions(i->image, unit_die, inlined_add_function, &walk, &last);
		sort_ranges(&unit->functions);
	}
	return inlined_find_range(&unit->functions, address, &offset) &&
	       dwarf_offdie(i->dwarf, offset, ret_die);
}

struct holder {
	struct lkst_image *image;
	u64 address;
};

static enum lkst_die_step look_at_inlined(void *arg, Dwarf_Die *die)
{
	struct holder *h = arg;

	return lkst_die_has(h->image, die, h->address) ? LKST_DIE_END : LKST_DIE_OVER;
}

/* The function and those inlined in it at @address, the outermost first. */
static u32 chain_at(struct lkst_inlined *i, Dwarf_Die *function, u64 address,
		    Dwarf_Die chain[LKST_CODE_FRAMES_MAX])
{
	struct holder h = { i->image, address };
	u32 nr;

	chain[0] = *function;
	for (nr = 1; nr < LKST_CODE_FRAMES_MAX; nr++)
		if (!lkst_die_walk_inlined(i->image, &chain[nr - 1], look_at_inlined, &h,
					   &chain[nr]))
			break;
	return nr;
}

static void inlined_find_line(Dwarf_Die *unit, u64 address, struct lkst_code_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number;

	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return;
	frame->source = dwarf_linesrc(line, NULL, NULL);
	frame->line = frame->source ? (u32)number : 0;
}

/* Whether one more walk may be made: a damaged file has one make many in vain. */
static bool may_walk(struct lkst_inlined *i)
{
	if (i->image->steps < i->image->max_steps / 2 && i->restarts < RESTARTS_MAX) {
		i->restarts++;
		lkst_image_restart(i->image);
	}
	return i->image->steps;
}

u32 lkst_inlined_find(struct lkst_inlined *i, u64 address,
		      struct lkst_code_frame frames[LKST_CODE_FRAMES_MAX])
{
	Dwarf_Die unit_die, function, chain[LKST_CODE_FRAMES_MAX];
	struct inlined_unit *unit;
	u32 nr, k;

	address -= (u64)i->image->dwarf_bias;
	unit = may_walk(i) ? unit_at(i, address) : NULL;
	if (!unit || !dwarf_offdie(i->dwarf, unit->die, &unit_die) ||
	    !inlined_function_at(i, unit, &unit_die, address, &function))
		return 0;
	nr = chain_at(i, &function, address, chain);
	for (k = 0; k < nr; k++) {
		struct lkst_code_frame *frame = &frames[k];

		*frame = (struct lkst_code_frame){ .function = dwarf_diename(&chain[nr - 1 - k]) };
		if (!k)
			inlined_find_line(&unit_die, address, frame);
		else if ((frame->source = lkst_die_call_source(&chain[nr - k])))
			frame->line = (u32)lkst_die_call_line(&chain[nr - k]);
		if (!frame->function)
			return 0;
	}
	return nr;
}
