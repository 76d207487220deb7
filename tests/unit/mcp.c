/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * lkst mcp: lines, messages, arguments, which traces, and that pages have every row once.
 */
#include <errno.h>

#include "cmd/mcp/allowed.h"
#include "cmd/mcp/lines.h"
#include "cmd/mcp/protocol.h"
#include "cmd/mcp/session.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;

/* ---- lines ------------------------------------------------------------------------------------- */

static char taken[256];

static void take(void *ctx, char *bytes, size_t length)
{
	size_t used = strlen(taken);

	if (bytes)
		snprintf(taken + used, sizeof(taken) - used, "<%.*s>", (int)length, bytes);
	else
		snprintf(taken + used, sizeof(taken) - used, "<too long>");
}

/* However a line is cut into pieces, it is the same. */
TEST(mcp_lines)
{
	static const char text[] = "one\n\ntwo\nthree";
	size_t piece, at;

	for (piece = 1; piece < sizeof(text); piece++) {
		struct lkst_mcp_lines l = {};

		taken[0] = 0;
		for (at = 0; at < strlen(text); at += piece)
			CHECK(!lkst_mcp_lines_feed(
				&l, text + at,
				piece < strlen(text) - at ? piece : strlen(text) - at, take, NULL));
		CHECK_STR(taken, "<one><two>");
		lkst_mcp_lines_end(&l, take, NULL);
		CHECK_STR(taken, "<one><two><three>");
	}
}

/* A line that is too long takes no more memory than one that is not, and the next one is read. */
TEST(mcp_long_lines)
{
	static char part[4096];
	struct lkst_mcp_lines l = {};
	unsigned int i;

	taken[0] = 0;
	memset(part, 'x', sizeof(part));
	for (i = 0; i < 4 * LKST_MCP_LINE_MAX / sizeof(part); i++) {
		CHECK(!lkst_mcp_lines_feed(&l, part, sizeof(part), take, NULL));
		CHECK(l.room <= LKST_MCP_LINE_MAX);
	}
	CHECK(!lkst_mcp_lines_feed(&l, "\nnext\n", 6, take, NULL));
	CHECK_STR(taken, "<too long><next>");
	lkst_mcp_lines_fini(&l);
}

/* ---- messages ---------------------------------------------------------------------------------- */

/* A server whose only tool answers when it is told to. */
static char sent[1 << 16];
static u64 called[128], cancelled;
static unsigned int nr_called;

static void keep(void *ctx, const char *line, size_t length)
{
	size_t used = strlen(sent);

	snprintf(sent + used, sizeof(sent) - used, "%.*s\n", (int)length, line);
}

static json_t *no_tools(void *ctx, bool has_results)
{
	return json_array();
}

static bool is_tool(void *ctx, const char *name)
{
	return !strcmp(name, "tool");
}

static void remember(void *ctx, u64 number, const char *tool, const char *arguments)
{
	called[nr_called++] = number;
}

static void forget(void *ctx, u64 number)
{
	cancelled = number;
}

static const struct lkst_mcp_ops ops = { keep, no_tools, is_tool, remember, forget, "how to ask" };

/* What a server that has begun in @version sends for @line. */
static struct lkst_mcp_server *begin(const char *version)
{
	struct lkst_mcp_server *s = lkst_mcp_server_new(&ops, NULL);
	char line[256];

	nr_called = 0;
	cancelled = 0;
	snprintf(
		line, sizeof(line),
		"{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\"}}",
		version);
	sent[0] = 0;
	lkst_mcp_server_line(s, line, strlen(line));
	return s;
}

static const char *say(struct lkst_mcp_server *s, const char *line)
{
	_cleanup_free_ char *copy = strdup(line);

	sent[0] = 0;
	lkst_mcp_server_line(s, copy, strlen(copy));
	return sent;
}

/* Of the answer to @line alone: the code of its error, 0 if it is a result, 1 if there is none. */
static int code_of(struct lkst_mcp_server *s, const char *line)
{
	json_t *answer;
	int code;

	say(s, line);
	if (!sent[0])
		return 1;
	answer = json_loads(sent, 0, NULL);
	code = (int)json_integer_value(json_object_get(json_object_get(answer, "error"), "code"));
	json_decref(answer);
	return code;
}

