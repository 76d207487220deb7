/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose the pages of physical memory are: by mm_page_alloc, mm_page_free, and state_pages. */
#include "analyze/maps/page_owners.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/vec.h"

enum {
	ORDER_MAX = 20, /* a kernel's is 10 or so, MAX_ORDER in include/linux/mmzone.h */
	UNSEEN =
		0, /* what is known of a page: nothing, or it is free, or the number of its owner is above these */
	FREE = 1,
	FIRST_OWNER = 2,
};
/* Page frames beyond are not memory: 2^36 pages are 256 TiB. */
#define FRAMES_MAX (1ULL << 36)

struct page_owners_block {
	u64 number;
	u16 page[LKST_PAGE_BLOCK];
	u64 since_ns[LKST_PAGE_BLOCK];
};

/* By key: the block's number, or a process. */
struct page_owners_place {
	u64 key;
	u32 index;
};

struct lkst_page_owners {
	const struct lkst_threads *threads;
	lkst_page_change_call *call;
	void *ctx;
	u64 begin_ns;
	struct lkst_hash block_places, owner_places;
	struct page_owners_block **blocks;
	u32 nr_blocks;
	struct lkst_page_owner *owners;
	u32 nr_owners;
	u64 nr_further;
};

/* ---- what there is ------------------------------------------------------------------------------ */

/* The place of @key in @h; *@ret_is_new: it is to be filled. NULL: no memory. */
static struct page_owners_place *page_owners_find_place(struct lkst_hash *h, u64 key, bool *ret_is_new)
{
	struct page_owners_place *place = lkst_hash_find(h, key, sizeof(*place));

	*ret_is_new = !place;
	if (place || lkst_hash_reserve(h, sizeof(*place)))
		return place;
	return lkst_hash_add(h, key, sizeof(*place));
}

/* The block, made if it was not there. NULL with *@err 0: there are too many. */
static struct page_owners_block *page_owners_block_of(struct lkst_page_owners *o, u64 number, int *err)
{
	struct page_owners_place *place = lkst_hash_find(&o->block_places, number, sizeof(*place));
	struct page_owners_block **added;
	bool is_new;

	*err = 0;
	if (place)
		return o->blocks[place->index];
	if (o->nr_blocks == LKST_PAGE_BLOCKS_MAX)
		return NULL;
	*err = -ENOMEM;
	added = lkst_vec_add(o->blocks, o->nr_blocks);
	if (!added)
		return NULL;
	*added = calloc(1, sizeof(**added));
	place = *added ? page_owners_find_place(&o->block_places, number, &is_new) : NULL;
	if (!place)
		return NULL;
	(*added)->number = number;
	place->index = o->nr_blocks - 1;
	*err = 0;
	return *added;
}

static s64 add_owner(struct lkst_page_owners *o, s32 pid)
{
	struct lkst_page_owner *owner = lkst_vec_add(o->owners, o->nr_owners);

	if (!owner)
		return -ENOMEM;
	owner->pid = pid;
	return o->nr_owners - 1;
}

/* The number of process @pid among the owners, or -ENOMEM. Those that come when there are too many are one. */
static s64 page_owners_owner_of(struct lkst_page_owners *o, s32 pid)
{
	bool is_full = o->nr_owners >= LKST_PAGE_OWNERS_MAX &&
		       !lkst_hash_find(&o->owner_places, (u32)pid, sizeof(struct page_owners_place)),
	     is_new;
	struct page_owners_place *place =
		page_owners_find_place(&o->owner_places, is_full ? (u64)(u32)-1 : (u64)(u32)pid, &is_new);
	s64 added;

	if (!place)
		return -ENOMEM;
	if (!is_new)
		return place->index;
	added = add_owner(o, is_full ? -1 : pid);
	place->index = added < 0 ? 0 : (u32)added;
	return added;
}

static s64 owner_of_thread(struct lkst_page_owners *o, s32 tid)
{
	return page_owners_owner_of(o, lkst_threads_pid_of(o->threads, tid));
}

