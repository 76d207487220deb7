/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a stretch of time that show which threads ran, waited and woke others, in memory
 * and to be walked in any direction: all of them, those of a thread, those of a CPU. The records
 * stay in the trace's files; only their places are held. For one pass forward over everything:
 * feed.h.
 */
#ifndef LKST_ANALYZE_WHY_EXCERPT_H
#define LKST_ANALYZE_WHY_EXCERPT_H

#include "analyze/engine/labels.h"
#include "analyze/engine/lacks.h"
#include "analyze/why/call_files.h"
#include "analyze/why/places.h"
#include "analyze/why/running.h"
#include "analyze/why/state_intervals.h"
#include "base/cleanup.h"
#include "trace/known/symbols.h"
#include "trace/known/threads.h"
#include "trace/read/reader.h"
#include "usercode/space/code_name.h"

enum {
	/*
	 * How many records a window holds at most, and how many intervals of states: about 75 bytes for both, and up
	 * to 50 more where each record is of a thread of its own.
	 */
	LKST_WINDOW_MAX = 5 << 18,
	LKST_WINDOW_GAPS_MAX = 4096,
	LKST_WINDOW_CPUS_MAX = 4096, /* whose highest frequency is known */

	/* Kinds of moments beyond enum lkst_event_index. */
	LKST_EVENT_REF_ENTRY = LKST_NR_EVENTS, /* into a system call */
	LKST_EVENT_REF_EXIT,		       /* out of one */
	LKST_EVENT_REF_RETURN, /* a function returned an error: a probe of group `errors` */
	LKST_EVENT_REF_STACK,  /* the program's stack, which a handler wrote after another record */
	LKST_EVENT_REF_NONE = 0xffff,	       /* what windows do not hold */
};

/* A record of the window, by where it is. */
struct lkst_event_ref {
	u64 ns;
	const u8 *bytes;
	s32 tid;
	s32 target; /* the thread that it is about besides its own: woken, switched to; 0: none */
	u16 cpu;
	u16 id;
	u32 size; /* of the record, in bytes */
};

struct lkst_peers;

struct lkst_excerpt {
	struct lkst_trace *trace;
	const struct lkst_catalog *catalog;
	struct lkst_threads *threads; /* as they were at the window's end */
	struct lkst_labels labels;    /* names of devices */
	struct lkst_symbols *symbols; /* names of functions and locks */
	struct lkst_mappings *mappings; /* what code processes have, as it was at the window's end */
	struct lkst_code_namer namer;	/* of that code, as it was given */
	u64 from_ns, to_ns; /* what is held; from_ns is later than asked if there was too much */
	struct lkst_event_ref *moments;
	u32 nr;
	struct lkst_gaps gaps;	  /* what is missing in it */
	struct lkst_limited *limited;	  /* what the cost limit left out, and when */
	struct lkst_lacks lacks;
	struct lkst_state_intervals *states; /* what each thread did in it */
	struct lkst_running *
		running; /* in which functions, as far as there are samples; NULL: there are none */
	struct lkst_call_files *files; /* what its calls were about */
	struct lkst_peers *peers; /* the other hosts' (analyze/why/peers.h); NULL: there is one host */
	unsigned int host;	  /* the number of its own */

	/* Private. */
	u16 kind_of[LKST_ID_MAX + 1];
	const struct lkst_field_class *target_of[LKST_ID_MAX + 1];
	u32 room, max;
	struct lkst_places by_thread, by_cpu, by_kind;
	u32 nr_cpus; /* that it has records of: the highest number, and 1 */
	u32 *max_khz; /* of each CPU's clock; 0: not known */
	u32 nr_max_khz;
	bool has_samples;
};

/* All zero is the usual. */
struct lkst_excerpt_options {
	u32 max; /* records that it holds at most; 0: LKST_WINDOW_MAX */
	struct lkst_code_namer
		namer; /* of functions of programs; `find` NULL: they are shown by file and place */
	struct lkst_call_files *files; /* of several excerpts, this one's time among them; NULL: its own */
};

/*
 * Loads what there is from @from_ns to @to_ns. If that is more than @o allows, the oldest are left out and the window's
 * from_ns says so. @t must outlive the window, and the namer what is explained out of it. @o may be NULL.
 */
int lkst_excerpt_new(struct lkst_err *e, struct lkst_trace *t, u64 from_ns, u64 to_ns,
		     const struct lkst_excerpt_options *o, struct lkst_excerpt **ret_window);
void lkst_excerpt_free(struct lkst_excerpt *w);
LKST_GUARD(lkst_excerpt_free, struct lkst_excerpt)

/* What moment @i is: enum lkst_event_index or LKST_EVENT_REF_*. */
static inline u16 lkst_event_ref_kind(const struct lkst_excerpt *w, u32 i)
{
	return w->kind_of[w->moments[i].id];
}

/* Its event's name. */
static inline const char *lkst_event_ref_name(const struct lkst_excerpt *w, u32 i)
{
	return w->catalog->classes[w->moments[i].id]->name;
}

/* Its integer field @name, 0 if it has none. */
u64 lkst_event_ref_int(const struct lkst_excerpt *w, u32 i, const char *name);

/*
 * The name of its system call: "read". Entries and exits have one, and switches and wakings where the thread is in
 * one, for which lkst_event_ref_number() is not negative.
 */
const char *lkst_event_ref_call(const struct lkst_excerpt *w, u32 i);

/* The number of the call in which the thread of a switch, waking or tick is; -1: in none, or it is another record. */
s64 lkst_event_ref_number(const struct lkst_excerpt *w, u32 i);

/* Argument @arg of the call that the thread of a switch waits in, as its register has it; 0: there is none. */
u64 lkst_event_ref_arg(const struct lkst_excerpt *w, u32 i, u32 arg);

/* Fills @frames with the innermost of its stack, at most @max. Returns how many there are. */
u32 lkst_event_ref_frames(const struct lkst_excerpt *w, u32 i, u64 *frames, u32 max);

/*
 * Whether what moment @i has begun, set or sent may be over before @ns, unseen, or something else have its address,
 * since the cost limit left out events of its kind.
 */
bool lkst_excerpt_may_be_over(const struct lkst_excerpt *w, u32 i, u64 ns);

/* Moments that are of thread @tid, or about it; that are of CPU @cpu. */
struct lkst_places_list lkst_excerpt_thread(const struct lkst_excerpt *w, s32 tid);
struct lkst_places_list lkst_excerpt_cpu(const struct lkst_excerpt *w, u32 cpu);

/* Moments among which are all of kind @kind: those of a disk's requests are together. */
struct lkst_places_list lkst_excerpt_kind(const struct lkst_excerpt *w, u16 kind);

/* The highest frequency that the clock of @cpu can have, or had in the window, kHz; 0: not known. */
u32 lkst_excerpt_max_khz(const struct lkst_excerpt *w, u32 cpu);

/* How many of @m have a time before @ns. */
u32 lkst_moments_before_ns(const struct lkst_excerpt *w, struct lkst_places_list m, u64 ns);

/* The first gap that overlaps the time; @cpu: of that CPU's, -1: of any. NULL: there is none. */
const struct lkst_gap *lkst_excerpt_gap(const struct lkst_excerpt *w, u64 from_ns, u64 to_ns,
					s64 cpu);

#endif
