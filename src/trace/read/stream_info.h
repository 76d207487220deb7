/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of a stream of a trace. */
#ifndef LKST_TRACE_READ_STREAM_INFO_H
#define LKST_TRACE_READ_STREAM_INFO_H

#include "abi/types.h"

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

/* How far a stream of a trace or part goes. */
struct lkst_stream_end {
	u64 instance;
	u64 first, last;      /* numbers of its blocks; last < first: it has none */
	u64 begin_ns, end_ns; /* when the first begins and the last ends */
	u64 covered_ns;	      /* until then the blocks have all that was recorded to the stream */
	u64 left;	      /* further blocks that could not be written */
};

#endif
