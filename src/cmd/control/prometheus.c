/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status in the text form of Prometheus, version 0.0.4: a family of metrics after the other,
 * each with its help and type. The collector computes rates: all that grows is a counter.
 */
#include <inttypes.h>

#include "cmd/control/status.h"

static void prometheus_begin(struct lkst_out *out, const char *name, const char *type, const char *help)
{
	lkst_out_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void prometheus_write_rings(const struct lkst_report *r, struct lkst_out *out)
{
	/* A family per number of a ring. */
	static const struct {
		const char *name, *type, *help;
	} families[] = {
		{ "lkst_history_seconds", "gauge",
		  "Age of the oldest record that is still there." },
		{ "lkst_buffer_bytes", "gauge", "What the buffer can hold." },
		{ "lkst_written_bytes_total", "counter", "Bytes of records written." },
		{ "lkst_overwritten_blocks_total", "counter",
		  "Blocks that made room for newer ones; no loss." },
	};
	unsigned int f, i;

	for (f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		prometheus_begin(out, families[f].name, families[f].type, families[f].help);
		for (i = 0; i < r->nr_rings; i++) {
			const struct lkst_ring_report *ring = &r->rings[i];
			const u64 counts[] = { 0, ring->bytes, ring->written_bytes,
					       ring->overwritten };

			lkst_out_printf(out, "%s{cpu=\"%u\",buffer=\"%s\"} ", families[f].name,
					ring->cpu, ring->name);
			if (f)
				lkst_out_printf(out, "%" PRIu64 "\n", counts[f]);
			else
				lkst_out_printf(out, "%.6f\n", ring->history_s);
		}
	}
}

static void prometheus_write_losses(const struct lkst_report *r, struct lkst_out *out)
{
	unsigned int i;
	int cause;

	prometheus_begin(out, "lkst_lost_events_total", "counter", "Records that should be there, by cause.");
	for (i = 0; i < r->nr_rings; i++)
		for (cause = 0; cause < LKST_LOSS_NR; cause++)
			lkst_out_printf(
				out,
				"lkst_lost_events_total{cpu=\"%u\",buffer=\"%s\",cause=\"%s\"} "
				"%" PRIu64 "\n",
				r->rings[i].cpu, r->rings[i].name, lkst_loss_keys[cause],
				r->rings[i].lost[cause]);
	prometheus_begin(out, "lkst_skipped_runs_total", "counter",
			 "Runs of a hook's program that the kernel skipped.");
	for (i = 0; i < r->nr_hooks; i++)
		lkst_out_printf(out, "lkst_skipped_runs_total{hook=\"%s\"} %" PRIu64 "\n",
				r->hooks[i].name, r->hooks[i].skipped);
}

/*
 * What recording costs, as it is, not summed up: counting begins when it is asked for. Only what the
 * controller keeps grows.
 */
static void prometheus_write_cost(const struct lkst_report *r, struct lkst_out *out)
{
	const struct lkst_budget *b = &r->budget.page;
	unsigned int i, nr_off = 0;

	prometheus_begin(out, "lkst_cost_ratio", "gauge",
			 "CPU time per second that recording takes, by kind.");
	for (i = 0; i < r->cost.nr_rows; i++)
		lkst_out_printf(out, "lkst_cost_ratio{kind=\"%s\"} %.9f\n", r->cost.rows[i].name,
				r->cost.rows[i].us_per_second / 1e6);
	prometheus_begin(out, "lkst_idle_cost_ratio", "gauge",
			 "CPU time per second of hooks that record nothing; a part of lkst_cost_ratio.");
	lkst_out_printf(out, "lkst_idle_cost_ratio %.9f\n", r->cost.idle_us_per_second / 1e6);
	prometheus_begin(out, "lkst_slowdown_ratio", "gauge",
			 "CPU time of recording over that of all else that runs.");
	lkst_out_printf(out, "lkst_slowdown_ratio %.9f\n", lkst_cost_slowdown(&r->cost));
	prometheus_begin(out, "lkst_cost_busiest_ratio", "gauge",
			 "Share of the time of the CPU where recording costs most.");
	lkst_out_printf(out, "lkst_cost_busiest_ratio %.9f\n", r->cost.busiest_share);
	if (!b->limit_ppm)
		return;
	prometheus_begin(out, "lkst_cost_limit_ratio", "gauge", "What recording may cost of each CPU's time.");
	lkst_out_printf(out, "lkst_cost_limit_ratio %.6f\n", b->limit_ppm / 1e6);
	prometheus_begin(out, "lkst_left_out_kinds", "gauge", "Kinds of events left out now, for their cost.");
	lkst_out_printf(out, "lkst_left_out_kinds %u\n", b->nr_shed);
	prometheus_begin(out, "lkst_detached_hook_groups", "gauge",
			 "Groups of hooks that are detached because what they serve is left out.");
	for (i = 0; i < b->nr_groups; i++)
		nr_off += r->budget.groups[i].is_off != 0;
	lkst_out_printf(out, "lkst_detached_hook_groups %u\n", nr_off);
	prometheus_begin(out, "lkst_limit_helper", "gauge",
			 "1 if there is a process that detaches what is left out (`lkst limit`).");
	lkst_out_printf(out, "lkst_limit_helper %d\n", r->has_helper);
	prometheus_begin(out, "lkst_left_out_seconds_total", "counter", "How long a kind was left out.");
	for (i = 0; i < b->nr_kinds; i++)
		if (r->budget.kinds[i].times)
			lkst_out_printf(out, "lkst_left_out_seconds_total{kind=\"%s\"} %.3f\n",
					r->budget.kinds[i].name,
					lkst_kind_shed_ns(&r->budget.kinds[i], r->now_ns) / 1e9);
}

void lkst_status_write_prometheus(const struct lkst_report *r, struct lkst_out *out)
{
	prometheus_begin(out, "lkst_recording", "gauge", "1 while the kernel is being recorded, else 0.");
	lkst_out_printf(out, "lkst_recording %d\n", r != NULL);
	if (!r)
		return;
	prometheus_begin(out, "lkst_recording_seconds", "gauge", "Time since the recording began.");
	lkst_out_printf(out, "lkst_recording_seconds %.3f\n", r->seconds);
	prometheus_begin(out, "lkst_memory_bytes", "gauge", "Memory that all buffers take.");
	lkst_out_printf(out, "lkst_memory_bytes %" PRIu64 "\n", r->memory_bytes);
	prometheus_begin(out, "lkst_events", "gauge", "Events that the active maskset records.");
	lkst_out_printf(out, "lkst_events %u\n", r->nr_events);
	prometheus_begin(out, "lkst_hooks", "gauge", "Hooks that are attached.");
	lkst_out_printf(out, "lkst_hooks %u\n", r->nr_attached);
	prometheus_write_rings(r, out);
	prometheus_write_losses(r, out);
	prometheus_write_cost(r, out);
}
