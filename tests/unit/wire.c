// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * trace/write/wire.h: a trace that is sent over a socket arrives unchanged; anything that is not an answer is refused.
 */
#include "trace/write/wire.h"

#include <endian.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static char dir[64], path[80];

/* Some blocks of two streams, more than a frame holds, and a state record. */
static int write_trace(struct lkst_writer *w)
{
	struct lkst_rec_state_cpu cpu = { .head.id_time = LKST_EV_state_cpu + 1, .state_cpu = 3 };
	static u8 blocks[LKST_WIRE_PAYLOAD_MAX];
	size_t i;
	int code;

	for (i = 0; i < sizeof(blocks); i++)
		blocks[i] = (u8)(i * 7 + i / 4096);
	code = lkst_writer_append(&err, w, 0, blocks, sizeof(blocks));
	if (!code)
		code = lkst_writer_append(&err, w, lkst_stream_instance(5, 1, 0), blocks, 8192);
	if (!code)
		code = lkst_writer_append(&err, w, 0, blocks, 4096);
	return code ? code : lkst_writer_state(&err, w, 1000, &cpu, sizeof(cpu));
}

static ssize_t read_fd(void *ctx, void *bytes, size_t size)
{
	return read(*(int *)ctx, bytes, size);
}

static bool is_same_file(const char *name)
{
	char one[96], two[96];
	size_t one_length, two_length;
	char *a, *b;
	bool same;

	snprintf(one, sizeof(one), "%s/direct", dir);
	snprintf(two, sizeof(two), "%s/received", dir);
	a = make_read(one, name, &one_length);
	b = make_read(two, name, &two_length);
	same = one_length == two_length && !memcmp(a, b, one_length);
	free(a);
	free(b);
	return same;
}

/* Received to memory it has the same records; no more of it than is wanted. */
static void expect_in_memory(const struct lkst_catalog *c)
{
	static struct lkst_wire_sender sender;
	struct lkst_collected collected = {};
	struct lkst_writer *w;
	int fds[2], status, code, round;
	struct lkst_wire_source source = { read_fd, &fds[0] };
	struct lkst_trace *t = NULL;
	pid_t child;

	for (round = 0; round < 2; round++) {
		CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
		child = fork();
		sender.fd = fds[1];
		if (!child)
			_exit(lkst_wire_writer_open(&err, &sender, c, &w) || write_trace(w) ||
			      lkst_writer_close(&err, w, 0) ||
			      lkst_wire_send(fds[1], LKST_WIRE_END, 0, NULL, 0));
		close(fds[1]);
		collected.max_bytes = round ? LKST_WIRE_PAYLOAD_MAX : 2 * LKST_WIRE_PAYLOAD_MAX;
		code = lkst_wire_receive_memory(&err, &source, &collected);
		close(fds[0]);
		CHECK(waitpid(child, &status, 0) == child);
		CHECK_EQ(code, round ? -EFBIG : 0);
		if (!round) {
			CHECK_EQ(lkst_collected_open(&err, &collected, &t), 0);
			CHECK_EQ(lkst_trace_nr_streams(t), 3);
			CHECK_STR(lkst_trace_stream(t, 0)->file, "main.0");
			lkst_trace_close(t);
		}
		lkst_collected_fini(&collected);
	}
}

