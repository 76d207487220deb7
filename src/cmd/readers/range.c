/* SPDX-License-Identifier: GPL-2.0-only */
/* --from and --to of the commands that read traces. */
#include <errno.h>

#include "base/time.h"
#include "cmd/frame/cmd.h"
#include "cmd/readers/traces.h"
#include "trace/read/reader.h"

int lkst_cmd_parse_range(struct lkst_err *e, const struct lkst_trace *t, const char *from,
			 const char *to, u64 *from_ns, u64 *to_ns)
{
	struct lkst_time_range range = { .clock_offset_ns =
						 lkst_trace_catalog(t)->clock_offset_ns };
	int err = 0;

	lkst_trace_range(t, &range.begin_ns, &range.end_ns);
	if (from)
		err = lkst_time_parse(e, from, &range, from_ns);
	if (!err && to)
		err = lkst_time_parse(e, to, &range, to_ns);
	if (!err && from && to && *from_ns > *to_ns)
		err = lkst_err_set(e, -EINVAL, "--from %s is later than --to %s", from, to);
	return err;
}

/* A time of the one host there is as a common one. UINT64_MAX stays. */
static void make_common(const struct lkst_host *host, u64 *ns)
{
	*ns += *ns == UINT64_MAX ? 0 : host->offset_ns;
}

static int one_range(struct lkst_err *e, const struct lkst_host *host, const char *from, const char *to, u64 *from_ns,
		     u64 *to_ns)
{
	int err = lkst_cmd_parse_range(e, host->trace, from, to, from_ns, to_ns);

	if (!err && from)
		make_common(host, from_ns);
	if (!err && to)
		make_common(host, to_ns);
	return err;
}

int lkst_cmd_reading_range(struct lkst_err *e, const struct lkst_reading *r, const char *from, const char *to,
			   u64 *from_ns, u64 *to_ns)
{
	struct lkst_time_range range = {};
	int err = 0;

	if (r->nr == 1)
		return one_range(e, r->list, from, to, from_ns, to_ns);
	lkst_reading_range(r, &range.begin_ns, &range.end_ns);
	if ((from && from[0] == '@') || (to && to[0] == '@'))
		return lkst_err_set(e, -EINVAL, "each host has a monotonic clock of its own: give the time of day");
	if (from)
		err = lkst_time_parse(e, from, &range, from_ns);
	if (!err && to)
		err = lkst_time_parse(e, to, &range, to_ns);
	if (!err && from && to && *from_ns > *to_ns)
		err = lkst_err_set(e, -EINVAL, "--from %s is later than --to %s", from, to);
	return err;
}

const char *lkst_cmd_own_time(const struct lkst_host *host, u64 ns, char text[LKST_CMD_OWN_TIME])
{
	const u64 own_ns = lkst_host_own_ns(host, ns);

	snprintf(text, LKST_CMD_OWN_TIME, "@%llu.%09llu", (unsigned long long)(own_ns / LKST_NS_PER_S),
		 (unsigned long long)(own_ns % LKST_NS_PER_S));
	return text;
}
