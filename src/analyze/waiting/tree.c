/* SPDX-License-Identifier: GPL-2.0-only */
/* A wait is followed to who ended it, and to what that one did from the wait's begin until then. */
#include "analyze/waiting/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	NODES_MAX = 1 << 16,
	NAMES_MAX = 1 << 16,
	DEPTH_MAX = 10,		/* wake-ups that are followed */
	STEPS_MAX = 30000000,	/* states that are looked at in all */
	WAIT_STEPS_MAX = 50000, /* of one wait */
};

/* One wait that is being followed. */
struct tree_walk {
	struct lkst_tree *t;
	u64 steps;
	u32 lives[DEPTH_MAX + 2]; /* who waits for whom so far */
	unsigned int nr_lives;
};

static void tree_follow(struct tree_walk *w, u32 node, u32 life, u64 from_ns, u64 to_ns, unsigned int depth);

/* ---- names ------------------------------------------------------------------------ */

static u64 hash_text(const char *text, size_t max)
{
	u64 hash = 0xcbf29ce484222325; /* FNV-1a */
	size_t i;

	for (i = 0; i < max && text[i]; i++)
		hash = (hash ^ (u8)text[i]) * 0x100000001b3;
	return hash == LKST_HASH_NONE ? 1 : hash;
}

/* The number of name @comm. Those that are too many have one together, which stands for "?". */
static u32 intern(struct lkst_tree *t, const char *comm)
{
	const u64 key = hash_text(comm, 16);
	const u64 *known = lkst_map_find(&t->by_name, key);
	char(*name)[17];

	if (known)
		return (u32)*known;
	if (t->nr_names == NAMES_MAX) {
		t->is_full = true;
		return NAMES_MAX;
	}
	name = lkst_vec_add(t->names, t->nr_names);
	if (!name || lkst_map_set(&t->by_name, key, t->nr_names - 1) == -ENOMEM) {
		t->error = -ENOMEM;
		return NAMES_MAX;
	}
	memcpy(*name, comm, 16);
	return t->nr_names - 1;
}

u32 lkst_tree_name(struct lkst_tree *t, u32 life)
{
	const struct lkst_thread_life *l = lkst_model_life(t->model, life);
	u32 *name = lkst_vec_reach(t->name_of, t->nr_name_of, life);

	if (!name || !l) {
		t->error = name ? t->error : -ENOMEM;
		return 0;
	}
	if (!*name)
		*name = intern(t, l->comm) + 1;
	return *name - 1;
}

const char *lkst_tree_name_text(const struct lkst_tree *t, u32 name)
{
	return name < t->nr_names && t->names[name][0] ? t->names[name] : "?";
}

/* ---- nodes ------------------------------------------------------------------------ */

static u64 hash_key(const struct lkst_tree_key *k)
{
	u64 hash = ((u64)k->parent << 32 | k->name) * 0x9e3779b97f4a7c15;

	hash = (hash ^ (hash >> 29) ^ ((u64)k->kind << 32 | (u64)k->doing << 24 | (u64)k->cause << 16 | (u16)k->call)) *
	       0xbf58476d1ce4e5b9;
	hash = (hash ^ (hash >> 32) ^ k->extra) * 0x94d049bb133111eb;
	return hash == LKST_HASH_NONE ? 1 : hash;
}

/* The node of @key, made if it is new; LKST_NO_NODE: there is no room. */
static u32 tree_reach(struct lkst_tree *t, struct lkst_tree_key key)
{
	const u64 hash = hash_key(&key);
	const u64 *known = lkst_map_find(&t->by_key, hash);
	struct lkst_tree_node *n;

	if (known)
		return (u32)*known;
	if (t->nr >= NODES_MAX) {
		t->is_full = true;
		return LKST_NO_NODE;
	}
	n = lkst_vec_add(t->nodes, t->nr);
	if (!n || lkst_map_set(&t->by_key, hash, t->nr - 1)) {
		t->error = -ENOMEM;
		return LKST_NO_NODE;
	}
	n->key = key;
	n->first_child = LKST_NO_NODE;
	n->next = LKST_NO_NODE;
	n->for_name = UINT32_MAX;
	if (key.parent != LKST_NO_NODE) {
		n->next = t->nodes[key.parent].first_child;
		t->nodes[key.parent].first_child = t->nr - 1;
	}
	return t->nr - 1;
}

bool lkst_tree_is_nobody(enum lkst_doing doing)
{
	return doing == LKST_DOING_TIMER || doing == LKST_DOING_DISK || doing == LKST_DOING_INTERRUPT;
}

