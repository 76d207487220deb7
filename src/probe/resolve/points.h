/* SPDX-License-Identifier: GPL-2.0-only */
/* The instructions that a place means by DWARF: of functions and their inlined instances, and of lines. */
#ifndef LKST_PROBE_RESOLVE_POINTS_H
#define LKST_PROBE_RESOLVE_POINTS_H

#include "probe/debuginfo/dies.h"
#include "probe/text/probe.h"

struct lkst_point {
	u64 address; /* of the ELF file */
	bool is_entry; /* of a function that is not inlined: parameters are where the caller left them */
	Dwarf_Die unit, scope; /* the function or inlined instance that the place is in */
	const char *function;  /* the scope's name; NULL: none */
	const char *source;
	int line; /* 0: unknown */
};

struct lkst_points {
	struct lkst_point *list;
	u32 nr;
};

void lkst_points_fini(struct lkst_points *p);

/*
 * Finds all instructions of @place, each once. @has_variables: where a compiler without optimization stores parameters
 * first, a function's entry is after that. -ENOENT and the like as of lkst_probe_resolve().
 */
int lkst_points_find(struct lkst_err *e, struct lkst_image *image,
		     const struct lkst_probe_place *place, bool has_variables,
		     struct lkst_points *ret_points);

/* Calls @found() with each function of the source @source (NULL: any) that matches @name, once for each unit. */
int lkst_functions_find(struct lkst_image *image, const char *name, const char *source,
			int (*found)(void *arg, Dwarf_Die *unit, Dwarf_Die *function), void *arg);

/* Calls @found() with each inlined instance of @function in @unit. */
int lkst_instances_find(struct lkst_image *image, Dwarf_Die *unit, Dwarf_Die *function,
			int (*found)(void *arg, Dwarf_Die *unit, Dwarf_Die *instance), void *arg);

/* "vfs_read+38": where a point is in the function that is not inlined. */
void lkst_point_text(struct lkst_image *image, const struct lkst_point *point, char *text,
		     size_t size);

/* "vfs_read:3", "read_write.c:450": a place as it was written, for errors. */
void lkst_place_text(const struct lkst_probe_place *place, char *text, size_t size);

#endif
