/* SPDX-License-Identifier: GPL-2.0-only */
/* Times: reading clocks, printing times fast, and reading them as people write them. */
#include "base/time.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/out.h"
#include "base/size.h"

/* ---- clocks ---------------------------------------------------------------------------------- */

uint64_t lkst_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * LKST_NS_PER_S + t.tv_nsec;
}

uint64_t lkst_monotonic_ns(void)
{
	return lkst_clock_ns(CLOCK_MONOTONIC);
}

uint64_t lkst_clock_offset_ns(void)
{
	uint64_t best = UINT64_MAX, offset = 0;
	int i;

	/* The narrowest of a few readings: one may be interrupted between the clocks. */
	for (i = 0; i < 8; i++) {
		uint64_t before = lkst_clock_ns(CLOCK_MONOTONIC),
			 day = lkst_clock_ns(CLOCK_REALTIME);
		uint64_t width = lkst_clock_ns(CLOCK_MONOTONIC) - before;

		if (width < best) {
			best = width;
			offset = day - before - width / 2;
		}
	}
	return offset;
}

/* ---- printing -------------------------------------------------------------------------------- */

void lkst_time_text_init(struct lkst_time_text *t, enum lkst_time_form form, uint64_t offset_ns)
{
	t->form = form;
	t->offset_ns = offset_ns;
	t->second_ns = 0;
	t->length = 0; /* nothing is remembered */
}

/* A calendar's text of a second since 1970, or the bare number where no calendar goes that far. */
static size_t format_calendar(const struct lkst_time_text *t, char *text, uint64_t second)
{
	static const char *const formats[] = {
		[LKST_TIME_DAY] = "%H:%M:%S",
		[LKST_TIME_DATE] = "%Y-%m-%d %H:%M:%S",
		[LKST_TIME_UTC] = "%Y-%m-%dT%H:%M:%S",
	};
	time_t time = (time_t)second;
	struct tm tm;
	size_t length = 0;

	if ((uint64_t)time == second &&
	    (t->form == LKST_TIME_UTC ? gmtime_r(&time, &tm) : localtime_r(&time, &tm)))
		length = strftime(text, LKST_TIME_SECOND_TEXT, formats[t->form], &tm);
	return length ? length : (size_t)(lkst_put_u64(text, second) - text);
}

static char *time_put_seconds(const struct lkst_time_text *t, char *p, uint64_t second, bool is_negative)
{
	char digits[24], *end = digits;

	if (is_negative)
		*end++ = '-';
	end = lkst_put_u64(end, second);
	/* The width of hh:mm:ss. */
	if (t->form == LKST_TIME_SECONDS)
		for (long i = end - digits; i < 8; i++)
			*p++ = ' ';
	return lkst_put_mem(p, digits, (size_t)(end - digits));
}

static void time_remember(struct lkst_time_text *t, uint64_t value_ns)
{
	uint64_t second = value_ns / LKST_NS_PER_S;

	t->second_ns = second * LKST_NS_PER_S;
	if (t->form <= LKST_TIME_UTC)
		t->length = (unsigned int)format_calendar(t, t->text, second);
	else
		t->length = (unsigned int)(time_put_seconds(t, t->text, second, false) - t->text);
}

static char *put_fraction(char *p, uint64_t ns, unsigned int digits)
{
	/* All nine are written and the last ones given up: LKST_TIME_ROOM allows for it. */
	*p++ = '.';
	lkst_put_digits(p, ns, 9);
	return p + digits;
}

