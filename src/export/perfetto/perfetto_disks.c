/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perfetto: requests of disks as slices, and counts that follow from records: requests in flight, and pages. Slices of
 * a track nest; requests do not. So a disk has as many tracks as it had requests at a time, all of one name, which the
 * UI shows as one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/engine/pending.h"
#include "analyze/engine/request.h"
#include "base/size.h"
#include "export/perfetto/perfetto.h"

enum {
	DISKS_MAX = 256,
	PLACES = 256, /* requests of a disk at a time that have a slice */
	REQUESTS_MAX = 1 << 14,
	MINOR_BITS = 20,
	PAGES_EVERY_NS = 100000, /* between two values of the counter of pages */
	PAGE_ORDER_MAX = 20,
};

struct perfetto_disks_disk {
	u32 dev, counter;
	s64 nr_requests;
	u32 nr_places; /* that have a track */
	bool is_taken[PLACES];
	char name[LKST_LABEL_TEXT + 16];
};

struct lkst_perfetto_disks {
	struct perfetto_disks_disk disks[DISKS_MAX];
	u32 nr_disks;
	struct lkst_pending requests; /* `cpu`: the disk's number, `buffer`: the place */
	u32 buffers; /* a bit for each that had records of these since the oldest, or may have some */
	u32 pages_counter; /* plus 1; 0: there is none */
	s64 nr_pages;
	u64 pages_ns; /* of the last value */
};

/* ---- disks ----------------------------------------------------------------------------------- */

/* The disk, whose tracks are made with its first request; NULL: there are too many. */
static struct perfetto_disks_disk *get_disk(struct lkst_perfetto *p, u32 dev)
{
	struct lkst_perfetto_disks *disks = p->disks;
	const char *label = lkst_labels_find(&p->labels, LKST_LABEL_DISK, dev);
	char title[sizeof(disks->disks[0].name) + 32];
	struct perfetto_disks_disk *d;
	u32 i;

	for (i = 0; i < disks->nr_disks; i++)
		if (disks->disks[i].dev == dev)
			return &disks->disks[i];
	if (i == DISKS_MAX)
		return NULL;
	d = &disks->disks[disks->nr_disks++];
	d->dev = dev;
	if (label)
		snprintf(d->name, sizeof(d->name), "%s", label);
	else
		snprintf(d->name, sizeof(d->name), "%u,%u", dev >> MINOR_BITS,
			 dev & ((1 << MINOR_BITS) - 1));
	snprintf(title, sizeof(title), "disk %s: requests in flight", d->name);
	d->counter = lkst_perfetto_counter(p, title, "requests");
	return d;
}

static u64 place_uuid(const struct lkst_perfetto *p, const struct perfetto_disks_disk *d, u32 place)
{
	return lkst_perfetto_uuid(LKST_PERFETTO_TRACK_DISK,
				  (u32)(d - p->disks->disks) * PLACES + place);
}

/* A place for a request of @d; PLACES: there is none. */
static u32 perfetto_disks_take_place(struct lkst_perfetto *p, struct perfetto_disks_disk *d)
{
	char name[sizeof(d->name) + 8];
	u32 i = 0;

	while (i < PLACES && d->is_taken[i])
		i++;
	if (i == PLACES)
		return i;
	d->is_taken[i] = true;
	if (i >= d->nr_places) {
		d->nr_places = i + 1;
		snprintf(name, sizeof(name), "disk %s", d->name);
		lkst_perfetto_track(p, place_uuid(p, d, i), 0, name, 0);
	}
	return i;
}

