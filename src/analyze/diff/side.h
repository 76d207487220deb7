/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One of two traces, or one of two windows of a trace, that are to be compared: what happened in it, by kind and key.
 */
#ifndef LKST_ANALYZE_DIFF_SIDE_H
#define LKST_ANALYZE_DIFF_SIDE_H

#include "analyze/engine/limited.h"
#include "analyze/engine/tally.h"
#include "base/cleanup.h"
#include "result/notes.h"
#include "trace/read/reader.h"

/*
 * Kinds of rows. The first ones come from the state model: what the threads of a group did, and their page faults. The
 * others are analyses of the same name whose values are times within the window. To add one: a line here, and its words
 * in lkst-diff(1).
 */
#define LKST_DIFF_KINDS(K)                                                                         \
	K(state)                                                                                   \
	K(fault)                                                                                   \
	K(syscall)                                                                                 \
	K(lockwait)                                                                                \
	K(lockhold)                                                                                \
	K(biotime)                                                                                 \
	K(irq)                                                                                     \
	K(softirq)                                                                                 \
	K(nettime)

enum lkst_diff_kind {
#define K(name) LKST_DIFF_##name,
	LKST_DIFF_KINDS(K)
#undef K
		LKST_NR_DIFF_KINDS,
	LKST_DIFF_FIRST_ANALYSIS = LKST_DIFF_syscall,
};
extern const char *const lkst_diff_kind_names[];

/* How threads are put into groups. */
enum lkst_diff_group {
	LKST_DIFF_BY_PROCESS, /* by the name of their process; threads of the kernel as by thread */
	LKST_DIFF_BY_THREAD,  /* by their own name, with a star in place of each number in it */
};

enum {
	LKST_DIFF_STRETCHES = 32,      /* into which the shorter window is divided */
	LKST_DIFF_STRETCHES_MAX = 256, /* and the longer one, at most */
	LKST_DIFF_KEYS_MAX = 4096, /* that have stretches and examples; the others have sums only */
};

struct lkst_diff_stretch {
	u64 ns; /* of the stretch, in what the row is about; of several threads or CPUs, the sum */
	u32 nr; /* that began in it */
	u64 places; /* of their lengths, the sum: see lkst_diff_key.center */
};

/* One occurrence. */
struct lkst_diff_example {
	u64 start_ns, ns;
	s32 tid;
	u32 nr; /* that it is one of */
};

/*
 * What happened under one key. Occurrences are kept as histograms, all of them: a rank test needs no more than how many
 * there are of each length, which a sample of a fixed size would only guess, most of all at the tail. Of each range of
 * lengths there is one example.
 */
struct lkst_diff_key {
	u8 kind;
	char text[LKST_KEY_TEXT];
	struct lkst_hist lengths; /* of those that were recorded whole */
	u64 parts_ns;		  /* of others, what is within the window and in no gap */
	u64 nr_lost;		  /* that a gap has cut */
	struct lkst_diff_stretch *stretches; /* as many as the side has; NULL: none */
	struct lkst_diff_example *examples;  /* from range first_example on; NULL: none */
	u32 first_example, nr_examples;
	/*
	 * The place of a length is its bucket, which is about its logarithm; if it is less than half or more than
	 * twice the usual one, it is half or twice that: one that is far off says no more than one that is off. The
	 * usual one is about the median of those before.
	 */
	u32 center, nr_places;
	double squares; /* of places, the sum */
};

struct lkst_diff_side {
	u64 from_ns, to_ns;
	u64 covered_ns; /* of the window, what is in no gap of any CPU */
	u64 step_ns;
	u32 nr_stretches;
	u64 covered[LKST_DIFF_STRETCHES_MAX]; /* the same of each stretch */
	struct lkst_diff_key *keys;	      /* by kind and text, which are unique */
	u32 nr_keys;
	char *missing
		[LKST_NR_DIFF_KINDS]; /* why the trace may lack some of that kind; NULL: it does not */
	struct lkst_limited *limited; /* what the cost limit left out, and when */
	struct lkst_notes notes;
};

struct lkst_diff_side_options {
	u64 from_ns, to_ns; /* the window, both included */
	u64 step_ns;
	enum lkst_diff_group group;
	const char *comm; /* only of threads that are called so: a shell pattern; NULL: of all */
};

/*
 * The length of stretches that is right for windows of @a_ns and @b_ns: one for both, so that what is counted in a
 * stretch of one can be compared with that of the other.
 */
u64 lkst_diff_step_ns(u64 a_ns, u64 b_ns);

/* One pass over @t, which must stay open as long as the side. */
int lkst_diff_side_new(struct lkst_err *e, struct lkst_trace *t,
		       const struct lkst_diff_side_options *options,
		       struct lkst_diff_side **ret_side);
void lkst_diff_side_free(struct lkst_diff_side *s);
LKST_GUARD(lkst_diff_side_free, struct lkst_diff_side)

/*
 * Whether some of what occurrences of @kind under @key rest on was left out in the window to keep to the cost limit;
 * @text, if there is something, says what and when.
 */
bool lkst_diff_side_is_limited(const struct lkst_diff_side *s, unsigned int kind, const char *key,
			       char text[LKST_LIMITED_TEXT]);

/* The order of keys, which is by kind and text: as strcmp(3). */
int lkst_diff_key_compare(const struct lkst_diff_key *a, const struct lkst_diff_key *b);

/* Sorts the keys by kind and text, and makes one of those that have the same. 0 or -ENOMEM. */
int lkst_diff_side_unite(struct lkst_diff_side *s);

/* What @key is there for in all, ns. */
static inline double lkst_diff_time(const struct lkst_diff_key *key)
{
	return (double)key->lengths.sum + (double)key->parts_ns;
}

/* The example whose length is the nearest to @ns; NULL: there is none. */
const struct lkst_diff_example *lkst_diff_example_near(const struct lkst_diff_key *key, u64 ns);

#endif
