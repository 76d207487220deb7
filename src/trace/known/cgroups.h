/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cgroups of a trace by their numbers: paths, and what the paths say of containers (trace/known/container.h), as
 * records of the state and of the life buffer have them.
 */
#ifndef LKST_TRACE_KNOWN_CGROUPS_H
#define LKST_TRACE_KNOWN_CGROUPS_H

#include "base/cleanup.h"
#include "trace/format/block.h"

/* Both texts hold any bytes but NUL, as somebody chose them; a path no '/' beside another. */
struct lkst_cgroup {
	u64 id;
	char *path;
	char *container; /* "": the path shows none */
};

struct lkst_cgroups;
struct lkst_cgroups *lkst_cgroups_new(void);
void lkst_cgroups_free(struct lkst_cgroups *c);
LKST_GUARD(lkst_cgroups_free, struct lkst_cgroups)

/*
 * Takes in what @r says of a cgroup (state_cgroup, cgroup_mkdir, cgroup_attach_task); cheap for all others. Of too
 * many cgroups, and of paths that were cut, it knows none. -ENOMEM or 0.
 */
int lkst_cgroups_feed(struct lkst_cgroups *c, const struct lkst_record *r);

/* The cgroup of number @id, NULL: the trace does not have its path. It stays good until @c is freed. */
const struct lkst_cgroup *lkst_cgroups_find(const struct lkst_cgroups *c, u64 id);

/* All of them, by a number from 0 on. */
unsigned int lkst_cgroups_nr(const struct lkst_cgroups *c);
const struct lkst_cgroup *lkst_cgroups_at(const struct lkst_cgroups *c, unsigned int i);

/*
 * Whether cgroup @id is asked for by @glob, a shell pattern: for its path, in which '*' stands for any bytes, or for
 * its container. One whose path is not known is asked for by its number alone.
 */
bool lkst_cgroups_match(const struct lkst_cgroups *c, u64 id, const char *glob);

enum {
	LKST_CGROUP_TEXT = 640, /* of lkst_cgroups_text(), with the NUL */
};

/* What stands for cgroup @id in a table: its path, or its number where that is not known; "": 0. Not escaped. */
const char *lkst_cgroups_text(const struct lkst_cgroups *c, u64 id, char text[LKST_CGROUP_TEXT]);

/* What the path of @id says of a container, "": nothing. Not escaped. */
const char *lkst_cgroups_container(const struct lkst_cgroups *c, u64 id);

#endif
