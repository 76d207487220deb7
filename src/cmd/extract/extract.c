/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst extract: from a crash dump back to a trace. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/extract/extract_marks.h"
#include "cmd/frame/access.h"
#include "cmd/frame/answer.h"
#include "cmd/read/earlier.h"
#include "cmd/read/why_hung.h"
#include "cmd/recorders/recording.h"
#include "crash/ids.h"
#include "crash/rebuild.h"
#include "trace/format/metadata.h"

enum {
	DUMPS_MAX = 256,
	TRACE_NAME = 64,
};

struct extract_options {
	const char *output;
	const char *doubtful;
	const char *uuid;
	const char *catalog;
	const char *ids;
	u64 within_ns;
	struct lkst_access_options access;
	bool earlier;
	bool list;
	bool json;
	bool quiet;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct extract_options, output, .name = "output", .letter = 'o',
		    .argument = "DIR", .standard = "lkst-DATE-TIME",
		    .help = "the trace directory to make"),
	LKST_OPTION(FLAG, struct extract_options, list, .name = "list", .letter = 'l',
		    .help = "only show which recordings the dump holds"),
	LKST_OPTION(FLAG, struct extract_options, earlier, .name = "earlier",
		    .help = "take what an earlier boot of this machine has left in its\n"
			    "memory; DUMP is /proc/kcore then, unless it is named"),
	LKST_OPTION(DURATION, struct extract_options, within_ns, .name = "within", .argument = "TIME",
		    .standard = "no limit",
		    .help = "search no longer than this, and take what was found by then"),
	LKST_OPTION(TEXT, struct extract_options, uuid, .name = "uuid", .letter = 'u', .argument = "UUID",
		    .standard = "the latest recording",
		    .help = "the recording whose UUID begins like this"),
	LKST_OPTION(TEXT, struct extract_options, doubtful, .name = "doubtful", .argument = "DIR",
		    .standard = "throw it away",
		    .help = "make a trace of what was torn by the crash but can be\n"
			    "read, too"),
	LKST_OPTION(TEXT, struct extract_options, catalog, .name = "catalog", .argument = "TRACE",
		    .standard = "from the dump",
		    .help = "take the metadata from an earlier trace of this recording"),
	LKST_OPTION(TEXT, struct extract_options, ids, .name = "ids", .argument = "FILE",
		    .standard = LKST_MEMORY_IDS,
		    .help = "the secret ids that recordings of the machine had in its\n"
			    "memory: pages with one of them are not forged"),
	LKST_ACCESS_ROWS(struct extract_options, access),
	LKST_OPTION(FLAG, struct extract_options, json, .name = "json",
		    .help = "one JSON object, for programs"),
	LKST_OPTION(FLAG, struct extract_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

/* All that a run has open. */
struct extraction {
	struct lkst_err *e;
	const struct extract_options *o;
	struct lkst_access access; /* to what is made */
	struct lkst_dump *dumps;
	char **paths;
	unsigned int nr_dumps;
	struct lkst_hits hits;
	struct lkst_recordings recordings;
	struct lkst_memory_ids ids;
	bool shows_progress, has_shown;
	const char *doing;
	u64 end_ns; /* of the search, on CLOCK_MONOTONIC */
	struct lkst_extract_marks marks;
};

static bool extract_show_progress(void *arg, u64 done, u64 total)
{
	struct extraction *r = arg;

	if (!r->shows_progress)
		return lkst_monotonic_ns() < r->end_ns;
	r->has_shown = true;
	fprintf(stderr, "\r%s: %u %% ", r->doing, total ? (unsigned int)(done * 100 / total) : 0);
	fflush(stderr);
	return lkst_monotonic_ns() < r->end_ns;
}

static void clear_progress(struct extraction *r)
{
	if (r->has_shown)
		fprintf(stderr, "\r\033[K");
	r->has_shown = false;
}

static int open_dumps(struct extraction *r, char **paths, unsigned int nr)
{
	int err = 0;

	r->paths = paths;
	r->dumps = calloc(nr, sizeof(*r->dumps));
	if (!r->dumps)
		return lkst_err_sys(r->e, -ENOMEM, "opening %s", paths[0]);
	for (; r->nr_dumps < nr && !err; r->nr_dumps += !err)
		err = lkst_dump_open(r->e, paths[r->nr_dumps], &r->dumps[r->nr_dumps]);
	return err ? lkst_earlier_explain(r->e, err, paths[r->nr_dumps]) : 0;
}

/* Why perhaps none of the pages belongs to a recording. */
static int explain_nothing(struct extraction *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_dumps; i++)
		if (r->dumps[i].packer)
			return lkst_err_set(
				r->e, -ENOENT,
				"%s is compressed with %s; unpack it, and extract from that",
				r->paths[i], r->dumps[i].packer);
	return lkst_err_set(r->e, -ENOENT,
			    "none of the %" PRIu64 " pages is LKST's. Was something being "
			    "recorded, and are the kernel's own pages in the dump?",
			    r->hits.nr_pages);
}

