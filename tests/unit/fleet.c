/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A server that answers something else, too much, too slowly or not at all costs one error and no more.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fleet/answer.h"
#include "fleet/client.h"
#include "fleet/packed_rows.h"
#include "lib/unit.h"

static struct lkst_err err;

/* A server of one connection, in a process of its own. */
struct server {
	pid_t pid;
	char url[64];
};

/* Answers with @head, and then with @body, once or without end; then it closes, or is silent. */
static void serve(int listener, const char *head, const char *body, bool is_endless, bool is_silent)
{
	int fd = accept(listener, NULL, NULL);
	char request[4096];

	alarm(60);
	signal(SIGPIPE, SIG_DFL);
	if (fd < 0 || read(fd, request, sizeof(request)) <= 0 ||
	    write(fd, head, strlen(head)) < 0 || write(fd, body, strlen(body)) < 0)
		_exit(1);
	while (is_endless && write(fd, body, strlen(body)) > 0)
		;
	while (is_silent)
		pause();
	_exit(0);
}

static void start(struct server *s, const char *head, const char *body, bool is_endless,
		  bool is_silent)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&address, &length))
		abort();
	s->pid = fork();
	if (!s->pid)
		serve(fd, head, body, is_endless, is_silent);
	close(fd);
	snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u", ntohs(address.sin_port));
}