char *lkst_put_time(char *p, struct lkst_time_text *t, uint64_t ns, unsigned int digits)
{
	uint64_t value = ns + t->offset_ns;

	assert(digits >= 1 && digits <= 9);
	if (t->form >= LKST_TIME_SECONDS && (int64_t)value < 0) {
		value = 0 - value;
		p = time_put_seconds(t, p, value / LKST_NS_PER_S, true);
		return put_fraction(p, value % LKST_NS_PER_S, digits);
	}
	if (!t->length || value - t->second_ns >= LKST_NS_PER_S)
		time_remember(t, value);
	p = lkst_put_mem(p, t->text, t->length);
	p = put_fraction(p, value - t->second_ns, digits);
	if (t->form == LKST_TIME_UTC)
		*p++ = 'Z';
	return p;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads @n digits at *@text as a number of at most @max. */
static bool parse_digits(const char **text, unsigned int n, int max, int *ret_value)
{
	int value = 0;

	for (; n; n--, (*text)++) {
		if (**text < '0' || **text > '9')
			return false;
		value = value * 10 + (**text - '0');
	}
	*ret_value = value;
	return value <= max;
}

static bool time_skip(const char **text, char c)
{
	if (**text != c)
		return false;
	(*text)++;
	return true;
}

/* What stands behind a time: where it counts from. */
struct zone {
	bool is_known; /* else it is this machine's */
	int east_s;    /* what to take off for UTC */
};

/* Reads nothing, "Z", "+hh", "+hhmm" or "+hh:mm", or the same with '-', to the end of the text. */
static bool parse_zone(const char *text, struct zone *ret_zone)
{
	const bool is_west = *text == '-';
	int hours = 0, minutes = 0;

	*ret_zone = (struct zone){ .is_known = *text };
	if (!*text)
		return true;
	if (time_skip(&text, 'Z'))
		return !*text;
	if (!time_skip(&text, is_west ? '-' : '+') || !parse_digits(&text, 2, 14, &hours))
		return false;
	if ((time_skip(&text, ':') || *text) && !parse_digits(&text, 2, 59, &minutes))
		return false;
	ret_zone->east_s = (is_west ? -1 : 1) * (hours * 60 + minutes) * 60;
	return !*text;
}

/* Reads "hh:mm", "hh:mm:ss" or "hh:mm:ss.fraction", and the zone behind it, to the end of the text. */
static bool parse_day(const char *text, struct tm *tm, uint64_t *ret_fraction_ns, struct zone *ret_zone)
{
	*ret_fraction_ns = 0;
	tm->tm_sec = 0;
	if (!parse_digits(&text, 2, 23, &tm->tm_hour) || !time_skip(&text, ':') ||
	    !parse_digits(&text, 2, 59, &tm->tm_min))
		return false;
	if (time_skip(&text, ':')) {
		/* A whole second and a fraction are read apart, so that 60, a leap second, is fine. */
		if (!parse_digits(&text, 2, 60, &tm->tm_sec))
			return false;
		if (*text == '.') {
			char digits[32];
			const char *p = digits;

			const size_t length = 1 + strspn(text + 1, "0123456789");

			if (snprintf(digits, sizeof(digits), "0%.*s", (int)length, text) >= (int)sizeof(digits) ||
			    lkst_decimal_parse(&p, LKST_NS_PER_S, ret_fraction_ns) || *p)
				return false;
			text += length;
		}
	}
	return parse_zone(text, ret_zone);
}

/* Reads "yyyy-mm-dd" and the blank or T after it, and moves *@text there. */
static bool parse_date(const char **text, struct tm *tm)
{
	const char *p = *text;

	if (!parse_digits(&p, 4, 9999, &tm->tm_year) || !time_skip(&p, '-') ||
	    !parse_digits(&p, 2, 12, &tm->tm_mon) || !time_skip(&p, '-') ||
	    !parse_digits(&p, 2, 31, &tm->tm_mday) || !tm->tm_mon || !tm->tm_mday)
		return false;
	if (!time_skip(&p, ' ') && !time_skip(&p, 'T'))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	*text = p;
	return true;
}

/* Calendar time as CLOCK_MONOTONIC; what lies before it began is 0, what it never reaches the greatest. */
static uint64_t to_monotonic(const struct tm *tm, const struct zone *zone, uint64_t fraction_ns,
			     uint64_t clock_offset_ns)
{
	struct tm copy = *tm;
	uint64_t ns;
	time_t time;

	copy.tm_isdst = zone->is_known ? 0 : -1;
	time = zone->is_known ? timegm(&copy) - zone->east_s : mktime(&copy);
	if (time < 0)
		return 0;
	if (__builtin_mul_overflow((uint64_t)time, LKST_NS_PER_S, &ns) ||
	    __builtin_add_overflow(ns, fraction_ns, &ns))
		return UINT64_MAX;
	return ns > clock_offset_ns ? ns - clock_offset_ns : 0;
}

static bool parse_calendar(const char *text, const struct lkst_time_range *range, uint64_t *ret_ns)
{
	uint64_t fraction_ns, ns, next_ns;
	bool has_date = strchr(text, '-') != NULL;
	time_t begin = (time_t)((range->begin_ns + range->clock_offset_ns) / LKST_NS_PER_S);
	struct zone zone;
	struct tm tm;

	if (!localtime_r(&begin, &tm))
		return false;
	if (has_date && !parse_date(&text, &tm))
		return false;
	if (!parse_day(text, &tm, &fraction_ns, &zone) || (zone.is_known && !has_date))
		return false;
	ns = to_monotonic(&tm, &zone, fraction_ns, range->clock_offset_ns);
	if (!has_date && ns < range->begin_ns) {
		/* Recorded over midnight, the trace may hold that time of the next day. */
		tm.tm_mday++;
		next_ns = to_monotonic(&tm, &zone, fraction_ns, range->clock_offset_ns);
		if (next_ns <= range->end_ns)
			ns = next_ns;
	}
	*ret_ns = ns;
	return true;
}

static int parse_relative(struct lkst_err *e, const char *text, const struct lkst_time_range *range,
			  uint64_t *ret_ns)
{
	uint64_t ns;
	int err = lkst_duration_parse(e, text + 1, &ns);

	if (err)
		return err;
	if (*text == '+')
		*ret_ns = ns > UINT64_MAX - range->begin_ns ? UINT64_MAX : range->begin_ns + ns;
	else
		*ret_ns = ns > range->end_ns ? 0 : range->end_ns - ns;
	return 0;
}

int lkst_time_parse(struct lkst_err *e, const char *text, const struct lkst_time_range *range,
		    uint64_t *ret_ns)
{
	const char *p = text + 1;
	uint64_t ns;

	if (*text == '+' || *text == '-')
		return parse_relative(e, text, range, ret_ns);
	if (*text == '@' && !lkst_decimal_parse(&p, LKST_NS_PER_S, &ns) && !*p) {
		*ret_ns = ns;
		return 0;
	}
	if (*text != '@' && parse_calendar(text, range, ret_ns))
		return 0;
	return lkst_err_set(
		e, -EINVAL,
		"\"%s\" is not a time: write 12:14:05.5, \"2026-11-21 12:14:05\", @SECONDS "
		"of the monotonic clock, +1.5s from the trace's start or -2s from its end",
		text);
}
