/* SPDX-License-Identifier: GPL-2.0-only */
/* Why there is no function of a name, and which there are. */
#ifndef LKST_PROBE_RESOLVE_NO_FUNCTION_H
#define LKST_PROBE_RESOLVE_NO_FUNCTION_H

#include <stdbool.h>

struct lkst_resolver;

/*
 * Whether symbol @symbol is a whole copy that the compiler made of function @name, or a function of C++ that is written
 * so: "f.constprop.0" is f with some arguments known. "f.cold" and "f.part.0" are pieces, and are not.
 */
bool lkst_symbol_is_meant(const char *symbol, const char *name);

/* Says where function @name is, if that is known: in a library, or only in an older version. False: it is not. */
bool lkst_function_elsewhere(struct lkst_resolver *r, const char *name);

/* The same, or which names are near. Returns -ENOENT. */
int lkst_no_function(struct lkst_resolver *r, const char *name);

#endif
