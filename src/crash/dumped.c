/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of programs that mark, as far as dumps have it. */
#include "crash/dumped.h"

#include <string.h>

#include "base/bytes.h"
#include "crash/recording.h"

_Static_assert((int)LKST_PAGE == (int)LKST_MARK_PAGE,
	       "what is found is a page of a program's file");

bool lkst_hits_are_program(const struct lkst_hit *hits)
{
	/* A recording has pages of other kinds, which come first. */
	return hits->kind == LKST_HIT_MARK;
}

/* Reads what was found at @hit to @bytes; false: it is not there any more. */
static bool dumped_load(struct lkst_pages *pages, const struct lkst_hit *hit, u8 *bytes)
{
	const bool is_block = hit->kind == LKST_HIT_BLOCK;
	const size_t id_at = is_block ? offsetof(struct lkst_block_header, uuid)
				      : offsetof(struct lkst_mark_page, id);

	return lkst_pages_copy(pages, hit, 1, bytes) == 1 &&
	       lkst_le32(bytes) == (is_block ? LKST_BLOCK_MAGIC : (u32)LKST_MARK_MAGIC) &&
	       !memcmp(bytes + id_at, hit->id, sizeof(hit->id));
}

/* Where in the program's file the page or block is; false: nowhere. */
static bool dumped_place_of(const struct lkst_hit *hit, u32 *ret_at)
{
	const u32 area = lkst_instance_cpu(hit->a), level = lkst_instance_level(hit->a);

	if (hit->kind == LKST_HIT_MARK) {
		*ret_at = (u32)hit->a * LKST_MARK_PAGE;
		return true;
	}
	if (area >= LKST_MARK_THREADS || level >= LKST_MARK_LEVELS || lkst_instance_buffer(hit->a))
		return false;
	*ret_at = lkst_mark_area_at(area) + lkst_mark_block_at(level, hit->b);
	return true;
}

/* The number of hits that have the id of @hits[0]. */
static size_t nr_of_id(const struct lkst_hit *hits, size_t nr)
{
	size_t i;

	for (i = 1; i < nr && !memcmp(hits[i].id, hits[0].id, sizeof(hits[0].id)); i++)
		;
	return i;
}

/* Reads the first page, of which there may be copies. */
static bool dumped_read_header(struct lkst_dumped_program *p)
{
	u8 page[LKST_MARK_PAGE];
	size_t i;

	for (i = 0; i < p->nr && p->hits[i].kind == LKST_HIT_MARK && !p->hits[i].a; i++) {
		if (!dumped_load(p->pages, &p->hits[i], page))
			continue;
		memcpy(&p->header, page, sizeof(p->header));
		if (p->header.version == LKST_MARK_VERSION)
			return true;
	}
	return false;
}

int lkst_dumped_programs(struct lkst_err *e, const struct lkst_dump *dumps, unsigned int nr_dumps,
			 const struct lkst_hits *hits, lkst_dumped_each *each, void *ctx)
{
	_cleanup_(lkst_pages_freep) struct lkst_pages *pages = NULL;
	struct lkst_dumped_program p;
	size_t i;
	int err = lkst_pages_new(e, dumps, nr_dumps, &pages);

	for (i = 0; i < hits->nr && !err; i += p.nr) {
		p = (struct lkst_dumped_program){ .hits = hits->items + i,
						  .nr = nr_of_id(hits->items + i, hits->nr - i),
						  .pages = pages };
		if (lkst_hits_are_program(p.hits) && dumped_read_header(&p))
			err = each(ctx, &p);
	}
	return err;
}

int lkst_dumped_pages(const struct lkst_dumped_program *p, lkst_dumped_put *put, void *ctx)
{
	u8 page[LKST_MARK_PAGE];
	size_t i;
	u32 at;
	int err = 0;

	for (i = 0; i < p->nr && !err; i++)
		if (dumped_place_of(&p->hits[i], &at) && dumped_load(p->pages, &p->hits[i], page))
			err = put(ctx, at, page);
	return err;
}
