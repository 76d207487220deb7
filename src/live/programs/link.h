/* SPDX-License-Identifier: GPL-2.0-only */
/* The object of a user handler, linked with the recorder's own programs and loaded into the kernel. */
#ifndef LKST_LIVE_PROGRAMS_LINK_H
#define LKST_LIVE_PROGRAMS_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"

struct bpf_object;

/*
 * Links the object file @file with @size bytes of @programs, an object that is built into this program, and opens the
 * result. The caller closes it by bpf_object__close(). @is_floor: they are of the second build (floor.h).
 */
int lkst_link_open(struct lkst_err *e, const char *file, const void *programs, size_t size, bool is_floor,
		   struct bpf_object **ret_object);

/*
 * Loads what is chosen of it. -EACCES: the verifier rejects it; the text has the line of the handler's
 * source, if that is known, and the reason.
 */
int lkst_link_load(struct lkst_err *e, struct bpf_object *object);

/* The same for a verifier's log alone: what to tell the user. */
void lkst_link_explain(struct lkst_err *e, const char *log);

/*
 * True if @log says that the program calls a global function where only static ones may be called: with
 * preemption off, from Linux 6.10 to 6.14 (kernel/bpf/verifier.c, check_func_call()).
 */
bool lkst_link_wants_static(const char *log);

#endif
