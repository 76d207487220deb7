/* SPDX-License-Identifier: GPL-2.0-only */
/* Which call restart_syscall goes on with (bpf/where.h). */
#ifndef LKST_LIVE_PROGRAMS_RESTARTS_H
#define LKST_LIVE_PROGRAMS_RESTARTS_H

#include "abi/program.h"
#include "base/err.h"

/*
 * Asks the kernel where the functions are by which it goes on with a call, and fills restart_call and what belongs to
 * it of @cfg. On failure, as where the kernel does not tell where it is, restart_call is 0, and the call is recorded by
 * the name that it then has.
 */
int lkst_restarts_find(struct lkst_err *e, struct lkst_program_config *cfg);

#endif
