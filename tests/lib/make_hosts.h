/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces of several hosts for tests, whose clocks are known to be wrong by so much. The times in their text are the
 * true ones, since a moment that is the same for all.
 */
#ifndef LKST_TESTS_MAKE_HOSTS_H
#define LKST_TESTS_MAKE_HOSTS_H

#include "hosts/reading.h"
#include "lib/make_trace.h"

/* What the time of day was at the true time 0. */
#define MAKE_HOSTS_DAY 1700000000000000000LL

/*
 * The trace of host @name at @dir/@name. Its time of day is ahead of the truth by @skew_ns; its monotonic clock began
 * @boot_ns before the true time 0.
 */
void make_host(const char *dir, const char *name, s64 skew_ns, u64 boot_ns, const char *text);

/* Opens the traces @names of @dir, which a NULL ends. 0 or a negative errno; @e has the sentence. */
int make_hosts_open(struct lkst_err *e, const char *dir, const char *const *names,
		    struct lkst_reading *ret_reading);

#endif
