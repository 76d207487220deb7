// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * result/table.h and how print/table_text.h and print/chart.h print it.
 */
#include "print/table_text.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/unit.h"
#include "result/hist.h"

static const struct lkst_column columns[] = {
	{ "key", "call", LKST_COLUMN_TEXT, "the call" },
	{ "tid", "thread", LKST_COLUMN_TID, "the thread" },
	{ "start", "start", LKST_COLUMN_CLOCK, "when" },
	{ "elapsed", "elapsed", LKST_COLUMN_SECONDS, "how long" },
	{ "mean", "mean", LKST_COLUMN_DURATION, "how long" },
	{ "size", "size", LKST_COLUMN_BYTES, "how much" },
	{ "share", "share", LKST_COLUMN_PERCENT, "of all" },
	{ "at", "where", LKST_COLUMN_ADDRESS, "where" },
};
enum { NR_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

static void fill(struct lkst_table *t)
{
	lkst_table_init(t, "calls", "System calls", columns, NR_COLUMNS);
	lkst_table_row(t);
	lkst_table_str(t, "read");
	lkst_table_s64(t, 12);
	lkst_table_u64(t, 1108676061557ULL);
	lkst_table_u64(t, 14634865);
	lkst_table_u64(t, 3200000);
	lkst_table_u64(t, 17408);
	lkst_table_double(t, 12.345);
	lkst_table_u64(t, 0xffffffff81000000);
	lkst_table_row(t);
	lkst_table_printf(t, "\"a,\nb%c", '\t');
	lkst_table_s64(t, -1);
	lkst_table_none(t);
	lkst_table_u64(t, 5);
	lkst_table_none(t);
	lkst_table_u64(t, 0);
	lkst_table_double(t, 0);
	lkst_table_none(t);
	lkst_notes_add(&t->notes, "One crosses a gap.");
}

/* What @print writes of @arg, as a string. */
struct printed {
	struct lkst_out *out;
	struct lkst_table_printer printer;
	char text[65536];
};

static struct printed *begin(enum lkst_table_format format)
{
	struct printed *p = calloc(1, sizeof(*p));
	int fd = memfd_create("printed", 0);

