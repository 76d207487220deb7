/* SPDX-License-Identifier: GPL-2.0-only */
/* The rival of marks: events of LTTng-UST, where that is installed (LKST_BENCH_LTTNG). */
#ifndef LKST_BENCH_MARK_LTTNG_H
#define LKST_BENCH_MARK_LTTNG_H

#include <stdbool.h>

/* Whether a session of LTTng records them now. */
bool bench_lttng_is_on(void);

/* So many of the same as lkst_mark("commit", i), and as an event with the three fields of bench/mark.c. */
void bench_lttng_mark(unsigned int calls);
void bench_lttng_fields(unsigned int calls);

#endif
