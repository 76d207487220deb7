/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads as text, "1234/bash", remembered: a thread is printed many times before it is renamed,
 * if it ever is.
 */
#ifndef LKST_PRINT_NAME_CELLS_H
#define LKST_PRINT_NAME_CELLS_H

#include "trace/known/threads.h"

enum {
	LKST_NAMES_SLOTS = 512, /* a power of two */
	LKST_COMM_SIZE = 16,
	LKST_TID_WIDTH = 7, /* digits of the largest tid, PID_MAX_LIMIT being 4 Mi */
	LKST_COLUMN_MAX = 96,
};

struct lkst_name_cell {
	bool is_set;
	s32 tid;
	bool has_comm;		   /* the name is known, and may be empty */
	char comm[LKST_COMM_SIZE]; /* all 16 bytes may be used */
	/*
	 * "   1234/bash            ": aligned, the name escaped, "?" where it is not known. The thread
	 * alone is from `start` to `end`, its name from `name` to `end`.
	 */
	char column[LKST_COLUMN_MAX];
	u8 start, name, end, length;
};

struct lkst_names {
	const struct lkst_threads *threads;
	struct lkst_name_cell slots[LKST_NAMES_SLOTS];
};

/* The thread as text. Valid until the next call. */
const struct lkst_name_cell *lkst_names_get(struct lkst_names *names, s32 tid);

/* The same by the name that it had at @ns, which records up to a later time may have replaced. */
const struct lkst_name_cell *lkst_names_at(struct lkst_names *names, s32 tid, u64 ns);

#endif
