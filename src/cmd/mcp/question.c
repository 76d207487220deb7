/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tool is asked. */
#include "cmd/mcp/question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "base/xxh64.h"

enum { WORDS_MAX = 512 };

/* The words that the arguments are, as they would be typed. */
struct question_words {
	char **list;
	unsigned int nr;
};

static const struct lkst_option *question_find(const struct lkst_mcp_tool *tool, const char *name)
{
	const struct lkst_option *o;
	char word[64];

	if (snprintf(word, sizeof(word), " %s ", name) >= (int)sizeof(word) ||
	    strstr(tool->without, word))
		return NULL;
	for (o = tool->cmd->options; o->name; o++)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}

/* "there is no argument "x" of why; it takes tid, worst ..." */
static int question_refuse_name(struct lkst_err *e, const struct lkst_mcp_tool *tool, const char *name)
{
	const struct lkst_option *o;
	char list[512] = "";
	size_t used = 0;

	for (o = tool->cmd->options; o->name && used < sizeof(list); o++)
		if (question_find(tool, o->name))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s, ", o->name);
	return lkst_err_set(e, -EINVAL,
			    "%s has no argument \"%s\"; it takes %s%s%strace, limit and cursor",
			    tool->name, name, tool->text ?: "", tool->text ? ", " : "", list);
}

static int add_word(struct lkst_err *e, struct question_words *w, const char *name, const char *value)
{
	char **word = w->nr < WORDS_MAX ? lkst_vec_add(w->list, w->nr) : NULL;

	if (!word)
		return lkst_err_set(e, -E2BIG, "there are more than %d arguments", WORDS_MAX);
	if (asprintf(word, "--%s%s%s", name, value ? "=" : "", value ?: "") < 0) {
		*word = NULL;
		return lkst_err_sys(e, -ENOMEM, "reading the arguments");
	}
	return 0;
}

/* A number or text as a word. */
static int add_value(struct lkst_err *e, struct question_words *w, const struct lkst_option *o,
		     json_t *value)
{
	char number[32];

	if (json_is_string(value))
		return add_word(e, w, o->name, json_string_value(value));
	if (!json_is_integer(value))
		return lkst_err_set(e, -EINVAL, "%s is neither text nor a whole number", o->name);
	snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
	return add_word(e, w, o->name, number);
}

static int question_add_argument(struct lkst_err *e, struct question_words *w, const struct lkst_option *o,
				 json_t *value)
{
	json_t *item;
	size_t i;
	int err = 0;

	if (json_is_null(value) || (o->type == LKST_OPTION_FLAG && json_is_false(value)))
		return 0;
	if (o->type == LKST_OPTION_FLAG)
		return json_is_true(value)
			       ? add_word(e, w, o->name, NULL)
			       : lkst_err_set(e, -EINVAL, "%s is true or false", o->name);
	if (o->type != LKST_OPTION_LIST || !json_is_array(value))
		return add_value(e, w, o, value);
	json_array_foreach(value, i, item)
		if (!err)
			err = add_value(e, w, o, item);
	return err;
}

static int take_limit(struct lkst_err *e, struct lkst_mcp_question *q, json_t *value)
{
	json_int_t limit = json_integer_value(value);

	if (!json_is_integer(value) || limit < 1 || limit > LKST_MCP_LIMIT_MAX)
		return lkst_err_set(e, -EINVAL, "limit is a number from 1 to %d",
				    LKST_MCP_LIMIT_MAX);
	q->limit = (u64)limit;
	return 0;
}

/* Those that are options are added to @w. */
static int take_arguments(struct lkst_err *e, struct lkst_mcp_question *q, struct question_words *w)
{
	const struct lkst_option *o;
	const char *name;
	json_t *value;
	int err = 0;

	json_object_foreach(q->arguments, name, value) {
		if (q->tool->text && !strcmp(name, q->tool->text)) {
			q->text = json_string_value(value);
		} else if (!strcmp(name, "limit")) {
			err = take_limit(e, q, value);
		} else if (strcmp(name, "trace") && strcmp(name, "cursor")) {
			o = question_find(q->tool, name);
			err = o ? question_add_argument(e, w, o, value) : question_refuse_name(e, q->tool, name);
		}
		if (err)
			return err;
	}
	if (q->tool->text && !q->text)
		return lkst_err_set(e, -EINVAL, "%s takes %s: %s", q->tool->name, q->tool->text,
				    q->tool->text_help);
	return 0;
}

/* What the answer follows from, and the place in it. */
static int take_cursor(struct lkst_err *e, struct lkst_mcp_question *q)
{
	json_t *cursor = json_incref(json_object_get(q->arguments, "cursor"));
	_cleanup_free_ char *arguments = NULL, *text = NULL;
	int err = 0;

	json_object_del(q->arguments, "cursor");
	json_object_del(q->arguments, "limit");
	arguments = json_dumps(q->arguments, JSON_COMPACT | JSON_SORT_KEYS);
	if (arguments && asprintf(&text, "%s %s", q->tool->name, arguments) < 0)
		text = NULL;
	if (text)
		q->hash = lkst_xxh64(text, strlen(text));
	if (!text)
		err = lkst_err_sys(e, -ENOMEM, "reading the arguments");
	else if (cursor && !json_is_null(cursor)) {
		q->is_continued = true;
		err = lkst_mcp_cursor_parse(e, json_string_value(cursor) ?: "", q->hash, &q->place);
	}
	json_decref(cursor);
	return err;
}

int lkst_mcp_question_parse(struct lkst_err *e, const struct lkst_mcp_tool *tool,
			    const char *arguments, struct lkst_mcp_question *q)
{
	struct question_words w = {};
	char **argv = NULL;
	int err;

	*q = (struct lkst_mcp_question){ .tool = tool, .limit = tool->limit };
	q->arguments = json_loads(arguments, 0, NULL);
	if (!json_is_object(q->arguments))
		return lkst_err_set(e, -EINVAL, "the arguments are not an object");
	err = take_arguments(e, q, &w);
	/* With a NULL at the end, to be freed by; the options point into the words. */
	argv = calloc(w.nr + 1, sizeof(*argv));
	q->words = calloc(w.nr + 1, sizeof(*q->words));
	if (argv && q->words && w.nr) {
		memcpy(argv, w.list, w.nr * sizeof(*argv));
		memcpy(q->words, w.list, w.nr * sizeof(*argv));
	}
	free(w.list);
	if (!err && (!argv || !q->words))
		err = lkst_err_sys(e, -ENOMEM, "reading the arguments");
	if (!err)
		err = lkst_options_parse(e, tool->cmd, (int)w.nr, argv, &q->parsed);
	free(argv);
	q->options = q->parsed.values;
	if (err < 0)
		return err;
	return take_cursor(e, q);
}

void lkst_mcp_question_fini(struct lkst_mcp_question *q)
{
	unsigned int i;

	for (i = 0; q->words && q->words[i]; i++)
		free(q->words[i]);
	free(q->words);
	lkst_options_fini(&q->parsed);
	json_decref(q->arguments);
	*q = (struct lkst_mcp_question){};
}
