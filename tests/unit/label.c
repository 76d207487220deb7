/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Labels of recordings: what may be one. tests/live/label.sh has the rest.
 */
#include "live/session/label.h"

#include <errno.h>

#include "lib/unit.h"

TEST(label_is_printable_text)
{
	static const char *const good[] = { "a", "lkst-tests", "two words, \"quoted\"", "caf\xc3\xa9",
					    "back\\slash" };
	static const char *const bad[] = { "", "\n", "tab\there", "red \x1b[31m", "\x7f", "\xff", "cut \xc3",
					   "\xc2\x9b", "\xe2\x80\xaegnp.exe" };
	struct lkst_err e = {};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		CHECK_EQ(lkst_label_check(&e, good[i]), 0);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		e.text[0] = 0;
		CHECK_EQ(lkst_label_check(&e, bad[i]), -EINVAL);
		CHECK(*e.text);
	}
}

TEST(label_has_a_longest)
{
	char label[2 * LKST_LABEL_MAX];

	memset(label, 'x', sizeof(label));
	label[LKST_LABEL_MAX - 1] = 0;
	CHECK_EQ(lkst_label_check(NULL, label), 0);
	label[LKST_LABEL_MAX - 1] = 'x';
	label[LKST_LABEL_MAX] = 0;
	CHECK_EQ(lkst_label_check(NULL, label), -EINVAL);
}

static const struct unit_test tests[] = {
	{ "label_is_printable_text", test_label_is_printable_text },
	{ "label_has_a_longest", test_label_has_a_longest },
};
UNIT_MAIN(tests)
