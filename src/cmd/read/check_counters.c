/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparison with the kernel's own counters, as text and as JSON. */
#include "cmd/read/check_counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	LINES_SHOWN = 20,
	NAME_ROOM = 64,
	WHY_ROOM = 96,
	TITLE_ROOM = 96,
};

static const char *const vector_names[] = {
	[LKST_VECTOR_TIMER] = "local timer",
	[LKST_VECTOR_RESCHEDULE] = "reschedule",
	[LKST_VECTOR_CALL] = "function call",
};
_Static_assert(sizeof(vector_names) / sizeof(char *) == LKST_NR_VECTORS, "a name per counter");

/* The name of what is counted, without control characters. */
static void check_counters_name_of(const struct lkst_counters_row *row, char text[4 * NAME_ROOM + 1])
{
	if (row->kind == LKST_COUNTER_VECTOR && row->number >= 0 && row->number < LKST_NR_VECTORS)
		snprintf(text, 4 * NAME_ROOM + 1, "%s", vector_names[row->number]);
	else
		*lkst_put_escaped(text, row->name, strnlen(row->name, NAME_ROOM), "") = 0;
}

static bool is_wrong(const struct lkst_counters_row *row)
{
	return row->verdict == LKST_COUNTERS_MISSING || row->verdict == LKST_COUNTERS_MORE;
}

static void print_wrong(struct lkst_out *out, const struct lkst_counters_row *row)
{
	char name[4 * NAME_ROOM + 1];

	check_counters_name_of(row, name);
	lkst_out_printf(out, "counter: %s", lkst_counter_names[row->kind]);
	if (row->kind != LKST_COUNTER_SWITCHES && row->kind != LKST_COUNTER_FORKS)
		lkst_out_printf(out, " %" PRId32 " (%s)", row->number, name);
	if (row->cpu >= 0)
		lkst_out_printf(out, ", CPU %d", row->cpu);
	if (row->verdict == LKST_COUNTERS_MISSING)
		lkst_out_printf(out,
				": the kernel counted %" PRIu64 ", at most %" PRIu64
				" are recorded: %" PRIu64 " are missing",
				row->kernel, row->most, row->missing);
	else
		lkst_out_printf(out,
				": the kernel counted %" PRIu64 ", %" PRIu64
				" are recorded: %" PRIu64 " too many",
				row->kernel, row->least, row->surplus);
	if (row->missing_to_ns)
		lkst_out_printf(out, ", all from %.6f to %.6f s", row->missing_from_ns / 1e9,
				row->missing_to_ns / 1e9);
	lkst_out_printf(out, "\n");
}

/* The time outside of the readings; and whether the last reading is outside of the trace. */
static void print_rest(struct lkst_out *out, u64 from_ns, u64 to_ns, u64 begin_ns, u64 end_ns)
{
	const u64 before = from_ns > begin_ns ? from_ns - begin_ns : 0;
	const u64 after = end_ns > to_ns ? end_ns - to_ns : 0;

	if (before || after)
		lkst_out_printf(
			out,
			"counters: the first %.6f s and the last %.6f s of the records are not compared: the "
			"kernel's counters were not read before or after\n",
			before / 1e9, after / 1e9);
	if (to_ns > end_ns && end_ns >= begin_ns)
		lkst_out_printf(
			out, "counters: the last reading was made %.6f s after the last record\n",
			(to_ns - end_ns) / 1e9);
}

static const struct lkst_column columns[] = {
	{ "counter", "kernel's counter", LKST_COLUMN_TEXT, "what it counts" },
	{ "counted", "counted", LKST_COLUMN_COUNT, "by the kernel" },
	{ "recorded", "recorded", LKST_COLUMN_TEXT,
	  "records; those while it was read may be counted or not" },
	{ "missing", "missing", LKST_COLUMN_COUNT, "records" },
	{ "verdict", "verdict", LKST_COLUMN_TEXT, "what that says" },
};

