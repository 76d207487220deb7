/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names similar to the one that was asked for, to be added to the error that there is no such
 * name.
 */
#ifndef LKST_BASE_NEAR_H
#define LKST_BASE_NEAR_H

enum { LKST_NEAR_MAX = 3, LKST_NEAR_NAME = 64, LKST_NEAR_TEXT = 256 };

/* The nearest names so far. Set `word`, which is borrowed; all else is zero. */
struct lkst_near {
	const char *word;
	unsigned int nr;
	struct {
		unsigned int distance;
		char name[LKST_NEAR_NAME];
	} best[LKST_NEAR_MAX];
};

/* Keeps @name if it is one of the nearest, and near. */
void lkst_near_offer(struct lkst_near *n, const char *name);

/* "; did you mean a, b or c?", "" if nothing is near. */
const char *lkst_near_text(const struct lkst_near *n, char text[LKST_NEAR_TEXT]);

#endif
