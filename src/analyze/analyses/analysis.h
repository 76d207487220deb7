/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The analyses: questions that a trace is asked, and tables that answer them. One interface, a table
 * of them all; one pass over a trace answers any number. doc/extending.md says how to add one.
 */
#ifndef LKST_ANALYZE_ANALYSES_ANALYSIS_H
#define LKST_ANALYZE_ANALYSES_ANALYSIS_H

#include "analyze/engine/feed.h"
#include "analyze/engine/gap_test.h"
#include "analyze/engine/left_out.h"
#include "analyze/engine/limited.h"
#include "analyze/engine/naming.h"
#include "analyze/engine/pending.h"
#include "analyze/engine/tally.h"
#include "analyze/engine/unrecorded.h"
#include "analyze/model/model.h"
#include "base/cleanup.h"
#include "usercode/space/code_name.h"

/* The parts of struct lkst_tally_options that an analysis may have no use for. */
enum {
	LKST_IGNORES_TID = 1 << 0, /* and the process */
	LKST_IGNORES_COMM = 1 << 1, /* and the cgroup */
	LKST_IGNORES_CPU = 1 << 2,
	LKST_IGNORES_KEY = 1 << 3,
};

struct lkst_analysis_state;
struct lkst_analysis;
struct lkst_between;
struct lkst_hung_question;

struct lkst_analysis {
	const char *name;     /* one word */
	const char *title;    /* for people */
	const char *help;     /* one line */
	const char *measures; /* one line for doc/analyses.md: from what event to what */
	const char *heritage; /* the row of doc/heritage.md that it comes from: "H01"; NULL: none */
	const char *events;   /* what it needs, as `lkst record --event` takes it, blanks between */
	bool needs_state;     /* the state model */
	bool rests_on_model; /* on all that the state model says of threads, so on all events that it is made from */
	const char *own_tables; /* but for these, which rest on `events` alone; blanks between; NULL: none */
	bool has_shares; /* it marks itself what is a bound, where events are missing, and leaves out what is none */
	/*
	 * Else its counts, sums and greatest values are least ones there, and its shares, rates, means and percentiles
	 * are not told. But of the columns with these names the numbers are the same; or are greatest ones. Blanks
	 * between; NULL: none.
	 */
	const char *exact, *at_most;
	bool is_of_named;     /* of events that the user names, options.between: not one of "all" */
	bool heeds_spans;     /* options.which.span limits it; of others a note says that it does not */
	u8 ignores;	      /* LKST_IGNORES_*: what of options.which does not limit it, which a note says */
	size_t size;	      /* of its work, which begins with struct lkst_analysis_state */

	/* Subscribes. 1; 0: the trace can have no such events; or a negative errno. */
	int (*begin)(struct lkst_analysis_state *w);
	/* After the pass: further tables and notes. NULL: none. 0 or a negative errno. */
	int (*end)(struct lkst_analysis_state *w, struct lkst_tables *set);
	void (*fini)(struct lkst_analysis_state *w); /* what the work holds itself; NULL: nothing */
};

/* All analyses; NULL ends the table. */
extern const struct lkst_analysis *const lkst_analyses[];

/* The analysis called @name, or NULL. */
const struct lkst_analysis *lkst_analysis_find(const char *name);

/* ---- asking ---------------------------------------------------------------------------------- */

/*
 * A number that @analysis measures along the time: of its key @key, it is @value from @ns on (requests of a disk,
 * threads of a run queue), or that comes at @ns (bytes of a packet). 0 or a negative errno, which ends the pass.
 */
typedef int lkst_analysis_change(void *arg, const struct lkst_analysis *analysis, u64 key, u64 ns,
				 u64 value);

/* What one pass is to answer. All is borrowed. */
struct lkst_analysis_options {
	struct lkst_tally_options which;
	u64 from_ns, to_ns; /* both included; intervals count that lie within */
	/*
	 * Every value of the only analysis goes to this sink as it comes, instead of statistics. What
	 * else there is to tell is then in notes of the list. NULL: statistics.
	 */
	lkst_table_sink *list;
	void *list_arg;
	struct lkst_along *along; /* of each analysis, its values along the time; NULL: not asked */
	lkst_tally_each *each;	  /* gets each value of the first tally of each analysis; NULL: not wanted */
	void *each_arg;
	const struct lkst_between *between; /* what `between` measures; NULL: it is not asked */
	const struct lkst_hung_question *hung; /* what `hung` asks; NULL: the trace, and how long is long as usual */
	/* Of `errors`: only of these threads, and of those that they create. 0: of all. */
	const s32 *roots;
	unsigned int nr_roots;
	/* Gets what bioqueue, netsize and runqueue measure, as it changes, for pictures. NULL: not wanted. */
	lkst_analysis_change *change;
	void *change_arg;
	unsigned int tree_depth; /* of waiting: so many levels of its tree are shown; 0: it is not */
	bool needs_state; /* the state model, even if no analysis needs it */
	struct lkst_code_namer
		namer; /* of functions of programs; `find` NULL: they are shown by file and place */
};

