/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why system calls fail: the functions of the kernel that returned the error, from the first that did to the call. They
 * are records of probes of group `errors` at the returns of functions, with what these returned in `ret`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/measures/analysis.h"
#include "base/vec.h"

enum {
	ERROR_MAX = 4095,   /* MAX_ERRNO, include/linux/err.h */
	CHAIN_MAX = 16,	    /* functions that are kept of a call; the last */
	CHAINS_MAX = 16384, /* different ways to fail; further ones are counted alone */
	CHAIN_TEXT = 1024,
};

#define GROUP "errors:"

static const char *const error_names[] = {
#define ERRNO(number, name, text) [number] = name,
#define RESTART ERRNO
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

/* A function that returned something negative. */
struct step {
	u64 function;
	s64 ret;
};

/* What a thread is in. An entry of a hash table by thread. */
struct open_call {
	u64 thread;
	u64 begin_ns; /* 0: it is in no call that was seen to begin */
	u32 nr;	      /* steps, also those that are kept no more */
	struct step steps[CHAIN_MAX];
};

/* A way to fail. */
struct chain {
	s16 row; /* of the call, -1: it has none */
	s32 nr;	 /* its number */
	s32 error;
	u32 nr_functions;
	u64 functions[CHAIN_MAX];
	bool is_cut; /* there were more functions, further in */
	u64 count;
	u64 example_ns;
	s32 example_tid;
};

/* Where a chain is. An entry of a hash table by what identifies chains. */
struct chain_place {
	u64 identity;
	u32 index;
};

struct errors {
	struct lkst_analysis_state work;
	struct lkst_hash calls, places;
	struct chain *chains;
	u32 nr_chains;
	u64 nr_other; /* failed calls of further ways */
	u16 function_at[LKST_EVENT_SPACE], ret_at[LKST_EVENT_SPACE]; /* fields, by the event's id */
};

/* ---- the functions of a call ------------------------------------------------------------------ */

/* A new one is all zero. NULL: no memory, or too many threads. */
static struct open_call *call_of(struct errors *w, const struct lkst_record *r)
{
	u64 thread = lkst_analysis_thread_key(r);
	struct open_call *call = lkst_hash_find(&w->calls, thread, sizeof(*call));

	if (call)
		return call;
	if (w->calls.nr >= LKST_TID_MAX || lkst_hash_reserve(&w->calls, sizeof(*call)))
		return NULL;
	return lkst_hash_add(&w->calls, thread, sizeof(*call));
}

static int on_return(void *ctx, const struct lkst_record *r, const void *record)
{
	struct errors *w = ctx;
	const struct lkst_event_class *event = r->event;
	u64 value = lkst_record_int(r, &event->fields[w->ret_at[event->id]]);
	s64 ret = event->fields[w->ret_at[event->id]].size == 4 ? (s32)value : (s64)value;
	struct open_call *call;

	if (ret >= 0 || ret < -ERROR_MAX)
		return 0;
	call = call_of(w, r);
	if (!call)
		return -ENOMEM;
	if (call->begin_ns)
		call->steps[call->nr++ % CHAIN_MAX] = (struct step){
			.function = lkst_record_int(r, &event->fields[w->function_at[event->id]]),
			.ret = ret,
		};
	return 0;
}

static int on_call_entry(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct open_call *call = call_of(ctx, r);

	if (!call)
		return -ENOMEM;
	call->begin_ns = r->ns ?: 1;
	call->nr = 0;
	return 0;
}

/* ---- ways to fail ----------------------------------------------------------------------------- */

/* The functions of @call that returned @error, in their order. */
static void take_chain(const struct open_call *call, s64 error, struct chain *c)
{
	u32 first = call->nr > CHAIN_MAX ? call->nr - CHAIN_MAX : 0, i;

	c->is_cut = first > 0;
	for (i = first; i < call->nr; i++)
		if (call->steps[i % CHAIN_MAX].ret == error)
			c->functions[c->nr_functions++] = call->steps[i % CHAIN_MAX].function;
}

static u64 mix(u64 hash, u64 value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* Two chains have the same one as good as never: it has 64 bits. */
static u64 identity_of(const struct chain *c)
{
	u64 hash = mix(mix((u64)(u32)c->nr, (u64)(u16)c->row), (u64)(u32)c->error);
	u32 i;

	hash = mix(hash, c->is_cut);
	for (i = 0; i < c->nr_functions; i++)
		hash = mix(hash, c->functions[i]);
	return hash == LKST_HASH_NONE ? 0 : hash;
}

/* The chain that is like @like, made if it was not there; NULL with *@ret_err 0: there are too many. */
static struct chain *find_chain(struct errors *w, const struct chain *like, int *ret_err)
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
	*c = *like;
	place = lkst_hash_add(&w->places, identity, sizeof(*place));
	place->index = w->nr_chains - 1;
	return c;
}

static void put_key(void *ctx, u64 key, char text[LKST_KEY_TEXT])
{
	const struct errors *w = ctx;
	const struct chain *c = &w->chains[key];
	char name[LKST_KEY_TEXT];

	if (c->row >= 0)
		snprintf(name, sizeof(name), "%s", lkst_syscalls[c->row].name);
	else
		snprintf(name, sizeof(name), "unknown:%d", c->nr);
	lkst_put_key(text, name, strlen(name));
}

static int count_failure(struct errors *w, const struct lkst_record *r, const struct chain *like,
			 u64 begin_ns)
{
	struct lkst_tally *t = &w->work.tallies[0];
	struct chain *c;
	s64 key;
	int err;

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
		c->example_ns = begin_ns;
		c->example_tid = r->tid;
	}
	return w->work.list ? lkst_tally_list(t, (u32)key, c->count, begin_ns, r->tid, r->cpu) : 0;
}

