/* SPDX-License-Identifier: GPL-2.0-only */
/* What the result of a system call says to the program that made it. */
#include "trace/known/call_result.h"

#include <string.h>

#include "abi/syscalls.h"

enum { ERRNO_MAX = 4095 }; /* include/linux/err.h: a result from -ERRNO_MAX to -1 is an error */

static const s16 restarts[] = {
#define ERRNO(number, name, text)
#define RESTART(number, name, text) -(number),
#include "base/errno.def"
#undef ERRNO
#undef RESTART
};

bool lkst_call_is_interrupted(s64 ret)
{
	unsigned int i;

	for (i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++)
		if (ret == restarts[i])
			return true;
	return false;
}

bool lkst_call_has_failed(s16 row, s64 ret)
{
	if (ret >= 0 || ret < -ERRNO_MAX || lkst_call_is_interrupted(ret))
		return false;
	if (row < 0)
		return true;
	switch (lkst_syscalls[row].result) {
	case LKST_SYS_retuid:
	case LKST_SYS_retreg:
	case LKST_SYS_retvoid:
		return false;
	default:
		return true;
	}
}

bool lkst_call_continues_another(s16 row)
{
	return row >= 0 && !strcmp(lkst_syscalls[row].name, "restart_syscall");
}
