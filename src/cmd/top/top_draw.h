/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screen of `lkst top` shows, drawn with ncurses. All text of others passes lkst_put_escaped(), and only
 * characters that can be printed reach the terminal.
 */
#ifndef LKST_CMD_TOP_DRAW_H
#define LKST_CMD_TOP_DRAW_H

#include "cmd/top/top_look.h"
#include "cmd/top/top_rows.h"

enum { LKST_TOP_PROMPT = 64 }; /* bytes of what is typed, with the NUL */

/* What is on the screen. */
enum lkst_top_page {
	LKST_TOP_PAGE_ROWS,
	LKST_TOP_PAGE_HELP,
	LKST_TOP_PAGE_WHY, /* of one thread */
};

/* A text in lines. */
struct lkst_top_text {
	char *bytes;		/* owned; line ends are NULs */
	char **lines;		/* into it, owned */
	unsigned int nr, first; /* first: the line that is shown at the top */
};

struct lkst_top_view {
	enum lkst_top_page page;
	const struct lkst_top_look *look; /* NULL: there is none yet */
	const struct lkst_top_wish *wish;
	const struct lkst_top_rows *rows;
	u32 first, selected; /* rows, by their place */
	u64 delay_ns;
	bool is_paused;
	bool is_utf8;	      /* the terminal shows UTF-8 */
	bool has_color;	      /* what lkst_top_draw_begin() has found */
	const char *question; /* what is asked for in the last line; NULL: nothing */
	const char *typed;    /* the answer so far */
	const char *message;  /* shown in the last line; "": the keys */
	struct lkst_top_text why;
};

/* Prepares colours. False: the terminal has none. */
bool lkst_top_draw_begin(void);

/* Draws all of the screen again; corrects `first` so that the selected row is on it. */
void lkst_top_draw(struct lkst_top_view *v);

/* How many rows, or lines of a text, the screen has room for: at least 1. */
unsigned int lkst_top_draw_room(const struct lkst_top_view *v);

#endif
