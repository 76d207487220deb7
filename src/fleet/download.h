/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file from a store by HTTP GET. The store is never trusted: its file is bounded, and whatever else it answers is an
 * error.
 */
#ifndef LKST_FLEET_DOWNLOAD_H
#define LKST_FLEET_DOWNLOAD_H

#include "abi/types.h"
#include "base/err.h"

/* All is borrowed. */
struct lkst_fleet_file {
	const char *url;	     /* http:// or https://, without a user in it */
	const char *user, *password; /* NULL: nobody */
	const char *ca;		     /* a file of certificates; NULL: the system's */
	u64 silent_ns;		     /* after so long without a byte it is given up */
	u64 max_bytes;
};

/*
 * Writes it to @fd. The user and password are sent to that URL alone: a store that says that it is elsewhere is not
 * followed. -EINVAL: the URL makes no sense; -EFBIG: it is larger; -EACCES: the store wants other credentials, or any;
 * -EPROTO: it refuses; -ETIMEDOUT; -EIO.
 */
int lkst_fleet_download(struct lkst_err *e, const struct lkst_fleet_file *file, int fd,
			u64 *ret_bytes);

#endif