/* ---- changes ------------------------------------------------------------------------------------ */

static int page_owners_tell(struct lkst_page_owners *o, u64 ns, u64 block, u32 owner, s32 delta,
			    bool since_begin)
{
	struct lkst_page_owner *x = &o->owners[owner];

	if (!delta)
		return 0;
	x->nr_now += (u64)(s64)delta;
	/* What is learned later was so all the time, also when it had most. */
	if (since_begin)
		x->nr_most += (u64)(s64)delta;
	else if (x->nr_now > x->nr_most)
		x->nr_most = x->nr_now;
	return o->call ? o->call(o->ctx, ns, block, owner, delta, since_begin) : 0;
}

/* The page has no owner any more. */
static int page_owners_take_from(struct lkst_page_owners *o, struct page_owners_block *b, u32 i, u64 ns)
{
	struct lkst_page_owner *owner;
	u32 number;
	int err = 0;

	if (b->page[i] == FREE)
		return 0;
	number = b->page[i] == UNSEEN ? (u32)LKST_PAGE_OWNER_BEFORE : b->page[i] - (u32)FIRST_OWNER;
	owner = &o->owners[number];
	if (b->page[i] == UNSEEN) {
		owner->nr_before++;
		err = page_owners_tell(o, o->begin_ns, b->number, number, 1, true);
		b->since_ns[i] = o->begin_ns;
	}
	owner->nr_freed++;
	owner->lived_ns += ns > b->since_ns[i] ? (double)(ns - b->since_ns[i]) : 0;
	b->page[i] = FREE;
	return err ?: page_owners_tell(o, ns, b->number, number, -1, false);
}

/* Pages @from to @to of a block become @owner's. Those that were another's have been freed without a record of it. */
static int page_owners_give(struct lkst_page_owners *o, struct page_owners_block *b, u32 from, u32 to, u32 owner,
			    u64 ns)
{
	u32 i;
	int err = 0;

	for (i = from; i < to && !err; i++) {
		if (b->page[i] >= FIRST_OWNER)
			err = page_owners_take_from(o, b, i, ns);
		b->page[i] = (u16)(owner + FIRST_OWNER);
		b->since_ns[i] = ns;
	}
	o->owners[owner].nr_allocated += to - from;
	return err ?: page_owners_tell(o, ns, b->number, owner, (s32)(to - from), false);
}

static int free_pages(struct lkst_page_owners *o, struct page_owners_block *b, u32 from, u32 to, u64 ns)
{
	u32 i;
	int err = 0;

	for (i = from; i < to && !err; i++)
		err = page_owners_take_from(o, b, i, ns);
	return err;
}

/* What a process had when the trace began, unless there was a record of the page before. */
static int page_owners_had(struct lkst_page_owners *o, struct page_owners_block *b, u32 from, u32 to, u32 owner, u64 ns)
{
	u32 i, nr = 0;

	for (i = from; i < to; i++) {
		if (b->page[i] != UNSEEN)
			continue;
		b->page[i] = (u16)(owner + FIRST_OWNER);
		b->since_ns[i] = o->begin_ns;
		nr++;
	}
	o->owners[owner].nr_before += nr;
	return page_owners_tell(o, o->begin_ns, b->number, owner, (s32)nr, true);
}

enum what { GIVE, TAKE, HAD };

/* Does @what with @nr pages from @pfn on, block by block. */
static int each_block(struct lkst_page_owners *o, enum what what, u64 pfn, u64 nr, u32 owner,
		      u64 ns)
{
	u64 end = pfn + nr;
	int err = 0;

	if (pfn >= FRAMES_MAX || nr > FRAMES_MAX)
		return 0;
	while (pfn < end && !err) {
		u64 number = pfn / LKST_PAGE_BLOCK, next = (number + 1) * LKST_PAGE_BLOCK;
		u32 from = pfn % LKST_PAGE_BLOCK,
		    to = (u32)((next < end ? next : end) - number * LKST_PAGE_BLOCK);
		struct page_owners_block *b = page_owners_block_of(o, number, &err);

		pfn = next;
		if (err)
			break;
		if (!b)
			o->nr_further += to - from;
		else if (what == GIVE)
			err = page_owners_give(o, b, from, to, owner, ns);
		else if (what == TAKE)
			err = free_pages(o, b, from, to, ns);
		else
			err = page_owners_had(o, b, from, to, owner, ns);
	}
	return err;
}

