/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols: an address gets the name of the function that it lies in, and no other. */
#include "trace/symbols.h"

#include "unit.h"
#include "view_fixture.h"

/* "name+offset" of @address, or "?". */
static const char *named(u64 address)
{
	static char text[256];
	u64 offset;
	const char *name = lkst_symbols_find(f->symbols, address, &offset);

	if (!name)
		return "?";
	snprintf(text, sizeof(text), "%s+%llu", name, (unsigned long long)offset);
	return text;
}

TEST(symbols_none_are_known_to_begin_with)
{
	CHECK_STR(named(0), "?");
	CHECK_STR(named(UINT64_MAX), "?");
}

TEST(symbols_name_what_lies_in_a_function)
{
	fixture_symbol(f, 0xffffffff81002000, 0x100, "second");
	fixture_symbol(f, 0xffffffff81001000, 0x80, "first");
	CHECK_STR(named(0xffffffff81000fff), "?");
	CHECK_STR(named(0xffffffff81001000), "first+0");
	CHECK_STR(named(0xffffffff8100107f), "first+127");
	CHECK_STR(named(0xffffffff81001080), "?");
	CHECK_STR(named(0xffffffff810020ff), "second+255");
	CHECK_STR(named(0xffffffff81002100), "?");
	CHECK_STR(named(UINT64_MAX), "?");
}

TEST(symbols_are_told_of_again_by_later_parts)
{
	fixture_symbol(f, 0xffffffff81001000, 0x80, "first");
	fixture_symbol(f, 0xffffffff81003000, 1, "third");
	CHECK_STR(named(0xffffffff81001001), "first+1");
	CHECK_STR(named(0xffffffff81003000), "third+0");
	CHECK_STR(named(0xffffffff81002001), "second+1");
}

TEST(symbols_other_records_are_none)
{
	struct lkst_record r = fixture_record(f, "state_irq irq=3 name=eth0");
	u64 offset;

	CHECK_EQ(lkst_symbols_feed(f->symbols, &r), 0);
	CHECK(!lkst_symbols_find(f->symbols, 3, &offset));
	/* Without a name it is none either. */
	fixture_symbol(f, 0xffffffff81004000, 16, "");
	CHECK_STR(named(0xffffffff81004000), "?");
}

static const struct unit_test tests[] = {
	{ "symbols_none_are_known_to_begin_with", test_symbols_none_are_known_to_begin_with },
	{ "symbols_name_what_lies_in_a_function", test_symbols_name_what_lies_in_a_function },
	{ "symbols_are_told_of_again_by_later_parts",
	  test_symbols_are_told_of_again_by_later_parts },
	{ "symbols_other_records_are_none", test_symbols_other_records_are_none },
};

UNIT_MAIN(tests)
