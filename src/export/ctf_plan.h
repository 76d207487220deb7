/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a record becomes an event with LTTng's name and fields: a plan for each event of a trace, made once from the
 * tables (ctf_events.def, ctf_calls.def) and the trace's own catalogue, and followed for each record. The description
 * of the event, in the metadata, is written as its plan is made, so that the two agree.
 */
#ifndef LKST_EXPORT_CTF_PLAN_H
#define LKST_EXPORT_CTF_PLAN_H

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "export/ctf_names.h"
#include "trace/block.h"
#include "trace/threads.h"

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

/* What records do not say themselves. All is borrowed. */
struct lkst_ctf_context {
	const struct lkst_threads *threads; /* as they were before the record */
	const struct lkst_ctf_names *names;
	struct lkst_ctf_requests *requests;
};

struct lkst_ctf_plans;

/* Makes the plans for all events of @c, and describes the events to @metadata. */
int lkst_ctf_plans_new(struct lkst_err *e, const struct lkst_catalog *c, FILE *metadata,
		       struct lkst_ctf_plans **ret_plans);
void lkst_ctf_plans_free(struct lkst_ctf_plans *p);
LKST_GUARD(lkst_ctf_plans_free, struct lkst_ctf_plans)

/* The most bytes that the fields of @r need. */
static inline u32 lkst_ctf_room(const struct lkst_record *r)
{
	return r->size + 2048; /* names of threads and devices, and what gets wider */
}

/* Puts the fields of @r at @at. Returns their end. */
u8 *lkst_ctf_put_fields(const struct lkst_ctf_plans *p, const struct lkst_ctf_context *context,
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
