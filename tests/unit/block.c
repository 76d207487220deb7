/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * One block: its header's checks, and the walk over its records, sound and damaged.
 */
#include "lib/make_trace.h"
#include "lib/unit.h"

static struct lkst_err err;
static struct lkst_catalog *catalog; /* make_catalog()'s, for all tests */

/* The one block that @text makes, closed; the caller frees it. */
static u8 *make_block(const char *text)
{
	struct make_trace *t = make_begin(NULL, NULL, 4096);
	u8 *bytes;

	if (make_text(t, text)) {
		fprintf(stderr, "%s\n", t->err.text);
		abort();
	}
	make_close(&t->streams[0]);
	if (t->streams[0].used != 4096)
		abort();
	bytes = t->streams[0].bytes;
	t->streams[0] = (struct make_stream){};
	make_end(t);
	if (!catalog)
		catalog = make_catalog();
	return bytes;
}

static struct lkst_block_header *header(u8 *bytes)
{
	return (struct lkst_block_header *)bytes;
}

static const char three[] = "sched_switch cpu=3 buffer=1 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			    "sched_waking cpu=3 buffer=1 tid=6 ns=1010 target_tid=7 target_cpu=-1\n"
			    "sched_switch cpu=3 buffer=1 tid=5 ns=2000 next_tid=8\n";

/* Walks the whole block; the number of records, or the error. */
static int walk(const u8 *bytes, struct lkst_record *ret_last)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	int r, nr = 0;

	r = lkst_block_parse(&err, bytes, 4096, NULL, &block);
	if (r)
		return r;
	lkst_block_cursor_init(&cursor, &block);
	while ((r = lkst_block_next(&err, &cursor, catalog, &record)) > 0) {
		nr++;
		if (ret_last)
			*ret_last = record;
	}
	return r ? r : nr;
}

TEST(block_header_is_taken_apart)
{
	u8 *bytes = make_block(three);
	struct lkst_block block;

	CHECK_EQ(lkst_block_parse(&err, bytes, 4096, header(bytes)->uuid, &block), 0);
	CHECK_EQ(block.size, 4096);
	CHECK_EQ(block.content, LKST_BLOCK_HEADER + 2 * sizeof(struct lkst_rec_sched_switch) +
					sizeof(struct lkst_rec_sched_waking));
	CHECK_EQ(block.begin_ns, 1000);
	CHECK_EQ(block.end_ns, 2000);
	CHECK_EQ(block.seq, 0);
	CHECK_EQ(block.cpu, 3);
	CHECK_EQ(block.tid, 5);
	CHECK_EQ(block.instance, lkst_stream_instance(3, 1, 0));
	free(bytes);
}

/* One change to a sound header and what the parser says to it. */
static bool refuses(size_t at, u64 value, unsigned int size, const char *says)
{
	u8 *bytes = make_block(three);
	struct lkst_block block;
	int code;

	memcpy(bytes + at, &value, size);
	code = lkst_block_parse(&err, bytes, 4096, NULL, &block);
	free(bytes);
	if (code != -EBADMSG || !strstr(err.text, says))
		printf("%s: %d \"%s\"\n", says, code, err.text);
	return code == -EBADMSG && strstr(err.text, says);
}

#define AT(field) offsetof(struct lkst_block_header, field)

