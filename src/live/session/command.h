/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel does for user space while recording goes on: programs that are attached to nothing, and that
 * user space runs. Those that write records are of type raw tracepoint, which run with preemption off
 * (src/bpf/maskset.bpf.c says why).
 */
#ifndef LKST_LIVE_SESSION_COMMAND_H
#define LKST_LIVE_SESSION_COMMAND_H

#include "abi/symbol.h"
#include "live/session/session.h"

/*
 * Runs the program with @args, LKST_COMMAND_ARGS of them, on @cpu. Returns what it returns. -ENOENT: this
 * kernel rejected the program, -ENXIO: that CPU is not online; the caller decides what to do then.
 */
int lkst_command_run(struct lkst_err *e, const struct lkst_session *s, enum lkst_command command,
		     const u64 args[LKST_COMMAND_ARGS], int cpu);

/*
 * Has LKST_COMMAND_SYMBOL or LKST_COMMAND_CACHE answer @query. 0, or a negative errno: there is no answer.
 */
int lkst_command_ask(const struct lkst_session *s, enum lkst_command command,
		     struct lkst_symbol_query *query);

#endif
