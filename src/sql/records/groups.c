/* SPDX-License-Identifier: GPL-2.0-only */
/* How many records there are of each event, CPU and thread. */
#include "sql/records/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sql/records/database.h"

enum {
	LOOKS = 1 << 10, /* blocks between two looks at whether to stop */
	EVENT_SHIFT = 48,
	CPU_SHIFT = 32,
	CPU_MASK = LKST_CPUS_MAX - 1,
};

struct count {
	u64 key; /* event, CPU and thread */
	u64 nr;
};

/* What the same thread on the same CPU did: most records are of the thread of the record before. */
struct groups_run {
	const struct lkst_sql *sql;
	const struct lkst_sql_wanted *wanted;
	u64 mask; /* of keys: what is distinguished */
	struct lkst_hash counts;
	s32 tid;
	u32 cpu;
	u32 nr[LKST_EVENT_SPACE];
	u16 events[LKST_EVENT_SPACE]; /* those of which there are some */
	u32 nr_events;
	u64 nr_gaps;
	struct group_spill *spill; /* NULL: all groups are in `counts` */
};

struct lkst_sql_groups {
	struct group_spill *spill; /* NULL: they are in `list` */
	struct lkst_sql_group *list;
	u32 nr, next;
};

/* ---- groups for which there is no room in memory ----------------------------------------------- */

enum {
	STEPS = 1000, /* of SQLite's machine between two looks at whether to stop */
	TEXT_MAX = 256,
};

/* A database of their own, in a file without a name, in which SQLite sums and sorts them. */
struct group_spill {
	const struct lkst_sql *sql;
	sqlite3 *db;
	sqlite3_stmt *insert, *sorted;
};

static int error_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return 0;
	case SQLITE_INTERRUPT:
		return -EINTR;
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return -ENOSPC;
	default:
		return -ENOMEM;
	}
}

static int group_spill_look(void *ctx)
{
	const struct lkst_sql *s = ctx;

	return lkst_sql_is_stopped(s);
}

static void group_spill_free(struct group_spill *spill)
{
	if (!spill)
		return;
	sqlite3_finalize(spill->insert);
	sqlite3_finalize(spill->sorted);
	sqlite3_close(spill->db);
	free(spill);
}

/* 0, -ENOMEM, or -ENOSPC: as all of these, there is no room for temporary files. */
static int group_spill_new(const struct lkst_sql *s, struct group_spill **ret_spill)
{
	/* Events by name, for the order of that; nothing is ever to be undone. */
	static const char begin[] =
		"PRAGMA temp_store = FILE; PRAGMA journal_mode = OFF; PRAGMA cache_size = -4096;"
		"CREATE TABLE counted (event INTEGER, name TEXT, cpu INTEGER, tid INTEGER, nr INTEGER);"
		"BEGIN";
	struct group_spill *spill = calloc(1, sizeof(*spill));
	int code;

	if (!spill)
		return -ENOMEM;
	spill->sql = s;
	code = sqlite3_open_v2("", &spill->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (!code)
		code = sqlite3_exec(spill->db, begin, NULL, NULL, NULL);
	if (!code)
		code = sqlite3_prepare_v2(spill->db, "INSERT INTO counted VALUES (?, ?, ?, ?, ?)",
					  -1, &spill->insert, NULL);
	if (code) {
		group_spill_free(spill);
		return error_of(code);
	}
	sqlite3_progress_handler(spill->db, STEPS, group_spill_look, (void *)s);
	*ret_spill = spill;
	return 0;
}

/* Adds what was counted of a group; the same one may come again. */
static int group_spill_add(struct group_spill *spill, const struct lkst_sql_group *group)
{
	const struct lkst_event_class *event = spill->sql->catalog->classes[group->event];
	sqlite3_stmt *insert = spill->insert;
	int code;

	/* Its id is 0 where events are not distinguished. */
	sqlite3_bind_int(insert, 1, group->event);
	sqlite3_bind_text(insert, 2, event ? event->name : "", -1, SQLITE_STATIC);
	sqlite3_bind_int64(insert, 3, group->cpu);
	sqlite3_bind_int64(insert, 4, group->tid);
	sqlite3_bind_int64(insert, 5, (sqlite3_int64)group->nr);
	code = sqlite3_step(insert);
	sqlite3_reset(insert);
	return error_of(code);
}

/* After the last: the groups come in @order, as lkst_sql_groups_new() has it. */
static int group_spill_sort(struct group_spill *spill, unsigned int order)
{
	static const char *const columns[] = { "", "name", "cpu", "tid" };
	char text[TEXT_MAX];
	const char *before = " ORDER BY ";
	int length =
		snprintf(text, sizeof(text),
			 "SELECT event, cpu, tid, sum(nr) FROM counted GROUP BY event, cpu, tid");

	for (; order & LKST_SQL_ORDER_COLUMN; order >>= LKST_SQL_ORDER_BITS) {
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s%s%s", before,
				   columns[order & LKST_SQL_ORDER_COLUMN],
				   order & LKST_SQL_ORDER_FALLS ? " DESC" : "");
		before = ", ";
	}
	return error_of(sqlite3_prepare_v2(spill->db, text, -1, &spill->sorted, NULL));
}