static int search(struct extraction *r)
{
	int err;

	r->shows_progress = !r->o->quiet && isatty(STDERR_FILENO);
	r->doing = "searching";
	r->end_ns = r->o->within_ns ? lkst_monotonic_ns() + r->o->within_ns : UINT64_MAX;
	err = lkst_hits_search(r->e, r->dumps, r->nr_dumps, extract_show_progress, r, &r->hits)
		      ?: lkst_recordings_new(r->e, r->dumps, r->nr_dumps, &r->hits, &r->ids,
					     &r->recordings);
	clear_progress(r);
	if (!err && r->o->earlier)
		return lkst_earlier_take(r->e, &r->hits, r->o->catalog, &r->recordings);
	return err || r->recordings.nr ? err : explain_nothing(r);
}

static void run_fini(struct extraction *r)
{
	unsigned int i;

	lkst_recordings_free(&r->recordings);
	lkst_hits_free(&r->hits);
	for (i = 0; i < r->nr_dumps; i++)
		lkst_dump_close(&r->dumps[i]);
	free(r->dumps);
}

/* The recording to be taken: the latest, or the one that --uuid names. */
static int extract_choose(struct extraction *r, struct lkst_recording **ret_recording)
{
	struct lkst_recording *found = NULL;
	char text[LKST_UUID_TEXT];
	unsigned int i;

	for (i = 0; i < r->recordings.nr; i++) {
		lkst_uuid_format(r->recordings.items[i].uuid, text);
		if (r->o->uuid && strncasecmp(text, r->o->uuid, strlen(r->o->uuid)) != 0)
			continue;
		/* Those that claim the UUID of this one have been judged already. */
		if (found && r->o->uuid &&
		    memcmp(found->uuid, r->recordings.items[i].uuid, sizeof(found->uuid)) != 0)
			return lkst_err_set(r->e, -EINVAL,
					    "more than one recording's UUID begins with %s; `lkst "
					    "extract --list` shows them",
					    r->o->uuid);
		if (!found)
			found = &r->recordings.items[i];
	}
	if (!found)
		return lkst_err_set(r->e, -ENOENT,
				    "no recording's UUID begins with %s; `lkst extract --list` "
				    "shows those that there are",
				    r->o->uuid);
	*ret_recording = found;
	return 0;
}

/* ---- what hung when the machine stopped: what most dumps are taken for ----------------------- */

/* The table of what hangs in trace @dir; NULL: it is not known. */
static const struct lkst_table *extract_hung_ask(const char *dir, struct lkst_trace **ret_trace,
						 struct lkst_shown_tables *shown)
{
	const struct lkst_why_hung_options usual = { .least_ns = LKST_HUNG_STANDARD_NS };
	struct lkst_err ignored;

	if (lkst_trace_open(&ignored, dir, ret_trace) ||
	    lkst_why_hung_tables(&ignored, &usual, *ret_trace, shown) || !shown->nr)
		return NULL;
	return shown->items[0].table;
}

