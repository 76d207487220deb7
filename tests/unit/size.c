// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * base/size.h: sizes and durations, read and printed.
 */
#include "base/size.h"

#include <errno.h>
#include <stdbool.h>

#include "lib/unit.h"

static struct lkst_err e;

static bool size_is(const char *text, uint64_t want)
{
	uint64_t got = ~want;

	return !lkst_size_parse(&e, text, &got) && got == want;
}

static bool duration_is(const char *text, uint64_t want)
{
	uint64_t got = ~want;

	return !lkst_duration_parse(&e, text, &got) && got == want;
}

TEST(size_parses)
{
	CHECK(size_is("0", 0));
	CHECK(size_is("4096", 4096));
	CHECK(size_is("4096B", 4096));
	CHECK(size_is("64K", 65536));
	CHECK(size_is("64k", 65536));
	CHECK(size_is("64KB", 65536));
	CHECK(size_is("64KiB", 65536));
	CHECK(size_is("4M", 4 << 20));
	CHECK(size_is("1G", 1 << 30));
	CHECK(size_is("1.5G", 3ULL << 29));
	CHECK(size_is("0.5K", 512));
	CHECK(size_is("2T", 2ULL << 40));
	CHECK(size_is("18446744073709551615", UINT64_MAX));
}

TEST(size_refuses)
{
	static const char *const bad[] = { "",	  "K",	    "-1",   "4X",  "4 K",
					   "1.K", "1.2.3M", "0x10", "4iB", "1,5G" };
	uint64_t v = 7;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(lkst_size_parse(&e, bad[i], &v), -EINVAL);
	CHECK_EQ(lkst_size_parse(&e, "18446744073709551616", &v), -ERANGE);
	CHECK_EQ(lkst_size_parse(&e, "99999999T", &v), -ERANGE);
	CHECK_EQ(v, 7);
	lkst_size_parse(&e, "4X", &v);
	CHECK_STR(e.text, "\"4X\" is not a size: write bytes, or a number with K, M, G or T, as in "
			  "64K or 1.5G");
	lkst_size_parse(&e, "99999999T", &v);
	CHECK_STR(e.text, "\"99999999T\" is too large");
}

TEST(duration_parses)
{
	CHECK(duration_is("0", 0));
	CHECK(duration_is("7ns", 7));
	CHECK(duration_is("10us", 10000));
	CHECK(duration_is("200ms", 200000000));
	CHECK(duration_is("5s", 5000000000));
	CHECK(duration_is("1.5m", 90000000000));
	CHECK(duration_is("2min", 120000000000));
	CHECK(duration_is("2h", 7200000000000));
	CHECK(duration_is("1.123456789s", 1123456789));
	CHECK(duration_is("0.9999999999s", 999999999));
	CHECK(duration_is("1.5ns", 1));
}

TEST(duration_refuses)
{
	static const char *const bad[] = {
		"", "5", "s", "-5s", "5 s", "5S", "5sec", ".5s", "1e3s"
	};
	uint64_t v;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(lkst_duration_parse(&e, bad[i], &v), -EINVAL);
	CHECK_EQ(lkst_duration_parse(&e, "6000000h", &v), -ERANGE);
	lkst_duration_parse(&e, "5", &v);
	CHECK_STR(e.text,
		  "\"5\" is not a duration: write a number with ns, us, ms, s, m or h, as in "
		  "5s or 200ms");
}

static const char *size_text(uint64_t bytes)
{
	static char text[LKST_SIZE_TEXT];

	lkst_size_format(bytes, text);
	return text;
}

TEST(size_formats)
{
	CHECK_STR(size_text(0), "0 bytes");
	CHECK_STR(size_text(1), "1 byte");
	CHECK_STR(size_text(1023), "1023 bytes");
	CHECK_STR(size_text(1024), "1 KiB");
	CHECK_STR(size_text(1536), "1.5 KiB");
	CHECK_STR(size_text(1025), "1.0 KiB");
	CHECK_STR(size_text(16 << 20), "16 MiB");
	CHECK_STR(size_text((1 << 20) - 1), "1.0 MiB");
	CHECK_STR(size_text((1 << 20) - 100), "1023.9 KiB");
	CHECK_STR(size_text(4ULL << 30), "4 GiB");
	CHECK_STR(size_text(UINT64_MAX), "16.0 EiB");
}

static const char *duration_text(uint64_t ns)
{
	static char text[LKST_DURATION_TEXT];

	lkst_duration_format(ns, text);
	return text;
}

TEST(duration_formats)
{
	CHECK_STR(duration_text(0), "0 ns");
	CHECK_STR(duration_text(999), "999 ns");
	CHECK_STR(duration_text(1234), "1.23 us");
	CHECK_STR(duration_text(12345), "12.3 us");
	CHECK_STR(duration_text(999499), "999 us");
	CHECK_STR(duration_text(999500), "1.00 ms");
	CHECK_STR(duration_text(1500000000), "1.50 s");
	CHECK_STR(duration_text(59000000000), "59.0 s");
	CHECK_STR(duration_text(125000000000), "2 min 5 s");
	CHECK_STR(duration_text(11520000000000), "3 h 12 min");
	CHECK_STR(duration_text(UINT64_MAX), "5124095 h 34 min");
}

static const struct unit_test tests[] = {
	{ "size_parses", test_size_parses },
	{ "size_refuses", test_size_refuses },
	{ "size_formats", test_size_formats },
	{ "duration_parses", test_duration_parses },
	{ "duration_refuses", test_duration_refuses },
	{ "duration_formats", test_duration_formats },
};

UNIT_MAIN(tests)
