/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a merge (trace/read/reader.h) reads from: sources of blocks. The streams of a trace are sources, and so are
 * the queues of blocks that come from a running recording.
 */
#ifndef LKST_TRACE_READ_MERGE_H
#define LKST_TRACE_READ_MERGE_H

#include "trace/read/reader.h"

struct lkst_merge_source;

struct lkst_merge_source_ops {
	/*
	 * The next block, whose bytes stay valid while records of it are in use: 1; 0: there is none, or none yet;
	 * -EAGAIN: there is none yet, and no record of the other sources may be given out before it has come.
	 */
	int (*next)(struct lkst_merge *m, struct lkst_merge_source *s,
		    struct lkst_block *ret_block);
	void (*free)(struct lkst_merge_source *s);
};

/* To be embedded in what knows where its blocks are. */
struct lkst_merge_source {
	/* Whoever makes it sets these. */
	const struct lkst_merge_source_ops *ops;
	u64 instance;		 /* of the stream */
	const char *why_missing; /* the sentence of a gap between two blocks */
	bool has_damage;	 /* blocks between two others may be there and cannot be read */
	bool comes_first; /* what it has, up to the first 0 of next(), comes before the other sources */

	/* And the merge these. */
	struct lkst_block_cursor cursor; /* in `block`; all zero before the first one */
	struct lkst_record head;	 /* the record that is ready, if has_head */
	struct lkst_block block;
	u64 read_ns; /* how far it has been read */
	bool has_head;
};

/* A merge that has no source yet. Gaps outside @from_ns to @to_ns are not reported. */
int lkst_merge_new_empty(struct lkst_err *e, const struct lkst_catalog *catalog, u64 from_ns,
			 u64 to_ns, struct lkst_merge **ret_merge);

/*
 * Adds @s, which is the merge's from then on; if it fails, @s is freed. At equal times records come in the order in
 * which their sources were added. lkst_merge_begin() is to be called before a record is taken.
 */
int lkst_merge_add(struct lkst_err *e, struct lkst_merge *m, struct lkst_merge_source *s);

unsigned int lkst_merge_nr_sources(const struct lkst_merge *m);
struct lkst_merge_source *lkst_merge_source(const struct lkst_merge *m, unsigned int i);

/*
 * Gives out the records up to the time of lkst_merge_begin(), and each gap before the record that follows it, until
 * there is none or a call returns other than 0, which is passed on: for those to whom the cost of each record matters.
 */
struct lkst_merge_calls {
	int (*record)(void *ctx, const struct lkst_record *r);
	void (*gap)(void *ctx, const struct lkst_gap *gap);
};
int lkst_merge_each(struct lkst_merge *m, const struct lkst_merge_calls *calls, void *ctx);

/* Adds a gap that no source shows. It is reported when its time has come. */
void lkst_merge_add_hole(struct lkst_merge *m, const struct lkst_gap *hole);

/* Reports a gap in the stream of @s. */
void lkst_merge_add_gap(struct lkst_merge *m, const struct lkst_merge_source *s,
			struct lkst_gap gap);

/* Gets the next record of each source ready, as far as there are any. False: a source said -EAGAIN. */
bool lkst_merge_get_ready(struct lkst_merge *m);

/*
 * From now on lkst_merge_next() gives out the records up to @until_ns. This may be called again and again, when
 * sources have more blocks, or for a later time.
 */
void lkst_merge_begin(struct lkst_merge *m, u64 until_ns);

#endif
