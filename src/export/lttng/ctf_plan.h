/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a record becomes an event with LTTng's name and fields: a plan for each event of a trace, made once from the
 * tables (ctf_events.def, ctf_calls.def) and the trace's own catalogue, and followed for each record. The description
 * of the event, in the metadata, is written as its plan is made, so that the two agree.
 */
#ifndef LKST_EXPORT_LTTNG_CTF_PLAN_H
#define LKST_EXPORT_LTTNG_CTF_PLAN_H

#include <stdio.h>

#include "base/cleanup.h"
#include "export/lttng/ctf_step.h"

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

/* Of a record that is not put: keeps the request that it is of, for the events that have only its address. */
void lkst_ctf_keep_requests(const struct lkst_ctf_plans *p, const struct lkst_ctf_context *context,
			    const struct lkst_record *r);

#endif
