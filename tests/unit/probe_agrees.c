/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: all
 *
 * What can be probed in a program and what its probes fetch, compared with what perf probe says of the same file. (perf
 * of Linux 6.1 ends by a signal where it should list lines of a program that clang compiled, so that is not compared.)
 */
#include "probe/resolve/listing.h"

#include <stdarg.h>

#include "lib/probed.h"
#include "lib/unit.h"

enum { TEXT_MAX = 1 << 16 };

static const char *const functions[] = { "walk",     "square",	  "many",  "small",
					 "find",     "shadow",	  "ratio", "nested",
					 "list_all", "factorial", "main" };

/* What `perf probe -x PROGRAM OPTION WHAT` prints, without blanks at line ends; "" if it fails. */
static const char *perf(const char *how, const char *option, const char *what)
{
	static char text[TEXT_MAX];
	char command[8192], line[4096];
	size_t length = 0, n;
	FILE *pipe;

	snprintf(command, sizeof(command), "perf probe -x '%s' %s '%s' 2>/dev/null",
		 probed_path(how), option, what);
	pipe = popen(command, "r");
	text[0] = 0;
	while (pipe && fgets(line, sizeof(line), pipe)) {
		for (n = strcspn(line, "\n"); n && strchr(" \t", line[n - 1]); n--)
			continue;
		length += snprintf(text + length, length < TEXT_MAX ? TEXT_MAX - length : 0,
				   "%.*s\n", (int)n, line);
		if (length >= TEXT_MAX)
			break;
	}
	return pipe && !pclose(pipe) ? text : "";
}

static bool has_perf(void)
{
	return perf(PROBED_GCC, "--line", "main")[0];
}

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char *text, const char *format, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, TEXT_MAX - length, format, args);
	va_end(args);
	for (length = strlen(text);
	     length > 1 && text[length - 1] == '\n' && strchr(" \t", text[length - 2]); length--)
		strcpy(text + length - 2, "\n");
}

/* The lines that can be probed, laid out as perf does. */
static const char *our_lines(const char *how, const char *what)
{
	static char text[TEXT_MAX];
	const struct lkst_image_options o = { .program = probed_path(how) };
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	struct lkst_line_range range = { 0 };
	struct lkst_line_list l = { 0 };
	struct lkst_err e = { 0 };
	u32 i;

	text[0] = 0;
	if (lkst_image_open(&e, &o, &image) || lkst_line_range_parse(&e, what, &range) ||
	    lkst_list_lines(&e, image, &range, &l))
		add(text, "%s\n", e.text);
	for (i = 0; i < l.nr; i++) {
		if (!i)
			add(text, l.function ? "<%s@%s:%u>\n" : "<%.0s%s:%u>\n",
			    l.function ? l.function : "", l.source, l.first);
		if (l.lines[i].can_be_probed)
			add(text, "%7u  %s\n", l.lines[i].number, l.lines[i].text);
		else
			add(text, "         %s\n", l.lines[i].text);
	}
	lkst_line_list_fini(&l);
	lkst_line_range_fini(&range);
	return text;
}

static const char *our_variables(const char *how, const char *what)
{
	static char text[TEXT_MAX];
	const struct lkst_image_options o = { .program = probed_path(how) };
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	const struct lkst_perf_target target = { .path = o.program };
	struct lkst_place_list l = { 0 };
	struct lkst_probe p = { 0 };
	struct lkst_err e = { 0 };
	u32 i, j;

	snprintf(text, sizeof(text), "Available variables at %s\n", what);
	if (lkst_image_open(&e, &o, &image) || lkst_perf_parse(&e, what, &target, &p) ||
	    lkst_list_variables(&e, image, &p.place, &l))
		add(text, "%s\n", e.text);
	for (i = 0; i < l.nr; i++) {
		add(text, "\t@<%s>\n", l.places[i].where);
		for (j = 0; j < l.places[i].variables.nr; j++)
			add(text, "\t\t%s\n", l.places[i].variables.names[j]);
		if (!j)
			add(text, "\t\t(No matched variables)\n");
	}
	lkst_place_list_fini(&l);
	lkst_probe_fini(&p);
	return text;
}

/* L16, L17: the lines that can be probed, in inlined functions too. */
TEST(perf_lists_the_same_lines)
{
	static const char *const ranges[] = { "walk:2+4", "walk:3-8", "program.c:40-60",
					      "program.c:30+20", "program.c" };
	unsigned int i;

	if (!has_perf())
		SKIP("perf probe does not work here");
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		CHECK_STR(our_lines(PROBED_GCC, functions[i]),
			  perf(PROBED_GCC, "--line", functions[i]));
		CHECK_STR(our_lines(PROBED_PLAIN, functions[i]),
			  perf(PROBED_PLAIN, "--line", functions[i]));
	}
	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		CHECK_STR(our_lines(PROBED_GCC, ranges[i]), perf(PROBED_GCC, "--line", ranges[i]));
}

