/* SPDX-License-Identifier: GPL-2.0-only */
/* The tools, and their schemas, which are made of the options of commands. */
#include "cmd/mcp/tools.h"

#include <string.h>

#include "base/cleanup.h"

enum { TEXT_MAX = 2048 };

#define TABLES                                                                                     \
	"{\"tables\":{\"type\":\"object\",\"description\":\"by their names: title, columns with "  \
	"what they mean, rows as objects, notes\"},"
#define STEPS                                                                                      \
	"\"steps\":{\"type\":\"array\",\"items\":{\"type\":\"object\"},\"description\":\"in "      \
	"order; depth 0 is a first one, those below it explain it\"},"                             \
	"\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
#define NEXT                                                                                       \
	"\"next_cursor\":{\"type\":\"string\",\"description\":\"there is more: ask the same with " \
	"this as cursor\"}}"

static const struct lkst_mcp_tool tools[] = {
	{
		.name = "report",
		.title = "What happened, at first sight",
		.help = "Begin here. Where the waiting in a trace of a kernel's events went: who was kept waiting, for "
			"what, and because of whom; and what has not ended, deadlocks first. What the machine did, and "
			"what stands out: the longest waits for a CPU, in system calls, for disks and locks; then by "
			"CPU, thread, interrupt and who woke whom. With tid or comm, of those threads, with a chart.",
		.cmd = &lkst_cmd_report,
		.without = " format all ",
		.unit = "rows of all tables together",
		.limit = 500,
		.result = TABLES NEXT,
		.answer = lkst_mcp_answer_report,
	},
	{
		.name = "why",
		.title = "Why something took so long",
		.help = "Explains the time of one thread as a chain of who ran and who waited for whom, down to the "
			"timer, disk, lock or packet that everyone waited for. Give worst (syscall, wait, ready, "
			"fault or io) to have the longest one found, or tid with from and to. Each step names the "
			"events it rests on.",
		.cmd = &lkst_cmd_why,
		.without = " format time hung longer ",
		.unit = "steps",
		.limit = 300,
		.result = "{" STEPS NEXT,
		.answer = lkst_mcp_answer_why,
	},
	{
		.name = "analyze",
		.title = "How long, and how often",
		.help = "Measures a trace: counts, totals, mean, quantiles and longest of system calls, waits, disk "
			"requests, interrupts, locks and more, with histograms and the worst ten. The resource "
			"lkst://analyses says what each analysis measures. interval gives a row for each stretch "
			"of time.",
		.cmd = &lkst_cmd_analyze,
		.without = " format list ",
		.text = "analyses",
		.text_help = "names of analyses with commas between, such as syscall,waitdelay,biotime; or all; or "
			     "two events, 'EVENT .. EVENT [key=FIELD]', whose time from one to the other is measured",
		.unit = "rows of all tables together",
		.limit = 500,
		.result = TABLES NEXT,
		.answer = lkst_mcp_answer_analyze,
	},
	{
		.name = "lint",
		.title = "What the kernel should not have done",
		.help = "Looks for illegal sequences: use after free, double free, locks that are kept, taken twice or "
			"in another order, sleeping where it is forbidden. Each finding names the events that it "
			"rests on.",
		.cmd = &lkst_cmd_lint,
		.without = " format time list ",
		.unit = "steps of findings",
		.limit = 300,
		.result = "{\"findings\":{\"type\":\"integer\"}," STEPS NEXT,
		.answer = lkst_mcp_answer_lint,
	},
	{
		.name = "sql",
		.title = "A question in SQL",
		.help = "Answers one query in the SQL of SQLite, which can only read. Table `events` has all records "
			"(time_ns, cpu, tid, pid, comm, event, line); each event has a table of its name with its "
			"fields as columns; threads, states, waits, wakeups, syscalls, irqs, faults, "
			"block_requests, packets, findings, counts, incidents, gaps, losses and symbols have "
			"what is known "
			"from them. `.tables` lists the tables, `.schema NAME` says what the columns of one mean: "
			"ask that first. Times are ns of CLOCK_MONOTONIC; time_text(ns) is the time of day, "
			"symbol(address) a name, quantile(value, share) a quantile.",
		.cmd = &lkst_cmd_sql,
		.without = " format output ",
		.text = "query",
		.text_help = "select event, records from counts order by 2 desc; or .tables, or .schema states",
		.unit = "rows",
		.limit = 200,
		.result = "{\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\"},\"description\":\"columns "
			  "by their names\"},\"gaps\":{\"type\":\"integer\",\"description\":\"places where "
			  "records are missing that the query has met\"}," NEXT,
		.answer = lkst_mcp_answer_sql,
	},
	{
		.name = "events",
		.title = "The records themselves",
		.help = "The records of a trace in order of time, one a line, chosen by event, thread, CPU and time. "
			"Where some are missing a line says so. The resources lkst://event/NAME say what an event "
			"and its fields mean.",
		.cmd = &lkst_mcp_events_options,
		.without = " ",
		.unit = "records",
		.limit = 200,
		.result = "{\"records\":{\"type\":\"array\",\"items\":{\"type\":\"object\"},\"description\":\"in "
			  "order of time: ns, cpu, tid, comm, event, fields; or gap, where records are "
			  "missing\"}," NEXT,
		.answer = lkst_mcp_answer_events,
	},
};
enum { NR_TOOLS = sizeof(tools) / sizeof(tools[0]) };

