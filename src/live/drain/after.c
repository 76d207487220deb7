/* SPDX-License-Identifier: GPL-2.0-only */
/* What was recorded between the end of an incident and the first reading after that. */
#include "live/drain/after.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "live/drain/drain.h"
#include "trace/read/counted.h"

/* A counter, and by what it is found. */
struct after_place {
	u8 kind;
	s16 cpu;
	s32 number;
	struct lkst_counter_value *value;
};

struct after {
	const struct lkst_session *s;
	struct lkst_counted counted;
	struct lkst_thread_counts *threads;
	struct after_place *places;
	u32 nr_places;
	u64 since_ns, until_ns;
	bool has_lost;
};

/* ---- where it is ---------------------------------------------------------------------- */

/*
 * The banks that have what was recorded after the incident and before @until_ns, a bit each. 0: one of them has been
 * dropped since.
 */
static u32 following_banks(const struct lkst_session *s, const struct lkst_incident *incident,
			   u64 until_ns)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 bank = incident->bank, number = incident->number, banks = 0, i;
	u64 leave_at = incident->until_ns;

	for (i = 0; i < LKST_NR_BUFFERS && leave_at && leave_at <= until_ns; i++) {
		bank = __atomic_load_n(&c->leave_to[bank], __ATOMIC_ACQUIRE) % LKST_NR_BUFFERS;
		if (__atomic_load_n(&c->bank[bank].state, __ATOMIC_ACQUIRE) == LKST_BANK_KEPT) {
			if (c->bank[bank].number != ++number)
				return 0;
		} else if (c->banks.active != bank || c->banks.nr != number) {
			return 0;
		}
		banks |= 1U << bank;
		leave_at = __atomic_load_n(&c->leave_at[bank], __ATOMIC_ACQUIRE);
	}
	return banks;
}

static int note_lost(void *ctx, u64 instance, const struct lkst_lost *lost)
{
	struct after *a = ctx;

	a->has_lost |= lost->to_ns > a->since_ns;
	return 0;
}

/* ---- counting ------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	const struct after_place *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static struct lkst_counter_value *after_find(const struct after *a, u8 kind, s32 cpu, s32 number)
{
	const struct after_place key = { kind, (s16)cpu, number, NULL };
	const struct after_place *place =
		a->nr_places ? bsearch(&key, a->places, a->nr_places, sizeof(key), by_key) : NULL;

	return place ? place->value : NULL;
}

static void count_counter(const struct after *a, const struct lkst_record *r)
{
	struct lkst_counter_value *v;
	s32 number;
	u8 kind;

	if (!lkst_counted_of(&a->counted, r, &kind, &number))
		return;
	v = after_find(a, kind, (s32)r->cpu, number);
	if (!v)
		v = after_find(a, kind, -1, number);
	if (!v && kind == LKST_COUNTER_SENT)
		v = after_find(a, LKST_COUNTER_SENT_BY, -1, number);
	if (v) {
		v->after_least += r->ns <= v->from_ns;
		v->after_most += r->ns <= v->to_ns;
	}
}

static void count_record(const struct after *a, const struct lkst_record *r)
{
	struct lkst_thread_count *t = NULL;

	if (r->ns < a->since_ns || r->ns > a->until_ns)
		return;
	count_counter(a, r);
	if (r->event->index == LKST_EV_sched_switch)
		t = lkst_thread_counts_find(a->threads, r->tid);
	if (t) {
		t->after_least += r->ns <= t->from_ns;
		t->after_most += r->ns <= t->to_ns;
	}
}

static int after_take(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct after *a = ctx;
	const size_t size = 1UL << lkst_session_rings(a->s)->block_shift;
	size_t at;

	for (at = 0; at < length; at += size) {
		struct lkst_block_cursor cursor;
		struct lkst_block block;
		struct lkst_record r;
		int err;

		if (lkst_block_parse(NULL, (const u8 *)blocks + at, size, NULL, &block)) {
			a->has_lost = true;
			continue;
		}
		lkst_block_cursor_init(&cursor, &block);
		while ((err = lkst_block_next(NULL, &cursor, lkst_session_catalog(a->s), &r)) > 0)
			count_record(a, &r);
		a->has_lost |= err < 0;
	}
	return 0;
}

/* Counts all records of that time in @banks, and finds out whether some have been lost. */
static int count_banks(struct lkst_err *e, struct after *a, u32 banks)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *drain = NULL;
	unsigned int i;
	u64 instance;
	int err = lkst_drain_new(e, a->s, NULL, a->since_ns, &drain);

	if (err)
		return err;
	lkst_drain_set_taker(drain, after_take, a);
	lkst_drain_choose(drain, banks | 1U << LKST_BUFFER_LIFE, UINT64_MAX, 0);
	err = lkst_drain_finish(e, drain);
	if (err)
		return err;
	for (i = 0; i < lkst_drain_nr_sources(drain); i++)
		a->has_lost |= lkst_drain_overtaken_of(drain, i, &instance) > 0;
	return lkst_drain_each_lost(drain, note_lost, a);
}

/* ---- all of it ------------------------------------------------------------------------ */

/* The first reading that was made entirely after @ns; 0: there is none, since the first one of all cannot be used. */
static u32 first_after(const struct lkst_readings *r, u64 ns)
{
	u32 i, k;

	for (i = 1; i < r->nr; i++) {
		const struct lkst_counters *c = &r->list[i];
		bool is_after = r->threads[i].from_ns >= ns;

		for (k = 0; k < c->nr; k++)
			is_after &= c->list[k].from_ns >= ns;
		if (is_after)
			return i;
	}
	return 0;
}

/* Makes the list in which counters are looked up, and finds when they were read last. */
static int after_prepare(struct after *a, struct lkst_counters *c)
{
	u32 i;

	a->places = calloc(c->nr ?: 1, sizeof(*a->places));
	if (!a->places)
		return -ENOMEM;
	a->until_ns = a->threads->to_ns;
	for (i = 0; i < c->nr; i++) {
		struct lkst_counter_value *v = &c->list[i];

		a->places[i] = (struct after_place){ v->kind, v->cpu, v->number, v };
		a->until_ns = v->to_ns > a->until_ns ? v->to_ns : a->until_ns;
	}
	a->nr_places = c->nr;
	if (c->nr)
		qsort(a->places, c->nr, sizeof(*a->places), by_key);
	lkst_counted_map(&a->counted, lkst_session_catalog(a->s));
	return 0;
}

int lkst_after_count(struct lkst_err *e, const struct lkst_session *s,
		     const struct lkst_incident *incident, struct lkst_readings *r)
{
	const u32 i = first_after(r, incident->until_ns);
	_cleanup_free_ struct after *a = calloc(1, sizeof(*a));
	u32 banks;
	int err;

	r->after = 0;
	if (!a)
		return lkst_err_sys(e, -ENOMEM, "comparing with the kernel's counters");
	a->s = s;
	a->threads = &r->threads[i];
	a->since_ns = incident->until_ns;
	if (!i)
		return 0;
	if (after_prepare(a, &r->list[i]))
		return lkst_err_sys(e, -ENOMEM, "comparing with the kernel's counters");
	banks = following_banks(s, incident, a->until_ns);
	err = banks ? count_banks(e, a, banks) : 0;
	/* A bank that has been dropped meanwhile may have been one of them. */
	if (!err && banks && !a->has_lost && following_banks(s, incident, a->until_ns) == banks)
		r->after = i;
	free(a->places);
	return err;
}
