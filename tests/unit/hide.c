/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * trace/format/hide.h: nothing in blocks shows where the kernel is, equal values stay equal, and all else
 * stays as it is.
 */
#include "trace/format/hide.h"

#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/format/metadata.h"

#define CODE_A "0xffffffff81000010"
#define CODE_B "0xffffffff81000020"
#define HEAP_A "0xffff888012345678"
#define HEAP_B "0xffff88801234567c"
#define LA57 "0xff11000012345678"

enum { BLOCK = 4096 };

static const char text[] =
	"hrtimer_start tid=5 ns=1000 hrtimer=" HEAP_A " function=" CODE_A " expires=-5000 softexpires=-1 mode=1\n"
	"kmalloc tid=5 ns=1001 call_site=" CODE_B " ptr=" HEAP_B " bytes_req=100 bytes_alloc=128\n"
	"kmalloc tid=5 ns=1002 call_site=" CODE_B " ptr=0xfffffffffffffff4\n"
	"kmalloc tid=5 ns=1003 call_site=" CODE_A " ptr=" HEAP_A "\n"
	"mm_page_alloc tid=5 ns=1004 pfn=0x12345 order=2\n"
	"mm_page_free tid=5 ns=1005 pfn=0x12345 order=2\n"
	"mm_page_alloc tid=5 ns=1006 pfn=0xffffffffffffffff\n"
	"signal_deliver tid=5 ns=1007 signal=11 handler=0x7fff12345678\n"
	"syscall_entry_unknown tid=5 ns=1008 nr=999 arg0=" HEAP_A "\n"
	"test_integers tid=5 ns=1009 ud=" LA57 " sd=-5000 xd=" HEAP_B " uc=4294967295\n"
	"test.stack tid=5 ns=1010 by=7 took=12 frames=" CODE_A "," CODE_B "," CODE_A "\n"
	"task_rename tid=5 ns=1011 target_tid=7 newcomm=\"one\" oldcomm=\"two\"\n";

static struct make_trace *t;
static u8 before[BLOCK], after[BLOCK];
static struct lkst_hider hider;

static u32 content;

static void begin(void)
{
	struct lkst_block block;
	struct lkst_err e;
	u32 i;

	t = make_begin(NULL, NULL, BLOCK);
	if (make_text(t, text))
		abort();
	make_close(&t->streams[0]);
	if (t->streams[0].used != BLOCK)
		abort();
	memcpy(before, t->streams[0].bytes, BLOCK);
	if (lkst_block_parse(&e, before, BLOCK, NULL, &block))
		abort();
	content = block.content;
	/* What an earlier lap of the ring has left after the records. */
	for (i = content + 3; i + 8 <= BLOCK; i += 8)
		memcpy(before + i, &(u64){ 0xffff888000001000 + i }, 8);
	memcpy(after, before, BLOCK);
	hider.catalog = t->catalog;
	for (i = 0; i < sizeof(hider.key); i++)
		hider.key[i] = (u8)(i * 11 + 3);
}

static void end(void)
{
	make_end(t);
}

/* The value of field @name of the @nth record of the block at @bytes. */
static u64 value(const u8 *bytes, unsigned int nth, const char *name)
{
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	struct lkst_block block;
	struct lkst_err e;

	if (lkst_block_parse(&e, bytes, BLOCK, NULL, &block))
		abort();
	lkst_block_cursor_init(&cursor, &block);
	do
		if (lkst_block_next(&e, &cursor, t->catalog, &r) <= 0)
			abort();
	while (nth--);
	return lkst_record_int(&r, lkst_class_field(r.event, name));
}

static bool has_bytes(const u8 *bytes, u64 what)
{
	return memmem(bytes, BLOCK, &what, sizeof(what)) != NULL;
}