static void end(struct server *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

static int open_at(const char *url, u64 timeout_ns, struct lkst_fleet **ret_fleet)
{
	struct lkst_fleet_where where = { .url = url,
					  .database = "lkst",
					  .timeout_ns = timeout_ns };

	err = (struct lkst_err){};
	return lkst_fleet_open(&err, &where, ret_fleet);
}

enum how { DO, ASK };

/* What comes of a statement or a question to a server that answers so. */
static int speak(enum how how, const char *head, const char *body, bool is_endless, bool is_silent,
		 u64 timeout_ns, u64 *number)
{
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	struct server s;
	int code;

	start(&s, head, body, is_endless, is_silent);
	code = open_at(s.url, timeout_ns, &f);
	if (!code)
		code = how == DO ? lkst_fleet_do(&err, f, "do")
				 : lkst_fleet_ask_number(&err, f, "select 1", number);
	end(&s);
	return code;
}

enum { MINUTE = 60 };
#define LONG_NS (MINUTE * 1000000000ULL)
static const char ok[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";

TEST(fleet_reads_a_number)
{
	u64 number = 0;

	CHECK_EQ(speak(ASK, ok, "n\nUInt64\n18446744073709551615\n", false, false, LONG_NS,
		       &number),
		 0);
	CHECK(number == UINT64_MAX);
}

TEST(fleet_refuses_other_answers)
{
	static const struct {
		const char *head, *body, *says;
	} rows[] = {
		{ ok, "<html>\n<body>hello</body>\n</html>\n", "<html>" },
		{ ok, "n\nUInt64\n1", "ends too early" },
		{ ok, "", "ends too early" },
		{ ok, "n\nUInt64\none\n", "is not a number" },
		{ ok, "n\nUInt64\n1\t2\n", "number of cells" },
		{ ok, "n\nUInt64\n1\n2\n", "by a number" },
		{ ok, "n\nString\n1\n", "by a number" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "n\nUInt64\n1\n", "partial" },
		{ "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n", "no \033[31msuch thing\n",
		  "status 404" },
		{ "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nConnection: close\r\n\r\n",
		  "", "status 302" },
		{ "SSH-2.0-OpenSSH\r\n", "", "127.0.0.1" },
		{ "", "", "127.0.0.1" },
	};
	u64 number;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK(speak(ASK, rows[i].head, rows[i].body, false, false, LONG_NS, &number) < 0);
		if (!strstr(err.text, rows[i].says))
			CHECK_STR(err.text, rows[i].says);
		CHECK(strlen(err.text) < 500 && strstr(err.text, "http://127.0.0.1:"));
	}
	CHECK_EQ(speak(DO, ok, "hello\n", false, false, LONG_NS, &number), -EPROTO);
	CHECK(strstr(err.text, "hello"));
}

TEST(fleet_ends_what_does_not_end)
{
	char line[4097];
	u64 number;

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	CHECK_EQ(speak(DO, ok, line, true, false, LONG_NS, &number), -EPROTO);
	CHECK_EQ(speak(ASK, ok, line, true, false, LONG_NS, &number), -E2BIG);
	CHECK_EQ(speak(ASK, "HTTP/1.1 500 No\r\n\r\n", line, true, false, LONG_NS, &number),
		 -EPROTO);
	CHECK(strlen(err.text) < 500);
	CHECK_EQ(speak(ASK, ok, "n\n", false, true, 300000000, &number), -ETIMEDOUT);
	CHECK_EQ(speak(ASK, "", "", false, true, 300000000, &number), -ETIMEDOUT);
}

TEST(fleet_takes_no_password_in_the_url)
{
	static const char *const urls[] = { "http://me:secret@host:8123",
					    "ftp://host",
					    "host:8123",
					    "http://",
					    "http:///x",
					    "http://host/?user=x",
					    "file:///etc/passwd" };
	struct lkst_fleet *f;
	size_t i;

	for (i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		CHECK_EQ(open_at(urls[i], LONG_NS, &f), -EINVAL);
		CHECK(!strstr(err.text, "secret"));
	}
}

static int keep(void *arg, const struct lkst_table *t)
{
	char *text = arg;

	for (size_t row = 0; row < t->nr_rows; row++)
		for (unsigned int i = 0; i < t->nr_columns; i++) {
			const struct lkst_cell *c = lkst_table_cell(t, row, i);

			if (!c->is_set)
				text += sprintf(text, "null|");
			else if (t->columns[i].type == LKST_COLUMN_TEXT)
				text += sprintf(text, "%s|", c->text);
			else if (t->columns[i].type == LKST_COLUMN_RATIO)
				text += sprintf(text, "%g|", c->number);
			else
				text += sprintf(text, "%lld|", (long long)c->s64);
		}
	return 0;
}

TEST(fleet_answer_has_types_and_escapes)
{
	static const char bytes[] =
		"a\\tb\tb\tc\td\te\n"
		"Int8\tNullable(UInt64)\tString\tFloat64\tInt128\n"
		"-5\t\\N\tx\\ty\\\\N\\'\t0.25\t170141183460469231731687303715884105727\n";
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
	const struct lkst_table *t;
	char text[256] = "";
	size_t i;

	CHECK_EQ(lkst_fleet_answer_new(keep, text, &a), 0);
	for (i = 0; i < strlen(bytes); i++)
		CHECK_EQ(lkst_fleet_answer_feed(&err, a, bytes + i, 1), 0);
	CHECK_EQ(lkst_fleet_answer_end(&err, a, &t), 0);
	CHECK_STR(t->columns[0].name, "a\tb");
	CHECK_STR(text, "-5|null|x\ty\\N'|0.25|170141183460469231731687303715884105727|");
}

/* What feeding an answer of two columns, the first one called @name, says; NULL: it was taken. */
static const char *refusal_of(const char *name, size_t length, const char *row)
{
	static const char behind[] = "\tb\nString\tString\n";
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
	const struct lkst_table *t;
	static char text[64];
	int code;

	text[0] = 0;
	if (lkst_fleet_answer_new(keep, text, &a))
		abort();
	code = lkst_fleet_answer_feed(&err, a, name, length) ?:
	       lkst_fleet_answer_feed(&err, a, behind, strlen(behind)) ?:
	       lkst_fleet_answer_feed(&err, a, row, strlen(row)) ?: lkst_fleet_answer_end(&err, a, &t);
	if (!code && strcmp(text, "1|2|"))
		abort();
	return code ? err.text : NULL;
}

/* A server chooses the names: each is one that a printer has room for, or the answer is refused. */
TEST(fleet_answer_refuses_names_that_no_column_has)
{
	static const size_t lengths[] = { 257, 200000, 1000000 };
	char *name = malloc(1000000), says[128];
	size_t i;

	CHECK(name);
	memset(name, 'x', 1000000);
	CHECK(!refusal_of(name, 256, "1\t2\n"));
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		snprintf(says, sizeof(says),
			 "column 1 of the answer has a name of %zu bytes, more than 256; give it a shorter one with AS",
			 lengths[i]);
		CHECK_STR(refusal_of(name, lengths[i], "1\t2\n"), says);
	}
	/* The bytes count that the name has, not the escapes in which it came. */
	for (i = 0; i < 512; i += 2)
		memcpy(name + i, "\\t", 2);
	CHECK(!refusal_of(name, 512, "1\t2\n"));
	free(name);
	CHECK(strstr(refusal_of("", 0, "1\t2\n"), "a column has no name"));
	CHECK(strstr(refusal_of("a\\0b", 4, "1\t2\n"), "has a byte 0"));
	CHECK(strstr(refusal_of("a\0b\tc", 5, "1\t2\t3\n"), "has a byte 0"));
	CHECK(!refusal_of("a\x1b[31m\xe2\x80\xae\xff", 10, "1\t2\n"));
}

