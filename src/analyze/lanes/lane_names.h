/* SPDX-License-Identifier: GPL-2.0-only */
/* What system calls and interrupts in lanes are called: each name is kept once, and slices have its place. */
#ifndef LKST_ANALYZE_LANES_LANE_NAMES_H
#define LKST_ANALYZE_LANES_LANE_NAMES_H

#include "analyze/engine/naming.h"
#include "analyze/model/model.h"
#include "base/map.h"

enum { LKST_LANE_NAMES_MAX = 65536 }; /* more share the last place, "others" */

/* What has a name: a system call, if the context is a thread's, or what interrupted. */
struct lkst_lane_name {
	u8 context; /* enum lkst_context */
	s32 number; /* of the call, -1: not known; or of the context */
	u64 code;   /* of the context; of a call: its row in lkst_syscalls[] + 1, 0: none */
	char text[LKST_KEY_TEXT];
};

/* All zero but for places.max, LKST_LANE_NAMES_MAX, is empty. */
struct lkst_lane_names {
	struct lkst_lane_name *list;
	u32 nr;
	struct lkst_map places; /* private */
};

/* The place of a name, which is added if it is not there. 0 or -ENOMEM. */
int lkst_lane_names_add(struct lkst_lane_names *n, struct lkst_lane_name name, u32 *ret_place);

/* Fills the text of one, of which the rest is set. It is as the trace has it. */
void lkst_lane_name_fill(struct lkst_lane_name *name, const struct lkst_labels *labels,
			 struct lkst_symbols *symbols);

/* When all are there: fills the texts. They are as the trace has them. */
void lkst_lane_names_fill(struct lkst_lane_names *n, const struct lkst_labels *labels,
			  struct lkst_symbols *symbols);
void lkst_lane_names_fini(struct lkst_lane_names *n);

#endif
