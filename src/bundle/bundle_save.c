/* SPDX-License-Identifier: GPL-2.0-only */
/* Making a bundle of a trace directory. */
#include "bundle/bundle_save.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/version.h"
#include "bundle/bundle_text.h"
#include "bundle/bundle_why.h"
#include "bundle/journal.h"
#include "bundle/this_machine.h"

/* What the journal has of the time of the trace, unless others may read the bundle. */
static int bundle_save_tell_journal(struct lkst_err *e, const struct lkst_bundle_saving *what,
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
static int bundle_save_tell_why(struct lkst_err *e, const struct lkst_bundle_saving *what, struct lkst_trace *t,
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

static int bundle_save_tell_all(struct lkst_err *e, const struct lkst_bundle_saving *what, struct lkst_trace *t,
				const struct lkst_bundle_survey *survey,
				struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS])
{
	return lkst_bundle_tell_processes(e, survey->threads, survey->nr_threads, survey->end_ns,
					  what->is_private, &texts[LKST_BUNDLE_PROCESSES])
		       ?: bundle_save_tell_journal(e, what, survey, lkst_trace_catalog(t)->clock_offset_ns,
						   &texts[LKST_BUNDLE_JOURNAL])
		       ?: lkst_bundle_tell_machine(e, &texts[LKST_BUNDLE_MACHINE])
		       ?: lkst_bundle_tell_moment(e, &what->moment, t, survey, "lkst " LKST_VERSION,
						  &texts[LKST_BUNDLE_ABOUT])
		       ?: bundle_save_tell_why(e, what, t, &texts[LKST_BUNDLE_WHY]);
}

/* The trace is closed before its streams are compressed. */
static int bundle_save_read_trace(struct lkst_err *e, const struct lkst_bundle_saving *what, const char *dir,
				  struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS])
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_bundle_survey_fini) struct lkst_bundle_survey survey = {};
	int err = lkst_trace_open(e, dir, &t);

	/* Threads end: they are looked at first. */
	err = err ?: lkst_bundle_survey(e, t, &survey) ?: bundle_save_tell_all(e, what, t, &survey, texts);
	if (!err) {
		texts[LKST_BUNDLE_LOSSES] = survey.losses;
		survey.losses = (struct lkst_bundle_text){};
	}
	return err;
}

int lkst_bundle_save(struct lkst_err *e, const struct lkst_bundle_saving *what, const char *dir,
		     const char *file, u64 *ret_bytes)
{
	_cleanup_(lkst_bundle_texts_fini) struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS] = {};
	struct stat st;
	int err = bundle_save_read_trace(e, what, dir, texts) ?: lkst_bundle_write(e, what->access, texts, dir, file);

	if (err)
		return err;
	*ret_bytes = stat(file, &st) ? 0 : (u64)st.st_size;
	return 0;
}
