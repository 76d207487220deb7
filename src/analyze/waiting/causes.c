/* SPDX-License-Identifier: GPL-2.0-only */
/* Which waits are harm, how much each group of threads lost by them, and the order in which that is told. */
#include "analyze/waiting/causes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/waiting/cause_text.h"
#include "base/vec.h"

enum {
	LEAST_NS = 10 * 1000 * 1000, /* that a group has lost: less is not told */
	LEAST_SHARE_OF_WINDOW = 100, /* nor less than this part of the trace */
	LEAST_PERCENT = 5,	     /* of the group's own time */
	READY_PERCENT = 20,	     /* the same of time in which it was ready */
	READY_SHARE_OF_WINDOW = 20,  /* and of the trace, where none was long */
	READY_LONG_NS = 50 * 1000 * 1000,
	TAKEN_PERCENT = 20,	     /* of its time on a CPU that interrupts took */
	/* the same where most of it was for one timer: its interrupts take more than what is seen of them */
	TAKEN_BY_TIMER_PERCENT = 10,
	EQUAL_PART = 4,		     /* who runs at least this part of what another runs is no less to blame */
	PER_NAME = 3,		     /* rows about one group */
	FAILED_LEAST = 10,
	FAILED_OFTEN = 1000,	     /* times, and times a second: a loop */
	SPREAD_PERCENT = 20,	     /* of the trace, in which threads share a CPU: what is less is a burst */
	OWN_PERCENT = 80,	     /* of what a disk is asked for, that is as good as all */
	DISK_USUAL_NS = 10 * 1000 * 1000, /* a request takes, with a disk of any kind */
	DISK_QUICK_NS = 1000 * 1000,	  /* that nobody else keeps waiting */
	ANSWER_USUAL_NS = 1000 * 1000, /* an answer that is worked for */
	LONGEST_TIMES = 20,	     /* as long as usual is no longer usual */
	TAKING_USUAL_NS = 5 * 1000 * 1000, /* until a reader that works takes up what was sent */
	NAMES_TOLD = 4,		     /* of those that were kept waiting as well */
	CHILDREN_LEAST = 20,	     /* threads of a name that were created meanwhile: many */
};

/* What the threads of one name did with their time. */
struct causes_group {
	u64 alive_ns, ran_ns, ready_ns;
	u64 taken_ns; /* of ran_ns, by interrupts */
	u32 nr_told;
	u32 nr_crashes;
	const struct lkst_thread_life *crashed; /* the last that did */
};

struct finding {
	struct lkst_tree tree;
	const struct lkst_pasts *h;
	const struct lkst_cause_names *names;
	struct lkst_causes *causes;
	u64 idle_ns, cpu_ns;  /* of all CPUs' known time, that was idle */
	struct causes_group *groups; /* by name: what is of the scope */
	u32 nr_groups;
	struct causes_group *others; /* the same of all threads */
	u32 nr_others;
	struct lkst_cause_births births;
	u32 *roots; /* nodes, the greatest harm first */
	u32 nr_roots;
	double *scores; /* by node */
	bool *is_told;	/* by place in roots[]: with another */
};

/* ---- what is harm ----------------------------------------------------------------- */

/* Calls that may wait for what their caller wants to wait for: a device's event, a child that begins. */
static bool causes_waits_by_nature(s16 call)
{
	static const char *const names[] = { "ioctl", "vfork",		"clone",       "clone3",
					     "fork",  "io_uring_enter", "io_getevents" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(lkst_syscalls[call].name, names[i]))
			return true;
	return false;
}

/* Whoever waits for any of its requests, in a ring or a queue of these, and was woken by a disk that had done one. */
static bool waits_for_disk_requests(const struct lkst_past *p)
{
	static const char *const names[] = { "io_uring_enter", "io_getevents", "io_pgetevents" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && p->end == LKST_PAST_END_DISK && p->call >= 0; i++)
		if (!strcmp(lkst_syscalls[p->call].name, names[i]))
			return true;
	return false;
}

/* Whether the kernel's network, and not who is asked, has let the thread wait. */
static bool was_kept_by_network(const struct lkst_past *p, struct lkst_symbols *symbols)
{
	const bool is_timer = p->end == LKST_PAST_END_TIMER &&
			      (p->cause == LKST_CAUSE_SOCKET || p->cause == LKST_CAUSE_FILE);

	return (is_timer || p->flags & LKST_PAST_WAS_QUEUED) && lkst_about_timer(symbols, p->object);
}

