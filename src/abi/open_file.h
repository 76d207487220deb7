/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the list of open files, bpf/open_files.bpf.c, has for user space: one after the other, each with its path. */
#ifndef LKST_ABI_OPEN_FILE_H
#define LKST_ABI_OPEN_FILE_H

#include "abi/types.h"

enum {
	/* Of a path, with its NUL: what a program's stack has room for. */
	LKST_OPEN_FILE_PATH = 400,
};

struct lkst_open_file {
	s32 pid, fd;
	u32 length; /* of the path that follows, with its NUL, at most LKST_OPEN_FILE_PATH; 0: it is longer */
};
_Static_assert(sizeof(struct lkst_open_file) == 12, "no holes");

#endif
