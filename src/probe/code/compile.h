/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A resolved probe, compiled: the event that its records are of, and the instructions of
 *
 *	u64 fetch(struct pt_regs *ctx, u8 *to);
 *
 * which fills a record from its 13th byte on, at @to: what follows the head. It returns 0 if the probe's condition
 * does not hold, else how many bytes it has filled; of a record of fixed size, 1. The program that it becomes a part
 * of is src/bpf/probe/probe.bpf.c. Every access to memory may fail, and then says so in the record.
 */
#ifndef LKST_PROBE_CODE_COMPILE_H
#define LKST_PROBE_CODE_COMPILE_H

#include "probe/code/fetch.h"

/* What the instructions are for. */
struct lkst_probe_target {
	enum lkst_machine machine;
	lkst_symbol_fn *find_symbol; /* NULL: there are none */
	void *ctx;
};

struct lkst_probe_code {
	struct lkst_layout layout; /* points to the probe, which stays the caller's */
	struct lkst_code code;
};

/*
 * Compiles @probe, which must stay until *@ret_code, for the caller to free(), is gone. -EINVAL: an argument, its
 * type or the condition makes no sense here; -ENOENT: there is no such symbol or field; -E2BIG: it is too long.
 */
int lkst_probe_compile(struct lkst_err *e, const struct lkst_probe *probe,
		       const struct lkst_probe_target *target, struct lkst_probe_code **ret_code);

#endif