	if (!p || fd < 0)
		abort();
	p->out = malloc(sizeof(*p->out));
	if (!p->out)
		abort();
	lkst_out_init(p->out, fd);
	lkst_table_printer_init(&p->printer, p->out, format, 0);
	lkst_time_text_init(&p->printer.time, LKST_TIME_PLAIN, 0);
	return p;
}

static const char *end(struct printed *p)
{
	ssize_t length;

	lkst_table_printer_end(&p->printer);
	if (lkst_out_flush(p->out))
		abort();
	length = pread(p->out->fd, p->text, sizeof(p->text) - 1, 0);
	if (length < 0)
		abort();
	p->text[length] = 0;
	close(p->out->fd);
	free(p->out);
	return p->text;
}

TEST(table_keeps_what_it_was_given)
{
	struct lkst_table t;

	fill(&t);
	CHECK_EQ(lkst_table_end(&t), 0);
	CHECK_EQ(t.nr_rows, 2);
	CHECK_STR(lkst_table_cell(&t, 0, 0)->text, "read");
	CHECK_EQ(lkst_table_cell(&t, 1, 1)->s64, -1);
	CHECK(!lkst_table_cell(&t, 1, 2)->is_set);
	CHECK_EQ(lkst_table_column(&t, "size"), 5);
	CHECK_EQ(lkst_table_column(&t, "nothing"), -1);
	lkst_table_fini(&t);
}

TEST(table_sorts_by_a_column_and_keeps_order_of_equals)
{
	static const struct lkst_column two[] = {
		{ "n", "n", LKST_COLUMN_COUNT, "" },
		{ "text", "text", LKST_COLUMN_TEXT, "" },
	};
	struct lkst_table t;
	unsigned int i;

	lkst_table_init(&t, "t", NULL, two, 2);
	for (i = 0; i < 100; i++) {
		lkst_table_row(&t);
		if (i == 50)
			lkst_table_none(&t);
		else
			lkst_table_u64(&t, i % 10);
		lkst_table_printf(&t, "%02u", i);
	}
	lkst_table_sort(&t, 0, true);
	for (i = 0; i < 99; i++)
		CHECK_EQ(lkst_table_cell(&t, i, 0)->u64, i < 90 ? 9 - i / 10 : 0);
	CHECK_STR(lkst_table_cell(&t, 0, 1)->text, "09");
	CHECK_STR(lkst_table_cell(&t, 9, 1)->text, "99");
	CHECK(!lkst_table_cell(&t, 99, 0)->is_set);
	lkst_table_sort(&t, 1, false);
	for (i = 0; i < 100; i++)
		CHECK_EQ(atoi(lkst_table_cell(&t, i, 1)->text), i);
	lkst_table_cut(&t, 3);
	CHECK_EQ(t.nr_rows, 3);
	CHECK_STR(t.title, "t");
	lkst_table_fini(&t);
}

TEST(table_text_is_aligned_with_units)
{
	struct printed *p = begin(LKST_TABLE_TEXT);
	struct lkst_table t;

	fill(&t);
	lkst_table_print(&p->printer, &t);
	lkst_table_fini(&t);
	CHECK_STR(end(p),
		  "System calls\n"
		  "call      thread           start      elapsed     mean     size   share"
		  "               where\n"
		  "read          12  1108.676061557  0.014634865  3.20 ms   17 KiB  12.3 %"
		  "  0xffffffff81000000\n"
		  "\"a,\\nb\\t      -1               -  0.000000005        -  0 bytes   0.0 %"
		  "                   -\n"
		  "Note: One crosses a gap.\n");
	free(p);
}

TEST(table_plain_text_is_for_gnuplot)
{
	struct printed *p = begin(LKST_TABLE_TEXT);
	struct lkst_table t;
	unsigned int i;

	p->printer.is_plain = true;
	for (i = 0; i < 2; i++) {
		lkst_table_init(&t, "list", "List", columns, 4);
		lkst_table_row(&t);
		lkst_table_str(&t, "read");
		lkst_table_s64(&t, 7);
		lkst_table_u64(&t, 1500000000);
		lkst_table_u64(&t, 20);
		lkst_table_print(&p->printer, &t);
		lkst_table_fini(&t);
	}
	CHECK_STR(end(p), "# key  tid        start      elapsed\n"
			  "read     7  1.500000000  0.000000020\n"
			  "\n\n"
			  "# key  tid        start      elapsed\n"
			  "read     7  1.500000000  0.000000020\n");
	free(p);
}

TEST(table_csv_is_rfc_4180)
{
	struct printed *p = begin(LKST_TABLE_CSV);
	struct lkst_table t;

	fill(&t);
	lkst_table_print(&p->printer, &t);
	lkst_table_fini(&t);
	CHECK_STR(end(p),
		  "key,tid,start_ns,elapsed_ns,mean_ns,size_bytes,share_percent,at\r\n"
		  "read,12,1108676061557,14634865,3200000,17408,12.345,18446744071578845184\r\n"
		  "\"\"\"a,\\nb\\t\",-1,,5,,0,0,\r\n");
	free(p);
}

/* A table whose title, heading, cell and note are @text, as @format. */
static struct printed *print_foreign(enum lkst_table_format format, bool is_plain, const char *text)
{
	const struct lkst_column foreign[] = { { text, text, LKST_COLUMN_TEXT, text },
					       { text, text, LKST_COLUMN_COUNT, text } };
	struct printed *p = begin(format);
	struct lkst_table t;

