/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Parquet files: a reader that knows only the format's own text finds what was written.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "lib/read_parquet.h"
#include "lib/unit.h"
#include "parquet/parquet.h"

static char *file, *text;
static size_t length;
static FILE *stream;
static struct lkst_out *out;
static struct lkst_err err;

static struct lkst_parquet *begin(const struct lkst_parquet_column *columns, unsigned int nr)
{
	struct lkst_parquet *p = NULL;

	free(file);
	file = NULL;
	stream = open_memstream(&file, &length);
	out = malloc(sizeof(*out));
	lkst_out_init_stream(out, stream);
	return lkst_parquet_new(&err, columns, nr, "test version 1", out, &p) ? NULL : p;
}

/* Ends the file. Whether that went well. */
static bool end(struct lkst_parquet *p)
{
	int code = lkst_parquet_end(p), flush_code;

	lkst_parquet_free(p);
	flush_code = lkst_out_flush(out);
	fclose(stream);
	free(out);
	return !code && !flush_code;
}

static const char *columns(void)
{
	free(text);
	text = parquet_columns(file, length);
	return text ?: "damaged";
}

static const char *rows(void)
{
	free(text);
	text = parquet_rows(file, length);
	return text ?: "damaged";
}

static const char *bounds(unsigned int column)
{
	free(text);
	text = parquet_bounds(file, length, column);
	return text ?: "damaged";
}

/* Every type, with nulls, at the ends of what it can hold. */
TEST(parquet_types)
{
	static const struct lkst_parquet_column of[] = {
		{ "bool", LKST_PARQUET_BOOL, false, false },
		{ "int32", LKST_PARQUET_INT32, false, false },
		{ "uint32", LKST_PARQUET_UINT32, false, false },
		{ "int64", LKST_PARQUET_INT64, false, false },
		{ "uint64", LKST_PARQUET_UINT64, false, false },
		{ "time", LKST_PARQUET_TIME, true, false },
		{ "double", LKST_PARQUET_DOUBLE, false, false },
		{ "text", LKST_PARQUET_TEXT, false, false },
		{ "bytes", LKST_PARQUET_BYTES, false, false },
	};
	struct lkst_parquet *p = begin(of, 9);
	int i;

	CHECK(p);
	for (i = 0; i < 2; i++) {
		lkst_parquet_int(p, 0, i);
		lkst_parquet_int(p, 1, i ? INT32_MAX : INT32_MIN);
		lkst_parquet_int(p, 2, i ? UINT32_MAX : 0);
		lkst_parquet_int(p, 3, i ? INT64_MAX : INT64_MIN);
		lkst_parquet_int(p, 4, i ? -1 : 1);
		lkst_parquet_int(p, 5, 1700000000123456789 + i);
		lkst_parquet_double(p, 6, i ? 0.5 : -1e300);
		lkst_parquet_text(p, 7, i ? "\xff z" : "caf\xc3\xa9", i ? 3 : 5);
		lkst_parquet_text(p, 8, "ab", 2);
		CHECK_EQ(lkst_parquet_row_end(p), 0);
	}
	lkst_parquet_int(p, 5, 0);
	CHECK_EQ(lkst_parquet_row_end(p), 0);
	CHECK(end(p));
	CHECK_STR(columns(),
		  "bool:bool? int32:int32? uint32:uint32? int64:int64? uint64:uint64? time:time "
		  "double:double? text:text? bytes:bytes?");
	CHECK_STR(
		rows(),
		"false|-2147483648|0|-9223372036854775808|1|1700000000123456789|-1e+300|caf\xc3\xa9|ab\n"
		"true|2147483647|4294967295|9223372036854775807|18446744073709551615|1700000000123456790|0.5|"
		"\xef\xbf\xbd z|ab\n"
		"|||||0|||\n");
	CHECK_STR(bounds(1), "3:-2147483648..2147483647 1\n");
	CHECK_STR(bounds(4), "3:1..18446744073709551615 1\n");
	CHECK_STR(bounds(5), "3:0..1700000000123456790 0\n");
	CHECK_STR(bounds(6), "3:-1e+300..0.5 1\n");
	CHECK_STR(bounds(7), "3:caf\xc3\xa9..\xef\xbf\xbd z 1\n");
}

