/* SPDX-License-Identifier: GPL-2.0-only */
/* A step of a plan (ctf_plan.h): it makes one field of an event, or several that are copied together. */
#ifndef LKST_EXPORT_LTTNG_CTF_STEP_H
#define LKST_EXPORT_LTTNG_CTF_STEP_H

#include <endian.h>
#include <string.h>

#include "export/lttng/ctf_names.h"
#include "trace/format/block.h"
#include "trace/known/threads.h"

/* Where a field's value comes from: the words of ctf_events.def, and those for fields that keep their form. */
#define LKST_CTF_HOWS(H)                                                                           \
	H(VALUE)      /* a number, in the width of the field's type */                             \
	H(TEXT)	      /* characters, in the form of the field's type */                            \
	H(SIX)	      /* six numbers of 64 bits, one after the other */                            \
	H(PRIO)	      /* a priority as LTTng counts: nice 0 is 20, real-time is negative */        \
	H(TASK_STATE) /* what a thread waits for, by the bits that the kernel shows to users */    \
	H(SECTORS)    /* bytes, in sectors of 512 */                                               \
	H(RWBS) /* a request's operation and flags, by LTTng's bits; it is kept by the request */  \
	H(RWBS_OF)   /* the same, as it was kept when the request was issued */                    \
	H(BLK_ERROR) /* a request's status as an error number */                                   \
	H(COMM_OF)   /* the name of a thread */                                                    \
	H(PRIO_OF)   /* the priority of a thread, as it was last seen */                           \
	H(IRQ_NAME)  /* the device of an interrupt */                                              \
	H(NET_NAME)  /* the name of a network interface */                                         \
	H(OWN_TID)   /* the thread that ran */                                                     \
	H(OWN_COMM)                                                                                \
	H(OWN_PRIO)                                                                                \
	H(COPY)	 /* bytes as they are in the record */                                             \
	H(FIELD) /* a field as it is, of any form and at any place */

enum lkst_ctf_how {
#define H(name) LKST_CTF_HOW_##name,
	LKST_CTF_HOWS(H)
#undef H
};

struct lkst_ctf_step {
	u8 how; /* enum lkst_ctf_how */
	u8 in;	/* bytes of the number in the record */
	u8 out; /* bytes of it in the event */
	bool is_signed;
	u16 from; /* where in the record; of FIELD and TEXT: the field's index */
	u16 with; /* of COPY: bytes; of RWBS: where the request's address is, 0: not there */
};

/* What records do not say themselves. All is borrowed. */
struct lkst_ctf_context {
	const struct lkst_threads *threads; /* as they were before the record */
	const struct lkst_ctf_names *names;
	struct lkst_ctf_requests *requests;
};

/* Puts what @step makes of @r at @at. Returns its end. */
u8 *lkst_ctf_follow(const struct lkst_ctf_step *step, const struct lkst_ctf_context *context,
		    const struct lkst_record *r, u8 *at);

/* Puts the name of thread @tid, which runs on @cpu if it is 0: 16 bytes. */
u8 *lkst_ctf_put_comm(const struct lkst_threads *threads, s32 tid, u32 cpu, u8 *at);

/* Puts the low @size bytes of @value. */
static inline u8 *lkst_ctf_put_int(u8 *at, u64 value, u32 size)
{
	value = htole64(value);
	memcpy(at, &value, size);
	return at + size;
}

#endif
