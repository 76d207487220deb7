/* SPDX-License-Identifier: GPL-2.0-only */
/* Single events of the trace that the page shows. */
#include "web/events.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "abi/control.h"
#include "base/cleanup.h"
#include "result/json_writer.h"
#include "trace/read/reader.h"
#include "web/shown_traces.h"

/* Adds the records of one host to @nr that are there. */
static u32 web_events_add_events(const struct lkst_web_host *host, double from_ns, double to_ns, u32 nr, u32 max,
				 struct lkst_web_event *ret_events)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	u64 from, to;

	if (!lkst_web_own_times(host, from_ns, to_ns, &from, &to) || lkst_merge_new(NULL, host->trace, from, to, &m))
		return nr;
	while (nr < max && lkst_merge_next(m, &r) > 0)
		if (r.buffer != LKST_BUFFER_STATE && r.ns >= from)
			ret_events[nr++] =
				(struct lkst_web_event){ .ns = lkst_web_page_ns(host, r.ns),
							 .tid = r.tid,
							 .cpu = r.cpu,
							 .event = r.event->id,
							 .host = (u32)(host - lkst_web_shown()->list) };
	return nr;
}

u32 lkst_web_events(double from_ns, double to_ns, u32 max, struct lkst_web_event *ret_events)
{
	const struct lkst_web_shown *shown = lkst_web_shown();
	u32 i, nr = 0;

	for (i = 0; shown && i < shown->nr; i++)
		nr = web_events_add_events(&shown->list[i], from_ns, to_ns, nr, max, ret_events);
	return nr;
}

int lkst_web_event_names(u32 host)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct lkst_web_shown *shown = lkst_web_shown();
	struct lkst_json j;
	u32 id;

	if (!out || !shown || host >= shown->nr)
		return out ? -EINVAL : -ENOMEM;
	lkst_out_init(out, STDOUT_FILENO);
	lkst_json_init(&j, out);
	lkst_json_array(&j, NULL);
	for (id = 0; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *class = lkst_trace_catalog(shown->list[host].trace)->classes[id];

		lkst_json_str(&j, NULL, class ? class->name : "");
	}
	lkst_json_end(&j);
	return lkst_out_flush(out);
}
