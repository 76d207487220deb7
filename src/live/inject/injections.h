/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Injections: functions that are made to fail. One is armed as long as the process that has armed it holds its
 * descriptors: neither program nor link is pinned, so that it ends with that process, however that ends. What is
 * pinned is the map with its state, beside the recording's pins in the BPF file system: by it all that are armed are
 * found and disarmed.
 */
#ifndef LKST_LIVE_INJECT_INJECTIONS_H
#define LKST_LIVE_INJECT_INJECTIONS_H

#include "live/inject/injection_place.h"
#include "live/session/session.h"

/* What the names of injections' events begin with. */
#define LKST_INJECTION_GROUP "inject:"

struct lkst_armed;

/*
 * Declares the event inject:FUNCTION in the running recording and arms @injection at @place. -ENOTSUP: this kernel
 * can't; the text says what it lacks. The recording is to be held by a turn meanwhile.
 */
int lkst_injection_arm(struct lkst_err *e, struct lkst_session *s,
		       const struct lkst_injection *injection,
		       const struct lkst_injection_place *place, struct lkst_armed **ret_armed);

/* Its counts, as they change; valid as long as it is armed. */
const struct lkst_injection_state *lkst_armed_state(const struct lkst_armed *a);

/* How often the kernel left its program out because it was running on that CPU already: such calls are not counted. */
u64 lkst_armed_missed(const struct lkst_armed *a);

/* Disarms it and frees all. */
void lkst_armed_free(struct lkst_armed *a);
LKST_GUARD(lkst_armed_free, struct lkst_armed)

/* Whether nothing is injected any more: it was disarmed, its time is over at @now_ns, or all its @times are used up. */
bool lkst_injection_is_over(const struct lkst_injection_state *state, u64 times, u64 now_ns);

/*
 * Calls @each for all that are armed, until it returns other than 0, which is passed on. @state may be written to. It
 * is fine if there is no recording.
 */
int lkst_injections_each(struct lkst_err *e,
			 int (*each)(void *ctx, struct lkst_injection_state *state), void *ctx);

/* Disarms all, at once and whatever their commands are at; these end by themselves. *@ret_nr: how many; may be NULL. */
int lkst_injections_disarm(struct lkst_err *e, u32 *ret_nr);

#endif
