/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Bytes as text.
 */
#include "cmd/view/byte_text.h"

#include "lib/unit.h"

TEST(byte_text_marks_what_a_browser_changes)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *text;
	} rows[] = {
		{ "", 0, "" },
		{ "plain >&\"'\t\x1a\x7f", 13, "plain >&\"'\t\x1a\x7f" },
		{ "\0\n\r<=", 5, "=@=J=M=|=}" },
		{ "</script>", 9, "=|/script>" },
		{ "\x80\x81\x9f\xff", 4, "\x80\x81\x9f\xff" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char out[32] = "";
		char *end = lkst_byte_text_put(out, rows[i].bytes, rows[i].length);

		*end = 0;
		CHECK_STR(out, rows[i].text);
		CHECK((size_t)(end - out) <= lkst_byte_text_max(rows[i].length));
	}
}

/* Every byte has a text of its own, which holds no byte that is changed on the way. */
TEST(byte_text_has_all_bytes)
{
	unsigned int i, byte;

	for (i = 0; i < 256; i++) {
		unsigned char one = (unsigned char)i;
		char text[2] = {};
		size_t length = (size_t)(lkst_byte_text_put(text, &one, 1) - text);

		CHECK(!memchr("\0\n\r<", text[length - 1], 4));
		CHECK_EQ(length == 2, text[0] == '=');
		byte = length == 2 ? (unsigned char)(text[1] - 64) : (unsigned char)text[0];
		CHECK_EQ(byte, i);
	}
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(byte_text_marks_what_a_browser_changes),
	ROW(byte_text_has_all_bytes),
};
UNIT_MAIN(tests)
