/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Error sentences built by layers. A function that can fail takes a `struct lkst_err *` first and
 * returns 0 or a negative errno; whoever notices the failure sets the text, each caller may
 * put its own clause in front. Building a text cannot fail: what does not fit is cut. A caller that does not
 * want the text passes NULL, to any function that takes one.
 */
#ifndef LKST_BASE_ERR_H
#define LKST_BASE_ERR_H

#include <stddef.h>

enum { LKST_ERR_MAX = 1024, LKST_ERR_LINE = 256 };

struct lkst_err {
	char text[LKST_ERR_MAX];  /* "" if nothing has failed */
	char line[LKST_ERR_LINE]; /* a line of the user's in which something is wrong; "": none */
	size_t mark; /* the byte of it that is wrong; its length: what is missing at its end */
};

/* Sets the text, with no line, and returns @err, a negative errno. */
int lkst_err_set(struct lkst_err *e, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with ": " and the system's words for @err at the end. */
int lkst_err_sys(struct lkst_err *e, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Says where the error is: at byte @at of @line, which has @length bytes; what does not fit is cut at both ends. To be
 * called after the text was set. Returns @err.
 */
int lkst_err_mark(struct lkst_err *e, int err, const char *line, size_t length, size_t at);

/* Puts "<clause>: " in front of the text. */
void lkst_err_add(struct lkst_err *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
