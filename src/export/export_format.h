/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The formats that a trace is exported as. To add one: write src/export/<name>.c with its entry, lkst_export_<name>,
 * and put it in LKST_EXPORT_FORMATS below; describe it in doc/man/lkst-export.1, whose synopsis `make pages` makes.
 *
 * A format reads the trace in one of two ways, and keeps nothing that grows with it without a bound:
 *
 *	lkst_export_each()	record by record, chosen by all filters, with names of threads and of addresses;
 *	lkst_feed_new()		as an analysis does, with the state model (analyze/engine/feed.h). It is limited to
 *				x->from_ns and x->to_ns, asks lkst_export_wants() for threads, reports gaps by
 *				lkst_export_gap(), and calls lkst_export_step() with the time of what it writes.
 *
 * It writes to x->out, or makes files in x->dir_fd by lkst_create_file(), with x->request->access. Flushing x->out,
 * names, and removing what is left after an error are done for it.
 */
#ifndef LKST_EXPORT_EXPORT_FORMAT_H
#define LKST_EXPORT_EXPORT_FORMAT_H

#include "analyze/model/model.h"
#include "base/out.h"
#include "export/export.h"
#include "trace/known/symbols.h"
#include "trace/known/threads.h"

/* Filters that a format takes beside the window. */
enum lkst_export_filter {
	LKST_EXPORT_BY_EVENT = 1 << 0,
	LKST_EXPORT_BY_THREAD = 1 << 1, /* by its number, process, name and cgroup */
	LKST_EXPORT_BY_CPU = 1 << 2,
	LKST_EXPORT_BY_ALL = LKST_EXPORT_BY_EVENT | LKST_EXPORT_BY_THREAD | LKST_EXPORT_BY_CPU,
};

/* An export at work. Formats read it, and write to `out`; the rest is private to export_format.c and export.c. */
struct lkst_export {
	const struct lkst_export_request *request;
	struct lkst_trace *trace;
	const struct lkst_catalog *catalog;
	u64 from_ns, to_ns; /* the window, both included; 0 and UINT64_MAX where it has no limit */
	u64 begin_ns, end_ns;	      /* the part of the trace's time that is in it */
	struct lkst_threads *threads; /* of lkst_export_each(): as they were before the record */
	struct lkst_symbols *symbols; /* all that the trace has */
	struct lkst_code_view code;   /* of lkst_export_each(): as `threads` */
	struct lkst_limited *limited; /* what the cost limit left out, and when: formats have it, if they can */
	struct lkst_out *out;	      /* of a file; errors stick in it */
	int dir_fd;		      /* of a directory, which is empty at first; else -1 */
	void *ctx;		      /* of lkst_export_send() */

	/* Private. */
	struct lkst_export_result result;
	struct lkst_select *select;
	u32 nr_steps;
	u64 total_bytes, shown_ns;
	bool has_shown;
};

struct lkst_export_format {
	const char *name;      /* one word */
	const char *help;      /* one line */
	const char *extension; /* of the standard name, without the dot */
	bool is_directory;     /* it makes a directory of files */
	u8 filters;	       /* enum lkst_export_filter: those that it takes */
	/*
	 * Writes all of it. 0, or a negative errno: with a sentence, or what lkst_export_step(),
	 * lkst_export_each() or the feed has returned.
	 */
	int (*write)(struct lkst_err *e, struct lkst_export *x);
};

/* All formats, in the order of their words. */
#define LKST_EXPORT_FORMATS(F)                                                                     \
	F(json)                                                                                    \
	F(chrome)                                                                                  \
	F(collapsed)                                                                               \
	F(folded)                                                                                  \
	F(waiting)                                                                                 \
	F(lttng)                                                                                   \
	F(perfetto)                                                                                \
	F(parquet)

#define F(name) extern const struct lkst_export_format lkst_export_##name;
LKST_EXPORT_FORMATS(F)
#undef F

/* The one that choice number @i stands for. */
const struct lkst_export_format *lkst_export_format(unsigned int i);

/*
 * For what goes elsewhere than to files: has @f, which need not be one of the list, write what @request asks for with
 * @ctx in x->ctx. The request's format and place do not matter. -EINTR: it was stopped; what has gone stays.
 */
int lkst_export_send(struct lkst_err *e, const struct lkst_export_request *request,
		     const struct lkst_export_format *f, void *ctx,
		     struct lkst_export_result *ret_result);

/* ---- for formats ----------------------------------------------------------------------------- */

/* The slow half of lkst_export_step(), for lkst_feed_look(): @ctx is the struct lkst_export. */
int lkst_export_look(void *ctx, u64 ns);

/*
 * To be called for every record or interval, or at least every millisecond; @ns: how far it has come in the trace's
 * time. Shows how far it is. 0; -EINTR: it is to end; or the error with which writing failed.
 */
static inline int lkst_export_step(struct lkst_export *x, u64 ns)
{
	return ++x->nr_steps % 1024 ? 0 : lkst_export_look(x, ns);
}

/* Counts a gap. To be called once for each, whether it is written or not. */
void lkst_export_gap(struct lkst_export *x, const struct lkst_gap *gap);

/*
 * Whether the filters by thread let @life through, as it is now. @model knows the cgroups of threads, as that of
 * lkst_model_pass_begin() does (lkst_model_know_cgroups()).
 */
bool lkst_export_wants(const struct lkst_export *x, const struct lkst_model *model,
		       const struct lkst_thread_life *life);

/* What lkst_export_each() calls. A negative errno ends it. */
struct lkst_export_calls {
	int (*record)(void *ctx, const struct lkst_record *r);
	/* A record that the filters leave out, for what is known from it of others; NULL: not wanted. */
	void (*left_out)(void *ctx, const struct lkst_record *r);
	int (*gap)(void *ctx, const struct lkst_gap *gap); /* already counted; NULL: not wanted */
};

/* One pass over the records that are asked for, in order of time, and the gaps between them. */
int lkst_export_each(struct lkst_err *e, struct lkst_export *x,
		     const struct lkst_export_calls *calls, void *ctx);

#endif
