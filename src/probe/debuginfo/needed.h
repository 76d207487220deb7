/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that a program or library takes from another library. */
#ifndef LKST_PROBE_DEBUGINFO_NEEDED_H
#define LKST_PROBE_DEBUGINFO_NEEDED_H

#include <limits.h>
#include <stdbool.h>

struct lkst_image;

/* Where a function is that an image has not. */
struct lkst_needed {
	char library[NAME_MAX + 1]; /* what the image calls it, as "libc.so.6"; "": it does not say */
	char path[PATH_MAX];	    /* the file that has the function; "": none was found */
};

/*
 * Looks for function @name in the libraries that the image is linked to, where the dynamic linker looks for them.
 * False: it is in none of them, and the image does not say that it takes it from one.
 */
bool lkst_needed_find(const struct lkst_image *image, const char *name, struct lkst_needed *ret);

#endif