/* Prints what has not ended in trace @dir, as `lkst why --hung` does; nothing if nothing hangs. */
static void extract_print_hung(const char *dir)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	_cleanup_(lkst_trace_closep) struct lkst_trace *trace = NULL;
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	const struct lkst_table *t = out ? extract_hung_ask(dir, &trace, &shown) : NULL;
	struct lkst_table_printer p;

	if (!t || !t->nr_rows)
		return;
	fflush(stdout);
	lkst_out_init(out, STDOUT_FILENO);
	lkst_table_printer_init(&p, out, LKST_TABLE_TEXT, lkst_trace_catalog(trace)->clock_offset_ns);
	lkst_table_print(&p, t);
	lkst_table_printer_end(&p);
	lkst_out_flush(out);
}

/* The same as the array "hung" of objects; empty if nothing hangs, not there if that is not known. */
static void extract_put_hung(struct lkst_json *j, const char *dir)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *trace = NULL;
	_cleanup_(lkst_shown_tables_fini) struct lkst_shown_tables shown = {};
	const struct lkst_table *t = extract_hung_ask(dir, &trace, &shown);
	size_t row;

	if (!t)
		return;
	lkst_json_array(j, "hung");
	for (row = 0; row < t->nr_rows; row++) {
		lkst_json_object(j, NULL);
		lkst_json_str(j, "text", lkst_table_cell_of(t, row, "text")->text);
		lkst_json_str(j, "kind", lkst_table_cell_of(t, row, "kind")->text);
		lkst_json_str(j, "comm", lkst_table_cell_of(t, row, "comm")->text);
		lkst_json_u64(j, "tid", lkst_table_cell_of(t, row, "tid")->u64);
		lkst_json_u64(j, "count", lkst_table_cell_of(t, row, "count")->u64);
		lkst_json_u64(j, "longest_ns", lkst_table_cell_of(t, row, "longest")->u64);
		lkst_json_end(j);
	}
	lkst_json_end(j);
}

/* ---- what is said about it ------------------------------------------------------------ */

/* A time of CLOCK_MONOTONIC as time of day. */
static void format_time(const struct lkst_recording *r, u64 ns, enum lkst_time_form form,
			char text[LKST_TIME_ROOM])
{
	u64 offset = lkst_recording_offset_ns(r);
	struct lkst_time_text t;

	lkst_time_text_init(&t, offset ? form : LKST_TIME_PLAIN, offset);
	*lkst_put_time(text, &t, ns, 6) = 0;
}

static const char *extract_host_of(const struct lkst_recording *r)
{
	return r->catalog ? r->catalog->hostname : r->has_start ? r->start.hostname : "?";
}

static const char *release_of(const struct lkst_recording *r)
{
	return r->catalog ? r->catalog->release : r->has_start ? r->start.release : "?";
}

static void put_dumps(struct lkst_json *j, const struct extraction *r)
{
	unsigned int i;

	lkst_json_array(j, "dumps");
	for (i = 0; i < r->nr_dumps; i++) {
		lkst_json_object(j, NULL);
		lkst_json_str(j, "path", r->paths[i]);
		lkst_json_str(j, "format", lkst_dump_format_text(&r->dumps[i]));
		lkst_json_u64(j, "memory_bytes", r->dumps[i].nr_pages * r->dumps[i].page_size);
		lkst_json_u64(j, "missing_pages", r->dumps[i].nr_missing);
		lkst_json_bool(j, "is_cut", r->dumps[i].file.is_cut);
		lkst_json_end(j);
	}
	lkst_json_end(j);
	lkst_json_u64(j, "unreadable_pages", r->hits.nr_unreadable);
	lkst_json_u64(j, "skipped_pages", r->hits.nr_skipped);
}

