/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page shows, as JSON. */
#include "web/describe.h"

#include <stdio.h>

#include "result/json_writer.h"

static void describe_put_number(struct lkst_json *j, const char *name, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	lkst_json_str(j, name, text);
}

static void describe_put_signed(struct lkst_json *j, const char *name, s64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	lkst_json_str(j, name, text);
}

static void describe_put_names(struct lkst_json *j, const char *name, const char *const *names,
			       unsigned int nr)
{
	unsigned int i;

	lkst_json_array(j, name);
	for (i = 0; i < nr; i++)
		lkst_json_str(j, NULL, names[i]);
	lkst_json_end(j);
}

/* ---- one host's --------------------------------------------------------------------------------- */

/* A time of the host as the page has it. */
static void describe_put_time(struct lkst_json *j, const struct lkst_web_host *host, const char *name, u64 ns)
{
	lkst_json_u64(j, name, (u64)lkst_web_page_ns(host, ns));
}

/* The beginning of an element of a list that goes through all hosts. */
static void describe_put_host(struct lkst_json *j, const struct lkst_web_host *host)
{
	lkst_json_object(j, NULL);
	lkst_json_u64(j, "host", (u64)(host - lkst_web_shown()->list));
}

/* How many slices a lane has, and when the first one begins. */
static void put_slices(struct lkst_json *j, const struct lkst_web_host *host, const struct lkst_slices *s, u64 nr)
{
	lkst_json_u64(j, "slices", nr);
	describe_put_time(j, host, "first_ns", s->nr ? s->list[0].from_ns : host->lanes->begin_ns);
}

static void describe_put_counts(struct lkst_json *j, const struct lkst_web_host *host)
{
	u32 i;

	for (i = 0; i < host->lanes->counts.nr; i++) {
		const struct lkst_count *count = &host->lanes->counts.list[i];

		describe_put_host(j, host);
		lkst_json_str(j, "kind", "count");
		lkst_json_u64(j, "number", i);
		lkst_json_str(j, "name", count->name);
		lkst_json_str(j, "unit", lkst_count_units[count->kind]);
		lkst_json_str(j, "group", lkst_count_groups[count->kind] ?: "");
		lkst_json_u64(j, "slices", count->curve.nr);
		lkst_json_end(j);
	}
}

static void put_spans(struct lkst_json *j, const struct lkst_web_host *host)
{
	u32 i;

	for (i = 0; i < host->lanes->spans.nr_lanes; i++) {
		const struct lkst_span_lane *lane = &host->lanes->spans.lanes[i];

		describe_put_host(j, host);
		lkst_json_str(j, "kind", "span");
		lkst_json_u64(j, "number", lane->level);
		lkst_json_s64(j, "tid", lane->tid);
		put_slices(j, host, &lane->slices, lane->slices.nr);
		lkst_json_end(j);
	}
}

static void put_lanes(struct lkst_json *j, const struct lkst_web_host *host)
{
	u32 i;

	for (i = 0; i < host->lanes->nr; i++) {
		const struct lkst_lane *lane = &host->lanes->list[i];
		const bool is_cpu = lane->kind == LKST_LANE_OF_CPU;

		describe_put_host(j, host);
		lkst_json_str(j, "kind", is_cpu ? "cpu" : "thread");
		lkst_json_u64(j, "number", is_cpu ? lane->number : host->first_life + lane->number);
		put_slices(j, host, &lane->slices, lane->slices.nr + (u64)lane->irqs.nr);
		lkst_json_end(j);
	}
	describe_put_counts(j, host);
	put_spans(j, host);
}

static void describe_put_threads(struct lkst_json *j, const struct lkst_web_host *host)
{
	u32 i;

	for (i = 0; i < host->lanes->nr_threads; i++) {
		const struct lkst_lane_thread *thread = &host->lanes->threads[i];

		describe_put_host(j, host);
		lkst_json_s64(j, "tid", thread->tid);
		lkst_json_s64(j, "pid", thread->pid);
		lkst_json_str(j, "comm", thread->comm);
		lkst_json_bool(j, "kernel", thread->is_kernel);
		lkst_json_u64(j, "running_ns", thread->running_ns);
		lkst_json_end(j);
	}
}

static void put_call_names(struct lkst_json *j, const struct lkst_web_host *host)
{
	u32 i;

	for (i = 0; i < host->lanes->names.nr; i++)
		lkst_json_str(j, NULL, host->lanes->names.list[i].text);
}

