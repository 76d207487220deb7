/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads, and which of their time. */
#include "analyze/waiting/whose.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/vec.h"

enum {
	STRETCHES_MAX = 1 << 19,
	IS_CHOSEN = 1, /* in known[] */
	IS_NOT_CHOSEN = 2,
};

/* ---- spans ------------------------------------------------------------------------ */

/* The life of thread @tid at the time of part @i; NULL: its number has been given out again, or it is not known. */
static const struct lkst_thread_life *whose_life_of(const struct lkst_whose *s, const struct lkst_span *span, u32 i)
{
	const struct lkst_thread_life *life;

	if (!i && span->begin_life != LKST_LIFE_NONE && span->parts[0].tid == span->begin_tid)
		return lkst_model_life(s->model, span->begin_life);
	life = lkst_model_life_of(s->model, span->parts[i].tid, 0);
	return life && life->tid > 0 && life->start_ns <= span->parts[i].from_ns ? life : NULL;
}

/* Until when it had part @i: of the last that is known that is not known if others had the span after it. */
static u64 whose_end_of(const struct lkst_span *span, u32 i)
{
	if (i + 1 < span->nr_parts)
		return span->parts[i + 1].from_ns;
	return span->has_more_parts ? 0 : span->to_ns;
}

static int whose_add_part(struct lkst_whose *s, const struct lkst_span *span, u32 i)
{
	const struct lkst_thread_life *life = whose_life_of(s, span, i);
	const u64 to_ns = whose_end_of(span, i);
	struct lkst_whose_stretch *stretch;

	if (!life || !to_ns || s->nr >= STRETCHES_MAX) {
		s->nr_left_out++;
		return 0;
	}
	stretch = lkst_vec_add(s->stretches, s->nr);
	if (!stretch)
		return -ENOMEM;
	*stretch = (struct lkst_whose_stretch){ span->parts[i].from_ns, to_ns, life->nr };
	return 0;
}

static int whose_on_span(void *ctx, const struct lkst_span *span)
{
	struct lkst_whose *s = ctx;
	u32 i;
	int err = 0;

	if (fnmatch(s->span, span->name, 0))
		return 0;
	if (span->ending == LKST_SPAN_LOST || span->is_doubtful) {
		s->nr_left_out++;
		return 0;
	}
	for (i = 0; i < span->nr_parts && !err; i++)
		if (span->parts[i].tid > 0)
			err = whose_add_part(s, span, i);
	return err;
}

static int by_life_and_time(const void *a, const void *b)
{
	const struct lkst_whose_stretch *x = a, *y = b;

	if (x->life != y->life)
		return x->life < y->life ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Spans lie within each other: no time is counted twice. */
static void whose_unite(struct lkst_whose *s)
{
	u32 i, nr = 0;

	for (i = 0; i < s->nr; i++) {
		const struct lkst_whose_stretch *next = &s->stretches[i];
		struct lkst_whose_stretch *last = nr ? &s->stretches[nr - 1] : NULL;

		if (!last || last->life != next->life || last->to_ns < next->from_ns)
			s->stretches[nr++] = *next;
		else if (last->to_ns < next->to_ns)
			last->to_ns = next->to_ns;
	}
	s->nr = nr;
}

/* ---- the pass --------------------------------------------------------------------- */

int lkst_whose_subscribe(struct lkst_whose *s, struct lkst_feed *f, struct lkst_model *model,
			 const struct lkst_threads *threads)
{
	const struct lkst_spans_options options = { f, model, threads, whose_on_span, s };

	s->model = model;
	return s->span ? lkst_spans_new(NULL, &options, &s->spans) : 0;
}

void lkst_whose_finish(struct lkst_whose *s)
{
	if (s->nr)
		qsort(s->stretches, s->nr, sizeof(*s->stretches), by_life_and_time);
	whose_unite(s);
}

void lkst_whose_fini(struct lkst_whose *s)
{
	lkst_spans_free(s->spans);
	free(s->stretches);
	free(s->known);
	*s = (struct lkst_whose){};
}

/* ---- questions -------------------------------------------------------------------- */

bool lkst_whose_has_now(const struct lkst_whose *s, const struct lkst_thread_life *life)
{
	return !s->span && (!s->chooses || s->chooses(s->ctx, life));
}

bool lkst_whose_may_have(const struct lkst_whose *s, const struct lkst_thread_life *life)
{
	return life ? lkst_whose_has_now(s, life) : !s->span && !s->chooses;
}

/* Asked once of each, as it is at the end. */
int lkst_whose_chooses(struct lkst_whose *s, u32 life)
{
	const struct lkst_thread_life *l;
	u8 *known;

	if (!s->chooses)
		return 1;
	known = lkst_vec_reach(s->known, s->nr_known, life);
	if (!known)
		return -ENOMEM;
	if (!*known) {
		l = lkst_model_life(s->model, life);
		*known = l && s->chooses(s->ctx, l) ? IS_CHOSEN : IS_NOT_CHOSEN;
	}
	return *known == IS_CHOSEN;
}

int lkst_whose_part(struct lkst_whose *s, u32 life, u64 from_ns, u64 to_ns, struct lkst_whose_part *ret_part)
{
	const struct lkst_whose_stretch *stretch;
	u64 since_ns = 0;
	u32 i;
	int r;

	if (s->to_ns && from_ns < s->from_ns)
		from_ns = since_ns = s->from_ns;
	if (s->to_ns && to_ns > s->to_ns)
		to_ns = s->to_ns;
	r = from_ns < to_ns ? lkst_whose_chooses(s, life) : 0;
	if (r <= 0)
		return r;
	*ret_part = (struct lkst_whose_part){ from_ns, to_ns, since_ns };
	if (!s->span)
		return 1;
	i = lkst_lower_bound(k, s->nr, s->stretches[k].life < life ||
					       (s->stretches[k].life == life && s->stretches[k].to_ns <= from_ns));
	if (i == s->nr)
		return 0;
	stretch = &s->stretches[i];
	if (stretch->life != life || stretch->from_ns >= to_ns)
		return 0;
	ret_part->since_ns = stretch->from_ns;
	if (stretch->from_ns > from_ns)
		ret_part->from_ns = stretch->from_ns;
	if (stretch->to_ns < to_ns)
		ret_part->to_ns = stretch->to_ns;
	return 1;
}
