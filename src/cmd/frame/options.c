/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses options by their rows. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/size.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/conf.h"
#include "cmd/frame/inject_allowed.h"

static const struct lkst_option *options_find(const struct lkst_cmd *cmd, const char *name, size_t length,
					      char letter)
{
	const struct lkst_option *o;

	for (o = cmd->options; o && o->name; o++)
		if (name ? strlen(o->name) == length && !strncmp(o->name, name, length)
			 : o->letter && o->letter == letter)
			return o;
	return NULL;
}

static int options_parse_number(struct lkst_err *e, const struct lkst_option *o, const char *text,
				s64 *ret_value)
{
	char *end;

	errno = 0;
	*ret_value = strtoll(text, &end, 10);
	if (errno || end == text || *end)
		return lkst_err_set(e, -EINVAL, "--%s takes a number, not \"%s\"", o->name, text);
	return 0;
}

static int check_limits(struct lkst_err *e, const struct lkst_option *o, const char *text,
			s64 value)
{
	if ((!o->min && !o->max) || (value >= o->min && value <= o->max))
		return 0;
	return lkst_err_set(e, -EINVAL, "--%s %s is out of range; see --help", o->name, text);
}

/* "1%", "0.25%": a share, in millionths; "none" is 0, whatever the row's limits are. */
static int parse_share(struct lkst_err *e, const struct lkst_option *o, const char *text,
		       u64 *ret_ppm)
{
	const char *end = text;

	*ret_ppm = 0;
	if (!strcmp(text, "none"))
		return 0;
	if (lkst_decimal_parse(&end, 10000, ret_ppm) || strcmp(end, "%"))
		return lkst_err_set(e, -EINVAL,
				    "--%s takes a share like 1%% or 0.5%%, or none, not \"%s\"",
				    o->name, text);
	return check_limits(e, o, text, *ret_ppm > INT64_MAX ? INT64_MAX : (s64)*ret_ppm);
}

static int parse_choice(struct lkst_err *e, const struct lkst_option *o, const char *text,
			unsigned int *ret_choice)
{
	char list[LKST_CHOICES_TEXT];
	int i = lkst_choices_find(o->choices, text);
	const char *advice = i < 0 && o->advice ? o->advice(text) : NULL;

	if (i < 0) {
		lkst_choices_list(o->choices, list);
		return lkst_err_set(e, -EINVAL, "--%s takes %s, not \"%s\"%s%s", o->name, list, text,
				    advice ? ": " : "", advice ?: "");
	}
	*ret_choice = (unsigned int)i;
	return 0;
}

static int options_store(struct lkst_err *e, const struct lkst_option *o, char *text, void *options)
{
	void *at = (char *)options + o->offset;
	struct lkst_list *list;
	u64 u = 0;
	s64 v = 0;
	int err = 0;

	switch (o->type) {
	case LKST_OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case LKST_OPTION_TEXT:
	case LKST_OPTION_CONFIG:
		*(const char **)at = text;
		return 0;
	case LKST_OPTION_LIST:
		list = at;
		if (list->nr == LKST_LIST_MAX)
			return lkst_err_set(e, -E2BIG, "--%s may be given %u times", o->name,
					    LKST_LIST_MAX);
		list->items[list->nr++] = text;
		return 0;
	case LKST_OPTION_SIZE:
	case LKST_OPTION_DURATION:
		err = o->type == LKST_OPTION_SIZE ? lkst_size_parse(e, text, &u)
						  : lkst_duration_parse(e, text, &u);
		if (err) {
			lkst_err_add(e, "--%s", o->name);
			return err;
		}
		*(u64 *)at = u;
		return check_limits(e, o, text, u > INT64_MAX ? INT64_MAX : (s64)u);
	case LKST_OPTION_SHARE:
		err = parse_share(e, o, text, &u);
		if (err)
			return err;
		*(u64 *)at = u;
		return 0;
	case LKST_OPTION_CHOICE:
		return parse_choice(e, o, text, at);
	case LKST_OPTION_NUMBER:
		err = options_parse_number(e, o, text, &v);
		if (err)
			return err;
		*(s64 *)at = v;
		return check_limits(e, o, text, v);
	}
	return -EINVAL;
}

