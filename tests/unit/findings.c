// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What stands out in a trace is the same sentence in the same order wherever it is said: by `lkst why`, `lkst report`,
 * `lkst top`, the mcp tool report, the table findings of `lkst sql`, and the account of a bundle or an incident, of
 * which `lkst fleet incidents` has the first.
 */
#include <regex.h>

#include "bundle/bundle_why.h"
#include "cmd/mcp/protocol.h"
#include "cmd/mcp/session.h"
#include "fleet/question.h"
#include "lib/make_trace.h"
#include "lib/run_command.h"
#include "lib/unit.h"

extern const struct lkst_cmd lkst_cmd_why, lkst_cmd_report, lkst_cmd_top, lkst_cmd_sql;

enum { ROOM = 65536 };

static char dir[64];
static struct lkst_err err;

/* Two kernel mutexes taken in both orders; and one who waits a second for an fsync, again and again. */
static const char lines[] =
	"task_rename cpu=0 tid=10 ns=1000 target_tid=10 newcomm=left\n"
	"task_rename cpu=0 tid=11 ns=1000 target_tid=11 newcomm=right\n"
	"task_rename cpu=0 tid=12 ns=1000 target_tid=12 newcomm=writer\n"
	"sched_switch cpu=0 tid=0 ns=100000000 next_tid=10 prev_state=0\n"
	"sched_blocker cpu=0 tid=10 ns=110000000 lock=4096 holder_tid=11 holder_is=1 flags=32\n"
	"sched_switch cpu=0 tid=10 ns=110000000 next_tid=11 prev_state=2 prev_where=1 prev_call=257 prev_args=0,0,0\n"
	"sched_blocker cpu=0 tid=11 ns=120000000 lock=8192 holder_tid=10 holder_is=1 flags=32\n"
	"sched_switch cpu=0 tid=11 ns=120000000 next_tid=12 prev_state=2 prev_where=1 prev_call=257 prev_args=0,0,0\n"
	"sched_switch cpu=0 tid=12 ns=130000000 next_tid=0 prev_state=2 prev_where=1 prev_call=74 prev_args=4,0,0\n"
	"sched_waking cpu=0 tid=0 ns=1130000000 target_tid=12 target_cpu=0 call=-1 context=3\n"
	"sched_switch cpu=0 tid=0 ns=1130001000 next_tid=12 prev_state=0\n"
	"sched_switch cpu=0 tid=12 ns=1140000000 next_tid=0 prev_state=1 prev_where=1 prev_call=230 prev_args=0,0,0,0\n"
	"sched_switch cpu=0 tid=0 ns=2999000000 next_tid=99 prev_state=0\n"
	"sched_switch cpu=0 tid=99 ns=3000000000 next_tid=0 prev_state=1 prev_where=1 prev_call=230 "
	"prev_args=0,0,0,0\n";

static const char *make(void)
{
	static char path[96];
	struct make_trace *m;

	if (dir[0])
		return path;
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	m = make_begin(path, make_catalog(), 4096);
	if (make_text(m, lines)) {
		fprintf(stderr, "%s\n", m->err.text);
		abort();
	}
	if (make_end(m))
		abort();
	return path;
}

static const char *run(const struct lkst_cmd *cmd, const char *words)
{
	make();
	return run_command(cmd, dir, words) ? "" : output;
}

/* Adds the sentences of table @name in @tables, a line each. */
static void add_table(json_t *tables, const char *name, char *list)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(tables, name), "rows"), i, row) {
		strcat(list, json_string_value(json_object_get(row, "text")));
		strcat(list, "\n");
	}
}

static void add_json(const char *text, const char *name, char *list)
{
	json_t *tables = json_loads(text, 0, NULL);

	CHECK(tables);
	add_table(tables, name, list);
	json_decref(tables);
}

static void report_of_mcp(const char *path, char *list)
{
	_cleanup_(lkst_mcp_session_fini) struct lkst_mcp_session s = { .path = path };
	_cleanup_(lkst_mcp_question_fini) struct lkst_mcp_question q = {};
	_cleanup_(lkst_mcp_page_fini) struct lkst_mcp_page page = {};
	json_t *answer, *tables;

	CHECK_EQ(lkst_mcp_page_init(&err, &page), 0);
	CHECK_EQ(lkst_mcp_question_parse(&err, lkst_mcp_tool_find("report"), "{\"limit\":500}", &q), 0);
	CHECK_EQ(lkst_mcp_session_answer(&err, &s, &q, &page), 0);
	answer = json_loadb(page.json->buffer, page.json->used, 0, NULL);
	CHECK(answer);
	tables = json_object_get(answer, "tables");
	add_table(tables, "waiting", list);
	add_table(tables, "hung", list);
	json_decref(answer);
}

