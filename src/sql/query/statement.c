/* SPDX-License-Identifier: GPL-2.0-only */
/* The way of a statement into the database, and what is said of one that fails. */
#include "sql/query/statement.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "sql/known/known_fill.h"
#include "sql/query/guard.h"

/* Whether files may not be as large as the disk allows. */
static bool files_are_limited(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

/* Fills @e with what SQLite says of a statement in @text, at @from; and where, if it knows. */
static int statement_failed(struct lkst_err *e, const struct lkst_sql *s, int code, const char *text,
			    const char *from)
{
	const char *message =
		sqlite3_errcode(s->db) == SQLITE_OK ? sqlite3_errstr(code) : sqlite3_errmsg(s->db);
	const char *line, *end;
	int at = sqlite3_error_offset(s->db);

	if (s->is_refused)
		return lkst_err_set(
			e, -EPERM,
			"a query can only read the trace: it can change nothing, open no other file and set nothing");
	if ((code & 0xff) == SQLITE_INTERRUPT)
		return lkst_err_set(e, -EINTR, "the query was interrupted");
	if ((code & 0xff) == SQLITE_NOMEM)
		return lkst_err_set(e, -ENOMEM,
				    "the query needs more than the %d MiB that it may have",
				    LKST_SQL_MEMORY >> 20);
	/* A limit of this process's files (setrlimit(2)) has ended a write, which SQLite calls an error of the disk. */
	if ((code & 0xff) == SQLITE_IOERR && files_are_limited())
		return lkst_err_set(e, -EFBIG, "the query writes more to temporary files than it may");
	if ((code & 0xff) == SQLITE_FULL)
		return lkst_err_set(e, -ENOSPC,
				    "the query's temporary files do not fit; set TMPDIR to where "
				    "there is more room");
	lkst_err_set(e, -EINVAL, "the query: %s", message);
	if (at < 0)
		return -EINVAL;
	from += at;
	for (line = from; line > text && line[-1] != '\n'; line--)
		;
	end = strchrnul(from, '\n');
	return lkst_err_mark(e, -EINVAL, line, (size_t)(end - line), (size_t)(from - line));
}

int lkst_sql_prepare(struct lkst_err *e, struct lkst_sql *s, const char *all, const char *text,
		     sqlite3_stmt **ret_statement, const char **ret_rest)
{
	sqlite3_stmt *statement = NULL;
	int code, err;

	s->is_refused = false;
	lkst_sql_known_forget(s);
	code = sqlite3_prepare_v2(s->db, text, -1, &statement, ret_rest);
	if (code)
		return statement_failed(e, s, code, all, text);
	*ret_statement = statement;
	/* Blanks or a comment. */
	if (!statement)
		return 0;
	/* Such as VACUUM INTO, about which SQLite does not ask the authorizer. */
	s->is_refused = !sqlite3_column_count(statement) || !sqlite3_stmt_readonly(statement);
	if (s->is_refused)
		return lkst_sql_tell(e, s, 0, SQLITE_AUTH, all, text);
	err = lkst_sql_known_fill(e, s);
	if (lkst_sql_known_nr_gaps(s) > s->nr_gaps)
		s->nr_gaps = lkst_sql_known_nr_gaps(s);
	return lkst_sql_tell(e, s, err, SQLITE_DONE, all, text);
}

int lkst_sql_tell(struct lkst_err *e, const struct lkst_sql *s, int err, int code, const char *all,
		  const char *text)
{
	if (err == -EINTR)
		return lkst_err_set(e, err, "the query was interrupted");
	if (err == -EIO && s->known_code)
		return statement_failed(e, s, s->known_code, all, text);
	if (err == -ENOSPC)
		return statement_failed(e, s, SQLITE_FULL, all, text);
	/* Which says by itself what it is. */
	if (err == -EILSEQ)
		return err;
	if (err)
		return lkst_err_sys(e, err, "answering");
	return code == SQLITE_DONE ? 0 : statement_failed(e, s, code, all, text);
}