static enum lkst_harm blocked_harm(const struct lkst_past *p, struct lkst_symbols *symbols)
{
	if (p->flags & LKST_PAST_IS_FROZEN)
		return LKST_HARM_FROZEN;
	if (p->flags & LKST_PAST_IS_UNANSWERED)
		return LKST_HARM_ANSWER;
	if (p->flags & LKST_PAST_IS_LOCK)
		return LKST_HARM_LOCK;
	if (p->flags & LKST_PAST_IS_SIGNALLED)
		return LKST_HARM_CALL;
	if (p->cause == LKST_CAUSE_FAULT || (p->cause == LKST_CAUSE_IO && p->flags & LKST_PAST_IN_FAULT))
		return LKST_HARM_FAULT;
	if (p->cause == LKST_CAUSE_IO || p->cause == LKST_CAUSE_SYNC || waits_for_disk_requests(p))
		return LKST_HARM_DISK;
	if (p->flags & LKST_PAST_WAS_QUEUED && was_kept_by_network(p, symbols))
		return LKST_HARM_NETWORK;
	if (p->flags & LKST_PAST_IS_CONNECTED)
		return LKST_HARM_ANSWER;
	if (p->flags & LKST_PAST_IS_SENDING && !(p->flags & LKST_PAST_IS_FIXED))
		return LKST_HARM_SENDING;
	if (p->flags & LKST_PAST_IS_FIXED && p->call >= 0 && !causes_waits_by_nature(p->call))
		return LKST_HARM_CALL;
	if (p->flags & LKST_PAST_IS_ROUND_TRIP)
		return p->flags & LKST_PAST_WAS_CRASH ? LKST_HARM_ANSWER : LKST_HARM_ROUND_TRIP;
	if (p->cause == LKST_CAUSE_SYSCALL && p->call >= 0 && !causes_waits_by_nature(p->call))
		return LKST_HARM_CALL;
	return was_kept_by_network(p, symbols) ? LKST_HARM_NETWORK : LKST_HARM_NONE;
}

/* Which harm the state is, as far as it alone shows; NONE: what a program may want. Kernel threads have no wishes. */
static enum lkst_harm harm_of(const struct lkst_past *p, struct lkst_symbols *symbols)
{
	if (p->flags & (LKST_PAST_IS_KERNEL | LKST_PAST_IS_INFERRED | LKST_PAST_IS_OPEN))
		return LKST_HARM_NONE;
	switch (p->run) {
	case LKST_RUN_READY:
		return p->ready == LKST_READY_THROTTLED ? LKST_HARM_THROTTLED : LKST_HARM_READY;
	case LKST_RUN_STOPPED:
		return p->flags & LKST_PAST_IS_TRACED ? LKST_HARM_TRACED : LKST_HARM_STOPPED;
	case LKST_RUN_BLOCKED:
		return blocked_harm(p, symbols);
	default:
		return LKST_HARM_NONE;
	}
}

static void count_state(struct causes_group *g, const struct lkst_past *p, enum lkst_harm harm, u64 ns)
{
	if (p->run != LKST_RUN_UNKNOWN && p->run != LKST_RUN_DEAD && p->run != LKST_RUN_NEW)
		g->alive_ns += ns;
	if (p->run == LKST_RUN_RUNNING)
		g->ran_ns += ns;
	else if (harm == LKST_HARM_READY)
		g->ready_ns += ns;
}

static int take_past(struct finding *f, u32 i)
{
	const struct lkst_past *p = &f->h->list[i];
	const u64 ns = p->to_ns - p->from_ns;
	/* Woken in vain, it waits for the same until what it was woken by at last. */
	const enum lkst_harm harm = harm_of(&f->h->list[p->last], f->names->symbols);
	const u32 name = lkst_tree_name(&f->tree, p->life);
	struct causes_group *g = lkst_vec_reach(f->groups, f->nr_groups, name);
	struct causes_group *other = lkst_vec_reach(f->others, f->nr_others, name);
	struct lkst_whose_part part;
	u64 from_ns;
	int r;

	if (!g || !other)
		return -ENOMEM;
	count_state(other, p, harm, ns);
	if (p->run == LKST_RUN_RUNNING) {
		f->cpu_ns += ns;
		f->idle_ns += lkst_model_life(f->names->model, p->life)->idle_cpu >= 0 ? ns : 0;
	}
	for (from_ns = p->from_ns; (r = lkst_whose_part(f->names->scope, p->life, from_ns, p->to_ns, &part)) > 0;
	     from_ns = part.to_ns) {
		count_state(g, p, harm, part.to_ns - part.from_ns);
		if (harm)
			r = lkst_tree_add(&f->tree, i, &part, harm, harm == LKST_HARM_THROTTLED ? p->object : 0);
		if (r < 0)
			break;
	}
	return r;
}

/* ---- which of it is told ----------------------------------------------------------- */

static const struct causes_group *causes_group_of(const struct finding *f, u32 name)
{
	static const struct causes_group none;

	return name < f->nr_groups ? &f->groups[name] : &none;
}

