/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a bundle of a trace directory, for the commands that save one. */
#ifndef LKST_BUNDLE_BUNDLE_SAVE_H
#define LKST_BUNDLE_BUNDLE_SAVE_H

#include "bundle/moment.h"

struct lkst_bundle_saving {
	struct lkst_moment moment;
	const struct lkst_access *access; /* who may read it; must fit `is_private` */
	const struct lkst_bundle_text *account; /* what lkst_bundle_tell_why() has said of it; NULL: nobody asked */
	bool is_private; /* nobody else may read it: command lines and the journal go in */
};

/*
 * Makes the bundle @file of the trace directory @dir, which belongs to the caller, whose streams are compressed then.
 * What else goes in is read with the rights of this process. It appears when it is whole and on the disk.
 * *@ret_bytes: how large it is.
 */
int lkst_bundle_save(struct lkst_err *e, const struct lkst_bundle_saving *what, const char *dir,
		     const char *file, u64 *ret_bytes);

#endif
