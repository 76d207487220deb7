/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why system calls fail: the functions of the kernel that returned the error, from the first that did to the call. They
 * are records of probes of group `errors` at the returns of functions, with what these returned in `ret`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "analyze/engine/error_chain.h"
#include "base/vec.h"

enum {
	CHAINS_MAX = 16384, /* different ways to fail; further ones are counted alone */
	CHAIN_TEXT = 1024,
};

/* A way to fail, as the first call that did so, which is the example, had it. */
struct chain {
	struct lkst_error_chain example;
	s32 tid;
	char comm[17]; /* "": not known */
	u64 count;
};

/* Where a chain is. An entry of a hash table by what identifies chains. */
struct chain_place {
	u64 identity;
	u32 index;
};

struct errors {
	struct lkst_analysis_state work;
	struct lkst_error_chains *calls;
	struct lkst_hash places;
	struct lkst_hash
		family; /* the threads of options.roots, and those that they have created */
	struct chain *chains;
	u32 nr_chains;
	u64 nr_other; /* failed calls of further ways */
};

/* ---- which threads ---------------------------------------------------------------------------- */

static int errors_add_thread(struct errors *w, s32 tid)
{
	u64 key = (u32)tid;

	if (lkst_hash_find(&w->family, key, sizeof(key)))
		return 0;
	if (lkst_hash_reserve(&w->family, sizeof(key)))
		return -ENOMEM;
	lkst_hash_add(&w->family, key, sizeof(key));
	return 0;
}

static bool is_of_family(const struct errors *w, s32 tid)
{
	return !w->work.options->nr_roots || lkst_hash_find(&w->family, (u32)tid, sizeof(u64));
}

static int errors_on_fork(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_sched_process_fork *fork = record;

	return is_of_family(ctx, r->tid) ? errors_add_thread(ctx, fork->child_tid) : 0;
}

/* Its number may be another thread's from now on. */
static int errors_on_thread_exit(void *ctx, const struct lkst_record *r, const void *record)
{
	struct errors *w = ctx;
	void *entry = lkst_hash_find(&w->family, (u32)r->tid, sizeof(u64));

	if (entry)
		lkst_hash_remove(&w->family, entry, sizeof(u64));
	return 0;
}

/* 0 or a negative errno. Without records of new threads there are only the roots. */
static int follow_family(struct errors *w)
{
	const struct lkst_analysis_options *o = w->work.options;
	unsigned int i;
	int err = 0;

	for (i = 0; i < o->nr_roots && !err; i++)
		err = errors_add_thread(w, o->roots[i]);
	if (err || !o->nr_roots)
		return err;
	err = lkst_feed_event(w->work.feed, LKST_EV_sched_process_fork, errors_on_fork, w);
	if (err >= 0)
		err = lkst_feed_event(w->work.feed, LKST_EV_sched_process_exit, errors_on_thread_exit, w);
	return err < 0 ? err : 0;
}

/* ---- ways to fail ----------------------------------------------------------------------------- */

static u64 errors_mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* Two chains have the same one as good as never: it has 64 bits. */
static u64 identity_of(const struct lkst_error_chain *c)
{
	u64 hash = errors_mix(errors_mix((u64)(u32)c->nr, (u64)(u16)c->row), (u64)(u32)c->error);
	u32 i;

	hash = errors_mix(hash, c->is_cut);
	for (i = 0; i < c->nr_functions; i++)
		hash = errors_mix(hash, c->functions[i]);
	return hash == LKST_HASH_NONE ? 0 : hash;
}

/* The chain that is like @like, made if it was not there; NULL with *@ret_err 0: there are too many. */
static struct chain *find_chain(struct errors *w, const struct lkst_error_chain *like, int *ret_err)
{
	u64 identity = identity_of(like);
	struct chain_place *place = lkst_hash_find(&w->places, identity, sizeof(*place));
	struct chain *c;

	*ret_err = 0;
	if (place)
		return &w->chains[place->index];
	if (w->nr_chains == CHAINS_MAX)
		return NULL;
	*ret_err = -ENOMEM;
	if (lkst_hash_reserve(&w->places, sizeof(*place)))
		return NULL;
	c = lkst_vec_add(w->chains, w->nr_chains);
	if (!c)
		return NULL;
	c->example = *like;
	place = lkst_hash_add(&w->places, identity, sizeof(*place));
	place->index = w->nr_chains - 1;
	return c;
}

static void errors_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct errors *w = ctx;
	const struct lkst_error_chain *c = &w->chains[key].example;
	char name[LKST_KEY_TEXT];

	if (c->row >= 0)
		snprintf(name, sizeof(name), "%s", lkst_syscalls[c->row].name);
	else
		snprintf(name, sizeof(name), "unknown:%d", c->nr);
	lkst_put_key(text, name, strlen(name));
}

static int on_failure(void *ctx, const struct lkst_record *r, const struct lkst_error_chain *like)
{
	struct errors *w = ctx;
	struct lkst_tally *t = &w->work.tallies[0];
	struct chain *c;
	s64 key;
	int err;

	if (!is_of_family(w, r->tid))
		return 0;
	if (!like->begin_ns) {
		lkst_tally_leave_out_any(t, LKST_LEFT_OUT_NO_BEGIN, r->tid, r->cpu);
		return 0;
	}
	if (t->has_filter && !lkst_tally_passes(t, r->tid, r->cpu))
		return 0;
	c = find_chain(w, like, &err);
	if (!c) {
		w->nr_other += !err;
		return err;
	}
	key = lkst_tally_key(t, (u64)(c - w->chains));
	if (key < 0 || !t->keys[key].is_wanted)
		return key < 0 ? (int)key : 0;
	if (!c->count++) {
		const struct lkst_thread *thread = lkst_threads_find(w->work.threads, r->tid);

		c->example = *like;
		c->tid = r->tid;
		snprintf(c->comm, sizeof(c->comm), "%.16s", thread ? thread->comm : "");
	}
	return w->work.list ? lkst_tally_list(t, (u32)key, c->count, like->begin_ns, r->tid, r->cpu)
			    : 0;
}