/* The same, whether or not they are of the scope. */
static const struct causes_group *all_of(const struct finding *f, u32 name)
{
	static const struct causes_group none;

	return name < f->nr_others ? &f->others[name] : &none;
}

static u64 causes_percent(u64 part, u64 whole)
{
	return whole ? (u64)(100.0 * (double)part / (double)whole) : 0;
}

/* Whether those that had the CPU are as much in want of it, so that nobody is to blame: there is too much to do. */
static bool is_among_equals(const struct finding *f, const struct lkst_tree_node *root)
{
	const u32 node = lkst_tree_largest(&f->tree, (u32)(root - f->tree.nodes));
	const struct causes_group *own = all_of(f, root->key.name), *other;
	u32 name;

	/* Many had it, each for a little. */
	if (node == LKST_NO_NODE || f->tree.nodes[node].ns < root->ns / 3)
		return true;
	name = f->tree.nodes[node].key.name;
	other = all_of(f, name);
	if (name == root->key.name)
		return true;
	return causes_percent(other->ready_ns, other->ready_ns + other->ran_ns) >= READY_PERCENT &&
	       own->ran_ns >= other->ran_ns / EQUAL_PART &&
	       lkst_cause_births_of(&f->births, name) < CHILDREN_LEAST;
}

/* The time below @node in which somebody did what is not his own choice: a disk, a lock, a stop, a quota. */
static u64 forced_ns(const struct lkst_tree *t, u32 node)
{
	const struct lkst_tree_node *n = &t->nodes[node];
	u64 ns = 0;
	u32 i;

	switch (n->key.doing) {
	case LKST_DOING_STOPPED:
	case LKST_DOING_TRACED:
	case LKST_DOING_FROZEN:
	case LKST_DOING_THROTTLED:
	case LKST_DOING_DISK:
		return n->ns;
	default:
		break;
	}
	if (n->key.doing == LKST_DOING_WAITED && n->key.parent != LKST_NO_NODE &&
	    (n->key.cause == LKST_CAUSE_SYNC || n->key.cause == LKST_CAUSE_IO || n->key.cause == LKST_CAUSE_LOCK))
		return n->ns;
	for (i = n->first_child; i != LKST_NO_NODE; i = t->nodes[i].next)
		ns += forced_ns(t, i);
	return ns;
}

/* How long is the time of which it is told. */
static u64 causes_window_of(const struct finding *f)
{
	const struct lkst_whose *s = f->names->scope;

	return s->to_ns ? s->to_ns - s->from_ns : f->h->to_ns - f->h->from_ns;
}

/* The time below @node in which somebody ran. */
static u64 worked_ns(const struct lkst_tree *t, u32 node)
{
	u64 ns = t->nodes[node].key.doing == LKST_DOING_RAN ? t->nodes[node].ns : 0;
	u32 i;

	for (i = t->nodes[node].first_child; i != LKST_NO_NODE; i = t->nodes[i].next)
		ns += worked_ns(t, i);
	return ns;
}

/*
 * Whether others do their part, and the waits for them are short, the longest, too: so wait the two ends of a pipeline,
 * and a client that asks in a loop, on a machine that is well.
 */
static bool is_paced_by_work(const struct lkst_tree *t, u32 i)
{
	const struct lkst_tree_node *n = &t->nodes[i];
	const bool is_sending = n->key.kind == LKST_HARM_SENDING;
	const u64 usual_ns = is_sending ? TAKING_USUAL_NS : ANSWER_USUAL_NS;

	if (!is_sending && n->key.kind != LKST_HARM_ANSWER && n->key.kind != LKST_HARM_ROUND_TRIP)
		return false;
	/* A receiver that sleeps does not work. */
	return n->ns / n->count < usual_ns && n->longest_ns < usual_ns * LONGEST_TIMES &&
	       (!is_sending || worked_ns(t, i) >= n->ns / 2);
}

/* The disk that most of the waits of root @i were for, or -1. */
static s64 causes_disk_of(const struct lkst_tree *t, u32 i)
{
	const u32 node = lkst_tree_largest(t, i);

	return node != LKST_NO_NODE && t->nodes[node].key.doing == LKST_DOING_DISK ? (s64)t->nodes[node].key.extra : -1;
}

/*
 * Whether threads wait for what they have asked a disk for themselves, which does it as fast as disks do, also while
 * the kernel writes there. But where somebody empties the page cache, it may be what they had read before.
 */
