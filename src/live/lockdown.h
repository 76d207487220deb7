/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading programs into a kernel that is locked down (lockdown=confidentiality). */
#ifndef LKST_LIVE_LOCKDOWN_H
#define LKST_LIVE_LOCKDOWN_H

#include "base/err.h"

/*
 * To be called before the programs are opened: from then on those of tracepoints keep their way of
 * reading a program's own memory, which the kernel allows and libbpf would take from them.
 */
int lkst_lockdown_keep_user_reads(struct lkst_err *e);

#endif
