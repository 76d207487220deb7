/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the descriptors of processes refer to, along a trace: the path that a descriptor was opened by, the address that
 * a socket is connected to, or what kind of thing it is. It follows the system calls that make, copy and close
 * descriptors, and fork and exec. What is not certain is not known: after a gap, or where a call of another thread came
 * in between, a descriptor has no name until it is opened again. doc/processes.md has the rules.
 */
#ifndef LKST_TRACE_KNOWN_DESCRIPTORS_H
#define LKST_TRACE_KNOWN_DESCRIPTORS_H

#include "base/cleanup.h"
#include "trace/format/block.h"
#include "trace/known/threads.h"
#include "trace/read/gaps.h"

struct lkst_descriptors;

/* @threads must stay, and be fed with each record before this is. NULL: no memory. */
struct lkst_descriptors *lkst_descriptors_new(const struct lkst_threads *threads);
void lkst_descriptors_free(struct lkst_descriptors *d);
LKST_GUARD(lkst_descriptors_free, struct lkst_descriptors)

/* Whether records of @event are needed: readers that choose events feed all of these. */
bool lkst_descriptors_wants(const struct lkst_event_class *event);

/* Takes in @r; cheap for records that are not needed. -ENOMEM or 0. */
int lkst_descriptors_feed(struct lkst_descriptors *d, const struct lkst_record *r);

/* Records are missing: nothing is known until the gap's end. */
void lkst_descriptors_gap(struct lkst_descriptors *d, const struct lkst_gap *gap);

/*
 * Tells it that descriptor @fd of process @pid refers to @name from @since_ns on, and that closes are recorded from
 * then on; UINT64_MAX: since when is not known. lkst_descriptors_begin() is to be called when all is told, before the
 * first record. -ENOMEM or 0, both.
 */
int lkst_descriptors_tell(struct lkst_descriptors *d, s32 pid, s32 fd, u64 since_ns, const char *name);
int lkst_descriptors_begin(struct lkst_descriptors *d);

/* When descriptor @fd of process @pid may have changed last, as far as @d was fed; UINT64_MAX: that is not known. */
u64 lkst_descriptors_since(const struct lkst_descriptors *d, s32 pid, s32 fd);

/* A system call and its descriptor. */
struct lkst_descriptor_call {
	u64 entry_ns;
	s32 fd; /* of the first argument that is a descriptor, or the one that the call returned; -1: none */
	/* What it refers to, or the path to be opened; NULL: not known. Any bytes. Good until @d is freed. */
	const char *name;
};

/* The call that thread @tid is in, or was in last, as of its entry. False: none is known. */
bool lkst_descriptors_call(const struct lkst_descriptors *d, s32 tid,
			   struct lkst_descriptor_call *ret_call);

/* What descriptor @fd of the process of thread @tid refers to now; NULL: not known. */
const char *lkst_descriptors_name(const struct lkst_descriptors *d, s32 tid, s32 fd);

/*
 * What it referred to when somebody looked who has told it, which may be later; now it may be something else. NULL:
 * nobody has.
 */
const char *lkst_descriptors_found(const struct lkst_descriptors *d, s32 tid, s32 fd);

#endif
