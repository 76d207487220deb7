/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pins of one recording that nobody else sees: names for descriptors that this process keeps open. For a recording
 * that ends with its process, but is to be changed as a pinned one is.
 */
#ifndef LKST_LIVE_HOOKS_OWN_PINS_H
#define LKST_LIVE_HOOKS_OWN_PINS_H

#include "base/err.h"

struct lkst_own_pins;

/* None yet. NULL: no memory. */
struct lkst_own_pins *lkst_own_pins_new(void);

/* Closes all. @own may be NULL. */
void lkst_own_pins_free(struct lkst_own_pins *own);

/* Keeps a copy of @fd under @name. -EEXIST: there is one. -ENAMETOOLONG, -ENOMEM. */
int lkst_own_pins_put(struct lkst_own_pins *own, int fd, const char *name);

/* Another copy of the descriptor, which the caller closes. -ENOENT: there is none. */
int lkst_own_pins_get(const struct lkst_own_pins *own, const char *name);

/* Closes it; fine if there is none. */
void lkst_own_pins_drop(struct lkst_own_pins *own, const char *name);

/*
 * Calls @each with @e for the name of every pin until it returns other than 0, which is passed on. @each may drop the
 * pin that it is called for, and add none.
 */
typedef int lkst_pin_fn(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *name);
int lkst_own_pins_each(struct lkst_err *e, struct lkst_own_pins *own, lkst_pin_fn *each, void *ctx);

#endif
