/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables of LKST on a server, by version. To change them: add statements at the end of migrations[] in
 * fleet/schema.c; what is there stays as it is, for servers have it.
 */
#ifndef LKST_FLEET_SCHEMA_H
#define LKST_FLEET_SCHEMA_H

#include "fleet/client.h"

/* What the server had, and what it has now: versions, 0: nothing. */
struct lkst_fleet_schema {
	u64 before, now;
};

/* Brings the server's tables to this program's version. -ENOTSUP: a newer program has made them. */
int lkst_fleet_setup(struct lkst_err *e, struct lkst_fleet *f,
		     struct lkst_fleet_schema *ret_schema);

/* Whether they are of this program's version: 0, or -ENOENT: they are older or missing; -ENOTSUP: newer. */
int lkst_fleet_check_schema(struct lkst_err *e, struct lkst_fleet *f);

#endif