/* The format has no other text: a reader refuses a file whose names are not UTF-8, or are the same. */
TEST(parquet_names_are_text)
{
	static const struct lkst_parquet_column of[] = {
		{ "caf\xc3\xa9", LKST_PARQUET_BOOL, false, false },
		{ "\xff", LKST_PARQUET_BOOL, false, false },
		{ "\xfe", LKST_PARQUET_BOOL, false, false },
		{ "x", LKST_PARQUET_BOOL, false, false },
	};
	struct lkst_parquet *p = begin(of, 4);

	CHECK(p);
	lkst_parquet_note(p, "host",
			  "a\xff"
			  "b");
	CHECK(end(p));
	CHECK_STR(columns(), "caf\xc3\xa9:bool? \xef\xbf\xbd:bool? \xef\xbf\xbd_2:bool? x:bool?");
	CHECK(memmem(file, length,
		     "a\xef\xbf\xbd"
		     "b",
		     5));
}

/* Without a row it is a table all the same; columns without a value have rows. */
TEST(parquet_empty)
{
	static const struct lkst_parquet_column of[] = { { "a", LKST_PARQUET_INT64, true, false },
							 { "b", LKST_PARQUET_TEXT, false, false } };
	struct lkst_parquet *p = begin(of, 2);
	int i;

	CHECK(p);
	CHECK(end(p));
	CHECK_STR(columns(), "a:int64 b:text?");
	CHECK_STR(rows(), "");
	CHECK_STR(bounds(0), "");

	p = begin(of, 2);
	for (i = 0; i < 3; i++) {
		lkst_parquet_int(p, 0, i);
		CHECK_EQ(lkst_parquet_row_end(p), 0);
	}
	CHECK(end(p));
	CHECK_STR(rows(), "0|\n1|\n2|\n");
	CHECK_STR(bounds(1), "3:.. 3\n");
	CHECK(lkst_parquet_new(&err, of, 0, "", out, &p) == -EINVAL);
}

/* What row @i of the long table has in its columns but the first; NULL: nothing. */
static const char *cell(unsigned int i, unsigned int column, char room[128])
{
	switch (column) {
	case 1: /* few texts */
		snprintf(room, 128, "name %u", i * 7 % 11);
		return i % 3 ? room : NULL;
	case 2: /* so many that a dictionary has no room for them */
		snprintf(room, 128, "%u of a long text that no other row of the table repeats", i);
		return room;
	case 3: /* in runs, and long without */
		snprintf(room, 128, "%u", i / 100);
		return i / 40000 % 2 ? NULL : room;
	default: /* the same one */
		return "the same";
	}
}

/* Many pages and groups, runs and none, dictionaries that are given up. */
TEST(parquet_long)
{
	static const struct lkst_parquet_column of[] = {
		{ "i", LKST_PARQUET_INT32, true, false },
		{ "few", LKST_PARQUET_TEXT, false, false },
		{ "many", LKST_PARQUET_TEXT, false, false },
		{ "run", LKST_PARQUET_UINT64, false, false },
		{ "same", LKST_PARQUET_TEXT, true, false }
	};
	enum { NR = 300001 };
	struct lkst_parquet *p = begin(of, 5);
	unsigned int i, column;
	const char *at, *value;
	char room[128];

	CHECK(p);
	for (i = 0; i < NR; i++) {
		lkst_parquet_int(p, 0, i);
		for (column = 1; column < 5; column++) {
			value = cell(i, column, room);
			if (value && column == 3)
				lkst_parquet_int(p, column, atoi(value));
			else if (value)
				lkst_parquet_text(p, column, value, strlen(value));
		}
		CHECK_EQ(lkst_parquet_row_end(p), 0);
	}
	CHECK(end(p));
	at = rows();
	CHECK(strcmp(at, "damaged"));
	for (i = 0; i < NR; i++) {
		char line[512], *to = line + sprintf(line, "%u", i);

		for (column = 1; column < 5; column++)
			to += sprintf(to, "|%s", cell(i, column, room) ?: "");
		CHECK(!strncmp(at, line, strlen(line)) && at[strlen(line)] == '\n');
		at += strlen(line) + 1;
	}
	CHECK(!*at);
}

