/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a bundle of a trace directory. */
#include "bundle/bundle_save.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analyze/ledger/ledger.h"
#include "base/cleanup.h"
#include "base/version.h"
#include "bundle/bundle_text.h"
#include "bundle/journal.h"
#include "bundle/this_machine.h"
#include "trace/read/ends.h"

/* ---- what is missing ------------------------------------------------------------------------ */

static int walk(struct lkst_merge *m, struct lkst_ledger *ledger, struct lkst_out *out)
{
	struct lkst_record r;
	struct lkst_gap gap;
	int err = 0, found;

	do {
		found = lkst_merge_next(m, &r);
		if (found > 0 && r.event->group == LKST_GROUP_STATE)
			err = lkst_ledger_add_record(ledger, out, &r);
		while (!err && lkst_merge_gap(m, &gap) > 0)
			err = lkst_ledger_add_gap(ledger, out, &gap);
	} while (!err && found > 0);
	return err;
}

static void tell_ending(struct lkst_out *out, const struct lkst_trace *t)
{
	if (lkst_trace_is_partial(t))
		lkst_out_printf(out,
				"end: the trace lacks something: its copying was broken off\n");
	if (lkst_trace_ending(t) != LKST_TRACE_COMPLETE)
		lkst_out_printf(out, "end: %s\n", lkst_trace_ending_text(lkst_trace_ending(t)));
}

int lkst_bundle_tell_losses(struct lkst_err *e, struct lkst_trace *t,
			    struct lkst_bundle_text *ret_text)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	_cleanup_(lkst_ledger_fini) struct lkst_ledger ledger = {};
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	struct lkst_bundle_lines l;
	int err = out ? lkst_merge_new(e, t, 0, UINT64_MAX, &m) ?: lkst_bundle_lines_begin(e, &l)
		      : lkst_err_sys(e, -ENOMEM, "reading the ledger");

	if (err)
		return err;
	lkst_out_init_stream(out, l.to);
	if (walk(m, &ledger, out))
		err = lkst_err_sys(e, -ENOMEM, "reading the ledger");
	lkst_ledger_print_users(&ledger, out);
	tell_ending(out, t);
	if (!ledger.gaps_met && !ledger.lines_met)
		lkst_out_printf(out, "nothing is missing\n");
	if (!err && lkst_out_flush(out))
		err = lkst_err_sys(e, out->error, "reading the ledger");
	return lkst_bundle_lines_end(e, &l, err, ret_text);
}

/* ---- the texts ------------------------------------------------------------------------------ */

/* What the journal has of the time of the trace, unless others may read the bundle. */
static int tell_journal(struct lkst_err *e, const struct lkst_bundle_saving *what,
			const struct lkst_bundle_survey *survey, u64 clock_offset_ns,
			struct lkst_bundle_text *ret_text)
{
	const struct lkst_bundle_journal journal = { .from_ns = survey->begin_ns + clock_offset_ns,
						     .to_ns = survey->end_ns + clock_offset_ns,
						     .directory =
							     secure_getenv(LKST_JOURNAL_VARIABLE) };
	struct lkst_bundle_lines l;
	int err;

	if (what->is_private)
		return lkst_bundle_tell_journal(e, &journal, ret_text);
	err = lkst_bundle_lines_begin(e, &l);
	if (err)
		return err;
	fprintf(l.to, "# the journal is left out, since others may read the bundle\n");
	return lkst_bundle_lines_end(e, &l, 0, ret_text);
}

/* To find out why takes passes over all records: whoever knows it already hands it over. */
static int tell_why(struct lkst_err *e, const struct lkst_bundle_saving *what, struct lkst_trace *t,
		    struct lkst_bundle_text *ret_text)
{
	struct lkst_bundle_lines l;
	int err;

	if (!what->account)
		return lkst_bundle_tell_why(e, &what->moment, t, ret_text);
	err = lkst_bundle_lines_begin(e, &l);
	if (err)
		return err;
	fwrite(what->account->bytes, 1, what->account->length, l.to);
	return lkst_bundle_lines_end(e, &l, 0, ret_text);
}

static int tell_all(struct lkst_err *e, const struct lkst_bundle_saving *what, struct lkst_trace *t,
		    const struct lkst_bundle_survey *survey,
		    struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS])
{
	return lkst_bundle_tell_processes(e, survey->threads, survey->nr_threads, survey->end_ns,
					  what->is_private, &texts[LKST_BUNDLE_PROCESSES])
		       ?: tell_journal(e, what, survey, lkst_trace_catalog(t)->clock_offset_ns,
				       &texts[LKST_BUNDLE_JOURNAL])
		       ?: lkst_bundle_tell_machine(e, &texts[LKST_BUNDLE_MACHINE])
		       ?: lkst_bundle_tell_moment(e, &what->moment, t, survey, "lkst " LKST_VERSION,
						  &texts[LKST_BUNDLE_ABOUT])
		       ?: tell_why(e, what, t, &texts[LKST_BUNDLE_WHY])
		       ?: lkst_bundle_tell_losses(e, t, &texts[LKST_BUNDLE_LOSSES]);
}

/* The trace is closed before its streams are compressed. */
static int read_trace(struct lkst_err *e, const struct lkst_bundle_saving *what, const char *dir,
		      struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS])
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_bundle_survey_fini) struct lkst_bundle_survey survey = {};
	int err = lkst_trace_open(e, dir, &t);

	/* Threads end: they are looked at first. */
	return err ?: lkst_bundle_survey(e, t, &survey) ?: tell_all(e, what, t, &survey, texts);
}

int lkst_bundle_save(struct lkst_err *e, const struct lkst_bundle_saving *what, const char *dir,
		     const char *file, u64 *ret_bytes)
{
	_cleanup_(lkst_bundle_texts_fini) struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS] = {};
	struct stat st;
	int err = read_trace(e, what, dir, texts) ?: lkst_bundle_write(e, what->access, texts, dir, file);

	if (err)
		return err;
	*ret_bytes = stat(file, &st) ? 0 : (u64)st.st_size;
	return 0;
}
