/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names similar to the one that was asked for, to be added to the error that there is no such
 * name.
 */
#ifndef LKST_BASE_SUGGEST_H
#define LKST_BASE_SUGGEST_H

enum { LKST_SUGGEST_MAX = 3, LKST_SUGGEST_NAME = 64, LKST_SUGGEST_TEXT = 256 };

/* The nearest names so far. Set `word`, which is borrowed; all else is zero. */
struct lkst_suggest {
	const char *word;
	unsigned int nr;
	struct {
		unsigned int distance;
		char name[LKST_SUGGEST_NAME];
	} best[LKST_SUGGEST_MAX];
};

/* Keeps @name if it is one of the nearest, and near. */
void lkst_suggest_offer(struct lkst_suggest *n, const char *name);

/* "; did you mean a, b or c?", "" if nothing is near. */
const char *lkst_suggest_text(const struct lkst_suggest *n, char text[LKST_SUGGEST_TEXT]);

#endif
