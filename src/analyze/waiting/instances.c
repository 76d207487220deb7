/* SPDX-License-Identifier: GPL-2.0-only */
/* Which calls of a kind were the slowest, and in what they differ from the others. */
#include "analyze/waiting/instances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waiting/cause_text.h"
#include "base/size.h"
#include "base/vec.h"

enum {
	GROUPS_MAX = 4096,
	SLOW_MAX = 32,	 /* of the slowest */
	SAMPLE_MAX = 64, /* of all: one of each 1, 2, 4 ... */
	CALLS_LEAST = 20,
	SLOW_PART = 10,	     /* the slowest tenth */
	SLOW_TIMES = 2,	     /* as long as the others at least */
	MORE_LEAST_NS = 1000 * 1000, /* than they took */
	MOST_PERCENT = 50,   /* of what they take longer */
	KNOWN_PERCENT = 90,  /* of their time */
	KIND_SLOW = 1,	     /* roots */
	KIND_MIDDLE = 2,
};

/* A call from entry to exit. */
struct instance {
	u64 from_ns, to_ns;
	u32 life;
};

struct lkst_instances_group {
	char comm[16];
	s16 call;
	u64 count;
	u64 step; /* one of so many is in the sample */
	struct instance slow[SLOW_MAX], sample[SAMPLE_MAX];
	u32 nr_slow, nr_sample;
	u32 least; /* in slow[]: which one took least */
};

static u64 length(const struct instance *i)
{
	return i->to_ns - i->from_ns;
}

/* ---- the pass --------------------------------------------------------------------- */

static u64 instances_key_of(const char comm[16], s16 call)
{
	u64 key = 0xcbf29ce484222325 ^ (u16)call; /* FNV-1a */
	unsigned int i;

	for (i = 0; i < 16 && comm[i]; i++)
		key = (key ^ (u8)comm[i]) * 0x100000001b3;
	return (key * 0x9e3779b97f4a7c15) >> 1;
}

/* Those of this name and call; NULL: there are none. */
static struct lkst_instances_group *instances_find(const struct lkst_instances *x, const char comm[16], s16 call)
{
	const u64 *at = lkst_map_find(&x->by_key, instances_key_of(comm, call));
	struct lkst_instances_group *g = at ? x->groups[*at] : NULL;

	return g && g->call == call && !strncmp(g->comm, comm, sizeof(g->comm)) ? g : NULL;
}

/* New ones; NULL: there is no room, or no memory. */
static struct lkst_instances_group *add_group(struct lkst_instances *x, const char comm[16], s16 call)
{
	struct lkst_instances_group *g, **place;
	const u64 key = instances_key_of(comm, call);

	if (x->nr >= GROUPS_MAX || lkst_map_find(&x->by_key, key))
		return NULL;
	g = calloc(1, sizeof(*g));
	place = g && !lkst_map_set(&x->by_key, key, x->nr) ? lkst_vec_add(x->groups, x->nr) : NULL;
	if (!place) {
		free(g);
		x->error = -ENOMEM;
		return NULL;
	}
	memcpy(g->comm, comm, sizeof(g->comm));
	g->call = call;
	g->step = 1;
	*place = g;
	return g;
}

static void keep_slow(struct lkst_instances_group *g, const struct instance *i)
{
	u32 k;

	if (g->nr_slow < SLOW_MAX)
		g->slow[g->nr_slow++] = *i;
	else if (length(i) > length(&g->slow[g->least]))
		g->slow[g->least] = *i;
	else
		return;
	for (k = 0, g->least = 0; k < g->nr_slow; k++)
		if (length(&g->slow[k]) < length(&g->slow[g->least]))
			g->least = k;
}

/* When there are too many, each second one of them stays, and one of twice as many comes in. */
static void keep_sample(struct lkst_instances_group *g, const struct instance *i)
{
	u32 k;

	if (g->count % g->step)
		return;
	if (g->nr_sample == SAMPLE_MAX) {
		for (k = 0; k < SAMPLE_MAX / 2; k++)
			g->sample[k] = g->sample[2 * k];
		g->nr_sample = SAMPLE_MAX / 2;
		g->step *= 2;
		if (g->count % g->step)
			return;
	}
	g->sample[g->nr_sample++] = *i;
}

