/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of what a JIT compiler has made in a process, /tmp/perf-PID.map: "ADDRESS SIZE NAME" in hex, a line each
 * (tools/perf/Documentation/jit-interface.txt in the kernel's sources).
 */
#ifndef LKST_USERCODE_NAME_JIT_MAP_H
#define LKST_USERCODE_NAME_JIT_MAP_H

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

struct lkst_jit_map;

enum {
	LKST_JIT_MAP_BYTES = 64 << 20, /* of a list that are read */
	LKST_JIT_SYMBOLS_MAX = 1 << 20,
	LKST_JIT_NAME_MAX = 512,
};

/*
 * Opens the list of process @pid in @directory. As perf does, it takes only one of root or of the caller, and also
 * of the user of the process, if that still runs; and no link. -ENOENT: there is none of those; -ENOMEM.
 */
int lkst_jit_map_open(struct lkst_err *e, const char *directory, s32 pid,
		      struct lkst_jit_map **ret_map);

/* The same of @length bytes of text. -ENOMEM or 0. */
int lkst_jit_map_parse(const char *text, size_t length, struct lkst_jit_map **ret_map);

void lkst_jit_map_free(struct lkst_jit_map *m);
LKST_GUARD(lkst_jit_map_free, struct lkst_jit_map)

/* What @address lies in: of two, the one that was listed later. NULL: nothing. The name is any bytes. */
const char *lkst_jit_map_find(const struct lkst_jit_map *m, u64 address, u64 *ret_offset);

#endif
