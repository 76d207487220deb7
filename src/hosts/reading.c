/* SPDX-License-Identifier: GPL-2.0-only */
/* The traces of one or more hosts: opening them, and bringing their clocks together. */
#include "hosts/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/vec.h"
#include "hosts/messages.h"
#include "trace/format/catalog.h"
#include "trace/read/state_walk.h"

enum { STEP_MIN_NS = 1000000 }; /* a clock that was set by less is not worth a sentence */

/* ---- names ----------------------------------------------------------------------------------- */

static bool reading_is_taken(const struct lkst_reading *r, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr && strcmp(r->list[i].name, name); i++)
		;
	return i < nr;
}

static void name_host(struct lkst_reading *r, unsigned int i)
{
	const char *name = lkst_trace_catalog(r->list[i].trace)->hostname;
	unsigned int n;

	if (!name[0])
		name = "host";
	snprintf(r->list[i].name, sizeof(r->list[i].name), "%s", name);
	for (n = 2; reading_is_taken(r, i, r->list[i].name); n++)
		snprintf(r->list[i].name, sizeof(r->list[i].name), "%s:%u", name, n);
}

int lkst_reading_find_host(struct lkst_err *e, const struct lkst_reading *r, const char *name)
{
	char names[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		if (!strcmp(r->list[i].name, name))
			return (int)i;
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 i ? ", " : "", r->list[i].name);
	}
	return lkst_err_set(e, -ENOENT, "no trace is of a host \"%s\": there are %s", name, names);
}

/* ---- what a trace says of its machine's time of day ------------------------------------------ */

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

/* Reads the state_clock records of @t; traces of older programs have less of it. */
static int host_clock_read(struct lkst_err *e, const struct lkst_trace *t, struct lkst_host_clock *ret_clock)
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

/* ---- clocks ---------------------------------------------------------------------------------- */

/* The host before number @i that the same kernel recorded, or @i. */
static unsigned int same_boot(const struct lkst_reading *r, unsigned int i)
{
	static const u8 unknown[16];
	const u8 *boot_id = lkst_trace_catalog(r->list[i].trace)->boot_id;
	unsigned int k;

	if (!memcmp(boot_id, unknown, sizeof(unknown)))
		return i;
	for (k = 0; k < i; k++)
		if (!memcmp(lkst_trace_catalog(r->list[k].trace)->boot_id, boot_id,
			    sizeof(unknown)))
			return k;
	return i;
}

/* What each trace says itself. */
static int read_clocks(struct lkst_err *e, struct lkst_reading *r, struct lkst_clock_bounds *b)
{
	unsigned int i, same;
	char step[LKST_DURATION_TEXT];

	for (i = 0; i < r->nr; i++) {
		struct lkst_host *host = &r->list[i];
		int err = host_clock_read(e, host->trace, &host->clock);

		if (err)
			return err;
		same = same_boot(r, i);
		host->same_as = same;
		host->is_same_boot = same != i;
		host->offset_ns = r->list[same].clock.offset_ns;
		if (host->is_same_boot)
			lkst_clock_bounds_same(b, i, same);
		if (host->clock.is_known && host->clock.has_error)
			lkst_clock_bounds_clock(b, i, host->clock.max_error_ns);
		lkst_duration_format(host->clock.step_ns, step);
		if (host->clock.step_ns >= STEP_MIN_NS)
			lkst_notes_add(
				&r->notes,
				"the time of day of %s was set by %s while it recorded: its last is used",
				host->name, step);
	}
	return 0;
}

static void reading_take_message(void *ctx, unsigned int from, unsigned int to, u64 sent_ns,
				 u64 received_ns)
{
	lkst_clock_bounds_message(ctx, from, to, sent_ns, received_ns);
}

static void count_message(void *ctx, unsigned int from, unsigned int to, u64 sent_ns,
			  u64 received_ns)
{
	struct lkst_reading *r = ctx;
	const u64 sent = sent_ns + (u64)r->list[from].bound.shift_ns;
	const u64 received = received_ns + (u64)r->list[to].bound.shift_ns;

	r->nr_messages++;
	r->list[from].nr_messages++;
	r->list[to].nr_messages++;
	r->nr_backwards += received_ns < sent_ns;
	r->nr_still += received < sent;
}