static void begin_recording(struct lkst_json *j, const struct lkst_recording *r,
			    const struct lkst_rebuild *s)
{
	char uuid[LKST_UUID_TEXT];

	lkst_uuid_format(r->uuid, uuid);
	lkst_json_object(j, NULL);
	lkst_json_str(j, "uuid", uuid);
	lkst_json_str(j, "host", extract_host_of(r));
	lkst_json_str(j, "kernel", release_of(r));
	lkst_json_bool(j, "has_metadata", r->catalog);
	lkst_json_bool(j, "is_proven", r->is_proven);
	lkst_json_u64(j, "outdone", r->nr_overridden);
	lkst_json_u64(j, "rival_state_pages", r->rivals);
	if (r->has_start)
		lkst_json_u64(j, "start_ns", r->start.monotonic_ns);
	lkst_json_u64(j, "clock_offset_ns", lkst_recording_offset_ns(r));
	lkst_json_u64(j, "begin_ns", s->begin_ns);
	lkst_json_u64(j, "end_ns", s->end_ns);
	lkst_json_u64(j, "streams", s->streams);
	lkst_json_u64(j, "records", s->records);
	lkst_json_u64(j, "blocks", s->blocks);
	lkst_json_u64(j, "bytes", s->bytes);
	lkst_json_u64(j, "torn_records", s->torn_records);
	lkst_json_u64(j, "doubtful_records", s->doubtful_records);
	lkst_json_u64(j, "damaged_blocks", s->damaged_blocks);
	lkst_json_u64(j, "missing_blocks", s->missing_blocks);
	lkst_json_u64(j, "copies", s->copies);
	lkst_json_u64(j, "stale_blocks", s->stale_blocks);
	lkst_json_u64(j, "lost_events", s->lost_events);
	lkst_json_u64(j, "rings_without_state", s->rings_without_state);
}

static void extract_put_recording(struct lkst_json *j, const struct lkst_recording *r,
				  const struct lkst_rebuild *s)
{
	begin_recording(j, r, s);
	lkst_json_end(j);
}

/* Of the one that a trace was made of. */
static void put_extracted(struct lkst_json *j, const struct extraction *x,
			  const struct lkst_recording *r, const struct lkst_rebuild *s)
{
	begin_recording(j, r, s);
	lkst_json_u64(j, "programs", x->marks.nr_programs);
	lkst_json_u64(j, "marks", x->marks.nr_marks);
	lkst_json_end(j);
}

static const struct lkst_column columns[] = {
	{ "uuid", "UUID", LKST_COLUMN_TEXT, "the recording's" },
	{ "began", "began", LKST_COLUMN_TEXT, "when" },
	{ "host", "host", LKST_COLUMN_TEXT, "the machine's name" },
	{ "kernel", "kernel", LKST_COLUMN_TEXT, "its release" },
	{ "records", "records", LKST_COLUMN_COUNT, "how many can be read" },
	{ "span", "span", LKST_COLUMN_DURATION, "from the first to the last" },
	{ "note", "", LKST_COLUMN_TEXT, "why there are none" },
};

static void extract_fill_row(struct lkst_table *t, const struct lkst_recording *r,
			     const struct lkst_rebuild *s)
{
	char uuid[LKST_UUID_TEXT], began[LKST_TIME_ROOM] = "?";

	lkst_uuid_format(r->uuid, uuid);
	if (r->has_start)
		format_time(r, r->start.monotonic_ns, LKST_TIME_DATE, began);
	lkst_table_row(t);
	lkst_table_str(t, uuid);
	lkst_table_printf(t, "%.19s", began);
	lkst_table_str(t, extract_host_of(r));
	lkst_table_str(t, release_of(r));
	if (r->catalog) {
		lkst_table_u64(t, s->records);
		lkst_table_u64(t, s->end_ns - s->begin_ns);
		lkst_table_str(t, "");
	} else {
		lkst_table_none(t);
		lkst_table_none(t);
		lkst_table_str(t, "no metadata");
	}
}

