/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes traces for tests out of text, one record or instruction a line:
 *
 *	sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1	a record of that event
 *	test_text ns=1100 name="two words" numbers=1,2,3		`cpu`, `tid`, `buffer`, `level`: 0 if not given
 *	!block cpu=0			ends the stream's block
 *	!skip cpu=0 blocks=3		the numbers of its next blocks leave 3 out
 *	!discard cpu=0 events=7		7 more records were discarded
 *	!claim cpu=0 covered=900 left=2	what its end mark says besides
 *	!end ns=950 how=1		the trace ends with end marks
 *	!open				it should, but does not
 *	# a comment
 *
 * Records of state_ events go to the state stream. The catalogue has every built-in event under
 * its index plus 1, followed by the test_ events of make_catalog(). The trace of a text without !end and !open
 * has no end marks, as one that an older program wrote.
 */
#ifndef LKST_TESTS_MAKE_TRACE_H
#define LKST_TESTS_MAKE_TRACE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "trace/format/block.h"
#include "trace/read/reader.h"
#include "trace/write/writer.h"

enum {
	MAKE_STREAMS_MAX = 64,
	MAKE_RECORD_MAX = 4096 - LKST_BLOCK_HEADER,
};

/* ---- blocks ------------------------------------------------------------------------- */

/* The blocks of one stream, in memory, built as the kernel programs build them. */
struct make_stream {
	u64 instance;
	u32 block_size;
	u8 uuid[16];
	u8 *bytes;
	size_t used, room; /* whole blocks; the last one may be open */
	u32 at;		   /* end of the last record in the open block, 0: none is open */
	u64 seq, discarded, last_ns;
};

/* Ends the open block. */
void make_close(struct make_stream *s);

/* Appends a record of @length bytes, of which `id_time` holds the id alone. */
void make_record(struct make_stream *s, u64 ns, void *record, u32 length);

/* ---- the catalogue ------------------------------------------------------------------ */

void make_field(struct lkst_event_class *event, const char *name, u8 type, u8 size, u8 base,
		u16 count, u16 length_field);

/* Every type of field, in every place that the layout allows. */
int make_test_events(struct lkst_err *e, struct lkst_catalog *c, u16 id);

/* The catalogue of a trace that can have end marks, or one without. */
struct lkst_catalog *make_catalog_for(bool has_ends);

struct lkst_catalog *make_catalog(void);

/* ---- text ----------------------------------------------------------------------------- */

struct make_trace {
	struct lkst_err err;
	struct lkst_catalog *catalog;
	struct lkst_writer *writer; /* NULL: blocks stay in memory */
	u32 block_size;
	unsigned int nr_streams, nr_claims;
	struct make_stream streams[MAKE_STREAMS_MAX];
	struct lkst_stream_end claims[MAKE_STREAMS_MAX];
	bool has_end;
	u64 end_ns;
	u32 how;
};

u64 make_number(const char *line, const char *name);

struct make_stream *make_stream(struct make_trace *t, u64 instance);

/* The field's bytes at @at of @record; returns where they end. */
u32 make_encode(const struct lkst_event_class *event, u16 i, const char *line, u8 *record, u32 at);

int make_line(struct make_trace *t, const char *line);

int make_text(struct make_trace *t, const char *text);

/* ---- the directory -------------------------------------------------------------------- */

/* Starts a trace in @dir (NULL: in memory). Takes over @catalog; NULL: make_catalog()'s. */
struct make_trace *make_begin(const char *dir, struct lkst_catalog *catalog, u32 block_size);

/* Writes what was built and frees all. */
int make_end(struct make_trace *t);

/* Whether @text is of a program that writes end marks. */
bool make_has_ends(const char *text);

/* All at once: the trace of @text in @dir, which must not exist yet. */
int make_trace(const char *dir, u32 block_size, const char *text);

/* Is the trace at @path marked as one that lacks something? */
bool make_is_partial(const char *path);

/* ---- places and files for tests ------------------------------------------------------- */

/* A fresh directory; make_scratch_remove(), or the end of the process, takes it away with the files in it. */
void make_scratch(char path[64]);

void make_scratch_remove(const char *path);

/* The trace of @text at @dir/TRACE, in place of one that was there. @dir: a directory; "" becomes a fresh one. */
void make_trace_again(char dir[64], const char *text);

char *make_read(const char *dir, const char *name, size_t *ret_length);

void make_write(const char *dir, const char *name, const void *bytes, size_t length);

#endif
