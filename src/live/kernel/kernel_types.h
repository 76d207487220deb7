/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel offers: its type information, and whether a hook has the argument
 * types that a program was written for.
 */
#ifndef LKST_LIVE_KERNEL_KERNEL_TYPES_H
#define LKST_LIVE_KERNEL_KERNEL_TYPES_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

struct btf;
struct lkst_kernel;

/* For _cleanup_(): types of libbpf, the kernel's or those of a program. */
void lkst_btf_freep(struct btf **btf);

/*
 * Loads the kernel's BTF. @btf_file NULL: the running kernel's; a test may name a file instead.
 * -ENOENT: the kernel has none.
 */
int lkst_kernel_open(struct lkst_err *e, const char *btf_file, struct lkst_kernel **ret_kernel);

/*
 * The same of a kernel that runs elsewhere, or nowhere: @file is what it has as /sys/kernel/btf/vmlinux, or its ELF
 * file, and need not be trusted. -EINVAL: it is something else, which @e tells.
 */
int lkst_kernel_open_elsewhere(struct lkst_err *e, const char *file, struct lkst_kernel **ret_kernel);
void lkst_kernel_close(struct lkst_kernel *k);
LKST_GUARD(lkst_kernel_close, struct lkst_kernel)

/* Its types, which it keeps. Each has a name that can be read. */
const struct btf *lkst_kernel_btf(const struct lkst_kernel *k);

/* The id of the BTF type that programs of tracepoint @name are loaded for; -ENOENT: there is none. */
int lkst_kernel_find_tracepoint(const struct lkst_kernel *k, const char *name);

/*
 * Compares the arguments of tracepoint @name with @types, as events.def writes them. 0: they fit.
 * -ENOENT: the kernel has no such tracepoint. -EPROTOTYPE: they differ; @e says where.
 */
int lkst_kernel_check_tracepoint(struct lkst_err *e, const struct lkst_kernel *k, const char *name,
				 const char *types);

/* The same for a function that a kprobe may be set on. */
int lkst_kernel_check_function(struct lkst_err *e, const struct lkst_kernel *k, const char *name,
			       const char *types);

/* True if the kernel knows a function of this name. */
bool lkst_kernel_has_function(const struct lkst_kernel *k, const char *name);

/* True if the kernel has a struct @name with a member @member. */
bool lkst_kernel_has_member(const struct lkst_kernel *k, const char *name, const char *member);

/* True if the kernel's enum @name has a value @value, by whatever name but one that says that it is the end (MAX). */
bool lkst_kernel_has_enum_value(const struct lkst_kernel *k, const char *name, s64 value);

/* Where variable @name lies among those of its CPU, in bytes. -ENOENT: the types do not have it. */
int lkst_kernel_find_percpu(const struct lkst_kernel *k, const char *name, u32 *ret_offset);

/*
 * Where member @member of struct @name lies, in bytes; it may be in a struct or union without a name. -ENOENT: there is
 * none.
 */
int lkst_kernel_find_member(const struct lkst_kernel *k, const char *name, const char *member, u32 *ret_offset);

/* True if the running kernel was built with kprobes. */
bool lkst_kernel_has_kprobes(void);

/* The same of @k; of one that runs elsewhere by its types. */
bool lkst_kernel_lets_hook_functions(const struct lkst_kernel *k);

/*
 * True if the kernel is one for real time (PREEMPT_RT). There a timer's program may be preempted, which one
 * that writes records may not be; and the kernel lets no program use timers (kernel/bpf/verifier.c).
 */
bool lkst_kernel_is_realtime(void);

/*
 * True if the kernel can keep a cost limit. Of what its controller takes, bpf_loop() is the youngest (Linux 5.17), and
 * is asked for; it also takes timers, which one for real time does not have.
 */
bool lkst_kernel_can_limit(void);

/*
 * True if programs may copy kernel memory by address (bpf_probe_read_kernel). They may not under
 * lockdown=confidentiality; reading fields of typed pointers is not touched by that.
 */
bool lkst_kernel_lets_read_memory(void);

#endif
