/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of sources and the instructions that they begin with, by DWARF's table of lines, as perf probe counts
 * them: a line that can be probed has an instruction that is its beginning, and which of the lines that
 * share it the instruction belongs to is decided alike.
 */
#ifndef LKST_PROBE_DEBUGINFO_LINES_H
#define LKST_PROBE_DEBUGINFO_LINES_H

#include "probe/debuginfo/image.h"

/* Gets a line and its instruction. Other than 0 ends the walk. */
typedef int lkst_line_found(void *arg, const char *source, int line, Dwarf_Addr address);

/*
 * Walks the lines of @unit, or those of the function or inlined instance @scope of it, without the lines of what is
 * inlined there, but with the places where that is called.
 */
int lkst_lines_walk(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *scope,
		    lkst_line_found *found, void *arg);

/* The line that the instruction at @address belongs to. False: none. */
bool lkst_line_at(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
		  const char **ret_source, int *ret_line);

/* The same of any instruction, also where none of the line's own begins a statement. */
bool lkst_line_around(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Addr address,
		      const char **ret_source, int *ret_line);

/* Whether a probe at this line would be shown at it: no other line owns the instruction. */
bool lkst_line_is_own(struct lkst_image *image, Dwarf_Die *unit, const char *source, int line,
		      Dwarf_Addr address);

/* The first instruction of the line after the one that @address is in, within function @scope. False: none. */
bool lkst_line_next(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *scope, Dwarf_Addr address,
		    Dwarf_Addr *ret_next);

/* The first instruction after those that prepare the stack frame of function @scope. */
Dwarf_Addr lkst_line_after_prologue(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *scope,
				    Dwarf_Addr entry);

#endif
