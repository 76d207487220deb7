/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of queries. The first byte chooses: an even one, what follows is queries to a small sound trace; an odd
 * one, it is the records of a trace, 32 bytes for each block, of which every table is asked for all that it has.
 *
 * prints: text csv json
 */
#include "abi/syscalls.h"
#include "block_header.h"
#include "lib/make_trace.h"
#include "lib/printed.h"

#include "sql/query/sql.h"
#include "trace/format/metadata.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum {
	BLOCK = 4096,
	RECORDS_PART = 32,
	STEPS = 50000,
	CELL_MAX = 1 << 16,
	QUERY_MAX = 4096,
	KNOWN = 14, /* the first tables */
};

static const char text[] = "state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\" prio=120\n"
			   "state_symbol ns=10 address=0xffffffff81000000 bytes=16 name=\"begin\"\n"
			   "sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			   "sched_switch cpu=0 tid=7 ns=1100 next_tid=5\n"
			   "sched_switch cpu=1 tid=8 ns=1050 next_tid=9 prev_state=2\n"
			   "task_rename cpu=1 buffer=1 tid=5 ns=1060 target_tid=5 newcomm=cinq\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 tid=5 ns=1400 next_tid=6\n"
			   "test_text cpu=1 tid=6 ns=1500 name=\"it's\" numbers=1,2,3\n";

static char dir[64];

static void remove_dir(void)
{
	make_scratch_remove(dir);
}

/* The sound trace, opened once. */
static struct lkst_sql *sound(void)
{
	static struct lkst_trace *t;
	static struct lkst_sql *s;
	char path[128];
	struct lkst_err e;

	if (s)
		return s;
	make_scratch(dir);
	atexit(remove_dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	if (make_trace(path, BLOCK, text) || lkst_trace_open(&e, path, &t) ||
	    lkst_sql_open(&e, t, NULL, &s))
		abort();
	return s;
}

static void ask(struct lkst_sql *s, const char *query, u8 format)
{
	static const enum printed_form forms[] = { PRINTED_TEXT, PRINTED_CSV, PRINTED_JSON };
	struct lkst_err e = {};
	int err;

	lkst_sql_limit(s, STEPS, CELL_MAX);
	err = lkst_sql_run(&e, s, query, format % 3, printed_begin());
	/* What came before an error is not whole JSON. */
	printed_end(err && format % 3 == LKST_TABLE_JSON ? PRINTED_TEXT : forms[format % 3]);
	if (err)
		printed_error(&e);
}

static void ask_sound(const u8 *data, size_t size, u8 format)
{
	char query[QUERY_MAX];

	if (size >= sizeof(query))
		return;
	memcpy(query, data, size);
	query[size] = 0;
	ask(sound(), query, format);
	/* Whatever it was, the trace has what it had. */
	lkst_sql_limit(sound(), 0, CELL_MAX);
	if (lkst_sql_run(NULL, sound(), "select 1 / (count(*) = 6) from events", LKST_TABLE_CSV, printed_begin()))
		abort();
	printed_end(PRINTED_CSV);
}

/* ---- a trace of any bytes -------------------------------------------------------------------- */

static char *sound_metadata(void)
{
	static const u16 events[] = { LKST_EV_sched_switch,	  LKST_EV_sched_wakeup,
				      LKST_EV_sched_process_fork, LKST_EV_sched_process_exec,
				      LKST_EV_task_rename,	  LKST_EV_page_fault_user,
				      LKST_EV_page_fault_exit,	  LKST_EV_block_rq_issue,
				      LKST_EV_block_rq_complete,  LKST_EV_net_dev_queue,
				      LKST_EV_softirq_entry,	  LKST_EV_softirq_exit,
				      LKST_EV_state_thread,	  LKST_EV_state_incident,
				      LKST_EV_state_symbol,	  LKST_EV_state_loss };
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	char *metadata;
	u16 i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (lkst_catalog_add_builtin(&e, c, i + 1, events[i]))
			abort();
	if (lkst_catalog_add_syscall(
		    &e, c, 30, 31,
		    (unsigned int)(lkst_syscall_find(false, "openat") - lkst_syscalls)) ||
	    make_test_events(&e, c, 40) || lkst_metadata_format(&e, c, &metadata))
		abort();
	lkst_catalog_free(c);
	return metadata;
}

static void ask_all(struct lkst_sql *s, u8 format)
{
	const char *name, *help;
	char query[256], all[2048] = "select 0";
	unsigned int i;

	/* All that a pass fills by one pass. */
	for (i = 0; i < KNOWN && lkst_sql_table(s, i, &name, &help); i++)
		snprintf(all + strlen(all), sizeof(all) - strlen(all),
			 " + (select count(*) from %s)", name);
	ask(s, all, format);
	for (i = 0; lkst_sql_table(s, i, &name, &help); i++) {
		snprintf(query, sizeof(query), "select * from \"%s\"", name);
		ask(s, query, format);
		if (lkst_sql_schema(NULL, s, name, printed_begin()))
			abort();
		printed_end(PRINTED_TABBED);
	}
	ask(s, "select line, json, buffer, symbol(time_ns), time_text(time_ns) from events",
	    format);
	ask(s, "select count(*), quantile(time_ns, 0.5) from events where time_ns > 9 and cpu < 2",
	    format);
}

static void ask_bytes(const u8 *data, size_t size, u8 format)
{
	static char *metadata;
	size_t nr = (size + RECORDS_PART - 1) / RECORDS_PART, half = (nr + 1) / 2, i;
	u8 *bytes = calloc(nr + 1, BLOCK);
	struct lkst_trace *t = NULL;
	struct lkst_sql *s;
	struct lkst_err e;

	if (!metadata)
		metadata = sound_metadata();
	for (i = 0; i < nr; i++) {
		size_t left = size - i * RECORDS_PART;
		bool is_state = i >= half;

		memcpy(bytes + i * BLOCK + LKST_BLOCK_HEADER, data + i * RECORDS_PART,
		       left < RECORDS_PART ? left : RECORDS_PART);
		put_block_header(bytes + i * BLOCK, is_state ? i - half : i,
				 is_state ? lkst_stream_instance(0, LKST_BUFFER_STATE, 0) : 0,
				 BLOCK, RECORDS_PART);
	}
	{
		struct lkst_memory_file files[] = {
			{ "metadata", metadata, strlen(metadata) },
			{ "main.0", bytes, half * BLOCK },
			{ "state", bytes + half * BLOCK, (nr - half) * BLOCK },
		};

		if (!lkst_trace_open_memory(&e, files, 3, &t)) {
			if (lkst_sql_open(&e, t, NULL, &s))
				abort();
			ask_all(s, format);
			lkst_sql_close(s);
		}
	}
	lkst_trace_close(t);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	if (size < 2)
		return 0;
	if (data[0] & 1)
		ask_bytes(data + 1, size - 1 < 4096 ? size - 1 : 4096, data[0] >> 1);
	else
		ask_sound(data + 1, size - 1, data[0] >> 1);
	return 0;
}
