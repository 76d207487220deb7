/* SPDX-License-Identifier: GPL-2.0-only */
/* The rival of marks: events of LTTng-UST. */
#include "mark_lttng.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/mark_lttng_events.h"

bool bench_lttng_is_on(void)
{
	return lttng_ust_tracepoint_enabled(lkst_bench, mark);
}

void bench_lttng_mark(unsigned int calls)
{
	unsigned int i;

	for (i = 0; i < calls; i++)
		lttng_ust_tracepoint(lkst_bench, mark, "commit", i);
}

void bench_lttng_fields(unsigned int calls)
{
	unsigned int i;

	for (i = 0; i < calls; i++)
		lttng_ust_tracepoint(lkst_bench, commit, i, 7, "main.db");
}
