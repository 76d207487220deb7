/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pins of this process alone: names for descriptors that it keeps open. For src/live/load/pins.c, where a recording
 * that ends with its process is to be changed as a pinned one is.
 */
#ifndef LKST_LIVE_LOAD_OWN_PINS_H
#define LKST_LIVE_LOAD_OWN_PINS_H

#include "base/err.h"
#include "live/load/pins.h"

/* Keeps a copy of @fd under @name. -EEXIST: there is one. -ENAMETOOLONG, -ENOMEM. */
int lkst_own_pins_put(int fd, const char *name);

/* Another copy of the descriptor, which the caller closes. -ENOENT: there is none. */
int lkst_own_pins_get(const char *name);

/* Closes it; fine if there is none. */
void lkst_own_pins_drop(const char *name);

/* As lkst_pins_each(). @each may drop the pin that it is called for, and add none. */
int lkst_own_pins_each(struct lkst_err *e, lkst_pin_fn *each, void *ctx);

/* Closes all. */
void lkst_own_pins_remove(void);

#endif
