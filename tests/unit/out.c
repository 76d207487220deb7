// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * base/out.h: numbers, text that is escaped, and the buffer's edges.
 */
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/unit.h"

static char text[8 * LKST_OUT_ROOM];

#define PUT(call)                                                                                  \
	({                                                                                         \
		char *p = text, *lkst_end = (call);                                                \
		*lkst_end = 0;                                                                     \
		text;                                                                              \
	})

TEST(out_numbers)
{
	CHECK_STR(PUT(lkst_put_u64(p, 0)), "0");
	CHECK_STR(PUT(lkst_put_u64(p, 9)), "9");
	CHECK_STR(PUT(lkst_put_u64(p, 10)), "10");
	CHECK_STR(PUT(lkst_put_u64(p, 12345)), "12345");
	CHECK_STR(PUT(lkst_put_u64(p, UINT64_MAX)), "18446744073709551615");
	CHECK_STR(PUT(lkst_put_s64(p, -1)), "-1");
	CHECK_STR(PUT(lkst_put_s64(p, INT64_MIN)), "-9223372036854775808");
	CHECK_STR(PUT(lkst_put_hex(p, 0)), "0x0");
	CHECK_STR(PUT(lkst_put_hex(p, 0x1f)), "0x1f");
	CHECK_STR(PUT(lkst_put_hex(p, UINT64_MAX)), "0xffffffffffffffff");
	CHECK_STR(PUT(lkst_put_bytes(p, (const uint8_t *)"\x00\x1f\xa0\xff", 4)), "001fa0ff");
	CHECK_STR(PUT(lkst_put_bytes(p, (const uint8_t *)"", 0)), "");
	CHECK_STR(PUT(lkst_put_hex_width(p, 0x1f, 8)), "0x0000001f");
	CHECK_STR(PUT(lkst_put_hex_width(p, 0x123456789a, 8)), "0x123456789a");
	CHECK_STR(PUT(lkst_put_digits(p, 42, 9)), "000000042");
	CHECK_STR(PUT(lkst_put_digits(p, 123456, 2)), "56");
	CHECK_STR(PUT(lkst_put_u64_width(p, 7, 3, '0')), "007");
	CHECK_STR(PUT(lkst_put_u64_width(p, 123, 5, ' ')), "  123");
	CHECK_STR(PUT(lkst_put_u64_width(p, 12345, 3, '0')), "12345");
}

/* Every length of number, at its two ends. */
TEST(out_numbers_agree_with_printf)
{
	char want[32];
	uint64_t v = 1;
	int i;

	for (i = 0; i < 20; i++, v *= 10) {
		snprintf(want, sizeof(want), "%llu", (unsigned long long)v);
		CHECK_STR(PUT(lkst_put_u64(p, v)), want);
		snprintf(want, sizeof(want), "%llu", (unsigned long long)v - 1);
		CHECK_STR(PUT(lkst_put_u64(p, v - 1)), want);
	}
	for (i = 0; i < 64; i++) {
		snprintf(want, sizeof(want), "0x%llx", 1ULL << i);
		CHECK_STR(PUT(lkst_put_hex(p, 1ULL << i)), want);
		snprintf(want, sizeof(want), "0x%llx", (2ULL << i) - 1);
		CHECK_STR(PUT(lkst_put_hex(p, (2ULL << i) - 1)), want);
	}
}

#define RLO "\xe2\x80\xae"

