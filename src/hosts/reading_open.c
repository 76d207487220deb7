/* SPDX-License-Identifier: GPL-2.0-only */
/* Several hosts' traces on the disk. */
#include "hosts/reading.h"
#include "hosts/recordings.h"

static int reading_open_recording(struct lkst_err *e, const struct lkst_one_recording *r,
				  struct lkst_trace **ret_trace)
{
	return r->nr == 1 ? lkst_trace_open(e, r->paths[0], ret_trace)
			  : lkst_trace_open_parts(e, r->paths, r->nr, ret_trace);
}

int lkst_reading_open(struct lkst_err *e, const struct lkst_recording_list *r,
		      struct lkst_reading *ret_reading)
{
	struct lkst_trace *traces[LKST_HOSTS_MAX];
	unsigned int nr = 0;
	int err = 0;

	while (nr < r->nr && !err) {
		err = reading_open_recording(e, &r->list[nr], &traces[nr]);
		nr += !err;
	}
	if (!err)
		return lkst_reading_take(e, traces, nr, ret_reading);
	while (nr)
		lkst_trace_close(traces[--nr]);
	return err;
}
