/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a variable is, as DWARF says it for one address (DWARF 5, 2.5 and 2.6): its location expression is
 * executed with names of registers in place of their values.
 */
#ifndef LKST_PROBE_RESOLVE_LOCATION_H
#define LKST_PROBE_RESOLVE_LOCATION_H

#include "probe/resolve/value.h"

/*
 * Where the variable or parameter @die is at the spot. -ENOENT: nowhere, the compiler has left it out at this
 * address; -EOPNOTSUPP: somewhere that no probe can fetch it from. @name is for errors.
 */
int lkst_location_value(struct lkst_spot *s, Dwarf_Die *die, const char *name,
			struct lkst_value *ret_value);

/*
 * Calls @found() with each range of addresses of the ELF file for which DWARF says something of @die, until it
 * returns other than 0, and returns that.
 */
int lkst_location_ranges(struct lkst_image *image, Dwarf_Die *die,
			 int (*found)(void *arg, u64 from, u64 to), void *arg);

/* Whether parameter @die is in its place only after the first instructions, as without optimization. */
bool lkst_location_is_stored_later(Dwarf_Die *die);

#endif
