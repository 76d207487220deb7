/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the built-in programs need of a kernel, told by its types alone: none is loaded, and the kernel need not run
 * here. The verifier has the last word, and is not asked.
 */
#ifndef LKST_LIVE_PROGRAMS_NEEDS_H
#define LKST_LIVE_PROGRAMS_NEEDS_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"

struct btf;
struct lkst_core_types;
struct lkst_needs;

/* ---- programs ---------------------------------------------------------------------------------- */

/* Reads the programs in the object file of @size bytes at @elf. Both it and @kernel stay until the end. */
int lkst_needs_open(struct lkst_err *e, const void *elf, size_t size, const struct btf *kernel,
		    struct lkst_needs **ret_needs);
void lkst_needs_close(struct lkst_needs *needs);
LKST_GUARD(lkst_needs_close, struct lkst_needs)

/*
 * Whether the kernel has what program @name reads and calls, wherever it may come by what the kernel has. 0: it has.
 * -ENOENT: @e says what it lacks, or that there is no such program.
 */
int lkst_needs_check(struct lkst_err *e, struct lkst_needs *needs, const char *name);

/* ---- one thing that a program names ------------------------------------------------------------ */

/*
 * A relocation of "compile once, run everywhere" (Documentation/bpf/llvm_reloc.rst), by the rules that libbpf loads
 * programs by (relo_core.c). What it would write into the instruction is not worked out.
 */

/* Sorts the types of @kernel by name. They must have names that can be read, and stay until the end. */
int lkst_core_types_new(struct lkst_err *e, const struct btf *kernel, struct lkst_core_types **ret_types);
void lkst_core_types_free(struct lkst_core_types *types);
LKST_GUARD(lkst_core_types_free, struct lkst_core_types)

/* True if @relo, of a program whose own types are @own, asks whether there is something: then nothing need be. */
bool lkst_core_is_question(const struct bpf_core_relo *relo);

/* True if the kernel has the type, field or enumerator that @relo names. */
bool lkst_core_is_there(const struct lkst_core_types *types, const struct btf *own, const struct bpf_core_relo *relo);

/* True if enumeration @name has @value in the kernel. */
bool lkst_core_has_value(const struct lkst_core_types *types, const char *name, const char *value);

/* Writes what @relo names, as "struct rq: cfs.throttled". */
void lkst_core_name(const struct btf *own, const struct bpf_core_relo *relo, char *text, size_t size);

#endif