/* The columns of a ready question are what it says they are, or there is an error. */
TEST(fleet_answer_has_the_columns_of_its_question)
{
	static const struct lkst_column columns[] = { { "at", "AT", LKST_COLUMN_TIME, "" },
						      { "host", "HOST", LKST_COLUMN_TEXT, "" } };
	static const struct {
		const char *bytes, *says;
	} rows[] = { { "x\ty\nUInt64\tString\n7\tweb\n", NULL },
		     { "x\nUInt64\n7\n", "columns" },
		     { "x\ty\nInt64\tString\n7\tweb\n", "type" },
		     { "x\ty\nUInt64\tUInt8\n7\t1\n", "type" } };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *a = NULL;
		const struct lkst_table *t;
		char text[256] = "";
		int code;

		CHECK_EQ(lkst_fleet_answer_new(keep, text, &a), 0);
		lkst_fleet_answer_expect(a, "one", "One", columns, 2);
		code = lkst_fleet_answer_feed(&err, a, rows[i].bytes, strlen(rows[i].bytes));
		CHECK_EQ(code, rows[i].says ? -EPROTO : 0);
		if (rows[i].says) {
			CHECK(strstr(err.text, rows[i].says));
			continue;
		}
		CHECK_EQ(lkst_fleet_answer_end(&err, a, &t), 0);
		CHECK_STR(text, "7|web|");
		CHECK_STR(t->columns[0].title, "AT");
		CHECK_EQ(t->columns[0].type, LKST_COLUMN_TIME);
	}
}

/* What is packed is what was put, over many pieces and twice. */
TEST(fleet_packs_rows)
{
	enum { NR = 300000 };
	struct lkst_packed_rows *rows = malloc(sizeof(*rows));
	static u8 out[NR * 8 + 16];
	z_stream z = {};
	u64 i, value, round;

	CHECK_EQ(lkst_packed_rows_init(rows), 0);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < NR; i++)
			lkst_packed_int(rows, i * 0x9e3779b97f4a7c15ULL, 8);
		lkst_packed_text(rows, "abc", 3);
		lkst_packed_count(rows, 300);
		CHECK_EQ(lkst_packed_rows_end(rows), 0);
		memset(&z, 0, sizeof(z));
		CHECK_EQ(inflateInit2(&z, 31), Z_OK);
		z.next_in = rows->bytes;
		z.avail_in = (uInt)rows->length;
		z.next_out = out;
		z.avail_out = sizeof(out);
		CHECK_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
		CHECK_EQ(z.total_out, NR * 8 + 6);
		inflateEnd(&z);
		for (i = 0; i < NR; i++) {
			memcpy(&value, out + 8 * i, 8);
			CHECK(value == i * 0x9e3779b97f4a7c15ULL);
		}
		CHECK(!memcmp(out + NR * 8, "\003abc\xac\002", 6));
		lkst_packed_rows_again(rows);
	}
	lkst_packed_rows_fini(rows);
	free(rows);
}

/* Noise does not get smaller, and deflate() holds back some of it until the end, wherever the room ends then. */
TEST(fleet_packs_noise)
{
	enum { PIECE = 65536, PIECES = 6 };
	static u8 piece[PIECE], out[PIECES * PIECE];
	struct lkst_packed_rows *rows = malloc(sizeof(*rows));
	u64 noise = 1;
	u32 nr, first, i, k;

	for (first = 0; first < PIECE; first += 3000)
		for (nr = 2; nr <= PIECES; nr++) {
			z_stream z = {};

			CHECK_EQ(lkst_packed_rows_init(rows), 0);
			for (i = 0; i < nr; i++) {
				memset(piece, 0, sizeof(piece));
				for (k = 0; k < (i ? PIECE : first); k++) {
					noise = noise * 6364136223846793005ULL + 1442695040888963407ULL;
					piece[k] = (u8)(noise >> 56);
				}
				lkst_packed_put(rows, piece, PIECE);
			}
			CHECK_EQ(lkst_packed_rows_end(rows), 0);
			CHECK_EQ(inflateInit2(&z, 31), Z_OK);
			z.next_in = rows->bytes;
			z.avail_in = (uInt)rows->length;
			z.next_out = out;
			z.avail_out = sizeof(out);
			CHECK_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
			CHECK_EQ(z.total_out, nr * PIECE);
			CHECK(!memcmp(out + (nr - 1) * PIECE, piece, PIECE));
			inflateEnd(&z);
			lkst_packed_rows_fini(rows);
		}
	free(rows);
}

static const struct unit_test tests[] = {
	{ "fleet_reads_a_number", test_fleet_reads_a_number },
	{ "fleet_refuses_other_answers", test_fleet_refuses_other_answers },
	{ "fleet_ends_what_does_not_end", test_fleet_ends_what_does_not_end },
	{ "fleet_takes_no_password_in_the_url", test_fleet_takes_no_password_in_the_url },
	{ "fleet_answer_has_types_and_escapes", test_fleet_answer_has_types_and_escapes },
	{ "fleet_answer_refuses_names_that_no_column_has", test_fleet_answer_refuses_names_that_no_column_has },
	{ "fleet_answer_has_the_columns_of_its_question",
	  test_fleet_answer_has_the_columns_of_its_question },
	{ "fleet_packs_rows", test_fleet_packs_rows },
	{ "fleet_packs_noise", test_fleet_packs_noise },
};

UNIT_MAIN(tests)
