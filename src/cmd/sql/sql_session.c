/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers queries of lkst sql, wherever they come from. */
#include "cmd/sql/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "cmd/frame/end_signals.h"
#include "cmd/readers/code_naming.h"
#include "cmd/sql/sql_shell.h"

/*
 * Ctrl-C ends the query; the second one during the same query ends the command. Without SA_RESTART, so that it also
 * ends the reading of a line.
 */
static void sql_session_await_interrupt(void)
{
	lkst_end_flag_clear();
	lkst_end_flag_by(SIGINT, SA_RESETHAND);
}

bool lkst_sql_was_interrupted(void)
{
	bool was = *lkst_end_flag();

	sql_session_await_interrupt();
	return was;
}

/* Says what the answer lacks. */
static int tell_missing(struct lkst_err *e, struct lkst_sql_session *session)
{
	_cleanup_(lkst_notes_fini) struct lkst_notes notes = {};
	const unsigned long long nr = lkst_sql_nr_gaps(session->sql);
	int err = lkst_sql_note_left_out(e, session->sql, &notes);
	unsigned int i;

	if (nr)
		lkst_print_message(
			stderr,
			"note: records are missing in %llu places that were read, and are not "
			"in the answer; `lkst print` shows where.",
			nr);
	for (i = 0; i < notes.nr; i++)
		lkst_print_message(stderr, "note: %s", notes.text[i]);
	return err;
}

int lkst_sql_answer(struct lkst_err *e, struct lkst_sql_session *session, const char *text)
{
	bool has_answer = false;
	int err, flush_err;

	sql_session_await_interrupt();
	err = lkst_sql_command(e, session, text);
	if (err == LKST_SQL_NO_COMMAND) {
		err = lkst_sql_run(e, session->sql, text, session->format, session->out);
		has_answer = true;
	}
	sql_session_await_interrupt();
	flush_err = lkst_out_flush(session->out);
	if (has_answer && !err)
		err = tell_missing(e, session);
	if (!err && flush_err)
		err = lkst_err_sys(e, flush_err, "writing");
	return err;
}

/* Adds a line to what was given of a statement. */
static int sql_session_append(struct lkst_err *e, char **text, const char *line)
{
	size_t length = *text ? strlen(*text) : 0;
	char *more;

	if (length + strlen(line) > LKST_SQL_TEXT_MAX)
		return lkst_err_set(e, -E2BIG, "the query is longer than %d bytes",
				    LKST_SQL_TEXT_MAX);
	if (asprintf(&more, "%s%s%s", *text ?: "", *text ? "\n" : "", line) < 0)
		return lkst_err_sys(e, -ENOMEM, "reading a query");
	free(*text);
	*text = more;
	return 0;
}

int lkst_sql_take_line(struct lkst_err *e, char **text, const char *line, bool *ret_is_whole)
{
	const char *first = line + strspn(line, " \t\r\n;");
	int err;

	*ret_is_whole = false;
	if (!*text && (!*first || !strncmp(first, "--", 2)))
		return 0;
	err = sql_session_append(e, text, line);
	if (!err)
		*ret_is_whole = *text[0] == '.' || lkst_sql_is_complete(*text);
	return err;
}

/*
 * Answers what standard input has, a statement at a time; the last one needs no semicolon. For a Parquet file, which
 * takes one answer, all is given at once, so that a second statement is refused.
 */
static int run_input(struct lkst_err *e, struct lkst_sql_session *session)
{
	_cleanup_free_ char *line = NULL, *text = NULL;
	bool is_one_file = session->format == LKST_SQL_PARQUET, is_whole = false;
	size_t room = 0;
	int err = 0;

	while (!err && !session->is_over) {
		if (getline(&line, &room, stdin) < 0) {
			if (ferror(stdin))
				return lkst_err_sys(e, -errno, "reading the queries");
			break;
		}
		line[strcspn(line, "\r\n")] = 0;
		err = lkst_sql_take_line(e, &text, line, &is_whole);
		if (err || !is_whole || is_one_file)
			continue;
		err = lkst_sql_answer(e, session, text);
		free(text);
		text = NULL;
	}
	return err || !(text || is_one_file) ? err : lkst_sql_answer(e, session, text ?: "");
}

/* What is asked for at a terminal is answered there. */
static int sql_session_check(struct lkst_err *e, unsigned int format, const char *path, const char *query)
{
	if (!query && path && isatty(STDIN_FILENO))
		return lkst_err_set(
			e, -EINVAL,
			"a file of answers needs a query, or queries on standard input");
	if (format == LKST_SQL_PARQUET && !query && isatty(STDIN_FILENO))
		return lkst_err_set(e, -EINVAL, "a Parquet file needs a query");
	if (format == LKST_SQL_PARQUET && !path && isatty(STDOUT_FILENO))
		return lkst_err_set(e, -EINVAL,
				    "a Parquet file is not for a terminal; try again with -o FILE");
	return 0;
}

static int answer_all(struct lkst_err *e, struct lkst_sql_session *session, const char *query)
{
	if (query)
		return lkst_sql_answer(e, session, query);
	return isatty(STDIN_FILENO) ? lkst_sql_shell(e, session) : run_input(e, session);
}

int lkst_sql_session_run(struct lkst_err *e, const struct lkst_reading *r, unsigned int format,
			 const char *path, const char *query)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	_cleanup_(lkst_code_naming_end) struct lkst_code_namer namer = {};
	_cleanup_(lkst_sql_closep) struct lkst_sql *sql = NULL;
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_sql_session session = { .format = format, .out = out };
	int err = sql_session_check(e, format, path, query);

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "preparing for queries");
	if (!err && path)
		err = lkst_check_replaceable(e, path) ?:
		      lkst_new_file_open(e, NULL, AT_FDCWD, path, &file);
	lkst_out_init(out, path ? file.fd : STDOUT_FILENO);
	if (!err && lkst_reading_one(r))
		err = lkst_code_naming_begin(e, lkst_reading_one(r), &namer);
	err = err ?: lkst_sql_open_reading(e, r, lkst_end_flag(), &sql);
	if (err)
		return err;
	lkst_sql_name_code(sql, namer);
	session.sql = sql;
	sql_session_await_interrupt();
	signal(SIGPIPE, SIG_DFL);
	err = answer_all(e, &session, query);
	return err || !path ? err : lkst_new_file_place(e, &file);
}