TEST(hide_hash_is_siphash)
{
	u8 key[16], bytes[15];
	u8 i;

	/* The example of the paper, appendix A. */
	for (i = 0; i < 16; i++)
		key[i] = i;
	for (i = 0; i < 15; i++)
		bytes[i] = i;
	CHECK(lkst_siphash(key, bytes, 15) == 0xa129ca6149be45e5);
	CHECK(lkst_siphash(key, bytes, 0) == 0x726fdb47dd0e0e31);
}

TEST(hide_address_depends_on_the_key)
{
	struct lkst_hider a = { .key = { 1 } }, b = { .key = { 2 } };
	const u64 address = 0xffffffff81000010;

	CHECK(lkst_hide_address(&a, address) == lkst_hide_address(&a, address));
	CHECK(lkst_hide_address(&a, address) != lkst_hide_address(&b, address));
	CHECK(lkst_hide_address(&a, address) != lkst_hide_address(&a, address + 1));
	CHECK_EQ(lkst_hide_address(&a, address) >> 62, 2);
	CHECK_EQ(lkst_hide_address(&a, 0), 0);
	CHECK_EQ(lkst_hide_address(&a, 0x7fffffffffff), 0x7fffffffffff);
	CHECK_EQ((s64)lkst_hide_address(&a, UINT64_MAX), -1);
	CHECK_EQ((s64)lkst_hide_address(&a, (u64)-4095), -4095);
	CHECK(lkst_hide_address(&a, (u64)-4096) != (u64)-4096);
}

TEST(hide_leaves_no_address)
{
	static const u64 raw[] = { 0xffffffff81000010, 0xffffffff81000020, 0xffff88801234567c, 0xff11000012345678 };
	unsigned int i, nr = 0;

	begin();
	lkst_hide(&hider, after, BLOCK);
	for (i = 0; i < 4; i++)
		CHECK(has_bytes(before, raw[i]) && !has_bytes(after, raw[i]));
	CHECK(!has_bytes(after, 0x12345));
	/*
	 * An argument that a program passes to a system call is not an address of the kernel, even
	 * if it looks like one.
	 */
	CHECK(has_bytes(after, 0xffff888012345678));
	CHECK(value(after, 8, "arg0") == 0xffff888012345678);
	for (i = 0; i + 8 <= BLOCK; i++)
		nr += !memcmp(after + i + 4, "\x80\x88\xff\xff", 4);
	CHECK_EQ(nr, 1);
	end();
}

TEST(hide_keeps_equal_what_is_equal)
{
	u64 code_a, code_b, heap_a, heap_b, frame;

	begin();
	lkst_hide(&hider, after, BLOCK);
	code_a = value(after, 0, "function");
	heap_a = value(after, 0, "hrtimer");
	code_b = value(after, 1, "call_site");
	heap_b = value(after, 1, "ptr");
	frame = value(after, 4, "pfn");
	CHECK(code_a != code_b && heap_a != heap_b && code_a != heap_a);
	CHECK(value(after, 2, "call_site") == code_b);
	CHECK(value(after, 3, "call_site") == code_a && value(after, 3, "ptr") == heap_a);
	CHECK(value(after, 5, "pfn") == frame && frame != 0x12345);
	CHECK(value(after, 9, "xd") == heap_b);
	CHECK(has_bytes(after, code_a));
	CHECK(code_a == lkst_hide_address(&hider, 0xffffffff81000010));
	end();
}

TEST(hide_leaves_all_else)
{
	struct lkst_block block;
	struct lkst_err e;

	begin();
	lkst_hide(&hider, after, BLOCK);
	CHECK_EQ(lkst_block_parse(&e, after, BLOCK, t->catalog->uuid, &block), 0);
	CHECK_EQ(memcmp(before, after, LKST_BLOCK_HEADER), 0);
	CHECK_EQ((s64)value(after, 0, "expires"), -5000);
	CHECK_EQ((s64)value(after, 0, "softexpires"), -1);
	CHECK_EQ(value(after, 0, "mode"), 1);
	CHECK_EQ(value(after, 1, "bytes_alloc"), 128);
	CHECK_EQ((s64)value(after, 2, "ptr"), -12);
	CHECK_EQ((s64)value(after, 6, "pfn"), -1);
	CHECK_EQ(value(after, 7, "handler"), 0x7fff12345678);
	CHECK_EQ((s64)value(after, 9, "sd"), -5000);
	CHECK_EQ(value(after, 9, "uc"), 4294967295);
	CHECK_EQ(value(after, 10, "took"), 12);
	CHECK_EQ(value(after, 11, "target_tid"), 7);
	end();
}

