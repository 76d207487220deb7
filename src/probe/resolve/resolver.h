/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in hand while a definition is resolved (probe/resolve/resolve.h), and how a place becomes a probe. */
#ifndef LKST_PROBE_RESOLVE_RESOLVER_H
#define LKST_PROBE_RESOLVE_RESOLVER_H

#include "probe/resolve/resolved.h"
#include "probe/resolve/value.h"

/* One definition that is being resolved. */
struct lkst_resolver {
	struct lkst_err *e;
	struct lkst_image *image;
	const struct lkst_probe *written;
	struct lkst_pool pool;
	struct lkst_resolved out;
	char last_event[LKST_PROBE_NAME]; /* the name of the last probe without its number, */
	u32 last_number;		  /* and that number */
};

/* A spot of the definition, of which nothing is known but how it was written. */
struct lkst_spot lkst_resolver_spot(struct lkst_resolver *r);

/*
 * Adds the probe at a spot. @place: where, with texts that live as long as the call. The errors are those of
 * lkst_probe_resolve().
 */
int lkst_resolver_add(struct lkst_resolver *r, struct lkst_spot *s,
		      const struct lkst_probe_place *place);

/* Sets what a program's place is: the byte of its file that is loaded at @address. -ENOENT: none is. */
int lkst_resolver_place_in_file(struct lkst_resolver *r, u64 address, const char *symbol,
				struct lkst_probe_place *place);

#endif
