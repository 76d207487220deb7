/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries of DWARF (DIEs): walks over their tree, and what they say of sources and addresses. Walks end when they have
 * looked at more entries than the file can hold.
 */
#ifndef LKST_PROBE_DEBUGINFO_DIES_H
#define LKST_PROBE_DEBUGINFO_DIES_H

#include "probe/debuginfo/image.h"

enum { LKST_DIE_CHAIN_MAX = 64 }; /* functions inlined in each other */

enum lkst_die_step {
	LKST_DIE_INTO, /* look at its children next */
	LKST_DIE_OVER, /* not at its children */
	LKST_DIE_END,  /* this is the one */
};

/* Walks what is below @parent, depth first. True: @visit() ended it at *@ret_die, which may be NULL. */
bool lkst_die_walk(struct lkst_image *image, Dwarf_Die *parent,
		   enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die), void *arg,
		   Dwarf_Die *ret_die);

/* The same with the functions of @unit only, also with those in a namespace, struct or class of C++. */
bool lkst_die_walk_functions(struct lkst_image *image, Dwarf_Die *unit,
			     enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die), void *arg,
			     Dwarf_Die *ret_die);

/* The same with what is inlined in function or instance @die: INTO goes on to what is inlined there. */
bool lkst_die_walk_inlined(struct lkst_image *image, Dwarf_Die *die,
			   enum lkst_die_step (*visit)(void *arg, Dwarf_Die *die), void *arg,
			   Dwarf_Die *ret_die);

/* Whether @address is in one of the ranges of @die: dwarf_haspc(), which counts its steps. */
bool lkst_die_has(struct lkst_image *image, Dwarf_Die *die, Dwarf_Addr address);

/* The unit after @unit, the first if @unit is NULL. False: there is none. */
bool lkst_die_next_unit(struct lkst_image *image, Dwarf_Off *offset, Dwarf_Die *ret_unit);

/* Where it begins: the first instruction of the function, instance or block. False: nowhere. */
bool lkst_die_entry(Dwarf_Die *die, Dwarf_Addr *ret_address);

/* The source in which it is declared, and its line there; NULL, 0: it does not say. */
const char *lkst_die_source(Dwarf_Die *die);
int lkst_die_line(Dwarf_Die *die);

/* Where an inlined function is called; NULL, 0. */
const char *lkst_die_call_source(Dwarf_Die *die);
int lkst_die_call_line(Dwarf_Die *die);

/* The function of @unit that holds @address, out of line; and the innermost inlined one below @die that does. */
bool lkst_die_function_at(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
			  Dwarf_Die *ret_die);
bool lkst_die_inlined_at(struct lkst_image *image, Dwarf_Die *die, Dwarf_Addr address,
			 Dwarf_Die *ret_die);

/*
 * The functions that @address is in: the one out of line, then those inlined in it, the innermost last. Returns how
 * many, at most LKST_DIE_CHAIN_MAX.
 */
u32 lkst_die_chain(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
		   Dwarf_Die ret_chain[LKST_DIE_CHAIN_MAX]);

/* The unit whose code @address is in. */
bool lkst_die_unit_at(struct lkst_image *image, Dwarf_Addr address, Dwarf_Die *ret_unit);

/* Whether @path ends in @tail: "read_write.c" and "fs/read_write.c", but not "write.c". */
bool lkst_source_matches(const char *path, const char *tail);

#endif
