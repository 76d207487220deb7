/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace that is written to memory and read from there, without a file. */
#ifndef LKST_TRACE_WRITE_COLLECTED_H
#define LKST_TRACE_WRITE_COLLECTED_H

#include "trace/read/reader.h"
#include "trace/write/writer.h"

struct lkst_collected_stream;

/* All zero is empty; `max_bytes` may be set before the writer is made. */
struct lkst_collected {
	u64 max_bytes; /* more than that is an error, -EFBIG; 0: any number */

	/* Private. */
	u64 bytes;
	char *metadata;
	size_t metadata_length;
	struct lkst_collected_stream *streams;
	u32 nr_streams;
	u32 last; /* the stream that blocks were added to last */
};

/* For lkst_writer_open_sink(), with a struct lkst_collected as its context. */
extern const struct lkst_writer_sink lkst_collected_sink;

/* Opens what was collected, which must stay as it is until the trace is closed. */
int lkst_collected_open(struct lkst_err *e, const struct lkst_collected *c,
			struct lkst_trace **ret_trace);
void lkst_collected_fini(struct lkst_collected *c);

#endif
