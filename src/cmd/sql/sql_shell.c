/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interactive side of lkst sql: lines with history and completion, by libedit, whose licence goes with this
 * program's, or as a terminal gives them; and commands that begin with a dot.
 */
#include "cmd/sql/sql_shell.h"

#include <ctype.h>
#ifndef LKST_NO_EDIT
#include <editline/readline.h>
#endif
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/frame/cmd.h"

enum {
	NAME_COLUMN = 26, /* where .tables has what tables are */
	WORD_MAX = 256,
	HISTORY_MAX = 1000,
};

/* ---- commands -------------------------------------------------------------------------------- */

struct command {
	const char *name, *argument, *help;
	int (*run)(struct lkst_err *e, struct lkst_sql_session *session, const char *argument);
};

static int run_tables(struct lkst_err *e, struct lkst_sql_session *session, const char *pattern)
{
	const char *name, *help;
	unsigned int i;
	char *p;

	for (i = 0; lkst_sql_table(session->sql, i, &name, &help); i++) {
		size_t length = strlen(name);

		if (pattern[0] && !strstr(name, pattern))
			continue;
		p = lkst_out_room(session->out);
		p = lkst_out_escaped(session->out, p, name, length, "");
		for (; help && length < NAME_COLUMN; length++)
			*p++ = ' ';
		if (help)
			p = lkst_out_escaped(session->out, lkst_put_str(p, " "), help, strlen(help), "");
		*p++ = '\n';
		lkst_out_advance(session->out, p);
	}
	return 0;
}

static int run_schema(struct lkst_err *e, struct lkst_sql_session *session, const char *name)
{
	if (!name[0])
		return lkst_err_set(e, -EINVAL, ".schema takes a table; .tables lists them");
	return lkst_sql_schema(e, session->sql, name, session->out);
}

static int run_quit(struct lkst_err *e, struct lkst_sql_session *session, const char *argument)
{
	session->is_over = true;
	return 0;
}

static int run_help(struct lkst_err *e, struct lkst_sql_session *session, const char *argument);

static const struct command commands[] = {
	{ ".tables", "[TEXT]", "the tables, or those with TEXT in their names", run_tables },
	{ ".schema", "TABLE", "the table's columns, and what they say", run_schema },
	{ ".help", "", "this list", run_help },
	{ ".quit", "", "ends; so does Ctrl-D", run_quit },
};
enum { NR_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static int run_help(struct lkst_err *e, struct lkst_sql_session *session, const char *argument)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		lkst_out_printf(session->out, "%-8s %-7s  %s\n", commands[i].name,
				commands[i].argument, commands[i].help);
	lkst_out_str(session->out,
		     "All else is a query, which ends with a semicolon: select count(*) from "
		     "events;\nCtrl-C ends a query that takes too long.\n");
	return 0;
}

int lkst_sql_command(struct lkst_err *e, struct lkst_sql_session *session, const char *text)
{
	char name[WORD_MAX], argument[WORD_MAX] = "";
	size_t i;

	text += strspn(text, " \t\n");
	if (text[0] != '.')
		return LKST_SQL_NO_COMMAND;
	if (sscanf(text, "%255s %255s", name, argument) < 1)
		return LKST_SQL_NO_COMMAND;
	if (session->format == LKST_SQL_PARQUET)
		return lkst_err_set(e, -EINVAL,
				    "a Parquet file has the answer of a query, not of %s", name);
	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run(e, session, argument);
	return lkst_err_set(e, -EINVAL, "there is no command \"%s\"; .help lists them", name);
}

#ifdef LKST_NO_EDIT
/* ---- lines of the terminal -------------------------------------------------------------------- */

static void begin_lines(const struct lkst_sql_session *session)
{
	printf("This lkst was built without libedit: lines have no history and no completion.\n");
}

/* The next line, malloc'ed; NULL: the end, or Ctrl-C. */
static char *next_line(const char *prompt)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;

	printf("%s", prompt);
	fflush(stdout);
	if (getline(&line, &room, stdin) < 0) {
		clearerr(stdin);
		return NULL;
	}
	line[strcspn(line, "\r\n")] = 0;
	return lkst_take(line);
}

static void keep_line(const char *text)
{
}

static void end_lines(void)
{
}
#else
/* ---- completion ------------------------------------------------------------------------------ */

static const struct lkst_sql_session *completing; /* libedit has no argument for it */

