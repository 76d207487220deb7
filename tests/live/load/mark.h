/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mark in the trace: a system call that does nothing and that nobody else makes.
 */
#ifndef LKST_TESTS_MARK_H
#define LKST_TESTS_MARK_H

#include <sys/syscall.h>
#include <unistd.h>

#define LKST_MARK 0x4c4b5354 /* "LKST": no option of prctl(2) */

static inline void mark(unsigned long a, unsigned long b)
{
	syscall(SYS_prctl, LKST_MARK, a, b, 0, 0);
}

#endif
