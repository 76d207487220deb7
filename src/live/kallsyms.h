/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own list of its functions, /proc/kallsyms: the core's, the modules' and those of BPF
 * programs. Who must not know where the kernel lies sees no address in it, and then it is empty here
 * (kallsyms_show_value(), kernel/ksyms_common.c).
 */
#ifndef LKST_LIVE_KALLSYMS_H
#define LKST_LIVE_KALLSYMS_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

struct lkst_kallsyms;

struct lkst_kernel_symbol {
	u64 address;
	u32 bytes;
	bool is_fleeting; /* of a BPF program or a trampoline, in whose place another may be soon */
	const char *name; /* valid as long as the list */
};

/* Reads it, in some tens of milliseconds, to some 15 MB of memory. -ENOMEM. */
int lkst_kallsyms_read(struct lkst_err *e, struct lkst_kallsyms **ret_list);
void lkst_kallsyms_free(struct lkst_kallsyms *k);

/* False if modules have come or gone since it was read. */
bool lkst_kallsyms_is_current(const struct lkst_kallsyms *k);

/* The function that @address lies in. */
bool lkst_kallsyms_find(const struct lkst_kallsyms *k, u64 address,
			struct lkst_kernel_symbol *ret_symbol);

#endif
