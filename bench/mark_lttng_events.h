/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of LTTng-UST with the fields of the marks that they are compared with. Read several times: lttng-ust(3). */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER lkst_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/mark_lttng_events.h"

#if !defined(LKST_BENCH_MARK_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LKST_BENCH_MARK_LTTNG_EVENTS_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(lkst_bench, mark, LTTNG_UST_TP_ARGS(const char *, name, uint64_t, id),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, id, id)
						       lttng_ust_field_string(name, name)))

LTTNG_UST_TRACEPOINT_EVENT(lkst_bench, commit,
			   LTTNG_UST_TP_ARGS(uint64_t, id, uint32_t, pages, const char *, path),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, id, id)
						       lttng_ust_field_integer(uint32_t, pages, pages)
							       lttng_ust_field_string(path, path)))

#endif

#include <lttng/tracepoint-event.h>
