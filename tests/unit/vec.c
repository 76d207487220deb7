/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Arrays that grow.
 */
#include "base/vec.h"

#include <stdint.h>
#include <sys/resource.h>

#include "lib/unit.h"

struct item {
	uint64_t a;
	char b;
};

TEST(vec_grows_and_keeps_what_it_has)
{
	struct item *list = NULL, *item;
	uint32_t nr = 0, i;

	for (i = 0; i < 1000; i++) {
		item = lkst_vec_add(list, nr);
		CHECK(item == &list[i] && nr == i + 1);
		CHECK(!item->a && !item->b);
		*item = (struct item){ i, 'x' };
	}
	for (i = 0; i < 1000; i++)
		CHECK(list[i].a == i && list[i].b == 'x');
	free(list);
}

TEST(vec_grows_again_after_it_was_cut)
{
	uint32_t *list = NULL, nr = 0, i, round;

	for (round = 0; round < 70; round++) {
		nr = round;
		for (i = round; i < 100; i++)
			*lkst_vec_add(list, nr) = i;
	}
	nr = 0;
	for (i = 0; i < 100; i++)
		*lkst_vec_add(list, nr) = i;
	for (i = 0; i < 100; i++)
		CHECK_EQ(list[i], i);
	free(list);
}

TEST(vec_does_not_count_beyond_its_number)
{
	char *list = NULL;
	uint8_t nr = 0;
	int i;

	for (i = 0; i < 255; i++)
		CHECK(lkst_vec_add(list, nr));
	CHECK(!lkst_vec_add(list, nr));
	CHECK_EQ(nr, 255);
	CHECK(!lkst_vec_reach(list, nr, 255));
	free(list);
}

TEST(vec_reaches_any_number)
{
	struct item *list = NULL, *item;
	uint32_t nr = 0, i;

	item = lkst_vec_reach(list, nr, 37);
	CHECK(item == &list[37] && nr > 37);
	item->a = 5;
	for (i = 0; i < nr; i++)
		CHECK_EQ(list[i].a, i == 37 ? 5 : 0);
	CHECK(lkst_vec_reach(list, nr, 3) == &list[3]);
	CHECK(lkst_vec_reach(list, nr, 5000)->a == 0 && list[37].a == 5);
	for (i = 38; i < nr; i++)
		CHECK_EQ(list[i].a, 0);
	free(list);
}

TEST(vec_does_not_overflow)
{
	struct item *list = NULL;
	size_t nr = 0;

	CHECK(!lkst_vec_reach(list, nr, SIZE_MAX / sizeof(*list)));
	CHECK(!lkst_vec_reach(list, nr, SIZE_MAX));
	nr = (size_t)1 << (sizeof(nr) * 8 - 1);
	CHECK(!lkst_vec_add(list, nr));
	CHECK(!list && nr == (size_t)1 << (sizeof(nr) * 8 - 1));
}

TEST(vec_stays_whole_without_memory)
{
#if IS_SANITIZED
	SKIP("the sanitizer ends a program that gets no memory");
#endif
	struct rlimit limit, none;
	struct item *list = NULL;
	uint32_t nr = 0, i;

	for (i = 0; i < 1 << 20; i++)
		lkst_vec_add(list, nr)->a = i;
	getrlimit(RLIMIT_AS, &limit);
	none = limit;
	none.rlim_cur = 1 << 20;
	if (setrlimit(RLIMIT_AS, &none))
		SKIP("the limit of memory cannot be set");
	CHECK(!lkst_vec_add(list, nr));
	CHECK(!lkst_vec_reach(list, nr, 1 << 26));
	setrlimit(RLIMIT_AS, &limit);
	CHECK_EQ(nr, 1 << 20);
	for (i = 0; i < nr; i++)
		CHECK_EQ(list[i].a, i);
	free(list);
}

static const struct unit_test tests[] = {
	{ "vec_grows_and_keeps_what_it_has", test_vec_grows_and_keeps_what_it_has },
	{ "vec_grows_again_after_it_was_cut", test_vec_grows_again_after_it_was_cut },
	{ "vec_does_not_count_beyond_its_number", test_vec_does_not_count_beyond_its_number },
	{ "vec_reaches_any_number", test_vec_reaches_any_number },
	{ "vec_does_not_overflow", test_vec_does_not_overflow },
	{ "vec_stays_whole_without_memory", test_vec_stays_whole_without_memory },
};

UNIT_MAIN(tests)