/* https://www.jsonrpc.org/specification: each error has its code, and the server goes on. */
TEST(mcp_errors)
{
	static const struct {
		const char *line;
		int code;
	} cases[] = {
		{ "{", -32700 },
		{ "nothing", -32700 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", -32700 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", -32700 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"ping\"}", -32700 },
		{ "1", -32600 },
		{ "[]", -32600 },
		{ "{}", -32600 },
		{ "{\"id\":1,\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":3}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing\"}", -32601 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
		  -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"tool\","
		  "\"arguments\":[]}}",
		  -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"1\"}}",
		  -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":\"x\"}}",
		  -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":7}}",
		  -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{}}",
		  -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
		  "\"lkst://event/no\"}}",
		  -32002 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"completion/complete\",\"params\":{}}",
		  -32602 },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/any\"}", 1 },
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}", 1 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 1 },
		{ "  ", 1 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r", 0 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"ping\"}", 0 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", 0 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/templates/list\"}", 0 },
	};
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *s = begin("2025-06-18");
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (code_of(s, cases[i].line) != cases[i].code)
			CHECK_STR(cases[i].line, sent);
	sent[0] = 0;
	lkst_mcp_server_line(s, NULL, 0);
	CHECK(strstr(sent, "-32600"));
}

/* Brackets within brackets: jansson allows 2048. */
TEST(mcp_nesting)
{
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *s = begin("2025-03-26");
	static char line[200001];

	memset(line, '[', sizeof(line) - 1);
	CHECK_EQ(code_of(s, line), -32700);
	memset(line, 0, sizeof(line));
	memset(line, '[', 1000);
	memset(line + 1000, ']', 1000);
	say(s, line);
	CHECK(strstr(sent, "-32600"));
}

/* A version that is known is answered with itself, another one with the newest. */
TEST(mcp_versions)
{
	static const char *const asked[][2] = {
		{ "2024-11-05", "2024-11-05" }, { "2025-03-26", "2025-03-26" },
		{ "2025-06-18", "2025-06-18" }, { "2025-11-25", "2025-06-18" },
		{ "1999-01-01", "2025-06-18" },
	};
	char want[64];
	size_t i;

	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		lkst_mcp_server_free(begin(asked[i][0]));
		snprintf(want, sizeof(want), "\"protocolVersion\":\"%s\"", asked[i][1]);
		CHECK(strstr(sent, want));
	}
}

#define CALL(id)                                                                                   \
	"{\"jsonrpc\":\"2.0\",\"id\":" #id                                                         \
	",\"method\":\"tools/call\",\"params\":{\"name\":\"tool\"}}"

static const struct lkst_mcp_reply done = {
	.text = "a \"b\"\n", .text_length = 6, .json = "{\"a\":\n1}", .json_length = 8
};

/* Answers come when they are there, in any order; others meanwhile. Programs get a result since 2025-06-18. */
TEST(mcp_calls)
{
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *s = begin("2025-06-18");
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *old = NULL;

	CHECK_STR(say(s, CALL(1)), "");
	CHECK_STR(say(s, CALL("two")), "");
	CHECK(strstr(say(s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}"), "\"id\":3"));
	CHECK_EQ(lkst_mcp_server_nr_calls(s), 2);
	sent[0] = 0;
	lkst_mcp_server_answer(s, called[1], &done);
	CHECK_STR(
		sent,
		"{\"jsonrpc\":\"2.0\",\"id\":\"two\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
		"\"a \\\"b\\\"\\n\"}],\"structuredContent\":{\"a\": 1},\"isError\":false}}\n");
	/* One that is cancelled is not answered, and one that was answered is not there to cancel. */
	say(s,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"two\"}}");
	CHECK_EQ(cancelled, 0);
	say(s,
	    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
	CHECK_EQ(cancelled, called[0]);
	lkst_mcp_server_answer(s, called[0], &done);
	CHECK_STR(sent, "");
	old = begin("2025-03-26");
	say(old, CALL(1));
	lkst_mcp_server_answer(old, called[0], &done);
	CHECK(strstr(sent, "\"content\"") && !strstr(sent, "structuredContent"));
}

/* No more calls wait than may, and then there is room again. */
TEST(mcp_many_calls)
{
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *s = begin("2025-06-18");
	unsigned int i;

	for (i = 0; i < LKST_MCP_CALLS_MAX; i++)
		CHECK_STR(say(s, CALL(1)), "");
	CHECK_EQ(code_of(s, CALL(1)), -32000);
	lkst_mcp_server_answer(s, called[7], &done);
	CHECK_STR(say(s, CALL(1)), "");
}

/* Several messages in one line are answered in one, when all are; version 2025-06-18 has no such lines. */
TEST(mcp_batches)
{
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *s = begin("2025-03-26");
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *new = NULL;
	json_t *answer;

	CHECK_STR(say(s, "[" CALL(1) ",{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"},3," CALL(
				 4) "]"),
		  "");
	lkst_mcp_server_answer(s, called[1], &done);
	CHECK_STR(sent, "");
	lkst_mcp_server_answer(s, called[0], &done);
	answer = json_loads(sent, 0, NULL);
	CHECK_EQ(json_array_size(answer), 4);
	json_decref(answer);
	CHECK_STR(say(s, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/any\"}]"), "");
	new = begin("2025-06-18");
	CHECK_EQ(code_of(new, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]"), -32600);
}

