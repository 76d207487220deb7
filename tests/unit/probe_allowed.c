// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Where the kernel lets nobody set a probe is known before anything is changed, by its own lists (P4, P10 of what the
 * kernel refuses: code of its start, data, what handles probes, names that several functions have).
 */
#include "live/probes/probe_allowed.h"

#include "lib/unit.h"

#include <errno.h>

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 T vfs_read\n"
			       "ffffffff81000200 t name_show\n"
			       "ffffffff81000300 t name_show\n"
			       "ffffffff81000400 T do_int3\n"
			       "ffffffff81000500 T in_the_entry\n"
			       "ffffffff81000600 t name_show\t[one]\n"
			       "ffffffff81002000 T _etext\n"
			       "ffffffff82000000 D jiffies\n"
			       "ffffffff83000000 T vfs_caches_init\n"
			       "ffffffffc0000000 t start\t[one]\n"
			       "ffffffffc0001000 t start\t[two]\n"
			       "no line of it\n";
static const char blacklist[] = "0xffffffff81000400-0xffffffff81000480\tdo_int3\n"
				"0xffffffff81000500-0xffffffff81000600\tanother_name\n"
				"0x0000000000000000-0x0000000000000000\thidden_one\n"
				"not a line of it\n";

/* What is said against a probe at @symbol, or at @address, with @offset; "": nothing. */
static const char *why(const char *listed, const char *refused, const char *symbol, u64 address, u64 offset)
{
	static struct lkst_err e;
	struct lkst_probe_allowed *a = lkst_probe_allowed_new(listed, refused);
	struct lkst_probe_row row = { .address = address, .offset = offset };

	e = (struct lkst_err){};
	snprintf(row.symbol, sizeof(row.symbol), "%s", symbol);
	if (!a)
		return "no memory";
	if (!lkst_probe_allowed_check(&e, a, &row) != !e.text[0])
		snprintf(e.text, sizeof(e.text), "the result and the sentence differ");
	lkst_probe_allowed_free(a);
	return e.text;
}

#define WHY(symbol) why(kallsyms, blacklist, symbol, 0, 0)

TEST(probe_allowed_names_the_function)
{
	CHECK_STR(WHY("vfs_read"), "");
	CHECK_STR(WHY("not_known_at_all"), "");
	CHECK(strstr(WHY("vfs_caches_init"), "in vfs_caches_init, which is not in the code"));
	CHECK(strstr(WHY("_etext"), "_etext, which is not in the code"));
	CHECK(strstr(WHY("jiffies"), "jiffies is no code"));
	CHECK(strstr(WHY("do_int3"), "do_int3, which is part of how it handles probes"));
	CHECK(strstr(WHY("in_the_entry"), "in_the_entry, which is part of"));
	CHECK(strstr(WHY("hidden_one"), "hidden_one, which is part of"));
	CHECK(strstr(WHY("name_show"), "several functions are called name_show"));
}

TEST(probe_allowed_knows_modules)
{
	CHECK_STR(WHY("one:start"), "");
	CHECK_STR(WHY("two:start"), "");
	CHECK_STR(WHY("one:name_show"), "");
	CHECK_STR(WHY("three:start"), "");
	CHECK(strstr(WHY("start"), "several functions"));
}

TEST(probe_allowed_knows_addresses)
{
	CHECK(strstr(WHY(""), "no code at address 0"));
	CHECK(strstr(why(kallsyms, blacklist, "", 0xffffffff81000480 - 1, 0), "address 0xffffffff8100047f"));
	CHECK_STR(why(kallsyms, blacklist, "", 0xffffffff81000480, 0), "");
	CHECK(strstr(why(kallsyms, blacklist, "vfs_read", 0, 0x300), "vfs_read, which is part of"));
	CHECK_STR(why(kallsyms, blacklist, "", 0xffffffffc0000000, 0), "");
}

/* Addresses that are hidden, and lists that cannot be read, refuse nothing but what names and kinds say. */
TEST(probe_allowed_refuses_nothing_that_it_does_not_know)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 T vfs_caches_init\n"
				     "0000000000000000 T _etext\n0000000000000000 D jiffies\n";

	CHECK_STR(why("", "", "vfs_read", 0, 0), "");
	CHECK_STR(why("", "", "", 0xffffffff81000480, 0), "");
	CHECK_STR(why(hidden, "", "vfs_caches_init", 0, 0), "");
	CHECK(strstr(why(hidden, "", "jiffies", 0, 0), "no code"));
	CHECK(strstr(why("", blacklist, "do_int3", 0, 0), "do_int3"));
}

static const struct unit_test tests[] = {
	{ "probe_allowed_names_the_function", test_probe_allowed_names_the_function },
	{ "probe_allowed_knows_modules", test_probe_allowed_knows_modules },
	{ "probe_allowed_knows_addresses", test_probe_allowed_knows_addresses },
	{ "probe_allowed_refuses_nothing_that_it_does_not_know",
	  test_probe_allowed_refuses_nothing_that_it_does_not_know },
};
UNIT_MAIN(tests)
