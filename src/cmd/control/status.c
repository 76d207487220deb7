/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst status: what the recording holds now, and what it has lost. */
#include "cmd/control/status.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/control/compare.h"
#include "cmd/frame/cmd.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/remote.h"
#include "cmd/recorders/turn.h"
#include "cmd/recorders/unit_costs.h"
#include "live/hooks/pins.h"
#include "live/state/readings.h"
#include "print/table_text.h"
#include "result/json_writer.h"

struct status_options {
	bool json, prometheus;
	u64 compare_ns;
	const char *socket;
};

/* Of --compare: with fewer pairs of windows than 6 nothing can be said, with more than some hundred nothing more. */
#define COMPARE_MIN_NS 4000000000LL
#define COMPARE_MAX_NS 120000000000LL

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct status_options, json, .name = "json",
		    .help = "one JSON object, for programs"),
	LKST_OPTION(FLAG, struct status_options, prometheus, .name = "prometheus",
		    .help = "the text form of Prometheus, for a collector of metrics"),
	LKST_OPTION(DURATION, struct status_options, compare_ns, .name = "compare", .argument = "TIME",
		    .min = COMPARE_MIN_NS, .max = COMPARE_MAX_NS,
		    .help = "measure the cost, too: record nothing for half of TIME, by turns, and compare how "
			    "much CPU time the same work takes programs; that half is not recorded"),
	LKST_OPTION_SOCKET_ROW(struct status_options, socket),
	{},
};

const char *const lkst_loss_keys[LKST_LOSS_NR] = {
	[LKST_LOSS_LEVEL] = "level",	       [LKST_LOSS_TRUNCATED] = "truncated",
	[LKST_LOSS_TOO_LONG] = "too_long",     [LKST_LOSS_UNREAD] = "unread",
	[LKST_LOSS_UNFOLLOWED] = "unfollowed",
	[LKST_LOSS_STACK] = "stack_not_kept",
	[LKST_LOSS_MAPPING] = "mapping_not_read",
};

static void status_write_losses(const struct lkst_report *r, struct lkst_out *out)
{
	unsigned int nr = 0, i;
	int cause;

	lkst_out_printf(out, "\nlost (to be overwritten is the ring's way, and no loss):\n");
	for (i = 0; i < r->nr_rings; i++)
		for (cause = 0; cause < LKST_LOSS_NR; cause++) {
			if (!r->rings[i].lost[cause])
				continue;
			lkst_out_printf(out, "  CPU %u, %s buffer: %" PRIu64 " events: %s\n",
					r->rings[i].cpu, r->rings[i].name, r->rings[i].lost[cause],
					lkst_loss_names[cause]);
			nr++;
		}
	for (i = 0; i < r->nr_hooks; i++) {
		if (!r->hooks[i].skipped)
			continue;
		lkst_out_printf(out,
				"  %s was skipped %" PRIu64
				" times: it was already running on the CPU\n",
				r->hooks[i].name, r->hooks[i].skipped);
		nr++;
	}
	if (!nr)
		lkst_out_printf(out, "  nothing\n");
}

/* Rows shown in the text; programs get all. */
enum { COST_ROWS = 10, LEFT_OUT_ROWS = 10 };

/* Readings of the kernel's counters that a status makes are so far from the one before. */
#define READINGS_APART_NS 1000000000ULL

static void write_table(const struct lkst_table *t, struct lkst_out *out)
{
	struct lkst_table_printer p;

	lkst_table_printer_init(&p, out, LKST_TABLE_TEXT, 0);
	lkst_table_print(&p, t);
}

static const struct lkst_column cost_columns[] = {
	{ "kind", "kind", LKST_COLUMN_TEXT, "events that the limit leaves out together" },
	{ "recorded", "recorded/s", LKST_COLUMN_COUNT, "records per second" },
	{ "idle", "idle/s", LKST_COLUMN_COUNT,
	  "runs of the hook per second that recorded nothing" },
	{ "hook", "hook ns", LKST_COLUMN_COUNT, "what a run costs" },
	{ "record", "record ns", LKST_COLUMN_COUNT, "what a record adds" },
	{ "cpu", "CPU us/s", LKST_COLUMN_RATIO, "CPU time" },
};

