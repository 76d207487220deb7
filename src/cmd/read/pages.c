/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst pages: the physical pages that a process has now, by mapping or one by one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "cmd/frame/answer.h"
#include "live/kernel/page_map.h"
#include "print/table_text.h"

struct pages_options {
	unsigned int format;
	bool list;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(FLAG, struct pages_options, list, .name = "list", .letter = 'l',
		    .help = "every page: a row for each run of pages whose addresses and page\n"
			    "frames follow each other"),
	LKST_OPTION(CHOICE, struct pages_options, format, .name = "format", .letter = 'f',
		    .argument = "FORMAT", .standard = "text", .help = "",
		    .choices = lkst_table_format_choices),
	{},
};

static const struct lkst_column columns[] = {
	{ "begin", "begin", LKST_COLUMN_ADDRESS, "the first address of the mapping" },
	{ "end", "end", LKST_COLUMN_ADDRESS, "the address after its last one" },
	{ "access", "access", LKST_COLUMN_TEXT, "read, write, execute; shared or private" },
	{ "size", "size", LKST_COLUMN_BYTES, "how much address space" },
	{ "present", "present", LKST_COLUMN_BYTES, "how much of it is in memory, as Rss counts" },
	{ "huge", "huge", LKST_COLUMN_BYTES, "how much of that is in huge pages" },
	{ "shared", "shared", LKST_COLUMN_BYTES, "how much of that is of files and shared memory" },
	{ "zero", "zero", LKST_COLUMN_BYTES, "how much is the page of zeros that all share" },
	{ "swapped", "swapped", LKST_COLUMN_BYTES, "how much is swapped out, or on its way" },
	{ "name", "name", LKST_COLUMN_TEXT, "the file, or what it is" },
};

static const struct lkst_column list_columns[] = {
	{ "address", "address", LKST_COLUMN_ADDRESS, "of the first page of the run" },
	{ "pfn", "page frame", LKST_COLUMN_ADDRESS, "the first page's" },
	{ "pages", "pages", LKST_COLUMN_COUNT, "how many follow each other" },
	{ "huge", "huge", LKST_COLUMN_FLAG, "they are parts of huge pages" },
	{ "shared", "shared", LKST_COLUMN_FLAG, "they are of a file or shared memory" },
	{ "zero", "zero", LKST_COLUMN_FLAG, "they are the page of zeros that all share" },
	{ "name", "name", LKST_COLUMN_TEXT, "the mapping's file, or what it is" },
};

/* ---- the tables --------------------------------------------------------------------------------- */

struct read_pages {
	struct lkst_table *table;
	u64 page_size;
	struct lkst_page_mapping all;
	unsigned int nr_skipped;
};

static void pages_put_bytes(struct read_pages *p, u64 nr_pages)
{
	lkst_table_u64(p->table, nr_pages * p->page_size);
}

static void pages_put_counts(struct read_pages *p, const struct lkst_page_mapping *m)
{
	pages_put_bytes(p, m->nr_present);
	pages_put_bytes(p, m->nr_huge);
	pages_put_bytes(p, m->nr_shared);
	pages_put_bytes(p, m->nr_zero);
	pages_put_bytes(p, m->nr_swapped);
}

/* Of the pages of these there are no runs, either. */
static int count_skipped(void *ctx, const struct lkst_page_mapping *m)
{
	struct read_pages *p = ctx;

	p->nr_skipped += m->is_skipped;
	return 0;
}

static int pages_on_mapping(void *ctx, const struct lkst_page_mapping *m)
{
	struct read_pages *p = ctx;

	count_skipped(p, m);
	p->all.nr_present += m->nr_present;
	p->all.nr_huge += m->nr_huge;
	p->all.nr_shared += m->nr_shared;
	p->all.nr_zero += m->nr_zero;
	p->all.nr_swapped += m->nr_swapped;
	p->all.end += m->end - m->begin;
	lkst_table_row(p->table);
	lkst_table_u64(p->table, m->begin);
	lkst_table_u64(p->table, m->end);
	lkst_table_str(p->table, m->access);
	lkst_table_u64(p->table, m->end - m->begin);
	pages_put_counts(p, m);
	lkst_table_str(p->table, m->name);
	return p->table->error;
}

