/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums over the waits of one row. */
#include "analyze/waiting/detail.h"

#include <errno.h>

enum {
	ABOUTS_MAX = 1 << 14,
	LONG_NS = 1000 * 1000, /* a CPU that has nothing to do looks for threads elsewhere at once */
	MOST_PERCENT = 90,     /* of the time, that is as good as all */
	LONG_MAX = 1 << 12,    /* waits of that length that are looked at */
};

/* For how long from @from_ns to @to_ns CPU @cpu was idle, or had a thread with a real-time priority. */
static u64 time_on(const struct lkst_pasts *h, u32 cpu, u64 from_ns, u64 to_ns, bool of_idle)
{
	struct lkst_places_list list = lkst_past_on(h, cpu);
	u64 ns = 0;
	u32 i;

	for (i = lkst_past_before(h, list, from_ns); i < list.nr && h->list[list.at[i]].from_ns < to_ns; i++) {
		const struct lkst_past *p = &h->list[list.at[i]];
		const u64 begin_ns = p->from_ns > from_ns ? p->from_ns : from_ns;
		const u64 end_ns = p->to_ns < to_ns ? p->to_ns : to_ns;
		const struct lkst_thread_life *life = lkst_model_life(h->model, p->life);

		if (end_ns > begin_ns && (of_idle ? life->idle_cpu >= 0 : (p->flags & LKST_PAST_IS_REALTIME) != 0))
			ns += end_ns - begin_ns;
	}
	return ns;
}

/* In which part of the trace @ns is. */
static u32 detail_slot_of(const struct lkst_pasts *h, u64 ns)
{
	const double at = (double)(ns - h->from_ns) / (double)(h->to_ns - h->from_ns + 1) * LKST_DETAIL_SLOTS;

	return at < LKST_DETAIL_SLOTS ? (u32)at : LKST_DETAIL_SLOTS - 1;
}

static void note_busy(struct lkst_detail *d, const struct lkst_pasts *h, const struct lkst_past *p)
{
	u32 i, last;

	if (p->from_ns < h->from_ns || p->to_ns > h->to_ns)
		return;
	last = detail_slot_of(h, p->to_ns);
	for (i = detail_slot_of(h, p->from_ns); i <= last; i++)
		d->busy[i / 64] |= 1ULL << i % 64;
}

unsigned int lkst_detail_spread(const struct lkst_detail *d)
{
	unsigned int nr = 0, i;

	for (i = 0; i < LKST_DETAIL_SLOTS / 64; i++)
		nr += (unsigned int)__builtin_popcountll(d->busy[i]);
	return nr * 100 / LKST_DETAIL_SLOTS;
}

/* A thread was ready: who had its CPU, and whether another was idle. */
static void detail_add_ready(struct lkst_detail *d, const struct lkst_pasts *h, const struct lkst_past *p)
{
	const u32 nr = lkst_model_nr_cpus(h->model);
	u64 most_ns = 0;
	u32 cpu;

	note_busy(d, h, p);
	if (p->cpu >= 0 && p->cpu < LKST_DETAIL_CPUS)
		d->cpu_ns[p->cpu] += p->to_ns - p->from_ns;
	if (p->cpu < 0 || p->to_ns - p->from_ns < LONG_NS || d->nr_long >= LONG_MAX)
		return;
	d->nr_long++;
	d->long_ns += p->to_ns - p->from_ns;
	d->urgent_ns += time_on(h, (u32)p->cpu, p->from_ns, p->to_ns, false);
	for (cpu = 0; cpu < nr && cpu < LKST_DETAIL_CPUS; cpu++) {
		const u64 ns = cpu == (u32)p->cpu ? 0 : time_on(h, cpu, p->from_ns, p->to_ns, true);

		most_ns = ns > most_ns ? ns : most_ns;
	}
	d->idle_ns += most_ns;
}

int lkst_detail_add(struct lkst_detail *d, const struct lkst_pasts *h, const struct lkst_past *p)
{
	const struct lkst_past *last = &h->list[p->last];
	const u64 ns = p->to_ns - p->from_ns;
	const u32 about = last->about ? last->about : p->about;
	const struct lkst_circumstances_ice *ice = lkst_circumstances_freeze(&h->circumstances, p);
	u64 *sum;

	d->by_about.max = ABOUTS_MAX;
	if (p->run == LKST_RUN_READY)
		detail_add_ready(d, h, p);
	d->all_ns += ns;
	d->timed_out_ns += last->flags & LKST_PAST_TIMED_OUT ? ns : 0;
	d->held_ns += last->flags & LKST_PAST_WAS_HELD ? ns : 0;
	d->dirty_ns += last->flags & LKST_PAST_IS_DIRTY ? ns : 0;
	d->resent_ns += last->flags & LKST_PAST_WAS_RESENT ? ns : 0;
	d->refault_ns += last->flags & LKST_PAST_IS_REFAULT ? ns : 0;
	d->signalled_ns += last->flags & LKST_PAST_IS_SIGNALLED ? ns : 0;
	d->icy_ns += ice ? ns : 0;
	d->freezer = ice ? ice : d->freezer;
	if (last->flags & LKST_PAST_WAS_CRASH) {
		d->crashed_ns += ns;
		d->crashed = lkst_model_life(h->model, last->waker);
	}
	d->disk_ns += last->end == LKST_PAST_END_DISK ? ns : 0;
	if (!about)
		return 0;
	sum = lkst_map_find(&d->by_about, about);
	if (sum) {
		*sum += ns;
		return 0;
	}
	return lkst_map_set(&d->by_about, about, ns) == -ENOMEM ? -ENOMEM : 0;
}

void lkst_detail_finish(struct lkst_detail *d, const struct lkst_pasts *h)
{
	u32 about, cpu;

	d->cpu = -1;
	for (cpu = 0; cpu < LKST_DETAIL_CPUS; cpu++)
		if (d->cpu_ns[cpu] > d->all_ns / 100 * MOST_PERCENT)
			d->cpu = (s32)cpu;
	for (about = 1; about <= h->abouts.nr; about++) {
		const u64 *sum = lkst_map_find(&d->by_about, about);

		if (!sum || *sum <= d->about_ns || *sum < d->all_ns / 2)
			continue;
		d->about_ns = *sum;
		d->about = lkst_about_text(&h->abouts, about);
	}
}

void lkst_detail_fini(struct lkst_detail *d)
{
	lkst_map_fini(&d->by_about);
	*d = (struct lkst_detail){};
}
