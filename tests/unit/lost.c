/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * When the records were made that a ring has overwritten, by the marks of its state page.
 */
#include "trace/read/lost.h"

#include "abi/block.h"
#include "lib/unit.h"

enum { SHIFT = 12, BLOCK = 1 << SHIFT };

static struct lkst_marks marks;

/* Position @bytes after the header of block @number. */
static u64 in_block(u64 number, u64 bytes)
{
	return (number << SHIFT) + LKST_BLOCK_HEADER + bytes;
}

static void mark(u64 ns, u64 at)
{
	marks.mark[marks.nr++ % LKST_MARKS] = (struct lkst_mark){ at, ns };
}

static void clear(u64 since_ns)
{
	marks = (struct lkst_marks){ .since_ns = since_ns };
}

/* "<from>-<to>:<blocks> " for each stretch. */
static const char *find(u32 level, u64 first, u64 oldest, u64 begin_ns)
{
	static char text[2048];
	struct lkst_lost lost[LKST_LOST_MAX];
	const struct lkst_lost_ring ring = { &marks, level, SHIFT, first, oldest, begin_ns };
	unsigned int i, nr = lkst_lost_find(&ring, lost);
	char *p = text;

	*p = 0;
	for (i = 0; i < nr; i++)
		p += sprintf(p, "%llu-%llu:%llu ", (unsigned long long)lost[i].from_ns,
			     (unsigned long long)lost[i].to_ns, (unsigned long long)lost[i].blocks);
	return text;
}

TEST(lost_is_all_up_to_the_oldest_without_marks)
{
	clear(0);
	CHECK_STR(find(0, 0, 0, 500), "");
	CHECK_STR(find(0, 0, 7, 500), "0-500:7 ");
	clear(100);
	CHECK_STR(find(0, 3, 7, 500), "100-500:4 ");
	/* Cleared, and not overwritten since. */
	CHECK_STR(find(0, 7, 7, 500), "");
	CHECK_STR(find(2, 3, 7, 500), "100-500:4 ");
}

TEST(lost_is_only_from_when_the_cpu_was_there)
{
	clear(0);
	/* Written from 100 to 200 and from 300 to 400, both times up to within a block. */
	mark(100, 0);
	mark(200, in_block(4, 100));
	mark(300, in_block(4, 100));
	mark(400, in_block(9, 8));
	CHECK_STR(find(0, 0, 3, 160), "100-160:3 ");
	CHECK_STR(find(0, 0, 5, 310), "100-200:5 300-310:0 ");
	CHECK_STR(find(0, 0, 8, 390), "100-200:5 300-390:3 ");
	/* It was there from the beginning, left, and came back. */
	clear(0);
	mark(200, in_block(4, 100));
	mark(300, in_block(4, 100));
	CHECK_STR(find(0, 0, 8, 390), "0-200:5 300-390:3 ");
	/* The first stay was cleared since. */
	CHECK_STR(find(0, 5, 8, 390), "300-390:3 ");
	/* The interrupting levels have no marks. */
	CHECK_STR(find(1, 0, 8, 390), "0-390:8 ");
}

TEST(lost_is_nothing_of_a_stay_that_began_with_the_oldest_block)
{
	clear(0);
	/* Full, left for another one, and switched to again: that begins block 4. */
	mark(200, in_block(3, 3900));
	mark(300, in_block(3, 3900) | LKST_MARK_OPENS);
	CHECK_STR(find(0, 0, 4, 300), "0-200:4 ");
	CHECK_STR(find(0, 0, 5, 350), "0-200:4 300-350:1 ");
	/* A block without records is begun again. */
	clear(0);
	mark(200, in_block(3, 0));
	mark(300, in_block(3, 0) | LKST_MARK_OPENS);
	CHECK_STR(find(0, 0, 4, 350), "0-200:4 300-350:0 ");
}

TEST(lost_goes_on_where_something_was_written_between_two_stays)
{
	/* The buffer gets events of its own as well. */
	clear(0);
	mark(200, in_block(4, 100));
	mark(300, in_block(5, 100));
	CHECK_STR(find(0, 0, 8, 390), "0-390:8 ");
}

TEST(lost_knows_less_of_what_was_before_the_marks)
{
	u64 i;

	clear(50);
	/* It is there from 1050 to 1100, from 1150 to 1200 and so on. */
	for (i = 0; i < 100; i++) {
		mark(1000 + 100 * i, in_block(i, 8));
		mark(1050 + 100 * i, in_block(i, 8));
	}
	/* The marks from number 169 on are left, which has the time 9450. */
	CHECK_STR(find(0, 0, 87, 9690), "50-9500:86 9550-9600:1 9650-9690:0 ");
	CHECK_STR(find(0, 0, 3, 1320), "50-1320:3 ");
}

TEST(lost_counts_all_blocks_whatever_the_marks_say)
{
	struct lkst_lost lost[LKST_LOST_MAX];
	unsigned int seed = 7, round, i, nr;

	for (round = 0; round < 20000; round++) {
		struct lkst_lost_ring ring = { &marks, 0, SHIFT, (u64)(rand_r(&seed) % 20), 0, 0 };
		u64 blocks = 0, at = 0;

		clear((u64)rand_r(&seed));
		for (i = rand_r(&seed) % 80; i; i--) {
			at += (u64)(rand_r(&seed) % 3) * (u64)(rand_r(&seed) % BLOCK);
			mark((u64)rand_r(&seed), round % 2 ? (u64)rand_r(&seed) * 3 : at);
		}
		ring.oldest = ring.first + (u64)(rand_r(&seed) % 40);
		ring.begin_ns = (u64)rand_r(&seed);
		nr = lkst_lost_find(&ring, lost);
		for (i = 0; i < nr; i++) {
			CHECK(lost[i].from_ns <= lost[i].to_ns);
			blocks += lost[i].blocks;
		}
		/* Marks that fall make no sense. */
		if (round % 2 == 0)
			CHECK_EQ(blocks, ring.oldest - ring.first);
	}
}

static const struct unit_test tests[] = {
	{ "lost_is_all_up_to_the_oldest_without_marks",
	  test_lost_is_all_up_to_the_oldest_without_marks },
	{ "lost_is_only_from_when_the_cpu_was_there",
	  test_lost_is_only_from_when_the_cpu_was_there },
	{ "lost_is_nothing_of_a_stay_that_began_with_the_oldest_block",
	  test_lost_is_nothing_of_a_stay_that_began_with_the_oldest_block },
	{ "lost_goes_on_where_something_was_written_between_two_stays",
	  test_lost_goes_on_where_something_was_written_between_two_stays },
	{ "lost_knows_less_of_what_was_before_the_marks",
	  test_lost_knows_less_of_what_was_before_the_marks },
	{ "lost_counts_all_blocks_whatever_the_marks_say",
	  test_lost_counts_all_blocks_whatever_the_marks_say },
};
UNIT_MAIN(tests)