/* CPU time by kind: unit costs times rates. */
static void write_cost_rows(const struct lkst_cost *c, struct lkst_out *out)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	double rest = 0;
	unsigned int i;

	lkst_table_init_of(&t, "kinds", "", cost_columns);
	for (i = 0; i < c->nr_rows && i < COST_ROWS; i++) {
		const struct lkst_cost_row *row = &c->rows[i];

		lkst_table_row(&t);
		lkst_table_str(&t, row->name);
		lkst_table_u64(&t, (u64)(row->per_second + 0.5));
		lkst_table_u64(&t, (u64)(row->idle_per_second + 0.5));
		lkst_table_u64(&t, row->unit.hook_ns);
		lkst_table_u64(&t, row->unit.handler_ns);
		lkst_table_double(&t, row->us_per_second);
	}
	for (; i < c->nr_rows; i++)
		rest += c->rows[i].us_per_second;
	if (c->nr_rows > COST_ROWS) {
		lkst_table_row(&t);
		lkst_table_str(&t, "others");
		for (i = 0; i < 4; i++)
			lkst_table_none(&t);
		lkst_table_double(&t, rest);
	}
	write_table(&t, out);
}

static void status_write_cost(const struct lkst_report *r, struct lkst_out *out)
{
	const struct lkst_costs *costs = &r->budget.page.costs;
	const struct lkst_cost *c = &r->cost;
	const char *at_most = c->is_cut_down ? "at most " : "";
	double cpus = r->nr_cpus;

	lkst_out_printf(
		out,
		"\nrecording costs %s%.2f %% of the CPUs' time, %.2f %% of CPU %u's: records %.2f %%, hooks "
		"that record nothing %.2f %%\n",
		at_most, c->us_per_second / 1e4 / cpus, c->busiest_share * 100, c->busiest_cpu,
		(c->us_per_second - c->idle_us_per_second) / 1e4 / cpus,
		c->idle_us_per_second / 1e4 / cpus);
	lkst_out_printf(out, "what runs is slower by %s%.1f %%; the most expensive kinds:\n",
			at_most, lkst_cost_slowdown(c) * 100);
	write_cost_rows(c, out);
	lkst_out_printf(
		out, "what hooks and records cost was measured when recording began, in %.1f ms%s\n",
		costs->took_us / 1e3,
		costs->measured & 1U << (LKST_COST_UNIT_HOOK + LKST_HOOK_TYPE_TRACEPOINT)
			? ""
			: "; other work disturbed it, and what a hook costs is rather too much");
}

/* What lkst_compare() has found out: the programs with the most CPU time. */
struct compared {
	struct lkst_work_slowdown rows[LKST_WORK_ROWS];
	unsigned int nr; /* 0: it was not asked for */
};

static const struct lkst_column compared_columns[] = {
	{ "program", "program", LKST_COLUMN_TEXT, "processes of this name" },
	{ "share", "CPU %", LKST_COLUMN_RATIO, "of the CPU time of all programs" },
	{ "slowdown", "slower by %", LKST_COLUMN_RATIO, "the median of the pairs of windows" },
	{ "least", "from", LKST_COLUMN_RATIO, "with 95 % the median is not less" },
	{ "most", "to", LKST_COLUMN_RATIO, "nor more than this" },
	{ "pairs", "pairs", LKST_COLUMN_COUNT, "of windows that were compared" },
	{ "by", "by", LKST_COLUMN_TEXT, "what counts as work" },
};

static void write_compared(const struct compared *c, struct lkst_out *out)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	unsigned int i;

	if (!c->nr)
		return;
	lkst_out_str(out, "\ncompared with not recording: how much more CPU time the same work took\n");
	lkst_table_init_of(&t, "compared", "", compared_columns);
	for (i = 0; i < c->nr; i++) {
		const struct lkst_work_slowdown *s = &c->rows[i];

		lkst_table_row(&t);
		lkst_table_str(&t, s->comm);
		lkst_table_double(&t, s->share * 100);
		lkst_table_double(&t, s->median * 100);
		lkst_table_double(&t, s->least * 100);
		lkst_table_double(&t, s->most * 100);
		lkst_table_u64(&t, s->nr_pairs);
		lkst_table_str(&t, lkst_work_unit_names[s->unit]);
	}
	write_table(&t, out);
}

