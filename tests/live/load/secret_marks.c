// SPDX-License-Identifier: GPL-2.0-only
/* secret_marks: marks in all ways that there are, and each name and each text of them holds "zqSecret". */
#include <unistd.h>

#include "liblkst/mark.h"

static struct lkst_mark_event order =
	LKST_MARK_EVENT("zqSecretOrder: u64 zqSecretNumber, x32 zqSecretHex, string zqSecretText, "
			"string comm, string pad");

int main(void)
{
	int i;

	for (i = 1; i <= 20; i++) {
		lkst_span_begin("zqSecretSpan", (unsigned long)i);
		lkst_mark("zqSecretPlace", (unsigned long)i);
		lkst_value("zqSecretLength", i);
		LKST_MARK(&order, i, i, "zqSecretOne", "zqSecretTwo", "zqSecretThree");
		lkst_span_end("zqSecretSpan", (unsigned long)i);
		usleep(1000);
	}
	return 0;
}