/* The next group: 1, 0: there is none, or a failure; -EINTR: the query is to end. */
static int group_spill_next(struct group_spill *spill, struct lkst_sql_group *ret_group)
{
	int code = sqlite3_step(spill->sorted);

	if (code != SQLITE_ROW)
		return error_of(code);
	*ret_group = (struct lkst_sql_group){
		.event = (u16)sqlite3_column_int(spill->sorted, 0),
		.cpu = (u32)sqlite3_column_int64(spill->sorted, 1),
		.tid = (s32)sqlite3_column_int64(spill->sorted, 2),
		.nr = (u64)sqlite3_column_int64(spill->sorted, 3),
	};
	return 1;
}

/* ---- counting ---------------------------------------------------------------------------------- */

static struct lkst_sql_group groups_group_of(const struct count *c)
{
	return (struct lkst_sql_group){ .nr = c->nr,
					.tid = (s32)c->key,
					.cpu = c->key >> CPU_SHIFT & CPU_MASK,
					.event = (u16)(c->key >> EVENT_SHIFT) };
}

/* Moves the groups out of memory. */
static int spill_counts(struct groups_run *run)
{
	struct lkst_sql_group group;
	const struct count *c;
	u32 i = 0;
	int err = run->spill ? 0 : group_spill_new(run->sql, &run->spill);

	while (!err && (c = lkst_hash_next(&run->counts, &i, sizeof(*c)))) {
		group = groups_group_of(c);
		err = group_spill_add(run->spill, &group);
	}
	lkst_hash_clear(&run->counts, sizeof(*c));
	return err;
}

/* Adds what the run has to the counts, and empties it. */
static int end_run(struct groups_run *run)
{
	u32 i;

	for (i = 0; i < run->nr_events; i++) {
		u16 id = run->events[i];
		u64 key = (u64)id << EVENT_SHIFT | (u64)(run->cpu & CPU_MASK) << CPU_SHIFT |
			  (u32)run->tid;
		struct count *count;

		key &= run->mask;
		count = lkst_hash_find(&run->counts, key, sizeof(*count));
		if (!count && run->counts.nr >= run->sql->max_groups) {
			int err = spill_counts(run);

			if (err)
				return err;
		}
		if (!count && lkst_hash_reserve(&run->counts, sizeof(*count)))
			return -ENOMEM;
		if (!count)
			count = lkst_hash_add(&run->counts, key, sizeof(*count));
		count->nr += run->nr[id];
		run->nr[id] = 0;
	}
	run->nr_events = 0;
	return 0;
}

static int groups_count_block(struct groups_run *run, const struct lkst_block *block)
{
	struct lkst_block_cursor at;
	struct lkst_record r;
	int err = end_run(run), more = 0;

	run->cpu = block->cpu;
	lkst_block_cursor_init(&at, block);
	while (!err && (more = lkst_block_next(NULL, &at, run->sql->catalog, &r)) > 0) {
		if (!lkst_sql_is_wanted(run->wanted, &r))
			continue;
		if (r.tid != run->tid) {
			err = end_run(run);
			run->tid = r.tid;
		}
		if (!run->nr[r.event->id]++)
			run->events[run->nr_events++] = r.event->id;
	}
	run->nr_gaps += more < 0;
	return err;
}

/* Counts the blocks of stream number @i, and where some are missing between them. */
static int count_stream(struct groups_run *run, unsigned int i)
{
	struct lkst_trace *t = run->sql->trace;
	unsigned int block, nr = lkst_trace_stream(t, i)->nr_blocks;
	struct lkst_block last;
	int err = 0;

	for (block = 0; block < nr && !err; block++) {
		const struct lkst_block *b = lkst_trace_block(t, i, block);
		struct lkst_block_missing missing = lkst_block_missing(block ? &last : b, b);

		run->nr_gaps += missing.blocks || missing.events;
		last = *b;
		err = groups_count_block(run, b);
		if (block % LOOKS == 0 && lkst_sql_is_stopped(run->sql))
			err = -EINTR;
	}
	return err;
}

