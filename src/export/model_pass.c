/* SPDX-License-Identifier: GPL-2.0-only */
/* One pass with the state model. */
#include "export/model_pass.h"

#include <errno.h>
#include <stdlib.h>

#include "base/map.h"

static int model_pass_on_gap(void *ctx, const struct lkst_gap *gap)
{
	lkst_export_gap(ctx, gap);
	return 0;
}

int lkst_model_pass_begin(struct lkst_err *e, struct lkst_export *x, struct lkst_model_pass *pass)
{
	int err = lkst_feed_new(e, x->trace, &pass->feed);

	if (err)
		return err;
	lkst_feed_limit(pass->feed, x->from_ns, x->to_ns);
	lkst_feed_look(pass->feed, lkst_export_look, x);
	pass->threads = lkst_threads_new();
	err = pass->threads ? lkst_feed_threads(pass->feed, pass->threads) : -ENOMEM;
	if (!err)
		err = lkst_labels_subscribe(&pass->labels, pass->feed);
	if (!err && lkst_feed_gaps(pass->feed, model_pass_on_gap, x) < 0)
		err = -ENOMEM;
	if (err)
		return lkst_err_sys(e, err, "exporting");
	err = lkst_model_new(e, pass->feed, &pass->model);
	if (!err)
		lkst_model_know_cgroups(pass->model, pass->threads);
	return err;
}

void lkst_model_pass_fini(struct lkst_model_pass *pass)
{
	lkst_model_free(pass->model);
	lkst_feed_free(pass->feed);
	lkst_threads_free(pass->threads);
	lkst_labels_fini(&pass->labels);
	*pass = (struct lkst_model_pass){};
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Numbers are used again: the leader of a thread is the last one before it that had its process's number. */
int lkst_process_names_find(struct lkst_process_names *names, const struct lkst_model *model)
{
	u32 nr = lkst_model_nr_lives(model), i, round;
	struct lkst_map leaders = { .max = nr };
	int err = 0;

	lkst_process_names_fini(names);
	names->leaders = malloc((nr + 1) * sizeof(*names->leaders));
	if (!names->leaders)
		return -ENOMEM;
	names->nr = nr;
	for (i = 0; i < nr; i++)
		names->leaders[i] = LKST_LIFE_NONE;
	/* In the second round those whose leader was shown after them. */
	for (round = 0; round < 2; round++)
		for (i = 0; i < nr && !err; i++) {
			const struct lkst_thread_life *life = lkst_model_life(model, i);
			u64 *leader;

			if (life->tid > 0 && (life->tid == life->pid || !life->pid) && !round)
				err = lkst_map_set(&leaders, (u64)life->tid, i);
			leader = lkst_map_find(&leaders, (u64)(life->pid ?: life->tid));
			if (leader && names->leaders[i] == LKST_LIFE_NONE)
				names->leaders[i] = (u32)*leader;
		}
	lkst_map_fini(&leaders);
	return err;
}

const char *lkst_process_name(const struct lkst_process_names *names,
			      const struct lkst_model *model, const struct lkst_thread_life *life)
{
	u32 leader = life->nr < names->nr ? names->leaders[life->nr] : LKST_LIFE_NONE;

	if (leader != LKST_LIFE_NONE)
		return lkst_model_life(model, leader)->comm;
	return life->tid == life->pid || life->tid < 0 ? life->comm : "";
}

void lkst_process_names_fini(struct lkst_process_names *names)
{
	free(names->leaders);
	*names = (struct lkst_process_names){};
}
