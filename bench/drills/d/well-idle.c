/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that has nothing to do.
 *
 * truth: nothing happens
 * well: wl-idle
 */
#include "drill.h"

int main(void)
{
	drill_init();
	drill_begin(4);
	name("wl-idle");
	while (goes_on())
		nap(500);
	return 0;
}
