/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace directory, opened for reading: its streams' blocks, and all their records merged into
 * one order of time. Damage costs what it covers: a block that cannot be read is a counted gap.
 */
#ifndef LKST_TRACE_READER_H
#define LKST_TRACE_READER_H

#include "base/cleanup.h"
#include "trace/block.h"
#include "trace/gaps.h"

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
void lkst_trace_close(struct lkst_trace *t);
LKST_GUARD(lkst_trace_close, struct lkst_trace)

const struct lkst_catalog *lkst_trace_catalog(const struct lkst_trace *t);

/* True if it lacks something because the copying that made it was broken off (lkst_writer_mark_partial()). */
bool lkst_trace_is_partial(const struct lkst_trace *t);

/* How the trace ends, as its end marks say. */
enum lkst_trace_ending {
	LKST_TRACE_COMPLETE,   /* it was closed when all was written */
	LKST_TRACE_DISK_FULL,  /* it was closed, but its end could not be written */
	LKST_TRACE_UNFINISHED, /* it was not closed: each stream is known to its last record */
	LKST_TRACE_UNPROVEN, /* it is of a program that wrote no end marks, or was cut from such a trace */
	LKST_TRACE_GOES_ON,  /* it is a part, or ends with one, and the recording goes on in the next part */
};
enum lkst_trace_ending lkst_trace_ending(const struct lkst_trace *t);

/* What that means, a part of a sentence whose subject is the trace. */
const char *lkst_trace_ending_text(enum lkst_trace_ending ending);

/*
 * True if parts were opened to be read as one, one of them says that the recording goes on in the next part, and that
 * is not among them. One part that is opened alone lacks none.
 */
bool lkst_trace_lacks_part(const struct lkst_trace *t);

/* What that means, as of an ending. */
const char *lkst_trace_lacks_part_text(void);

/*
 * Until when the history of @cpu is known, but for gaps: everything recorded by then is in the trace, and where
 * nothing is, nothing happened. False: the trace does not say, or has nothing of that CPU.
 */
bool lkst_trace_cpu_end(const struct lkst_trace *t, u32 cpu, u64 *ret_end_ns);

/*
 * First and last time of any record, ns, state aside; 0 and 0 if there is none. Where the end marks say that records
 * after the last one are missing, the range includes their time: what happened then is not known.
 */
void lkst_trace_range(const struct lkst_trace *t, u64 *ret_begin_ns, u64 *ret_end_ns);

/*
 * When the history of @cpu begins: its first record, except those of the life buffer and of
 * writers that interrupted another, which may reach further back. False: there is none.
 */
bool lkst_trace_cpu_begin(const struct lkst_trace *t, u32 cpu, u64 *ret_begin_ns);

/* Whether the trace is of a program that notes when the records were made that rings had overwritten. */
bool lkst_trace_tells_holes(const struct lkst_trace *t);

/*
 * A stream: the blocks of one ring, which is one CPU's, buffer's and level's (abi/state.h), in order of
 * sequence number. Streams are numbered in the order of CPU, then buffer, then level.
 */
struct lkst_stream_info {
	const char *file; /* name within the directory, without .zst */
	u64 instance;
	u32 cpu, buffer; /* out of it */
	u32 nr_blocks;
	u64 nr_lost_events;    /* events_discarded, from first to last block */
	u64 nr_missing_blocks; /* holes in the sequence numbers that no bad block explains */
	u64 nr_bad_blocks;     /* present but unreadable, as their headers say */
	u64 nr_bad_bytes;
	u64 lost_from_ns; /* what the ring had overwritten before is not older; UINT64_MAX: not known */
};
unsigned int lkst_trace_nr_streams(const struct lkst_trace *t);
const struct lkst_stream_info *lkst_trace_stream(const struct lkst_trace *t, unsigned int i);

/*
 * Block @block of stream @stream, to walk by hand. Valid until the next call for that stream; its
 * `bytes` as long as the trace is open.
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
