/* SPDX-License-Identifier: GPL-2.0-only */
/* How long system calls take, and which are made how often. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "base/vec.h"
#include "trace/known/call_result.h"

enum {
	KEY_UNKNOWN = 1 << 16, /* bits of a key: a number without row, */
	KEY_COMPAT = 1 << 17,  /* and of a 32-bit program */
	NR_BITS = KEY_UNKNOWN - 1,
};

/* The row in lkst_syscalls[], or for calls without row, their number with KEY_UNKNOWN. */
static u64 syscall_key_of(const struct lkst_feed_syscall *s)
{
	if (s->row >= 0)
		return (u64)s->row;
	return ((u64)s->nr & NR_BITS) | KEY_UNKNOWN | (s->is_compat ? KEY_COMPAT : 0);
}

static void syscall_put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct lkst_syscall *row;
	char unknown[sizeof("unknown:65535")];

	if (key & KEY_UNKNOWN) {
		snprintf(unknown, sizeof(unknown), "unknown:%u", (unsigned int)(key & NR_BITS));
		lkst_syscall_figure(text, LKST_KEY_TEXT, key & KEY_COMPAT, unknown);
		return;
	}
	row = &lkst_syscalls[key];
	lkst_syscall_figure(text, LKST_KEY_TEXT, row->is_compat, row->name);
}

static s64 syscall_key_number(void *ctx, u64 key)
{
	return key & KEY_UNKNOWN ? (s64)(key & NR_BITS) : lkst_syscalls[key].nr;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* A new thread's first return, from the call of the thread that created it: not a call of its own. */
static bool syscall_is_birth(const struct lkst_feed_syscall *s)
{
	static const char *const names[] = { "clone", "clone3", "fork", "vfork" };
	unsigned int i;

	for (i = 0; s->row >= 0 && !s->ret && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(lkst_syscalls[s->row].name, names[i]))
			return true;
	return false;
}

static int syscall_on_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_analysis_state *w = ctx;

	return lkst_analysis_open(w, &w->pending[0], lkst_analysis_thread_key(r), r, syscall_key_of(s),
				  false);
}

static int syscall_on_return(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct lkst_analysis_state *w = ctx;
	struct lkst_pending_entry *entry =
		lkst_pending_find(&w->pending[0], lkst_analysis_thread_key(r));

	if (!entry)
		return syscall_is_birth(s) ? 0
				   : lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_BEGIN,
							  syscall_key_of(s), r->tid, r->cpu);
	/* An exit without number is that of whatever the thread was in, rt_sigreturn as a rule. */
	if (entry->value != syscall_key_of(s) && s->nr != -1) {
		u64 key = entry->value;

		lkst_pending_remove(&w->pending[0], entry);
		return lkst_tally_leave_out(&w->tallies[0], LKST_LEFT_OUT_NO_END, key, r->tid,
					    r->cpu);
	}
	return lkst_analysis_close(w, &w->tallies[0], &w->pending[0], entry, entry->value, r);
}

static int syscall_begin_time(struct lkst_analysis_state *w)
{
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "syscall",
							   .title = "System call time",
							   .type = LKST_COLUMN_DURATION,
							   .put_key = syscall_put_key,
							   .key_number = syscall_key_number });
	/* As many as threads. */
	w->pending[0].max = LKST_TID_MAX;
	return lkst_feed_syscalls(w->feed, syscall_on_entry, syscall_on_return, w);
}

const struct lkst_analysis lkst_analysis_syscall = {
	.name = "syscall",
	.heritage = "H01",
	.title = "System call time",
	.help = "how long each system call takes",
	.measures = "from a system call's entry to its exit, by call; -k takes the number too",
	.events = "syscall_entry_* syscall_exit_*",
	.size = sizeof(struct lkst_analysis_state),
	.begin = syscall_begin_time,
};

/* ---- usage ----------------------------------------------------------------------------------- */

struct usage_count {
	u64 calls, exits, errors;
};

struct usage {
	struct lkst_analysis_state work;
	struct usage_count *counts; /* by the tally's index of keys */
	u32 nr_counts;
	u64 first_ns, last_ns;
};

/* The counts of the call, NULL: no memory, or, with *@ret_index 0 or more, it is not asked for. */
static struct usage_count *syscall_count_of(struct usage *u, const struct lkst_record *r,
					    const struct lkst_feed_syscall *s, s64 *ret_index)
{
	struct lkst_tally *t = &u->work.tallies[0];
	struct usage_count *count;

	*ret_index = lkst_tally_key(t, syscall_key_of(s));
	if (*ret_index < 0 || !t->keys[*ret_index].is_wanted)
		return NULL;
	if (t->has_filter && !lkst_tally_passes(t, r->tid, r->cpu))
		return NULL;
	count = lkst_vec_reach(u->counts, u->nr_counts, (u32)*ret_index);
	if (!count)
		*ret_index = -ENOMEM;
	return count;
}

