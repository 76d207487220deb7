/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes as text. */
#include "base/base64.h"

#include "lib/unit.h"

/* RFC 4648, section 10. */
TEST(base64_is_that_of_the_standard)
{
	static const char *const vectors[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
	};
	size_t i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		size_t length = strlen(vectors[i][0]);
		char out[16] = "";

		*lkst_base64_put(out, vectors[i][0], length) = 0;
		CHECK_STR(out, vectors[i][1]);
		CHECK_EQ(lkst_base64_length(length), strlen(out));
	}
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(base64_is_that_of_the_standard),
};
UNIT_MAIN(tests)
