/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `lkst top` looks at: the last moments of the running recording, again and again, or a stretch of a trace. Each
 * look copies only the records since the one before; the recording is not changed.
 */
#ifndef LKST_CMD_TOP_LOOK_H
#define LKST_CMD_TOP_LOOK_H

#include "analyze/top/figures.h"
#include "live/recording/cost.h"
#include "result/table.h"
#include "trace/read/reader.h"

enum { LKST_TOP_LINE = 1024 }; /* bytes of a sentence, with its NUL */

/* What is known of the recording itself. */
struct lkst_top_recording {
	bool is_known; /* false: over a socket, or of a trace */
	struct lkst_cost cost;
	double history_s;	/* that main holds on the CPU that fills it fastest; 0: not known */
	u32 limit_ppm, nr_shed; /* the cost limit, 0: none; kinds that are left out */
};

/* One look. All of it is the source's, until the next one. */
struct lkst_top_look {
	const struct lkst_figures *figures;
	struct lkst_trace *trace;
	struct lkst_top_recording recording;
	bool has_lost;	  /* there was a look before, of which `lost` is the difference */
	u64 lost;	  /* records that were lost since then */
	bool has_own;	  /* the same of `own_share`: the first look has the beginning in it */
	double own_share; /* CPU time of this process since the look before: 0.01 is 1 % */
	/* Why the worst system call took so long, as a line, escaped; "": there is none. */
	char worst[LKST_TOP_LINE];
	/* The worst of each kind that `lkst report` finds; "": nothing stands out. */
	char stands_out[LKST_TOP_LINE];
	const struct lkst_table *waiting; /* where the waiting went, as `lkst why` has it, the greatest harm first */
};

struct lkst_top_source;

/* The running recording, as root, or by the service at @socket (cmd/recorders/remote.h). */
int lkst_top_open(struct lkst_err *e, const char *socket, struct lkst_top_source **ret_source);

/* A stretch of trace @t, which stays the caller's, for one look. */
int lkst_top_open_trace(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
			struct lkst_top_source **ret_source);
void lkst_top_close(struct lkst_top_source *s);
LKST_GUARD(lkst_top_close, struct lkst_top_source)

/*
 * Looks again. @delay_ns: how far back if the look before is too long ago, or there was none. -ENOENT: the recording
 * was stopped.
 */
int lkst_top_next(struct lkst_err *e, struct lkst_top_source *s, u64 delay_ns,
		  const struct lkst_top_look **ret_look);

/*
 * Waits for @ns, or until poll(2) finds one of the @nr @fds ready, or a signal comes: 1; 0: the time is over. The
 * recording is held open, which keeps its hooks attached: so it looks whether that was stopped meanwhile: -ENOENT.
 */
struct pollfd;
int lkst_top_wait(struct lkst_err *e, struct lkst_top_source *s, u64 ns, struct pollfd *fds,
		  unsigned int nr);

/* What thread @tid did in the look's time, as `lkst why` has it, in lines: *@ret_text is to be freed. */
int lkst_top_why(struct lkst_err *e, const struct lkst_top_look *look, s32 tid, char **ret_text);

#endif
