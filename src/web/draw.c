/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page draws from: the lanes of its trace, or of several hosts' traces. */
#include "web/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/lanes/sum.h"
#include "web/describe.h"
#include "web/shown_traces.h"

enum { CPUS_MAX = 64 }; /* of a stretch of a thread */

/* ---- reading ------------------------------------------------------------------------------------ */

static int read_and_describe(struct lkst_err *e, struct lkst_out *out)
{
	int err = lkst_web_shown_read(e);

	if (err)
		return err;
	lkst_web_describe(out, lkst_web_shown());
	return lkst_out_flush(out);
}

int lkst_web_read(void)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_err e = {};
	int err = -ENOMEM;

	if (out) {
		lkst_out_init(out, STDOUT_FILENO);
		err = read_and_describe(&e, out);
	}
	if (err)
		lkst_print_message(stderr, "%s", e.text[0] ? e.text : "there is not enough memory");
	fflush(stderr);
	return err;
}

/* ---- pictures ----------------------------------------------------------------------------------- */

/* The lane of a CPU or a thread that the page asks about, and of which host it is; NULL: there is none such. */
static const struct lkst_lane *draw_find(u32 lane, const struct lkst_web_host **ret_host)
{
	const struct lkst_web_host *host = lkst_web_host_of(&lane);

	if (!host || lane >= host->lanes->nr)
		return NULL;
	*ret_host = host;
	return &host->lanes->list[lane];
}

/*
 * The slices of a part of a lane, enum lkst_web_part, and of which host they are; lanes of spans follow those of
 * counts. NULL: there are none.
 */
static const struct lkst_slices *slices_of(u32 lane, u32 part, const struct lkst_web_host **ret_host)
{
	const struct lkst_web_host *host = lkst_web_host_of(&lane);
	const struct lkst_lanes *lanes = host ? host->lanes : NULL;
	const struct lkst_lane *found;

	if (!host)
		return NULL;
	*ret_host = host;
	if (lane >= lanes->nr)
		return lane >= lanes->nr + lanes->counts.nr && part == LKST_WEB_STATES
			       ? &lanes->spans.lanes[lane - lanes->nr - lanes->counts.nr].slices
			       : NULL;
	found = &lanes->list[lane];
	switch (part) {
	case LKST_WEB_STATES:
		return &found->slices;
	case LKST_WEB_IRQS:
		return &found->irqs;
	case LKST_WEB_CALLS:
		return &found->calls;
	case LKST_WEB_FAULTS:
		return &found->faults;
	default:
		return NULL;
	}
}

int lkst_web_shares(u32 lane, double from_ns, double to_ns, u32 nr, struct lkst_shares *ret_shares)
{
	const struct lkst_web_host *host;
	const struct lkst_slices *s = slices_of(lane, LKST_WEB_STATES, &host);
	const struct lkst_lane *found = draw_find(lane, &host);
	s64 from, to;

	if (!s || !lkst_web_are_times(from_ns, to_ns) || !nr)
		return -EINVAL;
	from = lkst_web_own_ns(host, from_ns);
	to = lkst_web_own_ns(host, to_ns);
	if (found)
		return lkst_lane_shares(found, from, to, nr, ret_shares);
	lkst_slices_shares(s, from, to, nr, ret_shares);
	return 0;
}

int lkst_web_sum(const u32 *places, u32 nr_places, double from_ns, double to_ns, u32 nr,
		 struct lkst_shares *ret_shares)
{
	_cleanup_free_ struct lkst_lane_at *lanes = calloc(nr_places ?: 1, sizeof(*lanes));
	const struct lkst_web_host *host;
	u32 i, nr_lanes = 0;

	if (!lkst_web_are_times(from_ns, to_ns) || !nr)
		return -EINVAL;
	if (!lanes)
		return -ENOMEM;
	for (i = 0; i < nr_places; i++) {
		const struct lkst_lane *found = draw_find(places[i], &host);

		if (found)
			lanes[nr_lanes++] = (struct lkst_lane_at){ found, lkst_web_own_ns(host, from_ns) };
	}
	return lkst_lanes_sum(lanes, nr_lanes, (u64)to_ns - (u64)from_ns, nr, ret_shares);
}

/* The page's number of one of a host's own numbers, where @none stands for none. */
static u32 number_for_page(u32 number, u32 first, u32 none)
{
	return number == none ? UINT32_MAX : first + number;
}

/* What `life` of its slices is depends on the list that they are of: the first one of its kind has number @first. */
static struct lkst_web_slice slice_for_page(const struct lkst_web_host *host, const struct lkst_slice *slice, u32 first)
{
	return (struct lkst_web_slice){
		.from_ns = lkst_web_page_ns(host, slice->from_ns),
		.to_ns = lkst_web_page_ns(host, slice->to_ns),
		.life = number_for_page(slice->life, first, LKST_LIFE_NONE),
		.state = slice->state,
		.detail = slice->detail,
		.cpu = slice->cpu,
	};
}

/* What `life` counts in slices of part @part of a lane. */
static u32 draw_first_of(const struct lkst_web_host *host, u32 lane, u32 part)
{
	if (part != LKST_WEB_STATES)
		return host->first_name;
	return lane - host->first_lane < host->lanes->nr ? host->first_life : host->first_span;
}

