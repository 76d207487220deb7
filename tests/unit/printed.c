/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * That fuzz targets notice an output that no user may get (tests/lib/printed.h).
 */
#include "lib/printed.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unit.h"

struct output {
	enum printed_form form;
	const char *text;
};

/* In a process of its own, since it may end there. */
static bool is_sound(const struct output *o)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		printed_check(o->text, strlen(o->text), o->form);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

TEST(printed_sound_passes)
{
	static const struct output sound[] = {
		{ PRINTED_TEXT, "" },
		{ PRINTED_TEXT, "a \"b\", =1\n\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7\n" },
		{ PRINTED_TABBED, "1\tb\n" },
		{ PRINTED_CSV, "a,b\r\n\"c,\"\"=1\",-3\r\n,\"\"\r\n\r\n'=1,+1.5e-07\r\n" },
		{ PRINTED_COLUMNS, "\"a\",00,0x0000001f\n" },
		{ PRINTED_JSON,
		  "{\"a\":[1,-2.5e+20,\"\\u001b\\\"\",{}],\n\"b\":[],\"c\":null}\ntrue\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(sound) / sizeof(sound[0]); i++)
		CHECK(is_sound(&sound[i]));
}

TEST(printed_unsound_is_noticed)
{
	static const struct output unsound[] = {
		{ PRINTED_TEXT, "no end" },	  { PRINTED_TEXT, "\033[31m\n" },
		{ PRINTED_TEXT, "a\tb\n" },	  { PRINTED_TEXT, "a\r\n" },
		{ PRINTED_TEXT, "\x7f\n" },	  { PRINTED_TEXT, "\xff\n" },
		{ PRINTED_TEXT, "\xc0\xaf\n" },	  { PRINTED_TEXT, "\xed\xa0\x80\n" },
		{ PRINTED_TEXT, "\xc2\x9b\n" },	  { PRINTED_TEXT, "\xe2\x80\xae\n" },
		{ PRINTED_TEXT, "\xe2\x82" },	  { PRINTED_CSV, "a\n" },
		{ PRINTED_CSV, "a\rb\r\n" },	  { PRINTED_CSV, "=1\r\n" },
		{ PRINTED_CSV, "a,\"@b\"\r\n" },  { PRINTED_CSV, "-1+2\r\n" },
		{ PRINTED_CSV, "a\"b\r\n" },	  { PRINTED_CSV, "\"a\r\n" },
		{ PRINTED_COLUMNS, "\"-a\"\n" },  { PRINTED_JSON, "{\"a\":1\n" },
		{ PRINTED_JSON, "{\"a\":1}}\n" }, { PRINTED_JSON, "[1,]\n" },
		{ PRINTED_JSON, "[01]\n" },	  { PRINTED_JSON, "[1.]\n" },
		{ PRINTED_JSON, "[\"a\nb\"]\n" }, { PRINTED_JSON, "[\"\\x1b\"]\n" },
		{ PRINTED_JSON, "[nan]\n" },	  { PRINTED_JSON, "{a:1}\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(unsound) / sizeof(unsound[0]); i++)
		CHECK(!is_sound(&unsound[i]));
}

/* A shorter output has nothing of a longer one before it. */
TEST(printed_outputs_are_apart)
{
	const char *const names[] = { "\033]0;title\007", "=1+1", "\"", "a\xe2\x80\xae", "" };

	printed_names(names, sizeof(names) / sizeof(names[0]));
	printed_name("a", 1);
	lkst_out_str(printed_begin(), "{}\n");
	printed_end(PRINTED_JSON);
}

static const struct unit_test tests[] = {
	{ "printed_sound_passes", test_printed_sound_passes },
	{ "printed_unsound_is_noticed", test_printed_unsound_is_noticed },
	{ "printed_outputs_are_apart", test_printed_outputs_are_apart },
};
UNIT_MAIN(tests)
