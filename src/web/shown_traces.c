/* SPDX-License-Identifier: GPL-2.0-only */
/* The hosts that the page shows, and whose clocks and numbers are which. */
#include "web/shown_traces.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/readers/traces.h"

static struct lkst_web_shown shown;

const struct lkst_web_shown *lkst_web_shown(void)
{
	return shown.nr ? &shown : NULL;
}

void lkst_web_forget(void)
{
	unsigned int i;

	for (i = 0; i < shown.nr; i++)
		lkst_lanes_free(shown.list[i].lanes);
	free(shown.list);
	lkst_reading_close(&shown.reading);
	shown = (struct lkst_web_shown){};
}

u32 lkst_web_nr_lanes(const struct lkst_web_host *host)
{
	return host->lanes->nr + host->lanes->counts.nr + host->lanes->spans.nr_lanes;
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* Reads the lanes of one host, which come after those of the one before. */
static int read_host(struct lkst_err *e, struct lkst_web_host *host, const struct lkst_web_host *before)
{
	int err = lkst_lanes_new(e, host->trace, &host->lanes);

	if (err || !before)
		return err;
	host->first_lane = before->first_lane + lkst_web_nr_lanes(before);
	host->first_life = before->first_life + before->lanes->nr_threads;
	host->first_name = before->first_name + before->lanes->names.nr;
	host->first_span = before->first_span + before->lanes->spans.nr;
	return 0;
}

static int shown_traces_read_all(struct lkst_err *e, const struct lkst_reading *r)
{
	int err = 0;

	shown.list = calloc(r->nr, sizeof(*shown.list));
	if (!shown.list)
		return lkst_err_sys(e, -ENOMEM, "reading the trace");
	for (; shown.nr < r->nr && !err; shown.nr++) {
		struct lkst_web_host *host = &shown.list[shown.nr];

		host->trace = r->list[shown.nr].trace;
		host->name = r->list[shown.nr].name;
		host->zero_ns = shown.begin_ns - (r->nr > 1 ? r->list[shown.nr].offset_ns : 0);
		err = read_host(e, host, shown.nr ? host - 1 : NULL);
	}
	return err;
}

int lkst_web_shown_read(struct lkst_err *e)
{
	char *name = (char *)"the trace";
	int err;

	lkst_web_forget();
	err = lkst_cmd_open_reading(e, &name, 1, &shown.reading);
	if (!err && lkst_reading_one(&shown.reading))
		lkst_trace_range(lkst_reading_one(&shown.reading), &shown.begin_ns, &shown.end_ns);
	else if (!err)
		lkst_reading_range(&shown.reading, &shown.begin_ns, &shown.end_ns);
	err = err ?: shown_traces_read_all(e, &shown.reading);
	if (err)
		lkst_web_forget();
	return err;
}

/* ---- numbers and times -------------------------------------------------------------------------- */

const struct lkst_web_host *lkst_web_host_of(u32 *lane)
{
	unsigned int i;

	for (i = shown.nr; i && *lane < shown.list[i - 1].first_lane; i--)
		;
	if (!i || *lane - shown.list[i - 1].first_lane >= lkst_web_nr_lanes(&shown.list[i - 1]))
		return NULL;
	*lane -= shown.list[i - 1].first_lane;
	return &shown.list[i - 1];
}

bool lkst_web_are_times(double from_ns, double to_ns)
{
	const double most = 1ULL << 53;

	return shown.nr && from_ns >= 0 && to_ns <= most && (u64)from_ns < (u64)to_ns;
}

s64 lkst_web_own_ns(const struct lkst_web_host *host, double ns)
{
	return (s64)(host->zero_ns + (u64)ns);
}

bool lkst_web_own_times(const struct lkst_web_host *host, double from_ns, double to_ns, u64 *ret_from_ns,
			u64 *ret_to_ns)
{
	s64 from, to;

	if (!lkst_web_are_times(from_ns, to_ns))
		return false;
	from = lkst_web_own_ns(host, from_ns);
	to = lkst_web_own_ns(host, to_ns);
	*ret_from_ns = from > 0 ? (u64)from : 0;
	*ret_to_ns = to > 0 ? (u64)to : 0;
	return to > 0;
}

double lkst_web_page_ns(const struct lkst_web_host *host, u64 ns)
{
	const s64 after = (s64)(ns - host->zero_ns);

	return after > 0 ? (double)after : 0;
}
