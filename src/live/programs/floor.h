/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second build of the kernel programs, for kernels that lack some of what the first one uses (bpf/compat.h). Both
 * have the same programs and maps; those of the second that an old kernel cannot have are left out, with a note.
 */
#ifndef LKST_LIVE_PROGRAMS_FLOOR_H
#define LKST_LIVE_PROGRAMS_FLOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/events.h"
#include "base/err.h"
#include "result/notes.h"

struct bpf_object;
struct lkst_kernel;

/* Whether kernel @k takes it. */
bool lkst_floor_is_needed(const struct lkst_kernel *k);

/* Whether what a CPU stores by kernel @k's programs may be seen in another order elsewhere (live/rings/rings.h). */
bool lkst_floor_is_unordered(const struct lkst_kernel *k);

/* The object file, as it was built in. */
const void *lkst_floor_elf(size_t *ret_size);

/* Whether kernel @k has events that hook a function. */
bool lkst_floor_has_functions(const struct lkst_kernel *k);

/* Leaves out the programs of @object that kernel @k cannot have, as far as that is known before they are loaded. */
void lkst_floor_leave_out(const struct lkst_kernel *k, struct bpf_object *object, struct lkst_notes *notes);

/*
 * The object file in memory @elf, @size bytes, is a handler that was linked with the second build. Kernels from before
 * Linux 5.12 refuse a program that has any atomic operation but the addition without a result, even where it is not
 * reached. Each becomes the call of a helper that no kernel has, which is refused only where it is reached.
 */
void lkst_floor_replace_atomics(void *elf, size_t size);

/*
 * Whether a handler may have a program at the hook of @kind at @target, if the second build records. Up to Linux 5.10 a
 * program waits forever for the lock of a map that the one that it has stopped holds (20b6cc34ea74, Linux 5.11), so
 * that handlers stay away from what can happen there.
 */
bool lkst_floor_lets_handle(enum lkst_hook_kind kind, const char *target);

/*
 * @err is why the verifier rejects a handler: passed on, but with a sentence about what the kernel lacks, if that is
 * the reason.
 */
int lkst_floor_explain_handler(struct lkst_err *e, int err);

/* The same for a probe, with another sentence where no kernel of this age has any. 0 stays 0. */
int lkst_floor_explain_probe(struct lkst_err *e, int err);

#endif
