/* SPDX-License-Identifier: GPL-2.0-only */
/* `lkst top` at a terminal: a screen that is drawn again with each look, and keys. */
#ifndef LKST_CMD_TOP_SCREEN_H
#define LKST_CMD_TOP_SCREEN_H

#include "cmd/top/top_look.h"
#include "cmd/top/top_rows.h"

#define LKST_TOP_DELAY_MIN_NS 100000000LL
#define LKST_TOP_DELAY_MAX_NS 3600000000000LL

struct lkst_top_screen_options {
	struct lkst_top_wish wish;
	u64 delay_ns, min_delay_ns;
	s64 count; /* looks after which it ends; 0: none */
	bool no_color;
};

/* -ENOTTY: standard input or output is no terminal. */
int lkst_top_screen_check(struct lkst_err *e);

/*
 * Shows what @source has until the user ends it. The terminal is as before afterwards, also if a signal ends or stops
 * the process. -ENOTTY: the terminal cannot be used.
 */
int lkst_top_screen_run(struct lkst_err *e, struct lkst_top_source *source,
			const struct lkst_top_screen_options *options);

#endif