static int instances_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lkst_instances *x = ctx;
	const struct instance i = { c->from_ns, c->to_ns, c->life->nr };
	struct lkst_instances_group *g;

	if (c->call.row < 0 || c->life->tid <= 0 || !c->has_entry || !c->has_exit || c->to_ns < c->from_ns ||
	    !lkst_whose_has_now(x->scope, c->life))
		return 0;
	g = instances_find(x, c->life->comm, c->call.row) ?: add_group(x, c->life->comm, c->call.row);
	if (!g)
		return x->error;
	keep_slow(g, &i);
	keep_sample(g, &i);
	g->count++;
	return 0;
}

int lkst_instances_subscribe(struct lkst_instances *x, struct lkst_model *model, const struct lkst_whose *scope)
{
	static const struct lkst_model_calls calls = { .call = instances_on_call };

	x->scope = scope;
	x->by_key.max = GROUPS_MAX;
	return lkst_model_subscribe(model, &calls, x);
}

void lkst_instances_fini(struct lkst_instances *x)
{
	u32 i;

	for (i = 0; i < x->nr; i++)
		free(x->groups[i]);
	free(x->groups);
	lkst_map_fini(&x->by_key);
	*x = (struct lkst_instances){};
}

/* ---- in what they differ ---------------------------------------------------------- */

/* Some instances, followed: below a root of the tree. */
struct followed {
	u32 root, nr;
	u64 all_ns;
};

struct difference {
	struct lkst_tree tree;
	struct followed slow, middle;
};

static int by_length(const void *a, const void *b)
{
	const u64 x = length(a), y = length(b);

	return x < y ? -1 : x > y;
}

static int instances_follow(struct difference *d, struct followed *f, const struct instance *list, u32 nr, u16 kind)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		/* What is older than what was kept of the states can't be followed. */
		if (list[i].from_ns < d->tree.pasts->from_ns)
			continue;
		f->root = lkst_tree_add_time(&d->tree, list[i].life, list[i].from_ns, list[i].to_ns, kind);
		f->all_ns += length(&list[i]);
		f->nr++;
	}
	return d->tree.error;
}

static double instances_mean(u64 ns, const struct followed *f)
{
	return f->nr ? (double)ns / f->nr : 0;
}

/* The child of node @parent that says the same as @n; LKST_NO_NODE: it has none. */
static u32 same_below(const struct lkst_tree *t, u32 parent, const struct lkst_tree_node *n)
{
	u32 i = parent == LKST_NO_NODE ? LKST_NO_NODE : t->nodes[parent].first_child;

	for (; i != LKST_NO_NODE; i = t->nodes[i].next) {
		const struct lkst_tree_key *k = &t->nodes[i].key;

		if (k->name == n->key.name && k->doing == n->key.doing && k->cause == n->key.cause &&
		    k->call == n->key.call && k->extra == n->key.extra)
			return i;
	}
	return LKST_NO_NODE;
}

/* How much longer an instance is at @node than one of the middle is at @same, on average. */
static double more_ns(const struct difference *d, u32 node, u32 same)
{
	return instances_mean(d->tree.nodes[node].ns, &d->slow) -
	       (same == LKST_NO_NODE ? 0 : instances_mean(d->tree.nodes[same].ns, &d->middle));
}

/* The deepest node that most of the difference is in; *@ret_above: that above it; *@ret_same: its like. */
static u32 instances_most_of(const struct difference *d, double least_ns, u32 *ret_above, u32 *ret_same)
{
	u32 node = d->slow.root, same = d->middle.root;

	*ret_above = LKST_NO_NODE;
	for (;;) {
		u32 best = LKST_NO_NODE, best_same = LKST_NO_NODE, i;

		for (i = d->tree.nodes[node].first_child; i != LKST_NO_NODE; i = d->tree.nodes[i].next) {
			const u32 other = same_below(&d->tree, same, &d->tree.nodes[i]);

			if (best == LKST_NO_NODE || more_ns(d, i, other) > more_ns(d, best, best_same)) {
				best = i;
				best_same = other;
			}
		}
		if (best == LKST_NO_NODE || more_ns(d, best, best_same) < least_ns)
			break;
		*ret_above = node;
		node = best;
		same = best_same;
	}
	*ret_same = same;
	return node;
}

/* What is known of the slow ones: the time that is below their root. */
static bool instances_is_known(const struct difference *d)
{
	u64 ns = 0;
	u32 i;

	for (i = d->tree.nodes[d->slow.root].first_child; i != LKST_NO_NODE; i = d->tree.nodes[i].next)
		ns += d->tree.nodes[i].ns;
	return ns * 100 >= d->slow.all_ns * KNOWN_PERCENT;
}

