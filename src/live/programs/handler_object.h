/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The object of a loaded handler, as its author's compiler has made it. The recording keeps it, since more programs may
 * have to be made of it: for a probe that is set later.
 */
#ifndef LKST_LIVE_PROGRAMS_HANDLER_OBJECT_H
#define LKST_LIVE_PROGRAMS_HANDLER_OBJECT_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

struct lkst_own_pins;

/*
 * Keeps object @file of handler @number. One of more than 4 MiB is not kept. @has_names: struct lkst_handler_options.
 * @own: as live/hooks/pins.h has it.
 */
int lkst_handler_object_keep(struct lkst_err *e, struct lkst_own_pins *own, u8 number, const char *file,
			     bool has_names);

/* A file that exists as long as its descriptor is open. */
struct lkst_handler_object {
	int fd;
	char path[32];
	bool has_names;
};

/* Opens the one of handler @number; close() its fd. -ENOENT: it was not kept. */
int lkst_handler_object_open(struct lkst_err *e, const struct lkst_own_pins *own, u8 number,
			     struct lkst_handler_object *ret);

#endif
