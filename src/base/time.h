/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times: reading clocks, comparing times, printing them fast, and reading them as people write them. A time is ns
 * of CLOCK_MONOTONIC, or of the time of day since 1970 where it says so.
 */
#ifndef LKST_BASE_TIME_H
#define LKST_BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/err.h"

#define LKST_NS_PER_S 1000000000ULL

/* What @clock says now, ns. */
uint64_t lkst_clock_ns(clockid_t clock);

/* CLOCK_MONOTONIC now, and what is to be added to it for the time of day, ns. */
uint64_t lkst_monotonic_ns(void);
uint64_t lkst_clock_offset_ns(void);

/* Compares times that may wrap: right as long as they are less than 292 years apart. */
static inline bool lkst_time_is_before(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

static inline bool lkst_time_is_after(uint64_t a, uint64_t b)
{
	return lkst_time_is_before(b, a);
}

/* How long ago @then was at @now; 0 if another CPU noted @then only after @now was read. */
static inline uint64_t lkst_time_since(uint64_t now, uint64_t then)
{
	return lkst_time_is_before(then, now) ? now - then : 0;
}

enum lkst_time_form {
	LKST_TIME_DAY,	   /* 12:14:05.123456789, in the reader's time zone */
	LKST_TIME_DATE,	   /* 2026-11-21 12:14:05.123456789, in the reader's time zone */
	LKST_TIME_UTC,	   /* 2026-11-21T12:14:05.123456789Z */
	LKST_TIME_SECONDS, /*      434.123456789, aligned with LKST_TIME_DAY */
	LKST_TIME_PLAIN,   /* 434.123456789 */
};

enum {
	LKST_TIME_SECOND_TEXT = 40,
	/* What lkst_put_time() may write. */
	LKST_TIME_ROOM = 64,
};

/* Prints times; remembers the text of the last second, since the next time is likely in it. */
struct lkst_time_text {
	enum lkst_time_form form;
	uint64_t offset_ns; /* added to each time before it is printed; may stand for less than 0 */
	uint64_t second_ns; /* the remembered second, offset added */
	unsigned int length;
	char text[LKST_TIME_SECOND_TEXT];
};

/* @offset_ns: such that the printed time is the given one plus it, modulo 2^64. */
void lkst_time_text_init(struct lkst_time_text *t, enum lkst_time_form form, uint64_t offset_ns);

/*
 * Writes @ns at @p with @digits (1 to 9) of the second's fraction, cut, and returns the end. In the
 * forms of seconds a time before the offset's zero is negative.
 */
char *lkst_put_time(char *p, struct lkst_time_text *t, uint64_t ns, unsigned int digits);

/* What a time that a user gives may refer to: a trace's first and last time, and its clock. */
struct lkst_time_range {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t clock_offset_ns;  /* time of day = CLOCK_MONOTONIC + this */
};

/*
 * Reads a point in time:
 *   12:14:05.5            time of day, in the reader's time zone; the first such in the trace
 *   2026-11-21 12:14:05   with the date; "T" may stand for the blank
 *   @1234.5               seconds of CLOCK_MONOTONIC
 *   +1.5s                 so much after the trace's first record
 *   -200ms                so much before its last
 */
int lkst_time_parse(struct lkst_err *e, const char *text, const struct lkst_time_range *range,
		    uint64_t *ret_ns);

#endif
