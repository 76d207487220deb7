/* SPDX-License-Identifier: GPL-2.0-only */
/* The program of a probe: put together from src/bpf/probe.bpf.c and what the probe was compiled to, and loaded. */
#ifndef LKST_LIVE_PROGRAMS_PROBE_LOAD_H
#define LKST_LIVE_PROGRAMS_PROBE_LOAD_H

#include <stdbool.h>

#include "live/hooks/probe_row.h"

struct lkst_probe_loading {
	struct lkst_own_pins *own; /* as live/hooks/pins.h has it */
	const char *event; /* "GROUP:EVENT" */
	const struct lkst_probe_row *row;
	u8 handler;	  /* whose program it is */
	const char *file; /* the handler's object; NULL: it is DEFAULT's */
	bool has_names;	  /* as struct lkst_handler_options has it */
};

/*
 * Loads the program, which shares the maps of the pinned recording. With DEFAULT's program comes the map of its CPUs,
 * which is pinned; the others use that. Returns a descriptor, which the caller closes. -EACCES: the kernel rejects the
 * program, and the text has its reason.
 */
int lkst_probe_load(struct lkst_err *e, const struct lkst_probe_loading *loading);

/*
 * Whether the kernel may preempt a program at a probe of a program's code. Such a program must prevent that by itself
 * (src/bpf/probe.bpf.c). -ENOTSUP: it can't, in this kernel; the text says so.
 */
int lkst_probe_check_preemption(struct lkst_err *e, bool *ret_is_preemptible);

/*
 * The same of a program that one link attaches at many functions (live/hooks/probe_places.h says why). A kernel that
 * can't prevent it does not preempt the program there.
 */
bool lkst_probe_multi_is_preemptible(void);

#endif