static void note_fit(struct lkst_reading *r, const struct lkst_clock_bounds_fit *fit)
{
	char conflict[LKST_DURATION_TEXT];

	lkst_duration_format(fit->conflict_ns, conflict);
	if (fit->clocks_are_wrong)
		lkst_notes_add(
			&r->notes,
			"a clock is off by more than its host takes for possible: packets alone say how far");
	if (fit->conflict_ns)
		lkst_notes_add(
			&r->notes,
			"packets contradict each other by %s: the clocks ran at different speeds, or were set; "
			"ask for a shorter time",
			conflict);
	if (r->nr_still)
		lkst_notes_add(&r->notes,
			       "%llu of %llu packets are still received before they were sent",
			       (unsigned long long)r->nr_still, (unsigned long long)r->nr_messages);
}

static void correct(struct lkst_reading *r, const struct lkst_clock_bounds *b,
		    const struct lkst_messages *m)
{
	struct lkst_clock_bound bounds[LKST_HOSTS_MAX];
	struct lkst_clock_bounds_fit fit;
	unsigned int i;

	lkst_clock_bounds_solve(b, bounds, &fit);
	for (i = 0; i < r->nr; i++)
		r->list[i].bound = bounds[i];
	lkst_messages_walk(m, r->nr, count_message, r);
	note_fit(r, &fit);
	for (i = 0; i < r->nr; i++) {
		r->list[i].offset_ns += (u64)r->list[i].bound.shift_ns;
		lkst_trace_set_clock_offset(r->list[i].trace, r->list[i].offset_ns);
	}
}

/* A trace without a time of day needs messages. Times before 1970 make no sense. */
static int reading_check(struct lkst_err *e, const struct lkst_reading *r)
{
	unsigned int i, k;

	for (i = 0; i < r->nr; i++) {
		if ((s64)r->list[i].offset_ns < 0)
			return lkst_err_set(e, -EINVAL,
					    "the traces cannot be brought to one time line: the clock of %s makes "
					    "no sense",
					    r->list[i].name);
		k = r->list[i].clock.is_known ? 0 : i;
		if (r->list[k].clock.is_known || r->list[i].bound.is_bounded)
			continue;
		return lkst_err_set(
			e, -EINVAL,
			"the traces cannot be brought to one time line: that of %s does not say what time of "
			"day it was, and has no packets both to and from the others",
			r->list[i].name);
	}
	return 0;
}

static int bring_together(struct lkst_err *e, struct lkst_reading *r)
{
	_cleanup_(lkst_clock_bounds_freep) struct lkst_clock_bounds *b =
		lkst_clock_bounds_new(r->nr);
	_cleanup_(lkst_messages_freep) struct lkst_messages *m = lkst_messages_new(0);
	unsigned int i;
	int err = b && m ? read_clocks(e, r, b)
			 : lkst_err_sys(e, -ENOMEM, "bringing clocks together");

	for (i = 0; i < r->nr && !err; i++)
		err = lkst_messages_read(e, m, r->list[i].trace, i, r->list[i].offset_ns);
	if (err)
		return err;
	lkst_messages_walk(m, r->nr, reading_take_message, b);
	correct(r, b, m);
	return reading_check(e, r);
}

/* ---- opening --------------------------------------------------------------------------------- */

int lkst_reading_take(struct lkst_err *e, struct lkst_trace **traces, unsigned int nr,
		      struct lkst_reading *ret_reading)
{
	struct lkst_reading r = { .list = calloc(nr, sizeof(*r.list)) };
	unsigned int i;
	int err = r.list ? 0 : lkst_err_sys(e, -ENOMEM, "opening the traces");