static void tree_count(struct lkst_tree *t, u32 node, u32 life, u64 at_ns, u64 ns)
{
	struct lkst_tree_node *n;

	if (node == LKST_NO_NODE)
		return;
	n = &t->nodes[node];
	n->ns += ns;
	n->count++;
	n->lives += n->life != life || n->count == 1;
	n->life = life;
	if (ns > n->longest_ns) {
		n->longest_ns = ns;
		n->longest_at_ns = at_ns;
		n->longest_life = life;
	}
}

/* Adds a leaf below @parent. */
static u32 tree_add(struct tree_walk *w, u32 parent, u32 life, enum lkst_doing doing, s16 call, u64 extra, u64 from_ns,
		    u64 to_ns)
{
	const bool is_nobody = lkst_tree_is_nobody(doing);
	u32 node = parent == LKST_NO_NODE
			   ? LKST_NO_NODE
			   : tree_reach(w->t, (struct lkst_tree_key){ .parent = parent,
								 .name = is_nobody ? 0 : lkst_tree_name(w->t, life),
								 .doing = (u8)doing,
								 .call = call,
								 .extra = extra });

	tree_count(w->t, node, life, from_ns, to_ns - from_ns);
	return node;
}

u32 lkst_tree_largest(const struct lkst_tree *t, u32 node)
{
	u32 best = LKST_NO_NODE, i;

	for (i = t->nodes[node].first_child; i != LKST_NO_NODE; i = t->nodes[i].next)
		if (best == LKST_NO_NODE || t->nodes[i].ns > t->nodes[best].ns)
			best = i;
	return best;
}

/* ---- following -------------------------------------------------------------------- */

/* Who ran on the CPU of @p, on which a thread was ready from @from_ns to @to_ns. */
static void add_occupants(struct tree_walk *w, u32 node, const struct lkst_past *p, u64 from_ns, u64 to_ns)
{
	const struct lkst_pasts *h = w->t->pasts;
	struct lkst_places_list list = lkst_past_on(h, (u32)p->cpu);
	u32 i;

	if (node == LKST_NO_NODE || p->cpu < 0)
		return;
	for (i = lkst_past_before(h, list, from_ns); i < list.nr && w->steps < WAIT_STEPS_MAX; i++, w->steps++) {
		const struct lkst_past *o = &h->list[list.at[i]];
		const u64 begin_ns = o->from_ns > from_ns ? o->from_ns : from_ns;
		const u64 end_ns = o->to_ns < to_ns ? o->to_ns : to_ns;

		if (o->from_ns >= to_ns)
			break;
		if (end_ns <= begin_ns)
			continue;
		tree_add(w, node, o->life, LKST_DOING_HAD_CPU, -1, 0, begin_ns, end_ns);
		from_ns = end_ns; /* no time is told twice, whatever the trace says of a CPU */
	}
}

/* The majority's vote of Boyer and Moore, by time. */
static void tree_vote(struct lkst_tree_node *n, u32 name, u64 ns)
{
	if (n->for_name == name) {
		n->for_ns += ns;
	} else if (n->for_ns >= ns) {
		n->for_ns -= ns;
	} else {
		n->for_name = name;
		n->for_ns = ns - n->for_ns;
	}
}

/* What @life did from @from_ns to @to_ns it did before it woke whom it woke next. */
static void credit(struct tree_walk *w, u32 node, u32 life, u64 from_ns, u64 to_ns)
{
	const struct lkst_pasts *h = w->t->pasts;
	struct lkst_places_list list = lkst_past_woken_by(h, life);
	u32 i;

	for (i = lkst_past_before(h, list, from_ns); i < list.nr && from_ns < to_ns; i++, w->steps++) {
		const struct lkst_past *woken = &h->list[list.at[i]];
		const u64 end_ns = woken->to_ns < to_ns ? woken->to_ns : to_ns;

		tree_vote(&w->t->nodes[node], lkst_tree_name(w->t, woken->life), end_ns - from_ns);
		from_ns = end_ns;
	}
}

/* Two that were woken in vain by each other wait for a third: each of them is followed once. */
static bool tree_is_followed(const struct tree_walk *w, u32 life)
{
	unsigned int i;

	for (i = 0; i < w->nr_lives; i++)
		if (w->lives[i] == life)
			return true;
	return false;
}