/* Handles the option at argv[*i]; moves *i past it and its value. 1: help was asked for. */
static int parse_one(struct lkst_err *e, const struct lkst_cmd *cmd, int argc, char **argv, int *i,
		     void *options)
{
	char *word = argv[(*i)++], *value = NULL, *letter = word + 1;
	const struct lkst_option *o;
	char called[LKST_CMD_CALLED_MAX];
	int err;

	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return 1;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");

		o = options_find(cmd, word + 2, length, 0);
		if (word[2 + length])
			value = word + 2 + length + 1;
	} else {
		/* Flags may share a dash, as in -fnv. */
		o = options_find(cmd, NULL, 0, *letter);
		while (o && o->type == LKST_OPTION_FLAG && letter[1]) {
			err = options_store(e, o, NULL, options);
			if (err)
				return err;
			o = options_find(cmd, NULL, 0, *++letter);
		}
		if (letter[1])
			value = letter + 1;
	}
	if (!o)
		return lkst_err_set(e, -EINVAL, "there is no option %s; see `%s --help`", word,
				    lkst_cmd_called(cmd, called));
	if (o->type == LKST_OPTION_FLAG && value)
		return lkst_err_set(e, -EINVAL, "--%s takes no value", o->name);
	if (!value && o->is_value && (*i >= argc || !o->is_value(argv[*i])))
		value = "";
	if (o->type != LKST_OPTION_FLAG && !value) {
		if (*i >= argc)
			return lkst_err_set(e, -EINVAL, "--%s needs a value: %s", o->name,
					    o->argument);
		value = argv[(*i)++];
	}
	return options_store(e, o, value, options);
}

/* Whether @word, which is not "--", is an option. */
static bool is_option(const struct lkst_cmd *cmd, const char *word)
{
	return word[0] == '-' && word[1] && !(cmd->dashed && !strncmp(word, cmd->dashed, strlen(cmd->dashed)));
}

/*
 * Options may be before and after other arguments, up to "--"; those others are moved to the
 * end in their order, as getopt(3) does.
 */
static int parse_all(struct lkst_err *e, const struct lkst_cmd *cmd, int argc, char **argv,
		     void *options)
{
	_cleanup_free_ char **others = calloc(argc + 1, sizeof(*others));
	int nr_others = 0, i = 0, err;

	if (!others)
		return lkst_err_sys(e, -ENOMEM, "parsing options");
	while (i < argc && strcmp(argv[i], "--")) {
		if (!is_option(cmd, argv[i])) {
			/* A command's own options begin where the command does. */
			if (cmd->max_args == UINT_MAX)
				return i;
			others[nr_others++] = argv[i++];
			continue;
		}
		err = parse_one(e, cmd, argc, argv, &i, options);
		if (err)
			return err > 0 ? LKST_OPTIONS_HELP : err;
	}
	if (i < argc)
		i++;
	if (nr_others && i < argc)
		return lkst_err_set(e, -EINVAL, "\"%s\" is one argument too many", argv[i]);
	if (!nr_others)
		return i;
	memcpy(argv + argc - nr_others, others, nr_others * sizeof(*others));
	return argc - nr_others;
}

struct config {
	const struct lkst_cmd *cmd;
	void *options;
};