static const char *const words[] = {
	"select", "from", "where",  "group by", "order by", "limit",	  "between", "count(*)",
	"sum(",	  "join", "having", "distinct", "desc",	    "time_text(", "symbol(", "quantile(",
};
enum { NR_WORDS = sizeof(words) / sizeof(words[0]) };

/* Where a walk over all that can be typed is: the list in use, and the next of it. */
struct sql_shell_walk {
	unsigned int word, command, table, column;
	bool has_table;
};

static const char *next_name(struct sql_shell_walk *w)
{
	const char *name, *help;

	if (w->word < NR_WORDS)
		return words[w->word++];
	if (w->command < NR_COMMANDS)
		return commands[w->command++].name;
	while (lkst_sql_table(completing->sql, w->table, &name, &help)) {
		if (!w->has_table) {
			w->has_table = true;
			return name;
		}
		name = lkst_sql_column(completing->sql, w->table, w->column++);
		if (name)
			return name;
		w->table++;
		w->column = 0;
		w->has_table = false;
	}
	return NULL;
}

/* The next name that begins with @text, for libedit, which frees it; @state 0: the first. */
static char *sql_shell_complete(const char *text, int state)
{
	static struct sql_shell_walk walk;
	const char *name;

	if (!state)
		walk = (struct sql_shell_walk){};
	while ((name = next_name(&walk)))
		if (!strncasecmp(name, text, strlen(text)))
			return strdup(name);
	return NULL;
}

static char **complete_word(const char *text, int start, int end)
{
	rl_attempted_completion_over = 1; /* no names of files */
	return rl_completion_matches(text, sql_shell_complete);
}

/* ---- lines of libedit ------------------------------------------------------------------------- */

/* "" if the user has no home. */
static void history_path(char path[PATH_MAX])
{
	const char *home = getenv("HOME");

	path[0] = 0;
	if (home && home[0])
		snprintf(path, PATH_MAX, "%s/.lkst_sql_history", home);
}

static void begin_lines(const struct lkst_sql_session *session)
{
	char path[PATH_MAX];

	completing = session;
	rl_readline_name = (char *)"lkst";
	rl_catch_signals = 0; /* Ctrl-C is for the query */
	rl_attempted_completion_function = complete_word;
	rl_completer_word_break_characters = (char *)" \t\n,()=<>*\"'";
	using_history();
	stifle_history(HISTORY_MAX);
	history_path(path);
	if (path[0])
		read_history(path);
}

static char *next_line(const char *prompt)
{
	return readline(prompt);
}

static void keep_line(const char *text)
{
	add_history(text);
}

static void end_lines(void)
{
	char path[PATH_MAX];

	history_path(path);
	if (path[0])
		write_history(path);
}
#endif

/* ---- the loop -------------------------------------------------------------------------------- */

/* Answers @text, and says what is wrong with it. */
static void sql_shell_answer(struct lkst_sql_session *session, const char *text)
{
	struct lkst_err e = {};
	int err = lkst_sql_answer(&e, session, text);

	if (err)
		lkst_cmd_print_error(&lkst_cmd_sql, &e, err);
}

/* Takes in a line. Whole queries, and commands, are answered. */
static int sql_shell_take_line(struct lkst_err *e, struct lkst_sql_session *session, char **text,
			       const char *line)
{
	bool is_whole;
	int err = lkst_sql_take_line(e, text, line, &is_whole);

	if (err || !is_whole)
		return err;
	keep_line(*text);
	sql_shell_answer(session, *text);
	free(*text);
	*text = NULL;
	return 0;
}

int lkst_sql_shell(struct lkst_err *e, struct lkst_sql_session *session)
{
	_cleanup_free_ char *text = NULL;
	int err = 0;

	begin_lines(session);
	printf("Queries end with a semicolon; .help lists the commands, .tables the tables.\n");
	while (!err && !session->is_over) {
		_cleanup_free_ char *line = next_line(text ? "   ...> " : "lkst> ");

		if (line) {
			err = sql_shell_take_line(e, session, &text, line);
		} else if (lkst_sql_was_interrupted()) {
			/* Ctrl-C: what was typed is dropped. */
			free(text);
			text = NULL;
			printf("\n");
		} else {
			break;
		}
	}
	end_lines();
	printf(session->is_over ? "" : "\n");
	return err;
}
