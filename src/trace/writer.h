/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a trace directory: the metadata, a file per stream, and the state stream, whose blocks
 * user space fills itself. A directory that is cut short at any moment is still a readable trace
 * of what was written until then.
 */
#ifndef LKST_TRACE_WRITER_H
#define LKST_TRACE_WRITER_H

#include "trace/catalog.h"

struct lkst_writer;

/* Creates directory @path (which must not exist, or be empty) and writes its metadata. */
int lkst_writer_open(struct lkst_err *e, const char *path, const struct lkst_catalog *c,
		     struct lkst_writer **ret_writer);

/* Where a trace may go in place of a directory. Each returns 0 or a negative errno, with @e set. */
struct lkst_writer_sink {
	int (*metadata)(struct lkst_err *e, void *ctx, const char *text, size_t length);
	int (*append)(struct lkst_err *e, void *ctx, u64 instance, const void *blocks,
		      size_t length);
};

/* The same writer, for the two functions of @sink, which are called with @ctx. */
int lkst_writer_open_sink(struct lkst_err *e, const struct lkst_catalog *c,
			  const struct lkst_writer_sink *sink, void *ctx,
			  struct lkst_writer **ret_writer);

/*
 * Writes the metadata of a directory again if events were declared since; before the first block that
 * may have such records.
 */
int lkst_writer_renew(struct lkst_err *e, struct lkst_writer *w, const struct lkst_catalog *c);

/*
 * Marks the directory, by the file LKST_PARTIAL in it, as one that lacks something, until it is closed with
 * all well: a copy of something that was broken off does not pass for a whole one. `lkst check` tells.
 */
int lkst_writer_mark_partial(struct lkst_err *e, struct lkst_writer *w);

/*
 * Closes the files. @err: what went wrong before, or 0. That is returned then, with @e left alone; else what
 * could not be written is reported. @w may be NULL.
 */
int lkst_writer_close(struct lkst_err *e, struct lkst_writer *w, int err);

/*
 * Completes the state stream, waits until all of the directory is on the disk, and takes the mark away. No record
 * may follow.
 */
int lkst_writer_sync(struct lkst_err *e, struct lkst_writer *w);

/* Ends a trace at @path that has nothing yet but its metadata, and removes it. @w may be NULL. */
void lkst_writer_discard(struct lkst_writer *w, const char *path);

/* The directory's descriptor (borrowed; -1: there is none), to put further files in a subdirectory. */
int lkst_writer_dir(const struct lkst_writer *w);

/*
 * Appends @length bytes of whole blocks, verbatim, to stream @instance (lkst_stream_instance()).
 */
int lkst_writer_append(struct lkst_err *e, struct lkst_writer *w, u64 instance, const void *blocks,
		       size_t length);

/*
 * Appends one record to the state stream. @record starts with a struct lkst_record_head whose
 * `tid` is set and whose `id_time` holds the id alone; the writer stamps it with @ns.
 */
int lkst_writer_state(struct lkst_err *e, struct lkst_writer *w, u64 ns, void *record,
		      size_t length);

/* What all files have now; the state block that is being filled is not in it yet. */
u64 lkst_writer_bytes(const struct lkst_writer *w);

/*
 * The number of the next block of the state stream. A part of a recording goes on where the part before
 * it ended, so that they are read as one: set it before the first record.
 */
u64 lkst_writer_state_number(const struct lkst_writer *w);
void lkst_writer_set_state_number(struct lkst_writer *w, u64 number);

#endif