static void write_left_out(const struct lkst_report *r, unsigned int kind, struct lkst_out *out)
{
	const struct lkst_kind *k = &r->budget.kinds[kind];

	lkst_out_printf(out, "  %-26s for %.1f s; it cost %.2f %%%s\n", k->name,
			lkst_time_since(r->now_ns, k->since_ns) / 1e9, k->ppm / 1e4,
			lkst_budget_is_off(&r->budget, kind) ? "; detached" : "");
}

/* What is left out to keep to the limit. */
static void write_budget(const struct lkst_report *r, struct lkst_out *out)
{
	const struct lkst_budget *b = &r->budget.page;
	unsigned int i, nr = 0;

	if (!b->limit_ppm)
		return;
	lkst_out_printf(
		out,
		"\nlimit: %.2f %% of each CPU's time; %u kinds are left out; hooks that record nothing "
		"cost %.2f %%\n",
		b->limit_ppm / 1e4, b->nr_shed, b->idle_ppm / 1e4);
	lkst_recording_print_core(out, &r->cost, b->limit_ppm);
	for (i = 0; i < b->nr_kinds; i++)
		if (r->budget.kinds[i].is_shed && nr++ < LEFT_OUT_ROWS)
			write_left_out(r, i, out);
	if (nr > LEFT_OUT_ROWS)
		lkst_out_printf(out, "  and %u more, which --json lists\n", nr - LEFT_OUT_ROWS);
	if (!r->has_helper)
		lkst_out_printf(
			out,
			"no process detaches what is left out, nor tries again what is detached; "
			"`lkst limit --daemon` starts it\n");
	else if (b->helper && b->helper == b->lost)
		lkst_out_printf(
			out,
			"process %u, which detaches what is left out, does not answer: what is detached is "
			"not tried again until it does\n",
			b->helper);
}

static const struct lkst_column ring_columns[] = {
	{ "buffer", "buffer", LKST_COLUMN_TEXT, "the buffer" },
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU" },
	{ "size", "size", LKST_COLUMN_BYTES, "its memory there" },
	{ "history", "history", LKST_COLUMN_DURATION, "the age of the oldest record" },
	{ "written", "written", LKST_COLUMN_BYTES, "of records, since the start" },
	{ "overwritten", "overwritten", LKST_COLUMN_COUNT, "blocks" },
};

static void status_write_rings(const struct lkst_report *r, struct lkst_out *out)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	unsigned int i;

	lkst_table_init_of(&t, "rings", "", ring_columns);
	for (i = 0; i < r->nr_rings; i++) {
		const struct lkst_ring_report *ring = &r->rings[i];

		lkst_table_row(&t);
		lkst_table_str(&t, ring->name);
		lkst_table_s64(&t, ring->cpu);
		lkst_table_u64(&t, ring->bytes);
		lkst_table_u64(&t, (u64)(ring->history_s * 1e9));
		lkst_table_u64(&t, ring->written_bytes);
		lkst_table_u64(&t, ring->overwritten);
	}
	write_table(&t, out);
}

/* Whoever started the recording chose it. */
static void write_label(const char *label, struct lkst_out *out)
{
	if (!*label)
		return;
	lkst_out_str(out, "label: ");
	lkst_out_advance(out, lkst_put_escaped(lkst_out_room(out), label, strlen(label), ""));
	lkst_out_str(out, "\n");
}

static void write_text(const struct lkst_report *r, const struct compared *compared,
		       struct lkst_out *out)
{
	char bytes[LKST_SIZE_TEXT];

