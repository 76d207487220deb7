/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an earlier boot of this machine has left in its memory, for lkst extract --earlier: distinguished
 * from what this boot has recorded, and why there is nothing.
 */
#ifndef LKST_CMD_READ_EARLIER_H
#define LKST_CMD_READ_EARLIER_H

#include "crash/recording.h"

/* All of this machine's memory, as its kernel shows it. */
#define LKST_KCORE "/proc/kcore"

/* Says why LKST_KCORE cannot be opened, if @path is that. Returns @err, the negative errno. */
int lkst_earlier_explain(struct lkst_err *e, int err, const char *path);

/* A sentence on why what was found is less certain than it looks, or NULL. */
const char *lkst_earlier_doubt(void);

/*
 * Leaves in @r only what another boot than this one has recorded. A recording without metadata may be of any
 * boot; with @has_catalog the user has other metadata for it. -ENOENT: nothing that can be read is left.
 */
int lkst_earlier_take(struct lkst_err *e, const struct lkst_hits *hits, bool has_catalog,
		      struct lkst_recordings *r);

#endif
