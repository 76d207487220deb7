/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Configuration files: a line "key = value" per setting, a comment after "#". What the keys mean
 * is not decided here.
 */
#ifndef LKST_CMD_FRAME_CONF_H
#define LKST_CMD_FRAME_CONF_H

#include <stddef.h>

#include "base/err.h"

enum { LKST_CONF_BYTES_MAX = 64 << 10 };

/*
 * Calls @each for every setting in @text, which has @length bytes and a NUL after them, and is
 * changed: keys and values are strings in it. A key is of letters, digits and "-"; a value is what
 * follows "=", without the blanks around it. "#" begins a comment at the start of a line and
 * after a blank. A line that is none of this, or for which @each fails, ends the reading: the
 * text of @e begins with its number.
 */
int lkst_conf_parse(struct lkst_err *e, char *text, size_t length,
		    int (*each)(struct lkst_err *e, void *ctx, char *key, char *value), void *ctx);

#endif
