// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * cmd/frame/conf.h and the options that are read from a file (cmd/frame/options.c).
 */
#include "cmd/frame/conf.h"

#include <errno.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "lib/unit.h"

static struct lkst_err e;

/* What was read, as "key=value;...". */
static char got[1024];

static int note(struct lkst_err *err, void *ctx, char *key, char *value)
{
	size_t used = strlen(got);

	(void)ctx;
	if (!strcmp(key, "bad"))
		return lkst_err_set(err, -EDOM, "no");
	snprintf(got + used, sizeof(got) - used, "%s=%s;", key, value);
	return 0;
}

static int read_text(const char *text)
{
	char copy[1024];

	got[0] = 0;
	snprintf(copy, sizeof(copy), "%s", text);
	return lkst_conf_parse(&e, copy, strlen(copy), note, NULL);
}

TEST(conf_reads_settings)
{
	CHECK_EQ(
		read_text(
			"# a comment\n\nevent = sched:*\n  buffer=64M\t# more\r\nx-1 =\ny = a #b=c#\n"
			"z = 1"),
		0);
	CHECK_STR(got, "event=sched:*;buffer=64M;x-1=;y=a;z=1;");
	CHECK_EQ(read_text(""), 0);
	CHECK_STR(got, "");
	CHECK_EQ(read_text("a = b=c"), 0);
	CHECK_STR(got, "a=b=c;");
}

TEST(conf_names_the_bad_line)
{
	char nul[] = "a = 1\nb = \0 2\n";

	CHECK_EQ(read_text("a = 1\n\nnonsense\n"), -EINVAL);
	CHECK_STR(e.text, "line 3: \"nonsense\" is not a setting: write key = value");
	CHECK_EQ(read_text("= 1\n"), -EINVAL);
	CHECK_EQ(read_text("[section]\n"), -EINVAL);
	CHECK_EQ(read_text("Event = 1\n"), -EINVAL);
	CHECK_EQ(read_text("a b = 1\n"), -EINVAL);
	CHECK_EQ(read_text("a = 1\nbad = 2\nc = 3\n"), -EDOM);
	CHECK_STR(e.text, "line 2: no");
	CHECK_STR(got, "a=1;");
	CHECK_EQ(lkst_conf_parse(&e, nul, sizeof(nul) - 1, note, NULL), -EINVAL);
	CHECK_STR(e.text, "line 2: it holds a NUL byte, so it is not text");
}

/* A command of the test's own. */
struct options {
	struct lkst_list events;
	u64 buffer;
	const char *config;
	const char *longest;
	bool quiet;
};

static bool is_kind(const char *word)
{
	return !strcmp(word, "wait");
}

static const struct lkst_option rows[] = {
	LKST_OPTION(LIST, struct options, events, .name = "event", .letter = 'e',
		    .argument = "GLOB", .help = ""),
	LKST_OPTION(SIZE, struct options, buffer, .name = "buffer", .letter = 'b',
		    .argument = "SIZE", .min = 1, .max = 1 << 20, .standard = "4K", .help = ""),
	LKST_OPTION(CONFIG, struct options, config, .name = "config", .argument = "FILE",
		    .help = ""),
	LKST_OPTION(TEXT, struct options, longest, .name = "longest", .argument = "KIND",
		    .help = "", .is_value = is_kind),
	LKST_OPTION(FLAG, struct options, quiet, .name = "quiet", .letter = 'q', .help = ""),
	{},
};

static const struct lkst_cmd command = {
	.name = "test",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &(const struct options){ .buffer = 4096 },
	.max_args = 1,
};

/* *@o points into what was parsed last. */
static int parse(const char *file, char **argv, struct options *o)
{
	static struct lkst_options parsed;
	char name[] = "/tmp/lkst-conf-XXXXXX";
	int fd = mkstemp(name), argc = 0, result;
	char *args[16];

	if (fd < 0 || write(fd, file, strlen(file)) != (ssize_t)strlen(file))
		return -EIO;
	close(fd);
	for (; argv[argc]; argc++)
		args[argc] = strcmp(argv[argc], "FILE") ? argv[argc] : name;
	lkst_options_fini(&parsed);
	result = lkst_options_parse(&e, &command, argc, args, &parsed);
	*o = *(const struct options *)parsed.values;
	unlink(name);
	return result;
}

TEST(conf_sets_options)
{
	char *argv[] = { "--config", "FILE", NULL };
	struct options o;

	CHECK_EQ(parse("event = a*\nevent = b\nbuffer = 64K\nquiet = yes\n", argv, &o), 2);
	CHECK_EQ(o.events.nr, 2);
	CHECK_STR(o.events.items[0], "a*");
	CHECK_STR(o.events.items[1], "b");
	CHECK_EQ(o.buffer, 65536);
	CHECK(o.quiet);
}

TEST(conf_is_overridden_by_the_command_line)
{
	/* Before or after the file's name: it makes no difference. */
	char *argv[] = { "--buffer", "8K", "-e", "c", "--config", "FILE", "word", NULL };
	struct options o;

	CHECK_EQ(parse("event = a\nbuffer = 64K\nquiet = no\n", argv, &o), 6);
	CHECK_EQ(o.buffer, 8192);
	CHECK_EQ(o.events.nr, 2);
	CHECK_STR(o.events.items[0], "a");
	CHECK_STR(o.events.items[1], "c");
	CHECK(!o.quiet);
}

TEST(conf_refuses_what_is_no_option)
{
	char *argv[] = { "--config", "FILE", NULL }, *missing[] = { "--config", "/nowhere", NULL };
	struct options o;

	CHECK_EQ(parse("evnet = a\n", argv, &o), -EINVAL);
	CHECK(strstr(e.text, "line 1: there is no setting \"evnet\"; `lkst test --help`"));
	CHECK_EQ(parse("config = a\n", argv, &o), -EINVAL);
	CHECK_EQ(parse("quiet = maybe\n", argv, &o), -EINVAL);
	CHECK_EQ(parse("buffer = 2M\n", argv, &o), -EINVAL);
	CHECK_EQ(parse("buffer =\n", argv, &o), -EINVAL);
	CHECK_EQ(parse("", missing, &o), -ENOENT);
}

TEST(options_may_leave_out_a_text_that_would_not_be_one)
{
	char *given[] = { "--longest", "wait", "word", NULL };
	char *left_out[] = { "--longest", "word", NULL }, *last[] = { "word", "--longest", NULL };
	struct options o;

	CHECK_EQ(parse("", given, &o), 2);
	CHECK_STR(o.longest, "wait");
	CHECK_EQ(parse("", left_out, &o), 1);
	CHECK_STR(o.longest, "");
	CHECK_EQ(parse("", last, &o), 1);
	CHECK_STR(o.longest, "");
}

static const struct unit_test tests[] = {
	{ "conf_reads_settings", test_conf_reads_settings },
	{ "conf_names_the_bad_line", test_conf_names_the_bad_line },
	{ "conf_sets_options", test_conf_sets_options },
	{ "conf_is_overridden_by_the_command_line", test_conf_is_overridden_by_the_command_line },
	{ "conf_refuses_what_is_no_option", test_conf_refuses_what_is_no_option },
	{ "options_may_leave_out_a_text_that_would_not_be_one",
	  test_options_may_leave_out_a_text_that_would_not_be_one },
};

UNIT_MAIN(tests)
