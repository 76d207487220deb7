/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that do several things to the running recording. */
#include "cmd/recorders/verbs.h"

#include <errno.h>
#include <string.h>

#include "cmd/recorders/recording.h"

int lkst_job_open(struct lkst_job *job, enum lkst_turn_kind kind)
{
	int err = lkst_turn_take(job->e, kind, &job->turn) ?: lkst_session_open(job->e, &job->s);

	if (err)
		lkst_job_close(job);
	else
		job->c = lkst_session_control(job->s);
	return err;
}

void lkst_job_give_turn(struct lkst_job *job)
{
	lkst_turn_give(&job->turn);
}

int lkst_job_take_turn(struct lkst_job *job, enum lkst_turn_kind kind)
{
	int err = lkst_turn_take(job->e, kind, &job->turn);

	if (err || lkst_session_is_current(job->s))
		return err;
	lkst_turn_give(&job->turn);
	return lkst_err_set(job->e, -ENOENT, "the recording was stopped");
}

void lkst_job_close(struct lkst_job *job)
{
	lkst_session_close(job->s);
	job->s = NULL;
	job->c = NULL;
	lkst_job_give_turn(job);
}

int lkst_verbs_run(struct lkst_err *e, const struct lkst_verb *verbs, const char *name,
		   const void *options, bool quiet, char **args, unsigned int nr_args)
{
	struct lkst_job job = { .e = e, .options = options, .turn.lock = -1 };
	const struct lkst_verb *verb = verbs;
	int err;

	while (verb->name && strcmp(verb->name, name))
		verb++;
	if (!verb->name)
		return lkst_err_set(e, -EINVAL, "there is no \"%s\"; see --help", name);
	if (nr_args < verb->min_args || nr_args > verb->max_args)
		return lkst_err_set(e, -EINVAL,
				    "\"%s\" takes %u to %u arguments, not %u; see --help", name,
				    verb->min_args, verb->max_args, nr_args);
	err = (verb->turn == LKST_TURN_NONE ? 0 : lkst_job_open(&job, verb->turn)) ?:
	      verb->run(&job, args, nr_args);
	lkst_job_close(&job);
	if (!quiet)
		lkst_recording_print(&job.notes);
	lkst_notes_fini(&job.notes);
	return err;
}
