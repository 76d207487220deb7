/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of programs that mark (liblkst/mark_format.h), as far as dumps have it. */
#ifndef LKST_CRASH_DUMPED_H
#define LKST_CRASH_DUMPED_H

#include "crash/hits.h"
#include "liblkst/mark_format.h"

/* One program. Nothing proves that it was one: whoever could write to memory may have made its pages. */
struct lkst_dumped_program {
	struct lkst_mark_header header;
	const struct lkst_hit *hits; /* all of its pages and blocks */
	size_t nr;
	struct lkst_pages *pages;
};

/* Whether the hits from @hits on, of one id, are of a program and not of a recording. */
bool lkst_hits_are_program(const struct lkst_hit *hits);

/* Calls @each for every program whose first page was found, until it returns other than 0, which is passed on. */
typedef int lkst_dumped_each(void *ctx, const struct lkst_dumped_program *p);
int lkst_dumped_programs(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
			 const struct lkst_hits *hits, lkst_dumped_each *each, void *ctx);

/*
 * Calls @put with what was found of the program's file: LKST_MARK_PAGE bytes at a time, and where they were in it. Of
 * blocks that had the same place the last one comes last; several first pages come in no order, and `header` is of one
 * that can be read. Until @put returns other than 0, which is passed on.
 */
typedef int lkst_dumped_put(void *ctx, u32 at, const u8 *bytes);
int lkst_dumped_pages(const struct lkst_dumped_program *p, lkst_dumped_put *put, void *ctx);

#endif
