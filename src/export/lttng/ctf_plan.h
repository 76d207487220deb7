/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a record becomes an event with LTTng's name and fields: a plan for each event of a trace, made once from the
 * tables (ctf_events.def, ctf_calls.def) and the trace's own catalogue, and followed for each record. The description
 * of the event, in the metadata, is written as its plan is made, so that the two agree.
 */
#ifndef LKST_EXPORT_LTTNG_CTF_PLAN_H
#define LKST_EXPORT_LTTNG_CTF_PLAN_H

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "export/lttng/ctf_names.h"
#include "trace/format/block.h"
#include "trace/known/threads.h"

struct lkst_ctf_plans;

/* What records do not say themselves. All is borrowed. */
struct lkst_ctf_context {
	const struct lkst_threads *threads; /* as they were before the record */
	const struct lkst_ctf_names *names;
	struct lkst_ctf_requests *requests;
};

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

/* Of a record that is not put: keeps the request that it is of, for the events that have only its address. */
void lkst_ctf_keep_requests(const struct lkst_ctf_plans *p, const struct lkst_ctf_context *context,
			    const struct lkst_record *r);

#endif
