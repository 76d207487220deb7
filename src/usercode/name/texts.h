/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that are kept, each once. */
#ifndef LKST_USERCODE_NAME_TEXTS_H
#define LKST_USERCODE_NAME_TEXTS_H

enum {
	LKST_TEXTS_MAX = 96 << 20, /* bytes of all of them */
	LKST_TEXT_MAX = 4096,	   /* of one, the rest is cut */
};

struct lkst_texts;
struct lkst_texts *lkst_texts_new(void); /* NULL: no memory */
void lkst_texts_free(struct lkst_texts *t);

/* A copy of @text that stays as long as @t, "..." where there is no more room in LKST_TEXTS_MAX. NULL: no memory. */
const char *lkst_texts_keep(struct lkst_texts *t, const char *text);

#endif
