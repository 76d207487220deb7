/* SPDX-License-Identifier: GPL-2.0-only */
/* Whoever finds names of user code for a command. A page in a browser has nobody (src/web/module.c). */
#ifndef LKST_CMD_READERS_CODE_NAMING_H
#define LKST_CMD_READERS_CODE_NAMING_H

#include "usercode/space/code_name.h"

/*
 * @ret_namer finds names in the binaries and debug files of this machine, and in the lists of JIT compilers if @t
 * is of a recording since this machine has booted. Its `find` is NULL where nothing can; -ENOMEM.
 */
int lkst_code_naming_begin(struct lkst_err *e, const struct lkst_trace *t,
			   struct lkst_code_namer *ret_namer);
void lkst_code_naming_end(struct lkst_code_namer *namer);

#endif
