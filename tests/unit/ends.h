/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of a trace's end share: a trace or its parts in a scratch directory, and what is reported of them. */
#ifndef LKST_TESTS_ENDS_H
#define LKST_TESTS_ENDS_H

#include "analyze/engine/feed.h"
#include "lib/make_trace.h"
#include "lib/shown.h"
#include "lib/states.h"
#include "lib/unit.h"
#include "trace/read/ends.h"

static struct lkst_err err;
static char dir[64], path[128];

/* Makes the trace of @lines, which is not opened yet. */
static inline void make(const char *lines)
{
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, 4096, lines))
		abort();
}

/* The file of stream @name. */
static inline const char *file(const char *name)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s/%s", path, name);
	return text;
}

static inline struct lkst_trace *open_trace(const char *what)
{
	struct lkst_trace *t;

	if (lkst_trace_open(&err, what, &t))
		abort();
	return t;
}

/* The gaps of a pass: "<cpu>.<buffer>:<from>-<to> <blocks> <why>; ". */
static inline const char *gaps_of(const char *what)
{
	struct lkst_trace *t = open_trace(what);
	struct lkst_merge *m;
	struct lkst_record r;
	struct lkst_gap g;

	shown[0] = 0;
	if (lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r))
		;
	while (lkst_merge_gap(m, &g))
		put("%u.%u:%llu-%llu %llu %s; ", g.cpu, g.buffer, (unsigned long long)g.from_ns,
		    (unsigned long long)g.to_ns, (unsigned long long)g.blocks, g.why);
	lkst_merge_free(m);
	lkst_trace_close(t);
	return shown;
}

static inline enum lkst_trace_ending ending_of(const char *what)
{
	struct lkst_trace *t = open_trace(what);
	enum lkst_trace_ending ending = lkst_trace_ending(t);

	lkst_trace_close(t);
	return ending;
}

static inline bool lacks_part(const char *what)
{
	struct lkst_trace *t = open_trace(what);
	bool lacks = lkst_trace_lacks_part(t);

	lkst_trace_close(t);
	return lacks;
}

static inline u64 missing_blocks(const char *what)
{
	struct lkst_trace *t = open_trace(what);
	unsigned int i;
	u64 nr = 0;

	for (i = 0; i < lkst_trace_nr_streams(t); i++)
		nr += lkst_trace_stream(t, i)->nr_missing_blocks;
	lkst_trace_close(t);
	return nr;
}

/* What the model says of CPU @cpu. */
static inline const char *cpu_of(const char *what, s32 cpu)
{
	static struct states st;

	st = (struct states){ .tid = -1, .cpu = cpu };
	if (lkst_trace_open(&err, what, &st.trace) || lkst_feed_new(&err, st.trace, &st.feed))
		abort();
	states_run(&st);
	lkst_model_free(st.state);
	lkst_feed_free(st.feed);
	lkst_trace_close(st.trace);
	return st.is_torn ? st.tear : st.text;
}

/* What it says of thread @tid. */
static inline const char *thread_of(const char *what, s32 tid)
{
	static struct states st;

	st = (struct states){ .tid = tid, .cpu = -1 };
	if (lkst_trace_open(&err, what, &st.trace) || lkst_feed_new(&err, st.trace, &st.feed))
		abort();
	states_run(&st);
	lkst_model_free(st.state);
	lkst_feed_free(st.feed);
	lkst_trace_close(st.trace);
	return st.is_torn ? st.tear : st.text;
}

/* The marks of two CPUs. */
#define COVERED "!claim cpu=0 covered=600\n!claim cpu=1 covered=600\n"

#endif
