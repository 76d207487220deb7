/* SPDX-License-Identifier: GPL-2.0-only */
/* Variables and parameters that can be named at a spot, by DWARF. */
#ifndef LKST_PROBE_RESOLVE_SCOPE_VARIABLES_H
#define LKST_PROBE_RESOLVE_SCOPE_VARIABLES_H

#include "probe/resolve/value.h"

/*
 * Where the variable @name is: in the blocks around the spot, inwards out, then the parameters of the function or
 * inlined instance, then those of the source and of others. -ENOENT: there is none; or it does not exist here, and the
 * text names the nearest line at which it does; -EOPNOTSUPP.
 */
int lkst_variable_find(struct lkst_spot *s, const char *name, struct lkst_value *ret_value);

/*
 * Calls @found() with each variable and parameter of the spot's function that can be fetched here, until it returns
 * other than 0, and returns that. Those of what is inlined here are among them, as perf probe has it.
 */
int lkst_variables_walk(struct lkst_spot *s,
			int (*found)(void *arg, Dwarf_Die *die, const char *name,
				     bool is_parameter),
			void *arg);

#endif
