/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe by an event of tracefs' kprobe_events, for what a perf event of its own can't be: one in a module, which may
 * go and come, and a return with a number of calls that may be in progress at once. The kernel arms such an event each
 * time the module comes, before anything of that runs (kernel/trace/trace_kprobe.c, trace_kprobe_module_callback()).
 * The event is lkst_probes/NAME there, and the program is attached to it. Unlike all else of a recording it does not
 * end with what uses it: it is removed by whoever sweeps next.
 */
#ifndef LKST_LIVE_HOOKS_PROBE_TRACEFS_H
#define LKST_LIVE_HOOKS_PROBE_TRACEFS_H

#include <stdbool.h>

#include "live/hooks/probe_row.h"

/* Whether @symbol, "MODULE:SYMBOL" or a symbol of the kernel itself, is in a module that is not loaded now. */
bool lkst_probe_tracefs_is_waiting(const char *symbol);

/* Whether this kernel can have such probes. -ENOTSUP: it can't, and the text says why. */
int lkst_probe_tracefs_check(struct lkst_err *e);

/* Attaches @program_fd at the place of @row. Returns a link, which the caller closes. */
int lkst_probe_tracefs_attach(struct lkst_err *e, const struct lkst_probe_row *row, int program_fd);

/* Removes the events that nothing is attached to any more; it may wait for a fifth of a second. */
void lkst_probe_tracefs_sweep(void);

#endif
