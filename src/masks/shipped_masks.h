/* SPDX-License-Identifier: GPL-2.0-only */
/* The masksets that come with the program. doc/masksets.md has a table of them. */
#ifndef LKST_MASKS_SHIPPED_MASKS_H
#define LKST_MASKS_SHIPPED_MASKS_H

#include "masks/mask.h"

/* As globs. A row without name ends the table. */
enum { LKST_SHIPPED_GLOBS_MAX = 64 };
struct lkst_shipped_mask {
	const char *name;
	const char *help;
	const char *globs[LKST_SHIPPED_GLOBS_MAX]; /* ends with NULL */
};
extern const struct lkst_shipped_mask lkst_shipped_masks[];

/* The one called @name, or NULL. */
const struct lkst_shipped_mask *lkst_shipped_mask_find(const char *name);

/* What reads an event of the maskset standard. */
enum lkst_reader { LKST_READER_MODEL = 1, LKST_READER_REPORT = 2, LKST_READER_WHY = 4, LKST_READER_CRASH = 8 };

/* A bit of enum lkst_reader for each that reads @event; 0 if the event is not in the maskset standard. */
u8 lkst_standard_readers(const struct lkst_event_class *event);

/* Fills @mask with it. Globs that name no event of @c are skipped. */
void lkst_shipped_mask_fill(const struct lkst_shipped_mask *shipped, const struct lkst_catalog *c,
			    struct lkst_mask *mask);

#endif