/* Every resource that is listed can be read, once, and its pages end. */
TEST(mcp_resources)
{
	_cleanup_(lkst_mcp_server_freep) struct lkst_mcp_server *s = begin("2025-06-18");
	char line[512], cursor[64] = "";
	unsigned int nr = 0, pages = 0;
	json_t *answer, *list, *one;
	const char *next;
	size_t i;

	do {
		snprintf(
			line, sizeof(line),
			"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\",\"params\":{%s}}",
			cursor);
		answer = json_loads(say(s, line), 0, NULL);
		list = json_object_get(json_object_get(answer, "result"), "resources");
		json_array_foreach(list, i, one) {
			snprintf(line, sizeof(line),
				 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
				 "\"params\":{\"uri\":\"%s\"}}",
				 json_string_value(json_object_get(one, "uri")));
			CHECK_EQ(code_of(s, line), 0);
			nr++;
		}
		next = json_string_value(
			json_object_get(json_object_get(answer, "result"), "nextCursor"));
		snprintf(cursor, sizeof(cursor), "\"cursor\":\"%s\"", next ?: "");
		pages += next != NULL;
		json_decref(answer);
	} while (next && pages < 100);
	CHECK(pages < 100 && nr > LKST_NR_EVENTS);
	CHECK(strstr(
		say(s,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
		    "\"lkst://event/compat_syscall_exit_read\"}}"),
		"compat_syscall_entry_read"));
}

/* ---- questions --------------------------------------------------------------------------------- */

static const char *refusal(const char *tool, const char *arguments)
{
	_cleanup_(lkst_mcp_question_fini) struct lkst_mcp_question q = {};

	err = (struct lkst_err){};
	return lkst_mcp_question_parse(&err, lkst_mcp_tool_find(tool), arguments, &q) ? err.text
										      : "";
}

/* What is wrong with an argument is said in the words of the command. */
TEST(mcp_arguments)
{
	CHECK_STR(refusal("report", "{\"tid\":7,\"from\":\"-1s\",\"comm\":\"--help\",\"limit\":3}"),
		  "");
	CHECK_STR(refusal("events", "{\"event\":[\"a\",\"b\"],\"cpu\":1}"), "");
	CHECK_STR(refusal("events", "{\"event\":\"a\",\"tid\":null}"), "");
	CHECK_STR(refusal("report", "{\"tid\":\"x\"}"), "--tid takes a number, not \"x\"");
	CHECK_STR(refusal("report", "{\"tid\":1.5}"), "tid is neither text nor a whole number");
	CHECK_STR(refusal("why", "{\"brief\":1}"), "brief is true or false");
	CHECK_STR(refusal("lint", "{\"list\":true}"),
		  "lint has no argument \"list\"; it takes rule, trace, limit and cursor");
	/* Nothing is written, so nobody says where to. */
	CHECK_STR(refusal("sql", "{\"query\":\"select 1\",\"output\":\"/tmp/x\"}"),
		  "sql has no argument \"output\"; it takes query, trace, limit and cursor");
	CHECK_STR(refusal("report", "{\"limit\":0}"), "limit is a number from 1 to 10000");
	CHECK_STR(refusal("report", "{\"cursor\":\"zzz\"}"),
		  "there is no such cursor; take next_cursor as the answer before has it");
	CHECK(strstr(refusal("sql", "{}"), "sql takes query"));
	CHECK(strstr(refusal("report", "{\"cursor\":\"1-0-2\"}"), "of another question"));
}

