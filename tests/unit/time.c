// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * base/time.h: times compared, printed and read.
 */
#include "base/time.h"

#include <errno.h>
#include <time.h>

#include "lib/unit.h"

/* 2026-11-21 12:14:05 UTC */
#define NOON 1795263245ULL
#define S LKST_NS_PER_S

static char text[LKST_TIME_ROOM + 1];

static const char *put(struct lkst_time_text *t, uint64_t ns, unsigned int digits)
{
	*lkst_put_time(text, t, ns, digits) = 0;
	return text;
}

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

TEST(time_compares_over_the_wrap)
{
	CHECK(lkst_time_is_before(1, 2));
	CHECK(!lkst_time_is_before(2, 2));
	CHECK(lkst_time_is_before(UINT64_MAX, 0));
	CHECK(lkst_time_is_after(5, UINT64_MAX - 5));
	CHECK(!lkst_time_is_after(UINT64_MAX, 3));
}

TEST(time_since_is_never_negative)
{
	CHECK_EQ(lkst_time_since(1000, 400), 600);
	CHECK_EQ(lkst_time_since(1000, 1000), 0);
	CHECK_EQ(lkst_time_since(1000, 1001), 0);
	CHECK_EQ(lkst_time_since(5, UINT64_MAX - 4), 10);
}

TEST(time_prints_time_of_day)
{
	struct lkst_time_text t;

	set_zone("UTC0");
	lkst_time_text_init(&t, LKST_TIME_DAY, NOON * S);
	CHECK_STR(put(&t, 123456789, 9), "12:14:05.123456789");
	CHECK_STR(put(&t, 999999999, 6), "12:14:05.999999");
	CHECK_STR(put(&t, 1000000000, 9), "12:14:06.000000000");
	CHECK_STR(put(&t, 5, 9), "12:14:05.000000005");
	CHECK_STR(put(&t, 60 * S, 1), "12:15:05.0");
	set_zone("CET-1");
	lkst_time_text_init(&t, LKST_TIME_DAY, NOON * S);
	CHECK_STR(put(&t, 0, 9), "13:14:05.000000000");
	lkst_time_text_init(&t, LKST_TIME_DATE, NOON * S);
	CHECK_STR(put(&t, 0, 3), "2026-11-21 13:14:05.000");
	lkst_time_text_init(&t, LKST_TIME_UTC, NOON * S);
	CHECK_STR(put(&t, 1, 9), "2026-11-21T12:14:05.000000001Z");
}

TEST(time_prints_seconds)
{
	struct lkst_time_text t;

	lkst_time_text_init(&t, LKST_TIME_SECONDS, 0);
	CHECK_STR(put(&t, 434 * S + 5, 9), "     434.000000005");
	CHECK_STR(put(&t, 123456789 * S, 9), "123456789.000000000");
	lkst_time_text_init(&t, LKST_TIME_PLAIN, 0 - 100 * S);
	CHECK_STR(put(&t, 100 * S, 9), "0.000000000");
	CHECK_STR(put(&t, 101 * S + 500000000, 9), "1.500000000");
	CHECK_STR(put(&t, 98 * S + 500000000, 9), "-1.500000000");
	CHECK_STR(put(&t, 100 * S - 1, 9), "-0.000000001");
	lkst_time_text_init(&t, LKST_TIME_SECONDS, 0 - 100 * S);
	CHECK_STR(put(&t, 98 * S, 9), "      -2.000000000");
}

TEST(time_prints_any_number)
{
	static const uint64_t odd[] = { 0, 1, UINT64_MAX, 1ULL << 63, UINT64_MAX / 2 };
	struct lkst_time_text t;
	int form;
	size_t i, k;

	for (form = LKST_TIME_DAY; form <= LKST_TIME_PLAIN; form++)
		for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
			lkst_time_text_init(&t, form, odd[i]);
			for (k = 0; k < sizeof(odd) / sizeof(odd[0]); k++)
				CHECK(strlen(put(&t, odd[k], 9)) < LKST_TIME_ROOM);
		}
}

/* A trace of ten seconds from 12:14:00 on, the monotonic clock at 1000 s. */
static const struct lkst_time_range noon = {
	.begin_ns = 1000 * S,
	.end_ns = 1010 * S,
	.clock_offset_ns = (NOON - 5 - 1000) * S,
};
static struct lkst_err e;

static uint64_t parse(const char *word, const struct lkst_time_range *range)
{
	uint64_t ns = 0;

	return lkst_time_parse(&e, word, range, &ns) ? UINT64_MAX : ns;
}

