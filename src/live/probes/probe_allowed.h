/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the running kernel lets nobody set a probe, by what it says of itself, so that a probe can be refused, and a
 * function left out, before anything is changed.
 */
#ifndef LKST_LIVE_PROBES_PROBE_ALLOWED_H
#define LKST_LIVE_PROBES_PROBE_ALLOWED_H

#include "abi/types.h"
#include "base/err.h"
#include "live/hooks/probe_row.h"

struct lkst_probe_allowed;

/*
 * Reads the texts of /proc/kallsyms and of kprobes/blacklist in debugfs, which the caller keeps as long as this is in
 * use; "": that is not known, and nothing is refused by it. NULL: no memory. lkst_probe_allowed_free() takes NULL.
 */
struct lkst_probe_allowed *lkst_probe_allowed_new(const char *kallsyms, const char *blacklist);
void lkst_probe_allowed_free(struct lkst_probe_allowed *a);

/*
 * 0: nothing is known against a probe at @row, a place of the kernel. -EPERM: it is no code that runs, or the kernel
 * handles probes by it; -EADDRNOTAVAIL: several symbols have that name. @e says which symbol, and why.
 */
int lkst_probe_allowed_check(struct lkst_err *e, const struct lkst_probe_allowed *a,
			     const struct lkst_probe_row *row);

#endif
