/* SPDX-License-Identifier: GPL-2.0-only */
/* The recordings that dumps hold. */
#include "crash/recording.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/block.h"
#include "base/cleanup.h"
#include "trace/metadata.h"
#include "trace/note.h"

enum {
	NOTES_MAX = 1 << 14, /* of a recording: 64 MiB */
	RECORDINGS_MAX = 1 << 16,
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

void lkst_pages_freep(struct lkst_pages **p)
{
	lkst_pages_free(*p);
}

unsigned int lkst_pages_copy(struct lkst_pages *p, const struct lkst_find *find,
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

static int compare_rings(const void *a, const void *b)
{
	const struct lkst_dump_ring *x = a, *y = b;

	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	/* Of two copies the one that has got further is the one in use. */
	return x->done > y->done ? -1 : x->done < y->done;
}

static int take_state(struct lkst_err *e, struct lkst_recording *r, const u8 *page)
{
	struct lkst_dump_ring rings[LKST_DUMP_RINGS_MAX], *grown;
	unsigned int nr = lkst_dump_rings(page, rings);

	grown = reallocarray(r->rings, r->nr_rings + nr + 1, sizeof(*grown));
	if (!grown)
		return lkst_err_sys(e, -ENOMEM, "listing rings");
	r->rings = grown;
	memcpy(grown + r->nr_rings, rings, nr * sizeof(*grown));
	r->nr_rings += nr;
	return 0;
}

static int take_note(struct lkst_err *e, struct lkst_recording *r, const u8 *page)
{
	struct lkst_note **grown, *copy;

	if (!lkst_note_is_good((const struct lkst_note *)page) || r->nr_notes >= NOTES_MAX)
		return 0;
	grown = reallocarray(r->notes, r->nr_notes + 1, sizeof(struct lkst_note *));
	copy = malloc(sizeof(*copy));
	if (grown)
		r->notes = grown;
	if (!grown || !copy) {
		free(copy);
		return lkst_err_sys(e, -ENOMEM, "listing notes");
	}
	memcpy(copy, page, sizeof(*copy));
	grown[r->nr_notes++] = copy;
	return 0;
}

/* Of copies only the first stays. */
static void drop_copies(struct lkst_recording *r)
{
	unsigned int i, nr = 0;
	size_t n, nr_notes = 0;

	if (r->nr_rings)
		qsort(r->rings, r->nr_rings, sizeof(*r->rings), compare_rings);
	for (i = 0; i < r->nr_rings; i++)
		if (!nr || r->rings[nr - 1].instance != r->rings[i].instance)
			r->rings[nr++] = r->rings[i];
	r->nr_rings = nr;
	for (i = 0; i < nr; i++)
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
static void read_notes(struct lkst_recording *r)
{
	const struct lkst_note *const *notes = (const struct lkst_note *const *)r->notes;
	_cleanup_free_ u8 *packed = NULL, *start = NULL;
	_cleanup_free_ char *text = NULL;
	struct lkst_err ignored;
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
	    lkst_note_unpack(&ignored, packed, length, &text, &length) ||
	    lkst_metadata_parse(&ignored, text, length, &r->catalog))
		return;
	if (memcmp(r->catalog->uuid, r->uuid, sizeof(r->uuid)) != 0) {
		lkst_catalog_free(r->catalog);
		r->catalog = NULL;
	}
}

/* Fills @r from the @nr finds at @finds, which are all of one trace. */
static int fill(struct lkst_err *e, struct lkst_pages *pages, const struct lkst_find *finds,
		size_t nr, struct lkst_recording *r)
{
	_Alignas(8) u8 page[LKST_PAGE];
	size_t i;
	int err = 0;

	memcpy(r->uuid, finds[0].uuid, sizeof(r->uuid));
	for (i = 0; i < nr && finds[i].kind != LKST_FIND_BLOCK && !err; i++) {
		if (!lkst_pages_copy(pages, &finds[i], 1, page))
			continue;
		err = finds[i].kind == LKST_FIND_STATE ? take_state(e, r, page)
						       : take_note(e, r, page);
	}
	if (err)
		return err;
	r->blocks = finds + i;
	r->nr_blocks = nr - i;
	drop_copies(r);
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
	read_notes(r);
	return 0;
}

static void fini(struct lkst_recording *r)
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
	/* One that can be read and has something to be read goes before one that has not. */
	bool x_good = x->catalog && x->nr_blocks, y_good = y->catalog && y->nr_blocks;

	if (x_good != y_good)
		return x_good ? -1 : 1;
	return last_ns(x) > last_ns(y) ? -1 : last_ns(x) < last_ns(y);
}

int lkst_recordings_new(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
			const struct lkst_finds *finds, struct lkst_recordings *ret_recordings)
{
	_cleanup_(lkst_pages_freep) struct lkst_pages *pages = NULL;
	struct lkst_recordings r = {};
	size_t i, end;
	int err = lkst_pages_new(e, dumps, nr_dumps, &pages);

	for (i = 0; i < finds->nr && r.nr < RECORDINGS_MAX && !err; i = end) {
		struct lkst_recording *grown = reallocarray(r.items, r.nr + 1, sizeof(*grown));

		if (!grown) {
			err = lkst_err_sys(e, -ENOMEM, "listing recordings");
			break;
		}
		r.items = grown;
		grown[r.nr] = (struct lkst_recording){};
		for (end = i + 1;
		     end < finds->nr && !memcmp(finds->items[end].uuid, finds->items[i].uuid, 16);
		     end++)
			;
		err = fill(e, pages, finds->items + i, end - i, &grown[r.nr++]);
	}
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

		if (one->catalog && !memcmp(one->catalog->boot_id, boot_id, 16))
			fini(one);
		else
			r->items[nr++] = *one;
	}
	r->nr = nr;
}

void lkst_recordings_free(struct lkst_recordings *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		fini(&r->items[i]);
	free(r->items);
	*r = (struct lkst_recordings){};
}

const struct lkst_dump_ring *lkst_recording_ring(const struct lkst_recording *r, u64 instance)
{
	unsigned int low = 0, high = r->nr_rings;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (r->rings[middle].instance < instance)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->nr_rings && r->rings[low].instance == instance ? &r->rings[low] : NULL;
}

u64 lkst_recording_offset_ns(const struct lkst_recording *r)
{
	if (r->catalog)
		return r->catalog->clock_offset_ns;
	return r->has_start ? r->start.realtime_ns - r->start.monotonic_ns : 0;
}
