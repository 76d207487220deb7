/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst why: what programs logged of the request that an explained span belongs to. */
#include "cmd/read/why_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "bundle/journal.h"

enum { COLUMNS = 4 };

/* A line as lkst_bundle_tell_journal() writes it, taken apart. */
struct why_log_line {
	u64 ns; /* time of day */
	const char *priority, *who, *message;
};

/* Reads "2026-11-21T12:14:05.123456Z". */
static bool why_log_parse_time(const char *text, u64 *ret_ns)
{
	struct tm tm = {};
	unsigned int us;
	time_t seconds;
	int end = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%6uZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us, &end) != 7 ||
	    !end || text[end] || us >= 1000000)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	seconds = timegm(&tm);
	if (seconds < 0)
		return false;
	*ret_ns = (u64)seconds * LKST_NS_PER_S + us * 1000ULL;
	return true;
}

/* @text is changed: its columns become strings. */
static bool why_log_parse_line(char *text, struct why_log_line *ret_line)
{
	const char *column[COLUMNS];
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
		column[i] = strsep(&text, i + 1 < COLUMNS ? "\t" : "");
		if (!column[i])
			return false;
	}
	*ret_line = (struct why_log_line){ .priority = column[1], .who = column[2], .message = column[3] };
	return why_log_parse_time(column[0], &ret_line->ns);
}

static void why_log_add_line(struct lkst_account *a, struct lkst_account_step *span,
			     const struct why_log_line *line, u64 ns)
{
	struct lkst_account_step *s = lkst_account_add(a, span, "log", ns, ns, span->tid);

	lkst_account_text(a, s, "who", line->who, strlen(line->who));
	lkst_account_say(a, s, " logged: ");
	lkst_account_text(a, s, "message", line->message, strlen(line->message));
	if (*line->priority >= '0' && *line->priority <= '7')
		lkst_account_fact(a, s, "priority", LKST_ACCOUNT_NUMBER,
				  (u64)(*line->priority - '0'));
}

/* Adds the lines of @text that have @id; what else it says is a note if @has_remarks. */
static void add_lines(struct lkst_account *a, struct lkst_account_step *span,
		      const struct lkst_trace *t, char *text, const char *id, bool has_remarks)
{
	const u64 offset_ns = lkst_trace_catalog(t)->clock_offset_ns;
	u64 nr = 0;
	char *at;

	while ((at = strsep(&text, "\n"))) {
		struct why_log_line line;

		if (*at == '#' && has_remarks)
			lkst_notes_add(&a->notes, "The journal: %s.", at + strspn(at, "# "));
		if (*at == '#' || !strcasestr(at, id) || !why_log_parse_line(at, &line) ||
		    line.ns < offset_ns)
			continue;
		if (nr++ < LKST_WHY_LOG_LINES)
			why_log_add_line(a, span, &line, line.ns - offset_ns);
	}
	if (nr > LKST_WHY_LOG_LINES)
		lkst_notes_add(&a->notes,
			       "%llu more lines of the journal have the request's number.",
			       (unsigned long long)(nr - LKST_WHY_LOG_LINES));
}

static int why_log_read_machine(struct lkst_err *e, const struct lkst_trace *t, const char *id,
				struct lkst_bundle_text *ret_text)
{
	const u64 offset_ns = lkst_trace_catalog(t)->clock_offset_ns;
	struct lkst_bundle_journal journal = { .directory = secure_getenv(LKST_JOURNAL_VARIABLE),
					       .having = id };

	lkst_trace_range(t, &journal.from_ns, &journal.to_ns);
	journal.from_ns += offset_ns;
	journal.to_ns += offset_ns;
	return lkst_bundle_tell_journal(e, &journal, ret_text);
}

/* Takes the journal's lines out of the bundle at @path; none, where it is a trace of another form. */
static void read_bundle(const char *path, struct lkst_bundle_text *ret_text)
{
	struct lkst_bundle bundle;
	struct lkst_err ignored;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || lkst_bundle_open(&ignored, path, &bundle))
		return;
	*ret_text = bundle.parts[LKST_BUNDLE_JOURNAL];
	bundle.parts[LKST_BUNDLE_JOURNAL] = (struct lkst_bundle_text){};
	lkst_bundle_fini(&bundle);
}

int lkst_why_add_log(struct lkst_err *e, struct lkst_account *a, const struct lkst_trace *t,
		     const struct lkst_why_log *log)
{
	struct lkst_account_step *span = a->root.steps;
	const struct lkst_account_part *request = span ? lkst_account_find(span, "request") : NULL;
	struct lkst_bundle_text text = {};
	int err = 0;

	if (!request) {
		if (log->is_of_machine)
			lkst_notes_add(
				&a->notes,
				"No line of the journal can be looked for: what is explained is not a span of a "
				"request (lkst_mark_traceparent).");
		return 0;
	}
	if (log->is_of_machine)
		err = why_log_read_machine(e, t, request->text, &text);
	else if (log->path)
		read_bundle(log->path, &text);
	if (!err && text.bytes)
		add_lines(a, span, t, text.bytes, request->text, log->is_of_machine);
	free(text.bytes);
	if (err)
		return err;
	return a->error ? lkst_err_sys(e, a->error, "explaining") : 0;
}