u32 lkst_web_part_slices(u32 lane, u32 part, double from_ns, double to_ns, u32 max,
			 struct lkst_web_slice *ret_slices)
{
	const struct lkst_web_host *host;
	const struct lkst_slices *s = slices_of(lane, part, &host);
	u32 first, nr = 0;
	u64 from, to;

	if (!s || !lkst_web_own_times(host, from_ns, to_ns, &from, &to))
		return 0;
	first = lkst_slices_at(s, from);
	for (; nr < max && first + nr < s->nr && s->list[first + nr].from_ns < to; nr++)
		ret_slices[nr] = slice_for_page(host, &s->list[first + nr], draw_first_of(host, lane, part));
	return nr;
}

u32 lkst_web_slices(u32 lane, double from_ns, double to_ns, u32 max,
		    struct lkst_web_slice *ret_slices)
{
	return lkst_web_part_slices(lane, LKST_WEB_STATES, from_ns, to_ns, max, ret_slices);
}

u32 lkst_web_wakings(u32 lane, double from_ns, double to_ns, u32 max,
		     struct lkst_web_waking *ret_wakings)
{
	const struct lkst_web_host *host;
	const struct lkst_lane *found = draw_find(lane, &host);
	u32 i, nr = 0;
	u64 from, to;

	if (!found || !lkst_web_own_times(host, from_ns, to_ns, &from, &to))
		return 0;
	for (i = lkst_lane_waking_at(found, from); nr < max && i < found->nr_wakings; i++) {
		const struct lkst_waking *waking = &found->wakings[i];

		if (waking->ns >= to)
			break;
		ret_wakings[nr++] = (struct lkst_web_waking){
			.ns = lkst_web_page_ns(host, waking->ns),
			.life = number_for_page(waking->life, host->first_life, LKST_LIFE_NONE),
			.name = number_for_page(waking->name, host->first_name, UINT32_MAX),
			.cpu = waking->cpu,
		};
	}
	return nr;
}

u32 lkst_web_slice_before(u32 lane, double at_ns, struct lkst_web_slice *ret_slice)
{
	const struct lkst_web_host *host;
	const struct lkst_slices *s = slices_of(lane, LKST_WEB_STATES, &host);
	u64 from, at;
	u32 next;

	if (!s || !lkst_web_own_times(host, 0, at_ns, &from, &at))
		return 0;
	next = lkst_slices_at(s, at);
	/* One that holds the time begins before it, or at it. */
	if (next < s->nr && s->list[next].from_ns < at)
		next++;
	if (!next)
		return 0;
	*ret_slice = slice_for_page(host, &s->list[next - 1], draw_first_of(host, lane, LKST_WEB_STATES));
	return 1;
}

/* The span that has this number in the page, and of which host it is; NULL: there is none. */
static const struct lkst_lane_span *find_span(u32 span, const struct lkst_web_host **ret_host)
{
	const struct lkst_web_shown *shown = lkst_web_shown();
	unsigned int i;

	for (i = shown ? shown->nr : 0; i && span < shown->list[i - 1].first_span; i--)
		;
	if (!i || span - shown->list[i - 1].first_span >= shown->list[i - 1].lanes->spans.nr)
		return NULL;
	*ret_host = &shown->list[i - 1];
	return &(*ret_host)->lanes->spans.list[span - (*ret_host)->first_span];
}

int lkst_web_span(u32 span, struct lkst_web_span *ret_span)
{
	const struct lkst_web_host *host;
	const struct lkst_lane_span *found = find_span(span, &host);

	if (!found)
		return -EINVAL;
	*ret_span = (struct lkst_web_span){ .from_ns = lkst_web_page_ns(host, found->from_ns),
					    .to_ns = lkst_web_page_ns(host, found->to_ns),
					    .id = found->id,
					    .ending = found->ending,
					    .is_doubtful = found->is_doubtful };
	memcpy(ret_span->name, found->name, sizeof(ret_span->name));
	return 0;
}

/* Lanes of counts follow those of CPUs and threads. */
int lkst_web_columns(u32 lane, double from_ns, double to_ns, u32 nr,
		     struct lkst_curve_column *ret_columns)
{
	const struct lkst_web_host *host = lkst_web_host_of(&lane);

	if (!host || lane < host->lanes->nr || lane - host->lanes->nr >= host->lanes->counts.nr ||
	    !lkst_web_are_times(from_ns, to_ns) || !nr)
		return -EINVAL;
	return lkst_count_columns(&host->lanes->counts, lane - host->lanes->nr, lkst_web_own_ns(host, from_ns),
				  lkst_web_own_ns(host, to_ns), nr, ret_columns);
}

u32 lkst_web_cpus(u32 lane, double from_ns, double to_ns, u32 max, struct lkst_web_cpu *ret_cpus)
{
	const struct lkst_web_host *host;
	const struct lkst_lane *found = draw_find(lane, &host);
	struct lkst_cpu_time times[CPUS_MAX];
	u32 nr, i;
	u64 from, to;

	if (!found || !lkst_web_own_times(host, from_ns, to_ns, &from, &to))
		return 0;
	nr = lkst_slices_cpu_times(&found->slices, from, to, max < CPUS_MAX ? max : CPUS_MAX,
				   times);
	for (i = 0; i < nr; i++)
		ret_cpus[i] =
			(struct lkst_web_cpu){ .cpu = times[i].cpu, .ns = (double)times[i].ns };
	return nr;
}