/* A row per kind of counter. Returns how many are complete. */
static unsigned int fill_sums(const struct lkst_counters_check *c, struct lkst_table *t)
{
	struct lkst_counters_row row;
	unsigned int i, nr_complete = 0;

	for (i = 0; i < LKST_NR_COUNTERS; i++) {
		if (!lkst_counters_check_sum(c, i, &row))
			continue;
		lkst_table_row(t);
		lkst_table_str(t, lkst_counter_names[i]);
		lkst_table_u64(t, row.kernel);
		if (row.least == row.most)
			lkst_table_printf(t, "%" PRIu64, row.least);
		else
			lkst_table_printf(t, "%" PRIu64 " to %" PRIu64, row.least, row.most);
		lkst_table_u64(t, row.missing);
		lkst_table_str(t, lkst_counters_verdict_names[row.verdict]);
		nr_complete += row.verdict == LKST_COUNTERS_COMPLETE;
	}
	return nr_complete;
}

/* Returns how many do not agree. */
static unsigned int print_all_wrong(struct lkst_out *out, const struct lkst_counters_check *c)
{
	unsigned int i, nr = 0;

	for (i = 0; i < lkst_counters_check_nr(c); i++) {
		const struct lkst_counters_row row = lkst_counters_check_row(c, i);

		if (is_wrong(&row) && nr++ < LINES_SHOWN)
			print_wrong(out, &row);
	}
	if (nr > LINES_SHOWN)
		lkst_out_printf(out, "counter: %u more\n", nr - LINES_SHOWN);
	return nr;
}

void lkst_check_print_counters(struct lkst_answer *a, const struct lkst_counters_check *c,
			       u64 begin_ns, u64 end_ns)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	const char *why_not = lkst_counters_check_why_not(c);
	unsigned int nr_complete;
	char title[TITLE_ROOM];
	u64 from_ns, to_ns;

	if (why_not) {
		lkst_out_printf(
			a->out,
			"counters: the records cannot be compared with the kernel's counters: %s\n",
			why_not);
		return;
	}
	lkst_counters_check_range(c, &from_ns, &to_ns);
	snprintf(title, sizeof(title), "kernel's counters from %.6f to %.6f s", from_ns / 1e9,
		 to_ns / 1e9);
	lkst_table_init_of(&t, "counters", title, columns);
	nr_complete = fill_sums(c, &t);
	lkst_answer_table(a, &t);
	if (!print_all_wrong(a->out, c) && nr_complete)
		lkst_out_printf(
			a->out,
			"counters: complete from %.6f to %.6f s, of what was recorded all that time\n",
			from_ns / 1e9, to_ns / 1e9);
	print_rest(a->out, from_ns, to_ns, begin_ns, end_ns);
}

void lkst_check_put_sums(struct lkst_answer *a, const struct lkst_counters_check *c)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	const char *why_not = lkst_counters_check_why_not(c);
	u64 from_ns = 0, to_ns = 0;

	lkst_table_init_of(&t, "counters", "", columns);
	lkst_json_object(&a->json, "compared");
	if (why_not) {
		lkst_json_str(&a->json, "why_not", why_not);
	} else {
		lkst_json_null(&a->json, "why_not");
		lkst_counters_check_range(c, &from_ns, &to_ns);
		fill_sums(c, &t);
	}
	lkst_json_u64(&a->json, "from_ns", from_ns);
	lkst_json_u64(&a->json, "to_ns", to_ns);
	lkst_json_array(&a->json, "sums");
	lkst_answer_table(a, &t);
	lkst_json_end(&a->json);
	lkst_json_end(&a->json);
}

static void put_counter(struct lkst_json *j, const struct lkst_counters_row *row)
{
	lkst_json_object(j, NULL);
	lkst_json_str(j, "kind", lkst_counter_names[row->kind]);
	lkst_json_s64(j, "cpu", row->cpu);
	lkst_json_s64(j, "number", row->number);
	lkst_json_u64(j, "kernel", row->kernel);
	lkst_json_u64(j, "least", row->least);
	lkst_json_u64(j, "most", row->most);
	lkst_json_u64(j, "missing", row->missing);
	lkst_json_u64(j, "missing_from_ns", row->missing_from_ns);
	lkst_json_u64(j, "missing_to_ns", row->missing_to_ns);
	lkst_json_str(j, "verdict", lkst_counters_verdict_names[row->verdict]);
	lkst_json_end(j);
}

