// SPDX-License-Identifier: GPL-2.0-only
/* The handler `sample`: records one event in so many. */
#include <lkst/handler.h>

u32 one_in = 100;
u64 seen;

LKST_HANDLER(sample, "records one event in one_in of those that it is for")
{
	u64 before = LKST_COUNT_UP(seen);

	return one_in < 2 || before % one_in == 0;
}