TEST(hide_clears_what_makes_no_sense)
{
	struct lkst_block_cursor cursor;
	struct lkst_record r;
	struct lkst_block block;
	struct lkst_err e;
	unsigned int i, nr = 0;
	u8 *third;

	begin();
	/* The third record, whose number no event has. */
	CHECK_EQ(lkst_block_parse(&e, before, BLOCK, NULL, &block), 0);
	lkst_block_cursor_init(&cursor, &block);
	for (i = 0; i < 3; i++)
		CHECK_EQ(lkst_block_next(&e, &cursor, t->catalog, &r), 1);
	third = after + (r.bytes - before);
	third[0] = third[1] = 0xff;
	lkst_hide(&hider, after, BLOCK);
	CHECK_EQ(lkst_block_parse(&e, after, BLOCK, NULL, &block), 0);
	lkst_block_cursor_init(&cursor, &block);
	while (lkst_block_next(&e, &cursor, t->catalog, &r) > 0)
		nr++;
	CHECK_EQ(nr, 2);
	for (i = (u32)(third - after); i < BLOCK; i++)
		CHECK_EQ(after[i], 0);
	/* And a block without a header. */
	memcpy(after, before, BLOCK);
	after[0] = 0;
	lkst_hide(&hider, after, BLOCK);
	for (i = 0; i < BLOCK; i++)
		CHECK_EQ(after[i], 0);
	end();
}

TEST(hide_clears_what_is_between)
{
	begin();
	/* After the name in a field of 16 characters. */
	CHECK(!memcmp(after + content - 16, "two", 4));
	memcpy(after + content - 8, "\x78\x56\x34\x12\x80\x88\xff\xff", 8);
	lkst_hide(&hider, after, BLOCK);
	CHECK(!memcmp(after + content - 16, "two\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
	end();
}

TEST(hide_is_said_in_the_metadata)
{
	struct lkst_catalog *c = make_catalog(), *read = NULL;
	struct lkst_err e = {};
	char *plain = NULL, *hashed = NULL;

	CHECK_EQ(lkst_metadata_format(&e, c, &plain), 0);
	CHECK(!strstr(plain, "kernel_addresses"));
	c->has_hashed_addresses = true;
	CHECK_EQ(lkst_metadata_format(&e, c, &hashed), 0);
	CHECK(strstr(hashed, "kernel_addresses = \"hashed\";"));
	CHECK_EQ(lkst_metadata_parse(&e, hashed, strlen(hashed), &read), 0);
	CHECK(read->has_hashed_addresses);
	lkst_catalog_free(read);
	CHECK_EQ(lkst_metadata_parse(&e, plain, strlen(plain), &read), 0);
	CHECK(!read->has_hashed_addresses);
	lkst_catalog_free(read);
	lkst_catalog_free(c);
	free(plain);
	free(hashed);
}

static const struct unit_test tests[] = {
	{ "hide_hash_is_siphash", test_hide_hash_is_siphash },
	{ "hide_address_depends_on_the_key", test_hide_address_depends_on_the_key },
	{ "hide_leaves_no_address", test_hide_leaves_no_address },
	{ "hide_keeps_equal_what_is_equal", test_hide_keeps_equal_what_is_equal },
	{ "hide_leaves_all_else", test_hide_leaves_all_else },
	{ "hide_clears_what_makes_no_sense", test_hide_clears_what_makes_no_sense },
	{ "hide_clears_what_is_between", test_hide_clears_what_is_between },
	{ "hide_is_said_in_the_metadata", test_hide_is_said_in_the_metadata },
};
UNIT_MAIN(tests)