TEST(wire_carries_a_trace)
{
	static struct lkst_wire_sender sender;
	struct lkst_catalog *c = make_catalog();
	struct lkst_writer *w;
	int fds[2], status;
	struct lkst_wire_source source = { read_fd, &fds[0] };
	u64 bytes = 0;
	pid_t child;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/direct", dir);
	CHECK_EQ(lkst_writer_open(&err, NULL, path, c, &w), 0);
	CHECK_EQ(write_trace(w), 0);
	CHECK_EQ(lkst_writer_close(&err, w, 0), 0);

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	fflush(stdout);
	child = fork();
	if (!child) {
		sender.fd = fds[1];
		if (lkst_wire_writer_open(&err, &sender, c, &w) || write_trace(w) ||
		    lkst_writer_close(&err, w, 0) ||
		    lkst_wire_send(fds[1], LKST_WIRE_END, 0, NULL, 0))
			_exit(1);
		_exit(0);
	}
	close(fds[1]);
	snprintf(path, sizeof(path), "%s/received", dir);
	CHECK_EQ(lkst_wire_receive_trace(&err, &source, NULL, path, &bytes), 0);
	close(fds[0]);
	CHECK(waitpid(child, &status, 0) == child && !status);
	CHECK(is_same_file("metadata"));
	CHECK(is_same_file("main.0"));
	CHECK(is_same_file("life.5"));
	CHECK(is_same_file("state"));
	CHECK(bytes > LKST_WIRE_PAYLOAD_MAX);
	CHECK(!make_is_partial(path));
	expect_in_memory(c);

	/* The same, but for the end. */
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	child = fork();
	sender.fd = fds[1];
	if (!child)
		_exit(lkst_wire_writer_open(&err, &sender, c, &w) || write_trace(w) ||
		      lkst_writer_close(&err, w, 0));
	close(fds[1]);
	snprintf(path, sizeof(path), "%s/half", dir);
	CHECK_EQ(lkst_wire_receive_trace(&err, &source, NULL, path, &bytes), -EPROTO);
	close(fds[0]);
	CHECK(waitpid(child, &status, 0) == child && !status);
	CHECK(make_is_partial(path));
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

/* What the server "sends": frames put together by hand. */
static struct {
	u8 bytes[8192];
	size_t length, at;
} sent;

static ssize_t read_sent(void *ctx, void *bytes, size_t size)
{
	size_t left = sent.length - sent.at;

	(void)ctx;
	/* In small pieces, as a socket may give it. */
	size = size < 7 ? size : 7;
	size = size < left ? size : left;
	memcpy(bytes, sent.bytes + sent.at, size);
	sent.at += size;
	return (ssize_t)size;
}

static void add_frame(u32 type, u32 length, const void *payload, size_t payload_length)
{
	struct lkst_wire_frame f = { .type = htole32(type), .length = htole32(length) };

	memcpy(sent.bytes + sent.length, &f, sizeof(f));
	memcpy(sent.bytes + sent.length + sizeof(f), payload, payload_length);
	sent.length += sizeof(f) + payload_length;
}

/* What the client makes of a single frame. */
static int receive(u32 type, u32 length, const void *payload, size_t payload_length)
{
	struct lkst_wire_source source = { read_sent, NULL };
	u64 bytes;

	sent.length = sent.at = 0;
	err.text[0] = 0;
	add_frame(type, length, payload, payload_length);
	return lkst_wire_receive_trace(&err, &source, NULL, "/nowhere/at/all", &bytes);
}

TEST(wire_passes_on_the_servers_reason)
{
	CHECK_EQ(receive(LKST_WIRE_ERROR, 5, "no\0!!", 5), -EREMOTEIO);
	CHECK_STR(err.text, "no");
	CHECK_EQ(receive(LKST_WIRE_ERROR, 0, "", 0), -EREMOTEIO);
	CHECK_STR(err.text, "the server failed, and does not say why");
}

TEST(wire_refuses_what_is_no_answer)
{
	static u8 zeros[4096];

	CHECK_EQ(receive(0, 0, "", 0), -EPROTO);
	CHECK_EQ(receive(LKST_WIRE_NR_TYPES, 0, "", 0), -EPROTO);
	CHECK_EQ(receive(LKST_WIRE_END, 1, "x", 1), -EPROTO);
	CHECK_EQ(receive(LKST_WIRE_BLOCKS, LKST_WIRE_PAYLOAD_MAX + 1, "", 0), -EPROTO);
	CHECK_EQ(receive(LKST_WIRE_BLOCKS, UINT32_MAX, "", 0), -EPROTO);
	/* Ends in the middle of a head, and of a payload. */
	CHECK_EQ(receive(LKST_WIRE_PAGE, 100, "x", 1), -EPROTO);
	CHECK(strstr(err.text, "ended before"));
	CHECK_EQ(receive(LKST_WIRE_PAGE, 1, "x", 1), -EPROTO);
	/* Blocks before metadata, no metadata, metadata that is none. */
	CHECK_EQ(receive(LKST_WIRE_BLOCKS, sizeof(zeros), zeros, sizeof(zeros)), -EPROTO);
	CHECK_EQ(receive(LKST_WIRE_END, 0, "", 0), -EPROTO);
	CHECK(receive(LKST_WIRE_METADATA, 7, "/* CTF ", 7) < 0);
}

static int request(u32 magic, u16 version, u16 what, u32 form, u32 pad)
{
	struct lkst_wire_request r = { magic, version, what, form, pad, 5 }, got;
	u8 bytes[sizeof(r)];

	memcpy(bytes, &r, sizeof(r)); /* this test, like the recorder, knows little-endian only */
	return lkst_wire_request_parse(&err, bytes, &got);
}

TEST(wire_checks_requests)
{
	struct lkst_wire_request r = { .what = LKST_WIRE_SNAPSHOT, .last_ns = 1ULL << 40 }, got;
	u8 bytes[sizeof(r)];

	lkst_wire_request_format(&r, bytes);
	CHECK_EQ(lkst_wire_request_parse(&err, bytes, &got), 0);
	CHECK_EQ(got.what, LKST_WIRE_SNAPSHOT);
	CHECK(got.last_ns == 1ULL << 40);
	CHECK_EQ(request(LKST_WIRE_MAGIC, 1, LKST_WIRE_STATUS, LKST_WIRE_JSON, 0), 0);
	CHECK_EQ(request(7, 1, 1, 0, 0), -EPROTO);
	CHECK_EQ(request(LKST_WIRE_MAGIC, 1, 0, 0, 0), -EPROTO);
	CHECK_EQ(request(LKST_WIRE_MAGIC, 1, LKST_WIRE_NR_WHATS, 0, 0), -EPROTO);
	CHECK_EQ(request(LKST_WIRE_MAGIC, 1, 1, LKST_WIRE_NR_FORMS, 0), -EPROTO);
	CHECK_EQ(request(LKST_WIRE_MAGIC, 1, 1, 0, 1), -EPROTO);
	CHECK_EQ(request(LKST_WIRE_MAGIC, 2, 1, 0, 0), -EPROTO);
	CHECK(strstr(err.text, "version 2, the server version 1"));
}

static const struct unit_test tests[] = {
	{ "wire_carries_a_trace", test_wire_carries_a_trace },
	{ "wire_passes_on_the_servers_reason", test_wire_passes_on_the_servers_reason },
	{ "wire_refuses_what_is_no_answer", test_wire_refuses_what_is_no_answer },
	{ "wire_checks_requests", test_wire_checks_requests },
};

UNIT_MAIN(tests)
