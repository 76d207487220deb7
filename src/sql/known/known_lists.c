/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of the values that an analysis lists: requests of disks, and packets. Each is a pass of its own. */
#include <errno.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "sql/known/known_pass.h"

/* What lkst_tally_init_list() puts into a row. */
enum { LIST_KEY, LIST_THREAD, LIST_START, LIST_VALUE, LIST_CPU, LIST_COMM };

struct known_lists_list {
	struct lkst_sql_pass *pass;
	enum lkst_sql_known_number number;
	bool is_duration; /* the value is from the start to the end */
	int error;
};

/* A key is two words, "sda:read", of which the first may have colons itself. */
static void known_lists_put_key(struct lkst_sql_pass *p, const struct lkst_cell *cell)
{
	const char *colon = strrchr(cell->text, ':');

	lkst_sql_text(p, cell->text, colon ? (size_t)(colon - cell->text) : cell->length);
	lkst_sql_str(p, colon ? colon + 1 : NULL);
}

static int known_lists_put_row(struct known_lists_list *l, const struct lkst_table *t, size_t row)
{
	struct lkst_sql_pass *p = l->pass;
	u64 start_ns = lkst_table_cell(t, row, LIST_START)->u64;
	u64 value = lkst_table_cell(t, row, LIST_VALUE)->u64;
	const struct lkst_cell *comm = lkst_table_cell(t, row, LIST_COMM);

	lkst_sql_row(p, l->number);
	lkst_sql_int(p, (s64)start_ns);
	if (l->is_duration)
		lkst_sql_int(p, (s64)(start_ns + value));
	lkst_sql_int(p, (s64)value);
	known_lists_put_key(p, lkst_table_cell(t, row, LIST_KEY));
	lkst_sql_int(p, lkst_table_cell(t, row, LIST_THREAD)->s64);
	lkst_sql_text(p, comm->text, comm->length);
	lkst_sql_int(p, lkst_table_cell(t, row, LIST_CPU)->s64);
	return lkst_sql_row_end(p);
}

static int take_rows(void *arg, const struct lkst_table *t)
{
	struct known_lists_list *l = arg;
	size_t row;

	for (row = 0; row < t->nr_rows && !l->error; row++)
		l->error = known_lists_put_row(l, t, row);
	return l->error;
}

static int known_lists_fill(struct lkst_sql_pass *p, const struct lkst_analysis *analysis,
			    enum lkst_sql_known_number number, bool is_duration)
{
	_cleanup_(lkst_analysis_run_freep) struct lkst_analysis_run *run = NULL;
	struct known_lists_list list = { p, number, is_duration, 0 };
	struct lkst_analysis_options options = { .to_ns = UINT64_MAX,
						 .list = take_rows,
						 .list_arg = &list };
	int err = lkst_analysis_run_new(NULL, p->sql->trace, &options, &analysis, 1, &run)
			  ?: lkst_analysis_run_pass(NULL, run);

	return list.error ?: err;
}

/* ---- requests of disks ----------------------------------------------------------------------- */

static int end_block_requests(struct lkst_sql_pass *p)
{
	return known_lists_fill(p, &lkst_analysis_biotime, LKST_SQL_block_requests, true);
}

static const struct lkst_sql_known_column block_requests[] = {
	{ "from_ns", "INTEGER", "when it was sent to the disk" },
	{ "to_ns", "INTEGER", "when the last of it was done" },
	{ "duration_ns", "INTEGER", "how long that took" },
	{ "disk", "TEXT", "the disk" },
	{ "operation", "TEXT", "read, write, flush or discard" },
	{ "tid", "INTEGER", "the thread that sent it, often not the one that waits" },
	{ "comm", "TEXT", "its name" },
	{ "cpu", "INTEGER", "the CPU that sent it" },
	{},
};

const struct lkst_sql_known lkst_sql_known_block_requests = {
	.name = "block_requests",
	.help = "requests of disks, from being sent to being done: what biotime measures",
	.events = "block_rq_issue block_rq_complete block_rq_requeue block_rq_merge",
	.columns = block_requests,
	.end = end_block_requests,
};

/* ---- packets --------------------------------------------------------------------------------- */

static int end_packets(struct lkst_sql_pass *p)
{
	return known_lists_fill(p, &lkst_analysis_netsize, LKST_SQL_packets, false);
}

static const struct lkst_sql_known_column packets[] = {
	{ "time_ns", "INTEGER", "when it was queued to be sent, or received" },
	{ "bytes", "INTEGER", "how large it was" },
	{ "interface", "TEXT", "the network interface" },
	{ "direction", "TEXT", "send or receive" },
	{ "tid", "INTEGER", "the thread that ran then" },
	{ "comm", "TEXT", "its name" },
	{ "cpu", "INTEGER", "the CPU" },
	{},
};

const struct lkst_sql_known lkst_sql_known_packets = {
	.name = "packets",
	.help = "packets sent and received: what netsize measures",
	.events = "net_dev_queue netif_receive_skb",
	.columns = packets,
	.end = end_packets,
};