/* All twelve characters that turn the text around them, and the two that break lines. */
TEST(out_escapes_what_turns_text)
{
	static const unsigned int codes[] = { 0x61c,  0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
					      0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069 };
	static const unsigned int harmless[] = { 0x61b, 0x61d, 0x200d, 0x2010, 0x2027, 0x202f, 0x2065, 0x206a };
	char bytes[4], want[16];
	size_t i, n;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]) + sizeof(harmless) / sizeof(harmless[0]); i++) {
		bool is_control = i < sizeof(codes) / sizeof(codes[0]);
		unsigned int c = is_control ? codes[i] : harmless[i - sizeof(codes) / sizeof(codes[0])];

		n = c < 0x800 ? 2 : 3;
		if (n == 2)
			snprintf(bytes, sizeof(bytes), "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 0x3f)));
		else
			snprintf(bytes, sizeof(bytes), "%c%c%c", (int)(0xe0 | c >> 12),
				 (int)(0x80 | (c >> 6 & 0x3f)), (int)(0x80 | (c & 0x3f)));
		want[0] = 0;
		snprintf(want, sizeof(want), "\\x%02x\\x%02x", (unsigned char)bytes[0], (unsigned char)bytes[1]);
		if (n == 3)
			snprintf(want + 8, sizeof(want) - 8, "\\x%02x", (unsigned char)bytes[2]);
		CHECK_STR(PUT(lkst_put_escaped(p, bytes, n, "")), is_control ? want : bytes);
		CHECK_STR(PUT(lkst_put_escaped(p, bytes, n, NULL)), is_control ? want : bytes);
		if (is_control)
			snprintf(want, sizeof(want), "\"\\u%04x\"", c);
		else
			snprintf(want, sizeof(want), "\"%s\"", bytes);
		CHECK_STR(PUT(lkst_put_json(p, bytes, n)), want);
	}
}

/* A message keeps a backslash: what is in it may be escaped already. */
TEST(out_messages_are_one_line)
{
	FILE *to = fmemopen(text, sizeof(text), "w");

	lkst_print_message(to, "%s: %d", "a\\x1b\x1b[31m\nb\t" RLO "\xff", 7);
	fclose(to);
	CHECK_STR(text, "a\\x1b\\x1b[31m\\nb\\t\\xe2\\x80\\xae\\xff: 7\n");
}

static const char *csv(const char *cell)
{
	static struct lkst_out out;

	lkst_out_init(&out, -1);
	lkst_out_advance(&out, lkst_out_csv(&out, lkst_out_room(&out), cell, strlen(cell)));
	snprintf(text, sizeof(text), "%.*s", (int)out.used, out.buffer);
	return text;
}

TEST(out_csv_cells)
{
	CHECK_STR(csv(""), "");
	CHECK_STR(csv("plain"), "plain");
	CHECK_STR(csv("a,b"), "\"a,b\"");
	CHECK_STR(csv("say \"a\"\"b\""), "\"say \"\"a\"\"\"\"b\"\"\"");
	CHECK_STR(csv("\x1b[31m" RLO "\xff\n\\"), "\\x1b[31m\\xe2\\x80\\xae\\xff\\n\\\\");
	CHECK_STR(csv("=1+1|cmd!A0"), "'=1+1|cmd!A0");
	CHECK_STR(csv("=a,\"b\""), "\"'=a,\"\"b\"\"\"");
	CHECK_STR(csv("@x"), "'@x");
	CHECK_STR(csv("+1+1"), "'+1+1");
	CHECK_STR(csv("-1\"+1"), "\"'-1\"\"+1\"");
	CHECK_STR(csv("-"), "'-");
	CHECK_STR(csv("-12.5"), "-12.5");
	CHECK_STR(csv("+12"), "+12");
	CHECK_STR(csv("\t=1"), "\\t=1");
	CHECK_STR(csv("\r=1"), "\\r=1");
}

TEST(out_escapes_text)
{
	static const char mixed[] = "a\n\t\r\\\x1b[1m\x7f\xc3\xa9\xff\"";

	CHECK_STR(PUT(lkst_put_escaped(p, mixed, sizeof(mixed) - 1, "")),
		  "a\\n\\t\\r\\\\\\x1b[1m\\x7f\xc3\xa9\\xff\"");
	CHECK_STR(PUT(lkst_put_escaped(p, "a\",b", 4, "\",")), "a\\x22\\x2cb");
	CHECK_STR(PUT(lkst_put_escaped(p, "a\0b", 3, "")), "a\\x00b");
	/* U+009B starts a terminal's command too. */
	CHECK_STR(PUT(lkst_put_escaped(p, "\xc2\x9b", 2, "")), "\\xc2\\x9b");
	CHECK_STR(PUT(lkst_put_escaped(p, "", 0, "")), "");
}