static int extract_list(struct extraction *r, struct lkst_answer *a)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	const struct lkst_rebuild_options nothing = {};
	const bool is_json = a->format == LKST_TABLE_JSON;
	unsigned int i;

	lkst_table_init_of(&t, "recordings", "", columns);
	for (i = 0; i < r->recordings.nr; i++) {
		const struct lkst_recording *one = &r->recordings.items[i];
		struct lkst_rebuild s = {};
		int err = one->catalog
				  ? lkst_rebuild(r->e, r->dumps, r->nr_dumps, one, &nothing, &s)
				  : 0;

		if (err)
			return err;
		if (is_json)
			extract_put_recording(&a->json, one, &s);
		else
			extract_fill_row(&t, one, &s);
	}
	if (!is_json)
		lkst_answer_table(a, &t);
	return 0;
}

/* What is not in the trace, a line for each cause. */
static void print_losses(const struct extraction *r, const struct lkst_rebuild *s)
{
	bool is_cut = false;
	u64 missing = 0;
	unsigned int i;

	for (i = 0; i < r->nr_dumps; i++) {
		missing += r->dumps[i].nr_missing;
		is_cut |= r->dumps[i].file.is_cut;
	}
	if (missing)
		printf("the dump was cut off: %" PRIu64 " pages are missing\n", missing);
	else if (is_cut)
		printf("the dump was cut off: it has no end mark, and pages may be missing\n");
	if (r->hits.nr_unreadable)
		printf("%" PRIu64 " pages of the dump cannot be read\n", r->hits.nr_unreadable);
	if (r->hits.nr_skipped)
		printf("the search was ended: %" PRIu64 " of %" PRIu64
		       " pages were not looked at\n",
		       r->hits.nr_skipped, r->hits.nr_skipped + r->hits.nr_pages);
	if (r->o->earlier && lkst_earlier_doubt())
		printf("%s\n", lkst_earlier_doubt());
	if (s->torn_records)
		printf("records that were being written when the kernel stopped, cut off: %" PRIu64
		       ", of which look whole: %" PRIu64 "%s\n",
		       s->torn_records, s->doubtful_records,
		       s->doubtful_records && !r->o->doubtful ? " (--doubtful keeps them)" : "");
	if (s->missing_blocks)
		printf("%" PRIu64 " blocks are missing from the dump\n", s->missing_blocks);
	if (s->damaged_blocks)
		printf("%" PRIu64 " blocks are damaged and cut where they make no sense\n",
		       s->damaged_blocks);
	if (s->stale_blocks)
		printf("%" PRIu64
		       " blocks are left out: copies of what the rings had overwritten\n",
		       s->stale_blocks);
	if (s->rings_without_state)
		printf("%" PRIu64 " rings have lost their state page: their last block ends at the "
		       "first record that makes no sense\n",
		       s->rings_without_state);
	if (s->lost_events)
		printf("%" PRIu64
		       " events were lost while recording; `lkst check` has the ledger\n",
		       s->lost_events);
}

/* What else in the dump claims to be a recording and is not, or may not be. */
static void print_doubts(const struct extraction *r, const struct lkst_recording *recording)
{
	if (r->recordings.nr_dropped)
		printf("%u more recordings in it are not listed\n", r->recordings.nr_dropped);
	if (recording->nr_overridden)
		printf("recordings in it with the same UUID that are left out, copies of traces or "
		       "forged: %u\n",
		       recording->nr_overridden);
	if (recording->rivals)
		printf("there were two state pages of a ring, %" PRIu64
		       " times: the one whose blocks are there counts\n",
		       recording->rivals);
	if (!recording->is_proven && r->ids.nr)
		printf("%s has no id of this recording: whether a program has forged its pages "
		       "cannot be told\n",
		       r->o->ids ?: LKST_MEMORY_IDS);
}