	lkst_size_format(r->memory_bytes, bytes);
	lkst_out_printf(
		out,
		"recording %u events (maskset %u, %s) for %.1f s, %s of memory, blocks of %u "
		"bytes\n",
		r->nr_events, r->maskset, r->maskset_name, r->seconds, bytes, r->block_bytes);
	write_label(r->label, out);
	lkst_out_str(out, "\n");
	status_write_rings(r, out);
	lkst_out_printf(out, "\n");
	lkst_recording_print_history(out, &r->history, "at the present rate");
	status_write_losses(r, out);
	status_write_cost(r, out);
	write_compared(compared, out);
	write_budget(r, out);
	lkst_out_printf(out, "%u hooks attached\n", r->nr_attached);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void put_ring(struct lkst_json *j, const struct lkst_ring_report *ring)
{
	int cause;

	lkst_json_object(j, NULL);
	lkst_json_str(j, "buffer", ring->name);
	lkst_json_u64(j, "cpu", ring->cpu);
	lkst_json_u64(j, "bytes", ring->bytes);
	lkst_json_decimal(j, "history_s", ring->history_s, 6);
	lkst_json_u64(j, "written_bytes", ring->written_bytes);
	lkst_json_u64(j, "overwritten_blocks", ring->overwritten);
	lkst_json_object(j, "lost");
	for (cause = 0; cause < LKST_LOSS_NR; cause++)
		lkst_json_u64(j, lkst_loss_keys[cause], ring->lost[cause]);
	lkst_json_end(j);
	lkst_json_end(j);
}

static void put_history(struct lkst_json *j, const struct lkst_history *h)
{
	unsigned int i;

	lkst_json_object(j, "history");
	lkst_json_bool(j, "is_wished", h->is_wished);
	lkst_json_decimal(j, "wish_s", h->wish_s, 3);
	lkst_json_u64(j, "wish_buffer_bytes", h->buffer_bytes);
	lkst_json_u64(j, "wish_memory_bytes", h->memory_bytes);
	lkst_json_array(j, "buffers");
	for (i = 0; i < h->nr; i++) {
		lkst_json_object(j, NULL);
		lkst_json_str(j, "buffer", h->held[i].name);
		lkst_json_u64(j, "cpu", h->held[i].cpu);
		lkst_json_decimal(j, "bytes_per_s", h->held[i].rate, 1);
		lkst_json_decimal(j, "holds_s", h->held[i].seconds, 3);
		lkst_json_end(j);
	}
	lkst_json_end(j);
	lkst_json_end(j);
}

static void put_skipped(struct lkst_json *j, const struct lkst_report *r)
{
	unsigned int i;

	lkst_json_object(j, "skipped");
	for (i = 0; i < r->nr_hooks; i++)
		if (r->hooks[i].skipped)
			lkst_json_u64(j, r->hooks[i].name, r->hooks[i].skipped);
	lkst_json_end(j);
}

static void put_cost_row(struct lkst_json *j, const struct lkst_cost_row *row)
{
	lkst_json_object(j, NULL);
	lkst_json_str(j, "kind", row->name);
	lkst_json_decimal(j, "per_s", row->per_second, 1);
	lkst_json_decimal(j, "idle_per_s", row->idle_per_second, 1);
	lkst_json_u64(j, "hook_ns", row->unit.hook_ns);
	lkst_json_u64(j, "handler_ns", row->unit.handler_ns);
	lkst_json_decimal(j, "us_per_s", row->us_per_second, 3);
	lkst_json_end(j);
}

static void put_cost(struct lkst_json *j, const struct lkst_report *r)
{
	const struct lkst_cost *c = &r->cost;
	unsigned int i;

	lkst_json_object(j, "cost");
	lkst_json_decimal(j, "us_per_s", c->us_per_second, 3);
	lkst_json_decimal(j, "idle_us_per_s", c->idle_us_per_second, 3);
	lkst_json_decimal(j, "busy_us_per_s", c->busy_us_per_second, 0);
	lkst_json_decimal(j, "share", c->us_per_second / 1e6 / r->nr_cpus, 6);
	lkst_json_decimal(j, "slowdown", lkst_cost_slowdown(c), 6);
	lkst_json_u64(j, "busiest_cpu", c->busiest_cpu);
	lkst_json_decimal(j, "busiest_share", c->busiest_share, 6);
	lkst_json_bool(j, "at_most", c->is_cut_down);
	lkst_unit_costs_put(j, &r->budget.page.costs);
	lkst_json_array(j, "kinds");
	for (i = 0; i < c->nr_rows; i++)
		put_cost_row(j, &c->rows[i]);
	lkst_json_end(j);
	lkst_json_end(j);
}

static void put_left_out(struct lkst_json *j, const struct lkst_report *r, unsigned int kind)
{
	const struct lkst_kind *k = &r->budget.kinds[kind];

	lkst_json_object(j, NULL);
	lkst_json_str(j, "kind", k->name);
	lkst_json_bool(j, "now", k->is_shed);
	lkst_json_bool(j, "detached", lkst_budget_is_off(&r->budget, kind));
	lkst_json_decimal(j, "seconds", lkst_kind_shed_ns(k, r->now_ns) / 1e9, 3);
	lkst_json_u64(j, "times", k->times);
	lkst_json_u64(j, "tries", k->tries);
	lkst_json_decimal(j, "cost_share", k->ppm / 1e6, 6);
	lkst_json_end(j);
}

static void put_limit(struct lkst_json *j, const struct lkst_report *r)
{
	const struct lkst_budget *b = &r->budget.page;
	unsigned int i;

	if (!b->limit_ppm) {
		lkst_json_null(j, "limit");
		return;
	}
	lkst_json_object(j, "limit");
	lkst_json_decimal(j, "share", b->limit_ppm / 1e6, 6);
	lkst_json_decimal(j, "busiest_share", b->busiest_ppm / 1e6, 6);
	lkst_json_decimal(j, "idle_share", b->idle_ppm / 1e6, 6);
	lkst_json_decimal(j, "core_share", r->cost.core_share, 6);
	lkst_json_bool(j, "helper", r->has_helper);
	lkst_json_bool(j, "helper_answers", r->has_helper && b->helper && b->helper != b->lost);
	lkst_json_array(j, "left_out");
	for (i = 0; i < b->nr_kinds; i++)
		if (r->budget.kinds[i].times)
			put_left_out(j, r, i);
	lkst_json_end(j);
	lkst_json_end(j);
}

static void put_compared(struct lkst_json *j, const struct compared *c)
{
	unsigned int i;

	lkst_json_array(j, "compared");
	for (i = 0; i < c->nr; i++) {
		const struct lkst_work_slowdown *s = &c->rows[i];

		lkst_json_object(j, NULL);
		lkst_json_str(j, "program", s->comm);
		lkst_json_decimal(j, "share", s->share, 6);
		lkst_json_decimal(j, "slowdown", s->median, 6);
		lkst_json_decimal(j, "least", s->least, 6);
		lkst_json_decimal(j, "most", s->most, 6);
		lkst_json_u64(j, "pairs", s->nr_pairs);
		lkst_json_str(j, "by", lkst_work_unit_names[s->unit]);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

static void put_report(struct lkst_json *j, const struct lkst_report *r,
		       const struct compared *compared)
{
	unsigned int i;

	lkst_json_u64(j, "maskset", r->maskset);
	lkst_json_str(j, "maskset_name", r->maskset_name);
	if (*r->label)
		lkst_json_str(j, "label", r->label);
	else
		lkst_json_null(j, "label");
	lkst_json_u64(j, "events", r->nr_events);
	lkst_json_decimal(j, "seconds", r->seconds, 3);
	lkst_json_u64(j, "memory_bytes", r->memory_bytes);
	lkst_json_u64(j, "block_bytes", r->block_bytes);
	lkst_json_array(j, "rings");
	for (i = 0; i < r->nr_rings; i++)
		put_ring(j, &r->rings[i]);
	lkst_json_end(j);
	put_history(j, &r->history);
	put_skipped(j, r);
	put_cost(j, r);
	put_compared(j, compared);
	put_limit(j, r);
	lkst_json_u64(j, "hooks", r->nr_attached);
}

/* @r NULL: nothing is recorded. */
static void write_json(const struct lkst_report *r, const struct compared *compared,
		       struct lkst_out *out)
{
	struct lkst_json j;

	lkst_json_init(&j, out);
	lkst_json_object(&j, NULL);
	lkst_json_bool(&j, "recording", r);
	if (r)
		put_report(&j, r, compared);
	lkst_json_end(&j);
}

/* @r NULL: nothing is recorded. */
static int write_page(struct lkst_err *e, const struct lkst_report *r,
		      const struct compared *compared, enum lkst_wire_form form, FILE *to)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "writing the status");
	lkst_out_init_stream(out, to);
	if (form == LKST_WIRE_PROMETHEUS)
		lkst_status_write_prometheus(r, out);
	else if (form == LKST_WIRE_JSON)
		write_json(r, compared, out);
	else if (r)
		write_text(r, compared, out);
	else
		lkst_out_str(out, "nothing is being recorded\n");
	err = lkst_out_flush(out);
	return err ? lkst_err_sys(e, err, "writing the status") : 0;
}

static int write_status(struct lkst_err *e, const struct compared *compared,
			enum lkst_wire_form form, FILE *to)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_(lkst_report_free) struct lkst_report r = {};
	struct lkst_turn turn;
	bool exists;
	int err = lkst_turn_take(e, LKST_TURN_LOOK, &turn);

