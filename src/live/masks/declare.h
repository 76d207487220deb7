/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that a user handler declares (LKST_EVENT() in src/bpf/handler.h): from the types in its object
 * to the recording's catalogue, where readers of the recording find them.
 */
#ifndef LKST_LIVE_MASKS_DECLARE_H
#define LKST_LIVE_MASKS_DECLARE_H

#include <bpf/libbpf.h>

#include "abi/handler.h"
#include "live/session/session.h"

/*
 * Declares the events of @object, which is not loaded yet, as @handler.<name>, and writes the ids that they
 * get into it. -EINVAL: one has a field that can't be recorded; the text says which. Events stay declared
 * when the handler is unloaded, since there may be records of them.
 */
int lkst_declare_events(struct lkst_err *e, struct lkst_session *s, struct bpf_object *object,
			const char *handler);

/* Calls @each for every event that handler @number declares, until it returns other than 0. */
int lkst_declared_each(struct lkst_err *e, const struct lkst_session *s, u8 number,
		       int (*each)(void *ctx, const struct lkst_own_event *event), void *ctx);

#endif
