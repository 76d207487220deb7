/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page draws from: the lanes of its trace. */
#include "web/draw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/lanes/cpu_times.h"
#include "analyze/lanes/lanes.h"
#include "analyze/lanes/sum.h"
#include "base/json_writer.h"
#include "cmd/cmd.h"
#include "trace/reader.h"

enum { CPUS_MAX = 64 }; /* of a stretch of a thread */

static struct lkst_trace *trace;
static struct lkst_lanes *lanes;

/* ---- what there is ------------------------------------------------------------------------------ */

static void put_number(struct lkst_json *j, const char *name, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	lkst_json_str(j, name, text);
}

static void put_names(struct lkst_json *j, const char *name, const char *const *names,
		      unsigned int nr)
{
	unsigned int i;

	lkst_json_array(j, name);
	for (i = 0; i < nr; i++)
		lkst_json_str(j, NULL, names[i]);
	lkst_json_end(j);
}

/* Times as the page has them. */
static void put_time(struct lkst_json *j, const char *name, u64 ns)
{
	lkst_json_u64(j, name, ns > lanes->begin_ns ? ns - lanes->begin_ns : 0);
}

static void put_lanes(struct lkst_json *j)
{
	u32 i;

	lkst_json_array(j, "lanes");
	for (i = 0; i < lanes->nr; i++) {
		const struct lkst_lane *lane = &lanes->list[i];

		lkst_json_object(j, NULL);
		lkst_json_str(j, "kind", lane->kind == LKST_LANE_OF_CPU ? "cpu" : "thread");
		lkst_json_u64(j, "number", lane->number);
		lkst_json_u64(j, "slices", lane->slices.nr + (u64)lane->irqs.nr);
		put_time(j, "first_ns", lane->slices.nr ? lane->slices.list[0].from_ns : 0);
		lkst_json_end(j);
	}
	for (i = 0; i < lanes->counts.nr; i++) {
		const struct lkst_count *count = &lanes->counts.list[i];

		lkst_json_object(j, NULL);
		lkst_json_str(j, "kind", "count");
		lkst_json_u64(j, "number", i);
		lkst_json_str(j, "name", count->name);
		lkst_json_str(j, "unit", lkst_count_units[count->kind]);
		lkst_json_str(j, "group", lkst_count_groups[count->kind] ?: "");
		lkst_json_u64(j, "slices", count->curve.nr);
		lkst_json_end(j);
	}
	for (i = 0; i < lanes->spans.nr_lanes; i++) {
		const struct lkst_span_lane *lane = &lanes->spans.lanes[i];

		lkst_json_object(j, NULL);
		lkst_json_str(j, "kind", "span");
		lkst_json_u64(j, "number", lane->level);
		lkst_json_s64(j, "tid", lane->tid);
		lkst_json_u64(j, "slices", lane->slices.nr);
		put_time(j, "first_ns", lane->slices.nr ? lane->slices.list[0].from_ns : 0);
		lkst_json_end(j);
	}
	lkst_json_end(j);
	lkst_json_u64(j, "spans_left_out", lanes->spans.nr_left_out);
}

