/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions of the kernel can return an error, by what BTF says that they return: an int, or a long or a pointer,
 * which hold -1 to -4095 (include/linux/err.h, IS_ERR_VALUE()). A bool, an unsigned number of fewer than 64 bits,
 * an enumeration without negative values and void can't.
 */
#ifndef LKST_PROBE_DEBUGINFO_RETURNS_H
#define LKST_PROBE_DEBUGINFO_RETURNS_H

#include "base/cleanup.h"
#include "base/err.h"

struct btf;

enum lkst_returns_kind {
	LKST_RETURNS_NO_ERROR,
	LKST_RETURNS_INT,     /* 32 bits with a sign */
	LKST_RETURNS_LONG,    /* 64 bits, or a pointer */
	LKST_RETURNS_EITHER,  /* one of these two; no function alone */
	LKST_RETURNS_UNKNOWN, /* BTF has no function of that name, or several that differ in this */
};

/* The functions of one BTF, by their names. */
struct lkst_returns;

/*
 * Reads the functions of @btf whose types have ids of @first and above: 1, or, of a module's, the number of types of
 * the kernel's. @btf stays the caller's, and must stay open. -ENOMEM.
 */
int lkst_returns_new(struct lkst_err *e, const struct btf *btf, unsigned int first,
		     struct lkst_returns **ret_returns);
void lkst_returns_free(struct lkst_returns *r);
LKST_GUARD(lkst_returns_free, struct lkst_returns)

/*
 * What the function of symbol @symbol returns. What compilers put after a name (.part.0, .constprop.0, .isra.0) does
 * not count: such a copy returns what the function does, or nothing that any caller looks at.
 */
enum lkst_returns_kind lkst_returns_find(const struct lkst_returns *r, const char *symbol);

#endif
