/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes and durations as people write and read them. */
#include "base/size.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NS_PER_S 1000000000ULL

struct size_unit {
	const char *name;
	uint64_t value;
};

static const struct size_unit size_units[] = {
	{ "", 1 },	     { "K", 1ULL << 10 }, { "M", 1ULL << 20 },
	{ "G", 1ULL << 30 }, { "T", 1ULL << 40 },
};

static const struct size_unit duration_units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", NS_PER_S },
	{ "m", 60 * NS_PER_S },
	{ "min", 60 * NS_PER_S },
	{ "h", 3600 * NS_PER_S },
};

enum {
	FRACTION_DIGITS = 9, /* further ones are ignored */
	NR_SIZE_UNITS = sizeof(size_units) / sizeof(size_units[0]),
	NR_DURATION_UNITS = sizeof(duration_units) / sizeof(duration_units[0]),
};

static int size_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads the digits of a fraction as so many thousand millionths. */
static uint64_t parse_fraction(const char **text)
{
	uint64_t fraction = 0;
	int i;

	for (i = 0; i < FRACTION_DIGITS; i++)
		fraction = fraction * 10 + (size_is_digit(**text) ? (uint64_t)(*(*text)++ - '0') : 0);
	while (size_is_digit(**text))
		(*text)++;
	return fraction;
}

int lkst_decimal_parse(const char **text, uint64_t unit, uint64_t *ret_value)
{
	uint64_t value = 0, fraction = 0, part;
	const char *p = *text;

	if (!size_is_digit(*p))
		return -EINVAL;
	for (; size_is_digit(*p); p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return -ERANGE;
	if (*p == '.') {
		p++;
		if (!size_is_digit(*p))
			return -EINVAL;
		fraction = parse_fraction(&p);
	}
	/* fraction * unit / 10^9 in two parts, neither of which overflows. */
	part = fraction * (unit / NS_PER_S) + fraction * (unit % NS_PER_S) / NS_PER_S;
	if (__builtin_mul_overflow(value, unit, &value) ||
	    __builtin_add_overflow(value, part, &value))
		return -ERANGE;
	*text = p;
	*ret_value = value;
	return 0;
}

/* Where the number ends and the unit begins; NULL: there is no number. */
static const char *size_skip_number(const char *text)
{
	const char *p = text;

	while (size_is_digit(*p) || *p == '.')
		p++;
	return size_is_digit(*text) ? p : NULL;
}

/* The text's whole number, times the value of a unit that the caller has found after it. */
static int parse_scaled(struct lkst_err *e, const char *text, const char *unit_at, uint64_t unit,
			const char *what, uint64_t *ret_value)
{
	const char *p = text;
	uint64_t value;
	int err = lkst_decimal_parse(&p, unit, &value);

	if (err == -ERANGE)
		return lkst_err_set(e, err, "\"%s\" is too large", text);
	if (err || p != unit_at)
		return lkst_err_set(e, -EINVAL, "\"%s\" is not a %s: the number is malformed", text,
				    what);
	*ret_value = value;
	return 0;
}

/* Whether the letters after a size's number name @unit: "k", "K", "KB", "KiB". */
static int is_size_unit(const char *letters, const struct size_unit *unit)
{
	size_t length = strlen(unit->name);

	if (strncasecmp(letters, unit->name, length))
		return 0;
	letters += length;
	return !*letters || !strcasecmp(letters, "B") || (length && !strcasecmp(letters, "iB"));
}

int lkst_size_parse(struct lkst_err *e, const char *text, uint64_t *ret_bytes)
{
	const char *letters = size_skip_number(text);
	int i;

	for (i = 0; letters && i < NR_SIZE_UNITS; i++)
		if (is_size_unit(letters, &size_units[i]))
			return parse_scaled(e, text, letters, size_units[i].value, "size",
					    ret_bytes);
	return lkst_err_set(e, -EINVAL,
			    "\"%s\" is not a size: write bytes, or a number with K, M, G or T, "
			    "as in 64K or 1.5G",
			    text);
}

int lkst_duration_parse(struct lkst_err *e, const char *text, uint64_t *ret_ns)
{
	const char *letters = size_skip_number(text);
	int i;

	if (!strcmp(text, "0")) {
		*ret_ns = 0;
		return 0;
	}
	for (i = 0; letters && i < NR_DURATION_UNITS; i++)
		if (!strcmp(letters, duration_units[i].name))
			return parse_scaled(e, text, letters, duration_units[i].value, "duration",
					    ret_ns);
	return lkst_err_set(e, -EINVAL,
			    "\"%s\" is not a duration: write a number with ns, us, ms, s, m or h, "
			    "as in 5s or 200ms",
			    text);
}

void lkst_size_format(uint64_t bytes, char ret_text[LKST_SIZE_TEXT])
{
	static const char letters[] = "KMGTPE";
	unsigned int i = 0, tenths;
	uint64_t unit = 1024;

	if (bytes < 1024) {
		snprintf(ret_text, LKST_SIZE_TEXT, "%u byte%s", (unsigned int)bytes,
			 bytes == 1 ? "" : "s");
		return;
	}
	/* What would be rounded to 1024 of a unit is 1 of the next. */
	while (letters[i + 1] && bytes / unit >= 1023 &&
	       (bytes / unit >= 1024 || bytes % unit >= unit - unit / 20)) {
		unit *= 1024;
		i++;
	}
	tenths = (unsigned int)((bytes % unit * 10 + unit / 2) / unit);
	if (bytes % unit)
		snprintf(ret_text, LKST_SIZE_TEXT, "%u.%u %ciB",
			 (unsigned int)(bytes / unit) + tenths / 10, tenths % 10, letters[i]);
	else
		snprintf(ret_text, LKST_SIZE_TEXT, "%u %ciB", (unsigned int)(bytes / unit),
			 letters[i]);
}

void lkst_duration_format(uint64_t ns, char ret_text[LKST_DURATION_TEXT])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	uint64_t s = ns / NS_PER_S;
	double value = (double)ns;
	unsigned int i = 0;

	if (ns < 1000) {
		snprintf(ret_text, LKST_DURATION_TEXT, "%u ns", (unsigned int)ns);
	} else if (s < 60) {
		/* 999.5 of a unit would be printed as 1000 of it. */
		for (; value >= 999.5 && i < 3; i++)
			value /= 1000;
		snprintf(ret_text, LKST_DURATION_TEXT, "%.*f %s",
			 value < 9.995	 ? 2
			 : value < 99.95 ? 1
					 : 0,
			 value, units[i]);
	} else if (s < 3600) {
		snprintf(ret_text, LKST_DURATION_TEXT, "%u min %u s", (unsigned int)(s / 60),
			 (unsigned int)(s % 60));
	} else {
		snprintf(ret_text, LKST_DURATION_TEXT, "%llu h %u min",
			 (unsigned long long)(s / 3600), (unsigned int)(s % 3600 / 60));
	}
}