static bool is_own_reading(const struct finding *f, u32 i)
{
	const struct lkst_tree_node *n = &f->tree.nodes[i];
	const struct lkst_evidence *x = f->names->evidence;
	const s64 disk = n->key.kind == LKST_HARM_DISK ? causes_disk_of(&f->tree, i) : -1;
	u64 own = 0, programs = 0, kernels = 0;
	u32 k;

	if (disk < 0 || n->ns / n->count >= DISK_USUAL_NS || x->nr_drops)
		return false;
	for (k = 0; k < x->nr_requests; k++) {
		const struct lkst_evidence_request *r = &x->requests[k];

		if (r->dev != (u32)disk)
			continue;
		*(r->is_kernels ? &kernels : &programs) += r->bytes;
		if (!r->is_kernels && !strncmp(lkst_model_life(f->names->model, r->life)->comm,
					       lkst_tree_name_text(&f->tree, n->key.name), 16))
			own += r->bytes;
	}
	return (kernels <= programs || n->longest_ns < DISK_QUICK_NS) && causes_percent(own, programs) >= OWN_PERCENT;
}

/* Whether somebody asks for some threads, or for some time: then it is no question whether it is worth telling. */
static bool causes_is_asked_for(const struct finding *f)
{
	const struct lkst_whose *s = f->names->scope;

	return s->chooses || s->span || s->to_ns;
}

/* How much harm root @i is; 0: none that is told. */
static double score_of(const struct finding *f, u32 i)
{
	const struct lkst_tree_node *n = &f->tree.nodes[i];
	const struct causes_group *g = causes_group_of(f, n->key.name);
	const u64 window_ns = causes_window_of(f);
	u64 least = LEAST_PERCENT;

	if (n->ns < LEAST_NS || n->ns < window_ns / LEAST_SHARE_OF_WINDOW)
		return 0;
	if (n->key.kind == LKST_HARM_READY) {
		least = READY_PERCENT;
		if (n->ns < window_ns / READY_SHARE_OF_WINDOW && n->longest_ns < READY_LONG_NS &&
		    !causes_is_asked_for(f))
			return 0;
	}
	if (causes_percent(n->ns, g->alive_ns) < least)
		return 0;
	/* Which end of a pipe asks is not known: that the other one was at leisure shows nothing. */
	if (n->key.kind == LKST_HARM_ROUND_TRIP && forced_ns(&f->tree, i) < n->ns / 2)
		return 0;
	if (!causes_is_asked_for(f) && (is_paced_by_work(&f->tree, i) || is_own_reading(f, i)))
		return 0;
	return (double)n->ns * (double)n->ns / (double)g->alive_ns;
}

