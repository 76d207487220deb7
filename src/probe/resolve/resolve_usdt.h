/* SPDX-License-Identifier: GPL-2.0-only */
/* A probe at a mark of a program (USDT). */
#ifndef LKST_PROBE_RESOLVE_RESOLVE_USDT_H
#define LKST_PROBE_RESOLVE_RESOLVE_USDT_H

#include "probe/resolve/resolver.h"

/* Resolves a definition of a mark: it may be at several places. The errors are those of lkst_probe_resolve(). */
int lkst_resolve_usdt(struct lkst_resolver *r);

#endif
