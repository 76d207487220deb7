/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens when a trigger fires, whether it is a condition that a handler has found to hold
 * (src/handlers/trigger.c) or a command (trigger.bpf.c).
 */
#ifndef LKST_BPF_TRIGGER_H
#define LKST_BPF_TRIGGER_H

#include "abi/trigger.h"
#include "bpf/maskset.h"

/*
 * Records that @trigger has fired at event @event, 0: at none, by @value. @name: the trigger's name or
 * the reason, @length characters.
 */
static __always_inline void lkst_trigger_record(u32 trigger, u32 event, s64 value, u64 flip,
						const char *name, u32 length)
{
	const u32 size = sizeof(struct lkst_rec_trigger_fired);
	struct lkst_rec_trigger_fired *r;
	struct lkst_slot s;
	u32 i;

	if (length > LKST_TRIGGER_NAME - 1)
		length = LKST_TRIGGER_NAME - 1;
	r = lkst_begin_own(&s, size + length + 1, size + LKST_TRIGGER_NAME);
	if (!r)
		return;
	LKST_PUT64(r->value, value);
	LKST_PUT64(r->flip, flip);
	r->trigger = trigger;
	r->event = event;
	for (i = 0; i < LKST_TRIGGER_NAME - 1 && i < length; i++)
		LKST_STORE(r->name.bytes[i], name[i]); /* or the compiler calls memcpy() */
	LKST_STORE(r->name.bytes[i], 0);
	lkst_ring_commit(&s, lkst_cfg.id[LKST_EV_trigger_fired]);
}

#endif
