/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the waiting went, as flame graphs take it: the tree of `lkst why --tree`, a line for each of its leaves, with
 * the ns of it,
 *
 *	worker;lock;worker waited for a lock in futex();keeper slept in clock_nanosleep() 498000000
 *
 * in the form of collapsed.c. Nothing is too small to be a line.
 */
#include <errno.h>
#include <string.h>

#include "analyze/waiting/cause_text.h"
#include "analyze/waiting/tree_rows.h"
#include "export/export_format.h"
#include "export/model_pass.h"
#include "trace/known/descriptors_before.h"

struct stacks_waiting {
	struct lkst_export *x;
	struct lkst_model_pass pass;
	struct lkst_descriptors *descriptors;
	struct lkst_whose scope;
	struct lkst_pasts pasts;
	struct lkst_evidence evidence; /* for the names of what was used up */
	u32 path[LKST_TREE_DEPTH_MAX]; /* nodes from the root on to the row that is written */
};

/* ---- writing --------------------------------------------------------------------------------- */

/* What separates frames is ':' in a name. */
static char *waiting_put_frame(struct lkst_out *out, char *p, const char *text)
{
	char frame[LKST_CAUSE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(frame) && text[i]; i++)
		frame[i] = (char)(text[i] == ';' ? ':' : text[i]);
	return lkst_out_escaped(out, p, frame, i, "");
}

/* The line of a leaf, @ns of the last of the path's first @nr nodes. */
static void put_leaf(struct stacks_waiting *w, const struct lkst_tree *tree, const struct lkst_cause_names *names,
		     u32 nr, bool is_known, u64 ns)
{
	const struct lkst_tree_key *root = &tree->nodes[w->path[0]].key;
	struct lkst_out *out = w->x->out;
	char *p = lkst_out_room(out), text[LKST_CAUSE_TEXT];
	u32 i;

	p = waiting_put_frame(out, p, lkst_tree_name_text(tree, root->name));
	p = lkst_put_str(lkst_put_str(p, ";"), root->kind ? lkst_harm_word((enum lkst_harm)root->kind) : "no harm");
	for (i = 0; i < nr; i++) {
		lkst_cause_text_node(tree, w->path[i], names, text);
		p = waiting_put_frame(out, lkst_put_str(p, ";"), text);
	}
	p = lkst_put_u64(lkst_put_str(p, is_known ? " " : ";not known "), ns);
	lkst_out_advance(out, lkst_put_str(p, "\n"));
}

static int waiting_put_rows(struct stacks_waiting *w, const struct lkst_tree *tree,
			    const struct lkst_cause_names *names, const struct lkst_tree_rows *rows)
{
	u32 i;
	int err = 0;

	for (i = 0; i < rows->nr && !err; i++) {
		const struct lkst_tree_row *row = &rows->list[i];
		const bool is_known = row->is == LKST_TREE_ROW_NODE;

		if (is_known)
			w->path[row->depth] = row->node;
		if (row->is_leaf && row->ns)
			put_leaf(w, tree, names, row->depth + is_known, is_known, row->ns);
		err = lkst_export_step(w->x, w->x->end_ns);
	}
	return err;
}

static int write_tree(struct stacks_waiting *w)
{
	const struct lkst_cause_names names = { .symbols = w->x->symbols, .labels = &w->pass.labels,
						.model = w->pass.model, .evidence = &w->evidence,
						.scope = &w->scope };
	struct lkst_tree_rows rows = {};
	struct lkst_tree tree;
	int err;

	lkst_tree_init(&tree, &w->pasts, w->pass.model);
	err = lkst_past_finish(&w->pasts) ?: lkst_causes_add_all(&w->pasts, &names, &tree) ?:
	      lkst_tree_rows_make(&rows, &tree, LKST_TREE_DEPTH_MAX, 0) ?: waiting_put_rows(w, &tree, &names, &rows);
	w->x->result.has_more_waiting = tree.is_full || w->pasts.is_cut;
	lkst_tree_rows_fini(&rows);
	lkst_tree_fini(&tree);
	return err;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool waiting_wants(void *ctx, const struct lkst_thread_life *life)
{
	const struct stacks_waiting *w = ctx;

	return lkst_export_wants(w->x, w->pass.model, life);
}

/* What waits are about. Which descriptors there were before is of use, and no more than that. */
static int stacks_waiting_follow_descriptors(struct stacks_waiting *w)
{
	struct lkst_err err = {};

	w->descriptors = lkst_descriptors_new(w->pass.threads);
	if (!w->descriptors || lkst_descriptors_tell_state(&err, w->descriptors, w->x->trace) == -ENOMEM)
		return -ENOMEM;
	w->pasts.abouts.descriptors = w->descriptors;
	return lkst_feed_descriptors(w->pass.feed, w->descriptors);
}

static int waiting_subscribe(struct stacks_waiting *w)
{
	struct lkst_feed *feed = w->pass.feed;
	struct lkst_model *model = w->pass.model;
	int r = stacks_waiting_follow_descriptors(w);

	w->scope.chooses = waiting_wants;
	w->scope.ctx = w;
	w->pasts.circumstances.symbols = w->x->symbols;
	w->evidence.abouts = &w->pasts.abouts;
	w->evidence.scope = &w->scope;
	if (r >= 0)
		r = lkst_whose_subscribe(&w->scope, feed, model, w->pass.threads);
	if (r >= 0)
		r = lkst_past_subscribe(&w->pasts, feed, model, w->x->limited);
	return r < 0 ? r : lkst_evidence_subscribe(&w->evidence, feed, model, w->x->limited);
}

static int write_waiting(struct lkst_err *e, struct lkst_export *x)
{
	struct stacks_waiting w = { .x = x };
	int err = lkst_model_pass_begin(e, x, &w.pass);

	if (!err && waiting_subscribe(&w) < 0)
		err = lkst_err_sys(e, -ENOMEM, "exporting");
	err = err ?: lkst_feed_run(e, w.pass.feed);
	if (!err) {
		lkst_whose_finish(&w.scope);
		err = write_tree(&w);
		if (err == -ENOMEM)
			lkst_err_sys(e, err, "exporting");
	}
	lkst_evidence_fini(&w.evidence);
	lkst_past_fini(&w.pasts);
	lkst_whose_fini(&w.scope);
	lkst_descriptors_free(w.descriptors);
	lkst_model_pass_fini(&w.pass);
	return err;
}

const struct lkst_export_format lkst_export_waiting = {
	.name = "waiting",
	.help = "where the waiting went: who waited, because of whom, as stacks for flame graphs",
	.extension = "waiting",
	.filters = LKST_EXPORT_BY_THREAD,
	.write = write_waiting,
};