TEST(block_header_that_makes_no_sense_is_refused)
{
	u8 *bytes = make_block(three), other[16] = {};
	struct lkst_block block;

	CHECK(refuses(AT(magic), 0, 4, "magic"));
	CHECK(refuses(AT(stream_id), 1, 4, "stream class"));
	CHECK(refuses(AT(stream_instance_id), 4, 8, "do not go together"));
	CHECK(refuses(AT(cpu_id), 4, 4, "do not go together"));
	CHECK(refuses(AT(stream_instance_id), 4ULL << 48 | 3, 8, "do not go together"));
	CHECK(refuses(AT(packet_size), 4096 * 8 + 1, 8, "block size"));
	CHECK(refuses(AT(packet_size), 4104 * 8, 8, "block size"));
	CHECK(refuses(AT(packet_size), 2048 * 8, 8, "block size"));
	CHECK(refuses(AT(packet_size), 2097152 * 8, 8, "block size"));
	CHECK(refuses(AT(packet_size), 0, 8, "block size"));
	CHECK(refuses(AT(packet_size), UINT64_MAX - 7, 8, "block size"));
	CHECK(refuses(AT(packet_size), 8192 * 8, 8, "cut short"));
	CHECK(refuses(AT(content_size), 87 * 8, 8, "content"));
	CHECK(refuses(AT(content_size), 100 * 8 + 1, 8, "content"));
	CHECK(refuses(AT(content_size), 4097 * 8, 8, "content"));
	CHECK(refuses(AT(content_size), UINT64_MAX - 7, 8, "content"));
	CHECK(refuses(AT(timestamp_end), 999, 8, "never closed"));
	CHECK(refuses(AT(timestamp_end), 1ULL << 62, 8, "impossible"));
	CHECK(refuses(AT(timestamp_end), UINT64_MAX, 8, "impossible"));

	CHECK_EQ(lkst_block_parse(&err, bytes, 4096, other, &block), -EBADMSG);
	CHECK(strstr(err.text, "another trace"));
	CHECK_EQ(lkst_block_parse(&err, bytes, 87, NULL, &block), -EBADMSG);
	CHECK_EQ(lkst_block_parse(&err, bytes, 4095, NULL, &block), -EBADMSG);
	CHECK_EQ(lkst_block_parse(&err, bytes, 0, NULL, &block), -EBADMSG);
	free(bytes);
}

TEST(block_yields_its_records)
{
	u8 *bytes = make_block(three);
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	struct lkst_block block;

	CHECK_EQ(lkst_block_parse(&err, bytes, 4096, NULL, &block), 0);
	lkst_block_cursor_init(&cursor, &block);
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 1);
	CHECK_STR(r.event->name, "sched_switch");
	CHECK_EQ(r.ns, 1000);
	CHECK_EQ(r.tid, 5);
	CHECK_EQ(r.cpu, 3);
	CHECK_EQ(r.buffer, 1);
	CHECK_EQ(r.size, sizeof(struct lkst_rec_sched_switch));
	CHECK_EQ(lkst_record_int(&r, lkst_class_field(r.event, "next_tid")), 7);
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 1);
	CHECK_EQ(r.ns, 1010);
	CHECK_EQ((s64)lkst_record_int(&r, lkst_class_field(r.event, "target_cpu")), -1);
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 1);
	CHECK_EQ(lkst_record_int(&r, lkst_class_field(r.event, "next_tid")), 8);
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 0);
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 0);
	free(bytes);
}

TEST(block_fields_of_every_type_are_found)
{
	u8 *bytes = make_block("test_integers ns=1 ua=255 sa=-1 xa=8 ub=65535 sb=-2 xb=255 uc=3 "
			       "sc=-3 xc=64 ud=18446744073709551615 sd=-4 xd=255\n");
	static const s64 expected[] = { 255, -1, 8, 65535, -2, 255, 3, -3, 64, -1, -4, 255 };
	struct lkst_record r;
	u32 length;
	u16 i;

	CHECK_EQ(walk(bytes, &r), 1);
	CHECK_EQ(r.event->nr_fields, 12);
	for (i = 0; i < 12; i++) {
		CHECK_EQ((s64)lkst_record_int(&r, &r.event->fields[i]), expected[i]);
		CHECK(lkst_record_field(&r, i, &length) == r.bytes + r.event->fields[i].offset);
		CHECK_EQ(length, r.event->fields[i].size);
	}
	CHECK(!lkst_record_field(&r, 12, &length) && !length);
	free(bytes);

	bytes = make_block("test_arrays ns=1 name=abc numbers=1,2,3 wide=-1,5\n");
	CHECK_EQ(walk(bytes, &r), 1);
	CHECK(!memcmp(lkst_record_field(&r, 0, &length), "abc", 3) && length == 3);
	CHECK_EQ(lkst_record_field(&r, 1, &length)[4], 3);
	CHECK_EQ(length, 6);
	CHECK_EQ(lkst_record_field(&r, 2, &length)[8], 5);
	CHECK_EQ(length, 16);
	CHECK_EQ(lkst_record_int(&r, &r.event->fields[0]), 0);
	CHECK_EQ(lkst_record_int(&r, &r.event->fields[2]), 0);
	free(bytes);
}

