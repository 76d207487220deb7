/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A burst as cron makes it: at the full minute ten small jobs begin at once.
 *
 * truth: ten jobs of the shell run at once for some 100 ms, and end
 * well: sh|dash|bash|grep|sort|wc|cut|find
 */
#include "drill.h"

int main(void)
{
	drill_init();
	drill_begin(4);
	nap(1000);
	if (!shell("for i in 1 2 3 4 5 6 7 8 9 10; do (cut -d: -f1 /etc/passwd | sort | wc -l >job.$i) & done; wait"))
		not_produced("the jobs failed");
	nap(2000);
	return 0;
}
