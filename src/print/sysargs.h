/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments and results of system calls as text, by what the table says they mean: names of flags
 * and operations spelled as the kernel's headers do. One value at a time: an argument whose meaning
 * depends on another one is a number.
 */
#ifndef LKST_PRINT_SYSARGS_H
#define LKST_PRINT_SYSARGS_H

#include "abi/syscalls.h"

enum {
	LKST_SYSARG_ROOM = 512, /* what printing one value may take */
};

/*
 * Prints @value, an argument of that @meaning (enum lkst_sys_meaning): "O_RDWR|O_CLOEXEC",
 * "AT_FDCWD", "NULL". A signed one comes sign-extended. Returns the end; writes no NUL.
 */
char *lkst_put_sysarg(char *p, u8 meaning, u64 value);

/*
 * Prints a result: "3", "0x7f0000000000", "-1 ENOENT (No such file or directory)", and "?" with the
 * reason where the caller sees no result of this call.
 */
char *lkst_put_sysresult(char *p, u8 meaning, s64 value);

#endif
