// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * export/perfetto/protobuf.h: numbers, lengths of messages in messages, text, and memory that is too small.
 */
#include "export/perfetto/protobuf.h"

#include <string.h>

#include "lib/unit.h"

static u8 memory[1 << 16];

static struct lkst_protobuf begin(u32 room)
{
	memset(memory, 0xaa, sizeof(memory));
	return (struct lkst_protobuf){ .bytes = memory, .room = room };
}

/* Reads a number at *@at as the guide to the encoding says, not as the writer does. */
static u64 read_varint(u32 *at)
{
	u64 v = 0;
	u32 shift = 0;
	u8 byte;

	do {
		byte = memory[(*at)++];
		v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

/* The examples of protobuf.dev/programming-guides/encoding. */
TEST(protobuf_writes_what_the_guide_shows)
{
	struct lkst_protobuf p = begin(64);
	u32 at;

	lkst_protobuf_u64(&p, 1, 150);
	CHECK(!memcmp(memory, "\x08\x96\x01", 3));
	CHECK_EQ(p.used, 3);
	p = begin(64);
	lkst_protobuf_text(&p, 2, "testing", 7);
	CHECK(!memcmp(memory, "\x12\x07testing", 9));
	p = begin(64);
	at = lkst_protobuf_begin(&p, 3);
	lkst_protobuf_u64(&p, 1, 150);
	lkst_protobuf_end(&p, at);
	CHECK(!memcmp(memory, "\x1a\x03\x08\x96\x01", 5));
	CHECK_EQ(p.used, 5);
	p = begin(64);
	lkst_protobuf_s64(&p, 1, -2);
	CHECK(!memcmp(memory, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
	CHECK_EQ(p.used, 11);
}

TEST(protobuf_numbers_have_no_byte_too_many)
{
	int bits;

	for (bits = 0; bits < 64; bits++) {
		const u64 values[] = { (1ULL << bits) - 1, 1ULL << bits, ~0ULL >> bits };
		size_t i;

		for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			struct lkst_protobuf p = begin(64);
			u32 at = 0, size = 1;
			u64 rest = values[i];

			while (rest >>= 7)
				size++;
			lkst_protobuf_varint(&p, values[i]);
			CHECK_EQ(p.used, size);
			CHECK_EQ(lkst_protobuf_varint_size(values[i]), size);
			CHECK_EQ(read_varint(&at), values[i]);
			CHECK_EQ(at, size);
			/* The last place that it fits into, and one byte less. */
			p = begin(size);
			lkst_protobuf_varint(&p, values[i]);
			CHECK(!p.is_full && p.used == size);
			p = begin(size - 1);
			lkst_protobuf_varint(&p, values[i]);
			CHECK(p.is_full && !p.used);
			CHECK_EQ(memory[size - 1], 0xaa);
		}
	}
}

TEST(protobuf_fixed_numbers_have_8_bytes)
{
	struct lkst_protobuf p = begin(9);

	lkst_protobuf_fixed64(&p, 1, 0x0102030405060708);
	CHECK(!memcmp(memory, "\x09\x08\x07\x06\x05\x04\x03\x02\x01", 9));
	CHECK(!p.is_full);
	p = begin(8);
	lkst_protobuf_fixed64(&p, 1, 1);
	CHECK(p.is_full);
	CHECK_EQ(memory[8], 0xaa);
}

/* A message's length is in front of it and takes one byte, or more: then what is in it moves. */
TEST(protobuf_messages_in_messages)
{
	static const u32 lengths[] = { 0,     1,     120,   121,   122,	  123,	 124,
				       125,   126,   127,   128,   129,	  16375, 16376,
				       16377, 16378, 16379, 16380, 16383, 16384, 20000 };
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct lkst_protobuf p = begin(sizeof(memory));
		u32 outer = lkst_protobuf_begin(&p, 1), inner = lkst_protobuf_begin(&p, 2), at = 0,
		    length, n;

		for (n = 0; n < lengths[i]; n++)
			lkst_protobuf_varint(&p, n % 100);
		lkst_protobuf_end(&p, inner);
		lkst_protobuf_u64(&p, 3, 7);
		lkst_protobuf_end(&p, outer);
		CHECK(!p.is_full);
		CHECK_EQ(read_varint(&at), 1 << 3 | 2);
		length = (u32)read_varint(&at);
		CHECK_EQ(length, p.used - at);
		CHECK_EQ(read_varint(&at), 2 << 3 | 2);
		CHECK_EQ(read_varint(&at), lengths[i]);
		for (n = 0; n < lengths[i]; n++)
			CHECK_EQ(memory[at + n], n % 100);
		at += lengths[i];
		CHECK_EQ(read_varint(&at), 3 << 3);
		CHECK_EQ(read_varint(&at), 7);
		CHECK_EQ(at, p.used);
	}
}

/* Whatever the room is, nothing is written beyond it, and what is not whole says so. */
TEST(protobuf_keeps_to_its_room)
{
	u32 room, whole = 0;

	for (room = 0; room < 200; room++) {
		struct lkst_protobuf p = begin(room);
		u32 outer = lkst_protobuf_begin(&p, 1), inner = lkst_protobuf_begin(&p, 900);
		u32 i;

		for (i = 0; i < 16; i++)
			lkst_protobuf_u64(&p, 15, 1ULL << i * 4);
		lkst_protobuf_bytes(&p, 2, "twelve bytes", 12);
		lkst_protobuf_text(&p, 3, "\xff\xc3\xa4", 3);
		lkst_protobuf_end(&p, inner);
		lkst_protobuf_end(&p, outer);
		CHECK(p.used <= room);
		for (i = room; i < 300; i++)
			CHECK_EQ(memory[i], 0xaa);
		if (!p.is_full)
			whole += 1;
		else
			CHECK_EQ(whole, 0);
	}
	CHECK(whole > 0);
}

/* Perfetto's strings are UTF-8, and names of threads are any bytes. */
TEST(protobuf_text_is_utf8)
{
	static const struct {
		const char *text, *is;
	} texts[] = {
		{ "", "" },
		{ "cc1plus", "cc1plus" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7" },
		{ "a\xff"
		  "b",
		  "a\xef\xbf\xbd"
		  "b" },
		{ "cut \xc3", "cut \xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" }, /* longer than it has to be */
		{ "\xed\xa0\x80",
		  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* half of a surrogate */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct lkst_protobuf p = begin(64);
		u32 length = (u32)strlen(texts[i].is);

		lkst_protobuf_text(&p, 1, texts[i].text, 32);
		CHECK_EQ(p.used, 2 + length);
		CHECK_EQ(memory[1], length);
		CHECK(!memcmp(memory + 2, texts[i].is, length));
	}
}

static const struct unit_test tests[] = {
	{ "protobuf_writes_what_the_guide_shows", test_protobuf_writes_what_the_guide_shows },
	{ "protobuf_numbers_have_no_byte_too_many", test_protobuf_numbers_have_no_byte_too_many },
	{ "protobuf_fixed_numbers_have_8_bytes", test_protobuf_fixed_numbers_have_8_bytes },
	{ "protobuf_messages_in_messages", test_protobuf_messages_in_messages },
	{ "protobuf_keeps_to_its_room", test_protobuf_keeps_to_its_room },
	{ "protobuf_text_is_utf8", test_protobuf_text_is_utf8 },
};

UNIT_MAIN(tests)
