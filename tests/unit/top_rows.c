/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Which rows `lkst top` shows, and in which order.
 */
#include "cmd/top/top_rows.h"

#include "lib/fed_threads.h"
#include "lib/unit.h"

static struct lkst_thread_figures threads[] = {
	{ .tid = 10, .pid = 10, .comm = "server", .running_ns = 5, .cpu = 1, .nr_threads = 1 },
	{ .tid = 11,
	  .pid = 10,
	  .comm = "worker",
	  .running_ns = 40,
	  .ready_ns = 7,
	  .cpu = 0,
	  .ready_max_ns = 6,
	  .nr_threads = 1,
	  .run = LKST_RUN_RUNNING },
	{ .tid = 12,
	  .pid = 10,
	  .comm = "Worker2",
	  .cpu = -1,
	  .nr_threads = 1,
	  .blocked_ns[LKST_CAUSE_FUTEX] = 9,
	  .blocked_ns[LKST_CAUSE_LOCK] = 1,
	  .run = LKST_RUN_BLOCKED,
	  .cause = LKST_CAUSE_FUTEX },
	{ .tid = 20,
	  .pid = 20,
	  .comm = "\033[31mred",
	  .running_ns = 50,
	  .cpu = 1,
	  .nr_threads = 1,
	  .blocked_ns[LKST_CAUSE_IO] = 3 },
	{ .tid = 30, .comm = "unknown", .unknown_ns = 50, .cpu = -1, .nr_threads = 1 },
};

/* The numbers of the rows, in order. */
static const char *rows_of(struct lkst_top_wish wish)
{
	const struct lkst_figures f = { .threads = threads,
					.nr_threads = sizeof(threads) / sizeof(threads[0]) };
	struct lkst_top_rows rows;
	static char text[256];
	size_t used = 0;
	u32 i;

	if (lkst_top_rows_make(&f, &wish, &rows))
		abort();
	text[0] = '\0';
	for (i = 0; i < rows.nr; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d", i ? " " : "",
					 rows.list[i].tid);
	lkst_top_rows_fini(&rows);
	return text;
}

TEST(top_rows_are_sorted)
{
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_RUNNING }), "20 11 10 12 30");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_RUNNING, .is_reversed = true }),
		  "12 30 10 11 20");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_LOCK }), "12 20 11 10 30");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_DISK }), "20 11 10 12 30");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_UNKNOWN }), "30 20 11 10 12");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID }), "10 11 12 20 30");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID, .is_reversed = true }),
		  "30 20 12 11 10");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_NAME }), "20 12 10 30 11");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_CPU }), "12 30 11 10 20");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_PID }), "30 10 11 12 20");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_WORST_READY }),
		  "11 20 10 12 30");
}

TEST(top_rows_are_chosen_by_name_and_process)
{
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID, .name = "work" }), "11 12");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID, .name = "wo*" }), "11");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID, .name = "" }),
		  "10 11 12 20 30");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID, .name = "no such" }), "");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID, .pid = 10 }), "10 11 12");
	CHECK_STR(rows_of((struct lkst_top_wish){ .sort = LKST_TOP_TID, .pid = 30 }), "30");
}

TEST(top_rows_are_chosen_by_cgroup)
{
	static struct lkst_thread_figures list[] = {
		{ .tid = 1, .pid = 1, .cgroup = 10, .nr_threads = 1 },
		{ .tid = 2, .pid = 1, .cgroup = 20, .nr_threads = 1 },
		{ .tid = 3, .pid = 3, .cgroup = 30, .nr_threads = 1 },
		{ .tid = 4, .pid = 4, .nr_threads = 1 },
	};
	static const struct {
		const char *glob, *rows;
	} wanted[] = { { "unit:*", "1 2 " }, { "/system.slice/b.*", "2 " }, { "30", "3 " }, { "*none*", "" } };
	struct lkst_threads *known = fed_threads("state_cgroup ns=9 cgroup=10 path=/system.slice/a.service\n"
						 "state_cgroup ns=9 cgroup=20 path=/system.slice/b.service\n");
	const struct lkst_figures f = { .threads = list, .nr_threads = 4, .known = known },
				  unknown = { .threads = list, .nr_threads = 4 };
	struct lkst_top_rows rows;
	char text[64];
	unsigned int i;
	u32 k;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct lkst_top_wish wish = { .sort = LKST_TOP_TID, .cgroup = wanted[i].glob };

		CHECK_EQ(lkst_top_rows_make(&f, &wish, &rows), 0);
		text[0] = 0;
		for (k = 0; k < rows.nr; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", rows.list[k].tid);
		CHECK_STR(text, wanted[i].rows);
		lkst_top_rows_fini(&rows);
		/* Where no cgroup is known, none is as it is asked for. */
		CHECK_EQ(lkst_top_rows_make(&unknown, &wish, &rows), 0);
		CHECK_EQ(rows.nr, 0);
		lkst_top_rows_fini(&rows);
	}
	lkst_threads_free(known);
}

TEST(top_rows_of_processes_are_sums)
{
	const struct lkst_top_wish wish = { .sort = LKST_TOP_TID, .is_by_process = true };
	const struct lkst_figures f = { .threads = threads, .nr_threads = 5 };
	struct lkst_top_rows rows;

	CHECK_EQ(lkst_top_rows_make(&f, &wish, &rows), 0);
	CHECK_EQ(rows.nr, 3);
	CHECK_EQ(rows.list[0].tid, 10);
	CHECK_EQ(rows.list[0].nr_threads, 3);
	CHECK_STR(rows.list[0].comm, "server");
	CHECK_EQ(rows.list[0].running_ns, 45);
	CHECK_EQ(rows.list[0].ready_max_ns, 6);
	CHECK_EQ(rows.list[0].run, LKST_RUN_RUNNING);
	CHECK_EQ(lkst_top_time(&rows.list[0], LKST_TOP_LOCK), 10);
	CHECK_EQ(rows.list[2].tid, 30);
	lkst_top_rows_fini(&rows);
	/* The name is the process's, and so are the sums, before the order. */
	CHECK_STR(rows_of((struct lkst_top_wish){ .is_by_process = true, .sort = LKST_TOP_LOCK }),
		  "10 20 30");
}

static const struct unit_test tests[] = {
	{ "top_rows_are_sorted", test_top_rows_are_sorted },
	{ "top_rows_are_chosen_by_name_and_process", test_top_rows_are_chosen_by_name_and_process },
	{ "top_rows_are_chosen_by_cgroup", test_top_rows_are_chosen_by_cgroup },
	{ "top_rows_of_processes_are_sums", test_top_rows_of_processes_are_sums },
};
UNIT_MAIN(tests)
