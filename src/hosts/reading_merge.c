/* SPDX-License-Identifier: GPL-2.0-only */
/* The hosts' records, merged by the corrected time of day. */
#include "hosts/reading_merge.h"

#include <errno.h>
#include <stdlib.h>

/* Where one host is. */
struct reading_merge_place {
	struct lkst_merge *merge;
	struct lkst_record head; /* the next record, if has_head */
	u64 ns;			 /* its common time */
	bool has_head;
};

struct lkst_reading_merge {
	const struct lkst_reading *reading;
	struct reading_merge_place *places;
	unsigned int top; /* the host that the last record is of */
	u64 limit_ns;	  /* its records up to this time come before all others */
	bool has_top;
	bool is_given; /* the top's head was given out */
};

/*
 * State has no place in time: that of the beginning comes before all records, that of a further part when its host has
 * come to it.
 */
static void reading_merge_step(struct lkst_reading_merge *t, unsigned int i)
{
	struct reading_merge_place *p = &t->places[i];

	p->has_head = lkst_merge_next(p->merge, &p->head) > 0;
	if (p->has_head && p->head.buffer != LKST_BUFFER_STATE)
		p->ns = p->head.ns + t->reading->list[i].offset_ns;
}

int lkst_reading_merge_new(struct lkst_err *e, const struct lkst_reading *r, u64 from_ns, u64 to_ns,
			   bool reads_all, struct lkst_reading_merge **ret_merge)
{
	_cleanup_(lkst_reading_merge_freep) struct lkst_reading_merge *t = calloc(1, sizeof(*t));
	unsigned int i;
	int err = 0;

	if (!t || !(t->places = calloc(r->nr, sizeof(*t->places))))
		return lkst_err_sys(e, -ENOMEM, "merging the hosts");
	t->reading = r;
	for (i = 0; i < r->nr && !err; i++) {
		const struct lkst_host *host = &r->list[i];

		err = lkst_merge_new(e, host->trace,
				     reads_all ? 0 : lkst_host_own_ns(host, from_ns),
				     lkst_host_own_ns(host, to_ns), &t->places[i].merge);
		if (!err)
			reading_merge_step(t, i);
	}
	if (!err)
		*ret_merge = lkst_take(t);
	return err;
}

void lkst_reading_merge_free(struct lkst_reading_merge *t)
{
	unsigned int i;

	if (!t)
		return;
	for (i = 0; t->places && i < t->reading->nr; i++)
		lkst_merge_free(t->places[i].merge);
	free(t->places);
	free(t);
}

/*
 * Chooses the host whose record comes first, and how long it goes on to: at equal times the host with the lower number
 * comes first. False: all are at their end.
 */
static bool reading_merge_choose(struct lkst_reading_merge *t)
{
	unsigned int i;

	t->has_top = false;
	for (i = 0; i < t->reading->nr; i++) {
		const struct reading_merge_place *p = &t->places[i];

		if (!p->has_head || (t->has_top && p->ns >= t->places[t->top].ns))
			continue;
		t->top = i;
		t->has_top = true;
	}
	t->limit_ns = UINT64_MAX;
	for (i = 0; i < t->reading->nr; i++) {
		const struct reading_merge_place *p = &t->places[i];
		/* A host before the top has a later record, so that its time is not 0. */
		const u64 limit_ns = i < t->top ? p->ns - 1 : p->ns;

		if (p->has_head && i != t->top && limit_ns < t->limit_ns)
			t->limit_ns = limit_ns;
	}
	return t->has_top;
}

int lkst_reading_merge_next(struct lkst_reading_merge *t, unsigned int *ret_host,
			    struct lkst_record *ret_record)
{
	struct reading_merge_place *p = &t->places[t->top];

	/* Not before: the gaps that this meets come after the record that was given out. */
	if (t->is_given)
		reading_merge_step(t, t->top);
	t->is_given = false;
	if ((!t->has_top || !p->has_head || p->ns > t->limit_ns) && !reading_merge_choose(t))
		return 0;
	t->is_given = true;
	*ret_host = t->top;
	*ret_record = t->places[t->top].head;
	return 1;
}

int lkst_reading_merge_gap(struct lkst_reading_merge *t, unsigned int host, struct lkst_gap *ret_gap)
{
	return lkst_merge_gap(t->places[host].merge, ret_gap);
}
