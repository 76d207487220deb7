/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens when a trigger fires, whether a handler has found its condition to hold
 * (src/bpf/handlers/trigger.c) or a command fires it (trigger.bpf.c).
 */
#ifndef LKST_BPF_TRIGGER_H
#define LKST_BPF_TRIGGER_H

#include "abi/trigger.h"
#include "bpf/incident.h"
#include "bpf/maskset.h"

/* How much of a name of LKST_TRIGGER_NAME bytes fits into @cause->reason. */
static __always_inline void lkst_trigger_reason(struct lkst_incident_cause *cause, const char *name)
{
	u32 i;

#pragma unroll
	for (i = 0; i < LKST_INCIDENT_REASON - 1; i++)
		LKST_STORE(cause->reason[i], name[i]); /* or the compiler calls memcpy() */
	LKST_STORE(cause->reason[i], 0);
}

/*
 * Records that cause->trigger has fired at event cause->id, 0: at none. @flip: when the buffers are left; 0: they
 * are not. @name: the trigger's name or the reason, @length characters.
 */
static __always_inline void lkst_trigger_record(const struct lkst_incident_cause *cause, u64 flip,
						const char *name, u32 length)
{
	u32 i;

	if (length > LKST_TRIGGER_NAME - 1)
		length = LKST_TRIGGER_NAME - 1;
	lkst_recording_own(trigger_fired, r, lkst_begin_share, sizeof(*r) + length + 1,
			   sizeof(*r) + LKST_TRIGGER_NAME) {
		LKST_PUT64(r->value, cause->value);
		LKST_PUT64(r->flip, flip);
		r->trigger = cause->trigger;
		r->event = cause->id;
		for (i = 0; i < LKST_TRIGGER_NAME - 1 && i < length; i++)
			LKST_STORE(r->name.bytes[i], name[i]); /* or the compiler calls memcpy() */
		LKST_STORE(r->name.bytes[i], 0);
	}
}

/* When the buffers are left for what @cause has kept. */
static __always_inline u64 lkst_trigger_flip(const struct lkst_incident_cause *cause)
{
	return cause->ns + cause->post_ns + 1;
}

/* Keeps the moment, where the recording has banks for that, and records it. */
static __always_inline void lkst_trigger_keep(struct lkst_incident_cause *cause, const char *name,
					      u32 length)
{
	u64 flip = 0;

	if (lkst_incident_keep(cause))
		flip = lkst_trigger_flip(cause);
	lkst_trigger_record(cause, flip, name, length);
}

#endif
