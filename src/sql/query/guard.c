/* SPDX-License-Identifier: GPL-2.0-only */
/* What a query may do: read, within limits, until somebody stops it. */
#include "sql/query/guard.h"

#include <string.h>

#include "sql/known/known_fill.h"

enum {
	STEPS = 1000, /* of SQLite's machine between two looks at whether to stop */
	CELL_MAX = 1024 * 1024,
	DEPTH_MAX = 200,    /* of an expression */
	PATTERN_MAX = 1000, /* bytes of what follows on LIKE or GLOB */
	JOIN_MAX = 500,	    /* SELECTs in one statement that UNION and its kind join */
};

/* Those that say something and change nothing. */
static const char *const pragmas[] = {
	"table_info",	 "table_xinfo",	  "table_list",
	"function_list", "database_list", "compile_options",
};

static bool guard_may_ask(const char *name, const char *argument)
{
	size_t i;

	for (i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++)
		if (name && !sqlite3_stricmp(name, pragmas[i]))
			return true;
	return false;
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *database,
		     const char *trigger)
{
	struct lkst_sql *s = ctx;

	if (s->is_inside)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_READ:
		lkst_sql_known_want(s, a);
		return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		/* Those that load programs are not there, but a later SQLite may have others. */
		if (b && strcmp(b, "load_extension"))
			return SQLITE_OK;
		break;
	case SQLITE_PRAGMA:
		if (guard_may_ask(a, b))
			return SQLITE_OK;
		break;
	}
	s->is_refused = true;
	return SQLITE_DENY;
}

/* Other than 0: the statement ends. */
static int guard_look(void *ctx)
{
	struct lkst_sql *s = ctx;

	s->steps += STEPS;
	return lkst_sql_is_stopped(s) || (s->max_steps && s->steps > s->max_steps);
}

void lkst_sql_guard(struct lkst_sql *s)
{
	sqlite3_hard_heap_limit64(LKST_SQL_MEMORY);
	sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, LKST_SQL_TEXT_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, CELL_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_EXPR_DEPTH, DEPTH_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_COMPOUND_SELECT, JOIN_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(s->db, SQLITE_LIMIT_WORKER_THREADS, 0);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_set_authorizer(s->db, authorize, s);
	sqlite3_progress_handler(s->db, STEPS, guard_look, s);
}