	for (i = 0; i < nr; i++) {
		if (err) {
			lkst_trace_close(traces[i]);
			continue;
		}
		r.list[i].trace = traces[i];
		r.nr++;
		name_host(&r, i);
		r.list[i].offset_ns = lkst_trace_catalog(traces[i])->clock_offset_ns;
	}
	if (!err && nr > LKST_HOSTS_MAX)
		err = lkst_err_set(e, -E2BIG, "these are of more than %d recordings",
				   LKST_HOSTS_MAX);
	if (!err && nr > 1)
		err = bring_together(e, &r);
	if (err)
		lkst_reading_close(&r);
	else
		*ret_reading = r;
	return err;
}

int lkst_reading_hold(struct lkst_err *e, const struct lkst_reading *r, struct lkst_reading *ret_reading)
{
	struct lkst_host *list = calloc(r->nr, sizeof(*list));
	unsigned int i;

	if (!list)
		return lkst_err_sys(e, -ENOMEM, "opening the traces");
	*ret_reading = *r;
	ret_reading->list = list;
	ret_reading->notes = (struct lkst_notes){};
	for (i = 0; i < r->nr; i++) {
		list[i] = r->list[i];
		lkst_trace_hold(list[i].trace);
	}
	for (i = 0; i < r->notes.nr; i++)
		lkst_notes_add(&ret_reading->notes, "%s", r->notes.text[i]);
	return 0;
}

void lkst_reading_close(struct lkst_reading *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		lkst_trace_close(r->list[i].trace);
	free(r->list);
	lkst_notes_fini(&r->notes);
	*r = (struct lkst_reading){};
}

/* ---- asking ---------------------------------------------------------------------------------- */

void lkst_reading_range(const struct lkst_reading *r, u64 *ret_begin_ns, u64 *ret_end_ns)
{
	u64 begin_ns, end_ns;
	bool any = false;
	unsigned int i;

	*ret_begin_ns = *ret_end_ns = 0;
	for (i = 0; i < r->nr; i++) {
		lkst_trace_range(r->list[i].trace, &begin_ns, &end_ns);
		if (!begin_ns && !end_ns)
			continue;
		begin_ns += r->list[i].offset_ns;
		end_ns += r->list[i].offset_ns;
		if (!any || begin_ns < *ret_begin_ns)
			*ret_begin_ns = begin_ns;
		if (!any || end_ns > *ret_end_ns)
			*ret_end_ns = end_ns;
		any = true;
	}
}

u64 lkst_host_own_ns(const struct lkst_host *host, u64 ns)
{
	if (!ns || ns == UINT64_MAX)
		return ns;
	/* An offset may stand for less than 0. */
	return (s64)(ns - host->offset_ns) < 0 ? 0 : ns - host->offset_ns;
}

/* ---- in words -------------------------------------------------------------------------------- */

/* Why nothing bounds the clock of @host. */
static const char *why_unbounded(const struct lkst_host *host)
{
	if (host->nr_messages)
		return "packets went one way only, so how far it is off is not known";
	if (host->clock.has_error)
		return "the first host's clock is not known to be right, and no packets show how far it is off";
	return host->clock.is_synchronised
		       ? "what keeps it right does not say how far it may be off, nor do packets show it"
		       : "it was not synchronised, and no packets show how far it is off";
}

void lkst_reading_clock_text(const struct lkst_reading *r, unsigned int i,
			     char text[LKST_HOST_CLOCK_TEXT])
{
	const struct lkst_host *host = &r->list[i];
	const s64 ns = host->bound.shift_ns;
	char shift[LKST_DURATION_TEXT], error[LKST_DURATION_TEXT];

	lkst_duration_format(ns < 0 ? 0 - (u64)ns : (u64)ns, shift);
	lkst_duration_format(host->bound.error_ns, error);
	if (!i)
		snprintf(text, LKST_HOST_CLOCK_TEXT, "the time of day that all are shown by");
	else if (host->is_same_boot)
		snprintf(text, LKST_HOST_CLOCK_TEXT,
			 "the clock of a machine that is there already");
	else if (host->bound.is_bounded)
		snprintf(text, LKST_HOST_CLOCK_TEXT, "%s %s, right to %s", shift,
			 ns < 0 ? "taken off" : "added", error);
	else
		snprintf(text, LKST_HOST_CLOCK_TEXT, "%s %s; %s", shift,
			 ns < 0 ? "taken off" : "added", why_unbounded(host));
}
