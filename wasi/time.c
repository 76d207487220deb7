/* SPDX-License-Identifier: GPL-2.0-only */
/* Local time. wasi-libc knows no zones; whoever runs the module does. */
#include <time.h>

/* By how many seconds local clocks are ahead of UTC at a time, in seconds since 1970. */
int lkst_web_zone(double at) __attribute__((import_module("lkst"), import_name("zone")));

struct tm *localtime_r(const time_t *restrict at, struct tm *restrict ret)
{
	time_t there = *at + lkst_web_zone((double)*at);

	return gmtime_r(&there, ret);
}

time_t mktime(struct tm *tm)
{
	time_t there = timegm(tm), at;

	if (there == -1)
		return -1;
	/* Once more, since clocks may have been put forward or back between the guess and the time itself. */
	at = there - lkst_web_zone((double)there);
	return there - lkst_web_zone((double)at);
}