struct lkst_analysis_run;

/* Makes ready for one pass over @t, which must stay open, that asks @nr @analyses. */
int lkst_analysis_run_new(struct lkst_err *e, struct lkst_trace *t,
			  const struct lkst_analysis_options *options,
			  const struct lkst_analysis *const *analyses, unsigned int nr,
			  struct lkst_analysis_run **ret_study);
void lkst_analysis_run_free(struct lkst_analysis_run *s);
LKST_GUARD(lkst_analysis_run_free, struct lkst_analysis_run)

/* What it works with, for those who want to know more in the same pass; the model is NULL if nothing needs it. */
struct lkst_feed *lkst_analysis_run_feed(const struct lkst_analysis_run *s);
struct lkst_model *lkst_analysis_run_model(const struct lkst_analysis_run *s);
const struct lkst_threads *lkst_analysis_run_threads(const struct lkst_analysis_run *s);
const struct lkst_labels *lkst_analysis_run_labels(const struct lkst_analysis_run *s);
struct lkst_symbols *lkst_analysis_run_symbols(const struct lkst_analysis_run *s);

/* The pass. Once only. */
int lkst_analysis_run_pass(struct lkst_err *e, struct lkst_analysis_run *s);

/* The tables of analysis number @i, until the study is freed. */
const struct lkst_tables *lkst_analysis_run_tables(const struct lkst_analysis_run *s,
						   unsigned int i);

/*
 * After the pass, the first tally of analysis number @i, until the study is freed; NULL: it has none. The caller may
 * take its histograms and leave empty ones, and then not ask for more.
 */
struct lkst_tally *lkst_analysis_run_tally(const struct lkst_analysis_run *s, unsigned int i);

/*
 * After the pass: adds to @notes why occurrences that analysis number @i measures are not in the trace, as far as their
 * events cannot be in it, or were not recorded all the time.
 */
void lkst_analysis_run_missing(struct lkst_analysis_run *s, unsigned int i,
			       struct lkst_notes *notes);

/* The list that `options.list` was given the rows of, with its notes; NULL if there is none. */
const struct lkst_table *lkst_analysis_run_list(const struct lkst_analysis_run *s);

/* ---- for analyses ---------------------------------------------------------------------------- */

enum {
	LKST_ANALYSIS_TALLIES = 4,
	LKST_ANALYSIS_PENDING = 2,
	LKST_ANALYSIS_NO_TALLY = 0xff, /* open intervals are not occurrences that are measured */
};

/* An analysis at work. Its own data follow this struct. */
struct lkst_analysis_state {
	const struct lkst_analysis *analysis;
	struct lkst_feed *feed;
	struct lkst_model *state; /* if it needs_state */
	const struct lkst_threads *threads;
	const struct lkst_labels *labels; /* names of interrupts, disks and interfaces */
	struct lkst_symbols *symbols;	  /* names of functions, locks and slab caches */
	struct lkst_gap_test *gap_test;
	const struct lkst_unrecorded *unrecorded; /* asked after the pass */
	const struct lkst_limited *limited;	  /* what the cost limit left out, and when */
	bool wants[LKST_EVENT_SPACE];		  /* the events that it needs, by their ids */
	struct lkst_limited_times lacks;	  /* when the cost limit left out some of those it gets */
	struct lkst_limited_times lacks_calls;	  /* when it left out system calls */
	const struct lkst_analysis_options *options;
	struct lkst_tally tallies[LKST_ANALYSIS_TALLIES]; /* the first is what --list lists */
	unsigned int nr_tallies;
	struct lkst_pending pending[LKST_ANALYSIS_PENDING];
	u8 tally_of[LKST_ANALYSIS_PENDING]; /* whose intervals they are */
	struct lkst_pending nested; /* by thread: its time in nested intervals that are over */
	struct lkst_left_out_counts left_out; /* without a tally */
	struct lkst_table *list;
	struct lkst_along *along; /* of the first tally, NULL: not asked */
	struct lkst_notes notes;
};

/* The time that the pass covers: of the trace, as far as it was asked for. */
void lkst_analysis_window(const struct lkst_analysis_state *w, u64 *ret_from_ns, u64 *ret_to_ns);

/* Whether the cost limit left out some of the events that one of @patterns, blanks between, is for, in that time. */
bool lkst_analysis_lacks(const struct lkst_analysis_state *w, const char *patterns);

/* Whether in some of that time records may be missing of the events that the analysis has subscribed to. */
static inline bool lkst_analysis_is_lacking(const struct lkst_analysis_state *w, u64 from_ns, u64 to_ns)
{
	return w->lacks.nr && lkst_limited_times_since(&w->lacks, from_ns, to_ns) != UINT64_MAX;
}

