/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done to each program of a tracepoint just before it is loaded. */
#ifndef LKST_LIVE_PROGRAMS_TRACING_H
#define LKST_LIVE_PROGRAMS_TRACING_H

#include "base/cleanup.h"
#include "live/kernel/kernel_types.h"

struct lkst_tracing;

/*
 * To be called before the programs are opened, and ended when they are loaded. Programs get the id of their
 * tracepoint's type from @kernel, which must stay until then (NULL: it is opened here); libbpf would search
 * all types for each. Where the kernel is locked down (lockdown=confidentiality) they keep their helpers to read a
 * process's memory, which the kernel allows and libbpf would replace.
 */
int lkst_tracing_begin(struct lkst_err *e, const struct lkst_kernel *kernel,
		       struct lkst_tracing **ret_tracing);
void lkst_tracing_end(struct lkst_tracing *t);
LKST_GUARD(lkst_tracing_end, struct lkst_tracing)

#endif