static void print_summary(const struct extraction *r, const struct lkst_recording *recording,
			  const struct lkst_rebuild *s, const char *dir)
{
	char span[LKST_DURATION_TEXT], end[LKST_TIME_ROOM], uuid[LKST_UUID_TEXT];

	lkst_uuid_format(recording->uuid, uuid);
	lkst_duration_format(s->end_ns - s->begin_ns, span);
	format_time(recording, s->end_ns, LKST_TIME_DATE, end);
	lkst_print_message(stdout,
			   "%s: %" PRIu64
			   " records of %s on %s (%s), the last at %s; `lkst print %s` shows them",
			   dir, s->records, span, extract_host_of(recording), release_of(recording), end,
			   dir);
	if (r->recordings.nr > 1 && !r->o->uuid)
		printf("this is recording %s, the latest of %u; --list shows the others\n", uuid,
		       r->recordings.nr);
	if (r->marks.nr_programs)
		printf("and %" PRIu64 " marks of %" PRIu64 " programs\n", r->marks.nr_marks,
		       r->marks.nr_programs);
	print_doubts(r, recording);
	print_losses(r, s);
}

/* ---- the work ------------------------------------------------------------------------- */

/* Begins the trace, and the one of doubtful records. On failure nothing is left of either. */
static int extract_begin(struct extraction *r, const struct lkst_catalog *catalog, const char *dir,
			 struct lkst_rebuild_options *options)
{
	int err = lkst_writer_open_copy(r->e, &r->access, dir, catalog, &options->trace);

	if (!err && r->o->doubtful)
		err = lkst_writer_open_copy(r->e, &r->access, r->o->doubtful, catalog, &options->doubtful);
	if (err)
		lkst_writer_discard(options->trace, dir);
	return err;
}

/* Ends what extract_begin() began: it is safe on the disk, even if the machine is reset next. */
static int extract_end(struct extraction *r, struct lkst_rebuild_options *options, int err)
{
	struct lkst_writer *const writers[] = { options->trace, options->doubtful };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!err && writers[i])
			err = lkst_writer_sync(r->e, writers[i]);
		err = lkst_writer_close(r->e, writers[i], err);
	}
	return err;
}

static int add_marks(struct lkst_err *e, void *ctx, u64 end_ns)
{
	struct extraction *r = ctx;

	return lkst_extract_add_marks(e, &r->marks, end_ns);
}

static int rebuild(struct extraction *r, struct lkst_recording *recording, const char *dir,
		   struct lkst_rebuild *ret_rebuild)
{
	struct lkst_rebuild_options options = {
		.progress = extract_show_progress,
		.progress_arg = r,
		.add = add_marks,
		.add_ctx = r,
	};
	int err = extract_begin(r, recording->catalog, dir, &options);

	if (err)
		return err;
	r->marks = (struct lkst_extract_marks){ .dumps = r->dumps,
						.nr_dumps = r->nr_dumps,
						.hits = &r->hits,
						.recording = recording,
						.trace = options.trace,
						.is_earlier = r->o->earlier };
	r->doing = "writing";
	err = lkst_rebuild(r->e, r->dumps, r->nr_dumps, recording, &options, ret_rebuild);
	err = extract_end(r, &options, err);
	clear_progress(r);
	if (err)
		lkst_err_add(r->e, "trace %s is not complete", dir);
	return err;
}

/* *@ret_dir: the trace, in @name if it was not named. */
static int extract(struct extraction *r, struct lkst_answer *a, char name[TRACE_NAME],
		   const char **ret_dir)
{
	struct lkst_recording *recording = NULL;
	struct lkst_rebuild s = {};
	const char *dir = r->o->output;
	char uuid[LKST_UUID_TEXT];
	int err = extract_choose(r, &recording);

	if (!err && r->o->catalog)
		err = lkst_recording_borrow_catalog(r->e, r->o->catalog, recording);
	if (err)
		return err;
	lkst_uuid_format(recording->uuid, uuid);
	if (!recording->nr_blocks)
		return lkst_err_set(r->e, -ENODATA,
				    "no block of recording %s is left in the dump, only notes "
				    "about it",
				    uuid);
	if (!recording->catalog)
		return lkst_err_set(r->e, -ENODATA,
				    "the metadata of recording %s is not in the dump, and without "
				    "it nothing can be read; if there is an earlier trace of the "
				    "same recording, name it with --catalog",
				    uuid);
	if (!dir) {
		lkst_recording_default_dir(name, TRACE_NAME);
		dir = name;
	}
	err = rebuild(r, recording, dir, &s);
	if (err)
		return err;
	if (a->format == LKST_TABLE_JSON)
		put_extracted(&a->json, r, recording, &s);
	else if (!r->o->quiet)
		print_summary(r, recording, &s, dir);
	if (a->format != LKST_TABLE_JSON && !r->o->quiet)
		extract_print_hung(dir);
	*ret_dir = dir;
	return 0;
}

