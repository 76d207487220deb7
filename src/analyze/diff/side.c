/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened in one of two traces that are compared: memory, order and examples. */
#include "analyze/diff/side.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/analysis.h"
#include "analyze/diff/collect.h"
#include "base/vec.h"

const char *const lkst_diff_kind_names[] = {
#define K(name) #name,
	LKST_DIFF_KINDS(K)
#undef K
};

static void key_fini(struct lkst_diff_key *k)
{
	lkst_hist_fini(&k->lengths);
	free(k->stretches);
	free(k->examples);
}

void lkst_diff_side_free(struct lkst_diff_side *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < s->nr_keys; i++)
		key_fini(&s->keys[i]);
	for (i = 0; i < LKST_NR_DIFF_KINDS; i++)
		free(s->missing[i]);
	lkst_limited_free(s->limited);
	lkst_notes_fini(&s->notes);
	free(s->keys);
	free(s);
}

u64 lkst_diff_step_ns(u64 a_ns, u64 b_ns)
{
	u64 least = a_ns < b_ns ? a_ns : b_ns, greatest = a_ns < b_ns ? b_ns : a_ns;
	u64 step = least / LKST_DIFF_STRETCHES, longest = greatest / LKST_DIFF_STRETCHES_MAX + 1;

	return step > longest ? step : longest;
}

/* ---- examples -------------------------------------------------------------------------------- */

int lkst_diff_example_reach(struct lkst_diff_key *key, u32 range,
			    struct lkst_diff_example **ret_example)
{
	u32 first = range, end = range + 1;
	struct lkst_diff_example *list;

	if (range - key->first_example >= key->nr_examples) {
		if (key->nr_examples) {
			u32 end_now = key->first_example + key->nr_examples;

			first = first < key->first_example ? first : key->first_example;
			end = end > end_now ? end : end_now;
		}
		list = calloc(end - first, sizeof(*list));
		if (!list)
			return -ENOMEM;
		if (key->nr_examples)
			memcpy(list + (key->first_example - first), key->examples,
			       key->nr_examples * sizeof(*list));
		free(key->examples);
		key->examples = list;
		key->first_example = first;
		key->nr_examples = end - first;
	}
	*ret_example = &key->examples[range - key->first_example];
	return 0;
}

const struct lkst_diff_example *lkst_diff_example_near(const struct lkst_diff_key *key, u64 ns)
{
	const struct lkst_diff_example *best = NULL, *x;
	u64 distance, least = 0;
	u32 i;

	for (i = 0; i < key->nr_examples; i++) {
		x = &key->examples[i];
		distance = x->ns > ns ? x->ns - ns : ns - x->ns;
		if (x->nr && (!best || distance < least)) {
			best = x;
			least = distance;
		}
	}
	return best;
}

/* ---- what was left out ----------------------------------------------------------------------- */

static bool has_any(const bool wants[LKST_EVENT_SPACE])
{
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE && !wants[id]; id++)
		;
	return id < LKST_EVENT_SPACE;
}

/* What is known of a wait without these is what the thread was in, and not what it waited for. */
static void want_state(const struct lkst_diff_side *s, const char *key, bool wants[LKST_EVENT_SPACE])
{
	if (strstr(key, ":blocked:"))
		lkst_limited_match(s->limited, "page_fault_* contention_* block_rq_complete", wants);
}

static void want_call(const struct lkst_diff_side *s, const char *key, bool wants[LKST_EVENT_SPACE])
{
	char patterns[2 * LKST_KEY_TEXT + 32];

	snprintf(patterns, sizeof(patterns), "syscall_entry_%s syscall_exit_%s", key, key);
	lkst_limited_match(s->limited, patterns, wants);
	/* One without a name is among the others. */
	if (!has_any(wants))
		lkst_limited_match(s->limited, "syscall_*", wants);
}