/* A call, which the list shows with how many of its kind there have been. */
static int on_usage_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct usage *u = ctx;
	s64 index;
	struct usage_count *c = syscall_count_of(u, r, s, &index);

	if (!c)
		return index < 0 ? (int)index : 0;
	c->calls++;
	u->first_ns = u->first_ns ? u->first_ns : r->ns;
	u->last_ns = r->ns;
	return u->work.list ? lkst_tally_list(&u->work.tallies[0], (u32)index, c->calls, r->ns,
					      r->tid, r->cpu)
			    : 0;
}

static int on_usage_exit(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	s64 index;
	struct usage_count *c = syscall_count_of(ctx, r, s, &index);

	if (!c)
		return index < 0 ? (int)index : 0;
	c->exits++;
	c->errors += lkst_call_has_failed(s->row, s->ret);
	return 0;
}

static const struct lkst_column usage_columns[] = {
	{ "key", "call", LKST_COLUMN_TEXT, "the system call" },
	{ "count", "calls", LKST_COLUMN_COUNT, "entries" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of all calls" },
	{ "rate", "per second", LKST_COLUMN_RATIO, "calls per second, from the first to the last" },
	{ "errors", "errors", LKST_COLUMN_COUNT, "exits whose result is an error that the program sees" },
	{ "error_share", "of exits", LKST_COLUMN_PERCENT, "errors, of all its exits" },
};
enum { NR_USAGE_COLUMNS = sizeof(usage_columns) / sizeof(usage_columns[0]) };

static void put_usage(struct lkst_table *table, const char *key, const struct usage_count *c,
		      u64 all, double seconds)
{
	lkst_table_row(table);
	lkst_table_str(table, key);
	lkst_table_u64(table, c->calls);
	if (all)
		lkst_table_double(table, 100.0 * (double)c->calls / (double)all);
	else
		lkst_table_none(table);
	if (seconds > 0)
		lkst_table_double(table, (double)c->calls / seconds);
	else
		lkst_table_none(table);
	lkst_table_u64(table, c->errors);
	if (c->exits)
		lkst_table_double(table, 100.0 * (double)c->errors / (double)c->exits);
	else
		lkst_table_none(table);
}

static int end_usage(struct lkst_analysis_state *w, struct lkst_tables *set)
{
	struct usage *u = (struct usage *)w;
	struct lkst_table *total, *table;
	struct usage_count all = { 0 };
	double seconds = (double)(u->last_ns - u->first_ns) / 1e9;
	u32 i;

	if (w->list)
		return 0;
	for (i = 0; i < w->tallies[0].nr_keys && i < u->nr_counts; i++) {
		all.calls += u->counts[i].calls;
		all.exits += u->counts[i].exits;
		all.errors += u->counts[i].errors;
	}
	total = lkst_tables_add(set, "syscallusage_total", "System call usage: all", usage_columns,
				NR_USAGE_COLUMNS);
	table = lkst_tables_add(set, "syscallusage", "System call usage: by call", usage_columns,
				NR_USAGE_COLUMNS);
	if (!total || !table)
		return -ENOMEM;
	if (all.calls || all.exits)
		put_usage(total, "all", &all, all.calls, seconds);
	for (i = 0; i < w->tallies[0].nr_keys && i < u->nr_counts; i++)
		if (u->counts[i].calls || u->counts[i].exits)
			put_usage(table, w->tallies[0].keys[i].text, &u->counts[i], all.calls,
				  seconds);
	lkst_table_sort(table, 1, true);
	return total->error ? total->error : table->error;
}

static int begin_usage(struct lkst_analysis_state *w)
{
	lkst_analysis_tally(w, (struct lkst_tally_config){ .name = "syscallusage",
							   .title = "System call usage",
							   .type = LKST_COLUMN_COUNT,
							   .is_silent = true,
							   .put_key = syscall_put_key,
							   .key_number = syscall_key_number });
	return lkst_feed_syscalls(w->feed, on_usage_entry, on_usage_exit, w);
}

static void fini_usage(struct lkst_analysis_state *w)
{
	free(((struct usage *)w)->counts);
}

const struct lkst_analysis lkst_analysis_syscallusage = {
	.name = "syscallusage",
	.heritage = "H02",
	.title = "System call usage",
	.help = "which system calls are made how often, and how often they fail",
	.measures = "entries of each system call, and exits with an error; --list: how many so far",
	.events = "syscall_entry_* syscall_exit_*",
	.size = sizeof(struct usage),
	.begin = begin_usage,
	.end = end_usage,
	.fini = fini_usage,
};