	p->printer.is_plain = is_plain;
	lkst_table_init(&t, text, text, foreign, 2);
	lkst_table_row(&t);
	lkst_table_str(&t, text);
	lkst_table_u64(&t, 7);
	lkst_notes_add(&t.notes, "%s", text);
	lkst_table_print(&p->printer, &t);
	lkst_table_fini(&t);
	end(p);
	return p;
}

#define HOSTILE "=a\x1b[31m\n\r\x7f,\"\xe2\x80\xae\xc2\x9b\xff"
#define ESCAPED "=a\\x1b[31m\\n\\r\\x7f,\"\\xe2\\x80\\xae\\xc2\\x9b\\xff"
#define AS_CELL "\"'=a\\x1b[31m\\n\\r\\x7f,\"\"\\xe2\\x80\\xae\\xc2\\x9b\\xff\""
#define AS_JSON "\"=a\\u001b[31m\\n\\r\\u007f,\\\"\\u202e\\u009b\xef\xbf\xbd\""

/* Not only cells may come from anywhere. */
TEST(table_prints_foreign_text_escaped_wherever_it_is)
{
	struct printed *p = print_foreign(LKST_TABLE_TEXT, false, HOSTILE);

	CHECK_STR(p->text, ESCAPED "\n" ESCAPED "  " ESCAPED "\n" ESCAPED
				   "                                             7\nNote: " ESCAPED "\n");
	free(p);
	p = print_foreign(LKST_TABLE_TEXT, true, HOSTILE);
	CHECK(!strncmp(p->text, "# " ESCAPED "  " ESCAPED "\n" ESCAPED, 2 + 3 * strlen(ESCAPED) + 3));
	free(p);
	p = print_foreign(LKST_TABLE_CSV, false, HOSTILE);
	CHECK_STR(p->text, AS_CELL "," AS_CELL "\r\n" AS_CELL ",7\r\n");
	free(p);
	p = print_foreign(LKST_TABLE_JSON, false, HOSTILE);
	CHECK_STR(p->text, "{\n" AS_JSON ":{\"title\":" AS_JSON ",\"rows\":[\n{" AS_JSON ":" AS_JSON "," AS_JSON
			   ":7}],\"notes\":[" AS_JSON "],\"kind\":\"rows\",\"columns\":[{\"name\":" AS_JSON
			   ",\"title\":" AS_JSON ",\"type\":\"text\",\"help\":" AS_JSON "},{\"name\":" AS_JSON
			   ",\"title\":" AS_JSON ",\"type\":\"count\",\"help\":" AS_JSON "}]}\n}\n");
	free(p);
}

/* As many columns as a table may have, the headings and cells as wide as text may be: nothing is beyond its room. */
TEST(table_cuts_headings_as_cells)
{
	static const size_t lengths[] = { 256, 257, 200000, 1000000 };
	enum { WIDEST = 4 * LKST_CELL_TEXT_MAX, LINE = LKST_TABLE_COLUMNS_MAX * (WIDEST + 2) - 2 };
	struct lkst_column many[LKST_TABLE_COLUMNS_MAX];
	char *name = malloc(1000001);
	unsigned int i, k, line;

	CHECK(name);
	for (k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
		struct printed *p = begin(LKST_TABLE_TEXT);
		struct lkst_table t;

		p->printer.max_text = 100000;
		memset(name, '\x1b', lengths[k]);
		name[lengths[k]] = 0;
		for (i = 0; i < LKST_TABLE_COLUMNS_MAX; i++)
			many[i] = (struct lkst_column){ name, name, i % 2 ? LKST_COLUMN_COUNT : LKST_COLUMN_TEXT, "" };
		lkst_table_init(&t, "t", "", many, LKST_TABLE_COLUMNS_MAX);
		for (line = 0; line < 2; line++) {
			lkst_table_row(&t);
			for (i = 0; i < LKST_TABLE_COLUMNS_MAX; i++) {
				if (i % 2)
					lkst_table_u64(&t, 1);
				else
					lkst_table_text(&t, name, line ? lengths[k] : 0);
			}
		}
		lkst_table_print(&p->printer, &t);
		lkst_table_fini(&t);
		CHECK_EQ(strcspn(end(p), "\n"), LINE);
		CHECK(!memcmp(p->text + LINE - 8, "\\x1b\\x1b", 8));
		CHECK(!strchr(p->text, '\x1b'));
		free(p);
	}
	free(name);
}

/* Names that differ in the last byte that a name may have are two; as many notes as there may be are as many lines. */
TEST(table_names_and_notes_are_whole)
{
	char name[2][LKST_COLUMN_NAME_MAX + 1], line[2 * LKST_COLUMN_NAME_MAX + 4];
	const struct lkst_column two[] = { { name[0], NULL, LKST_COLUMN_TEXT, "" },
					   { name[1], "b", LKST_COLUMN_PERCENT, "" } };
	struct printed *p = begin(LKST_TABLE_CSV);
	struct lkst_table t;
	unsigned int i, nr = 0;
	const char *at;

	for (i = 0; i < 2; i++) {
		memset(name[i], 'x', LKST_COLUMN_NAME_MAX);
		name[i][LKST_COLUMN_NAME_MAX - 1] = (char)('a' + i);
		name[i][LKST_COLUMN_NAME_MAX] = 0;
	}
	lkst_table_init(&t, "t", NULL, two, 2);
	lkst_table_print(&p->printer, &t);
	snprintf(line, sizeof(line), "%s,%s", name[0], name[1]);
	CHECK(!strncmp(end(p), line, strlen(line)));
	CHECK_STR(p->text + strlen(line), "_percent\r\n");
	free(p);
	p = begin(LKST_TABLE_TEXT);
	for (i = 0; i < 1000; i++)
		lkst_notes_add(&t.notes, "%u \x1b[31m", i);
	lkst_table_print(&p->printer, &t);
	lkst_table_fini(&t);
	for (at = end(p); (at = strstr(at, " \\x1b[31m\n")); at++)
		nr++;
	CHECK_EQ(nr, LKST_NOTES_MAX);
	CHECK(!strchr(p->text, '\x1b'));
	free(p);
}

/* What is to be printed. */
static char wanted[4096];

static void want(const char *text)
{
	strncat(wanted, text, sizeof(wanted) - strlen(wanted) - 1);
}

/* Columns in JSON, of each its name, its title with quotes or null, its type and its help. */
static void want_columns(const char *const (*list)[4], unsigned int nr)
{
	char text[256];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		snprintf(text, sizeof(text),
			 "%s{\"name\":\"%s\",\"title\":%s,\"type\":\"%s\",\"help\":\"%s\"}", i ? "," : "",
			 list[i][0], list[i][1], list[i][2], list[i][3]);
		want(text);
	}
}