static void add_end(struct tree_walk *w, u32 node, const struct lkst_past *p, u64 from_ns, u64 to_ns,
		    unsigned int depth)
{
	const struct lkst_past *last = &w->t->pasts->list[p->last];

	/* An interrupt has ended it, but who has the other end of the connection is known. */
	if (last->flags & LKST_PAST_HAS_PEER && depth && !tree_is_followed(w, last->waker)) {
		tree_follow(w, node, last->waker, from_ns, to_ns, depth - 1);
		return;
	}
	switch (last->end) {
	case LKST_PAST_END_THREAD:
		if (!depth)
			w->t->is_full = true;
		else if (!tree_is_followed(w, last->waker))
			tree_follow(w, node, last->waker, from_ns, to_ns, depth - 1);
		break;
	case LKST_PAST_END_TIMER:
		tree_add(w, node, 0, LKST_DOING_TIMER, -1, last->object, from_ns, to_ns);
		break;
	case LKST_PAST_END_DISK:
		tree_add(w, node, 0, LKST_DOING_DISK, -1, last->dev, from_ns, to_ns);
		break;
	case LKST_PAST_END_INTERRUPT:
		tree_add(w, node, 0, LKST_DOING_INTERRUPT, -1, last->flags & LKST_PAST_WAS_QUEUED ? last->object : 0,
			 from_ns, to_ns);
		break;
	default:
		break;
	}
}

static enum lkst_doing tree_doing_of(const struct lkst_past *p)
{
	switch (p->run) {
	case LKST_RUN_RUNNING:
		return LKST_DOING_RAN;
	case LKST_RUN_READY:
		return p->ready == LKST_READY_THROTTLED ? LKST_DOING_THROTTLED : LKST_DOING_READY;
	case LKST_RUN_STOPPED:
		return p->flags & LKST_PAST_IS_TRACED ? LKST_DOING_TRACED : LKST_DOING_STOPPED;
	case LKST_RUN_BLOCKED:
		return p->flags & LKST_PAST_IS_FROZEN	 ? LKST_DOING_FROZEN
		       : p->cause == LKST_CAUSE_SLEEP ? LKST_DOING_SLEPT
						      : LKST_DOING_WAITED;
	default:
		return LKST_DOING_UNKNOWN;
	}
}

/* Whether somebody else has to let the thread go on. */
static bool is_held(enum lkst_doing doing)
{
	return doing == LKST_DOING_STOPPED || doing == LKST_DOING_TRACED || doing == LKST_DOING_FROZEN;
}

/* What the thread of @p did from @from_ns to @to_ns, a part of it, while the wait of @parent went on. */
static void tree_add_part(struct tree_walk *w, u32 parent, const struct lkst_past *p, u64 from_ns, u64 to_ns,
			  unsigned int depth)
{
	const enum lkst_doing doing = tree_doing_of(p);
	const struct lkst_tree_key *above = &w->t->nodes[parent].key;
	const u32 name = lkst_tree_name(w->t, p->life);
	struct lkst_tree_key key = { .parent = parent, .name = name, .doing = (u8)doing, .call = p->call };
	u32 node;

	if (doing == LKST_DOING_RAN) {
		key.call = lkst_past_call_at(w->t->pasts, p->life, from_ns, to_ns);
	} else if (doing == LKST_DOING_WAITED) {
		key.cause = p->cause;
	} else if (doing == LKST_DOING_THROTTLED) {
		key.extra = p->object;
	} else if (doing == LKST_DOING_FROZEN) {
		key.extra = p->about;
	}
	/* Those of one name that wait for the same in turn are one: who has it at last is who they wait for. */
	if (doing == LKST_DOING_WAITED && above->name == name && above->call == p->call) {
		add_end(w, parent, p, from_ns, to_ns, depth);
		return;
	}
	node = tree_reach(w->t, key);
	tree_count(w->t, node, p->life, from_ns, to_ns - from_ns);
	if (node == LKST_NO_NODE)
		return;
	if (doing == LKST_DOING_WAITED)
		add_end(w, node, p, from_ns, to_ns, depth);
	else if (doing == LKST_DOING_READY)
		add_occupants(w, node, p, from_ns, to_ns);
	else if (is_held(doing) && p->end == LKST_PAST_END_THREAD)
		tree_add(w, node, p->waker, LKST_DOING_CONTINUED, p->waker_call, 0, from_ns, to_ns);
	else if (doing == LKST_DOING_RAN || doing == LKST_DOING_SLEPT)
		credit(w, node, p->life, from_ns, to_ns);
}

