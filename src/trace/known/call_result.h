/* SPDX-License-Identifier: GPL-2.0-only */
/* What the result of a system call says: an error of the program's, or something that only the kernel sees. */
#ifndef LKST_TRACE_KNOWN_CALL_RESULT_H
#define LKST_TRACE_KNOWN_CALL_RESULT_H

#include <stdbool.h>

#include "abi/types.h"

/*
 * Whether @ret is no result yet: a signal came, and the kernel begins the call again, goes on with it as
 * restart_syscall, or returns EINTR. The exit is recorded before it decides that.
 */
bool lkst_call_is_interrupted(s64 ret);

/*
 * Whether the program saw the call fail: @ret is an error, and not one by which the kernel starts the call again. @row
 * is its place in lkst_syscalls[], negative: none. A call that returns what a register held, as rt_sigreturn, or an id
 * of 32 bits never fails, whatever that number is.
 */
bool lkst_call_has_failed(s16 row, s64 ret);

/* Whether the call of @row is restart_syscall, by which the kernel goes on with the one that it interrupted. */
bool lkst_call_continues_another(s16 row);

#endif
