/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of command lines: the first line of the input is the words of one, with a blank between two; further
 * lines, if there are any, are a file of options for it. What is taken is within the limits of its row, and is a part
 * of what was given; what is refused is shown with the place.
 *
 * prints: text csv json
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "cmd/frame/cmd.h"
#include "lib/printed.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { WORDS_MAX = 200, NUMBER_LIMIT = 9, SHARE_LIMIT = 500000, SIZE_LIMIT = 1 << 20 };

struct options {
	bool flag, other;
	const char *text, *open, *config;
	struct lkst_list list;
	u64 size, duration, share;
	s64 number;
	unsigned int choice;
};

static bool choices(unsigned int i, struct lkst_choice *ret_choice)
{
	static const char *const names[] = { "text", "csv", "json" };

	if (i >= sizeof(names) / sizeof(names[0]))
		return false;
	*ret_choice = (struct lkst_choice){ names[i], "" };
	return true;
}

static bool is_value(const char *word)
{
	return word[0] != '-';
}

#define ROWS                                                                                       \
	LKST_OPTION(FLAG, struct options, flag, .name = "flag", .letter = 'f', .help = ""),        \
		LKST_OPTION(FLAG, struct options, other, .name = "other", .letter = 'o',           \
			    .help = ""),                                                           \
		LKST_OPTION(TEXT, struct options, text, .name = "text", .letter = 't',             \
			    .argument = "T", .help = ""),                                          \
		LKST_OPTION(TEXT, struct options, open, .name = "open", .argument = "O",           \
			    .help = "", .is_value = is_value),                                     \
		LKST_OPTION(LIST, struct options, list, .name = "list", .letter = 'l',             \
			    .argument = "L", .help = ""),                                          \
		LKST_OPTION(SIZE, struct options, size, .name = "size", .argument = "S", .min = 1, \
			    .max = SIZE_LIMIT, .help = ""),                                        \
		LKST_OPTION(DURATION, struct options, duration, .name = "duration", .letter = 'd', \
			    .argument = "D", .help = ""),                                          \
		LKST_OPTION(SHARE, struct options, share, .name = "share", .argument = "P",        \
			    .min = 1, .max = SHARE_LIMIT, .help = ""),                             \
		LKST_OPTION(NUMBER, struct options, number, .name = "number", .letter = 'n',       \
			    .argument = "N", .min = -NUMBER_LIMIT, .max = NUMBER_LIMIT,            \
			    .help = ""),                                                           \
		LKST_OPTION(CHOICE, struct options, choice, .name = "choice", .letter = 'c',       \
			    .argument = "C", .choices = choices, .help = "")

static const struct lkst_option rows[] = { ROWS, {} };
static const struct lkst_option rows_of_file[] = { ROWS,
						   LKST_OPTION(CONFIG, struct options, config,
							       .name = "config", .argument = "FILE",
							       .help = ""),
						   {} };

static const struct options defaults = { .size = 4096, .number = 3 };

/* With arguments anywhere, as most commands have them, and with those of another command behind its own. */
static const struct lkst_cmd commands[] = {
	{ .name = "any",
	  .options = rows,
	  .options_size = sizeof(struct options),
	  .defaults = &defaults,
	  .max_args = 9 },
	{ .name = "run",
	  .options = rows,
	  .options_size = sizeof(struct options),
	  .max_args = UINT32_MAX },
};
static const struct lkst_cmd with_file = { .name = "file",
					   .options = rows_of_file,
					   .options_size = sizeof(struct options),
					   .defaults = &defaults,
					   .max_args = 9 };

static void check(bool is_right)
{
	if (!is_right)
		abort();
}

/* @text lies in the @length bytes at @begin, or is nothing. */
static void check_text(const char *text, const char *begin, size_t length)
{
	check(!text || !*text || (text >= begin && text + strlen(text) <= begin + length));
}

static void check_values(const struct options *o, const char *begin, size_t length)
{
	unsigned int i;

	check_text(o->text, begin, length);
	check_text(o->open, begin, length);
	check(o->list.nr <= LKST_LIST_MAX);
	for (i = 0; i < o->list.nr; i++)
		check_text(o->list.items[i], begin, length);
	check(o->size <= SIZE_LIMIT && o->share <= SHARE_LIMIT && o->choice < 3);
	check(o->number >= -NUMBER_LIMIT && o->number <= NUMBER_LIMIT);
}

/* What is left after the options are words that were given, each at most once. */
static void check_rest(char *const *args, char *const *given, int first, int nr)
{
	int i, j, times;

	for (i = first; i < nr; i++) {
		for (times = 0, j = first; j < nr; j++)
			times += args[j] == args[i];
		check(times == 1);
		for (times = 0, j = 0; j < nr; j++)
			times += given[j] == args[i];
		check(times == 1);
	}
}

/* Reads the words of @line by @cmd's rows; with @file, these come before it. The words are changed. */
static void parse(const struct lkst_cmd *cmd, char *line, const char *file)
{
	_cleanup_(lkst_options_fini) struct lkst_options o = {};
	char *given[WORDS_MAX + 2], *args[WORDS_MAX + 2], path[64],
		*config[] = { "--config", path };
	size_t length = strlen(line);
	char *rest = line, *word;
	struct lkst_err e = {};
	int nr = 0, first;
	_cleanup_close_ int fd = -1;

	if (file) {
		fd = memfd_create("options", MFD_CLOEXEC);
		if (fd < 0 || lkst_write_all(fd, file, strlen(file)))
			abort();
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		given[nr++] = config[0];
		given[nr++] = config[1];
	}
	while (nr < WORDS_MAX && (word = strsep(&rest, " ")))
		/* Another file than that one is not to be read. */
		if (!file || strncmp(word, "--config", 8))
			given[nr++] = word;
	memcpy(args, given, sizeof(args));
	first = lkst_options_parse(&e, cmd, nr, args, &o);
	if (first < 0) {
		printed_error(&e);
		return;
	}
	if (first == LKST_OPTIONS_HELP)
		return;
	check(first <= nr);
	check_rest(args, given, first, nr);
	if (!file)
		check_values(o.values, line, length);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_free_ char *text = strndup((const char *)data, size), *line = NULL;
	size_t length, i;

	if (!text)
		abort();
	length = strcspn(text, "\n");
	for (i = 0; i < 3; i++) {
		free(line);
		line = strndup(text, length);
		if (!line)
			abort();
		if (i < 2)
			parse(&commands[i], line, NULL);
		else if (text[length])
			parse(&with_file, line, text + length + 1);
	}
	return 0;
}