static const char *const columns_in_json[][4] = {
	{ "key", "\"call\"", "text", "the call" },
	{ "tid", "\"thread\"", "tid", "the thread" },
	{ "start_ns", "\"start\"", "clock", "when" },
	{ "elapsed_ns", "\"elapsed\"", "seconds", "how long" },
	{ "mean_ns", "\"mean\"", "duration", "how long" },
	{ "size_bytes", "\"size\"", "bytes", "how much" },
	{ "share_percent", "\"share\"", "percent", "of all" },
	{ "at", "\"where\"", "address", "where" },
};

TEST(table_json_has_rows_and_notes)
{
	struct printed *p = begin(LKST_TABLE_JSON);
	struct lkst_table t;

	fill(&t);
	lkst_table_print(&p->printer, &t);
	lkst_table_fini(&t);
	lkst_table_init(&t, "empty", "Nothing", columns, 1);
	lkst_table_print(&p->printer, &t);
	lkst_table_fini(&t);
	wanted[0] = 0;
	want("{\n\"calls\":{\"title\":\"System calls\",\"rows\":[\n"
	     "{\"key\":\"read\",\"tid\":12,\"start_ns\":1108676061557,\"elapsed_ns\":14634865,"
	     "\"mean_ns\":3200000,\"size_bytes\":17408,\"share_percent\":12.345,"
	     "\"at\":18446744071578845184},\n"
	     "{\"key\":\"\\\"a,\\nb\\t\",\"tid\":-1,\"start_ns\":null,\"elapsed_ns\":5,"
	     "\"mean_ns\":null,\"size_bytes\":0,\"share_percent\":0,\"at\":null}"
	     "],\"notes\":[\"One crosses a gap.\"],\"kind\":\"rows\",\"columns\":[");
	want_columns(columns_in_json, NR_COLUMNS);
	want("]},\n\"empty\":{\"title\":\"Nothing\",\"rows\":[],\"notes\":[],\"kind\":\"rows\",\"columns\":[");
	want_columns(columns_in_json, 1);
	want("]}\n}\n");
	CHECK_STR(end(p), wanted);
	free(p);
	p = begin(LKST_TABLE_JSON);
	CHECK_STR(end(p), "{}\n");
	free(p);
}

TEST(table_of_any_length_goes_through_a_sink)
{
	static const struct lkst_column one[] = { { "n", "n", LKST_COLUMN_TEXT, "" } };
	struct printed *p = begin(LKST_TABLE_CSV);
	struct lkst_table t;
	const char *text;
	unsigned int i;

	lkst_table_init(&t, "t", NULL, one, 1);
	lkst_table_set_sink(&t, lkst_table_print_rows, &p->printer);
	for (i = 0; i < 5000; i++) {
		lkst_table_row(&t);
		lkst_table_printf(&t, "%u", i);
		CHECK(t.nr_rows <= LKST_TABLE_SINK_ROWS);
	}
	CHECK_EQ(lkst_table_end(&t), 0);
	CHECK_EQ(t.nr_rows, 0);
	lkst_table_print_end(&p->printer, &t);
	lkst_table_fini(&t);
	text = end(p);
	CHECK(!strncmp(text, "n\r\n0\r\n1\r\n", 9));
	for (i = 0; text && i < 5000; i++)
		text = strchr(text + 1, '\n');
	CHECK_STR(text, "\n4999\r\n");
	free(p);
}