TEST(out_knows_utf8)
{
	/* Good: the first and last of 2, 3 and 4 bytes. */
	CHECK_STR(PUT(lkst_put_escaped(p, "\xc2\xa0\xdf\xbf", 4, "")), "\xc2\xa0\xdf\xbf");
	CHECK_STR(PUT(lkst_put_escaped(p, "\xe0\xa0\x80\xef\xbf\xbf", 6, "")),
		  "\xe0\xa0\x80\xef\xbf\xbf");
	CHECK_STR(PUT(lkst_put_escaped(p, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, "")),
		  "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
	/* Bad: overlong, surrogate, beyond U+10FFFF, cut, a lone continuation. */
	CHECK_STR(PUT(lkst_put_escaped(p, "\xc0\xaf", 2, "")), "\\xc0\\xaf");
	CHECK_STR(PUT(lkst_put_escaped(p, "\xe0\x9f\xbf", 3, "")), "\\xe0\\x9f\\xbf");
	CHECK_STR(PUT(lkst_put_escaped(p, "\xed\xa0\x80", 3, "")), "\\xed\\xa0\\x80");
	CHECK_STR(PUT(lkst_put_escaped(p, "\xf4\x90\x80\x80", 4, "")), "\\xf4\\x90\\x80\\x80");
	CHECK_STR(PUT(lkst_put_escaped(p, "\xe2\x82", 2, "")), "\\xe2\\x82");
	CHECK_STR(PUT(lkst_put_escaped(p, "\x80", 1, "")), "\\x80");
}

TEST(out_json_strings)
{
	CHECK_STR(PUT(lkst_put_utf8(p, "a\"\n\xe2\x82\xac\xff\xe2\x82", 9)),
		  "a\"\n\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(PUT(lkst_put_json(p, "", 0)), "\"\"");
	CHECK_STR(PUT(lkst_put_json(p, "a\"b\\c", 5)), "\"a\\\"b\\\\c\"");
	CHECK_STR(PUT(lkst_put_json(p, "\n\r\t\x01\x1f\x7f", 6)),
		  "\"\\n\\r\\t\\u0001\\u001f\\u007f\"");
	CHECK_STR(PUT(lkst_put_json(p, "\xc2\x9b", 2)), "\"\\u009b\"");
	CHECK_STR(PUT(lkst_put_json(p, "\xe2\x82\xac\xff\xe2\x82", 6)),
		  "\"\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	CHECK_STR(PUT(lkst_put_json(p, "\xed\xa0\x80", 3)),
		  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* A pipe's other end would block, so output goes to a file without a name. */
static int open_file(void)
{
	return open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

TEST(out_keeps_all_bytes)
{
	struct lkst_out *out = malloc(sizeof(*out));
	int fd = open_file();
	char line[32], got[32];
	unsigned int i;
	off_t at = 0;

	CHECK(out && fd >= 0);
	lkst_out_init(out, fd);
	for (i = 0; i < 100000; i++) {
		char *p = lkst_out_room(out);

		p = lkst_put_u64_width(p, i, 7, '0');
		*p++ = '\n';
		lkst_out_advance(out, p);
	}
	CHECK_EQ(lkst_out_flush(out), 0);
	for (i = 0; i < 100000; i += 997) {
		snprintf(line, sizeof(line), "%07u\n", i);
		at = (off_t)i * 8;
		CHECK_EQ(pread(fd, got, 8, at), 8);
		CHECK(!memcmp(line, got, 8));
	}
	CHECK_EQ(lseek(fd, 0, SEEK_END), 800000);
	close(fd);
	free(out);
}

/* Text many times the size of the room, with sequences that pieces must not cut. */
TEST(out_escapes_long_text)
{
	enum { REPEATS = 200000 };
	struct lkst_out *out = malloc(sizeof(*out));
	char *big = malloc(3 * REPEATS), *got = malloc(3 * REPEATS + 2);
	int fd = open_file(), i;
	char *p;

	CHECK(out && big && got && fd >= 0);
	for (i = 0; i < REPEATS; i++)
		memcpy(big + 3 * i, "\xe2\x82\xac", 3);
	lkst_out_init(out, fd);
	p = lkst_out_escaped(out, lkst_out_room(out), big, 3 * REPEATS, "");
	lkst_out_advance(out, p);
	p = lkst_out_json(out, lkst_out_room(out), big, 3 * REPEATS);
	lkst_out_advance(out, p);
	CHECK_EQ(lkst_out_flush(out), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 6 * REPEATS + 2);
	CHECK_EQ(pread(fd, got, 3 * REPEATS, 0), 3 * REPEATS);
	CHECK(!memcmp(got, big, 3 * REPEATS));
	CHECK_EQ(pread(fd, got, 3 * REPEATS + 2, 3 * REPEATS), 3 * REPEATS + 2);
	CHECK(got[0] == '"' && got[3 * REPEATS + 1] == '"');
	CHECK(!memcmp(got + 1, big, 3 * REPEATS));
	close(fd);
	free(out);
	free(big);
	free(got);
}

TEST(out_takes_blocks_larger_than_its_buffer)
{
	struct lkst_out *out = malloc(sizeof(*out));
	size_t size = 2 * LKST_OUT_SIZE + 1;
	char *big = calloc(1, size);
	int fd = open_file();

	CHECK(out && big && fd >= 0);
	lkst_out_init(out, fd);
	lkst_out_str(out, "head\n");
	lkst_out_bytes(out, big, size);
	lkst_out_printf(out, "%s %d\n", "tail", 5);
	CHECK_EQ(lkst_out_flush(out), 0);
	CHECK_EQ(lseek(fd, 0, SEEK_END), 5 + size + 7);
	close(fd);
	free(out);
	free(big);
}

TEST(out_errors_stick)
{
	struct lkst_out *out = malloc(sizeof(*out));
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	CHECK(out && fd >= 0);
	lkst_out_init(out, fd);
	lkst_out_str(out, "lost");
	CHECK_EQ(lkst_out_flush(out), -ENOSPC);
	out->fd = -1;
	lkst_out_str(out, "lost too");
	CHECK_EQ(lkst_out_flush(out), -ENOSPC);
	close(fd);
	free(out);
}

/* Puts @length bytes at @p, and what they are is not to be known when this is compiled. */
static char *put_many(char *p, size_t length)
{
	volatile char *q = p;
	size_t i;

	for (i = 0; i < length; i++)
		q[i] = 'x';
	return p + length;
}

/* Writes @first bytes, takes more room for @then bytes, and gives them back. */
static void write_in_room(struct lkst_out *out, size_t first, size_t then)
{
	char *p = put_many(lkst_out_room(out), first);

	if (then)
		p = put_many(lkst_out_more(out, p), then);
	lkst_out_advance(out, p);
}

TEST(out_room_is_what_was_promised)
{
	struct lkst_out *out = malloc(sizeof(*out));
	size_t i;

	CHECK(out);
	lkst_out_init(out, open("/dev/null", O_WRONLY | O_CLOEXEC));
	for (i = 0; i < 200; i++) {
		write_in_room(out, LKST_OUT_ROOM, LKST_OUT_ROOM);
		write_in_room(out, 0, 0);
		write_in_room(out, i, LKST_OUT_ROOM - i);
		lkst_out_str(out, "between");
	}
	CHECK_EQ(lkst_out_flush(out), 0);
	close(out->fd);
	free(out);
}

#if LKST_OUT_IS_GUARDED
/* How a process ends that writes @first bytes and @then more. 0: as it should if nothing is wrong. */
static int end_of_writer(size_t first, size_t then, size_t after)
{
	int status, null;
	pid_t pid = fork();

	if (!pid) {
		struct lkst_out *out = malloc(sizeof(*out));

		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(null, STDERR_FILENO);
		lkst_out_init(out, null);
		lkst_out_str(out, "abc");
		write_in_room(out, first, then);
		if (after)
			put_many(out->buffer + out->used, after);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid ? status : 0;
}

/* The byte behind the room ends the process, wherever it is from a multiple of 8. */
TEST(out_overrun_of_a_room_is_caught)
{
	size_t i;

	for (i = 0; i < 8; i++) {
		CHECK_EQ(end_of_writer(i, LKST_OUT_ROOM, 0), 0);
		CHECK(end_of_writer(i, LKST_OUT_ROOM + 1, 0));
	}
	CHECK_EQ(end_of_writer(LKST_OUT_ROOM, 0, 0), 0);
	CHECK(end_of_writer(LKST_OUT_ROOM + 1, 0, 0));
	CHECK(end_of_writer(LKST_OUT_ROOM + 1, 1, 0));
	/* Nobody writes where no room was asked for. */
	CHECK(end_of_writer(5, 0, 1));
}
#else
/* What was written beyond the room is not taken, nor is anything after it: the error sticks. */
TEST(out_overrun_of_a_room_is_refused)
{
	static const size_t writes[][2] = { { LKST_OUT_ROOM + 1, 0 },
					    { 7, LKST_OUT_ROOM + 1 },
					    { LKST_OUT_ROOM + 1, 1 } };
	struct lkst_out *out = malloc(sizeof(*out));
	int fd = open_file();
	size_t i;

	CHECK(out && fd >= 0);
	for (i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		lkst_out_init(out, fd);
		lkst_out_str(out, "abc");
		write_in_room(out, writes[i][0], writes[i][1]);
		CHECK_EQ(out->error, -EOVERFLOW);
		CHECK(out->used <= 3 + LKST_OUT_ROOM);
		lkst_out_str(out, "abc");
		CHECK_EQ(lkst_out_flush(out), -EOVERFLOW);
		CHECK_EQ(lseek(fd, 0, SEEK_END), 0);
	}
	close(fd);
	free(out);
}
#endif

static const struct unit_test tests[] = {
	{ "out_numbers", test_out_numbers },
	{ "out_numbers_agree_with_printf", test_out_numbers_agree_with_printf },
	{ "out_escapes_what_turns_text", test_out_escapes_what_turns_text },
	{ "out_messages_are_one_line", test_out_messages_are_one_line },
	{ "out_csv_cells", test_out_csv_cells },
	{ "out_escapes_text", test_out_escapes_text },
	{ "out_knows_utf8", test_out_knows_utf8 },
	{ "out_json_strings", test_out_json_strings },
	{ "out_keeps_all_bytes", test_out_keeps_all_bytes },
	{ "out_escapes_long_text", test_out_escapes_long_text },
	{ "out_takes_blocks_larger_than_its_buffer", test_out_takes_blocks_larger_than_its_buffer },
	{ "out_errors_stick", test_out_errors_stick },
	{ "out_room_is_what_was_promised", test_out_room_is_what_was_promised },
#if LKST_OUT_IS_GUARDED
	{ "out_overrun_of_a_room_is_caught", test_out_overrun_of_a_room_is_caught },
#else
	{ "out_overrun_of_a_room_is_refused", test_out_overrun_of_a_room_is_refused },
#endif
};

UNIT_MAIN(tests)