/* The same of one event. */
bool lkst_analysis_is_without(const struct lkst_analysis_state *w, enum lkst_event_index index, u64 from_ns, u64 to_ns);

/*
 * Whether something that interrupted @f may not be recorded: then its own time is not known. Its number is.
 */
bool lkst_analysis_may_contain_more(const struct lkst_analysis_state *w, const struct lkst_irq_context *f);

/* What takes a CPU's time from its threads, and from idling, as such patterns. */
extern const char lkst_interrupts[];

/* Whether the options choose this thread: its number, its name and its cgroup. Needs the state model. */
bool lkst_analysis_chooses(const struct lkst_analysis_state *w, const struct lkst_thread_life *life);

/* The same of a whole life, for tables of lives: a name that it once had does. */
bool lkst_analysis_chooses_life(const struct lkst_analysis_state *w, const struct lkst_thread_life *life);

/* Cells "cgroup" and "container" of a thread, or of cgroup @id; none where they are not known. */
void lkst_analysis_put_cgroup(const struct lkst_analysis_state *w, struct lkst_table *table, u64 id);

/* Adds a tally; its context is the work. */
struct lkst_tally *lkst_analysis_tally(struct lkst_analysis_state *w,
				       struct lkst_tally_config config);

/*
 * Begins an interval at @r under @key. 0, also if there was no room, or a negative errno. Where one
 * is open under the key already, @is_first keeps it; else it begins again.
 */
int lkst_analysis_open(struct lkst_analysis_state *w, struct lkst_pending *o, u64 key,
		       const struct lkst_record *r, u64 value, bool is_first);

/*
 * Ends the interval @entry of @o at @r: a value of @tally under @key, of the thread and CPU of the record that began
 * it, unless it crosses a gap.
 */
int lkst_analysis_close(struct lkst_analysis_state *w, struct lkst_tally *tally,
			struct lkst_pending *o, struct lkst_pending_entry *entry, u64 key,
			const struct lkst_record *r);

/* The same for a place of one CPU alone, where gaps of the others do not matter. */
int lkst_analysis_close_on_cpu(struct lkst_analysis_state *w, struct lkst_tally *tally,
			       struct lkst_pending *o, struct lkst_pending_entry *entry, u64 key,
			       const struct lkst_record *r);

/*
 * The same for intervals of a thread that lie within each other, so that no time counts twice: the
 * length of those within it is taken from each. @what, of 16 bits, comes back by lkst_analysis_what().
 */
int lkst_analysis_open_nested(struct lkst_analysis_state *w, struct lkst_pending *o, u64 key,
			      const struct lkst_record *r, u16 what, bool is_first);
int lkst_analysis_close_nested(struct lkst_analysis_state *w, struct lkst_tally *tally,
			       struct lkst_pending *o, struct lkst_pending_entry *entry, u64 key,
			       const struct lkst_record *r);

static inline u16 lkst_analysis_what(const struct lkst_pending_entry *entry)
{
	return (u16)entry->value;
}

/*
 * Whether no record shows how @i began: that the thread was ready or blocked is known only from what came later, if
 * all that happened to it is recorded. So it must not stand out, however long it is.
 */
static inline bool lkst_analysis_is_inferred(const struct lkst_interval *i)
{
	if (i->run == LKST_RUN_READY)
		return i->ready == LKST_READY_UNKNOWN;
	return (i->run == LKST_RUN_BLOCKED || i->run == LKST_RUN_STOPPED) && !i->wait->task_state;
}

/*
 * Whether the state model has seen @i from begin to end. If not, it is counted as left out of @tally,
 * under @key; *@err gets the result.
 */
bool lkst_analysis_is_whole(struct lkst_tally *tally, const struct lkst_interval *i, u64 key,
			    int *err);

/* Reports a change, if that is wanted. */
static inline int lkst_analysis_tell(const struct lkst_analysis_state *w, u64 key, u64 ns, u64 value)
{
	const struct lkst_analysis_options *o = w->options;

	return o->change ? o->change(o->change_arg, w->analysis, key, ns, value) : 0;
}

/* What @i, which is blocked, waits for, as far as it is certain: the record may be missing of what it really was. */
u8 lkst_analysis_cause(const struct lkst_analysis_state *w, const struct lkst_interval *i);

/* A key for the thread of @r: its number, or for the idle threads, one of the CPU's own. */
static inline u64 lkst_analysis_thread_key(const struct lkst_record *r)
{
	return r->tid ? (u32)r->tid : 1ULL << 32 | r->cpu;
}

/* Subscribes to @index. True: there is such an event. An error goes to *@err and sticks there. */
bool lkst_analysis_want(struct lkst_analysis_state *w, enum lkst_event_index index,
			lkst_feed_call *call, int *err);

/* ---- the analyses ---------------------------------------------------------------------------- */

#define ANALYSIS(name) extern const struct lkst_analysis lkst_analysis_##name;
#include "analyze/analyses/analyses.def"
#undef ANALYSIS

#endif