	if (err)
		return err;
	exists = lkst_pins_exist();
	err = exists ? lkst_session_open(e, &s) : 0;
	if (!err && exists)
		err = lkst_report_make(e, s, &r);
	lkst_turn_give(&turn);
	/* Who looks at a recording will compare a snapshot of it with the kernel's counters. */
	if (!err && exists)
		lkst_readings_keep(s, READINGS_APART_NS);
	return err ? err : write_page(e, exists ? &r : NULL, compared, form, to);
}

int lkst_status_write(struct lkst_err *e, enum lkst_wire_form form, FILE *to)
{
	return write_status(e, &(struct compared){}, form, to);
}

static int status_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct status_options *o = options;
	enum lkst_wire_form form = o->prometheus ? LKST_WIRE_PROMETHEUS
				   : o->json	 ? LKST_WIRE_JSON
						 : LKST_WIRE_TEXT;
	struct compared compared = {};
	int err = 0;

	if (o->prometheus && (o->json || o->compare_ns))
		return lkst_err_set(e, -EINVAL, "choose one of --prometheus, --json and --compare");
	if (o->compare_ns && o->socket)
		return lkst_err_set(e, -EINVAL, "--compare changes the recording, which takes root and no socket");
	if (o->compare_ns) {
		err = lkst_compare(e, o->compare_ns, compared.rows);
		compared.nr = err > 0 ? err : 0;
		err = err < 0 ? err : write_status(e, &compared, form, stdout);
	} else if (lkst_remote_is_wanted(o->socket)) {
		err = lkst_remote_status(e, o->socket, form, stdout);
	} else {
		err = lkst_status_write(e, form, stdout);
	}
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = lkst_err_sys(e, -errno, "writing the status");
	return err;
}

const struct lkst_cmd lkst_cmd_status = {
	.name = "status",
	.summary = "show history held, losses and cost",
	.help = "Shows for each CPU and buffer its size, the age of the oldest record that is still\n"
		"there, what was written and overwritten, how many seconds the buffers hold at the rate\n"
		"of the last five, and how much memory a minute, or the time of `lkst start --history`, needs;\n"
		"every loss with its cause, and how much CPU time recording costs, by kind of event: how often\n"
		"it was recorded, and how often its hook ran in vain, in a quarter of a second, times\n"
		"the cost of each on this machine. An event costs more the more other code runs between two\n"
		"of them, so that is rather too little; --compare measures it. Without root it asks the\n"
		"service (lkst serve), which answers members of group lkst.",
	.options = rows,
	.options_size = sizeof(struct status_options),
	.run = status_run,
};