static bool instances_is_nobody(u8 doing)
{
	return doing == LKST_DOING_TIMER || doing == LKST_DOING_DISK || doing == LKST_DOING_INTERRUPT;
}

static void instances_say(const struct difference *d, const struct lkst_instances_group *g,
			  const struct lkst_cause_names *names, char text[LKST_INSTANCES_TEXT])
{
	const double slow_ns = instances_mean(d->slow.all_ns, &d->slow),
		     middle_ns = instances_mean(d->middle.all_ns, &d->middle);
	char slow[LKST_DURATION_TEXT], middle[LKST_DURATION_TEXT], what[LKST_CAUSE_TEXT] = "", end[LKST_CAUSE_TEXT];
	const char *joint = "";
	u32 above, same, node = instances_most_of(d, (slow_ns - middle_ns) * MOST_PERCENT / 100, &above, &same);
	double more;

	if (node == d->slow.root)
		return;
	more = more_ns(d, node, same);
	more = more < slow_ns - middle_ns ? more : slow_ns - middle_ns;
	lkst_cause_text_node(&d->tree, node, names, end);
	/* That the caller waited, and somebody ran, needs no telling; that somebody waited for another does. */
	if (above != d->slow.root &&
	    (instances_is_nobody(d->tree.nodes[node].key.doing) || d->tree.nodes[above].key.parent != d->slow.root)) {
		lkst_cause_text_node(&d->tree, above, names, what);
		joint = instances_is_nobody(d->tree.nodes[node].key.doing) ? ", " : " and meanwhile ";
	}
	lkst_duration_format((u64)slow_ns, slow);
	lkst_duration_format((u64)middle_ns, middle);
	snprintf(
		text, LKST_INSTANCES_TEXT,
		"Of %llu calls of %s() by %.16s the slowest %u took %s on average, those of the middle half %s: "
		"%.0f %% of the difference is that %s%s%s, in the middle half for %.0f %% of their time",
		(unsigned long long)g->count, lkst_syscalls[g->call].name, g->comm, d->slow.nr, slow, middle,
		100 * more / (slow_ns - middle_ns), what, joint, end,
		same == LKST_NO_NODE || !d->middle.all_ns
			? 0.0
			: 100.0 * (double)d->tree.nodes[same].ns / (double)d->middle.all_ns);
}

/* The slowest tenth, as far as they were kept, and the middle half of the sample. */
static int differ(struct difference *d, struct lkst_instances_group *g, const struct lkst_cause_names *names,
		  char text[LKST_INSTANCES_TEXT])
{
	const u32 nr_slow = g->count / SLOW_PART < g->nr_slow ? (u32)(g->count / SLOW_PART) : g->nr_slow;
	int err;

	qsort(g->slow, g->nr_slow, sizeof(*g->slow), by_length);
	qsort(g->sample, g->nr_sample, sizeof(*g->sample), by_length);
	err = instances_follow(d, &d->slow, g->slow + g->nr_slow - nr_slow, nr_slow, KIND_SLOW) ?:
	      instances_follow(d, &d->middle, g->sample + g->nr_sample / 4, g->nr_sample / 2, KIND_MIDDLE);
	if (err || !d->slow.nr || !d->middle.nr || d->slow.root == LKST_NO_NODE || d->middle.root == LKST_NO_NODE ||
	    d->tree.is_full)
		return err;
	if (instances_mean(d->slow.all_ns, &d->slow) >= SLOW_TIMES * instances_mean(d->middle.all_ns, &d->middle) &&
	    instances_mean(d->slow.all_ns, &d->slow) - instances_mean(d->middle.all_ns, &d->middle) >= MORE_LEAST_NS &&
	    instances_is_known(d))
		instances_say(d, g, names, text);
	return 0;
}

int lkst_instances_differ(const struct lkst_instances *x, const struct lkst_pasts *h,
			  const struct lkst_cause_names *names, const char comm[16], s16 call,
			  char text[LKST_INSTANCES_TEXT])
{
	struct lkst_instances_group *g = call >= 0 ? instances_find(x, comm, call) : NULL;
	struct difference d = { .slow = { .root = LKST_NO_NODE }, .middle = { .root = LKST_NO_NODE } };
	int err;

	text[0] = '\0';
	if (!g || g->count < CALLS_LEAST)
		return x->error;
	lkst_tree_init(&d.tree, h, names->model);
	err = differ(&d, g, names, text);
	lkst_tree_fini(&d.tree);
	return err;
}