/* What @life did from @from_ns to @to_ns, below @node. */
static void tree_follow(struct tree_walk *w, u32 node, u32 life, u64 from_ns, u64 to_ns, unsigned int depth)
{
	const struct lkst_pasts *h = w->t->pasts;
	struct lkst_places_list list = lkst_past_of(h, life);
	u32 i = lkst_past_before(h, list, from_ns);

	if (node == LKST_NO_NODE)
		return;
	w->lives[w->nr_lives++] = life;
	for (; i < list.nr && !w->t->error; i++) {
		const struct lkst_past *p = &h->list[list.at[i]];
		const u64 begin_ns = p->from_ns > from_ns ? p->from_ns : from_ns;
		const u64 end_ns = p->to_ns < to_ns ? p->to_ns : to_ns;

		if (p->from_ns >= to_ns)
			break;
		if (w->steps++ >= WAIT_STEPS_MAX || w->t->steps >= STEPS_MAX) {
			w->t->is_full = true;
			break;
		}
		if (end_ns > begin_ns)
			tree_add_part(w, node, p, begin_ns, end_ns, depth);
	}
	w->nr_lives--;
}

/* When the wait of place @past began that @part is of: what was woken in vain is one wait. */
static u64 tree_begin_of(const struct lkst_tree *t, u32 past, const struct lkst_whose_part *part)
{
	const struct lkst_past *p = &t->pasts->list[past];
	const u64 first_ns = t->pasts->list[p->first].from_ns;

	if (part->from_ns > p->from_ns)
		return part->from_ns;
	return part->since_ns > first_ns ? part->since_ns : first_ns;
}

int lkst_tree_add(struct lkst_tree *t, u32 past, const struct lkst_whose_part *part, u16 kind, u64 extra)
{
	const struct lkst_past *p = &t->pasts->list[past];
	const struct lkst_whose_part whole = { p->from_ns, p->to_ns, 0 };
	const enum lkst_doing doing = tree_doing_of(p);
	const u32 name = lkst_tree_name(t, p->life);
	const bool waits = doing == LKST_DOING_WAITED || doing == LKST_DOING_SLEPT;
	struct tree_walk w = { .t = t, .lives = { p->life }, .nr_lives = 1 };
	u64 begin_ns;
	/* Two causes of one call are one wait: it may have been woken by the disk, or by who was. */
	u32 node = tree_reach(t, (struct lkst_tree_key){ .parent = LKST_NO_NODE,
						    .name = name,
						    .doing = (u8)doing,
						    .cause = waits && p->cause == LKST_CAUSE_LOCK ? LKST_CAUSE_LOCK : 0,
						    .kind = kind,
						    .call = waits ? p->call : -1,
						    .extra = extra });

	if (node == LKST_NO_NODE)
		return t->error;
	part = part ?: &whole;
	begin_ns = tree_begin_of(t, past, part);
	tree_count(t, node, p->life, part->from_ns, part->to_ns - part->from_ns);
	/* Those that were woken in vain are one wait, and as long as all of it. */
	if (p->last != past && part->to_ns == p->to_ns)
		t->nodes[node].count--;
	if (part->to_ns - begin_ns > t->nodes[node].longest_ns) {
		t->nodes[node].longest_ns = part->to_ns - begin_ns;
		t->nodes[node].longest_at_ns = begin_ns;
		t->nodes[node].longest_life = p->life;
	}
	if (doing == LKST_DOING_READY)
		add_occupants(&w, node, p, part->from_ns, part->to_ns);
	else if (is_held(doing) && p->end == LKST_PAST_END_THREAD)
		tree_add(&w, node, p->waker, LKST_DOING_CONTINUED, p->waker_call, 0, part->from_ns, part->to_ns);
	else if (waits)
		add_end(&w, node, p, part->from_ns, part->to_ns, DEPTH_MAX);
	t->steps += w.steps;
	return t->error;
}

u32 lkst_tree_add_time(struct lkst_tree *t, u32 life, u64 from_ns, u64 to_ns, u16 kind)
{
	struct tree_walk w = { .t = t };
	const u32 root = tree_reach(t, (struct lkst_tree_key){ .parent = LKST_NO_NODE,
							  .name = lkst_tree_name(t, life),
							  .doing = LKST_DOING_UNKNOWN,
							  .kind = kind,
							  .call = -1 });

	tree_count(t, root, life, from_ns, to_ns - from_ns);
	tree_follow(&w, root, life, from_ns, to_ns, DEPTH_MAX);
	t->steps += w.steps;
	return root;
}

void lkst_tree_init(struct lkst_tree *t, const struct lkst_pasts *h, const struct lkst_model *model)
{
	*t = (struct lkst_tree){ .pasts = h, .model = model };
	t->by_key.max = 2 * NODES_MAX;
	t->by_name.max = 2 * NAMES_MAX;
}

void lkst_tree_fini(struct lkst_tree *t)
{
	lkst_map_fini(&t->by_key);
	lkst_map_fini(&t->by_name);
	free(t->nodes);
	free(t->name_of);
	free(t->names);
	*t = (struct lkst_tree){};
}
