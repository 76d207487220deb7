/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst check: verifies every block of a trace and prints the ledger. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/state.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "trace/reader.h"

enum { GAPS_SHOWN = 20 };

struct options {
	bool counts;
	bool json;
};

static const struct lkst_option rows[] = {
	{ "counts", 'c', LKST_OPTION_FLAG, NULL, offsetof(struct options, counts), 0, 0, NULL,
	  "how many records of each event there are" },
	{ "json", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, json), 0, 0, NULL,
	  "one JSON object, for programs" },
	{ 0 },
};

/* What one pass over a trace found. */
struct findings {
	u64 count[LKST_ID_MAX + 1]; /* records by id */
	u64 bytes[LKST_ID_MAX + 1]; /* of them, alignment not counted */
	u64 records, gaps;
	u64 bad_blocks, missing_blocks, lost_events, blocks;
};

static void print_gap(const struct lkst_gap *g, u64 nr)
{
	if (nr < GAPS_SHOWN)
		printf("gap: CPU %u, buffer %u, %.6f to %.6f s: %s (%" PRIu64 " blocks, %" PRIu64
		       " events known)\n",
		       g->cpu, g->buffer, g->from_ns / 1e9, g->to_ns / 1e9, g->why, g->blocks,
		       g->events);
	else if (nr == GAPS_SHOWN)
		printf("more gaps follow\n");
}

/* A line of the ledger that was written when the trace was. */
static void print_ledger(const struct lkst_record *r)
{
	const struct lkst_event_class *c = r->event;
	const struct lkst_field_class *cpu = lkst_class_field(c, "loss_cpu");
	const struct lkst_field_class *buffer = lkst_class_field(c, "buffer");
	const struct lkst_field_class *cause = lkst_class_field(c, "cause");
	const struct lkst_field_class *count = lkst_class_field(c, "count");
	const struct lkst_field_class *blocks = lkst_class_field(c, "blocks");
	const struct lkst_field_class *level = lkst_class_field(c, "level");
	const struct lkst_field_class *torn = lkst_class_field(c, "records");
	u64 why;

	if (c->index == LKST_EV_state_loss && cpu && buffer && cause && count) {
		why = lkst_record_int(r, cause);
		printf("ledger: CPU %" PRId64 ", buffer %" PRIu64 ": %" PRIu64 " events: %s\n",
		       (s64)lkst_record_int(r, cpu), lkst_record_int(r, buffer),
		       lkst_record_int(r, count),
		       why < LKST_LOSS_NR ? lkst_loss_names[why] : "cause not known");
	} else if (c->index == LKST_EV_state_overwritten && cpu && buffer && blocks) {
		printf("ledger: CPU %" PRId64 ", buffer %" PRIu64,
		       (s64)lkst_record_int(r, cpu), lkst_record_int(r, buffer));
		if (level && lkst_record_int(r, level))
			printf(", level %" PRIu64, lkst_record_int(r, level));
		printf(": %" PRIu64 " blocks overwritten before they were read\n",
		       lkst_record_int(r, blocks));
	} else if (c->index == LKST_EV_state_torn && cpu && buffer && torn) {
		printf("ledger: CPU %" PRId64 ", buffer %" PRIu64 ": %" PRIu64
		       " records cut off that were being written when the kernel stopped\n",
		       (s64)lkst_record_int(r, cpu), lkst_record_int(r, buffer),
		       lkst_record_int(r, torn));
	} else if (c->index == LKST_EV_state_shed && c->nr_fields > 3) {
		u32 length;
		const u8 *kind = lkst_record_field(r, 3, &length);

		printf("ledger: %.*s was left out %" PRIu64
		       " times to keep to the cost limit, for %.3f s in all\n",
		       (int)length, (const char *)kind, lkst_record_int(r, &c->fields[1]),
		       lkst_record_int(r, &c->fields[0]) / 1e9);
	} else if (c->index == LKST_EV_state_skipped && count && c->nr_fields > 1) {
		u32 length;
		const u8 *hook = lkst_record_field(r, 1, &length);

		printf("ledger: %.*s was skipped %" PRIu64
		       " times: it was already running on the CPU\n",
		       (int)length, (const char *)hook, lkst_record_int(r, count));
	}
}

static void take_gaps(struct lkst_merge *m, bool json, struct findings *f)
{
	struct lkst_gap gap;

	while (lkst_merge_gap(m, &gap) > 0) {
		if (!json)
			print_gap(&gap, f->gaps);
		f->gaps++;
	}
}