bool lkst_diff_side_is_limited(const struct lkst_diff_side *s, unsigned int kind, const char *key,
			       char text[LKST_LIMITED_TEXT])
{
	bool wants[LKST_EVENT_SPACE] = {};

	if (kind == LKST_DIFF_state)
		want_state(s, key, wants);
	else if (kind == LKST_DIFF_fault)
		lkst_limited_match(s->limited, "page_fault_*", wants);
	else if (kind == LKST_DIFF_syscall)
		want_call(s, key, wants);
	else
		lkst_limited_match(s->limited, lkst_analysis_find(lkst_diff_kind_names[kind])->events, wants);
	return lkst_limited_is(s->limited, wants, s->from_ns, s->to_ns, text);
}

/* ---- order ----------------------------------------------------------------------------------- */

int lkst_diff_key_compare(const struct lkst_diff_key *a, const struct lkst_diff_key *b)
{
	return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind)
				  : strcmp(a->text, b->text);
}

static int side_compare_keys(const void *a, const void *b)
{
	return lkst_diff_key_compare(a, b);
}

static int add_examples(struct lkst_diff_key *k, const struct lkst_diff_key *other)
{
	struct lkst_diff_example *mine;
	u32 i;

	for (i = 0; i < other->nr_examples; i++) {
		const struct lkst_diff_example *x = &other->examples[i];

		if (!x->nr)
			continue;
		if (lkst_diff_example_reach(k, other->first_example + i, &mine))
			return -ENOMEM;
		if (!mine->nr)
			*mine = *x;
		else
			mine->nr += x->nr;
	}
	return 0;
}

/* Adds @other to @k; its memory is free then. */
static int side_unite(struct lkst_diff_key *k, struct lkst_diff_key *other, u32 nr_stretches)
{
	int err = lkst_hist_merge(&k->lengths, &other->lengths) ?: add_examples(k, other);
	u32 i;

	k->parts_ns += other->parts_ns;
	k->nr_lost += other->nr_lost;
	k->squares += other->squares;
	if (!k->stretches) {
		k->stretches = other->stretches;
		other->stretches = NULL;
	}
	for (i = 0; other->stretches && i < nr_stretches; i++) {
		k->stretches[i].ns += other->stretches[i].ns;
		k->stretches[i].nr += other->stretches[i].nr;
		k->stretches[i].places += other->stretches[i].places;
	}
	key_fini(other);
	return err;
}

int lkst_diff_side_unite(struct lkst_diff_side *s)
{
	u32 i, nr = 0;
	int err = 0, failed;

	if (!s->nr_keys)
		return 0;
	qsort(s->keys, s->nr_keys, sizeof(*s->keys), side_compare_keys);
	for (i = 1; i < s->nr_keys; i++) {
		if (side_compare_keys(&s->keys[nr], &s->keys[i])) {
			s->keys[++nr] = s->keys[i];
			continue;
		}
		/* The others are to be freed even then. */
		failed = side_unite(&s->keys[nr], &s->keys[i], s->nr_stretches);
		err = failed ? failed : err;
	}
	s->nr_keys = nr + 1;
	return err;
}

/* ---- making one ------------------------------------------------------------------------------ */

int lkst_diff_side_new(struct lkst_err *e, struct lkst_trace *t,
		       const struct lkst_diff_side_options *options,
		       struct lkst_diff_side **ret_side)
{
	_cleanup_(lkst_diff_side_freep) struct lkst_diff_side *s = calloc(1, sizeof(*s));
	u64 nr;
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "comparing");
	s->from_ns = options->from_ns;
	s->to_ns = options->to_ns;
	s->step_ns = options->step_ns ?: 1;
	nr = (options->to_ns - options->from_ns) / s->step_ns;
	s->nr_stretches = nr < LKST_DIFF_STRETCHES_MAX ? (u32)nr : (u32)LKST_DIFF_STRETCHES_MAX;
	err = lkst_limited_new(e, t, &s->limited) ?: lkst_diff_collect(e, t, options, s);
	if (err)
		return err;
	err = lkst_diff_side_unite(s);
	if (err)
		return lkst_err_sys(e, err, "comparing");
	*ret_side = lkst_take(s);
	return 0;
}
