/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes and durations as people write and read them: "64K", "1.5G", "200ms".
 */
#ifndef LKST_BASE_SIZE_H
#define LKST_BASE_SIZE_H

#include <stdint.h>

#include "base/err.h"

enum {
	/* What the formatters need, with the NUL. */
	LKST_SIZE_TEXT = 32,
	LKST_DURATION_TEXT = 32,
};

/* Bytes: "4096", "64K", "4M", "1.5G", "1T", as "64KB" or "64KiB" too; a K is 1024. */
int lkst_size_parse(struct lkst_err *e, const char *text, uint64_t *ret_bytes);

/* Nanoseconds: "5s", "200ms", "1.5m", "10us", "3ns", "2h", or "0". The unit must be there. */
int lkst_duration_parse(struct lkst_err *e, const char *text, uint64_t *ret_ns);

/* "512 bytes", "16 MiB", "1.5 GiB": exact, or rounded to a tenth. */
void lkst_size_format(uint64_t bytes, char ret_text[LKST_SIZE_TEXT]);

/* "850 ns", "12.3 us", "1.50 s", "2 min 5 s", "3 h 12 min": three digits or to the smaller unit. */
void lkst_duration_format(uint64_t ns, char ret_text[LKST_DURATION_TEXT]);

/*
 * Reads digits, with or without a fraction, at *@text and moves it past them. The result is
 * their value times @unit, cut to a whole number. -EINVAL: no digits; -ERANGE: too large.
 */
int lkst_decimal_parse(const char **text, uint64_t unit, uint64_t *ret_value);

#endif
