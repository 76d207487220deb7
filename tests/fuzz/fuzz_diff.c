/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of criteria, of the statistics, and of comparisons of any two traces. The first byte chooses. What is
 * taken of a criterion is within its limits; results of tests are shares; a comparison of a trace with itself finds
 * nothing, and one of any two gives rows that agree with their sides.
 *
 * prints: text csv json
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/criterion.h"
#include "analyze/diff/statistics.h"
#include "cmd/read/diff_report.h"
#include "lib/make_trace.h"
#include "lib/printed.h"
#include "source.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	CPUS = 3,
	TIDS = 6,
	RECORDS = 120,
	CLASSES = 200,
};

static char scratch[64], paths[2][80];

static void remove_traces(void)
{
	static const char *const names[] = { "metadata", "state", "main.0", "main.1", "main.2" };
	char file[128];
	size_t i, k;

	for (k = 0; k < 2; k++) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			snprintf(file, sizeof(file), "%s/%s", paths[k], names[i]);
			unlink(file);
		}
		rmdir(paths[k]);
	}
}

static void remove_scratch(void)
{
	remove_traces();
	rmdir(scratch);
}

/* ---- criteria -------------------------------------------------------------------------------- */

static void parse(const u8 *data, size_t size)
{
	struct lkst_criterion c;
	struct lkst_err e = {};
	char text[512];

	if (size >= sizeof(text))
		return;
	memcpy(text, data, size);
	text[size] = 0;
	if (lkst_criterion_parse(&e, text, &c)) {
		printed_error(&e);
		if (text[0] && e.mark > strlen(text))
			abort();
		return;
	}
	if (!(c.q >= 0 && c.q <= 1) || !(c.share >= 0) || (c.is_less && c.share > 1) ||
	    c.of > LKST_CRITERION_MAX || !strchr(c.key, ':') || !memchr(c.key, 0, sizeof(c.key)) ||
	    strpbrk(c.key, " \t"))
		abort();
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void check_share(double share)
{
	if (!(share >= 0 && share <= 1))
		abort();
}

static void calculate(struct source *in)
{
	struct lkst_rank_class classes[CLASSES] = {};
	struct lkst_hist h[2] = {};
	struct lkst_rank_test test;
	struct lkst_resampled result;
	double p[CLASSES];
	u32 nr = 1 + next(in) % CLASSES, i, k;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < 2; k++) {
			u64 times = next(in) & 3 ? next(in) & 7 : (u64)next(in) << (next(in) & 31);

			classes[i].nr[k] = times;
			if (lkst_hist_add(&h[k], (u64)next(in) << (next(in) & 55), times))
				abort();
		}
		p[i] = next(in) / 255.0;
	}
	if (lkst_rank_test(classes, nr, &test)) {
		check_share(test.p);
		check_share(test.greater);
	}
	if (lkst_rank_adjust(p, nr))
		abort();
	for (i = 0; i < nr; i++)
		check_share(p[i]);
	check_share(lkst_beyond_p(&h[0], &h[1], 1 + next(in) / 16.0));
	if (h[0].count && h[1].count) {
		if (lkst_resample_hists(&h[0], &h[1], next(in) & 1 ? -1 : next(in) / 255.0,
					1 + next(in) / 16.0, &result))
			abort();
		check_share(result.more);
		check_share(result.less);
		if (!(result.low <= result.high))
			abort();
	}
	for (k = 0; k < 2; k++)
		lkst_hist_fini(&h[k]);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static struct lkst_catalog *catalog(void)
{
	struct lkst_catalog *c = make_catalog_for(true);
	struct lkst_err e;

	if (lkst_catalog_add_syscall(&e, c, LKST_NR_EVENTS + 100, LKST_NR_EVENTS + 101, 0) ||
	    lkst_catalog_add_syscall(&e, c, LKST_NR_EVENTS + 102, LKST_NR_EVENTS + 103, 1))
		abort();
	return c;
}

static void put_record(struct make_trace *t, const struct lkst_event_class *event, u64 ns,
		       struct source *in)
{
	char line[2048];
	size_t used;
	u16 i;

	used = (size_t)snprintf(line, sizeof(line), "%s cpu=%u tid=%u ns=%llu", event->name,
				next(in) % CPUS, next(in) % TIDS, (unsigned long long)ns);
	/* A field called as the place of a record cannot be given. */
	for (i = 0; i < event->nr_fields && used < sizeof(line) - 64; i++) {
		u8 byte = next(in);

		if (strcmp(event->fields[i].name, "buffer") &&
		    strcmp(event->fields[i].name, "level"))
			used += (size_t)snprintf(line + used, sizeof(line) - used, " %s=%s%u",
						 event->fields[i].name, byte > 250 ? "-" : "",
						 byte % 16);
	}
	if (make_text(t, line))
		abort();
}

