/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Fields that the kernel prints as symbols, by print formats of its tracepoints.
 */
#include "lib/unit.h"
#include "live/kernel/print_format.h"

static char names[256];

static void collect(void *ctx, const char *name, size_t length)
{
	size_t used = strlen(names);

	snprintf(names + used, sizeof(names) - used, "%s%.*s", used ? " " : "", (int)length, name);
}

static const char *symbols_of(const char *text)
{
	names[0] = 0;
	lkst_print_format_symbols(text, collect, NULL);
	return names;
}

/* As kernels have them: kmem/kfree, timer/hrtimer_start, rcu, btrfs, an old one, and one with a width. */
TEST(print_format_names_fields_that_are_symbols)
{
	CHECK_STR(symbols_of(" \"call_site=%pS ptr=%p\", (void *)REC->call_site, REC->ptr"),
		  "call_site");
	CHECK_STR(
		symbols_of(
			" \"hrtimer=%p function=%ps expires=%llu mode=%s\", REC->hrtimer, REC->function, "
			"(unsigned long long) REC->expires, __print_symbolic(REC->mode, { 0, \"ABS\"})"),
		"function");
	CHECK_STR(
		symbols_of(
			" \"%pU: work=%p func=%ps of=%pF\" \" at 100%% %pB\", REC->fsid, REC->work, REC->func, "
			"REC->of, REC->ip"),
		"func of ip");
	CHECK_STR(
		symbols_of(
			" \"%s=%*d %-.3lx %pf\", __print_flags(REC->a, \"|\", {1, \"(,\\\")\"}), REC->w, REC->d, "
			"REC->x, REC->f"),
		"f");
}

TEST(print_format_names_nothing_else)
{
	static const char *const texts[] = {
		"",
		" ",
		" \"",
		" \"%pS",
		" \"%pS\"",
		" \"%pS\",",
		" \"%pS\", REC->",
		" \"%pS\", REC->a + REC->b",
		" \"%pS\", ip",
		" \"%%pS %d\", REC->a",
		" \"%p S\", REC->a",
		" \"%pU\", REC->a",
		" \"\\\"%pS",
		" \"%s\", \"%pS\", REC->a",
		" \"%pS\" REC->a",
		" \"%",
		" \"%*",
		" \"%pS\", (((REC->a, REC->b",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_STR(symbols_of(texts[i]), "");
}

static const struct unit_test tests[] = {
	{ "print_format_names_fields_that_are_symbols",
	  test_print_format_names_fields_that_are_symbols },
	{ "print_format_names_nothing_else", test_print_format_names_nothing_else },
};
UNIT_MAIN(tests)
