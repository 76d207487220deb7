/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Heads of HTTP requests.
 */
#include "cmd/view/http.h"

#include "lib/unit.h"

static unsigned int parse(const char *head, struct lkst_http_request *r)
{
	return lkst_http_parse(head, lkst_http_head_length(head, strlen(head)), r);
}

TEST(http_reads_a_request)
{
	struct lkst_http_request r;

	CHECK_EQ(parse("GET /a/b?c HTTP/1.1\r\nhost: \t127.0.0.1:80 \r\nX: a b\r\n\r\n", &r), 200);
	CHECK_STR(r.path, "/a/b");
	CHECK_STR(r.host, "127.0.0.1:80");
	CHECK(!r.is_head && !r.has_range);
	CHECK_EQ(
		parse("HEAD / HTTP/1.0\r\nHost: x\r\nRange: bytes=5-9\r\nContent-Length: 0\r\n\r\n",
		      &r),
		200);
	CHECK(r.is_head && r.has_range && !r.is_suffix);
	CHECK_EQ(r.first, 5);
	CHECK_EQ(r.last, 9);
}

TEST(http_waits_for_the_whole_head)
{
	static const char head[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET";
	size_t whole = strlen(head) - 3, i;

	for (i = 0; i < whole; i++)
		CHECK_EQ(lkst_http_head_length(head, i), 0);
	CHECK_EQ(lkst_http_head_length(head, strlen(head)), whole);
}

TEST(http_refuses_what_is_ambiguous)
{
	static const struct {
		const char *head;
		unsigned int status;
	} rows[] = {
		{ "\r\n\r\n", 400 },
		{ "GET /\r\nHost: x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\n\r\n", 400 },
		{ "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
		{ "GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
		{ "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
		{ "GET /\x80 HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
		{ "GET / HTTP/2\r\nHost: x\r\n\r\n", 505 },
		{ "POST / HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
		{ "get / HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
		{ "OPTIONS / HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nA: \x01\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nRange: lines=1-2\r\n\r\n", 416 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=\r\n\r\n", 416 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=-\r\n\r\n", 416 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=9-5\r\n\r\n", 416 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=1-2,4-5\r\n\r\n", 416 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=1-2\r\nRange: bytes=1-2\r\n\r\n",
		  416 },
		{ "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=99999999999999999999-\r\n\r\n", 416 },
	};
	struct lkst_http_request r;
	char head[1024];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_EQ(parse(rows[i].head, &r), rows[i].status);
	snprintf(head, sizeof(head), "GET /%0300u HTTP/1.1\r\nHost: x\r\n\r\n", 0);
	CHECK_EQ(parse(head, &r), 414);
	snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: %0300u\r\n\r\n", 0);
	CHECK_EQ(parse(head, &r), 400);
}

TEST(http_finds_the_bytes_that_are_wanted)
{
	static const struct {
		const char *range;
		uint64_t length;
		unsigned int status;
		uint64_t first, wanted;
	} rows[] = {
		{ "0-0", 10, 206, 0, 1 },
		{ "2-5", 10, 206, 2, 4 },
		{ "2-", 10, 206, 2, 8 },
		{ "2-99", 10, 206, 2, 8 },
		{ "-4", 10, 206, 6, 4 },
		{ "-99", 10, 206, 0, 10 },
		{ "-0", 10, 416, 10, 0 },
		{ "10-", 10, 416, 0, 10 },
		{ "0-", 0, 416, 0, 0 },
		{ "-1", 0, 416, 0, 0 },
		{ "9-18446744073709551615", 10, 206, 9, 1 },
	};
	struct lkst_http_request r;
	uint64_t first, wanted;
	char head[256];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: x\r\nRange: bytes=%s\r\n\r\n",
			 rows[i].range);
		CHECK_EQ(parse(head, &r), 200);
		CHECK_EQ(lkst_http_range(&r, rows[i].length, &first, &wanted), rows[i].status);
		CHECK_EQ(first, rows[i].first);
		CHECK_EQ(wanted, rows[i].wanted);
	}
}

TEST(http_knows_addresses_from_names)
{
	static const char *const addresses[] = { "127.0.0.1",	"127.0.0.1:8080", "localhost",
						 "LOCALHOST:1", "[::1]",	  "[::1]:80",
						 "10.1.2.3:9" };
	static const char *const names[] = { "",
					     "a.example",
					     "a.example:80",
					     "localhost.a.example",
					     "127.0.0.1.a.example",
					     "[::1",
					     "[::1]a",
					     "[a]",
					     ":80",
					     "0x7f.1",
					     "2130706433" };
	size_t i;

	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		CHECK(lkst_http_host_is_address(addresses[i]));
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK(!lkst_http_host_is_address(names[i]));
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(http_reads_a_request),
	ROW(http_waits_for_the_whole_head),
	ROW(http_refuses_what_is_ambiguous),
	ROW(http_finds_the_bytes_that_are_wanted),
	ROW(http_knows_addresses_from_names),
};
UNIT_MAIN(tests)