static void make(const char *path, struct source *in)
{
	/* What has a begin and an end comes more often than the others. */
	static const u16 often[] = { LKST_EV_sched_switch,	LKST_EV_sched_waking,
				     LKST_EV_block_rq_issue,	LKST_EV_block_rq_complete,
				     LKST_EV_contention_begin,	LKST_EV_contention_end,
				     LKST_EV_irq_handler_entry, LKST_EV_irq_handler_exit };
	struct make_trace *t = make_begin(path, catalog(), 4096);
	u64 ns = 1000;
	u32 i;

	for (i = 0; i < RECORDS; i++) {
		u16 kind = next(in), id = LKST_NR_EVENTS + 100 + kind % 4;
		char line[64];

		ns += (u64)next(in) << (kind & 15);
		if (kind < 96)
			id = often[kind % (sizeof(often) / sizeof(often[0]))] + 1;
		else if (kind < 128)
			id = (u16)(next(in) * 256u + next(in)) % LKST_NR_EVENTS + 1;
		if (kind > 248) {
			snprintf(line, sizeof(line), "!skip cpu=%u blocks=1", next(in) % CPUS);
			if (make_text(t, line))
				abort();
		} else if (t->catalog->classes[id]) {
			put_record(t, t->catalog->classes[id], ns, in);
		}
	}
	if (make_end(t))
		abort();
}

static void check_rows(const struct lkst_diff *d, bool is_same)
{
	u32 i;

	if (is_same && d->nr_significant)
		abort();
	for (i = 0; i < d->nr_rows; i++) {
		const struct lkst_diff_row *r = &d->rows[i];
		struct lkst_criterion c = { .of = (enum lkst_criterion_of)(i % 5), .q = 0.99 };
		struct lkst_diff_pair pair;
		struct lkst_verdict v;

		if ((!r->of[0] && !r->of[1]) || !(r->time[0] >= 0) || !(r->time[1] >= 0))
			abort();
		lkst_diff_examples(r, &pair);
		memcpy(c.key, r->name, sizeof(c.key));
		if (lkst_criterion_judge(d, &c, 1, &v))
			abort();
		check_share(v.p);
		if (is_same && v.is_met && v.is_sure)
			abort();
	}
}

/* As `lkst diff` does, with a criterion, and the longest of both explained. */
static void print(const struct lkst_diff *d, struct lkst_trace *const traces[2])
{
	static const enum printed_form forms[] = { PRINTED_TEXT, PRINTED_CSV, PRINTED_JSON };
	static char text[] = "wait p99 <= 5%";
	char *const texts[] = { text };
	struct lkst_criterion c = { .of = LKST_CRITERION_MAX, .q = 0.99 };
	struct lkst_diff_report r = { .diff = d,
				      .names = { "=a\033", "b\xff" },
				      .traces = { traces[0], traces[1] },
				      .criteria = &c,
				      .criterion_texts = texts,
				      .nr_criteria = 1,
				      .has_all = true,
				      .max_rows = UINT64_MAX,
				      .max_whys = 1 };
	struct lkst_verdict v;
	struct lkst_err e;

	memcpy(c.key, d->nr_rows ? d->rows[0].name : "syscall:read", d->nr_rows ? sizeof(c.key) : 13);
	if (lkst_criterion_judge(d, &c, 1, &v))
		abort();
	r.verdicts = &v;
	for (r.format = LKST_TABLE_TEXT; r.format <= LKST_TABLE_JSON; r.format++) {
		if (lkst_diff_report_print(&e, &r, printed_begin()))
			abort();
		printed_end(forms[r.format]);
	}
}

static void compare(unsigned int a, unsigned int b, bool is_long)
{
	struct lkst_diff_options options = { .level = 0.05 };
	const unsigned int which[2] = { a, b };
	struct lkst_diff_side *sides[2];
	struct lkst_trace *traces[2];
	struct lkst_diff *d = NULL;
	struct lkst_err e;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct lkst_diff_side_options o = { .group = is_long ? LKST_DIFF_BY_THREAD
								     : LKST_DIFF_BY_PROCESS };

		if (lkst_trace_open(&e, paths[which[i]], &traces[i]))
			abort();
		lkst_trace_range(traces[i], &o.from_ns, &o.to_ns);
		o.step_ns = is_long ? 1 + (o.to_ns - o.from_ns) / 7 : 1;
		if (lkst_diff_side_new(&e, traces[i], &o, &sides[i]))
			abort();
	}
	if (!lkst_diff_new(&e, sides[0], sides[1], &options, &d)) {
		check_rows(d, a == b);
		print(d, traces);
		lkst_diff_free(d);
	}
	for (i = 0; i < 2; i++)
		lkst_trace_close(traces[i]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct source in = { .data = data, .left = size };
	u8 what = next(&in);

	if (!scratch[0]) {
		snprintf(scratch, sizeof(scratch), "/dev/shm/lkst-fuzz-XXXXXX");
		if (!mkdtemp(scratch))
			abort();
		snprintf(paths[0], sizeof(paths[0]), "%s/a", scratch);
		snprintf(paths[1], sizeof(paths[1]), "%s/b", scratch);
		atexit(remove_scratch);
	}
	if (what < 'a') {
		calculate(&in);
		return 0;
	}
	if (what >= 'b' || !size) {
		parse(data, size);
		return 0;
	}
	remove_traces();
	make(paths[0], &in);
	make(paths[1], &in);
	compare(0, 1, true);
	compare(0, 0, in.left & 1);
	return 0;
}
