/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Symbols: an address gets the name of the function that it lies in, and no other.
 */
#include "trace/known/symbols.h"

#include "lib/unit.h"
#include "lib/view_fixture.h"

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

/* What people are shown. */
static const char *shown(struct lkst_symbols *s, u64 address)
{
	static char text[LKST_SYMBOL_ROOM + 1];

	*lkst_symbols_put(s, text, address) = 0;
	return text;
}

TEST(symbols_are_shown_with_offset_and_module)
{
	fixture_symbol(f, 0xffffffff81010000, 0x100, "tick_nohz_handler");
	fixture_symbol(f, 0xffffffff81020000, 0x80, "alloc_buffer_head.part.0");
	fixture_symbol(f, 0xffffffffc0010000, 0x80, "nft_do_chain[nf_tables]");
	fixture_symbol(f, 0xffff888100000100, 1, "kmalloc-64");
	CHECK_STR(shown(f->symbols, 0xffffffff81010000), "tick_nohz_handler");
	CHECK_STR(shown(f->symbols, 0xffffffff81010012), "tick_nohz_handler+0x12");
	CHECK_STR(shown(f->symbols, 0xffffffff8102007f), "alloc_buffer_head.part.0+0x7f");
	CHECK_STR(shown(f->symbols, 0xffffffffc0010000), "nft_do_chain[nf_tables]");
	CHECK_STR(shown(f->symbols, 0xffffffffc0010004), "nft_do_chain+0x4[nf_tables]");
	CHECK_STR(shown(f->symbols, 0xffff888100000100), "kmalloc-64");
	/* Between two symbols, after the last, and without any. */
	CHECK_STR(shown(f->symbols, 0xffffffff81010100), "0xffffffff81010100");
	CHECK_STR(shown(f->symbols, 0xffff888100000101), "0xffff888100000101");
	CHECK_STR(shown(f->symbols, 0xffffffffffffffff), "0xffffffffffffffff");
	CHECK_STR(shown(NULL, 0xffffffff81010000), "0xffffffff81010000");
}

TEST(symbols_are_shown_safely)
{
	char name[1000];
	const char *p;

	CHECK_EQ(lkst_symbols_add(f->symbols, 0xffffffff81030000, 16, "a b\"c\033\n[x y", 11), 0);
	fixture_symbol(f, 0xffffffff81030010, 16, "[only");
	CHECK_STR(shown(f->symbols, 0xffffffff81030001), "a_b\\x22c\\x1b\\n+0x1[x_y");
	CHECK_STR(shown(f->symbols, 0xffffffff81030011), "[only+0x1");
	memset(name, '\001', sizeof(name) - 1);
	CHECK_EQ(lkst_symbols_add(f->symbols, 0xffffffff81030020, 16, name, sizeof(name) - 1), 0);
	p = shown(f->symbols, 0xffffffff8103002f);
	CHECK(strlen(p) < LKST_SYMBOL_ROOM && !strncmp(p, "\\x01", 4) && strstr(p, "+0xf"));
}

/* They are written after the records that need them, and in each part after its own records. */
TEST(symbols_of_a_whole_trace_are_known_before_its_records)
{
	static const char lines[] =
		"state_clock ns=1\n"
		"workqueue_execute_start cpu=0 ns=1000 function=0xffffffff81010004\n"
		"state_symbol ns=2000 address=0xffffffff81010000 bytes=8 name=\"work\"\n"
		"workqueue_execute_start cpu=0 ns=3000 function=0xffffffff81020000\n"
		"state_symbol ns=4000 address=0xffffffff81020000 bytes=8 name=\"more\"\n";
	char dir[64], path[80];
	struct lkst_symbols *s = lkst_symbols_new();
	struct lkst_trace *t;
	struct lkst_err e;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	CHECK_EQ(make_trace(path, 4096, lines), 0);
	CHECK(lkst_symbols_is_empty(s));
	CHECK_EQ(lkst_trace_open(&e, path, &t), 0);
	CHECK_EQ(lkst_symbols_load(&e, s, t), 0);
	CHECK(!lkst_symbols_is_empty(s));
	CHECK_STR(shown(s, 0xffffffff81010004), "work+0x4");
	CHECK_STR(shown(s, 0xffffffff81020000), "more");
	lkst_trace_close(t);
	lkst_symbols_free(s);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "symbols_none_are_known_to_begin_with", test_symbols_none_are_known_to_begin_with },
	{ "symbols_name_what_lies_in_a_function", test_symbols_name_what_lies_in_a_function },
	{ "symbols_are_told_of_again_by_later_parts",
	  test_symbols_are_told_of_again_by_later_parts },
	{ "symbols_other_records_are_none", test_symbols_other_records_are_none },
	{ "symbols_are_shown_with_offset_and_module",
	  test_symbols_are_shown_with_offset_and_module },
	{ "symbols_are_shown_safely", test_symbols_are_shown_safely },
	{ "symbols_of_a_whole_trace_are_known_before_its_records",
	  test_symbols_of_a_whole_trace_are_known_before_its_records },
};

UNIT_MAIN(tests)
