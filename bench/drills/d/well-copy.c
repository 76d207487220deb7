/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A copy of a tree, as rsync makes it: one process reads, another writes.
 *
 * truth: tar copies 30 MiB of /usr/include through a pipe into another one
 * well: sh|dash|bash|tar|head
 */
#include "drill.h"

int main(void)
{
	drill_init();
	drill_begin(4);
	if (!shell("mkdir copy && tar -C /usr -cf - include/linux include/c++ 2>/dev/null | tar -C copy -xf -"))
		not_produced("the copy failed");
	shell("rm -rf copy");
	return 0;
}
