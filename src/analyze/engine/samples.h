/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of a trace (doc/samples.md): how often which thread was in which functions, and how long it waited where.
 * Those who show them, as tables or as pictures, count the same.
 */
#ifndef LKST_ANALYZE_ENGINE_SAMPLES_H
#define LKST_ANALYZE_ENGINE_SAMPLES_H

#include "analyze/engine/feed.h"
#include "base/cleanup.h"
#include "trace/symbols.h"

enum {
	LKST_SAMPLES_STACKS_MAX = 1 << 20,
	LKST_SAMPLES_FRAMES_MAX = 1 << 22,
	LKST_SAMPLES_PATHS_MAX = 1 << 18,
	LKST_SAMPLES_DEPTH = 2 * LKST_STACK_FRAMES, /* frames of the kernel and of the program */
};

/* The thread of a sample. */
struct lkst_samples_thread {
	s32 tid, pid; /* pid 0: not known */
	char comm[16];
};

/*
 * Asked for each sample @r: who thread @tid is, and, if @is_wait, why it waited (*@ret_cause, below 64). False: the
 * sample is not wanted.
 */
typedef bool lkst_samples_who(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid,
			      struct lkst_samples_thread *ret_thread, u8 *ret_cause);

/* What one thread did in one stack. */
struct lkst_samples_path {
	u64 key;	/* private */
	u32 thread;	/* number of the thread */
	bool is_wait;	/* time off the CPU, else on it */
	u8 cause;	/* of a wait, as lkst_samples_who() gave it */
	u64 nr, ns;	/* samples or waits, and the time that they stand for */
	u64 longest_ns; /* of the waits */
	u32 nr_frames;	/* 0: the stack is not in the trace, or could not be read */
	u32 nr_kernel;	/* of them the kernel's: the first */
	u32 first;	/* private */
};

struct lkst_samples;

/*
 * Subscribes to samples, waits and stacks in @feed. @symbols names functions of the kernel and must stay. 1; 0: the
 * trace can have none; -ENOMEM.
 */
int lkst_samples_new(struct lkst_feed *feed, struct lkst_symbols *symbols, lkst_samples_who *who,
		     void *ctx, struct lkst_samples **ret_samples);
void lkst_samples_free(struct lkst_samples *s);
LKST_GUARD(lkst_samples_free, struct lkst_samples)

/* To be called after the pass, before what follows. 0 or -ENOMEM. */
int lkst_samples_end(struct lkst_samples *s);

u32 lkst_samples_nr_paths(const struct lkst_samples *s);
const struct lkst_samples_path *lkst_samples_path(const struct lkst_samples *s, u32 i);

/* The names of its frames, as numbers, the innermost first. */
const u32 *lkst_samples_frames(const struct lkst_samples *s, const struct lkst_samples_path *path);

/* Name number @i: printable, without blanks or quotes; of @ret_is_user: of a program. */
u32 lkst_samples_nr_names(const struct lkst_samples *s);
const char *lkst_samples_name(const struct lkst_samples *s, u32 i, bool *ret_is_user);

u32 lkst_samples_nr_threads(const struct lkst_samples *s);
const struct lkst_samples_thread *lkst_samples_thread(const struct lkst_samples *s, u32 i);

/* What is to be known of samples that say less than others. */
struct lkst_samples_faults {
	u64 nr;	      /* samples, without waits */
	u64 nr_lost;  /* samples and waits whose stack is not in the trace */
	u64 nr_empty; /* whose stack could not be read */
	u64 nr_cut;   /* whose stack is deeper than what is recorded */
	u64 nr_short; /* whose program's stack has one frame, which shows nothing of who called */
	u64 nr_left_out; /* for which there was no room here */
};
void lkst_samples_faults(const struct lkst_samples *s, struct lkst_samples_faults *ret);

#endif