static int on_call_exit(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	struct errors *w = ctx;
	struct chain like = { .row = s->row, .nr = s->nr, .error = (s32)-s->ret };
	struct open_call *call =
		lkst_hash_find(&w->calls, lkst_analysis_thread_key(r), sizeof(*call));
	u64 begin_ns = call ? call->begin_ns : 0;

	if (call)
		call->begin_ns = 0;
	if (s->ret >= 0 || s->ret < -ERROR_MAX)
		return 0;
	if (!begin_ns) {
		lkst_tally_leave_out_any(&w->work.tallies[0], LKST_LEFT_OUT_NO_BEGIN, r->tid,
					 r->cpu);
		return 0;
	}
	take_chain(call, s->ret, &like);
	return count_failure(w, r, &like, begin_ns);
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
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void put_functions(struct errors *w, struct lkst_table *t, const struct chain *c)
{
	char text[CHAIN_TEXT] = "", name[LKST_KEY_TEXT];
	size_t used = 0;
	u32 i;

	if (!c->nr_functions) {
		lkst_table_none(t);
		lkst_table_none(t);
		return;
	}
	lkst_name_address(w->work.symbols, "", c->functions[0], name);
	snprintf(text, sizeof(text), "%s%s", c->is_cut ? "...," : "", name);
	lkst_table_str(t, text);
	text[0] = 0;
	for (i = 1; i < c->nr_functions && used < sizeof(text); i++) {
		lkst_name_address(w->work.symbols, "", c->functions[i], name);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 1 ? "," : "",
					 name);
	}
	lkst_table_str(t, text);
}

static void put_row(struct errors *w, struct lkst_table *t, u32 i)
{
	const struct chain *c = &w->chains[i];
	char call[LKST_KEY_TEXT], number[16];
	bool has_name = (size_t)c->error < sizeof(error_names) / sizeof(error_names[0]) &&
			error_names[c->error];

	put_key(w, i, call);
	snprintf(number, sizeof(number), "%d", c->error);
	lkst_table_row(t);
	lkst_table_str(t, call);
	lkst_table_str(t, has_name ? error_names[c->error] : number);
	lkst_table_u64(t, c->count);
	put_functions(w, t, c);
	lkst_table_u64(t, c->example_ns);
	lkst_table_s64(t, c->example_tid);
}

static int end(struct lkst_analysis_state *work, struct lkst_tables *set)
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
			put_row(w, t, i);
	if (w->nr_other)
		lkst_notes_add(&t->notes, "%llu calls failed in further ways, which are not shown.",
			       (unsigned long long)w->nr_other);
	lkst_table_sort(t, (unsigned int)lkst_table_column(t, "count"), true);
	return t->error;
}

/* ---- beginning -------------------------------------------------------------------------------- */

/* Subscribes to @event, if it says which function returned what. 1, 0 or a negative errno. */
static int want(struct errors *w, const struct lkst_event_class *event)
{
	const struct lkst_field_class *function = lkst_class_field(event, LKST_PROBE_FIELD_FUNC);
	const struct lkst_field_class *ret = lkst_class_field(event, "ret");

	if (!function || !ret || function->type != LKST_CLASS_UINT ||
	    function->offset == LKST_OFFSET_VARIES || ret->offset == LKST_OFFSET_VARIES ||
	    (ret->type != LKST_CLASS_SINT && ret->type != LKST_CLASS_UINT))
		return 0;
	w->function_at[event->id] = (u16)(function - event->fields);
	w->ret_at[event->id] = (u16)(ret - event->fields);
	w->work.wants[event->id] = true;
	return lkst_feed_named(w->work.feed, event->name, on_return, w);
}

static int begin(struct lkst_analysis_state *work)
{
	struct errors *w = (struct errors *)work;
	const struct lkst_catalog *c = lkst_trace_catalog(lkst_feed_trace(work->feed));
	bool has_any = false;
	int err = 0;
	u32 id;

	lkst_analysis_tally(work, (struct lkst_tally_config){ .name = "errors",
							      .title = "Errors of system calls",
							      .type = LKST_COLUMN_COUNT,
							      .is_silent = true,
							      .put_key = put_key });
	for (id = 0; id < LKST_EVENT_SPACE && err >= 0; id++) {
		const struct lkst_event_class *event = c->classes[id];

		if (!event || strncmp(event->name, GROUP, strlen(GROUP)))
			continue;
		err = want(w, event);
		has_any |= err > 0;
	}
	if (err < 0 || !has_any)
		return err < 0 ? err : 0;
	return lkst_feed_syscalls(work->feed, on_call_entry, on_call_exit, w);
}

static void fini(struct lkst_analysis_state *work)
{
	struct errors *w = (struct errors *)work;

	lkst_hash_fini(&w->calls);
	lkst_hash_fini(&w->places);
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
	.begin = begin,
	.end = end,
	.fini = fini,
};