static int walk(struct lkst_err *e, struct lkst_trace *t, bool json, struct findings *f)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	struct lkst_record r;
	int err;

	err = lkst_merge_new(e, t, 0, UINT64_MAX, &m);
	if (err)
		return err;
	while (lkst_merge_next(m, &r) > 0) {
		f->count[r.event->id]++;
		f->bytes[r.event->id] += r.size;
		f->records++;
		if (!json && r.event->group == LKST_GROUP_STATE)
			print_ledger(&r);
		take_gaps(m, json, f);
	}
	take_gaps(m, json, f);
	return 0;
}

static void print_streams(const struct lkst_trace *t)
{
	unsigned int i;

	printf("%-16s%5s%8s%10s%10s%10s%14s\n", "stream", "CPU", "buffer", "blocks", "missing",
	       "damaged", "lost events");
	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *s = lkst_trace_stream(t, i);

		printf("%-16s%5u%8u%10u%10" PRIu64 "%10" PRIu64 "%14" PRIu64 "\n", s->file, s->cpu,
		       s->buffer, s->nr_blocks, s->nr_missing_blocks, s->nr_bad_blocks,
		       s->nr_lost_events);
	}
}

static void sum_streams(const struct lkst_trace *t, struct findings *f)
{
	unsigned int i;

	for (i = 0; i < lkst_trace_nr_streams(t); i++) {
		const struct lkst_stream_info *s = lkst_trace_stream(t, i);

		f->blocks += s->nr_blocks;
		f->bad_blocks += s->nr_bad_blocks;
		f->missing_blocks += s->nr_missing_blocks;
		f->lost_events += s->nr_lost_events;
	}
}

static void print_counts(const struct lkst_catalog *c, const struct findings *f, bool json)
{
	bool first = true;
	unsigned int id;

	if (!json)
		printf("\n%12s %8s  %s\n", "records", "bytes", "event");
	for (id = 0; id <= LKST_ID_MAX; id++) {
		if (!f->count[id])
			continue;
		if (json)
			printf("%s\"%s\":%" PRIu64, first ? "" : ",", c->classes[id]->name,
			       f->count[id]);
		else
			printf("%12" PRIu64 " %8.1f  %s\n", f->count[id],
			       (double)f->bytes[id] / f->count[id], c->classes[id]->name);
		first = false;
	}
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_free_ struct findings *f = calloc(1, sizeof(*f));
	bool damaged;
	int err;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "checking %s", args[0]);
	err = lkst_cmd_open_trace(e, args, nr_args, &t);
	if (err)
		return err;
	if (!o->json)
		print_streams(t);
	err = walk(e, t, o->json, f);
	if (err)
		return err;
	sum_streams(t, f);
	damaged = f->bad_blocks || f->missing_blocks || f->gaps || lkst_trace_is_partial(t);
	if (o->json) {
		printf("{\"records\":%" PRIu64 ",\"blocks\":%" PRIu64 ",\"bad_blocks\":%" PRIu64
		       ",\"missing_blocks\":%" PRIu64 ",\"lost_events\":%" PRIu64
		       ",\"gaps\":%" PRIu64 ",\"is_partial\":%s,\"counts\":{",
		       f->records, f->blocks, f->bad_blocks, f->missing_blocks, f->lost_events,
		       f->gaps, lkst_trace_is_partial(t) ? "true" : "false");
		print_counts(lkst_trace_catalog(t), f, true);
		printf("}}\n");
	} else {
		if (o->counts)
			print_counts(lkst_trace_catalog(t), f, false);
		printf("%" PRIu64 " records in %" PRIu64 " blocks: %s\n", f->records, f->blocks,
		       damaged ? "damaged or incomplete" : "all good");
	}
	return damaged ? 1 : 0;
}

const struct lkst_cmd lkst_cmd_check = {
	.name = "check",
	.summary = "verify every block of a trace and print the ledger of losses",
	.usage = "check [--counts] [--json] TRACE...",
	.help = "Reads every block and record of TRACE, a directory or a file, and checks that they make\n"
		"sense. Prints what is missing and why. The exit status is 1 if a block is damaged or\n"
		"missing, or if the copying that made TRACE was broken off. The parts of one recording,\n"
		"or the directory that they are in, are read as one.",
	.options = rows,
	.options_size = sizeof(struct options),
	.min_args = 1,
	.max_args = LKST_LIST_MAX,
	.run = run,
};
