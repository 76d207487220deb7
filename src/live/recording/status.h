/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording looked at once: the numbers that `lkst status` shows in one form or another. */
#ifndef LKST_LIVE_RECORDING_STATUS_H
#define LKST_LIVE_RECORDING_STATUS_H

#include "live/recording/cost.h"
#include "live/rings/history.h"
#include "live/session/label.h"
#include "live/session/session.h"

/* The rings of one CPU and buffer. */
struct lkst_ring_report {
	u32 cpu, buffer;
	char name[LKST_BUFFER_NAME]; /* the buffer's */
	u64 bytes;		     /* they can hold */
	u64 written_bytes;	     /* since recording began */
	double history_s;	     /* age of the oldest record that is still there */
	u64 overwritten;	     /* blocks */
	u64 lost[LKST_LOSS_NR];
};

struct lkst_hook_report {
	const char *name; /* the session's */
	u64 skipped;
};

struct lkst_report {
	u32 maskset; /* the active one */
	char maskset_name[LKST_MASKSET_NAME];
	unsigned int nr_events; /* that it has recorded */
	char label[LKST_LABEL_MAX]; /* "": it has none */
	double seconds;		/* since recording began */
	u32 nr_cpus;
	u64 memory_bytes;
	u32 block_bytes;
	struct lkst_ring_report *rings; /* of the buffers that there are, by buffer, then CPU */
	unsigned int nr_rings;
	struct lkst_hook_report *hooks; /* loaded, attached or not */
	unsigned int nr_hooks, nr_attached;
	struct lkst_history history;
	struct lkst_cost cost;
	struct lkst_budget_view budget;
	bool has_helper; /* a process that detaches what the limit leaves out (live/recording/limit.h) */
	u64 now_ns;	 /* when it was looked at */
};

/* Looks at @s, which must outlive the report. */
int lkst_report_make(struct lkst_err *e, const struct lkst_session *s, struct lkst_report *ret);
void lkst_report_free(struct lkst_report *r);

#endif
