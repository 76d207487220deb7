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

/* Leaves out the programs of @object that kernel @k cannot have, as far as that is known before they are loaded. */
void lkst_floor_leave_out(const struct lkst_kernel *k, struct bpf_object *object, struct lkst_notes *notes);

/*
 * @err is why a handler or a probe could not be loaded: passed on, but with another sentence where no kernel of this
 * age has any, since both are linked with the first build. 0 stays 0.
 */
int lkst_floor_explain_handler(struct lkst_err *e, int err);
int lkst_floor_explain_probe(struct lkst_err *e, int err);

#endif