/* ---- events ------------------------------------------------------------------------------------- */

static int on_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_alloc *x = record;
	struct lkst_page_owners *o = ctx;
	s64 owner;

	if (x->pfn >= FRAMES_MAX || x->order > ORDER_MAX)
		return 0;
	owner = owner_of_thread(o, r->tid);
	return owner < 0 ? (int)owner
			 : each_block(o, GIVE, x->pfn, 1ULL << x->order, (u32)owner, r->ns);
}

static int page_owners_on_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_free *x = record;

	if (x->pfn >= FRAMES_MAX || x->order > ORDER_MAX)
		return 0;
	return each_block(ctx, TAKE, x->pfn, 1ULL << x->order, 0, r->ns);
}

static int on_had(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_pages *x = record;
	struct lkst_page_owners *o = ctx;
	s64 owner;

	/* A range of that many pages would be damaged: it is at most one of a mapping that is walked. */
	if (x->pfn >= FRAMES_MAX || x->pages > 1U << 28)
		return 0;
	owner = page_owners_owner_of(o, x->owner_pid);
	return owner < 0 ? (int)owner : each_block(o, HAD, x->pfn, x->pages, (u32)owner, r->ns);
}

int lkst_page_owners_new(struct lkst_feed *f, const struct lkst_threads *threads,
			 lkst_page_change_call *call, void *ctx,
			 struct lkst_page_owners **ret_owners)
{
	struct lkst_page_owners *o = calloc(1, sizeof(*o));
	u64 end_ns;
	int has, err;

	*ret_owners = o;
	if (!o)
		return -ENOMEM;
	o->threads = threads;
	o->call = call;
	o->ctx = ctx;
	lkst_trace_range(lkst_feed_trace(f), &o->begin_ns, &end_ns);
	if (add_owner(o, -1) < 0)
		return -ENOMEM;
	/* What is freed in a window was allocated before it: all records are needed. */
	lkst_feed_always(f, true);
	has = lkst_feed_event(f, LKST_EV_mm_page_alloc, on_alloc, o);
	err = has < 0 ? has : lkst_feed_event(f, LKST_EV_mm_page_free, page_owners_on_free, o);
	if (err >= 0) {
		has |= err;
		err = lkst_feed_event(f, LKST_EV_state_pages, on_had, o);
	}
	lkst_feed_always(f, false);
	return err < 0 ? err : has;
}

void lkst_page_owners_free(struct lkst_page_owners *o)
{
	u32 i;

	if (!o)
		return;
	for (i = 0; i < o->nr_blocks; i++)
		free(o->blocks[i]);
	free(o->blocks);
	free(o->owners);
	lkst_hash_fini(&o->block_places);
	lkst_hash_fini(&o->owner_places);
	free(o);
}

const struct lkst_page_owner *lkst_page_owners_list(const struct lkst_page_owners *o, u32 *ret_nr)
{
	*ret_nr = o->nr_owners;
	return o->owners;
}

u64 lkst_page_owners_nr_further(const struct lkst_page_owners *o)
{
	return o->nr_further;
}

void lkst_page_owners_ages(const struct lkst_page_owners *o, u64 ns, double *ages_ns)
{
	u32 i, k;

	for (i = 0; i < o->nr_blocks; i++)
		for (k = 0; k < LKST_PAGE_BLOCK; k++) {
			const struct page_owners_block *b = o->blocks[i];

			if (b->page[k] >= FIRST_OWNER && ns > b->since_ns[k])
				ages_ns[b->page[k] - FIRST_OWNER] += (double)(ns - b->since_ns[k]);
		}
}
