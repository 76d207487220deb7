/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of its probes: where it lets nobody set one, and how it gets to those that are set. */
#ifndef LKST_LIVE_PROBES_PROBE_KERNEL_H
#define LKST_LIVE_PROBES_PROBE_KERNEL_H

#include <stdbool.h>

#include "live/probes/probe_allowed.h"
#include "live/probes/probes.h"

enum { LKST_KERNEL_MODULE = 64 /* the kernel's MODULE_NAME_LEN */ };

/* The address of symbol @name of the kernel or a module (/proc/kallsyms). -ENOENT: there is none. @ctx is not used. */
int lkst_kernel_find_symbol(void *ctx, const char *name, u64 *ret_address);

/* Whether the kernel's own list (kprobes/blacklist in debugfs) has function @symbol. */
bool lkst_kernel_refuses_probe(const char *symbol);

/*
 * What the running kernel says of where it lets nobody set a probe: @texts keep what it is read from, and are freed
 * after it. NULL: no memory.
 */
struct lkst_kernel_texts {
	char *kallsyms, *blacklist;
};
struct lkst_probe_allowed *lkst_kernel_probe_allowed(struct lkst_kernel_texts *texts);
void lkst_kernel_texts_fini(struct lkst_kernel_texts *texts);

/*
 * The module that the place of @row is in, which is set (kprobes/list in debugfs); "": it is in the kernel itself, or
 * that is not known.
 */
void lkst_kernel_probe_module(const struct lkst_probe_row *row, char module[LKST_KERNEL_MODULE]);

/* How the kernel gets to the place of @row (kprobes/list in debugfs), which is attached and was hit @hits times. */
enum lkst_probe_backend lkst_kernel_probe_backend(const struct lkst_probe_row *row, u64 hits);

#endif