TEST(time_parses)
{
	set_zone("UTC0");
	CHECK_EQ(parse("12:14:05.5", &noon), 1005 * S + 500000000);
	CHECK_EQ(parse("12:14:05", &noon), 1005 * S);
	CHECK_EQ(parse("12:14", &noon), 1000 * S);
	CHECK_EQ(parse("12:14:05.123456789", &noon), 1005 * S + 123456789);
	CHECK_EQ(parse("2026-11-21 12:14:05", &noon), 1005 * S);
	CHECK_EQ(parse("2026-11-21T12:14:05.25", &noon), 1005 * S + 250000000);
	CHECK_EQ(parse("2026-11-20 12:14:05", &noon), 0);
	CHECK_EQ(parse("@1002.5", &noon), 1002 * S + 500000000);
	CHECK_EQ(parse("+1.5s", &noon), 1001 * S + 500000000);
	CHECK_EQ(parse("+200ms", &noon), 1000 * S + 200000000);
	CHECK_EQ(parse("-2s", &noon), 1008 * S);
	CHECK_EQ(parse("-1h", &noon), 0);
	CHECK_EQ(parse("+5000000h", &noon), 18000000000 * S + 1000 * S);
	set_zone("CET-1");
	CHECK_EQ(parse("13:14:05", &noon), 1005 * S);
	/* With a zone, as in JSON and in Parquet, it is that one's time wherever it is read. */
	CHECK_EQ(parse("2026-11-21T12:14:05.250000000Z", &noon), 1005 * S + 250000000);
	CHECK_EQ(parse("2026-11-21T12:14:05Z", &noon), 1005 * S);
	CHECK_EQ(parse("2026-11-21 12:14:05.25+00", &noon), 1005 * S + 250000000);
	CHECK_EQ(parse("2026-11-21T17:44:05+05:30", &noon), 1005 * S);
	CHECK_EQ(parse("2026-11-21T08:14:05-0400", &noon), 1005 * S);
}

/* 64 bits of nanoseconds end in the year 2554: what is later is after all records, not before. */
TEST(time_parses_dates_that_are_never_reached)
{
	static const char *const words[] = { "2554-07-21 23:34:34", "2555-01-01 00:00",
					     "9999-12-31T23:59:60.999999999" };
	uint64_t ns;
	size_t i;

	set_zone("UTC0");
	CHECK_EQ(parse("2554-07-21 23:34:33", &noon), 18446744073 * S - noon.clock_offset_ns);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		CHECK_EQ(lkst_time_parse(&e, words[i], &noon, &ns), 0);
		CHECK_EQ(ns, UINT64_MAX);
	}
}

/* 23:59:50 to 00:00:10: a time after midnight is that of the next day. */
TEST(time_parses_over_midnight)
{
	struct lkst_time_range night = noon;

	set_zone("UTC0");
	night.begin_ns = 2000 * S;
	night.end_ns = 2020 * S;
	night.clock_offset_ns = (NOON - 44045 + 86390 - 2000) * S;
	CHECK_EQ(parse("23:59:55", &night), 2005 * S);
	CHECK_EQ(parse("00:00:05", &night), 2015 * S);
	/* Not in the trace on either day: that of the first. */
	CHECK_EQ(parse("23:00:00", &night), 0);
}

TEST(time_refuses)
{
	static const char *const bad[] = { "",
					   "12",
					   "12:1",
					   "24:00:00",
					   "12:60:00",
					   "12:00:61",
					   "12:00:00.",
					   "12:00:00.x",
					   "2026-13-01 12:00",
					   "2026-11-21",
					   "@",
					   "@x",
					   "@1.5s",
					   "+",
					   "+5",
					   "-x",
					   "yesterday",
					   "12:14:05 ",
					   "2026-11-21x12:00:00",
					   "12:14:05Z",
					   "2026-11-21T12:14:05z",
					   "2026-11-21T12:14:05ZZ",
					   "2026-11-21T12:14:05+1",
					   "2026-11-21T12:14:05+15",
					   "2026-11-21T12:14:05+01:",
					   "2026-11-21T12:14:05+01:60",
					   "2026-11-21T12:14:05+" };
	size_t i;

	set_zone("UTC0");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(parse(bad[i], &noon), UINT64_MAX);
	parse("noon", &noon);
	CHECK_STR(e.text,
		  "\"noon\" is not a time: write 12:14:05.5, \"2026-11-21 12:14:05\", "
		  "@SECONDS of the monotonic clock, +1.5s from the trace's start or -2s from "
		  "its end");
}

static const struct unit_test tests[] = {
	{ "time_compares_over_the_wrap", test_time_compares_over_the_wrap },
	{ "time_since_is_never_negative", test_time_since_is_never_negative },
	{ "time_prints_time_of_day", test_time_prints_time_of_day },
	{ "time_prints_seconds", test_time_prints_seconds },
	{ "time_prints_any_number", test_time_prints_any_number },
	{ "time_parses", test_time_parses },
	{ "time_parses_dates_that_are_never_reached", test_time_parses_dates_that_are_never_reached },
	{ "time_parses_over_midnight", test_time_parses_over_midnight },
	{ "time_refuses", test_time_refuses },
};

UNIT_MAIN(tests)
