/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of a trace (doc/samples.md): how often which thread was in which functions, and how long it waited where.
 * Those who show them, as tables or as pictures, count the same.
 */
#ifndef LKST_ANALYZE_ENGINE_SAMPLES_H
#define LKST_ANALYZE_ENGINE_SAMPLES_H

#include "analyze/engine/feed.h"
#include "analyze/engine/stack_names.h"
#include "base/cleanup.h"

enum {
	LKST_SAMPLES_PATHS_MAX = 1 << 18,
	LKST_SAMPLES_NAMES =
		16, /* of a thread, which may give itself many; its samples after these are of the last */
};

/* The thread of a sample. */
struct lkst_samples_thread {
	s32 tid, pid; /* pid 0: not known */
	char comm[16];
	u64 cgroup; /* 0: not known, or nobody wants to distinguish them */
};

/*
 * Asked for each sample @r: who thread @tid is, and, if @is_wait, why it waited (*@ret_cause, below 64). False: the
 * sample is not wanted.
 */
typedef bool lkst_samples_who(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid,
			      struct lkst_samples_thread *ret_thread, u8 *ret_cause);

/* Gets each sample or wait that is wanted, with the number of its path. 0; a negative errno ends the pass. */
typedef int lkst_samples_each(void *ctx, const struct lkst_record *r, bool is_wait, s32 tid,
			      u32 path);

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
	u32 list;	/* private */
};

struct lkst_samples;

/* Who asks, and for what. */
struct lkst_samples_options {
	struct lkst_symbols *symbols; /* names functions of the kernel, and must stay */
	struct lkst_code_namer
		namer; /* names those of programs; `find` NULL: only their file and place is shown */
	lkst_samples_who *who;
	lkst_samples_each *each; /* NULL: not wanted */
	void *ctx;		 /* of both */
};

/* Subscribes to samples, waits, stacks and mappings in @feed. 1; 0: the trace can have none; or a negative errno. */
int lkst_samples_new(struct lkst_err *e, struct lkst_feed *feed,
		     const struct lkst_samples_options *options, struct lkst_samples **ret_samples);
void lkst_samples_free(struct lkst_samples *s);
LKST_GUARD(lkst_samples_free, struct lkst_samples)

/*
 * For a feed that begins at @ns: takes in the stacks and the mappings that the trace has from before, in the buffers
 * beside main. 0 or a negative errno.
 */
int lkst_samples_know_before(struct lkst_err *e, struct lkst_samples *s, u64 ns);

/* To be called after the pass, before what follows. 0 or -ENOMEM. */
int lkst_samples_end(struct lkst_samples *s);

u32 lkst_samples_nr_paths(const struct lkst_samples *s);
const struct lkst_samples_path *lkst_samples_path(const struct lkst_samples *s, u32 i);

/* The names of its frames, as numbers, the innermost first. */
const u32 *lkst_samples_frames(const struct lkst_samples *s, const struct lkst_samples_path *path);

u32 lkst_samples_nr_names(const struct lkst_samples *s);
const struct lkst_frame_name *lkst_samples_name(const struct lkst_samples *s, u32 i);

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
