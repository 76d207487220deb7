/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst status: what the recording holds now, and what it has lost. */
#include "cmd/status.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/cmd.h"
#include "cmd/recording.h"
#include "cmd/remote.h"
#include "cmd/turn.h"
#include "live/load/pins.h"
#include "live/recording/readings.h"

struct options {
	bool json, prometheus;
	const char *socket;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct options, json, .name = "json",
		    .help = "one JSON object, for programs"),
	LKST_OPTION(FLAG, struct options, prometheus, .name = "prometheus",
		    .help = "the text form of Prometheus, for a collector of metrics"),
	LKST_OPTION_SOCKET_ROW(struct options, socket),
	{},
};

const char *const lkst_loss_keys[LKST_LOSS_NR] = {
	[LKST_LOSS_LEVEL] = "level",	       [LKST_LOSS_TRUNCATED] = "truncated",
	[LKST_LOSS_TOO_LONG] = "too_long",     [LKST_LOSS_UNREAD] = "unread",
	[LKST_LOSS_UNFOLLOWED] = "unfollowed",
};

static void write_losses(const struct lkst_report *r, FILE *to)
{
	unsigned int nr = 0, i;
	int cause;

	fprintf(to, "\nlost (to be overwritten is the ring's way, and no loss):\n");
	for (i = 0; i < r->nr_rings; i++)
		for (cause = 0; cause < LKST_LOSS_NR; cause++) {
			if (!r->rings[i].lost[cause])
				continue;
			fprintf(to, "  CPU %u, %s buffer: %" PRIu64 " events: %s\n",
				r->rings[i].cpu, r->rings[i].name, r->rings[i].lost[cause],
				lkst_loss_names[cause]);
			nr++;
		}
	for (i = 0; i < r->nr_hooks; i++) {
		if (!r->hooks[i].skipped)
			continue;
		fprintf(to,
			"  %s was skipped %" PRIu64 " times: it was already running on the CPU\n",
			r->hooks[i].name, r->hooks[i].skipped);
		nr++;
	}
	if (!nr)
		fprintf(to, "  nothing\n");
}

/* Rows shown in the text; programs get all. */
enum { COST_ROWS = 10, LEFT_OUT_ROWS = 10 };

/* Readings of the kernel's counters that a status makes are so far from the one before. */
#define READINGS_APART_NS 1000000000ULL

/* CPU time by kind: unit costs times rates. */
static void write_cost_rows(const struct lkst_cost *c, FILE *to)
{
	double rest = 0;
	unsigned int i;

	fprintf(to, "%-28s %12s %10s %12s %10s %12s\n", "kind", "recorded/s", "idle/s", "hook ns",
		"record ns", "CPU us/s");
	for (i = 0; i < c->nr_rows; i++) {
		const struct lkst_cost_row *row = &c->rows[i];

		if (i < COST_ROWS)
			fprintf(to, "%-28s %12.0f %10.0f %12u %10u %12.1f\n", row->name,
				row->per_second, row->idle_per_second, row->unit.hook_ns,
				row->unit.handler_ns, row->us_per_second);
		else
			rest += row->us_per_second;
	}
	if (c->nr_rows > COST_ROWS)
		fprintf(to, "%-28s %12s %10s %12s %10s %12.1f\n", "others", "", "", "", "", rest);
}

static void write_cost(const struct lkst_report *r, FILE *to)
{
	const struct lkst_cost *c = &r->cost;
	double cpus = r->nr_cpus;

	fprintf(to,
		"\nrecording costs %.2f %% of the CPUs' time, %.2f %% of CPU %u's: records %.2f %%, hooks "
		"that record nothing %.2f %%\n",
		c->us_per_second / 1e4 / cpus, c->busiest_share * 100, c->busiest_cpu,
		(c->us_per_second - c->idle_us_per_second) / 1e4 / cpus,
		c->idle_us_per_second / 1e4 / cpus);
	fprintf(to, "what runs is slower by %.1f %%; the most expensive kinds:\n",
		lkst_cost_slowdown(c) * 100);
	write_cost_rows(c, to);
	fprintf(to, "what hooks and records cost was measured when recording began, in %.1f ms\n",
		r->budget.page.costs.took_us / 1e3);
}