static int refuse(void *arg, const struct lkst_table *t)
{
	++*(int *)arg;
	return -EIO;
}

TEST(table_stops_when_its_sink_fails)
{
	struct lkst_table t;
	int calls = 0, i;

	lkst_table_init(&t, "t", NULL, columns, 1);
	lkst_table_set_sink(&t, refuse, &calls);
	for (i = 0; i < 5000; i++) {
		lkst_table_row(&t);
		lkst_table_str(&t, "x");
	}
	CHECK_EQ(lkst_table_end(&t), -EIO);
	CHECK_EQ(calls, 1);
	lkst_table_fini(&t);
}

static void fill_chart(struct lkst_tables *set)
{
	static const uint64_t values[][2] = {
		{ 1000, 1 }, { 3000, 40 }, { 5000, 4 }, { 9000000, 1 }
	};
	struct lkst_hist h = { 0 };
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (lkst_hist_add(&h, values[i][0], values[i][1]))
			abort();
	if (lkst_hist_table(&h, set, "times", "Times", LKST_COLUMN_DURATION))
		abort();
	lkst_hist_fini(&h);
}

TEST(chart_draws_bars_and_quantiles)
{
	static const char *const want[] = {
		"   512 ns to 1.02 us   1    2.2 % |#                          |\n",
		"  1.02 us to 2.05 us   0    0.0 % |                           |\n",
		"  2.05 us to 4.10 us  40   87.0 % |###########################|  p50\n",
		"  4.10 us to 8.19 us   4    8.7 % |###                        |  p95\n",
		"  8.39 ms to 16.8 ms   1    2.2 % |#                          |  p99 p99.9\n",
	};
	struct printed *p = begin(LKST_TABLE_TEXT);
	struct lkst_tables set = { 0 };
	const char *text;
	unsigned int i;

	fill_chart(&set);
	p->printer.chart = (struct lkst_chart){ .width = 80 };
	lkst_table_print(&p->printer, set.items[0]);
	lkst_tables_fini(&set);
	text = end(p);
	CHECK(!strncmp(text, "Times\n", 6));
	for (i = 0; i < 5; i++)
		CHECK(strstr(text, want[i]));
	free(p);
}

TEST(chart_uses_blocks_where_it_may)
{
	struct printed *p = begin(LKST_TABLE_TEXT);
	struct lkst_tables set = { 0 };
	const char *text;

	fill_chart(&set);
	p->printer.chart = (struct lkst_chart){ .width = 62, .is_utf8 = true };
	lkst_table_print(&p->printer, set.items[0]);
	lkst_tables_fini(&set);
	text = end(p);
	CHECK(strstr(text,
		     " 87.0 % |\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588|  p50\n"));
	CHECK(strstr(text, "  8.7 % |\u2589        |  p95\n"));
	free(p);
}

TEST(chart_goes_by_the_locale)
{
	struct lkst_chart chart;

	setenv("LC_ALL", "C", 1);
	setenv("LANG", "de_DE.UTF-8", 1);
	lkst_chart_init(&chart, -1);
	CHECK(!chart.is_utf8);
	CHECK_EQ(chart.width, 80);
	setenv("LC_ALL", "", 1);
	unsetenv("LC_CTYPE");
	lkst_chart_init(&chart, -1);
	CHECK(chart.is_utf8);
	setenv("LC_ALL", "C.utf8", 1);
	lkst_chart_init(&chart, -1);
	CHECK(chart.is_utf8);
}

TEST(table_formats_are_text_csv_and_json)
{
	char list[LKST_CHOICES_TEXT];

	CHECK_EQ(lkst_choices_find(lkst_table_format_choices, "text"), LKST_TABLE_TEXT);
	CHECK_EQ(lkst_choices_find(lkst_table_format_choices, "csv"), LKST_TABLE_CSV);
	CHECK_EQ(lkst_choices_find(lkst_table_format_choices, "json"), LKST_TABLE_JSON);
	CHECK_EQ(lkst_choices_find(lkst_table_format_choices, "xml"), -1);
	lkst_choices_list(lkst_table_format_choices, list);
	CHECK_STR(list, "text, csv or json");
}

