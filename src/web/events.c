/* SPDX-License-Identifier: GPL-2.0-only */
/* Single events of the trace that the page shows. */
#include "web/events.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "abi/control.h"
#include "base/cleanup.h"
#include "base/json_writer.h"
#include "trace/reader.h"
#include "web/draw.h"

u32 lkst_web_events(double from_ns, double to_ns, u32 max, struct lkst_web_event *ret_events)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_trace *t = lkst_web_trace();
	u64 from, to, begin_ns, end_ns;
	struct lkst_record r;
	u32 nr = 0;

	if (!t || !lkst_web_times(from_ns, to_ns, &from, &to) ||
	    lkst_merge_new(NULL, t, from, to, &m))
		return 0;
	lkst_trace_range(t, &begin_ns, &end_ns);
	while (nr < max && lkst_merge_next(m, &r) > 0)
		if (r.buffer != LKST_BUFFER_STATE && r.ns >= from)
			ret_events[nr++] = (struct lkst_web_event){ .ns = (double)(r.ns - begin_ns),
								    .tid = r.tid,
								    .cpu = r.cpu,
								    .event = r.event->id };
	return nr;
}

int lkst_web_event_names(void)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct lkst_trace *t = lkst_web_trace();
	struct lkst_json j;
	u32 id;

	if (!out || !t)
		return out ? -EINVAL : -ENOMEM;
	lkst_out_init(out, STDOUT_FILENO);
	lkst_json_init(&j, out);
	lkst_json_array(&j, NULL);
	for (id = 0; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *class = lkst_trace_catalog(t)->classes[id];

		lkst_json_str(&j, NULL, class ? class->name : "");
	}
	lkst_json_end(&j);
	return lkst_out_flush(out);
}