static void put_threads(struct lkst_json *j)
{
	u32 i;

	lkst_json_array(j, "threads");
	for (i = 0; i < lanes->nr_threads; i++) {
		const struct lkst_lane_thread *thread = &lanes->threads[i];

		lkst_json_object(j, NULL);
		lkst_json_s64(j, "tid", thread->tid);
		lkst_json_s64(j, "pid", thread->pid);
		lkst_json_str(j, "comm", thread->comm);
		lkst_json_bool(j, "kernel", thread->is_kernel);
		lkst_json_u64(j, "running_ns", thread->running_ns);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void put_call_names(struct lkst_json *j)
{
	u32 i;

	lkst_json_array(j, "names");
	for (i = 0; i < lanes->names.nr; i++)
		lkst_json_str(j, NULL, lanes->names.list[i].text);
	lkst_json_end(j);
}

static void put_gaps(struct lkst_json *j)
{
	u32 i;

	lkst_json_array(j, "gaps");
	for (i = 0; i < lanes->gaps.nr; i++) {
		const struct lkst_gap *gap = lkst_gaps_at(&lanes->gaps, i);

		lkst_json_object(j, NULL);
		lkst_json_u64(j, "cpu", gap->cpu);
		lkst_json_u64(j, "buffer", gap->buffer);
		put_time(j, "from_ns", gap->from_ns);
		put_time(j, "to_ns", gap->to_ns);
		lkst_json_u64(j, "records", gap->events);
		lkst_json_u64(j, "blocks", gap->blocks);
		lkst_json_bool(j, "pause", gap->is_pause);
		lkst_json_str(j, "why", gap->why);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void put_marks(struct lkst_json *j)
{
	u32 i;

	lkst_json_array(j, "marks");
	for (i = 0; i < lanes->marks.nr; i++) {
		const struct lkst_lane_mark *mark = &lanes->marks.list[i];

		lkst_json_object(j, NULL);
		put_time(j, "at_ns", mark->ns);
		lkst_json_str(j, "event", lkst_events[mark->event].name);
		lkst_json_str(j, "text", mark->text ? mark->text : "");
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void describe(struct lkst_out *out, const struct lkst_catalog *c)
{
	struct lkst_json j;

	lkst_json_init(&j, out);
	lkst_json_object(&j, NULL);
	put_number(&j, "begin_ns", lanes->begin_ns);
	put_number(&j, "end_ns", lanes->end_ns);
	put_number(&j, "offset_ns", c->clock_offset_ns);
	lkst_json_str(&j, "hostname", c->hostname);
	lkst_json_str(&j, "release", c->release);
	put_names(&j, "states", lkst_lane_state_names, LKST_NR_LANE_STATES);
	put_names(&j, "causes", lkst_cause_names, LKST_NR_CAUSES);
	put_names(&j, "endings", lkst_span_ending_names, LKST_NR_SPAN_ENDINGS);
	put_lanes(&j);
	put_threads(&j);
	put_call_names(&j);
	put_gaps(&j);
	put_marks(&j);
	lkst_json_end(&j);
}

void lkst_web_forget(void)
{
	lkst_lanes_free(lanes);
	lanes = NULL;
	lkst_trace_close(trace);
	trace = NULL;
}

struct lkst_trace *lkst_web_trace(void)
{
	return trace;
}

static int read_trace(struct lkst_err *e, struct lkst_out *out)
{
	char *name = (char *)"the trace";
	int err;

	lkst_web_forget();
	err = lkst_cmd_open_trace(e, &name, 1, &trace) ?: lkst_lanes_new(e, trace, &lanes);
	if (err) {
		lkst_web_forget();
		return err;
	}
	describe(out, lkst_trace_catalog(trace));
	return lkst_out_flush(out);
}

int lkst_web_read(void)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_err e = {};
	int err = -ENOMEM;

	if (out) {
		lkst_out_init(out, STDOUT_FILENO);
		err = read_trace(&e, out);
	}
	if (err)
		lkst_print_message(stderr, "%s", e.text[0] ? e.text : "there is not enough memory");
	fflush(stderr);
	return err;
}

/* ---- pictures ----------------------------------------------------------------------------------- */

bool lkst_web_times(double from_ns, double to_ns, u64 *ret_from_ns, u64 *ret_to_ns)
{
	const double most = 1ULL << 53;

	if (!lanes || !(from_ns >= 0 && from_ns < to_ns && to_ns <= most))
		return false;
	*ret_from_ns = lanes->begin_ns + (u64)from_ns;
	*ret_to_ns = lanes->begin_ns + (u64)to_ns;
	return *ret_from_ns < *ret_to_ns;
}

/* The lane and the times that the page asks about; NULL: there are none such. */
static const struct lkst_lane *find(u32 lane, double from_ns, double to_ns, u64 *ret_from_ns,
				    u64 *ret_to_ns)
{
	if (!lkst_web_times(from_ns, to_ns, ret_from_ns, ret_to_ns) || lane >= lanes->nr)
		return NULL;
	return &lanes->list[lane];
}

/* The slices of a part of a lane, enum lkst_web_part; lanes of spans follow those of counts. NULL: there are none. */
static const struct lkst_slices *slices_of(u32 lane, u32 part)
{
	const struct lkst_lane *found = lane < lanes->nr ? &lanes->list[lane] : NULL;
	u32 span = lane - lanes->nr - lanes->counts.nr;

	if (!found)
		return lane >= lanes->nr + lanes->counts.nr && span < lanes->spans.nr_lanes &&
				       part == LKST_WEB_STATES
			       ? &lanes->spans.lanes[span].slices
			       : NULL;
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
	u64 from, to;
	const struct lkst_slices *s;

	if (!lkst_web_times(from_ns, to_ns, &from, &to) || !nr)
		return -EINVAL;
	if (lane < lanes->nr)
		return lkst_lane_shares(&lanes->list[lane], from, to, nr, ret_shares);
	s = slices_of(lane, LKST_WEB_STATES);
	if (!s)
		return -EINVAL;
	lkst_slices_shares(s, from, to, nr, ret_shares);
	return 0;
}

int lkst_web_sum(const u32 *places, u32 nr_places, double from_ns, double to_ns, u32 nr,
		 struct lkst_shares *ret_shares)
{
	u64 from, to;

	if (!find(0, from_ns, to_ns, &from, &to) || !nr)
		return -EINVAL;
	return lkst_lanes_sum(lanes, places, nr_places, from, to, nr, ret_shares);
}

static double after_begin(u64 ns)
{
	return ns > lanes->begin_ns ? (double)(ns - lanes->begin_ns) : 0;
}

static struct lkst_web_slice slice_for_page(const struct lkst_slice *slice)
{
	return (struct lkst_web_slice){
		.from_ns = after_begin(slice->from_ns),
		.to_ns = after_begin(slice->to_ns),
		.life = slice->life,
		.state = slice->state,
		.detail = slice->detail,
		.cpu = slice->cpu,
	};
}

u32 lkst_web_part_slices(u32 lane, u32 part, double from_ns, double to_ns, u32 max,
			 struct lkst_web_slice *ret_slices)
{
	u64 from, to;
	const struct lkst_slices *s;
	u32 first, nr = 0;

	s = lkst_web_times(from_ns, to_ns, &from, &to) ? slices_of(lane, part) : NULL;
	if (!s)
		return 0;
	first = lkst_slices_at(s, from);
	for (; nr < max && first + nr < s->nr && s->list[first + nr].from_ns < to; nr++)
		ret_slices[nr] = slice_for_page(&s->list[first + nr]);
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
	u64 from, to;
	const struct lkst_lane *found = find(lane, from_ns, to_ns, &from, &to);
	u32 i, nr = 0;

	if (!found)
		return 0;
	for (i = lkst_lane_waking_at(found, from); nr < max && i < found->nr_wakings; i++) {
		const struct lkst_waking *waking = &found->wakings[i];

		if (waking->ns >= to)
			break;
		ret_wakings[nr++] = (struct lkst_web_waking){ .ns = after_begin(waking->ns),
							      .life = waking->life,
							      .name = waking->name,
							      .cpu = waking->cpu };
	}
	return nr;
}

u32 lkst_web_slice_before(u32 lane, double at_ns, struct lkst_web_slice *ret_slice)
{
	u64 from, at;
	const struct lkst_slices *s;
	u32 next;

	s = lkst_web_times(0, at_ns, &from, &at) ? slices_of(lane, LKST_WEB_STATES) : NULL;
	if (!s)
		return 0;
	next = lkst_slices_at(s, at);
	/* One that holds the time begins before it, or at it. */
	if (next < s->nr && s->list[next].from_ns < at)
		next++;
	if (!next)
		return 0;
	*ret_slice = slice_for_page(&s->list[next - 1]);
	return 1;
}

int lkst_web_span(u32 span, struct lkst_web_span *ret_span)
{
	const struct lkst_lane_span *found;

	if (!lanes || span >= lanes->spans.nr)
		return -EINVAL;
	found = &lanes->spans.list[span];
	*ret_span = (struct lkst_web_span){ .from_ns = after_begin(found->from_ns),
					    .to_ns = after_begin(found->to_ns),
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
	u64 from, to;

	if (!lkst_web_times(from_ns, to_ns, &from, &to) || lane < lanes->nr ||
	    lane - lanes->nr >= lanes->counts.nr || !nr)
		return -EINVAL;
	return lkst_count_columns(&lanes->counts, lane - lanes->nr, from, to, nr, ret_columns);
}

u32 lkst_web_cpus(u32 lane, double from_ns, double to_ns, u32 max, struct lkst_web_cpu *ret_cpus)
{
	u64 from, to;
	const struct lkst_lane *found = find(lane, from_ns, to_ns, &from, &to);
	struct lkst_cpu_time times[CPUS_MAX];
	u32 nr, i;

	if (!found)
		return 0;
	nr = lkst_slices_cpu_times(&found->slices, from, to, max < CPUS_MAX ? max : CPUS_MAX,
				   times);
	for (i = 0; i < nr; i++)
		ret_cpus[i] =
			(struct lkst_web_cpu){ .cpu = times[i].cpu, .ns = (double)times[i].ns };
	return nr;
}