/* What is held does not grow with the rows: groups are written before. */
TEST(parquet_groups)
{
	static const struct lkst_parquet_column of[] = {
		{ "i", LKST_PARQUET_INT64, true, false },
		{ "noise", LKST_PARQUET_UINT64, true, false },
		{ "more", LKST_PARQUET_INT64, false, false }
	};
	enum { NR = 2500000 };
	struct lkst_parquet *p = begin(of, 3);
	uint64_t noise = 1, i;
	unsigned int nr_groups = 0;
	const char *at;

	CHECK(p);
	for (i = 0; i < NR; i++) {
		noise = noise * 6364136223846793005 + 1442695040888963407;
		lkst_parquet_int(p, 0, (int64_t)i);
		lkst_parquet_int(p, 1, (int64_t)noise);
		lkst_parquet_int(p, 2, (int64_t)(noise * noise));
		CHECK_EQ(lkst_parquet_row_end(p), 0);
	}
	CHECK(end(p));
	/* Each group goes on where the one before has ended. */
	for (at = bounds(0), i = 0; *at; at = strchr(at, '\n') + 1, nr_groups++) {
		unsigned long long nr, least, greatest;

		CHECK_EQ(sscanf(at, "%llu:%llu..%llu 0\n", &nr, &least, &greatest), 3);
		CHECK(least == i && greatest == i + nr - 1 && nr <= 1024 * 1024);
		i += nr;
	}
	CHECK_EQ(i, NR);
	CHECK(nr_groups > NR / (1024 * 1024) + 1);
}

/* Differences of all sizes, also those that no 64 bits hold, and blocks that are not full. */
TEST(parquet_deltas)
{
	static const struct lkst_parquet_column of[] = { { "rises", LKST_PARQUET_TIME, true, true },
							 { "any", LKST_PARQUET_INT64, false,
							   true } };
	enum { NR = 20000 };
	struct lkst_parquet *p = begin(of, 2);
	int64_t any[NR];
	uint64_t noise = 1;
	const char *at;
	int i;

	CHECK(p);
	for (i = 0; i < NR; i++) {
		noise = noise * 6364136223846793005 + 1442695040888963407;
		any[i] = (int64_t)noise >> (i / 300 % 64);
		lkst_parquet_int(p, 0, 1700000000000000000 + i * 1000LL + i % 7);
		if (i % 5)
			lkst_parquet_int(p, 1, any[i]);
		CHECK_EQ(lkst_parquet_row_end(p), 0);
	}
	CHECK(end(p));
	at = rows();
	CHECK(strcmp(at, "damaged"));
	for (i = 0; i < NR; i++, at = strchr(at, '\n') + 1) {
		char line[128];
		int n = sprintf(line, "%lld|", 1700000000000000000 + i * 1000LL + i % 7);

		if (i % 5)
			n += sprintf(line + n, "%lld", (long long)any[i]);
		line[n++] = '\n';
		CHECK(!strncmp(at, line, (size_t)n));
	}
}

static const char *pages(unsigned int column)
{
	free(text);
	text = parquet_pages(file, length, column);
	return text ?: "damaged";
}

/* What row @i of the table of numbers has in its columns, if anything. */
static bool number(unsigned int i, unsigned int column, int64_t *ret_number)
{
	switch (column) {
	case 0: /* few numbers */
		*ret_number = (int64_t)(i * 7 % 11) - 5;
		return i % 3;
	case 1: /* so many that a dictionary has no room for them */
		*ret_number = (int64_t)(i * 0x9e3779b97f4a7c15ULL);
		return true;
	case 2: /* few at first, and many then */
		*ret_number = i < 50000 ? i % 200 : i * 9973U;
		return true;
	case 3: /* rows with a value are far from each other, and the last ones have none */
		*ret_number = -1;
		return i % 5000 == 1 && i < 200000;
	default: /* ends of what the type holds */
		*ret_number = i % 2 ? INT32_MIN : INT32_MAX;
		return i > 20000 && i < 20020;
	}
}

