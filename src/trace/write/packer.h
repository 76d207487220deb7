/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compresses the stream files of finished parts in the background: a thread that runs only when the CPU has
 * nothing better to do (nice 19), and takes a few MiB of memory whatever it packs.
 */
#ifndef LKST_TRACE_WRITE_PACKER_H
#define LKST_TRACE_WRITE_PACKER_H

#include <stdbool.h>

#include "base/err.h"

struct lkst_access;
struct lkst_packer;

/* @access: who may read the compressed files; must stay as long as the packer. */
int lkst_packer_new(struct lkst_err *e, const struct lkst_access *access, struct lkst_packer **ret_packer);

/* Hands over the trace directory @path, to which nobody writes any more. It may be removed at any time. */
int lkst_packer_add(struct lkst_err *e, struct lkst_packer *p, const char *path);

/* Whether there is still something to compress. */
bool lkst_packer_is_busy(struct lkst_packer *p);

/* Ends the thread at once: what is not compressed stays as it is. Reports the first failure. */
int lkst_packer_close(struct lkst_err *e, struct lkst_packer *p);

#endif
