/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of lkst extract share: a trace, the memory of the machine that recorded it, and the way
 * from a dump of that back to a trace. A test that goes all of this way has a scene:
 *
 *	struct scene x = made_scene(MAKE_PAGE);
 *	struct outcome o = scene_extract(&x, make_raw(x.m), x.dir, NULL);
 *
 *	CHECK_EQ(o.sum.records, RECORDS);
 *	scene_end(&x);
 */
#ifndef LKST_TESTS_EXTRACT_H
#define LKST_TESTS_EXTRACT_H

#include "crash/rebuild.h"
#include "lib/make_dump.h"

enum {
	PAGES = 160,
	RING_BLOCKS = 64,
	SWITCHES = 3000,
	RECORDS = SWITCHES + SWITCHES / 100,
};

/* A trace of RECORDS records in memory, with its last blocks open. */
struct make_trace *made_trace(u32 block_size);

/*
 * Puts the rings of @t into memory, page by page if @scattered; @ret_states: their state pages of CPU 0 and 1,
 * main.
 */
void make_rings(struct make_memory *m, struct make_trace *t, bool scattered,
		struct lkst_state **ret_states);

/* The memory of a machine that recorded @t. */
struct make_memory *made_memory(struct make_trace *t, struct lkst_state **ret_states);

/* What one run of extracting gives. */
struct outcome {
	int err;
	struct lkst_err e;
	unsigned int nr_recordings;
	bool has_catalog;
	bool is_proven; /* these three of the first one */
	unsigned int nr_overridden;
	u64 rivals;
	struct lkst_rebuild sum;
};

/* Extracts the first recording of the dump at @path to @dir (NULL: only counts), by the ids in @known. */
struct outcome extract_known(const char *path, const struct lkst_memory_ids *known, const char *dir,
			     const char *doubtful);

struct outcome extract(const char *path, const char *dir, const char *doubtful);

/* A trace and the memory of its machine, and where a dump and what is extracted of it go. */
struct scene {
	struct make_trace *t;	      /* NULL: none */
	struct make_memory *m;	      /* NULL: none */
	struct lkst_state *states[2]; /* of CPU 0 and 1, main */
	/* A directory and the paths in it, once there is a dump. */
	char scratch[64], dump[96], dir[96], doubtful[96];
};

/* One of made_trace() and made_memory(); a test that needs others initializes the struct with its own. */
struct scene made_scene(u32 block_size);

/* Writes @f, which it frees, as the dump, to a directory in which there is nothing else. */
void scene_dump(struct scene *x, struct make_file f);

/* scene_dump() and extract(), to @x->dir and @x->doubtful or NULL. */
struct outcome scene_extract(struct scene *x, struct make_file f, const char *dir,
			     const char *doubtful);

/* Removes and frees all of it. */
void scene_end(struct scene *x);

void complain(void *arg, const struct lkst_stream_info *stream, u64 offset, u64 bytes,
	      const char *text);

/* Records of the trace in @dir that are no state; -1: a block is bad or a gap is there. */
long count_records(const char *dir);

struct make_file in_format(const struct make_memory *m, unsigned int format);

#endif