static void write_left_out(const struct lkst_report *r, unsigned int kind, FILE *to)
{
	const struct lkst_kind *k = &r->budget.kinds[kind];

	fprintf(to, "  %-26s for %.1f s; it cost %.2f %%%s\n", k->name,
		lkst_time_since(r->now_ns, k->since_ns) / 1e9, k->ppm / 1e4,
		lkst_budget_is_off(&r->budget, kind) ? "; detached" : "");
}

/* What is left out to keep to the limit. */
static void write_budget(const struct lkst_report *r, FILE *to)
{
	const struct lkst_budget *b = &r->budget.page;
	unsigned int i, nr = 0;

	if (!b->limit_ppm)
		return;
	fprintf(to,
		"\nlimit: %.2f %% of each CPU's time; %u kinds are left out; hooks that record nothing "
		"cost %.2f %%\n",
		b->limit_ppm / 1e4, b->nr_shed, b->idle_ppm / 1e4);
	for (i = 0; i < b->nr_kinds; i++)
		if (r->budget.kinds[i].is_shed && nr++ < LEFT_OUT_ROWS)
			write_left_out(r, i, to);
	if (nr > LEFT_OUT_ROWS)
		fprintf(to, "  and %u more, which --json lists\n", nr - LEFT_OUT_ROWS);
	if (!r->has_helper)
		fprintf(to,
			"no process detaches what is left out, nor tries again what is detached; "
			"`lkst limit --daemon` starts it\n");
}

static void write_text(const struct lkst_report *r, FILE *to)
{
	char bytes[LKST_SIZE_TEXT], written[LKST_SIZE_TEXT];
	unsigned int i;

	lkst_size_format(r->memory_bytes, bytes);
	fprintf(to,
		"recording %u events (maskset %u, %s) for %.1f s, %s of memory, blocks of %u "
		"bytes\n",
		r->nr_events, r->maskset, r->maskset_name, r->seconds, bytes, r->block_bytes);
	fprintf(to, "\n%-8s%5s %12s %12s %14s %12s\n", "buffer", "CPU", "size", "history s",
		"written", "overwritten");
	for (i = 0; i < r->nr_rings; i++) {
		const struct lkst_ring_report *ring = &r->rings[i];

		lkst_size_format(ring->bytes, bytes);
		lkst_size_format(ring->written_bytes, written);
		fprintf(to, "%-8s%5u %12s %12.3f %14s %12" PRIu64 "\n", ring->name, ring->cpu,
			bytes, ring->history_s, written, ring->overwritten);
	}
	fprintf(to, "\n");
	lkst_recording_print_history(to, &r->history, "at the present rate");
	write_losses(r, to);
	write_cost(r, to);
	write_budget(r, to);
	fprintf(to, "%u hooks attached\n", r->nr_attached);
}

static void write_ring_json(const struct lkst_ring_report *ring, FILE *to)
{
	int cause;

	fprintf(to,
		"{\"buffer\":\"%s\",\"cpu\":%u,\"bytes\":%" PRIu64 ",\"history_s\":%.6f,"
		"\"written_bytes\":%" PRIu64 ",\"overwritten_blocks\":%" PRIu64 ",\"lost\":{",
		ring->name, ring->cpu, ring->bytes, ring->history_s, ring->written_bytes,
		ring->overwritten);
	for (cause = 0; cause < LKST_LOSS_NR; cause++)
		fprintf(to, "%s\"%s\":%" PRIu64, cause ? "," : "", lkst_loss_keys[cause],
			ring->lost[cause]);
	fprintf(to, "}}");
}

