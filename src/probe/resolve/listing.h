/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be probed in an image: lines, variables and functions, as `perf probe --line`, `--vars` and `--funcs` show
 * them (tools/perf/util/probe-event.c). Texts belong to the lists.
 */
#ifndef LKST_PROBE_RESOLVE_LISTING_H
#define LKST_PROBE_RESOLVE_LISTING_H

#include "probe/debuginfo/image_open.h"
#include "probe/text/perf.h"

enum { LKST_LISTED_LINES_MAX = 1 << 20 };

struct lkst_listed_line {
	u32 number; /* as perf probe counts: from the function's beginning, or from that of the source */
	bool can_be_probed;
	char *text; /* without its line end */
};

struct lkst_line_list {
	char *function; /* NULL: lines of a source */
	char *source;	/* its path */
	u32 first;	/* the number of the line that was asked for first, for a heading */
	struct lkst_listed_line *lines;
	u32 nr;
};

/*
 * Lists the lines of @range; without an end, up to three after the last one that can be probed. -ENOENT: there is no
 * such function or source, no such line has instructions, or the source is not on this machine; -ENODATA.
 */
int lkst_list_lines(struct lkst_err *e, struct lkst_image *image,
		    const struct lkst_line_range *range, struct lkst_line_list *ret_list);
void lkst_line_list_fini(struct lkst_line_list *l);

struct lkst_name_list {
	char **names; /* sorted, each once */
	u32 nr;
};
void lkst_name_list_fini(struct lkst_name_list *l);

/* The variables at one place that a definition means. */
struct lkst_listed_place {
	char *where; /* "vfs_read+0": a function that is not inlined, and an offset */
	struct lkst_name_list variables; /* "struct file*\tfile" */
};

struct lkst_place_list {
	struct lkst_listed_place *places;
	u32 nr;
};

/* Lists the variables that can be fetched at each of the places of @place, of perf probe's language. Errors: as of
 * lkst_probe_resolve(). */
int lkst_list_variables(struct lkst_err *e, struct lkst_image *image,
			const struct lkst_probe_place *place, struct lkst_place_list *ret_list);
void lkst_place_list_fini(struct lkst_place_list *l);

/*
 * Lists the functions whose names match @glob; NULL: all but those that begin with "_". Of the running kernel without
 * a file they are those of /proc/kallsyms, which only root may see in full.
 */
int lkst_list_functions(struct lkst_err *e, struct lkst_image *image, const char *glob,
			struct lkst_name_list *ret_list);

#endif