static void count_requests(struct lkst_perfetto *p, struct perfetto_disks_disk *d, u64 ns, s64 more)
{
	d->nr_requests += more;
	lkst_perfetto_count(p, d->counter, ns, d->nr_requests);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void perfetto_disks_begin_request(struct lkst_perfetto *p, const struct lkst_record *r,
					 const struct lkst_rec_block_rq_issue *x, const struct perfetto_disks_disk *d,
					 u32 place)
{
	static const char *const operations[] = { "read", "write", "flush", "discard" };
	char name[64], size[LKST_SIZE_TEXT];
	u32 op = x->flags & LKST_REQUEST_OP_MASK, at;

	lkst_size_format(x->bytes, size);
	if (op < sizeof(operations) / sizeof(operations[0]))
		snprintf(name, sizeof(name), "%s %s", operations[op], size);
	else
		snprintf(name, sizeof(name), "operation %u, %s", op, size);
	at = lkst_perfetto_begin_event(p, LKST_PERFETTO_DISKS, LKST_PERFETTO_SLICE_BEGIN,
				       place_uuid(p, d, place), r->ns, name);
	lkst_perfetto_note_number(p, "sector", (s64)x->sector);
	lkst_perfetto_note_number(p, "bytes", x->bytes);
	lkst_perfetto_note_number(p, "sent by thread", r->tid);
	lkst_perfetto_end_event(p, at);
}

/* @why: it was not done then, but is followed no further; NULL: it was. */
static void perfetto_disks_end_slice(struct lkst_perfetto *p, struct perfetto_disks_disk *d, u32 place, u64 ns,
				     const char *why)
{
	u32 at;

	if (place >= PLACES)
		return;
	d->is_taken[place] = false;
	at = lkst_perfetto_begin_event(p, LKST_PERFETTO_DISKS, LKST_PERFETTO_SLICE_END,
				       place_uuid(p, d, place), ns, NULL);
	if (why)
		lkst_perfetto_note_text(p, "not done here", why, (u32)strlen(why));
	lkst_perfetto_end_event(p, at);
}

static void end_place(struct lkst_perfetto *p, const struct lkst_pending_entry *entry, u64 ns,
		      const char *why)
{
	struct perfetto_disks_disk *d = &p->disks->disks[entry->cpu];

	perfetto_disks_end_slice(p, d, entry->buffer, ns, why);
	count_requests(p, d, ns, -1);
}

static void end_request(struct lkst_perfetto *p, struct lkst_pending_entry *entry, u64 ns,
			const char *why)
{
	end_place(p, entry, ns, why);
	lkst_pending_remove(&p->disks->requests, entry);
}

static int ready(struct lkst_perfetto *p, const struct lkst_record *r)
{
	int err = p->has_begun ? 0 : lkst_perfetto_start(p);

	return err ? err : lkst_export_step(p->x, r->ns);
}

/* Each record of a request. */
static int ready_for_request(struct lkst_perfetto *p, const struct lkst_record *r)
{
	p->disks->buffers |= 1U << r->buffer % 32;
	return ready(p, r);
}

/* The time of a request that was sent before begins with the first time. */
static int perfetto_disks_on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_pending *requests = &p->disks->requests;
	struct lkst_pending_entry *entry = lkst_pending_find(requests, x->rq);
	struct perfetto_disks_disk *d;
	int err = ready_for_request(p, r);

	if (err || x->rq == LKST_HASH_NONE)
		return err;
	if (!requests->hash.nr)
		p->disks->buffers = 1U << r->buffer % 32;
	if (entry && lkst_request_is_requeued(entry->value)) {
		entry->value = lkst_request_pack(x->dev, x->flags, x->bytes);
		return 0;
	}
	/* Its end was not recorded, or it is another's: how long it took is not known. */
	if (entry)
		end_request(p, entry, entry->start_ns + 1, "its end was not recorded");
	d = get_disk(p, x->dev);
	err = d ? lkst_pending_put(requests, x->rq, &entry) : 0;
	if (err <= 0)
		return err;
	*entry =
		(struct lkst_pending_entry){ .key = x->rq,
					     .start_ns = r->ns,
					     .value = lkst_request_pack(x->dev, x->flags, x->bytes),
					     .tid = r->tid,
					     .cpu = (u16)(d - p->disks->disks),
					     .buffer = (u16)perfetto_disks_take_place(p, d) };
	if (entry->buffer < PLACES)
		perfetto_disks_begin_request(p, r, x, d, entry->buffer);
	count_requests(p, d, r->ns, 1);
	return 0;
}

static int perfetto_disks_on_requeue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_requeue *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&p->disks->requests, x->rq);

	if (entry)
		entry->value = lkst_request_requeue(entry->value);
	return ready_for_request(p, r);
}