/* A setting of a configuration file: the option of the same name. A flag is "yes" or "no". */
static int options_take_setting(struct lkst_err *e, void *ctx, char *key, char *value)
{
	struct config *c = ctx;
	const struct lkst_option *o = options_find(c->cmd, key, strlen(key), 0);
	bool is_allowed;

	/* It is for `lkst inject`, which reads it by itself. */
	if (!strcmp(key, LKST_INJECT_KEY))
		return lkst_inject_parse_allowed(e, value, &is_allowed);
	if (!o || o->type == LKST_OPTION_CONFIG)
		return lkst_err_set(e, -EINVAL,
				    "there is no setting \"%s\"; `lkst %s --help` lists them", key,
				    c->cmd->name);
	if (o->type != LKST_OPTION_FLAG)
		return *value ? options_store(e, o, value, c->options)
			      : lkst_err_set(e, -EINVAL, "%s needs a value: %s", key, o->argument);
	if (strcmp(value, "yes") && strcmp(value, "no"))
		return lkst_err_set(e, -EINVAL, "%s is yes or no, not \"%s\"", key, value);
	*(bool *)((char *)c->options + o->offset) = !strcmp(value, "yes");
	return 0;
}

/* Reads file @name into @o, whose values keep pointers into its text. */
static int options_read_config(struct lkst_err *e, const struct lkst_cmd *cmd, const char *name,
			       struct lkst_options *o)
{
	struct config c = { cmd, o->values };
	size_t length;
	int err = lkst_read_file(e, AT_FDCWD, name, LKST_CONF_BYTES_MAX, &o->config, &length);

	if (err)
		return err;
	err = lkst_conf_parse(e, o->config, length, options_take_setting, &c);
	if (err)
		lkst_err_add(e, "%s", name);
	return err;
}

static const struct lkst_option *options_find_config(const struct lkst_cmd *cmd)
{
	const struct lkst_option *o;

	for (o = cmd->options; o && o->name; o++)
		if (o->type == LKST_OPTION_CONFIG)
			return o;
	return NULL;
}

static void set_defaults(const struct lkst_cmd *cmd, void *values)
{
	if (cmd->defaults)
		memcpy(values, cmd->defaults, cmd->options_size);
	else
		memset(values, 0, cmd->options_size);
}

int lkst_options_parse(struct lkst_err *e, const struct lkst_cmd *cmd, int argc, char **argv,
		       struct lkst_options *o)
{
	const struct lkst_option *config = options_find_config(cmd);
	_cleanup_free_ char **args = calloc(argc + 1, sizeof(*args));
	const char *name;
	int first, err;

	*o = (struct lkst_options){ .values = malloc(cmd->options_size + 1) };
	if (!o->values || !args)
		return lkst_err_sys(e, -ENOMEM, "parsing options");
	memcpy(args, argv, argc * sizeof(*args));
	set_defaults(cmd, o->values);
	first = parse_all(e, cmd, argc, argv, o->values);
	if (!config || first < 0 || first == LKST_OPTIONS_HELP)
		return first;
	name = *(const char **)((char *)o->values + config->offset);
	if (!name)
		return first;
	/* That was to learn the file's name. It is read, and what follows overrides it. */
	set_defaults(cmd, o->values);
	memcpy(argv, args, argc * sizeof(*args));
	err = options_read_config(e, cmd, name, o);
	return err ? err : parse_all(e, cmd, argc, argv, o->values);
}

void lkst_options_fini(struct lkst_options *o)
{
	free(o->values);
	free(o->config);
	*o = (struct lkst_options){ 0 };
}

int lkst_cmd_run(struct lkst_err *e, const struct lkst_cmd *cmd, const char *const *argv)
{
	_cleanup_(lkst_options_fini) struct lkst_options options = {};
	_cleanup_free_ char **words = NULL;
	int argc = 0, first;

	while (argv[argc])
		argc++;
	words = calloc(argc + 1, sizeof(*words));
	if (!words)
		return lkst_err_sys(e, -ENOMEM, "running lkst %s", cmd->name);
	memcpy(words, argv, argc * sizeof(*words));
	first = lkst_options_parse(e, cmd, argc, words, &options);
	if (first < 0)
		return first;
	if (first == LKST_OPTIONS_HELP) {
		lkst_cmd_print_help(cmd);
		return 0;
	}
	return cmd->run(e, options.values, words + first, argc - first);
}