static int by_score(const void *a, const void *b, void *arg)
{
	const double *scores = arg;
	const double x = scores[*(const u32 *)a], y = scores[*(const u32 *)b];

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Whether a wait of @above is for what @n waits for: then it is the same cause, and told where it hurts. */
static bool is_below(const struct lkst_tree *t, u32 above, const struct lkst_tree_node *n)
{
	u32 i;

	for (i = lkst_tree_largest(t, above); i != LKST_NO_NODE; i = lkst_tree_largest(t, i)) {
		const struct lkst_tree_node *c = &t->nodes[i];

		if (c->ns * 3 < t->nodes[above].ns)
			return false;
		if (c->key.name == n->key.name && c->key.doing == n->key.doing &&
		    (c->key.call == n->key.call || c->key.doing != LKST_DOING_WAITED) && c->ns >= n->ns / 2)
			return true;
	}
	return false;
}

/* Whether root number @place is told with another: of two that wait for each other, with the one before it. */
static bool is_told_elsewhere(const struct finding *f, u32 place)
{
	const struct lkst_tree_node *nodes = f->tree.nodes;
	const u32 root = f->roots[place];
	u32 i;

	for (i = 0; i < f->nr_roots; i++)
		if (i != place && is_below(&f->tree, f->roots[i], &nodes[root]) &&
		    (i < place || !is_below(&f->tree, root, &nodes[f->roots[i]])))
			return true;
	return false;
}

/* ---- telling ---------------------------------------------------------------------- */

static struct lkst_found_cause *place_for(struct lkst_causes *c, double score)
{
	unsigned int i = c->nr;

	if (c->nr == LKST_CAUSES_MAX) {
		c->nr_more++;
		if (c->list[c->nr - 1].score >= score)
			return NULL;
		i--;
	} else {
		c->nr++;
	}
	for (; i && c->list[i - 1].score < score; i--)
		c->list[i] = c->list[i - 1];
	c->list[i] = (struct lkst_found_cause){ .score = score, .call = -1, .tid = -1 };
	return &c->list[i];
}

/* Who had the CPU most, where that is what @root is about; LKST_NO_NODE: it is not. */
static u32 occupant_of(const struct finding *f, u32 root)
{
	const u32 node = lkst_tree_largest(&f->tree, root);

	if (f->tree.nodes[root].key.kind != LKST_HARM_READY || node == LKST_NO_NODE)
		return LKST_NO_NODE;
	return f->tree.nodes[node].key.name;
}

/* Adds to the last sentence who else was kept from a CPU by the same threads, and leaves them out. */
static void join_others(struct finding *f, u32 place, const u32 root, char text[LKST_CAUSE_TEXT])
{
	u32 others[NAMES_TOLD], nr = 0, i;

	for (i = place + 1; i < f->nr_roots; i++) {
		if (f->is_told[i] || occupant_of(f, f->roots[i]) != occupant_of(f, root) ||
		    is_among_equals(f, &f->tree.nodes[f->roots[i]]))
			continue;
		f->is_told[i] = true;
		if (nr < NAMES_TOLD)
			others[nr] = f->tree.nodes[f->roots[i]].key.name;
		nr++;
	}
	lkst_cause_text_others(&f->tree, others, nr, NAMES_TOLD, text);
	lkst_cause_text_idle(causes_percent(f->idle_ns, f->cpu_ns), text);
}

/* Whether wait @p is one of those of @root. */
static bool causes_is_of(const struct finding *f, const struct lkst_past *p, const struct lkst_tree_node *root)
{
	const enum lkst_harm harm = harm_of(&f->h->list[p->last], f->names->symbols);

	return harm == root->key.kind &&
	       (p->run != LKST_RUN_BLOCKED || harm == LKST_HARM_FROZEN || p->call == root->key.call) &&
	       (harm != LKST_HARM_THROTTLED || p->object == root->key.extra);
}

/* Adds wait @p, if it is one of those of @root, and of those that are asked for. */
static int add_detail(struct finding *f, const struct lkst_past *p, const struct lkst_tree_node *root,
		      struct lkst_detail *d)
{
	struct lkst_whose_part part;
	int r = causes_is_of(f, p, root) ? lkst_whose_part(f->names->scope, p->life, p->from_ns, p->to_ns, &part) : 0;

	return r > 0 ? lkst_detail_add(d, f->h, p) : r;
}

/* What the waits of @root have in common. */
static int find_detail(struct finding *f, const struct lkst_tree_node *root, struct lkst_detail *d)
{
	const u32 nr = lkst_model_nr_lives(f->names->model);
	u32 life, i;
	int err = 0;

	for (life = 0; life < nr && !err; life++) {
		struct lkst_places_list list = lkst_past_of(f->h, life);

		if (!list.nr || lkst_tree_name(&f->tree, life) != root->key.name)
			continue;
		for (i = 0; i < list.nr && !err; i++)
			err = add_detail(f, &f->h->list[list.at[i]], root, d);
	}
	lkst_detail_finish(d, f->h);
	return err;
}

/* Whether the waits of root @i are for what a disk is to give: not for what it is to take. */
static bool reads(const struct lkst_tree *t, u32 i)
{
	const struct lkst_tree_node *n = &t->nodes[i];
	const char *call = n->key.call >= 0 ? lkst_syscalls[n->key.call].name : "";

	if (n->key.kind == LKST_HARM_FAULT)
		return causes_disk_of(t, i) >= 0;
	return n->key.kind == LKST_HARM_DISK && !strstr(call, "write") && !strstr(call, "sync");
}

static int causes_tell(struct finding *f, u32 place)
{
	_cleanup_(lkst_detail_fini) struct lkst_detail detail = {};
	const u32 root = f->roots[place];
	const struct lkst_tree_node *n = &f->tree.nodes[root];
	struct causes_group *g = &f->groups[n->key.name];
	const struct lkst_thread_life *life = lkst_model_life(f->names->model, n->longest_life);
	struct lkst_found_cause *c;
	int err;

	if (g->nr_told >= PER_NAME) {
		f->causes->nr_more++;
		return 0;
	}
	c = place_for(f->causes, f->scores[root]);
	if (!c)
		return 0;
	err = find_detail(f, n, &detail);
	g->nr_told++;
	snprintf(c->comm, sizeof(c->comm), "%.15s", lkst_tree_name_text(&f->tree, n->key.name));
	c->what = lkst_harm_word((enum lkst_harm)n->key.kind);
	c->call = n->key.call;
	c->total_ns = n->ns;
	c->count = n->count;
	c->longest_ns = n->longest_ns;
	c->tid = life ? life->tid : -1;
	c->at_ns = n->longest_at_ns;
	lkst_cause_text(&f->tree, root, &detail, f->names, &f->births, c->text);
	if (reads(&f->tree, root))
		lkst_cause_text_drops(f->names, c->text);
	if (n->key.kind == LKST_HARM_READY)
		join_others(f, place, root, c->text);
	return err;
}

/* Those that have too little CPU time because all want it: one row, after all others. Not of a burst of work. */
static int tell_equals(struct finding *f, const u32 *equals, u32 nr)
{
	_cleanup_(lkst_detail_fini) struct lkst_detail detail = {};
	struct lkst_found_cause *c;
	const struct lkst_tree_node *first;
	u64 total_ns = 0, count = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		int err = find_detail(f, &f->tree.nodes[equals[i]], &detail);

		if (err)
			return err;
		total_ns += f->tree.nodes[equals[i]].ns;
		count += f->tree.nodes[equals[i]].count;
	}
	if (!nr || (!causes_is_asked_for(f) && lkst_detail_spread(&detail) < SPREAD_PERCENT))
		return 0;
	c = place_for(f->causes, 0);
	if (!c)
		return 0;
	first = &f->tree.nodes[equals[0]];
	snprintf(c->comm, sizeof(c->comm), "%.15s", lkst_tree_name_text(&f->tree, first->key.name));
	c->what = lkst_harm_word(LKST_HARM_READY);
	c->total_ns = total_ns;
	c->count = count;
	c->longest_ns = first->longest_ns;
	c->at_ns = first->longest_at_ns;
	if (lkst_model_life(f->names->model, first->longest_life))
		c->tid = lkst_model_life(f->names->model, first->longest_life)->tid;
	lkst_cause_text_equals(&f->tree, equals, nr, total_ns, &detail, c->text);
	lkst_cause_text_idle(causes_percent(f->idle_ns, f->cpu_ns), c->text);
	return 0;
}