TEST(block_fields_behind_varying_ones_are_found)
{
	u8 *bytes = make_block(
		"test_text ns=1 text=hello after=77 first=\"one two\" data=xyz second=end\n"
		"test_text ns=2 text= after=78 first= data= second=\n");
	static const char *const expected[] = { "hello", NULL, "one two", "xyz", "end" };
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	struct lkst_block block;
	u32 length, after;
	u16 i;

	CHECK_EQ(lkst_block_parse(&err, bytes, 4096, NULL, &block), 0);
	lkst_block_cursor_init(&cursor, &block);
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 1);
	for (i = 2; i < 7; i++) {
		const u8 *p = lkst_record_field(&r, i, &length);

		if (i == 3) {
			memcpy(&after, p, 4);
			CHECK_EQ(after, 77);
			CHECK_EQ(length, 4);
			CHECK_EQ(lkst_record_int(&r, &r.event->fields[3]), 0);
			continue;
		}
		CHECK_EQ(length, strlen(expected[i - 2]));
		CHECK(!memcmp(p, expected[i - 2], length));
	}
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 1);
	CHECK(lkst_record_field(&r, 2, &length) && !length);
	CHECK(lkst_record_field(&r, 6, &length) && !length);
	CHECK_EQ(lkst_block_next(&err, &cursor, catalog, &r), 0);
	free(bytes);
}

TEST(block_follows_the_clock_over_a_turn_of_its_48_bits)
{
	u8 *bytes = make_block("sched_switch ns=281474976710600 next_tid=1\n"
			       "sched_switch ns=281474976710700 next_tid=2\n"
			       "sched_switch ns=400000000000000 next_tid=3\n"
			       "sched_switch ns=520000000000000 next_tid=4\n"
			       "sched_switch ns=600000000000000 next_tid=5\n");
	struct lkst_record r;

	CHECK_EQ(walk(bytes, &r), 5);
	CHECK_EQ(r.ns, 600000000000000);
	free(bytes);
}

/* Walks `three` with bytes at @at of the second record changed. */
static int walk_changed(u32 at, u64 value, unsigned int size)
{
	u8 *bytes = make_block(three);
	int r;

	memcpy(bytes + LKST_BLOCK_HEADER + sizeof(struct lkst_rec_sched_switch) + at, &value, size);
	r = walk(bytes, NULL);
	free(bytes);
	return r;
}

TEST(block_stops_at_records_that_make_no_sense)
{
	const u32 first = sizeof(struct lkst_rec_sched_switch), second = sizeof(struct lkst_rec_sched_waking);
	u8 *bytes;
	u32 i;

	_Static_assert(sizeof(struct lkst_rec_sched_switch) % 8 == 0, "the second record follows");
	CHECK_EQ(walk_changed(0, LKST_EV_sched_waking + 1, 2), 3);
	CHECK_EQ(walk_changed(0, LKST_ID_MAX, 2), -EBADMSG);
	CHECK(strstr(err.text, "not declared"));
	CHECK_EQ(walk_changed(0, 0xffff, 2), -EBADMSG);
	CHECK(strstr(err.text, "not declared"));
	CHECK_EQ(walk_changed(2, 999, 6), -EBADMSG);
	CHECK(strstr(err.text, "time"));
	CHECK_EQ(walk_changed(2, 2001, 6), -EBADMSG);
	CHECK(strstr(err.text, "time"));
	CHECK_EQ(walk_changed(0, LKST_ID_NONE, 2), -EBADMSG);
	CHECK(strstr(err.text, "not declared"));

	/* A content that ends at any byte. */
	bytes = make_block(three);
	for (i = 0; i <= 2 * first + second; i++) {
		bool is_whole = !i || i == first || i == first + second || i == 2 * first + second;
		int nr = (i >= first) + (i >= first + second) + (i >= 2 * first + second);

		header(bytes)->content_size = (LKST_BLOCK_HEADER + i) * 8;
		CHECK_EQ(walk(bytes, NULL), is_whole ? nr : -EBADMSG);
	}
	free(bytes);
}

