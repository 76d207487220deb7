/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long measuring may take: a total time, divided between parts that are measured one after the other, each in
 * rounds. If a part is slower than planned, those after it have fewer rounds, and the end stays the same. Only on a
 * machine so slow that there is no time for LKST_PACE_ROUNDS of each part does measuring end later.
 */
#ifndef LKST_LIVE_COST_PACE_H
#define LKST_LIVE_COST_PACE_H

#include <stdbool.h>

#include "abi/types.h"

enum { LKST_PACE_ROUNDS = 8 };

struct lkst_pace {
	u64 end_ns;		  /* of all */
	unsigned int shares;	  /* of the parts that have not begun, in sum */
	u64 part_end_ns;	  /* of the part that goes on */
	unsigned int nr;	  /* of its rounds so far */
	u64 round_ns, longest_ns; /* when the last of them began, and the longest */
};

/* Measuring begins at @now and may take @ns; its parts have @shares of that in sum. */
void lkst_pace_begin(struct lkst_pace *p, u64 now, u64 ns, unsigned int shares);

/* A part begins, which has @share of what is left. What is done before its first round takes from it. */
void lkst_pace_part(struct lkst_pace *p, u64 now, unsigned int share);

/* Asked before each round, at @now. False: one that is as long as the part's longest would end too late. */
bool lkst_pace_has_round(struct lkst_pace *p, u64 now);

#endif