static const struct lkst_column for_some[] = {
	{ "bytes", NULL, LKST_COLUMN_BYTES, "" }, { "name", "NAME", LKST_COLUMN_TEXT, "" },
	{ "at_ns", "AT", LKST_COLUMN_CLOCK, "" }, { "is_old", "old", LKST_COLUMN_FLAG, "" },
	{ NULL, "STATE", LKST_COLUMN_TEXT, "" },  { "is_new", NULL, LKST_COLUMN_FLAG, "" },
};

static const char *const for_some_in_json[][4] = {
	{ "bytes", "null", "bytes", "" },  { "name", "\"NAME\"", "text", "" },
	{ "at_ns", "\"AT\"", "clock", "" }, { "is_old", "\"old\"", "flag", "" },
	{ "is_new", "null", "flag", "" },
};

static const char *print_for_some(struct printed *p)
{
	struct lkst_table t;

	lkst_table_init(&t, "some", "", for_some, sizeof(for_some) / sizeof(for_some[0]));
	lkst_table_row(&t);
	lkst_table_u64(&t, 4096);
	lkst_table_str(&t, "a");
	lkst_table_u64(&t, 1000000001);
	lkst_table_bool(&t, true);
	lkst_table_str(&t, "new");
	lkst_table_bool(&t, false);
	lkst_table_print(&p->printer, &t);
	lkst_table_fini(&t);
	return end(p);
}

TEST(table_columns_may_be_for_people_or_for_programs)
{
	struct printed *p = begin(LKST_TABLE_TEXT);

	CHECK_STR(print_for_some(p), "NAME           AT  old  STATE\n"
				     "a     1.000000001  yes  new\n");
	free(p);
	p = begin(LKST_TABLE_CSV);
	CHECK_STR(print_for_some(p), "bytes,name,at_ns,is_old,is_new\r\n"
				     "4096,a,1000000001,true,false\r\n");
	free(p);
	p = begin(LKST_TABLE_JSON);
	wanted[0] = 0;
	want("{\n\"some\":{\"title\":\"\",\"rows\":[\n{\"bytes\":4096,\"name\":\"a\","
	     "\"at_ns\":1000000001,\"is_old\":true,\"is_new\":false}],\"notes\":[],"
	     "\"kind\":\"rows\",\"columns\":[");
	want_columns(for_some_in_json, sizeof(for_some_in_json) / sizeof(for_some_in_json[0]));
	want("]}\n}\n");
	CHECK_STR(print_for_some(p), wanted);
	free(p);
}

static const struct unit_test tests[] = {
	{ "table_keeps_what_it_was_given", test_table_keeps_what_it_was_given },
	{ "table_sorts_by_a_column_and_keeps_order_of_equals",
	  test_table_sorts_by_a_column_and_keeps_order_of_equals },
	{ "table_text_is_aligned_with_units", test_table_text_is_aligned_with_units },
	{ "table_plain_text_is_for_gnuplot", test_table_plain_text_is_for_gnuplot },
	{ "table_prints_foreign_text_escaped_wherever_it_is", test_table_prints_foreign_text_escaped_wherever_it_is },
	{ "table_cuts_headings_as_cells", test_table_cuts_headings_as_cells },
	{ "table_names_and_notes_are_whole", test_table_names_and_notes_are_whole },
	{ "table_csv_is_rfc_4180", test_table_csv_is_rfc_4180 },
	{ "table_json_has_rows_and_notes", test_table_json_has_rows_and_notes },
	{ "table_of_any_length_goes_through_a_sink", test_table_of_any_length_goes_through_a_sink },
	{ "table_stops_when_its_sink_fails", test_table_stops_when_its_sink_fails },
	{ "chart_draws_bars_and_quantiles", test_chart_draws_bars_and_quantiles },
	{ "chart_uses_blocks_where_it_may", test_chart_uses_blocks_where_it_may },
	{ "chart_goes_by_the_locale", test_chart_goes_by_the_locale },
	{ "table_formats_are_text_csv_and_json", test_table_formats_are_text_csv_and_json },
	{ "table_columns_may_be_for_people_or_for_programs",
	  test_table_columns_may_be_for_people_or_for_programs },
};
UNIT_MAIN(tests)