static void write_history_json(const struct lkst_report *r, FILE *to)
{
	const struct lkst_history *h = &r->history;
	unsigned int i;

	fprintf(to,
		"\"history\":{\"is_wished\":%s,\"wish_s\":%.3f,\"wish_buffer_bytes\":%" PRIu64
		",\"wish_memory_bytes\":%" PRIu64 ",\"buffers\":[",
		h->is_wished ? "true" : "false", h->wish_s, h->buffer_bytes, h->memory_bytes);
	for (i = 0; i < h->nr; i++)
		fprintf(to,
			"%s{\"buffer\":\"%s\",\"cpu\":%u,\"bytes_per_s\":%.1f,\"holds_s\":%.3f}",
			i ? "," : "", h->held[i].name, h->held[i].cpu, h->held[i].rate,
			h->held[i].seconds);
	fprintf(to, "]}");
}

static void write_skipped_json(const struct lkst_report *r, FILE *to)
{
	const char *separator = "";
	unsigned int i;

	fprintf(to, "\"skipped\":{");
	for (i = 0; i < r->nr_hooks; i++) {
		if (!r->hooks[i].skipped)
			continue;
		fprintf(to, "%s\"%s\":%" PRIu64, separator, r->hooks[i].name, r->hooks[i].skipped);
		separator = ",";
	}
	fprintf(to, "}");
}

/* What a run, a record and a string cost on this machine. */
static void write_units_json(const struct lkst_costs *c, FILE *to)
{
	static const char *const types[LKST_HOOK_TYPE_NR] = {
		[LKST_HOOK_TYPE_TRACEPOINT] = "tracepoint", [LKST_HOOK_TYPE_SYSCALL] = "syscall",
		[LKST_HOOK_TYPE_BY_NAME] = "by_name",	    [LKST_HOOK_TYPE_KPROBE] = "kprobe",
		[LKST_HOOK_TYPE_KRETPROBE] = "kretprobe",
	};
	/* What recording adds. */
	static const char *const records[] = { "record", "syscall_record", "string" };
	unsigned int i;

	fprintf(to, "\"measuring_us\":%u,\"measured\":[", c->took_us);
	for (i = 0; i < LKST_COST_UNIT_NR; i++)
		if (c->measured & 1U << i)
			fprintf(to, "%s\"%s\"", c->measured & ((1U << i) - 1) ? "," : "",
				i < LKST_HOOK_TYPE_NR ? types[i]
						      : records[i - LKST_COST_UNIT_RECORD]);
	fprintf(to, "],\"hook_ns\":{");
	for (i = 0; i < LKST_HOOK_TYPE_NR; i++)
		fprintf(to, "%s\"%s\":%u", i ? "," : "", types[i], c->hook_ns[i]);
	fprintf(to, "},\"record_ns\":%u,\"syscall_ns\":%u,\"string_ns\":%u", c->record_ns,
		c->syscall_ns, c->string_ns);
}

static void write_cost_json(const struct lkst_report *r, FILE *to)
{
	const struct lkst_cost *c = &r->cost;
	unsigned int i;

	fprintf(to,
		"\"cost\":{\"us_per_s\":%.3f,\"idle_us_per_s\":%.3f,\"busy_us_per_s\":%.0f,"
		"\"share\":%.6f,\"slowdown\":%.6f,\"busiest_cpu\":%u,\"busiest_share\":%.6f,",
		c->us_per_second, c->idle_us_per_second, c->busy_us_per_second,
		c->us_per_second / 1e6 / r->nr_cpus, lkst_cost_slowdown(c), c->busiest_cpu,
		c->busiest_share);
	write_units_json(&r->budget.page.costs, to);
	fprintf(to, ",\"kinds\":[");
	for (i = 0; i < c->nr_rows; i++)
		fprintf(to,
			"%s{\"kind\":\"%s\",\"per_s\":%.1f,\"idle_per_s\":%.1f,\"hook_ns\":%u,"
			"\"handler_ns\":%u,\"us_per_s\":%.3f}",
			i ? "," : "", c->rows[i].name, c->rows[i].per_second,
			c->rows[i].idle_per_second, c->rows[i].unit.hook_ns,
			c->rows[i].unit.handler_ns, c->rows[i].us_per_second);
	fprintf(to, "]}");
}