static void sentences_of_sql(char *list)
{
	/* Its words are told apart by blanks. */
	const char *at = run(&lkst_cmd_sql, "--format json TRACE "
					    "select\ttext\tfrom\tfindings\torder\tby\tanalysis\tdesc,number");
	json_t *rows = json_loads(at, 0, NULL), *row;
	size_t i;

	CHECK(rows);
	json_array_foreach(json_is_array(rows) ? rows : json_object_get(rows, "rows"), i, row) {
		strcat(list, json_string_value(json_object_get(row, "text")));
		strcat(list, "\n");
	}
	json_decref(rows);
}

/* That the list of a fleet has the first of @list, which it finds in account @text. */
static void check_fleet(const char *text, const char *list)
{
	char first[ROOM], *to = first;
	regmatch_t parts[2];
	regex_t pattern;
	regoff_t i;

	CHECK_EQ(regcomp(&pattern, LKST_FLEET_FINDING_PATTERN, REG_EXTENDED), 0);
	CHECK_EQ(regexec(&pattern, text, 2, parts, 0), 0);
	for (i = parts[1].rm_so; i < parts[1].rm_eo; i++) {
		*to++ = text[i] == '\n' ? ' ' : text[i];
		i += text[i] == '\n' ? 4 : 0;
	}
	*to++ = '\n';
	*to = '\0';
	CHECK(strchr(list, '\n') && (size_t)(to - first) == strcspn(list, "\n") + 1);
	CHECK(!strncmp(first, list, strlen(first)));
	/* Without a finding there is none, whatever comes later. */
	CHECK(regexec(&pattern, "## " LKST_CAUSES_HEADING "\nNote: Nothing.\n## x\n#1  y\n", 2, parts, 0));
	regfree(&pattern);
}

/* Those of the account, below its first two headings: "#1  ..." with what does not fit a line below it. */
static void sentences_of_account(const char *path, char *list)
{
	static const struct lkst_moment none;
	struct lkst_bundle_text text = {};
	struct lkst_trace *t = NULL;
	const char *at, *end;
	char *to = list + strlen(list);

	CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
	CHECK_EQ(lkst_bundle_tell_why(&err, &none, t, &text), 0);
	end = text.bytes + text.length;
	for (at = text.bytes; at < end; at++) {
		if (*at != '#' || at[1] < '0' || at[1] > '9' || (at > text.bytes && at[-1] != '\n'))
			continue;
		for (at += strcspn(at, " "); *at == ' '; at++)
			;
		for (; at < end && (*at != '\n' || (at + 4 < end && !strncmp(at + 1, "    ", 4))); at++) {
			*to++ = *at == '\n' ? ' ' : *at;
			at += *at == '\n' ? 4 : 0;
		}
		*to++ = '\n';
	}
	*to = '\0';
	check_fleet(text.bytes, list);
	free(text.bytes);
	lkst_trace_close(t);
}

TEST(findings_are_the_same_wherever_they_are_said)
{
	static char why[ROOM], report[ROOM], top[ROOM], mcp[ROOM], sql[ROOM], account[ROOM];
	const char *path = make();

	add_json(run(&lkst_cmd_why, "--format json TRACE"), "waiting", why);
	CHECK(strstr(why, "writer waited in fsync()"));
	add_json(run(&lkst_cmd_why, "--hung --format json TRACE"), "hung", why);
	CHECK(strstr(why, "deadlock: 10/left"));

	run(&lkst_cmd_report, "--format json TRACE");
	add_json(output, "waiting", report);
	add_json(output, "hung", report);
	CHECK_STR(report, why);
	/* The stretch that it looks at is all of the trace; what has not ended is no part of it. */
	run(&lkst_cmd_top, "--format json TRACE");
	add_json(output, "waiting", top);
	CHECK(top[0] && !strncmp(top, why, strlen(top)));
	report_of_mcp(path, mcp);
	CHECK_STR(mcp, why);
	sentences_of_sql(sql);
	CHECK_STR(sql, why);
	sentences_of_account(path, account);
	CHECK_STR(account, why);
}

static const struct unit_test tests[] = {
	{ "findings_are_the_same_wherever_they_are_said", test_findings_are_the_same_wherever_they_are_said },
};
UNIT_MAIN(tests)
