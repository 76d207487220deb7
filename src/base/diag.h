/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libraries have to say while they work that is no error: details for developers, and how far work has come that
 * takes long. Libraries print nothing; the program says who hears it, for the whole process, as libbpf's messages are
 * for the whole process.
 */
#ifndef LKST_BASE_DIAG_H
#define LKST_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

struct lkst_diag {
	/* Details, some lines; NULL: nobody wants them. */
	void (*log)(const char *format, va_list args);
	/* @done of @total bytes of @what; @what NULL: it is over. In any thread; NULL: nobody wants it. */
	void (*progress)(const char *what, uint64_t done, uint64_t total);
};

/* @diag is borrowed, and is set once, before threads are. Without it nobody wants anything. */
void lkst_diag_set(const struct lkst_diag *diag);

void lkst_diag_vlog(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
void lkst_diag_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether somebody wants to know how far work has come. */
bool lkst_diag_has_progress(void);
void lkst_diag_progress(const char *what, uint64_t done, uint64_t total);

#endif
