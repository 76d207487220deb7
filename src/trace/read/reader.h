/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace, opened for reading: its streams' blocks, and all their records merged into
 * one order of time. Damage costs what it covers: a block that cannot be read is a counted gap.
 */
#ifndef LKST_TRACE_READ_READER_H
#define LKST_TRACE_READ_READER_H

#include "base/cleanup.h"
#include "trace/format/block.h"
#include "trace/read/gaps.h"
#include "trace/read/memory_file.h"
#include "trace/read/stream_info.h"

struct lkst_trace;

/*
 * Opens the trace in directory @path. Files are mapped; nothing is written. As CTF readers do, it
 * takes every file as a stream but `metadata`, empty ones, and names that begin with a dot. A file
 * that another process shortens while it is open ends this one (SIGBUS). Compressed files, <name>.zst,
 * are unpacked into files without a name in $TMPDIR or /var/tmp.
 *
 * A directory without `metadata` may hold the parts of a recording, each a trace: they are read as one. A
 * file is one that lkst_pack_write() made of such a directory.
 */
int lkst_trace_open(struct lkst_err *e, const char *path, struct lkst_trace **ret_trace);

/* Opens several at once, parts of one recording in any order, to be read as one. */
int lkst_trace_open_parts(struct lkst_err *e, char *const *paths, unsigned int nr_paths,
			  struct lkst_trace **ret_trace);

/*
 * Opens a trace that is in memory: the files of its directory, or of its parts' directories, or the one file that
 * lkst_pack_write() made. The bytes are the caller's, who keeps them as they are until the trace is closed. Compressed
 * files are unpacked; one that is damaged is refused with -EBADMSG. Nothing of the operating system is needed.
 */
int lkst_trace_open_memory(struct lkst_err *e, const struct lkst_memory_file *files,
			   unsigned int nr_files, struct lkst_trace **ret_trace);

/*
 * Calls @each for every file that @t consists of, plain and in memory, so that lkst_trace_open_memory() opens the same:
 * the files of parts are in directories "1", "2" ... in the order in which they were found. Ends with the first error.
 */
typedef int lkst_trace_file(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file);
int lkst_trace_each_file(struct lkst_err *e, const struct lkst_trace *t, lkst_trace_file *each,
			 void *ctx);

/*
 * What is open already is not opened again: whoever else needs @t holds it, and closes it as well; it is there until
 * the last one has. Returns @t. Not for several threads.
 */
struct lkst_trace *lkst_trace_hold(struct lkst_trace *t);
void lkst_trace_close(struct lkst_trace *t);
LKST_GUARD(lkst_trace_close, struct lkst_trace)

/*
 * Keeps what a pass over @t has found, so that the next one who asks need not make that pass. It is freed with @t.
 * There is room for one: trace/known/descriptors_before.h has it.
 */
void lkst_trace_keep(struct lkst_trace *t, void *kept, void (*free_kept)(void *kept));
void *lkst_trace_kept(const struct lkst_trace *t);

const struct lkst_catalog *lkst_trace_catalog(const struct lkst_trace *t);

/* Whoever knows better than the trace what time of day it was says so: the catalogue has it from then on. */
void lkst_trace_set_clock_offset(struct lkst_trace *t, u64 offset_ns);

/* True if it lacks something because the copying that made it was broken off (lkst_writer_mark_partial()). */
bool lkst_trace_is_partial(const struct lkst_trace *t);

/*
 * First and last time of any record, ns, state aside; 0 and 0 if there is none. Where the end marks say that records
 * after the last one are missing, the range includes their time: what happened then is not known.
 */
void lkst_trace_range(const struct lkst_trace *t, u64 *ret_begin_ns, u64 *ret_end_ns);

unsigned int lkst_trace_nr_streams(const struct lkst_trace *t);
const struct lkst_stream_info *lkst_trace_stream(const struct lkst_trace *t, unsigned int i);

/*
 * Block @block of stream @stream, to walk by hand. Valid until the next call for that stream, whoever
 * makes it: not for several threads. Its `bytes` are valid as long as the trace is open.
 */
const struct lkst_block *lkst_trace_block(const struct lkst_trace *t, unsigned int stream,
					  unsigned int block);

/*
 * Reads every record of every block and calls @report with each stretch of a file that cannot be
 * read; where there are parts, offsets count through all of them. Returns how many there were; 0: the
 * trace is whole.
 */
typedef void lkst_trace_report(void *arg, const struct lkst_stream_info *stream, u64 offset,
			       u64 bytes, const char *text);
u64 lkst_trace_check(const struct lkst_trace *t, lkst_trace_report *report, void *arg);

/*
 * One pass over the merged records from @from_ns to @to_ns, both included (0 and UINT64_MAX: all).
 * Several may be open on a trace.
 */
struct lkst_merge;
int lkst_merge_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		   struct lkst_merge **ret_merge);
/* The same, up to @to_ns, over the streams of all buffers but main, which are short. */
int lkst_merge_new_beside_main(struct lkst_err *e, struct lkst_trace *t, u64 to_ns,
			       struct lkst_merge **ret_merge);

/* The same for those streams only of which @wants says so; @ctx goes to it. */
typedef bool lkst_merge_wants(const void *ctx, const struct lkst_stream_info *stream);
int lkst_merge_new_of(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		      lkst_merge_wants *wants, const void *ctx, struct lkst_merge **ret_merge);

void lkst_merge_free(struct lkst_merge *m);
LKST_GUARD(lkst_merge_free, struct lkst_merge)

/*
 * The next record in order of time (equal times: by CPU, then buffer): 1, or 0 at the end. Damage is
 * skipped and shows up as a gap. Records of the state stream come first, whatever their
 * time; those of a recording's further parts come in order of time.
 */
int lkst_merge_next(struct lkst_merge *m, struct lkst_record *ret_record);

/*
 * The next of the gaps that the pass has met, in order: 1, or 0 if there is none. A gap is met no
 * later than the first record of its stream after it. Take them as they come: of gaps that are not
 * taken only a large number is kept, the others are merged.
 */
int lkst_merge_gap(struct lkst_merge *m, struct lkst_gap *ret_gap);

#endif