static int causes_tell_all(struct finding *f)
{
	_cleanup_free_ u32 *equals = calloc(f->nr_roots + 1, sizeof(*equals));
	u32 i, nr_equals = 0;
	int err = 0;

	if (!equals)
		return -ENOMEM;
	for (i = 0; i < f->nr_roots && !err; i++) {
		const struct lkst_tree_node *n = &f->tree.nodes[f->roots[i]];

		if (f->is_told[i] || is_told_elsewhere(f, i))
			continue;
		if (n->key.kind == LKST_HARM_READY && is_among_equals(f, n))
			equals[nr_equals++] = f->roots[i];
		else
			err = causes_tell(f, i);
	}
	return err ?: tell_equals(f, equals, nr_equals);
}

/* ---- what failed, and who was killed ------------------------------------------------ */

/* A failure that says that something has run out, or is not there. */
static bool is_trouble(const struct lkst_evidence_failure *p)
{
	static const s16 errors[] = { EIO, ENOMEM, ENFILE, EMFILE, ENOSPC, EDQUOT, ENOBUFS, EADDRNOTAVAIL,
				      ENETDOWN, ENETUNREACH, ECONNREFUSED, EHOSTUNREACH, ECONNRESET };
	const char *name = lkst_syscalls[p->call].name;
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (p->error == errors[i])
			return true;
	if (p->error == EAGAIN && (!strncmp(name, "clone", 5) || !strcmp(name, "fork") || !strcmp(name, "vfork")))
		return true;
	return p->error == ETIMEDOUT && !strcmp(name, "connect");
}

/* What is refused is one file, and one thread asks for it again and again: it waits until that goes away. */
static bool is_retried(const struct lkst_evidence_failure *p)
{
	if (!p->about || p->is_of_many)
		return false;
	if (p->error == EEXIST)
		return !strncmp(lkst_syscalls[p->call].name, "open", 4);
	return p->error == EACCES || p->error == EPERM || p->error == EROFS || p->error == EBUSY || p->error == ETXTBSY;
}

/* A failure that programs provoke to find out something: whether a file is there, a link, or a terminal. */
static bool is_usual(const struct lkst_evidence_failure *p)
{
	const char *name = lkst_syscalls[p->call].name;

	return p->error == EAGAIN || p->error == EINTR || p->error == ETIMEDOUT || p->error == ENOENT ||
	       p->error == ENOTTY || p->error == ECHILD || p->error == ESPIPE ||
	       (p->error == EINVAL && !strncmp(name, "readlink", 8));
}

static void tell_failure(struct finding *f, const struct lkst_evidence_failure *p)
{
	const struct lkst_thread_life *life = lkst_model_life(f->names->model, p->life);
	const u64 calls = life ? lkst_evidence_calls(f->names->evidence, life, p->call) : 0;
	const u64 span_ns = p->last_ns - p->first_ns;
	const bool is_loop = p->count >= FAILED_OFTEN && span_ns >= LEAST_NS &&
			     (double)p->count * 1e9 / (double)span_ns >= FAILED_OFTEN && !is_usual(p);
	struct lkst_found_cause *c;

	if (!life || p->count < FAILED_LEAST || p->count * 2 < calls ||
	    !(is_trouble(p) || is_retried(p) || is_loop))
		return;
	c = place_for(f->causes, (double)span_ns * (double)p->count / (double)(calls ? calls : p->count));
	if (!c)
		return;
	memcpy(c->comm, life->comm, sizeof(c->comm));
	c->what = "failed";
	c->total_ns = span_ns;
	c->count = p->count;
	c->at_ns = p->first_ns;
	lkst_cause_text_failure(p, calls, life, f->names->evidence, c->text);
}