/* L12: the variables that live at a function's entry, at its inlined instances, and at lines. */
TEST(perf_lists_the_same_variables)
{
	static const char *const lines[] = { "walk:5", "many:4", "nested:4", "shadow:5", "main:5" };
	unsigned int i;

	if (!has_perf())
		SKIP("perf probe does not work here");
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		CHECK_STR(our_variables(PROBED_GCC, functions[i]),
			  perf(PROBED_GCC, "--vars", functions[i]));
		CHECK_STR(our_variables(PROBED_PLAIN, functions[i]),
			  perf(PROBED_PLAIN, "--vars", functions[i]));
	}
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_STR(our_variables(PROBED_PLAIN, lines[i]),
			  perf(PROBED_PLAIN, "--vars", lines[i]));
}

/* Every function that we list perf lists; it lists variables as well. */
TEST(perf_lists_the_same_functions)
{
	const struct lkst_image_options o = { .program = probed_path(PROBED_GCC) };
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	struct lkst_name_list l = { 0 };
	const char *list;
	char name[256];
	u32 i;

	if (!has_perf())
		SKIP("perf probe does not work here");
	CHECK_EQ(lkst_image_open(NULL, &o, &image), 0);
	CHECK_EQ(lkst_list_functions(NULL, image, NULL, &l), 0);
	list = perf(PROBED_GCC, "--funcs", "*");
	CHECK(l.nr >= 11);
	for (i = 0; i < l.nr; i++) {
		snprintf(name, sizeof(name), "%s\n", l.names[i]);
		CHECK(strstr(list, name));
	}
	lkst_name_list_fini(&l);
	CHECK_EQ(lkst_list_functions(NULL, image, "fact*", &l), 0);
	CHECK_EQ(l.nr, 1);
	CHECK_STR(l.names[0], "factorial");
	lkst_name_list_fini(&l);
}

/*
 * Writes what two definitions must agree in, of each line: the place and what is fetched. perf shows unsigned numbers
 * as hex, has names of its own, and gives several events one name.
 */
static void essence(const char *lines, char *text)
{
	const char *at = lines, *word;

	text[0] = 0;
	while ((at = strchr(at, ' '))) {
		size_t length = strcspn(++at, "\n");
		char line[4096], *rest = line, *colon;

		snprintf(line, sizeof(line), "%.*s", (int)length, at);
		while ((word = strsep(&rest, " "))) {
			word = strchr(word, '=') ? strchr(word, '=') : word;
			colon = strrchr(word, ':');
			if (colon && colon[1] == 'x' && word[0] == '=')
				colon[1] = 'u';
			add(text, " %s", word);
		}
		add(text, "\n");
		at = strchr(at, '\n');
		if (!at)
			break;
	}
}

/* L03, L05, L07, L09, L11 to L14: where probes are, and where their arguments are. */
TEST(perf_resolves_alike)
{
	static const char *const definitions[] = {
		"walk p text n",
		"walk:5 i n sum",
		"walk text:string",
		"walk p->x p->deep p->small p->grid[1] p->row[2]",
		"walk p->next->next->x p->name:string p->text:string",
		"square v",
		"many a b c d e f g h",
		"many:4 local.x local.name:string local.deep",
		"many:5 g h",
		"small byte word c is",
		"find list nr name",
		"find list[1]->x",
		"find list[1]->name:string",
		"shadow v",
		"ratio a b",
		"nested v",
		"list_all head",
		"list_all head->next->y",
		"factorial n",
		"main argc argv argv[1]:string",
		"walk%return",
		"many+10",
		"program.c:52",
		"walk;sum*",
		"program.c;*printf*",
		"walk:8 p->next->row[3]",
		"walk $params",
		"list_all:4 p p->grid[1]:x",
	};
	static char ours[TEXT_MAX], theirs[TEXT_MAX];
	unsigned int i, nr = 0;

	if (!has_perf())
		SKIP("perf probe does not work here");
	for (i = 0; i < 2 * sizeof(definitions) / sizeof(definitions[0]); i++) {
		const char *how = i % 2 ? PROBED_PLAIN : PROBED_GCC;

		essence(perf(how, "--definition", definitions[i / 2]), theirs);
		/* What perf refuses is not compared, nor what it takes for a symbol: a pointer that is a constant. */
		if (!theirs[0] || strstr(theirs, "deade12d") || strstr(theirs, "@head"))
			continue;
		essence(probed(how, definitions[i / 2]), ours);
		/* perf would set one in the middle of an instruction. */
		if (strstr(ours, "is within an instruction"))
			continue;
		if (strcmp(ours, theirs))
			printf("%s %s\n", how, definitions[i / 2]);
		CHECK_STR(ours, theirs);
		nr++;
	}
	CHECK(nr >= 40);
}

static const struct unit_test tests[] = {
	{ "perf_lists_the_same_lines", test_perf_lists_the_same_lines },
	{ "perf_lists_the_same_variables", test_perf_lists_the_same_variables },
	{ "perf_lists_the_same_functions", test_perf_lists_the_same_functions },
	{ "perf_resolves_alike", test_perf_resolves_alike },
};

UNIT_MAIN(tests)
