/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sentences for the user that are not errors: what was left out, and why. Collected where it is
 * noticed, printed by the command.
 */
#ifndef LKST_RESULT_NOTES_H
#define LKST_RESULT_NOTES_H

enum { LKST_NOTES_MAX = 64 };

/* All zero is an empty list. */
struct lkst_notes {
	char *text[LKST_NOTES_MAX];
	unsigned int nr;
};

/* Adds a sentence; one that is there already, or has no room, is dropped. */
void lkst_notes_add(struct lkst_notes *n, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void lkst_notes_fini(struct lkst_notes *n);

#endif