static void put_gaps(struct lkst_json *j, const struct lkst_web_host *host)
{
	u32 i;

	for (i = 0; i < host->lanes->gaps.nr; i++) {
		const struct lkst_gap *gap = lkst_gaps_at(&host->lanes->gaps, i);

		describe_put_host(j, host);
		lkst_json_u64(j, "cpu", gap->cpu);
		lkst_json_u64(j, "buffer", gap->buffer);
		describe_put_time(j, host, "from_ns", gap->from_ns);
		describe_put_time(j, host, "to_ns", gap->to_ns);
		lkst_json_u64(j, "records", gap->events);
		lkst_json_u64(j, "blocks", gap->blocks);
		lkst_json_bool(j, "pause", gap->is_pause);
		lkst_json_str(j, "why", gap->why);
		lkst_json_end(j);
	}
}

static void describe_put_marks(struct lkst_json *j, const struct lkst_web_host *host)
{
	u32 i;

	for (i = 0; i < host->lanes->marks.nr; i++) {
		const struct lkst_lane_mark *mark = &host->lanes->marks.list[i];

		describe_put_host(j, host);
		describe_put_time(j, host, "at_ns", mark->ns);
		lkst_json_str(j, "event", lkst_events[mark->event].name);
		lkst_json_str(j, "text", mark->text ? mark->text : "");
		lkst_json_end(j);
	}
}

/* ---- all of them -------------------------------------------------------------------------------- */

/* An array of what each host has. */
static void describe_put_all(struct lkst_json *j, const char *name, const struct lkst_web_shown *shown,
			     void (*put)(struct lkst_json *j, const struct lkst_web_host *host))
{
	unsigned int i;

	lkst_json_array(j, name);
	for (i = 0; i < shown->nr; i++)
		put(j, &shown->list[i]);
	lkst_json_end(j);
}

/* What is known of each host, and of its clock. */
static void put_hosts(struct lkst_json *j, const struct lkst_web_shown *shown)
{
	const struct lkst_reading *r = &shown->reading;
	char clock[LKST_HOST_CLOCK_TEXT] = "";
	unsigned int i;

	lkst_json_array(j, "hosts");
	for (i = 0; i < shown->nr; i++) {
		const struct lkst_web_host *host = &shown->list[i];

		if (r->nr > 1)
			lkst_reading_clock_text(r, i, clock);
		lkst_json_object(j, NULL);
		lkst_json_str(j, "name", host->name);
		lkst_json_str(j, "release", lkst_trace_catalog(host->trace)->release);
		describe_put_signed(j, "zero_ns", (s64)host->zero_ns);
		describe_put_time(j, host, "begin_ns", host->lanes->begin_ns);
		lkst_json_str(j, "clock", clock);
		lkst_json_str(j, "not_recorded", host->lanes->limited);
		lkst_json_end(j);
	}
	lkst_json_end(j);
	describe_put_names(j, "notes", (const char *const *)r->notes.text, r->notes.nr);
}

static u64 nr_spans_left_out(const struct lkst_web_shown *shown)
{
	unsigned int i;
	u64 nr = 0;

	for (i = 0; i < shown->nr; i++)
		nr += shown->list[i].lanes->spans.nr_left_out;
	return nr;
}

void lkst_web_describe(struct lkst_out *out, const struct lkst_web_shown *shown)
{
	const struct lkst_catalog *c = shown->nr == 1 ? lkst_trace_catalog(shown->list[0].trace) : NULL;
	struct lkst_json j;

	lkst_json_init(&j, out);
	lkst_json_object(&j, NULL);
	describe_put_number(&j, "begin_ns", shown->begin_ns);
	describe_put_number(&j, "end_ns", shown->end_ns);
	describe_put_number(&j, "offset_ns", c ? c->clock_offset_ns : 0);
	put_hosts(&j, shown);
	describe_put_names(&j, "states", lkst_lane_state_names, LKST_NR_LANE_STATES);
	describe_put_names(&j, "causes", lkst_cause_names, LKST_NR_CAUSES);
	describe_put_names(&j, "endings", lkst_span_ending_names, LKST_NR_SPAN_ENDINGS);
	describe_put_all(&j, "lanes", shown, put_lanes);
	lkst_json_u64(&j, "spans_left_out", nr_spans_left_out(shown));
	describe_put_all(&j, "threads", shown, describe_put_threads);
	describe_put_all(&j, "names", shown, put_call_names);
	describe_put_all(&j, "gaps", shown, put_gaps);
	describe_put_all(&j, "marks", shown, describe_put_marks);
	lkst_json_end(&j);
}
