/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store of files by HTTP, to which a file is sent by PUT (RFC 9110, section 9.3.4): a server with WebDAV, or an
 * object store. To send a file again does no harm.
 */
#ifndef LKST_FLEET_STORE_H
#define LKST_FLEET_STORE_H

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

/* All is borrowed, and copied. */
struct lkst_store_where {
	const char *url; /* http:// or https://, of the directory, without a user in it */
	const char *user, *password; /* NULL: those of nobody */
	const char *ca;		     /* a file of certificates; NULL: the system's */
	u64 stall_ns;		     /* how long nothing may move */
};

struct lkst_store;

int lkst_store_open(struct lkst_err *e, const struct lkst_store_where *where,
		    struct lkst_store **ret_store);
void lkst_store_close(struct lkst_store *s);
LKST_GUARD(lkst_store_close, struct lkst_store)

/* Sends the @bytes of the file that @fd refers to, from its beginning, as @name. */
int lkst_store_put(struct lkst_err *e, struct lkst_store *s, const char *name, int fd, u64 bytes);

#endif