/* Numbers that repeat are in dictionaries, and all are what they were; pages of few values have more rows. */
TEST(parquet_numbers)
{
	static const struct lkst_parquet_column of[] = {
		{ "few", LKST_PARQUET_INT32, false, false },	{ "many", LKST_PARQUET_INT64, true, false },
		{ "turns", LKST_PARQUET_UINT32, true, false },	{ "far", LKST_PARQUET_INT64, false, false },
		{ "ends", LKST_PARQUET_INT32, false, false },
	};
	enum { NR = 300003, NR_COLUMNS = 5 };
	struct lkst_parquet *p = begin(of, NR_COLUMNS);
	unsigned int i, column, nr_pages;
	const char *at;
	int64_t value;

	CHECK(p);
	for (i = 0; i < NR; i++) {
		for (column = 0; column < NR_COLUMNS; column++)
			if (number(i, column, &value))
				lkst_parquet_int(p, column, value);
		CHECK_EQ(lkst_parquet_row_end(p), 0);
	}
	CHECK(end(p));
	at = rows();
	CHECK(strcmp(at, "damaged"));
	for (i = 0; i < NR; i++) {
		char line[256], *to = line;

		for (column = 0; column < NR_COLUMNS; column++)
			to += number(i, column, &value) ? sprintf(to, "%s%" PRId64, column ? "|" : "", value)
							: sprintf(to, "%s", column ? "|" : "");
		CHECK(!strncmp(at, line, strlen(line)) && at[strlen(line)] == '\n');
		at += strlen(line) + 1;
	}
	CHECK(!*at);
	/* 8 is RLE_DICTIONARY, 0 PLAIN. */
	CHECK(strstr(pages(0), " 8\n") && !strstr(pages(0), " 0\n"));
	CHECK(strstr(pages(1), " 0\n") && !strstr(pages(1), " 8\n"));
	CHECK(strstr(pages(2), " 8\n") && strstr(pages(2), " 0\n"));
	for (at = pages(3), nr_pages = 0; *at; at = strchr(at, '\n') + 1)
		nr_pages++;
	CHECK(nr_pages > 0 && nr_pages <= NR / (64 * 1024));
}

enum {
	NR_ROWS = 250000,
	NR_NOISE = 8,
};

static const char *const words[] = { "one", "two", "", "caf\xc3\xa9", "\xff" };

/* What no dictionary holds and nothing compresses. */
static void make_noise(uint64_t noise[NR_NOISE])
{
	unsigned int i;

	for (i = 0; i < NR_NOISE; i++)
		noise[i] = noise[(i + NR_NOISE - 1) % NR_NOISE] * 6364136223846793005 + 1442695040888963407;
}

/* Writes many rows, with texts that come again, and others; by a thread of its own or not. */
static bool write_rows(bool has_thread)
{
	static const struct lkst_parquet_column of[] = { { "i", LKST_PARQUET_TIME, true, true },
							 { "again", LKST_PARQUET_TEXT, true, false },
							 { "text", LKST_PARQUET_TEXT, false, false },
							 { "noise", LKST_PARQUET_BYTES, false, false } };
	struct lkst_parquet_place places[5] = {};
	struct lkst_parquet *p = begin(of, 4);
	uint64_t noise[NR_NOISE] = { 1 };
	unsigned int i;
	int code = 0;

	if (p && has_thread)
		lkst_parquet_use_thread(p);
	for (i = 0; p && !code && i < NR_ROWS; i++) {
		const char *word = words[i / 3 % 5];

		make_noise(noise);
		lkst_parquet_int(p, 0, i);
		lkst_parquet_text_again(p, 1, word, strlen(word), &places[i / 3 % 5]);
		if (i % 1000 == 5)
			lkst_parquet_text(p, 2, word, strlen(word));
		if (i % 7)
			lkst_parquet_text(p, 3, noise, sizeof(noise));
		code = lkst_parquet_row_end(p);
	}
	return p && !code && end(p);
}