/* It was sent before, and then became part of another. */
static int perfetto_disks_on_merge(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_merge *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&p->disks->requests, x->rq);

	if (entry)
		end_request(p, entry, r->ns, "it became part of another");
	return ready_for_request(p, r);
}

static int perfetto_disks_on_complete(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_complete *x = record;
	struct lkst_perfetto *p = ctx;
	struct lkst_pending_entry *entry = lkst_pending_find(&p->disks->requests, x->rq);

	if (entry && lkst_request_complete(&entry->value, x->bytes))
		end_request(p, entry, r->ns, NULL);
	return ready_for_request(p, r);
}

/* From now on the records of requests may go to any buffer. */
static int perfetto_disks_on_maskset(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_perfetto *p = ctx;

	p->disks->buffers = UINT32_MAX;
	return 0;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int count_pages(struct lkst_perfetto *p, const struct lkst_record *r, u32 order,
		       bool is_free)
{
	struct lkst_perfetto_disks *disks = p->disks;
	s64 nr = order <= PAGE_ORDER_MAX ? (s64)1 << order : 0;
	int err = ready(p, r);

	if (err)
		return err;
	disks->nr_pages += is_free ? -nr : nr;
	if (disks->pages_counter && r->ns < disks->pages_ns + PAGES_EVERY_NS)
		return 0;
	if (!disks->pages_counter)
		disks->pages_counter =
			lkst_perfetto_counter(p, "pages allocated less freed, since records began",
					      "pages") +
			1;
	lkst_perfetto_count(p, disks->pages_counter - 1, r->ns, disks->nr_pages);
	disks->pages_ns = r->ns;
	return 0;
}

static int perfetto_disks_on_page_alloc(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_alloc *x = record;

	return x->pfn == UINT64_MAX ? 0 : count_pages(ctx, r, x->order, false);
}

static int perfetto_disks_on_page_free(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mm_page_free *x = record;

	return count_pages(ctx, r, x->order, true);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Any CPU may have completed any request, wherever it was sent, and have sent another at the same address. */
void lkst_perfetto_lose_disks(struct lkst_perfetto *p, const struct lkst_gap *gap)
{
	struct lkst_pending *requests = &p->disks->requests;
	const struct lkst_pending_entry *entry;
	u64 ns = gap->from_ns;
	u32 i = 0;

	/* The count begins again. */
	p->disks->nr_pages = 0;
	if (!requests->hash.nr || !(p->disks->buffers >> gap->buffer % 32 & 1))
		return;
	while ((entry = lkst_pending_next(requests, &i)))
		end_place(p, entry, ns > entry->start_ns ? ns : entry->start_ns + 1,
			  "records are missing from here on");
	lkst_hash_clear(&requests->hash, sizeof(*entry));
}

int lkst_perfetto_subscribe_disks(struct lkst_perfetto *p)
{
	static const struct {
		enum lkst_event_index event;
		lkst_feed_call *call;
	} calls[] = {
		{ LKST_EV_block_rq_issue, perfetto_disks_on_issue },
		{ LKST_EV_block_rq_requeue, perfetto_disks_on_requeue },
		{ LKST_EV_block_rq_merge, perfetto_disks_on_merge },
		{ LKST_EV_block_rq_complete, perfetto_disks_on_complete },
		{ LKST_EV_maskset_switch, perfetto_disks_on_maskset },
		{ LKST_EV_mm_page_alloc, perfetto_disks_on_page_alloc },
		{ LKST_EV_mm_page_free, perfetto_disks_on_page_free },
	};
	size_t i;
	int err = 0;

	p->disks = calloc(1, sizeof(*p->disks));
	if (!p->disks)
		return -ENOMEM;
	p->disks->requests.max = REQUESTS_MAX;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]) && err >= 0; i++)
		err = lkst_feed_event(p->feed, calls[i].event, calls[i].call, p);
	return err < 0 ? err : 0;
}

void lkst_perfetto_free_disks(struct lkst_perfetto *p)
{
	if (p->disks)
		lkst_pending_fini(&p->disks->requests);
	free(p->disks);
}