/* ---- which traces ------------------------------------------------------------------------------ */

static const char *find(const struct lkst_mcp_allowed *a, const char *name)
{
	static char found[256];
	char *path;

	err = (struct lkst_err){};
	snprintf(found, sizeof(found), "%s",
		 lkst_mcp_allowed_find(&err, a, name, &path) ? "-" : strrchr(path, '/') + 1);
	free(path);
	return found;
}

/* Only those that were given, and what is in a directory that was: nothing outside, whatever the name. */
TEST(mcp_allowed)
{
	char dir[64], all[128], one[128], inside[160], link[160], both[512];
	char *given[] = { one, all };
	const struct lkst_mcp_allowed a = { given, 2 }, only = { given, 1 }, none = {};

	make_scratch(dir);
	snprintf(one, sizeof(one), "%s/one", dir);
	snprintf(all, sizeof(all), "%s/all", dir);
	snprintf(inside, sizeof(inside), "%s/inside", all);
	snprintf(link, sizeof(link), "%s/link", all);
	CHECK(!make_trace(one, 4096, "sched_switch ns=1000 tid=1 next_tid=2\n"));
	CHECK(!mkdir(all, 0700) && !mkdir(inside, 0700) && !symlink("/etc", link));
	CHECK_STR(find(&only, NULL), "one");
	CHECK_STR(find(&a, one), "one");
	CHECK_STR(find(&a, "one"), "one");
	CHECK_STR(find(&a, "inside"), "inside");
	CHECK_STR(find(&a, inside), "inside");
	CHECK_STR(find(&a, NULL), "-");
	CHECK(strstr(err.text, "which trace? There are ") && strstr(err.text, "inside"));
	CHECK_STR(find(&a, "link"), "-");
	CHECK_STR(find(&a, "link/passwd"), "-");
	CHECK_STR(find(&a, "../one"), "-");
	CHECK_STR(find(&a, ""), "-");
	CHECK_STR(find(&a, "."), "-");
	CHECK_STR(find(&a, "/etc"), "-");
	CHECK_STR(find(&only, "main.0"), "-");
	snprintf(both, sizeof(both), "%s/metadata", one);
	CHECK_STR(find(&only, both), "-");
	CHECK_STR(find(&none, NULL), "-");
	CHECK(strstr(err.text, "no trace was given"));
	unlink(link);
	make_scratch_remove(dir);
}

/* Two traces whose last parts are the same: each is asked by its path, and neither in place of the other. */
TEST(mcp_same_names)
{
	char *given[] = { "old/trace", "trace", "new/trace", "new/other" };
	const struct lkst_mcp_allowed all = { given, 4 }, two = { given + 2, 2 };
	const struct lkst_mcp_allowed same = { (char *[]){ "old/trace", "new/trace" }, 2 };
	char *path;

	CHECK(!lkst_mcp_allowed_find(&err, &all, "trace", &path));
	CHECK_STR(path, "trace");
	free(path);
	CHECK(!lkst_mcp_allowed_find(&err, &two, "trace", &path));
	CHECK_STR(path, "new/trace");
	free(path);
	CHECK(!lkst_mcp_allowed_find(&err, &same, "new/trace", &path));
	CHECK_STR(path, "new/trace");
	free(path);
	CHECK_STR(find(&same, "trace"), "-");
	CHECK(strstr(err.text, "2 traces are called \"trace\": give the path of one"));
}

/* ---- pages ------------------------------------------------------------------------------------- */

static char directory[64], trace[128];

static const char records[] = "state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\"\n"
			      "state_thread ns=10 thread_tid=6 thread_pid=6 comm=\"six\"\n"
			      "sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			      "sched_switch cpu=1 tid=8 ns=1000 next_tid=9 prev_state=2\n"
			      "sched_switch cpu=2 tid=6 ns=1000 next_tid=10 prev_state=2\n"
			      "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
			      "!block cpu=0\n"
			      "!skip cpu=0 blocks=2\n"
			      "sched_switch cpu=0 tid=5 ns=1400 next_tid=6\n"
			      "sched_switch cpu=1 tid=9 ns=1400 next_tid=8\n"
			      "task_rename cpu=1 buffer=1 tid=5 ns=1400 target_tid=5 newcomm=cinq\n"
			      "sched_switch cpu=0 tid=6 ns=1500 next_tid=5\n"
			      "test_text cpu=1 tid=6 ns=1500 name=\"six\" numbers=1,2,3\n";