/* As JSON both are an object that has the recordings in an array. */
static int extract_answer(struct extraction *r, struct lkst_answer *a)
{
	const bool is_json = a->format == LKST_TABLE_JSON;
	const char *dir = NULL;
	char name[TRACE_NAME];
	int err;

	if (is_json) {
		lkst_json_object(&a->json, NULL);
		put_dumps(&a->json, r);
		lkst_json_array(&a->json, "recordings");
	}
	err = r->o->list ? extract_list(r, a) : extract(r, a, name, &dir);
	if (is_json) {
		lkst_json_end(&a->json);
		if (dir) {
			lkst_json_str(&a->json, "trace", dir);
			extract_put_hung(&a->json, dir);
		}
		lkst_json_end(&a->json);
	}
	return err;
}

/* Those of this machine, if there are any, or of the file that is named. */
static int read_ids(struct extraction *r)
{
	struct lkst_err ignored;

	if (r->o->ids)
		return lkst_memory_ids_read(r->e, r->o->ids, &r->ids);
	lkst_memory_ids_read(&ignored, LKST_MEMORY_IDS, &r->ids);
	return 0;
}

static int extract_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	static char kcore[] = LKST_KCORE, *own_memory[] = { kcore };
	struct extraction r = { .e = e, .o = options };
	const struct lkst_answer_form form = { .json = r.o->json };
	struct lkst_answer a = {};
	int err;

	if (!nr_args && !r.o->earlier)
		return lkst_err_set(e, -EINVAL,
				    "name a dump, or with --earlier search this machine's memory");
	if (!nr_args) {
		args = own_memory;
		nr_args = 1;
	}
	err = lkst_access_parse(e, &r.o->access, &r.access) ?:
	      read_ids(&r) ?:
	      open_dumps(&r, args, nr_args) ?:
	      search(&r) ?:
	      lkst_answer_begin(e, &form, &a) ?:
	      extract_answer(&r, &a);
	err = lkst_answer_end(&a, err);
	run_fini(&r);
	return err;
}

const struct lkst_cmd lkst_cmd_extract = {
	.name = "extract",
	.summary = "make a trace from a crash dump, or of the boot before",
	.usage = "[--output DIR] [--uuid UUID] [--doubtful DIR] [--catalog TRACE] [--ids FILE]\n"
		 "                    [--mode MODE] [--group GROUP] [--json] [--quiet] DUMP...\n"
		 "       lkst extract --list [--ids FILE] [--json] DUMP...\n"
		 "       lkst extract --earlier [--within TIME] [OPTION]... [DUMP...]",
	.help = "Searches the memory dump of a machine that was recording, and makes a trace directory\n"
		"of what it hits. DUMP is an ELF core (/proc/vmcore too), makedumpfile's or QEMU's\n"
		"compressed format, either also flattened, or a bare image of memory; or several files\n"
		"that make up one dump. Neither the kernel's symbols nor its debug information are needed.\n"
		"\n"
		"What was being written when the kernel stopped is cut off and counted. Pages of earlier\n"
		"recordings may still lie in memory: --list shows all that there are.\n"
		"\n"
		"With --earlier it searches the memory of this machine, as the boot before has left it:\n"
		"luck, and the sooner after the start the better the odds.",
	.examples = "  lkst extract -o crash /var/crash/202611211214/dump.202611211214\n"
		    "  lkst extract --list /proc/vmcore\n"
		    "  lkst extract --earlier --within 20s -o /run/lkst-earlier\n",
	.options = rows,
	.options_size = sizeof(struct extract_options),
	.max_args = DUMPS_MAX,
	.run = extract_run,
};
