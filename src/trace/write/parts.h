/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording on file: one trace directory, or a sequence of them, each a trace that can be read alone.
 * This is about their names, how many are kept, and their compression; not about what is in them.
 */
#ifndef LKST_TRACE_WRITE_PARTS_H
#define LKST_TRACE_WRITE_PARTS_H

#include "trace/write/writer.h"

/* When a new part begins, and how many stay. */
struct lkst_rotation {
	bool is_on;
	u64 bytes; /* a part has at most so many, 0: any number */
	u64 ns;	   /* and covers at most this time, 0: any */
	u32 keep;  /* so many are kept, the one that is written included; 0: all */
};

/* Reads "64M,10", "5min,12", "64M,5min,10" or "10": a size, a time and a count, those that are there. */
int lkst_rotation_parse(struct lkst_err *e, const char *text, struct lkst_rotation *ret_rotation);

struct lkst_parts;

/*
 * @name may have conversions of strftime(3). Then it is the name of each part, with the time at which it
 * began ("-2", "-3" ... after it if that is taken); else, with rotation on, a directory in which
 * parts are numbered. Parts that are there already under such names count as the oldest. Without
 * rotation it is the name of the one trace. @access: who may read what is made; must stay.
 */
int lkst_parts_open(struct lkst_err *e, const struct lkst_access *access, const char *name,
		    const struct lkst_rotation *rotation, bool compress, struct lkst_parts **ret_parts);

/*
 * Begins the next part: removes the oldest if there would be too many, and opens a writer, which is the
 * caller's. @day_ns: the time of day. The writer's state stream goes on with block @state_number.
 */
int lkst_parts_next(struct lkst_err *e, struct lkst_parts *p, const struct lkst_catalog *c,
		    u64 day_ns, u64 state_number, struct lkst_writer **ret_writer);

/* The part that was begun last is complete, its writer closed: it may be compressed. */
int lkst_parts_done(struct lkst_err *e, struct lkst_parts *p);

/* The directory of the part that was begun last; the one that holds all parts, or the same. */
const char *lkst_parts_path(const struct lkst_parts *p);
const char *lkst_parts_name(const struct lkst_parts *p);

/* Whether parts are still being compressed; closing breaks that off. */
bool lkst_parts_is_busy(const struct lkst_parts *p);
int lkst_parts_close(struct lkst_err *e, struct lkst_parts *p);

#endif