/* The time in which it freed memory is the thread's own, running or not: it is told as a whole. */
static void tell_reclaim(struct finding *f, const struct lkst_evidence_reclaim *r)
{
	const struct lkst_thread_life *life = lkst_model_life(f->names->model, r->life);
	const struct causes_group *g = life ? causes_group_of(f, lkst_tree_name(&f->tree, r->life)) : NULL;
	struct lkst_found_cause *c;

	if (!g || r->total_ns < LEAST_NS || r->total_ns < causes_window_of(f) / LEAST_SHARE_OF_WINDOW ||
	    causes_percent(r->total_ns, g->alive_ns) < LEAST_PERCENT)
		return;
	c = place_for(f->causes, (double)r->total_ns * (double)r->total_ns / (double)g->alive_ns);
	if (!c)
		return;
	memcpy(c->comm, life->comm, sizeof(c->comm));
	c->what = "memory";
	c->total_ns = r->total_ns;
	c->count = r->count;
	c->longest_ns = r->longest_ns;
	c->tid = life->tid;
	c->at_ns = r->at_ns;
	lkst_cause_text_reclaim(r, life, f->names, c->text);
}

/* Threads that lose much of their time on a CPU to interrupts are not seen to wait. */
static int causes_tell_taken(struct finding *f, const struct lkst_taken *x)
{
	const unsigned int least = lkst_taken_is_by_timer(x) ? TAKEN_BY_TIMER_PERCENT : TAKEN_PERCENT;
	struct lkst_found_cause *c;
	u32 i;

	for (i = 0; i < x->nr_lives; i++) {
		const u64 ns = lkst_taken_from(x, i);
		const int r = ns ? lkst_whose_chooses(f->names->scope, i) : 0;
		struct causes_group *g =
			r > 0 ? lkst_vec_reach(f->groups, f->nr_groups, lkst_tree_name(&f->tree, i)) : NULL;

		if (r < 0 || (r > 0 && !g))
			return -ENOMEM;
		if (g)
			g->taken_ns += ns;
	}
	for (i = 0; i < f->nr_groups; i++) {
		const struct causes_group *g = &f->groups[i];

		if (g->taken_ns < LEAST_NS || g->taken_ns < causes_window_of(f) / LEAST_SHARE_OF_WINDOW ||
		    causes_percent(g->taken_ns, g->ran_ns) < least)
			continue;
		c = place_for(f->causes, (double)g->taken_ns * (double)g->taken_ns / (double)g->alive_ns);
		if (!c)
			return 0;
		snprintf(c->comm, sizeof(c->comm), "%.15s", lkst_tree_name_text(&f->tree, i));
		c->what = "interrupts";
		c->total_ns = g->taken_ns;
		lkst_cause_text_taken(x, c->comm, g->taken_ns, g->ran_ns, f->names, c->text);
	}
	return 0;
}

static void tell_kills(struct finding *f)
{
	const struct lkst_evidence *x = f->names->evidence;
	struct lkst_found_cause *c;
	u32 i, k;

	for (i = 0; i < x->nr_kills; i++) {
		const struct lkst_evidence_kill *kill = &x->kills[i];
		u64 count = 0;

		for (k = 0; k < x->nr_kills; k++) {
			if (memcmp(x->kills[k].comm, kill->comm, sizeof(kill->comm)) ||
			    x->kills[k].cgroup != kill->cgroup)
				continue;
			if (k < i)
				break;
			count++;
		}
		if (k < x->nr_kills)
			continue;
		c = place_for(f->causes, (double)causes_window_of(f) * 2);
		if (!c)
			return;
		memcpy(c->comm, kill->comm, sizeof(c->comm));
		c->what = "killed";
		c->count = count;
		c->at_ns = kill->ns;
		lkst_cause_text_kill(kill, count, f->names, c->text);
	}
}

/* Counts the processes of each name that crashed in that time. 0 or -ENOMEM. */
static int count_crashes(struct finding *f)
{
	const struct lkst_whose *scope = f->names->scope;
	const u32 nr = lkst_model_nr_lives(f->names->model);
	u32 i;

	for (i = 0; i < nr; i++) {
		const struct lkst_thread_life *life = lkst_model_life(f->names->model, i);
		struct causes_group *g;
		int r;

		if (life->tid != life->pid || !lkst_life_crash(life) ||
		    (scope->to_ns && (life->end_ns < scope->from_ns || life->end_ns >= scope->to_ns)))
			continue;
		r = lkst_whose_chooses(f->names->scope, i);
		g = r > 0 ? lkst_vec_reach(f->groups, f->nr_groups, lkst_tree_name(&f->tree, i)) : NULL;
		if (r < 0 || (r > 0 && !g))
			return -ENOMEM;
		if (!g)
			continue;
		g->nr_crashes++;
		g->crashed = life;
	}
	return 0;
}

