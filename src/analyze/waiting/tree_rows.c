/* SPDX-License-Identifier: GPL-2.0-only */
/* From the nodes of a tree to rows. */
#include "analyze/waiting/tree_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"

struct maker {
	struct lkst_tree_rows *r;
	const struct lkst_tree *t;
	unsigned int depth;
	u64 least_ns; /* what is less is small */
};

static int tree_rows_put(struct maker *m, struct lkst_tree_row row)
{
	struct lkst_tree_row *added = lkst_vec_add(m->r->list, m->r->nr);

	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}

static int by_harm_and_time(const void *a, const void *b, void *arg)
{
	const struct lkst_tree_node *nodes = arg, *x = &nodes[*(const u32 *)a], *y = &nodes[*(const u32 *)b];

	if (!x->key.kind != !y->key.kind)
		return x->key.kind ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* Whether it needs something below it to be explained; what it did else is what it is. */
static bool is_explained_below(const struct lkst_tree_node *n)
{
	switch (n->key.doing) {
	case LKST_DOING_READY:
	case LKST_DOING_WAITED:
	case LKST_DOING_STOPPED:
	case LKST_DOING_TRACED:
	case LKST_DOING_FROZEN:
		return true;
	default:
		return n->first_child != LKST_NO_NODE;
	}
}

static int tree_rows_put_list(struct maker *m, u32 *nodes, u32 nr, unsigned int depth);

static int put_below(struct maker *m, u32 node, unsigned int depth)
{
	const struct lkst_tree_node *n = &m->t->nodes[node];
	_cleanup_free_ u32 *children = NULL;
	u32 nr = 0, i;
	u64 below_ns = 0;
	int err;

	for (i = n->first_child; i != LKST_NO_NODE; i = m->t->nodes[i].next) {
		u32 *child = lkst_vec_add(children, nr);

		if (!child)
			return -ENOMEM;
		*child = i;
		below_ns += m->t->nodes[i].ns;
	}
	err = tree_rows_put_list(m, children, nr, depth);
	if (err || below_ns >= n->ns)
		return err;
	return tree_rows_put(m, (struct lkst_tree_row){ LKST_NO_NODE, depth, LKST_TREE_ROW_UNKNOWN, true,
							n->ns - below_ns, 0 });
}

/* Those nodes, and what is below them; what is small is one row. */
static int tree_rows_put_list(struct maker *m, u32 *nodes, u32 nr, unsigned int depth)
{
	u64 small_ns = 0, nr_small = 0;
	u32 i;
	int err = 0;

	if (nr)
		qsort_r(nodes, nr, sizeof(*nodes), by_harm_and_time, m->t->nodes);
	for (i = 0; i < nr && !err; i++) {
		const struct lkst_tree_node *n = &m->t->nodes[nodes[i]];
		const bool is_leaf = depth + 1 >= m->depth || !is_explained_below(n);

		if (n->ns < m->least_ns) {
			small_ns += n->ns;
			nr_small++;
			continue;
		}
		err = tree_rows_put(m, (struct lkst_tree_row){ nodes[i], depth, LKST_TREE_ROW_NODE, is_leaf, n->ns,
							       n->count });
		if (!err && !is_leaf)
			err = put_below(m, nodes[i], depth + 1);
	}
	if (err || !nr_small)
		return err;
	return tree_rows_put(m, (struct lkst_tree_row){ LKST_NO_NODE, depth, LKST_TREE_ROW_SMALL, true, small_ns,
							nr_small });
}

int lkst_tree_rows_make(struct lkst_tree_rows *r, const struct lkst_tree *t, unsigned int depth,
			unsigned int small_part)
{
	struct maker m = { .r = r, .t = t, .depth = depth };
	_cleanup_free_ u32 *roots = NULL;
	u32 i, nr = 0;

	for (i = 0; i < t->nr; i++) {
		u32 *root = t->nodes[i].key.parent == LKST_NO_NODE ? lkst_vec_add(roots, nr) : NULL;

		if (t->nodes[i].key.parent != LKST_NO_NODE)
			continue;
		if (!root)
			return -ENOMEM;
		*root = i;
		r->whole_ns += t->nodes[i].ns;
	}
	m.least_ns = small_part ? r->whole_ns / small_part : 0;
	return tree_rows_put_list(&m, roots, nr, 0);
}

void lkst_tree_rows_fini(struct lkst_tree_rows *r)
{
	free(r->list);
	*r = (struct lkst_tree_rows){};
}