/* What is written does not depend on a thread, and texts that come again are there in each group. */
TEST(parquet_threads)
{
	_cleanup_free_ char *alone = NULL;
	uint64_t noise[NR_NOISE] = { 1 };
	unsigned int i, nr_groups = 0;
	const char *at;
	size_t nr;

	CHECK(write_rows(false));
	alone = file;
	nr = length;
	file = NULL;
	for (i = 0; i < 2; i++) {
		CHECK(write_rows(true));
		CHECK_EQ(length, nr);
		CHECK(!memcmp(file, alone, nr));
	}
	for (at = bounds(0); *at; at = strchr(at, '\n') + 1)
		nr_groups++;
	CHECK(nr_groups > 1);
	at = rows();
	CHECK(strcmp(at, "damaged"));
	for (i = 0; i < NR_ROWS; i++) {
		const char *word = i / 3 % 5 == 4 ? "\xef\xbf\xbd" : words[i / 3 % 5];
		char line[64];

		make_noise(noise);
		sprintf(line, "%u|%s|%s|", i, word, i % 1000 == 5 ? word : "");
		CHECK(!strncmp(at, line, strlen(line)));
		/* The reader's cells end with the first NUL. */
		at += strlen(line) + (i % 7 ? strnlen((const char *)noise, sizeof(noise)) : 0) + 1;
	}
	CHECK(!*at);
}

/* What has begun is freed as it is, with a thread that makes a page. */
TEST(parquet_is_left)
{
	static const struct lkst_parquet_column of[] = { { "i", LKST_PARQUET_INT64, true, false } };
	unsigned int i, turn;

	for (turn = 0; turn < 20; turn++) {
		struct lkst_parquet *p = begin(of, 1);

		CHECK(p);
		lkst_parquet_use_thread(p);
		for (i = 0; i < 5000 * turn; i++) {
			lkst_parquet_int(p, 0, i);
			CHECK_EQ(lkst_parquet_row_end(p), 0);
		}
		lkst_parquet_free(p);
		fclose(stream);
		free(out);
	}
}

/* Bounds leave out what is no number, and texts that are too long. */
TEST(parquet_bounds)
{
	static const struct lkst_parquet_column of[] = { { "d", LKST_PARQUET_DOUBLE, true, false },
							 { "zero", LKST_PARQUET_DOUBLE, true,
							   false },
							 { "t", LKST_PARQUET_TEXT, true, false } };
	struct lkst_parquet *p = begin(of, 3);
	char wide[65];

	CHECK(p);
	memset(wide, 'x', sizeof(wide));
	lkst_parquet_double(p, 0, NAN);
	lkst_parquet_double(p, 1, 0.0);
	lkst_parquet_text(p, 2, wide, sizeof(wide));
	CHECK_EQ(lkst_parquet_row_end(p), 0);
	CHECK(end(p));
	CHECK_STR(bounds(0), "1:.. 0\n");
	CHECK_STR(bounds(1), "1:-0..0 0\n");
	CHECK_STR(bounds(2), "1:.. 0\n");
}

static const struct unit_test tests[] = {
	{ "parquet_types", test_parquet_types },
	{ "parquet_empty", test_parquet_empty },
	{ "parquet_names_are_text", test_parquet_names_are_text },
	{ "parquet_long", test_parquet_long },
	{ "parquet_groups", test_parquet_groups },
	{ "parquet_deltas", test_parquet_deltas },
	{ "parquet_numbers", test_parquet_numbers },
	{ "parquet_threads", test_parquet_threads },
	{ "parquet_is_left", test_parquet_is_left },
	{ "parquet_bounds", test_parquet_bounds },
};
UNIT_MAIN(tests)
