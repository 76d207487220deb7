/* SPDX-License-Identifier: GPL-2.0-only */
/* A host's clock, by the records that say what moment it was on each of the kernel's clocks. */
#include "hosts/host_clock.h"

#include "trace/format/catalog.h"
#include "trace/read/state_walk.h"

struct host_clock_reading {
	struct lkst_host_clock clock;
	unsigned int nr;
	u64 least_ns, most_ns; /* offsets */
};

/* Field @name of @r, a number; false: it has none. */
static bool host_clock_get(const struct lkst_record *r, const char *name, u64 *ret_value)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, name);

	if (!f || f->type != LKST_CLASS_UINT || f->offset == LKST_OFFSET_VARIES)
		return false;
	*ret_value = lkst_record_int(r, f);
	return true;
}

/*
 * systemd-timesyncd says each time that the clock is off by nothing. What the kernel then has is only what it adds in
 * each second for a clock that may run too fast or too slow: no more is known of the error than that it is larger.
 */
static bool is_said(u64 error_ns, u64 estimated_ns)
{
	enum { ADDED_NS = 500000 }; /* MAXFREQ, include/linux/timex.h */

	return estimated_ns || error_ns % ADDED_NS;
}

static int host_clock_on_state(struct lkst_err *e, void *ctx, const struct lkst_block *block,
			       const struct lkst_record *r)
{
	u64 monotonic_ns, realtime_ns, error_ns = 0, estimated_ns = 0, is_synchronised = 0, offset_ns;
	struct host_clock_reading *reading = ctx;
	struct lkst_host_clock *c = &reading->clock;

	if (r->event->index != LKST_EV_state_clock || !host_clock_get(r, "monotonic_ns", &monotonic_ns) ||
	    !host_clock_get(r, "realtime_ns", &realtime_ns) || realtime_ns < monotonic_ns ||
	    realtime_ns > LKST_TIME_MAX)
		return 0;
	offset_ns = realtime_ns - monotonic_ns;
	if (!host_clock_get(r, "synchronised", &is_synchronised) || !host_clock_get(r, "max_error_ns", &error_ns) ||
	    !host_clock_get(r, "estimated_error_ns", &estimated_ns))
		is_synchronised = 0;
	c->is_synchronised = is_synchronised && (c->is_synchronised || !reading->nr);
	c->has_error = c->is_synchronised && is_said(error_ns, estimated_ns) &&
		       (c->has_error || !reading->nr);
	if (c->has_error && error_ns > c->max_error_ns)
		c->max_error_ns = error_ns;
	c->is_known = true;
	c->offset_ns = offset_ns;
	if (!reading->nr || offset_ns < reading->least_ns)
		reading->least_ns = offset_ns;
	if (!reading->nr || offset_ns > reading->most_ns)
		reading->most_ns = offset_ns;
	reading->nr++;
	return 0;
}

int lkst_host_clock_read(struct lkst_err *e, const struct lkst_trace *t,
			 struct lkst_host_clock *ret_clock)
{
	const u64 offset_ns = lkst_trace_catalog(t)->clock_offset_ns;
	struct host_clock_reading reading = { .clock = { .is_known = offset_ns && offset_ns < LKST_TIME_MAX,
					      .offset_ns = offset_ns } };
	int err = lkst_state_walk(e, t, host_clock_on_state, &reading, NULL);

	if (reading.nr)
		reading.clock.step_ns = reading.most_ns - reading.least_ns;
	*ret_clock = reading.clock;
	return err;
}
