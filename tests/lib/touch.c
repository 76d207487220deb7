/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/touch.h"

void touch_fields(const struct lkst_record *r, struct lkst_threads *threads)
{
	static volatile u64 sum;
	u32 length, k;
	u16 i;

	for (i = 0; i < r->event->nr_fields; i++) {
		const u8 *p = lkst_record_field(r, i, &length);

		sum = sum + lkst_record_int(r, &r->event->fields[i]);
		for (k = 0; p && k < length; k++)
			sum = sum + p[k];
	}
	if (lkst_threads_feed(threads, r))
		abort();
}
