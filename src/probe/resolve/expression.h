/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments as they were written, and what they are at a spot: variables, members and elements become fetches. */
#ifndef LKST_PROBE_RESOLVE_EXPRESSION_H
#define LKST_PROBE_RESOLVE_EXPRESSION_H

#include "probe/resolve/value.h"

/* Whether any node of @f is one that only perf probe's language has. */
bool lkst_expression_has_variables(const struct lkst_fetch *f);

/* Whether any node of @f names a register or the stack: such an argument is for one address only. */
bool lkst_expression_has_registers(const struct lkst_fetch *f);

/*
 * Resolves the arguments of @written at the spot into @ret_args, whose nodes are the pool's. *@ret_nr: how many they
 * are, which $vars and $params make more.
 */
int lkst_expression_arguments(struct lkst_spot *s, const struct lkst_probe *written,
			      struct lkst_probe_arg ret_args[LKST_PROBE_ARGS_MAX], u32 *ret_nr);

#endif