/* Processes that crashed: those of one name are one row. */
static int tell_crashes(struct finding *f)
{
	int err = count_crashes(f);
	struct lkst_found_cause *c;
	u32 i;

	for (i = 0; i < f->nr_groups && !err; i++) {
		const struct causes_group *g = &f->groups[i];

		c = g->nr_crashes ? place_for(f->causes, (double)causes_window_of(f)) : NULL;
		if (!c)
			continue;
		memcpy(c->comm, g->crashed->comm, sizeof(c->comm));
		c->what = "crashed";
		c->count = g->nr_crashes;
		c->at_ns = g->crashed->end_ns;
		lkst_cause_text_crash(g->crashed, g->nr_crashes, c->text);
	}
	return err;
}

/* ---- the whole -------------------------------------------------------------------- */

static int causes_find_roots(struct finding *f)
{
	u32 i;

	f->roots = calloc(f->tree.nr + 1, sizeof(*f->roots));
	f->scores = calloc(f->tree.nr + 1, sizeof(*f->scores));
	f->is_told = calloc(f->tree.nr + 1, sizeof(*f->is_told));
	if (!f->roots || !f->scores || !f->is_told)
		return -ENOMEM;
	for (i = 0; i < f->tree.nr; i++) {
		if (f->tree.nodes[i].key.parent != LKST_NO_NODE)
			continue;
		/* Of those that were woken in vain the last may be of another time than is asked for. */
		if (!f->tree.nodes[i].count)
			f->tree.nodes[i].count = 1;
		f->scores[i] = score_of(f, i);
		if (f->scores[i] > 0)
			f->roots[f->nr_roots++] = i;
	}
	qsort_r(f->roots, f->nr_roots, sizeof(*f->roots), by_score, f->scores);
	return 0;
}

static int causes_find(struct finding *f)
{
	const struct lkst_evidence *x = f->names->evidence;
	u32 i;
	int err = lkst_cause_births_count(&f->births, &f->tree);

	for (i = 0; i < f->h->nr && !err; i++)
		err = take_past(f, i);
	if (!err)
		err = causes_find_roots(f);
	if (!err)
		err = causes_tell_all(f);
	if (err)
		return err;
	for (i = 0; i < x->nr_failures; i++)
		tell_failure(f, &x->failures[i]);
	for (i = 0; i < x->nr_reclaims; i++)
		tell_reclaim(f, &x->reclaims[i]);
	tell_kills(f);
	/* It is known of all of a thread's time alone, and not of the part that is kept. */
	if (f->names->taken && !f->h->is_cut && !f->names->scope->span && !f->names->scope->to_ns)
		err = causes_tell_taken(f, f->names->taken);
	err = err ?: tell_crashes(f);
	f->causes->is_full = f->tree.is_full || f->h->is_cut;
	return err;
}

int lkst_causes_find(const struct lkst_pasts *h, const struct lkst_cause_names *names, struct lkst_causes *ret_causes)
{
	struct finding f = { .h = h, .names = names, .causes = ret_causes };
	int err;

	*ret_causes = (struct lkst_causes){};
	lkst_tree_init(&f.tree, h, names->model);
	err = causes_find(&f);
	lkst_tree_fini(&f.tree);
	lkst_cause_births_fini(&f.births);
	free(f.groups);
	free(f.others);
	free(f.roots);
	free(f.scores);
	free(f.is_told);
	return err;
}

int lkst_causes_add_all(const struct lkst_pasts *h, const struct lkst_cause_names *names, struct lkst_tree *t)
{
	struct lkst_whose_part part;
	u64 from_ns;
	u32 i;
	int r = 0;

	for (i = 0; i < h->nr && r >= 0; i++) {
		const struct lkst_past *p = &h->list[i];
		const enum lkst_harm harm = harm_of(&h->list[p->last], names->symbols);

		if (p->run != LKST_RUN_READY && p->run != LKST_RUN_BLOCKED && p->run != LKST_RUN_STOPPED)
			continue;
		for (from_ns = p->from_ns; (r = lkst_whose_part(names->scope, p->life, from_ns, p->to_ns, &part)) > 0;
		     from_ns = part.to_ns) {
			r = lkst_tree_add(t, i, &part, harm, harm == LKST_HARM_THROTTLED ? p->object : 0);
			if (r)
				break;
		}
	}
	return r;
}
