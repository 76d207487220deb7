/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A backup at idle priority, of CPU and disk.
 *
 * truth: tar and gzip read /usr/include with nice 19 and in the idle class of the disk; nobody waits for them
 * well: sh|dash|bash|tar|gzip|nice|ionice
 */
#include "drill.h"

int main(void)
{
	drill_init();
	drill_begin(4);
	if (!shell("ionice -c 3 nice -n 19 tar -cf - /usr/include 2>/dev/null | nice -n 19 head -c 40000000 | "
		   "nice -n 19 gzip -1 >backup.gz"))
		not_produced("no backup was made");
	return 0;
}
