/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What probes become: instructions that are run here (tests/lib/made_probe.h). Conditions, by which a hit is kept or
 * not (row M06 of doc/heritage.md).
 */
#include "lib/made_probe.h"

#include "lib/unit.h"

static bool keeps(const char *condition)
{
	bool is_kept;

	made_probe.condition = (char *)condition;
	is_kept = made_runs();
	if (made_run.error)
		printf("  %s\n", condition);
	return is_kept;
}

TEST(conditions_on_numbers)
{
	static const struct {
		const char *text;
		bool holds;
	} all[] = {
		{ "len > 4096", true },
		{ "len > 5000", false },
		{ "len == 5000", true },
		{ "len != 5000", false },
		{ "len <= 4999", false },
		{ "len >= 5000", true },
		{ "len < 5001", true },
		{ "n < 0", true },
		{ "n < -2", true },
		{ "n < -3", false },
		{ "n == -3", true },
		{ "n > -4", true },
		{ "big > 0x7fffffffffffffff", true },
		{ "len & 8", true },
		{ "len & 4", false },
		{ "len & 0xff == 0x88", true },
		{ "len > 1 and n < 0", true },
		{ "len > 1 and n > 0", false },
	};
	unsigned int i;

	made_begin();
	made_set("dx", 5000);
	made_set("di", (u64)(u16)-3);
	made_set("si", 0x8000000000000000);
	made_arg("len", made_reg("dx"), UNSIGNED(8));
	made_arg("n", made_reg("di"), SIGNED(2));
	made_arg("big", made_reg("si"), UNSIGNED(8));
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (keeps(all[i].text) != all[i].holds)
			printf("  %s\n", all[i].text);
		CHECK_EQ(keeps(all[i].text), all[i].holds);
		CHECK(!made_run.error);
	}
}

TEST(conditions_on_text_and_thread)
{
	made_begin();
	strcpy((char *)&made_kernel[0], "/usr/bin/make");
	made_set("di", MADE_KERNEL);
	made_run.pid_tgid = 700ULL << 32 | 701;
	made_run.cpu = 3;
	made_arg("name", made_at(0, made_reg("di")), STRING);
	made_arg("comm_field", made_node(LKST_FETCH_COMM, 0), WORD);
	CHECK(keeps("name == /usr/bin/make"));
	CHECK(!keeps("name != /usr/bin/make"));
	CHECK(!keeps("name == /usr/bin/mak"));
	CHECK(!keeps("name == /usr/bin/makes"));
	CHECK(keeps("name == /usr/*"));
	CHECK(!keeps("name == /usb/*"));
	CHECK(keeps("name != /usb/*"));
	CHECK(keeps("comm_field == worker"));
	CHECK(!keeps("comm_field == work"));
	CHECK(keeps("comm == worker"));
	CHECK(!keeps("comm != worker"));
	CHECK(keeps("pid == 700 and tid == 701"));
	CHECK(!keeps("pid == 701"));
	CHECK(keeps("cpu == 3"));
	CHECK(!keeps("cpu > 3"));
	CHECK(!made_run.error);
}

TEST(nothing_is_known_of_what_could_not_be_read)
{
	made_begin();
	made_set("di", MADE_NOWHERE);
	made_arg("x", made_at(0, made_reg("di")), WORD);
	made_arg("s", made_at(0, made_reg("di")), STRING);
	CHECK(made_runs());
	CHECK(!keeps("x == 0"));
	CHECK(!keeps("x != 0"));
	CHECK(!keeps("s != a"));
	CHECK(!made_run.error);
}

static const struct unit_test tests[] = {
	{ "conditions_on_numbers", test_conditions_on_numbers },
	{ "conditions_on_text_and_thread", test_conditions_on_text_and_thread },
	{ "nothing_is_known_of_what_could_not_be_read",
	  test_nothing_is_known_of_what_could_not_be_read },
};
UNIT_MAIN(tests)
