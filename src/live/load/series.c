/* SPDX-License-Identifier: GPL-2.0-only */
/* What the rounds of a measurement took. */
#include "live/load/series.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of all in order of size, the one that so many quarters are before. */
static double after_quarters(const struct lkst_series *s, unsigned int quarters)
{
	struct lkst_series sorted = *s;

	qsort(sorted.value, sorted.nr, sizeof(sorted.value[0]), by_size);
	return sorted.nr ? sorted.value[sorted.nr * quarters / 4] : 0;
}

void lkst_series_add(struct lkst_series *s, double value)
{
	if (s->nr < LKST_SERIES_MAX)
		s->value[s->nr++] = value;
}

double lkst_series_median(const struct lkst_series *s)
{
	return after_quarters(s, 2);
}

double lkst_series_quarter(const struct lkst_series *s)
{
	return after_quarters(s, 1);
}

bool lkst_series_is_chance(double ns, const struct lkst_series *s)
{
	double width = after_quarters(s, 3) - after_quarters(s, 1);

	return ns <= 0 || ns * ns * s->nr < width * width;
}
