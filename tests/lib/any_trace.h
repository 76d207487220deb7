/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For fuzz targets: a trace of any events with any values in any order. The bytes are records: event, CPU, thread, time
 * since the last one, and a byte for each field, of which a few stand for extreme values; or, for an event beyond the
 * last, a gap. Where the input ends, numbers made of it go on.
 */
#ifndef LKST_TESTS_ANY_TRACE_H
#define LKST_TESTS_ANY_TRACE_H

#include "fuzz/source.h"
#include "lib/make_trace.h"

/* Makes it in directory @dir, which is there and empty. */
void any_trace_make(const char *dir, struct source *in);

/* The same of one of several hosts, from 0 on: they are of different recordings and boots. */
void any_trace_make_host(const char *dir, struct source *in, u8 host);

#endif
