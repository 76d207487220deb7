/* SPDX-License-Identifier: GPL-2.0-only */
/* The program of an injection (src/bpf/inject.bpf.c), loaded. */
#ifndef LKST_LIVE_INJECT_INJECTION_LOAD_H
#define LKST_LIVE_INJECT_INJECTION_LOAD_H

#include "live/inject/injection_place.h"

struct bpf_object;

/*
 * Loads the program for @plan and @place, which shares the maps of the pinned recording. The caller closes the object,
 * and with it the descriptor. -ENOTSUP: the kernel is too old for it; -EACCES: it rejects the program.
 */
int lkst_injection_load(struct lkst_err *e, const struct lkst_injection_plan *plan,
			const struct lkst_injection_place *place, struct bpf_object **ret_object,
			int *ret_program_fd);

#endif