TEST(block_stops_at_strings_that_do_not_end)
{
	u8 *bytes = make_block("test_text ns=1 text=hello after=7 first=one data=xyz second=end\n");
	u8 *lengths = bytes + LKST_BLOCK_HEADER + sizeof(struct lkst_record_head);
	u32 content = (u32)header(bytes)->content_size / 8, i;

	CHECK_EQ(walk(bytes, NULL), 1);
	/* The second string's NUL is the last byte. */
	bytes[content - 1] = 'x';
	CHECK_EQ(walk(bytes, NULL), -EBADMSG);
	CHECK(strstr(err.text, "passes the end"));
	bytes[content - 1] = 0;
	/* Lengths of a text and of bytes that are too large: 16 bits at 0, 32 at 4. */
	for (i = 6; i < 16; i++) {
		lengths[i / 8] ^= (u8)(1 << i % 8);
		CHECK_EQ(walk(bytes, NULL), -EBADMSG);
		lengths[i / 8] ^= (u8)(1 << i % 8);
	}
	for (i = 3; i < 32; i++) {
		lengths[4 + i / 8] ^= (u8)(1 << i % 8);
		CHECK_EQ(walk(bytes, NULL), -EBADMSG);
		lengths[4 + i / 8] ^= (u8)(1 << i % 8);
	}
	CHECK_EQ(walk(bytes, NULL), 1);
	free(bytes);
}

TEST(block_with_flipped_bits_is_walked_within_its_bounds)
{
	u8 *sound =
		make_block("test_text ns=1000 text=hello after=77 first=one data=xyz second=two\n"
			   "test_arrays ns=1002 name=abc\n");
	u8 *bytes = malloc(4096);
	unsigned int seed = 4711, i;

	/* There is not a byte to spare after it, which the sanitizers know. */
	for (i = 0; i < 20000; i++) {
		memcpy(bytes, sound, 4096);
		bytes[rand_r(&seed) % 320] ^= (u8)(1 << rand_r(&seed) % 8);
		bytes[rand_r(&seed) % 320] ^= (u8)(1 << rand_r(&seed) % 8);
		CHECK(walk(bytes, NULL) <= 4096 / 16);
	}
	free(bytes);
	free(sound);
}

static const struct unit_test tests[] = {
	{ "block_header_is_taken_apart", test_block_header_is_taken_apart },
	{ "block_header_that_makes_no_sense_is_refused",
	  test_block_header_that_makes_no_sense_is_refused },
	{ "block_yields_its_records", test_block_yields_its_records },
	{ "block_fields_of_every_type_are_found", test_block_fields_of_every_type_are_found },
	{ "block_fields_behind_varying_ones_are_found",
	  test_block_fields_behind_varying_ones_are_found },
	{ "block_follows_the_clock_over_a_turn_of_its_48_bits",
	  test_block_follows_the_clock_over_a_turn_of_its_48_bits },
	{ "block_stops_at_records_that_make_no_sense",
	  test_block_stops_at_records_that_make_no_sense },
	{ "block_stops_at_strings_that_do_not_end", test_block_stops_at_strings_that_do_not_end },
	{ "block_with_flipped_bits_is_walked_within_its_bounds",
	  test_block_with_flipped_bits_is_walked_within_its_bounds },
};
UNIT_MAIN(tests)