/* The items of array @list of the answer, one a line, and where it goes on, "" if it does not. */
static int ask(struct lkst_mcp_session *s, const char *tool, const char *arguments,
	       unsigned int limit, const char *list, char *items, char cursor[64])
{
	_cleanup_(lkst_mcp_question_fini) struct lkst_mcp_question q = {};
	_cleanup_(lkst_mcp_page_fini) struct lkst_mcp_page page = {};
	char line[512];
	json_t *answer, *item;
	size_t i;

	snprintf(line, sizeof(line), "{%s%s\"limit\":%u%s%s%s}", arguments, arguments[0] ? "," : "",
		 limit, cursor[0] ? ",\"cursor\":\"" : "", cursor, cursor[0] ? "\"" : "");
	err = (struct lkst_err){};
	if (lkst_mcp_page_init(&err, &page) ||
	    lkst_mcp_question_parse(&err, lkst_mcp_tool_find(tool), line, &q) ||
	    lkst_mcp_session_answer(&err, s, &q, &page))
		return -1;
	answer = json_loadb(page.json->buffer, page.json->used, 0, NULL);
	if (!answer)
		return -1;
	json_array_foreach(json_object_get(answer, list), i, item) {
		_cleanup_free_ char *text = json_dumps(item, JSON_COMPACT | JSON_SORT_KEYS);

		strcat(strcat(items, text), "\n");
	}
	snprintf(cursor, 64, "%s", json_string_value(json_object_get(answer, "next_cursor")) ?: "");
	json_decref(answer);
	return (int)i;
}

/* Whether pages of any length have what one page has, with every cursor in the same session or a new one. */
static bool pages_agree(const char *tool, const char *arguments, const char *list, bool is_new)
{
	static char whole[1 << 16], parts[1 << 16];
	struct lkst_mcp_session s = { .path = trace };
	char cursor[64] = "";
	unsigned int limit;
	int nr;

	whole[0] = 0;
	nr = ask(&s, tool, arguments, 1000, list, whole, cursor);
	if (nr < 2 || cursor[0])
		return false;
	for (limit = 1; limit <= (unsigned int)nr + 1; limit++) {
		parts[0] = 0;
		do {
			if (ask(&s, tool, arguments, limit, list, parts, cursor) < 0)
				return false;
			if (is_new) {
				lkst_mcp_session_fini(&s);
				s = (struct lkst_mcp_session){ .path = trace };
			}
		} while (cursor[0]);
		if (strcmp(whole, parts)) {
			printf("limit %u:\n%s---\n%s", limit, whole, parts);
			return false;
		}
	}
	lkst_mcp_session_fini(&s);
	return true;
}

/* Records of one time on several CPUs, a gap, state, and names that change on the way. */
TEST(mcp_pages_of_events)
{
	unsigned int is_new;

	for (is_new = 0; is_new < 2; is_new++) {
		CHECK(pages_agree("events", "", "records", is_new));
		CHECK(pages_agree("events", "\"event\":[\"state_thread\",\"sched_*\"]", "records",
				  is_new));
		CHECK(pages_agree("events", "\"event\":\"sched_switch\",\"comm\":\"six\"",
				  "records", is_new));
		CHECK(pages_agree("events", "\"from\":\"@0.000001\",\"to\":\"@0.0000014\"",
				  "records", is_new));
	}
}

/* A record of test_text whose data are @size bytes. */
static void add_large(struct make_trace *t, u64 ns, u32 size)
{
	static const char line[] = "test_text cpu=0 tid=6 text=a first=b data=123456 second=c";
	const struct lkst_event_class *event = lkst_catalog_find(t->catalog, "test_text");
	_cleanup_free_ u8 *record = calloc(1, size + 4096);
	struct lkst_record_head head = { .id_time = event->id, .tid = 6 };
	u32 at = sizeof(head);
	u16 i;

	memcpy(record, &head, sizeof(head));
	for (i = 0; i < event->nr_fields; i++) {
		u32 from = at;

		at = make_encode(event, i, line, record, at);
		if (!strcmp(event->fields[i].name, "data")) {
			at = from + size;
			memset(record + from, 200, size);
			memcpy(record + event->fields[event->fields[i].length_field].offset, &size, 4);
		}
	}
	make_record(make_stream(t, 0), ns, record, at);
}

