/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of an export to Parquet, one for each table. Private to the format. */
#ifndef LKST_EXPORT_PARQUET_PARQUET_FILE_H
#define LKST_EXPORT_PARQUET_PARQUET_FILE_H

#include "export/export_format.h"
#include "parquet/parquet.h"

struct lkst_parquet_file {
	struct lkst_out *out;
	struct lkst_parquet *parquet;
	int fd;
};

/* Makes the file of table @name in x->dir_fd. */
int lkst_parquet_file_open(struct lkst_err *e, struct lkst_export *x, const char *name,
			   const struct lkst_parquet_column *columns, unsigned int nr,
			   struct lkst_parquet_file *ret_file);

/*
 * Makes the file whole, unless @err, with which its rows have ended, is not 0. Returns that, or what went wrong with
 * the file; if writing it failed, before or now, @e says so.
 */
int lkst_parquet_file_end(struct lkst_err *e, struct lkst_parquet_file *file, const char *name,
			  int err);

/* Closes what is open; all zero but for an fd of -1 is nothing. */
void lkst_parquet_file_fini(struct lkst_parquet_file *file);

/* Ends the row, at @ns of the trace's time: as lkst_export_step(), or -ENOMEM. */
int lkst_parquet_file_row(struct lkst_export *x, struct lkst_parquet_file *file, u64 ns);

/*
 * events.parquet: a row for each record. To begin it is to look at all blocks (lkst_trace_block()), which no other
 * thread may do meanwhile.
 */
struct lkst_parquet_events;
int lkst_parquet_events_new(struct lkst_err *e, struct lkst_export *x,
			    struct lkst_parquet_events **ret_events);
int lkst_parquet_events_write(struct lkst_err *e, struct lkst_parquet_events *events);
void lkst_parquet_events_free(struct lkst_parquet_events *events);
LKST_GUARD(lkst_parquet_events_free, struct lkst_parquet_events)

#endif
