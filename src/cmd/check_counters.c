/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparison with the kernel's own counters, as text and as JSON. */
#include "cmd/check_counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"

enum {
	LINES_SHOWN = 20,
	NAME_ROOM = 64,
	WHY_ROOM = 96,
};

static const char *const vector_names[] = {
	[LKST_VECTOR_TIMER] = "local timer",
	[LKST_VECTOR_RESCHEDULE] = "reschedule",
	[LKST_VECTOR_CALL] = "function call",
};
_Static_assert(sizeof(vector_names) / sizeof(char *) == LKST_NR_VECTORS, "a name per counter");

/* Records that may be of the time between the readings. */
static void print_records(const struct lkst_counters_row *row)
{
	char text[64];

	if (row->least == row->most)
		snprintf(text, sizeof(text), "%" PRIu64, row->least);
	else
		snprintf(text, sizeof(text), "%" PRIu64 " to %" PRIu64, row->least, row->most);
	printf("%24s", text);
}

/* The name of what is counted, without control characters. */
static void name_of(const struct lkst_counters_row *row, char text[4 * NAME_ROOM + 1])
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

static void print_wrong(const struct lkst_counters_row *row)
{
	char name[4 * NAME_ROOM + 1];

	name_of(row, name);
	printf("counter: %s", lkst_counter_names[row->kind]);
	if (row->kind != LKST_COUNTER_SWITCHES && row->kind != LKST_COUNTER_FORKS)
		printf(" %" PRId32 " (%s)", row->number, name);
	if (row->cpu >= 0)
		printf(", CPU %d", row->cpu);
	if (row->verdict == LKST_COUNTERS_MISSING)
		printf(": the kernel counted %" PRIu64 ", at most %" PRIu64
		       " are recorded: %" PRIu64 " are missing",
		       row->kernel, row->most, row->missing);
	else
		printf(": the kernel counted %" PRIu64 ", %" PRIu64 " are recorded: %" PRIu64
		       " too many",
		       row->kernel, row->least, row->surplus);
	if (row->missing_to_ns)
		printf(", all from %.6f to %.6f s", row->missing_from_ns / 1e9,
		       row->missing_to_ns / 1e9);
	printf("\n");
}

/* The time outside of the readings; and whether the last reading is outside of the trace. */
static void print_rest(u64 from_ns, u64 to_ns, u64 begin_ns, u64 end_ns)
{
	const u64 before = from_ns > begin_ns ? from_ns - begin_ns : 0;
	const u64 after = end_ns > to_ns ? end_ns - to_ns : 0;

	if (before || after)
		printf("counters: the first %.6f s and the last %.6f s of the records are not compared: the "
		       "kernel's counters were not read before or after\n",
		       before / 1e9, after / 1e9);
	if (to_ns > end_ns && end_ns >= begin_ns)
		printf("counters: the last reading was made %.6f s after the last record\n",
		       (to_ns - end_ns) / 1e9);
}

void lkst_check_print_counters(const struct lkst_counters_check *c, u64 begin_ns, u64 end_ns)
{
	const char *why_not = lkst_counters_check_why_not(c);
	struct lkst_counters_row row;
	unsigned int i, nr = 0, nr_complete = 0;
	u64 from_ns, to_ns;

	if (why_not) {
		printf("counters: the records cannot be compared with the kernel's counters: %s\n",
		       why_not);
		return;
	}
	lkst_counters_check_range(c, &from_ns, &to_ns);
	printf("\n%-18s%14s%24s%12s  from %.6f to %.6f s\n", "kernel's counter", "counted",
	       "recorded", "missing", from_ns / 1e9, to_ns / 1e9);
	for (i = 0; i < LKST_NR_COUNTERS; i++) {
		if (!lkst_counters_check_sum(c, i, &row))
			continue;
		printf("%-18s%14" PRIu64, lkst_counter_names[i], row.kernel);
		nr_complete += row.verdict == LKST_COUNTERS_COMPLETE;
		print_records(&row);
		printf("%12" PRIu64 "  %s\n", row.missing,
		       lkst_counters_verdict_names[row.verdict]);
	}
	for (i = 0; i < lkst_counters_check_nr(c); i++) {
		row = lkst_counters_check_row(c, i);
		if (is_wrong(&row) && nr++ < LINES_SHOWN)
			print_wrong(&row);
	}
	if (nr > LINES_SHOWN)
		printf("counter: %u more\n", nr - LINES_SHOWN);
	if (!nr && nr_complete)
		printf("counters: complete from %.6f to %.6f s, of what was recorded all that time\n",
		       from_ns / 1e9, to_ns / 1e9);
	print_rest(from_ns, to_ns, begin_ns, end_ns);
}

void lkst_check_print_counters_json(const struct lkst_counters_check *c)
{
	struct lkst_counters_row row;
	unsigned int i, nr = 0;

	printf("[");
	for (i = 0; i < lkst_counters_check_nr(c) && !lkst_counters_check_why_not(c); i++) {
		row = lkst_counters_check_row(c, i);
		printf("%s{\"kind\":\"%s\",\"cpu\":%d,\"number\":%" PRId32 ",\"kernel\":%" PRIu64
		       ",\"least\":%" PRIu64 ",\"most\":%" PRIu64 ",\"missing\":%" PRIu64
		       ",\"missing_from_ns\":%" PRIu64 ",\"missing_to_ns\":%" PRIu64
		       ",\"verdict\":\"%s\"}",
		       nr++ ? "," : "", lkst_counter_names[row.kind], row.cpu, row.number, row.kernel,
		       row.least, row.most, row.missing, row.missing_from_ns, row.missing_to_ns,
		       lkst_counters_verdict_names[row.verdict]);
	}
	printf("]");
}

void lkst_check_print_threads(const struct lkst_threads_check *c)
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
		printf("thread: %" PRId32 " (%s): the kernel counted %" PRIu64
		       " switches away from it, ",
		       t->tid, *name ? name : "ended since", t->kernel);
		if (t->most)
			printf("at most %" PRIu64 " are recorded\n", t->most);
		else
			printf("none is recorded: the machine hides it\n");
	}
	if (nr_missing > LINES_SHOWN)
		printf("thread: %u more\n", nr_missing - LINES_SHOWN);
	if (nr)
		printf("threads: %u were read and ran, with %" PRIu64 " switches: %" PRIu64
		       " of %u threads are missing\n",
		       nr, kernel, missing, nr_missing);
	if (lkst_threads_check_why_not(c)) {
		char why[4 * WHY_ROOM + 1];
		const char *text = lkst_threads_check_why_not(c);

		*lkst_put_escaped(why, text, strnlen(text, WHY_ROOM), "") = 0;
		printf("threads: those of %s are not compared singly: %s\n",
		       nr ? "some parts" : "the trace", why);
	}
	if (lkst_threads_check_left_out(c))
		printf("threads: some %" PRIu64 " more were not read\n",
		       lkst_threads_check_left_out(c));
}

void lkst_check_print_threads_json(const struct lkst_threads_check *c)
{
	unsigned int i;

	printf("[");
	for (i = 0; i < lkst_threads_check_nr(c); i++) {
		const struct lkst_thread_row *t = lkst_threads_check_row(c, i);

		printf("%s{\"tid\":%" PRId32 ",\"comm\":", i ? "," : "", t->tid);
		lkst_print_json(stdout, t->comm);
		printf(",\"kernel\":%" PRIu64 ",\"least\":%" PRIu64 ",\"most\":%" PRIu64
		       ",\"missing\":%" PRIu64 "}",
		       t->kernel, t->least, t->most, t->missing);
	}
	printf("]");
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
