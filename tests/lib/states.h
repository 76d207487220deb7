/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state model on traces made of text. What it reports of a thread or CPU becomes a short text:
 *
 *	U10-20		unknown from 10 to 20 ns; R running, W ready (it waits for a CPU), B blocked,
 *			S stopped, N new, D dead
 *	R20-30@1	on CPU 1
 *	W30-40<7	woken by thread 7; <irq5, <hrtimer: by that context; +: on the way, -: preempted
 *	B40-50/file	blocked in a read or write
 *	5:20-30		of a CPU: it ran thread 5; ?: not known which
 *
 * Each interval must begin where the one before it ended: that is always checked here.
 */
#ifndef LKST_TESTS_STATES_H
#define LKST_TESTS_STATES_H

#include <stdarg.h>

#include "analyze/model/model.h"
#include "lib/make_trace.h"

enum {
	STATES_LIVES_MAX = 4096,
	STATES_CPUS_MAX = 64,
	STATES_TEXT_MAX = 4096,
};

struct states {
	struct lkst_trace *trace;
	struct lkst_feed *feed;
	struct lkst_model *state;
	struct lkst_model_doubts doubts;
	u64 thread_ns[STATES_LIVES_MAX],
		cpu_ns[STATES_CPUS_MAX]; /* up to where each was reported */
	bool is_torn;			 /* intervals overlap or leave time out */
	char tear[128];			 /* the first such place */

	/* What to write down. */
	s32 tid, cpu;
	bool wants_frames, wants_calls;
	char text[STATES_TEXT_MAX];
	size_t used;
	char dir[64];
};

/* Opens the trace in st->dir and makes the model. */
void states_open(struct states *st);

/* Runs the pass. */
void states_run(struct states *st);

void states_close(struct states *st);

#endif