/* The sum of all mappings, as the last row. */
static void pages_put_all(struct read_pages *p)
{
	lkst_table_row(p->table);
	lkst_table_none(p->table);
	lkst_table_none(p->table);
	lkst_table_none(p->table);
	lkst_table_u64(p->table, p->all.end);
	pages_put_counts(p, &p->all);
	lkst_table_str(p->table, "all");
}

static int on_run(void *ctx, const struct lkst_page_mapping *m, const struct lkst_page_run *run)
{
	struct read_pages *p = ctx;

	lkst_table_row(p->table);
	lkst_table_u64(p->table, run->address);
	if (run->pfn)
		lkst_table_u64(p->table, run->pfn);
	else
		lkst_table_none(p->table);
	lkst_table_u64(p->table, run->nr);
	lkst_table_bool(p->table, run->is_huge);
	lkst_table_bool(p->table, run->is_shared);
	lkst_table_bool(p->table, run->is_zero);
	lkst_table_str(p->table, m->name);
	return p->table->error;
}

/* ---- the command -------------------------------------------------------------------------------- */

static int pages_parse_pid(struct lkst_err *e, const char *text, pid_t *ret_pid)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (errno || end == text || *end || pid <= 0 || pid > INT32_MAX)
		return lkst_err_set(e, -EINVAL, "\"%s\" is not a number of a process", text);
	*ret_pid = (pid_t)pid;
	return 0;
}

static void note_what_is_hidden(struct read_pages *p)
{
	if (geteuid())
		lkst_notes_add(
			&p->table->notes,
			"Page frames, huge pages and the page of zeros are shown to root alone.");
	if (p->nr_skipped)
		lkst_notes_add(
			&p->table->notes,
			"%u mappings are too large, or reserve more than 1 GiB: what is in memory of "
			"them is not known.",
			p->nr_skipped);
}

static int pages_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct pages_options *o = options;
	struct lkst_page_calls calls = { .run = o->list ? on_run : NULL,
					 .mapping = o->list ? count_skipped : pages_on_mapping };
	struct read_pages pages = { .page_size = (u64)sysconf(_SC_PAGESIZE) };
	struct lkst_table_printer printer;
	struct lkst_table table = {};
	pid_t pid = 0;
	int err = pages_parse_pid(e, args[0], &pid), flush_err;

	if (err)
		return err;
	if (!out)
		return lkst_err_sys(e, -ENOMEM, "reading the pages of process %d", pid);
	lkst_out_init(out, STDOUT_FILENO);
	lkst_table_printer_init(&printer, out, o->format, 0);
	pages.table = &table;
	if (o->list) {
		lkst_table_init_of(&table, "pages", "Pages", list_columns);
		lkst_table_set_sink(&table, lkst_table_print_rows, &printer);
	} else {
		lkst_table_init_of(&table, "mappings", "Mappings", columns);
	}
	err = lkst_page_map_walk(e, pid, &calls, &pages);
	note_what_is_hidden(&pages);
	if (!err && !o->list)
		pages_put_all(&pages);
	if (!err)
		err = lkst_table_end(&table) ? lkst_err_sys(e, table.error, "printing") : 0;
	if (!err && o->list)
		lkst_table_print_end(&printer, &table);
	else if (!err)
		lkst_table_print(&printer, &table);
	if (!err)
		lkst_answer_notes((enum lkst_table_format)o->format, &table);
	lkst_table_printer_end(&printer);
	lkst_table_fini(&table);
	flush_err = lkst_out_flush(out);
	return !err && flush_err ? lkst_err_sys(e, flush_err, "writing") : err;
}

const struct lkst_cmd lkst_cmd_pages = {
	.name = "pages",
	.summary = "list the physical pages that a process has now",
	.args = "PID",
	.help = "Shows the memory of process PID as it is now: of each mapping how much is in memory, in huge\n"
		"pages, of files, and swapped out; with --list the page frame of every page. The process goes\n"
		"on meanwhile. What becomes of pages over time is in a trace: lkst record -e 'mm_page_*'.\n"
		"Page frames are shown to root alone.",
	.examples = "  lkst pages 1234\n"
		    "  lkst pages --list --format csv 1234 > pages.csv\n",
	.options = rows,
	.options_size = sizeof(struct pages_options),
	.min_args = 1,
	.max_args = 1,
	.run = pages_run,
};