/* Some fit an answer alone, others never: all pages together have every record, and the last one too. */
TEST(mcp_pages_of_large_records)
{
	static const u32 sizes[] = { 10, 5000, 150000, 20000, 700000, 10 };
	_cleanup_(lkst_mcp_session_fini) struct lkst_mcp_session s = {};
	static char items[1 << 20], place[128];
	struct make_trace *t;
	char cursor[64] = "", *at;
	unsigned int i, nr = 0, left_out = 0;

	snprintf(place, sizeof(place), "%s/large", directory);
	s.path = place;
	t = make_begin(place, NULL, 1 << 20);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		add_large(t, 1000 + 10 * i, sizes[i]);
	CHECK(!make_end(t));
	items[0] = 0;
	for (i = 0; i < 20 && (!i || cursor[0]); i++) {
		int got = ask(&s, "events", "", 100, "records", items, cursor);

		CHECK(got > 0);
		nr += got > 0 ? (unsigned int)got : 0;
	}
	CHECK_EQ(nr, sizeof(sizes) / sizeof(sizes[0]));
	CHECK(!cursor[0]);
	for (at = items; (at = strstr(at, "\"is_left_out\":true")); at++)
		left_out++;
	CHECK_EQ(left_out, 2);
	CHECK(strstr(items, "\"ns\":1050"));
	make_scratch_remove(place);
}

/* As one that is being recorded does; but pages of one answer go on with what there was. */
TEST(mcp_trace_that_grows)
{
	_cleanup_(lkst_mcp_session_fini) struct lkst_mcp_session s = {};
	static const char more[] = "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
				   "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
				   "!block cpu=0\n"
				   "sched_switch cpu=0 tid=5 ns=1200 next_tid=7\n";
	char items[1 << 12] = "", place[128], cursor[64] = "";

	snprintf(place, sizeof(place), "%s/grows", directory);
	s.path = place;
	CHECK(!make_trace(place, 4096, "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n"
				       "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"));
	CHECK_EQ(ask(&s, "events", "", 1, "records", items, cursor), 1);
	make_scratch_remove(place);
	CHECK(!make_trace(place, 4096, more));
	CHECK_EQ(ask(&s, "events", "", 100, "records", items, cursor), 1);
	CHECK(!cursor[0]);
	CHECK_EQ(ask(&s, "events", "", 100, "records", items, cursor), 3);
	make_scratch_remove(place);
}

TEST(mcp_pages_of_rows)
{
	unsigned int is_new;

	for (is_new = 0; is_new < 2; is_new++) {
		CHECK(pages_agree("sql", "\"query\":\"select time_ns, cpu, line from events\"",
				  "rows", is_new));
		CHECK(pages_agree("sql", "\"query\":\"select * from states order by 1 desc, 4;\"",
				  "rows", is_new));
		CHECK(pages_agree("sql", "\"query\":\".tables sched\"", "rows", is_new));
	}
}

TEST(mcp_pages_of_steps)
{
	CHECK(pages_agree("why", "\"tid\":5", "steps", false));
	CHECK(pages_agree("why", "\"tid\":5,\"brief\":true", "steps", true));
}

/* The rows of all tables, by their order: pages of one row each have as many as one page. */
TEST(mcp_pages_of_tables)
{
	static char items[1 << 16];
	struct lkst_mcp_session s = { .path = trace };
	char cursor[64] = "", last[64] = "";
	unsigned int pages = 0;

	do {
		snprintf(last, sizeof(last), "%s", cursor);
		CHECK_EQ(ask(&s, "analyze", "\"analyses\":\"all\"", 1, "none", items, cursor), 0);
		CHECK(strcmp(cursor, last));
		pages++;
	} while (cursor[0] && pages < 1000);
	CHECK(pages > 20 && pages < 1000);
	lkst_mcp_session_fini(&s);
}

