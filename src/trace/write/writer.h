/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a trace directory: the metadata, a file per stream, and the state stream, whose blocks
 * user space fills itself. A directory that is cut short at any moment is still a readable trace
 * of what was written until then.
 */
#ifndef LKST_TRACE_WRITE_WRITER_H
#define LKST_TRACE_WRITE_WRITER_H

#include "base/create.h"
#include "trace/format/catalog.h"
#include "trace/read/stream_info.h"

struct lkst_writer;

/*
 * Creates directory @path and writes its metadata. It must not be there, or be empty and its user's alone
 * (lkst_create_empty_dir()). @access: who may read it and its files; must stay as long as the writer.
 */
int lkst_writer_open(struct lkst_err *e, const struct lkst_access *access, const char *path,
		     const struct lkst_catalog *c, struct lkst_writer **ret_writer);

/* The same, with @path relative to directory @at. */
int lkst_writer_open_at(struct lkst_err *e, const struct lkst_access *access, int at, const char *path,
			const struct lkst_catalog *c, struct lkst_writer **ret_writer);

/* Where a trace may be written instead of a directory. Each returns 0 or a negative errno, with @e set. */
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
 * Marks the directory, by the file LKST_PARTIAL in it, as incomplete, until it is closed without an error:
 * so a copy that was interrupted is not mistaken for a whole trace. `lkst check` says so.
 */
int lkst_writer_mark_partial(struct lkst_err *e, struct lkst_writer *w);

/* lkst_writer_open() for a copy, which is marked so. */
int lkst_writer_open_copy(struct lkst_err *e, const struct lkst_access *access, const char *path,
			  const struct lkst_catalog *c, struct lkst_writer **ret_writer);

/*
 * Says of a stream what the writer cannot know: until when it is covered, and blocks that belong to it but are
 * not there. Widens what is known of it. A stream of interrupting writers that has no block is not mentioned.
 */
int lkst_writer_claim(struct lkst_err *e, struct lkst_writer *w,
		      const struct lkst_stream_end *claim);

/*
 * Writes the end marks: how far each stream goes, and how the trace ended (enum lkst_ending), at @ns. No record may
 * follow. A trace without them looks like one whose writer was killed. A stream without such a claim is covered to
 * the end of its last block.
 */
int lkst_writer_end(struct lkst_err *e, struct lkst_writer *w, u32 how, u64 ns);

/*
 * Has the file system set space aside for @bytes more of the state stream, so that the end can be written to a
 * full disk. One that cannot do so leaves it.
 */
int lkst_writer_reserve(struct lkst_err *e, struct lkst_writer *w, u64 bytes);

/*
 * Closes the files. @before: what went wrong before, or 0. That is returned then, with @e left alone; else what
 * could not be written is reported. @w may be NULL.
 */
int lkst_writer_close(struct lkst_err *e, struct lkst_writer *w, int before);

/*
 * Completes the state stream, waits until all of the directory is on the disk, and takes the mark away. No record
 * may follow.
 */
int lkst_writer_sync(struct lkst_err *e, struct lkst_writer *w);

/* Ends a trace at @path that has nothing yet but its metadata, and removes it. @w may be NULL. */
void lkst_writer_discard(struct lkst_writer *w, const char *path);

/*
 * The directory's descriptor (borrowed; -1: there is none), to put further files in a subdirectory, and who may read
 * what is in it.
 */
int lkst_writer_dir(const struct lkst_writer *w);
const struct lkst_access *lkst_writer_access(const struct lkst_writer *w);

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