static int groups_count_all(struct groups_run *run)
{
	struct lkst_trace *t = run->sql->trace;
	unsigned int i;
	int err = 0;

	for (i = 0; i < lkst_trace_nr_streams(t) && !err; i++)
		if (lkst_sql_wants_stream(run->sql, run->wanted, lkst_trace_stream(t, i)))
			err = count_stream(run, i);
	return err ? err : end_run(run);
}

/* ---- order ----------------------------------------------------------------------------------- */

struct groups_order {
	const struct lkst_catalog *catalog;
	unsigned int terms;
};

static int compare_by(const struct groups_order *o, unsigned int column, const struct lkst_sql_group *a,
		      const struct lkst_sql_group *b)
{
	switch (column) {
	case 1:
		return strcmp(o->catalog->classes[a->event]->name,
			      o->catalog->classes[b->event]->name);
	case 2:
		return (a->cpu > b->cpu) - (a->cpu < b->cpu);
	default:
		return (a->tid > b->tid) - (a->tid < b->tid);
	}
}

static int groups_compare(const void *a, const void *b, void *ctx)
{
	const struct groups_order *o = ctx;
	unsigned int terms;
	int sign = 0;

	for (terms = o->terms; terms & LKST_SQL_ORDER_COLUMN && !sign;
	     terms >>= LKST_SQL_ORDER_BITS) {
		sign = compare_by(o, terms & LKST_SQL_ORDER_COLUMN, a, b);
		if (terms & LKST_SQL_ORDER_FALLS)
			sign = -sign;
	}
	return sign;
}

/* ---- the groups ------------------------------------------------------------------------------ */

static int groups_make_list(const struct groups_run *run, unsigned int order, struct lkst_sql_groups *groups)
{
	struct groups_order by = { run->sql->catalog, order };
	const struct count *c;
	u32 i = 0;

	groups->list = calloc((size_t)run->counts.nr + 1, sizeof(*groups->list));
	if (!groups->list)
		return -ENOMEM;
	while ((c = lkst_hash_next(&run->counts, &i, sizeof(*c))))
		groups->list[groups->nr++] = groups_group_of(c);
	qsort_r(groups->list, groups->nr, sizeof(*groups->list), groups_compare, &by);
	return 0;
}

static int groups_finish(struct groups_run *run, unsigned int order, struct lkst_sql_groups *groups)
{
	int err;

	if (!run->spill)
		return groups_make_list(run, order, groups);
	err = spill_counts(run) ?: group_spill_sort(run->spill, order);
	groups->spill = run->spill;
	run->spill = NULL;
	return err;
}

int lkst_sql_groups_new(const struct lkst_sql *s, const struct lkst_sql_wanted *wanted,
			unsigned int by, unsigned int order, struct lkst_sql_groups **ret_groups,
			u64 *ret_gaps)
{
	_cleanup_(lkst_sql_groups_freep) struct lkst_sql_groups *groups =
		calloc(1, sizeof(*groups));
	struct groups_run *run = calloc(1, sizeof(*run));
	int err = -ENOMEM;

	if (run && groups) {
		run->sql = s;
		run->wanted = wanted;
		run->mask = (by & LKST_SQL_BY_EVENT ? (u64)LKST_ID_MAX << EVENT_SHIFT : 0) |
			    (by & LKST_SQL_BY_CPU ? (u64)CPU_MASK << CPU_SHIFT : 0) |
			    (by & LKST_SQL_BY_TID ? UINT32_MAX : 0);
		err = groups_count_all(run) ?: groups_finish(run, order, groups);
		*ret_gaps = run->nr_gaps;
		lkst_hash_fini(&run->counts);
		group_spill_free(run->spill);
	}
	free(run);
	if (!err)
		*ret_groups = lkst_take(groups);
	return err;
}

void lkst_sql_groups_free(struct lkst_sql_groups *groups)
{
	if (!groups)
		return;
	group_spill_free(groups->spill);
	free(groups->list);
	free(groups);
}

int lkst_sql_groups_next(struct lkst_sql_groups *groups, struct lkst_sql_group *ret_group)
{
	if (groups->spill)
		return group_spill_next(groups->spill, ret_group);
	if (groups->next == groups->nr)
		return 0;
	*ret_group = groups->list[groups->next++];
	return 1;
}