const struct lkst_mcp_tool *lkst_mcp_tool_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_TOOLS; i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

/* ---- schemas ----------------------------------------------------------------------------------- */

/* The help of an option in one line, and what it names as an option as an argument: without dashes. */
static void tools_describe(const struct lkst_option *o, char text[TEXT_MAX])
{
	struct lkst_choice choice;
	const char *from;
	size_t used = 0;
	unsigned int i;

	for (from = o->help; *from && used < TEXT_MAX - 1; from++) {
		if (from[0] == '-' && from[1] == '-' && (from == o->help || from[-1] == ' '))
			from += 2;
		text[used++] = *from == '\n' ? ' ' : *from;
	}
	text[used] = 0;
	for (i = 0; o->choices && o->choices(i, &choice) && used < TEXT_MAX; i++)
		used += (size_t)snprintf(text + used, TEXT_MAX - used, "%s%s: %s", used ? "; " : "",
					 choice.name, choice.help);
	if (o->standard && used < TEXT_MAX)
		snprintf(text + used, TEXT_MAX - used, " (default: %s)", o->standard);
}

static json_t *choices_of(const struct lkst_option *o)
{
	json_t *words = json_array();
	struct lkst_choice choice;
	unsigned int i;

	for (i = 0; o->choices(i, &choice); i++)
		json_array_append_new(words, json_string(choice.name));
	return words;
}

static json_t *schema_of(const struct lkst_option *o)
{
	char text[TEXT_MAX];
	json_t *schema;

	tools_describe(o, text);
	switch (o->type) {
	case LKST_OPTION_FLAG:
		return json_pack("{s:s, s:s}", "type", "boolean", "description", text);
	case LKST_OPTION_LIST:
		return json_pack("{s:s, s:{s:s}, s:s}", "type", "array", "items", "type", "string",
				 "description", text);
	case LKST_OPTION_NUMBER:
		schema = json_pack("{s:s, s:s, s:I}", "type", "integer", "description", text,
				   "minimum", (json_int_t)o->min);
		if (o->max)
			json_object_set_new(schema, "maximum", json_integer(o->max));
		return schema;
	case LKST_OPTION_CHOICE:
		return json_pack("{s:s, s:o, s:s}", "type", "string", "enum", choices_of(o),
				 "description", text);
	case LKST_OPTION_DURATION:
		return json_pack("{s:s, s:s, s:[s, s]}", "type", "string", "description", text,
				 "examples", "10ms", "1.5s");
	default:
		return json_pack("{s:s, s:s}", "type", "string", "description", text);
	}
}

static bool is_argument(const struct lkst_mcp_tool *tool, const char *option)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", option);
	return !strstr(tool->without, word);
}

static json_t *text_schema(const char *help)
{
	return json_pack("{s:s, s:s}", "type", "string", "description", help);
}

static json_t *arguments_of(const struct lkst_mcp_tool *tool, const char *traces, bool needs_trace)
{
	json_t *properties = json_object(), *required = json_array(), *limit;
	const struct lkst_option *o;
	char text[TEXT_MAX];

	if (tool->text) {
		json_object_set_new(properties, tool->text, text_schema(tool->text_help));
		json_array_append_new(required, json_string(tool->text));
	}
	for (o = tool->cmd->options; o->name; o++)
		if (is_argument(tool, o->name))
			json_object_set_new(properties, o->name, schema_of(o));
	json_object_set_new(properties, "trace", text_schema(traces));
	if (needs_trace)
		json_array_append_new(required, json_string("trace"));
	snprintf(text, sizeof(text),
		 "at most so many %s in this answer, which is shorter where they are long",
		 tool->unit);
	limit = json_pack("{s:s, s:i, s:i, s:I, s:s}", "type", "integer", "minimum", 1, "maximum",
			  LKST_MCP_LIMIT_MAX, "default", (json_int_t)tool->limit, "description",
			  text);
	json_object_set_new(properties, "limit", limit);
	json_object_set_new(
		properties, "cursor",
		text_schema("next_cursor of the answer before, to have what follows; all other "
			    "arguments but limit as they were"));
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", 0);
}

json_t *lkst_mcp_tools(const char *traces, bool needs_trace, bool has_results)
{
	json_t *list = json_array(), *tool;
	unsigned int i;

	for (i = 0; i < NR_TOOLS; i++) {
		tool = json_pack("{s:s, s:s, s:s, s:o, s:{s:s, s:b, s:b, s:b, s:b}}", "name",
				 tools[i].name, "title", tools[i].title, "description",
				 tools[i].help, "inputSchema",
				 arguments_of(&tools[i], traces, needs_trace), "annotations",
				 "title", tools[i].title, "readOnlyHint", 1, "destructiveHint", 0,
				 "idempotentHint", 1, "openWorldHint", 0);
		if (has_results)
			json_object_set_new(tool, "outputSchema",
					    json_pack("{s:s, s:o}", "type", "object", "properties",
						      json_loads(tools[i].result, 0, NULL)));
		json_array_append_new(list, tool);
	}
	return list;
}