/* Whether the object for programs says that there are more rows than @arguments allow. */
static bool says_hidden(const char *arguments)
{
	static const char words[] = "more rows are not shown; rows 0 shows all.";
	_cleanup_(lkst_mcp_session_fini) struct lkst_mcp_session s = { .path = trace };
	_cleanup_(lkst_mcp_question_fini) struct lkst_mcp_question q = {};
	_cleanup_(lkst_mcp_page_fini) struct lkst_mcp_page page = {};

	if (lkst_mcp_page_init(&err, &page) ||
	    lkst_mcp_question_parse(&err, lkst_mcp_tool_find("analyze"), arguments, &q) ||
	    lkst_mcp_session_answer(&err, &s, &q, &page))
		abort();
	return memmem(page.json->buffer, page.json->used, words, strlen(words));
}

TEST(mcp_hidden_rows)
{
	CHECK(says_hidden("{\"analyses\":\"thread\",\"rows\":1}"));
	CHECK(!says_hidden("{\"analyses\":\"thread\",\"rows\":0}"));
	CHECK(!says_hidden(
		"{\"analyses\":\"thread\",\"rows\":1,\"limit\":1000,\"comm\":\"nobody\"}"));
}

/* A cursor is of its question alone; and a query does one thing, which is to read. */
TEST(mcp_wrong_questions)
{
	static char items[1 << 16];
	struct lkst_mcp_session s = { .path = trace };
	char cursor[64] = "";

	CHECK(ask(&s, "events", "\"cpu\":0", 1, "records", items, cursor) > 0 && cursor[0]);
	CHECK(ask(&s, "events", "\"cpu\":1", 1, "records", items, cursor) < 0);
	CHECK(strstr(err.text, "of another question"));
	cursor[0] = 0;
	CHECK(ask(&s, "sql", "\"query\":\"select 1; select 2\"", 1, "rows", items, cursor) < 0);
	CHECK(strstr(err.text, "one query at a time"));
	CHECK(ask(&s, "sql", "\"query\":\" -- nothing\"", 1, "rows", items, cursor) < 0);
	CHECK(strstr(err.text, "there is no query"));
	CHECK(ask(&s, "sql", "\"query\":\"attach '/tmp/x' as x\"", 1, "rows", items, cursor) < 0);
	CHECK(strstr(err.text, "can only read"));
	CHECK(ask(&s, "sql", "\"query\":\"select printf('%.*c', 100000, 'x')\"", 1, "rows", items,
		  cursor) < 0);
	CHECK(strstr(err.text, "larger than an answer may be"));
	CHECK(ask(&s, "analyze", "\"analyses\":\"nothing\"", 1, "rows", items, cursor) < 0);
	CHECK(strstr(err.text, "there is no analysis \"nothing\""));
	CHECK(ask(&s, "why", "\"tid\":5,\"cgroup\":\"/a\"", 1, "steps", items, cursor) < 0);
	CHECK_STR(err.text, "--comm, --cgroup and --call are for --worst");
	CHECK_EQ(ask(&s, "sql", "\"query\":\"select 1 union select 2; -- and no more\"", 5, "rows",
		     items, cursor),
		 2);
	lkst_mcp_session_fini(&s);
}

#define T(name)                                                                                    \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	T(mcp_lines),	       T(mcp_long_lines),      T(mcp_errors),
	T(mcp_nesting),	       T(mcp_versions),	       T(mcp_calls),
	T(mcp_many_calls),     T(mcp_batches),	       T(mcp_resources),
	T(mcp_arguments),      T(mcp_allowed),	       T(mcp_pages_of_events),
	T(mcp_same_names),     T(mcp_hidden_rows),     T(mcp_pages_of_rows),
	T(mcp_pages_of_steps), T(mcp_pages_of_tables), T(mcp_wrong_questions),
	T(mcp_trace_that_grows), T(mcp_pages_of_large_records),
};

/* The trace is made once, and removed at the end of all. */
static void remove_trace(void)
{
	make_scratch_remove(directory);
}

static __attribute__((constructor)) void make(void)
{
	make_scratch(directory);
	atexit(remove_trace);
	snprintf(trace, sizeof(trace), "%s/trace", directory);
	if (make_trace(trace, 4096, records))
		abort();
}

UNIT_MAIN(tests)