void lkst_check_put_counters(struct lkst_json *j, const struct lkst_counters_check *c)
{
	unsigned int i;

	lkst_json_array(j, "counters");
	for (i = 0; i < lkst_counters_check_nr(c) && !lkst_counters_check_why_not(c); i++) {
		const struct lkst_counters_row row = lkst_counters_check_row(c, i);

		put_counter(j, &row);
	}
	lkst_json_end(j);
}

void lkst_check_print_threads(struct lkst_out *out, const struct lkst_threads_check *c)
{
	const unsigned int nr = lkst_threads_check_nr(c);
	char name[4 * sizeof(comm16) + 1];
	unsigned int i, nr_missing = 0;
	u64 kernel = 0, missing = 0;

	for (i = 0; i < nr; i++) {
		const struct lkst_thread_row *t = lkst_threads_check_row(c, i);

		kernel += t->kernel;
		missing += t->missing;
		if (!t->missing)
			continue;
		*lkst_put_escaped(name, t->comm, strnlen(t->comm, sizeof(t->comm)), "") = 0;
		if (nr_missing++ >= LINES_SHOWN)
			continue;
		lkst_out_printf(out,
				"thread: %" PRId32 " (%s): the kernel counted %" PRIu64
				" switches away from it, ",
				t->tid, *name ? name : "ended since", t->kernel);
		if (t->most)
			lkst_out_printf(out, "at most %" PRIu64 " are recorded\n", t->most);
		else
			lkst_out_printf(out, "none is recorded: the machine hides it\n");
	}
	if (nr_missing > LINES_SHOWN)
		lkst_out_printf(out, "thread: %u more\n", nr_missing - LINES_SHOWN);
	if (nr)
		lkst_out_printf(out,
				"threads: %u were read and ran, with %" PRIu64 " switches: %" PRIu64
				" of %u threads are missing\n",
				nr, kernel, missing, nr_missing);
	if (lkst_threads_check_why_not(c)) {
		char why[4 * WHY_ROOM + 1];
		const char *text = lkst_threads_check_why_not(c);

		*lkst_put_escaped(why, text, strnlen(text, WHY_ROOM), "") = 0;
		lkst_out_printf(out, "threads: those of %s are not compared singly: %s\n",
				nr ? "some parts" : "the trace", why);
	}
	if (lkst_threads_check_left_out(c))
		lkst_out_printf(out, "threads: some %" PRIu64 " more were not read\n",
				lkst_threads_check_left_out(c));
}

void lkst_check_put_threads(struct lkst_json *j, const struct lkst_threads_check *c)
{
	unsigned int i;

	lkst_json_array(j, "threads");
	for (i = 0; i < lkst_threads_check_nr(c); i++) {
		const struct lkst_thread_row *t = lkst_threads_check_row(c, i);

		lkst_json_object(j, NULL);
		lkst_json_s64(j, "tid", t->tid);
		lkst_json_str(j, "comm", t->comm);
		lkst_json_u64(j, "kernel", t->kernel);
		lkst_json_u64(j, "least", t->least);
		lkst_json_u64(j, "most", t->most);
		lkst_json_u64(j, "missing", t->missing);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

bool lkst_check_is_missing(const struct lkst_counters_check *c,
			   const struct lkst_threads_check *threads)
{
	struct lkst_counters_row row;
	unsigned int i;

	for (i = 0; i < LKST_NR_COUNTERS && !lkst_counters_check_why_not(c); i++)
		if (lkst_counters_check_sum(c, i, &row) && row.verdict == LKST_COUNTERS_MISSING)
			return true;
	/* Those that miss most come first. */
	return lkst_threads_check_nr(threads) && lkst_threads_check_row(threads, 0)->missing;
}