static void write_budget_json(const struct lkst_report *r, FILE *to)
{
	const struct lkst_budget *b = &r->budget.page;
	const char *separator = "";
	unsigned int i;

	fprintf(to, "\"limit\":");
	if (!b->limit_ppm) {
		fprintf(to, "null");
		return;
	}
	fprintf(to,
		"{\"share\":%.6f,\"busiest_share\":%.6f,\"idle_share\":%.6f,\"helper\":%s,"
		"\"left_out\":[",
		b->limit_ppm / 1e6, b->busiest_ppm / 1e6, b->idle_ppm / 1e6,
		r->has_helper ? "true" : "false");
	for (i = 0; i < b->nr_kinds; i++) {
		const struct lkst_kind *k = &r->budget.kinds[i];

		if (!k->times)
			continue;
		fprintf(to,
			"%s{\"kind\":\"%s\",\"now\":%s,\"detached\":%s,\"seconds\":%.3f,\"times\":%u,"
			"\"tries\":%u}",
			separator, k->name, k->is_shed ? "true" : "false",
			lkst_budget_is_off(&r->budget, i) ? "true" : "false",
			lkst_kind_shed_ns(k, r->now_ns) / 1e9, k->times, k->tries);
		separator = ",";
	}
	fprintf(to, "]}");
}

static void write_json(const struct lkst_report *r, FILE *to)
{
	unsigned int i;

	fprintf(to,
		"{\"recording\":true,\"maskset\":%u,\"maskset_name\":\"%s\",\"events\":%u,"
		"\"seconds\":%.3f,\"memory_bytes\":%" PRIu64 ",\"block_bytes\":%u,\"rings\":[",
		r->maskset, r->maskset_name, r->nr_events, r->seconds, r->memory_bytes,
		r->block_bytes);
	for (i = 0; i < r->nr_rings; i++) {
		fprintf(to, "%s", i ? "," : "");
		write_ring_json(&r->rings[i], to);
	}
	fprintf(to, "],");
	write_history_json(r, to);
	fprintf(to, ",");
	write_skipped_json(r, to);
	fprintf(to, ",");
	write_cost_json(r, to);
	fprintf(to, ",");
	write_budget_json(r, to);
	fprintf(to, ",\"hooks\":%u}\n", r->nr_attached);
}

/* @r NULL: nothing is recorded. */
static void write_page(const struct lkst_report *r, enum lkst_wire_form form, FILE *to)
{
	if (form == LKST_WIRE_PROMETHEUS)
		lkst_status_write_prometheus(r, to);
	else if (form == LKST_WIRE_JSON && r)
		write_json(r, to);
	else if (r)
		write_text(r, to);
	else
		fprintf(to, form == LKST_WIRE_JSON ? "{\"recording\":false}\n"
						   : "nothing is being recorded\n");
}

int lkst_status_write(struct lkst_err *e, enum lkst_wire_form form, FILE *to)
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
	if (!err)
		write_page(exists ? &r : NULL, form, to);
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	enum lkst_wire_form form = o->prometheus ? LKST_WIRE_PROMETHEUS
				   : o->json	 ? LKST_WIRE_JSON
						 : LKST_WIRE_TEXT;
	int err;

	if (o->json && o->prometheus)
		return lkst_err_set(e, -EINVAL, "choose one of --json and --prometheus");
	err = lkst_remote_is_wanted(o->socket) ? lkst_remote_status(e, o->socket, form, stdout)
					       : lkst_status_write(e, form, stdout);
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = lkst_err_sys(e, -errno, "writing the status");
	return err;
}

const struct lkst_cmd lkst_cmd_status = {
	.name = "status",
	.summary = "what the recording holds, what it has lost, and what it costs",
	.help = "Shows for each CPU and buffer its size, the age of the oldest record that is still\n"
		"there, what was written and overwritten, how many seconds the buffers hold at the rate\n"
		"of the last five, and how much memory a minute, or the time of `lkst start --history`, needs;\n"
		"every loss with its cause, and how much CPU time recording costs, by kind of event: how often\n"
		"it was recorded, and how often its hook ran in vain, in a quarter of a second, times\n"
		"the cost of each on this machine. Without root it asks the service (lkst serve), which\n"
		"answers members of "
		"group lkst.",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
