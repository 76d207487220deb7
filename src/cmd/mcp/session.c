/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace that is asked again and again. */
#include "cmd/mcp/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sql/query/rows.h"

enum { DEPTH = 2 }; /* a trace's directory, and its parts */

bool lkst_mcp_session_has(struct lkst_mcp_session *s, const struct lkst_mcp_question *q)
{
	if (s->has_answer && s->hash == q->hash)
		return true;
	lkst_mcp_session_drop(s);
	s->hash = q->hash;
	return false;
}

void lkst_mcp_session_drop(struct lkst_mcp_session *s)
{
	lkst_shown_tables_fini(&s->tables);
	if (s->account_fini)
		s->account_fini(&s->account);
	s->account_fini = NULL;
	lkst_sql_rows_free(s->rows);
	s->rows = NULL;
	s->rows_given = 0;
	s->has_answer = false;
}

/* Adds up the files of @path, a file or a directory with at most @depth further levels. What cannot be read is not. */
static void session_add_files(int at, const char *path, unsigned int depth, struct lkst_mcp_files *files)
{
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int fd;

	if (fstatat(at, path, &st, 0))
		return;
	files->nr++;
	files->bytes += S_ISREG(st.st_mode) ? (u64)st.st_size : 0;
	if (!S_ISDIR(st.st_mode) || !depth)
		return;
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			session_add_files(fd, entry->d_name, depth - 1, files);
	closedir(dir);
}

static void close_trace(struct lkst_mcp_session *s)
{
	lkst_mcp_session_drop(s);
	lkst_sql_close(s->sql);
	lkst_code_naming_end(&s->namer);
	lkst_reading_close(&s->reading);
	s->sql = NULL;
	s->trace = NULL;
}

/* Opens the trace, unless it is open and the same. */
static int session_open_trace(struct lkst_err *e, struct lkst_mcp_session *s, bool is_continued)
{
	struct lkst_mcp_files files = {};
	char *path = (char *)s->path;
	int err;

	if (s->trace && is_continued)
		return 0;
	session_add_files(AT_FDCWD, s->path, DEPTH, &files);
	if (s->trace && files.nr == s->files.nr && files.bytes == s->files.bytes)
		return 0;
	close_trace(s);
	s->files = files;
	err = lkst_cmd_open_trace(e, &path, 1, &s->trace) ?: lkst_reading_take(e, &s->trace, 1, &s->reading);
	s->trace = lkst_reading_one(&s->reading);
	return err ?: lkst_code_naming_begin(e, s->trace, &s->namer);
}

int lkst_mcp_session_answer(struct lkst_err *e, struct lkst_mcp_session *s,
			    const struct lkst_mcp_question *q, struct lkst_mcp_page *page)
{
	int err = session_open_trace(e, s, q->is_continued);

	if (err)
		return err;
	err = q->tool->answer(e, s, q, page);
	if (!err && (page->text->error || page->json->error ||
		     page->text->used > LKST_MCP_TEXT_MAX || page->json->used > LKST_MCP_JSON_MAX))
		err = lkst_err_set(
			e, -E2BIG,
			"a part of the answer is larger than an answer may be: ask for less");
	if (err)
		lkst_mcp_session_drop(s);
	return err;
}

void lkst_mcp_session_fini(struct lkst_mcp_session *s)
{
	close_trace(s);
}