/* ---- the table -------------------------------------------------------------------------------- */

static const struct lkst_column columns[] = {
	{ "key", "call", LKST_COLUMN_TEXT, "the system call" },
	{ "error", "error", LKST_COLUMN_TEXT, "what it failed with" },
	{ "count", "count", LKST_COLUMN_COUNT, "how often it failed that way" },
	{ "first", "first", LKST_COLUMN_TEXT,
	  "the function that returned the error first; none: no probe was there" },
	{ "chain", "then", LKST_COLUMN_TEXT, "the functions that passed it on, up to the call" },
	{ "time", "example", LKST_COLUMN_TIME, "when such a call began" },
	{ "tid", "thread", LKST_COLUMN_TID, "the thread that made it" },
	{ "comm", "called", LKST_COLUMN_TEXT, "its name" },
	{ "arguments", NULL, LKST_COLUMN_TEXT, "what that call was made with" },
	{ "registers", NULL, LKST_COLUMN_TEXT,
	  "what the registers of arguments held when the first function was called; none: not known" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void errors_put_functions(struct errors *w, struct lkst_table *t, const struct lkst_error_chain *c)
{
	const struct lkst_catalog *catalog = lkst_trace_catalog(lkst_feed_trace(w->work.feed));
	char text[CHAIN_TEXT] = "", name[LKST_KEY_TEXT];
	size_t used = 0;
	u32 i;

	if (!c->nr_functions) {
		lkst_table_none(t);
		lkst_table_none(t);
		return;
	}
	lkst_error_function_name(catalog, w->work.symbols, c->functions[0], name);
	snprintf(text, sizeof(text), "%s%s", c->is_cut ? "...," : "", name);
	lkst_table_str(t, text);
	text[0] = 0;
	for (i = 1; i < c->nr_functions && used < sizeof(text); i++) {
		lkst_error_function_name(catalog, w->work.symbols, c->functions[i], name);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 1 ? "," : "",
					 name);
	}
	lkst_table_str(t, text);
}

static void put_registers(struct lkst_table *t, const struct lkst_error_chain *c)
{
	char text[LKST_ERRORS_ARGS * 20] = "";
	size_t used = 0;
	u32 i;

	if (!c->has_first_args) {
		lkst_table_none(t);
		return;
	}
	for (i = 0; i < LKST_ERRORS_ARGS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s0x%llx", i ? " " : "",
					 (unsigned long long)c->first_args[i]);
	lkst_table_str(t, text);
}

static void errors_put_row(struct errors *w, struct lkst_table *t, u32 i)
{
	const struct chain *c = &w->chains[i];
	char call[LKST_KEY_TEXT], error[LKST_ERROR_TEXT], args[LKST_ERROR_CALL];

	errors_put_key(w, i, call);
	lkst_table_row(t);
	lkst_table_str(t, call);
	lkst_table_str(t, lkst_error_text(c->example.error, error));
	lkst_table_u64(t, c->count);
	errors_put_functions(w, t, &c->example);
	lkst_table_u64(t, c->example.begin_ns);
	lkst_table_s64(t, c->tid);
	lkst_table_str(t, c->comm);
	lkst_table_str(t, lkst_error_chain_args(&c->example, args));
	put_registers(t, &c->example);
}

static int errors_end(struct lkst_analysis_state *work, struct lkst_tables *set)
{
	struct errors *w = (struct errors *)work;
	struct lkst_table *t;
	u32 i;

	if (work->list)
		return 0;
	t = lkst_tables_add(set, "errors", "Errors of system calls", columns, NR_COLUMNS);
	if (!t)
		return -ENOMEM;
	for (i = 0; i < w->nr_chains; i++)
		if (w->chains[i].count)
			errors_put_row(w, t, i);
	if (w->nr_other)
		lkst_notes_add(&t->notes, "%llu calls failed in further ways, which are not shown.",
			       (unsigned long long)w->nr_other);
	lkst_table_sort(t, (unsigned int)lkst_table_column(t, "count"), true);
	return t->error;
}

/* ---- beginning -------------------------------------------------------------------------------- */

static int errors_begin(struct lkst_analysis_state *work)
{
	struct errors *w = (struct errors *)work;
	int err;

	lkst_analysis_tally(work, (struct lkst_tally_config){ .name = "errors",
							      .title = "Errors of system calls",
							      .type = LKST_COLUMN_COUNT,
							      .is_silent = true,
							      .put_key = errors_put_key });
	err = follow_family(w);
	return err ?: lkst_error_chains_new(work->feed, on_failure, w, &w->calls);
}

static void errors_fini(struct lkst_analysis_state *work)
{
	struct errors *w = (struct errors *)work;

	lkst_error_chains_free(w->calls);
	lkst_hash_fini(&w->places);
	lkst_hash_fini(&w->family);
	free(w->chains);
}

const struct lkst_analysis lkst_analysis_errors = {
	.name = "errors",
	.title = "Errors of system calls",
	.help = "why system calls fail: the functions that returned the error, the first one first",
	.measures = "calls whose result is an error, by the functions that returned it; they are "
		    "records of a probe of group `errors` at returns, with the field `ret`",
	.events = "syscall_entry_* syscall_exit_* errors:*",
	.size = sizeof(struct errors),
	.begin = errors_begin,
	.end = errors_end,
	.fini = errors_fini,
};
