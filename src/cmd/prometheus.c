/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status in the text form of Prometheus, version 0.0.4: a family of metrics after the other,
 * each with its help and type. The collector computes rates: all that grows is a counter.
 */
#include <inttypes.h>

#include "cmd/status.h"

static void begin(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_rings(const struct lkst_report *r, FILE *to)
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
		begin(to, families[f].name, families[f].type, families[f].help);
		for (i = 0; i < r->nr_rings; i++) {
			const struct lkst_ring_report *ring = &r->rings[i];
			const u64 counts[] = { 0, ring->bytes, ring->written_bytes,
					       ring->overwritten };

			fprintf(to, "%s{cpu=\"%u\",buffer=\"%s\"} ", families[f].name, ring->cpu,
				ring->name);
			if (f)
				fprintf(to, "%" PRIu64 "\n", counts[f]);
			else
				fprintf(to, "%.6f\n", ring->history_s);
		}
	}
}

static void write_losses(const struct lkst_report *r, FILE *to)
{
	unsigned int i;
	int cause;

	begin(to, "lkst_lost_events_total", "counter", "Records that should be there, by cause.");
	for (i = 0; i < r->nr_rings; i++)
		for (cause = 0; cause < LKST_LOSS_NR; cause++)
			fprintf(to,
				"lkst_lost_events_total{cpu=\"%u\",buffer=\"%s\",cause=\"%s\"} "
				"%" PRIu64 "\n",
				r->rings[i].cpu, r->rings[i].name, lkst_loss_keys[cause],
				r->rings[i].lost[cause]);
	begin(to, "lkst_skipped_runs_total", "counter",
	      "Runs of a hook's program that the kernel skipped.");
	for (i = 0; i < r->nr_hooks; i++)
		fprintf(to, "lkst_skipped_runs_total{hook=\"%s\"} %" PRIu64 "\n", r->hooks[i].name,
			r->hooks[i].skipped);
}

/*
 * What recording costs, as it is, not summed up: counting begins when it is asked for. Only what the
 * controller keeps grows.
 */
static void write_cost(const struct lkst_report *r, FILE *to)
{
	const struct lkst_budget *b = &r->budget.page;
	unsigned int i, nr_off = 0;

	begin(to, "lkst_cost_ratio", "gauge", "CPU time per second that recording takes, by kind.");
	for (i = 0; i < r->cost.nr_rows; i++)
		fprintf(to, "lkst_cost_ratio{kind=\"%s\"} %.9f\n", r->cost.rows[i].name,
			r->cost.rows[i].us_per_second / 1e6);
	begin(to, "lkst_idle_cost_ratio", "gauge",
	      "CPU time per second of hooks that record nothing; a part of lkst_cost_ratio.");
	fprintf(to, "lkst_idle_cost_ratio %.9f\n", r->cost.idle_us_per_second / 1e6);
	begin(to, "lkst_slowdown_ratio", "gauge",
	      "CPU time of recording over that of all else that runs.");
	fprintf(to, "lkst_slowdown_ratio %.9f\n", lkst_cost_slowdown(&r->cost));
	begin(to, "lkst_cost_busiest_ratio", "gauge",
	      "Share of the time of the CPU where recording costs most.");
	fprintf(to, "lkst_cost_busiest_ratio %.9f\n", r->cost.busiest_share);
	if (!b->limit_ppm)
		return;
	begin(to, "lkst_cost_limit_ratio", "gauge", "What recording may cost of each CPU's time.");
	fprintf(to, "lkst_cost_limit_ratio %.6f\n", b->limit_ppm / 1e6);
	begin(to, "lkst_left_out_kinds", "gauge", "Kinds of events left out now, for their cost.");
	fprintf(to, "lkst_left_out_kinds %u\n", b->nr_shed);
	begin(to, "lkst_detached_hook_groups", "gauge",
	      "Groups of hooks that are detached because what they serve is left out.");
	for (i = 0; i < b->nr_groups; i++)
		nr_off += r->budget.groups[i].is_off != 0;
	fprintf(to, "lkst_detached_hook_groups %u\n", nr_off);
	begin(to, "lkst_limit_helper", "gauge",
	      "1 if there is a process that detaches what is left out (`lkst limit`).");
	fprintf(to, "lkst_limit_helper %d\n", r->has_helper);
	begin(to, "lkst_left_out_seconds_total", "counter", "How long a kind was left out.");
	for (i = 0; i < b->nr_kinds; i++)
		if (r->budget.kinds[i].times)
			fprintf(to, "lkst_left_out_seconds_total{kind=\"%s\"} %.3f\n",
				r->budget.kinds[i].name,
				lkst_kind_shed_ns(&r->budget.kinds[i], r->now_ns) / 1e9);
}

void lkst_status_write_prometheus(const struct lkst_report *r, FILE *to)
{
	begin(to, "lkst_recording", "gauge", "1 while the kernel is being recorded, else 0.");
	fprintf(to, "lkst_recording %d\n", r != NULL);
	if (!r)
		return;
	begin(to, "lkst_recording_seconds", "gauge", "Time since the recording began.");
	fprintf(to, "lkst_recording_seconds %.3f\n", r->seconds);
	begin(to, "lkst_memory_bytes", "gauge", "Memory that all buffers take.");
	fprintf(to, "lkst_memory_bytes %" PRIu64 "\n", r->memory_bytes);
	begin(to, "lkst_events", "gauge", "Events that the active maskset records.");
	fprintf(to, "lkst_events %u\n", r->nr_events);
	begin(to, "lkst_hooks", "gauge", "Hooks that are attached.");
	fprintf(to, "lkst_hooks %u\n", r->nr_attached);
	write_rings(r, to);
	write_losses(r, to);
	write_cost(r, to);
}
