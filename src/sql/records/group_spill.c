/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of records for which there is no room in memory. */
#include "sql/records/group_spill.h"

#include <errno.h>
#include <stdlib.h>

enum {
	STEPS = 1000, /* of SQLite's machine between two looks at whether to stop */
	TEXT_MAX = 256,
};

struct lkst_sql_group_spill {
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

void lkst_sql_group_spill_free(struct lkst_sql_group_spill *spill)
{
	if (!spill)
		return;
	sqlite3_finalize(spill->insert);
	sqlite3_finalize(spill->sorted);
	sqlite3_close(spill->db);
	free(spill);
}

int lkst_sql_group_spill_new(const struct lkst_sql *s, struct lkst_sql_group_spill **ret_spill)
{
	/* Events by name, for the order of that; nothing is ever to be undone. */
	static const char begin[] =
		"PRAGMA temp_store = FILE; PRAGMA journal_mode = OFF; PRAGMA cache_size = -4096;"
		"CREATE TABLE counted (event INTEGER, name TEXT, cpu INTEGER, tid INTEGER, nr INTEGER);"
		"BEGIN";
	struct lkst_sql_group_spill *spill = calloc(1, sizeof(*spill));
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
		lkst_sql_group_spill_free(spill);
		return error_of(code);
	}
	sqlite3_progress_handler(spill->db, STEPS, group_spill_look, (void *)s);
	*ret_spill = spill;
	return 0;
}

int lkst_sql_group_spill_add(struct lkst_sql_group_spill *spill, const struct lkst_sql_group *group)
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

int lkst_sql_group_spill_sort(struct lkst_sql_group_spill *spill, unsigned int order)
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

int lkst_sql_group_spill_next(struct lkst_sql_group_spill *spill, struct lkst_sql_group *ret_group)
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
