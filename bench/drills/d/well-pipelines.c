/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pipelines of the shell, each end of which waits for the other by design.
 *
 * truth: seq, sort, and wc work one after the other on 300,000 lines, three times
 * well: sh|dash|bash|seq|sort|wc|awk|mawk|grep
 */
#include "drill.h"

int main(void)
{
	drill_init();
	drill_begin(4);
	if (!shell("for i in 1 2 3; do seq 300000 | grep -v 7 | sort -r | wc -l >lines.$i; sleep 0.2; done"))
		not_produced("a pipeline failed");
	return 0;
}
