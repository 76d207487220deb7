/* SPDX-License-Identifier: GPL-2.0-only */
/* The recordings that dumps hold. */
#include "crash/recording.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/block.h"
#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/vec.h"
#include "crash/dumped.h"
#include "trace/format/metadata.h"
#include "trace/format/note.h"

enum {
	METADATA_MAX = 64 << 20,
	NOTES_MAX = 1 << 14, /* of a recording: 64 MiB */
	/* Of all that are kept: what a dump claims must not decide how much memory that takes. */
	RECORDINGS_MAX = 128,
	ALL_NOTES_MAX = 2 * NOTES_MAX,
	RINGS_MIN = 64,
	RINGS_MAX = 1 << 18,
};

void lkst_uuid_format(const u8 *uuid, char ret_text[LKST_UUID_TEXT])
{
	int i, at = 0;

	for (i = 0; i < 16; i++)
		at += snprintf(ret_text + at, (size_t)(LKST_UUID_TEXT - at), "%s%02x",
			       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* ---- pages ---------------------------------------------------------------------------- */

struct lkst_pages {
	unsigned int nr;
	struct lkst_dump_reader *readers[];
};

int lkst_pages_new(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
		   struct lkst_pages **ret_pages)
{
	struct lkst_pages *p = calloc(1, sizeof(*p) + nr_dumps * sizeof(p->readers[0]));
	int err = 0;

	if (!p)
		return lkst_err_sys(e, -ENOMEM, "preparing to read a dump");
	for (; p->nr < nr_dumps && !err; p->nr++)
		err = lkst_dump_reader_new(e, &dumps[p->nr], &p->readers[p->nr]);
	if (err) {
		p->nr--;
		lkst_pages_free(p);
		return err;
	}
	*ret_pages = p;
	return 0;
}

void lkst_pages_free(struct lkst_pages *p)
{
	unsigned int i;

	for (i = 0; p && i < p->nr; i++)
		lkst_dump_reader_free(p->readers[i]);
	free(p);
}

unsigned int lkst_pages_copy(struct lkst_pages *p, const struct lkst_hit *find,
			     unsigned int nr_parts, u8 *bytes)
{
	struct lkst_dump_reader *reader = p->readers[find->dump];
	const u32 per_page = reader->dump->page_size / LKST_PAGE;
	u64 page = find->page;
	u32 part = find->part;
	unsigned int i;

	for (i = 0; i < nr_parts; i++, part++) {
		const u8 *from;

		if (part == per_page) {
			part = 0;
			page++;
		}
		from = lkst_dump_page(reader, page);
		if (!from)
			break;
		memcpy(bytes + (size_t)i * LKST_PAGE, from + (size_t)part * LKST_PAGE, LKST_PAGE);
	}
	return i;
}

/* ---- what belongs to a recording ------------------------------------------------------ */

static bool has_uuid(const struct lkst_recording *r)
{
	static const u8 none[16];

	return memcmp(r->uuid, none, sizeof(none)) != 0;
}

/* Where block @seq of stream @instance is among those that were found, or would be. */
static size_t recording_find_block(const struct lkst_recording *r, u64 instance, u64 seq)
{
	const struct lkst_hit *b = r->blocks;

	return lkst_lower_bound(i, r->nr_blocks,
				b[i].a < instance || (b[i].a == instance && b[i].b < seq));
}

static int compare_rings(const void *a, const void *b)
{
	const struct lkst_dump_ring *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	/* The state page with the most blocks to prove it is believed: anybody could write a large number. */
	if (x->present != y->present)
		return x->present > y->present ? -1 : 1;
	/* Of two copies the one with the later position is in use. */
	return x->done > y->done ? -1 : x->done < y->done;
}

static bool is_rival(const struct lkst_dump_ring *believed, const struct lkst_dump_ring *other)
{
	return believed->done != other->done || believed->opened != other->opened;
}

/* Sorts the rings, and keeps one of each. */
static void drop_rings(struct lkst_recording *r)
{
	unsigned int i, nr = 0;

	if (r->nr_rings)
		qsort(r->rings, r->nr_rings, sizeof(*r->rings), compare_rings);
	for (i = 0; i < r->nr_rings; i++)
		if (!nr || r->rings[nr - 1].instance != r->rings[i].instance)
			r->rings[nr++] = r->rings[i];
		else
			r->rivals += is_rival(&r->rings[nr - 1], &r->rings[i]);
	r->nr_rings = nr;
}

/* Makes room for the rings of one more state page. */
static int grow_rings(struct lkst_err *e, struct lkst_recording *r, unsigned int *room)
{
	struct lkst_dump_ring *grown;

	if (r->nr_rings + LKST_DUMP_RINGS_MAX <= *room)
		return 0;
	/* As they come, so that there are never many more than different ones. */
	drop_rings(r);
	if (r->nr_rings + LKST_DUMP_RINGS_MAX <= *room / 2)
		return 0;
	if (*room >= RINGS_MAX)
		return lkst_err_set(e, -EFBIG,
				    "it has state pages of more than %u rings, which no machine has",
				    RINGS_MAX / 2);
	grown = reallocarray(r->rings, *room ? 2 * *room : RINGS_MIN, sizeof(*grown));
	if (!grown)
		return lkst_err_sys(e, -ENOMEM, "listing rings");
	r->rings = grown;
	*room = *room ? 2 * *room : RINGS_MIN;
	return 0;
}

static int recording_take_state(struct lkst_err *e, struct lkst_recording *r, const u8 *page,
				unsigned int *room)
{
	int err = grow_rings(e, r, room);
	unsigned int nr, i;

	if (err)
		return err;
	nr = lkst_dump_rings(page, r->rings + r->nr_rings);
	if (nr && !has_uuid(r))
		lkst_dump_uuid(page, r->uuid);
	for (i = 0; i < nr; i++) {
		struct lkst_dump_ring *ring = &r->rings[r->nr_rings + i];

		ring->present = recording_find_block(r, ring->instance, ring->opened) -
				recording_find_block(r, ring->instance, lkst_dump_ring_oldest(ring));
	}
	r->nr_rings += nr;
	return 0;
}

static int recording_take_note(struct lkst_err *e, struct lkst_recording *r, const u8 *page)
{
	struct lkst_note **note;

	if (!lkst_note_is_good((const struct lkst_note *)page) || r->nr_notes >= NOTES_MAX)
		return 0;
	note = lkst_vec_add(r->notes, r->nr_notes);
	if (note)
		*note = malloc(sizeof(**note));
	if (!note || !*note)
		return lkst_err_sys(e, -ENOMEM, "listing notes");
	memcpy(*note, page, sizeof(**note));
	return 0;
}

/* Of copies only the first stays. */
static void recording_drop_copies(struct lkst_recording *r)
{
	size_t n, nr_notes = 0;
	unsigned int i;

	drop_rings(r);
	for (i = 0; i < r->nr_rings; i++)
		r->newest_ns = r->rings[i].last > r->newest_ns ? r->rings[i].last : r->newest_ns;
	if (r->nr_notes)
		qsort(r->notes, r->nr_notes, sizeof(struct lkst_note *), lkst_note_compare);
	for (n = 0; n < r->nr_notes; n++)
		if (!nr_notes || lkst_note_compare(&r->notes[nr_notes - 1], &r->notes[n]) != 0)
			r->notes[nr_notes++] = r->notes[n];
		else
			free(r->notes[n]);
	r->nr_notes = nr_notes;
}

/* The metadata makes the catalogue. If it cannot be had, the recording is one without. */
static void recording_read_notes(struct lkst_recording *r)
{
	const struct lkst_note *const *notes = (const struct lkst_note *const *)r->notes;
	_cleanup_free_ u8 *packed = NULL, *start = NULL;
	_cleanup_free_ char *text = NULL;
	size_t length;

	if (!lkst_note_gather(notes, r->nr_notes, LKST_NOTE_START, &start, &length) &&
	    length == sizeof(r->start)) {
		memcpy(&r->start, start, sizeof(r->start));
		r->start.hostname[sizeof(r->start.hostname) - 1] = 0;
		r->start.release[sizeof(r->start.release) - 1] = 0;
		r->start.machine[sizeof(r->start.machine) - 1] = 0;
		r->has_start = true;
	}
	if (lkst_note_gather(notes, r->nr_notes, LKST_NOTE_METADATA, &packed, &length) ||
	    lkst_note_unpack(NULL, packed, length, &text, &length) ||
	    lkst_metadata_parse(NULL, text, length, &r->catalog))
		return;
	/* In memory they are sealed by the id; of two that differ neither is to be trusted. */
	if (has_uuid(r) && memcmp(r->catalog->uuid, r->uuid, sizeof(r->uuid)) != 0) {
		lkst_catalog_free(r->catalog);
		r->catalog = NULL;
	} else {
		memcpy(r->uuid, r->catalog->uuid, sizeof(r->uuid));
	}
}

/* Fills @r from the @nr hits at @hits, which are all of one trace. */
static int recording_fill(struct lkst_err *e, struct lkst_pages *pages, const struct lkst_hit *hits,
			  size_t nr, struct lkst_recording *r)
{
	_Alignas(8) u8 page[LKST_PAGE];
	unsigned int room = 0;
	size_t i;
	int err = 0;

	memcpy(r->id, hits[0].id, sizeof(r->id));
	for (i = 0; i < nr && hits[i].kind != LKST_HIT_BLOCK; i++)
		;
	r->blocks = hits + i;
	r->nr_blocks = nr - i;
	for (i = 0; i < nr && hits[i].kind != LKST_HIT_BLOCK && !err; i++) {
		if (hits[i].kind == LKST_HIT_MARK || !lkst_pages_copy(pages, &hits[i], 1, page))
			continue;
		err = hits[i].kind == LKST_HIT_STATE ? recording_take_state(e, r, page, &room)
						       : recording_take_note(e, r, page);
	}
	if (err)
		return err;
	recording_drop_copies(r);
	for (i = 0; i < r->nr_blocks; i++) {
		bool is_last = i + 1 == r->nr_blocks || r->blocks[i + 1].a != r->blocks[i].a;
		u64 begin;

		/* The last of each stream is its youngest. */
		if (!is_last || !lkst_pages_copy(pages, &r->blocks[i], 1, page))
			continue;
		memcpy(&begin, page + offsetof(struct lkst_block_header, timestamp_begin),
		       sizeof(begin));
		begin = le64toh(begin);
		r->newest_ns = begin > r->newest_ns ? begin : r->newest_ns;
	}
	recording_read_notes(r);
	return 0;
}

static void recording_fini(struct lkst_recording *r)
{
	size_t i;

	for (i = 0; i < r->nr_notes; i++)
		free(r->notes[i]);
	free(r->notes);
	free(r->rings);
	lkst_catalog_free(r->catalog);
}

/* When it was last written to, time of day where that is known. */
static u64 last_ns(const struct lkst_recording *r)
{
	return r->newest_ns + lkst_recording_offset_ns(r);
}

static int compare_recordings(const void *a, const void *b)
{
	const struct lkst_recording *x = a, *y = b;
	/* A recording that can be read and has something to read comes before one that has not. */
	bool x_good = x->catalog && x->nr_blocks, y_good = y->catalog && y->nr_blocks;

	if (x->is_proven != y->is_proven)
		return x->is_proven ? -1 : 1;
	if (x->is_overridden != y->is_overridden)
		return x->is_overridden ? 1 : -1;
	if (x_good != y_good)
		return x_good ? -1 : 1;
	return last_ns(x) > last_ns(y) ? -1 : last_ns(x) < last_ns(y);
}

/* Whether @known has the id of its pages. The trace's UUID, too, if nothing else says it. */
static void recording_prove(struct lkst_recording *r, const struct lkst_memory_ids *known)
{
	size_t i;

	for (i = 0; known && i < known->nr; i++) {
		if (memcmp(known->items[i].id, r->id, sizeof(r->id)) != 0)
			continue;
		r->is_proven = r->nr_blocks > 0;
		if (!has_uuid(r))
			memcpy(r->uuid, known->items[i].uuid, sizeof(r->uuid));
	}
}

/* The evidence that @r is the recording of its UUID: more is better. */
static int weight(const struct lkst_recording *r)
{
	const bool is_copy = !memcmp(r->id, r->uuid, sizeof(r->id));
	const bool is_good = r->catalog && r->nr_blocks;

	return r->is_proven * 4 + !is_copy * 2 + is_good;
}

/* By UUID; of one UUID the one for which most speaks first, or else the one that has the most blocks. */
static int by_claim(const void *a, const void *b)
{
	const struct lkst_recording *x = *(struct lkst_recording *const *)a;
	const struct lkst_recording *y = *(struct lkst_recording *const *)b;
	int order = memcmp(x->uuid, y->uuid, sizeof(x->uuid));

	if (order)
		return order;
	if (weight(x) != weight(y))
		return weight(x) > weight(y) ? -1 : 1;
	return x->nr_blocks > y->nr_blocks ? -1 : x->nr_blocks < y->nr_blocks;
}

/* The first in @list that says to have UUID @uuid, or NULL. */
static struct lkst_recording *find_claim(struct lkst_recording *const *list, unsigned int nr,
					 const u8 *uuid)
{
	size_t at = lkst_lower_bound(i, nr, memcmp(list[i]->uuid, uuid, 16) < 0);

	return at < nr && !memcmp(list[at]->uuid, uuid, 16) ? list[at] : NULL;
}

/*
 * A trace has one recording. Pages whose id is a trace's UUID are those of a trace on disk, which the page cache
 * has, or of an older program, which had no other id.
 */
static int compare_claims(struct lkst_err *e, struct lkst_recordings *r)
{
	_cleanup_free_ struct lkst_recording **list = calloc(r->nr + 1, sizeof(*list));
	struct lkst_recording *first;
	unsigned int i;

	if (!list)
		return lkst_err_sys(e, -ENOMEM, "listing recordings");
	for (i = 0; i < r->nr; i++)
		list[i] = &r->items[i];
	qsort(list, r->nr, sizeof(*list), by_claim);
	for (i = 0; i < r->nr; i++) {
		first = has_uuid(list[i]) ? find_claim(list, r->nr, list[i]->uuid) : NULL;
		if (!first || first == list[i])
			first = find_claim(list, r->nr, list[i]->id);
		if (!first || first == list[i])
			continue;
		list[i]->is_overridden = true;
		first->nr_overridden++;
	}
	return 0;
}

/* Drops the ones that would be taken last, until the rest is few enough. */
static void drop_last(struct lkst_recordings *r)
{
	unsigned int i, last;
	size_t nr_notes;

	for (;;) {
		for (i = last = 0, nr_notes = 0; i < r->nr; i++) {
			nr_notes += r->items[i].nr_notes;
			if (compare_recordings(&r->items[i], &r->items[last]) >= 0)
				last = i;
		}
		if (r->nr <= 1 || (r->nr <= RECORDINGS_MAX && nr_notes <= ALL_NOTES_MAX))
			return;
		recording_fini(&r->items[last]);
		r->items[last] = r->items[--r->nr];
		r->nr_dropped++;
	}
}

int lkst_recordings_new(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
			const struct lkst_hits *hits, const struct lkst_memory_ids *known,
			struct lkst_recordings *ret_recordings)
{
	_cleanup_(lkst_pages_freep) struct lkst_pages *pages = NULL;
	struct lkst_recordings r = {};
	size_t i, end;
	int err = lkst_pages_new(e, dumps, nr_dumps, &pages);

	for (i = 0; i < hits->nr && !err; i = end) {
		struct lkst_recording *one;

		for (end = i + 1;
		     end < hits->nr && !memcmp(hits->items[end].id, hits->items[i].id, 16);
		     end++)
			;
		if (lkst_hits_are_program(hits->items + i))
			continue;
		one = lkst_vec_add(r.items, r.nr);
		if (!one) {
			err = lkst_err_sys(e, -ENOMEM, "listing recordings");
			break;
		}
		err = recording_fill(e, pages, hits->items + i, end - i, one);
		if (err)
			break;
		recording_prove(one, known);
		drop_last(&r);
	}
	if (!err)
		err = compare_claims(e, &r);
	if (err) {
		lkst_recordings_free(&r);
		return err;
	}
	if (r.nr)
		qsort(r.items, r.nr, sizeof(*r.items), compare_recordings);
	*ret_recordings = r;
	return 0;
}

void lkst_recordings_drop_boot(struct lkst_recordings *r, const u8 boot_id[16])
{
	unsigned int i, nr = 0;

	for (i = 0; i < r->nr; i++) {
		struct lkst_recording *one = &r->items[i];

		if (one->is_overridden ||
		    (one->catalog && !memcmp(one->catalog->boot_id, boot_id, 16)))
			recording_fini(one);
		else
			r->items[nr++] = *one;
	}
	r->nr = nr;
}

void lkst_recordings_free(struct lkst_recordings *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		recording_fini(&r->items[i]);
	free(r->items);
	*r = (struct lkst_recordings){};
}

const struct lkst_dump_ring *lkst_recording_ring(const struct lkst_recording *r, u64 instance)
{
	size_t at = lkst_lower_bound(i, r->nr_rings, r->rings[i].instance < instance);

	return at < r->nr_rings && r->rings[at].instance == instance ? &r->rings[at] : NULL;
}

int lkst_recording_borrow_catalog(struct lkst_err *e, const char *trace, struct lkst_recording *r)
{
	_cleanup_close_ int dir = open(trace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	struct lkst_catalog *c;
	size_t length;
	int err;

	if (dir < 0)
		return lkst_err_sys(e, -errno, "trace %s", trace);
	err = lkst_read_file(e, dir, "metadata", METADATA_MAX, &text, &length);
	if (!err)
		err = lkst_metadata_parse(e, text, length, &c);
	if (!err && has_uuid(r) && memcmp(c->uuid, r->uuid, sizeof(c->uuid)) != 0) {
		lkst_catalog_free(c);
		err = lkst_err_set(e, -EINVAL, "it is a trace of another recording");
	}
	if (err) {
		lkst_err_add(e, "trace %s", trace);
		return err;
	}
	lkst_catalog_free(r->catalog);
	r->catalog = c;
	memcpy(r->uuid, c->uuid, sizeof(r->uuid));
	return 0;
}

u64 lkst_recording_offset_ns(const struct lkst_recording *r)
{
	if (r->catalog)
		return r->catalog->clock_offset_ns;
	return r->has_start ? r->start.realtime_ns - r->start.monotonic_ns : 0;
}
