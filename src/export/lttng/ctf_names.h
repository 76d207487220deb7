/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What LTTng's events have and our records refer to by number: the names of devices, which the state of a trace has,
 * and what a disk was asked for.
 */
#ifndef LKST_EXPORT_LTTNG_CTF_NAMES_H
#define LKST_EXPORT_LTTNG_CTF_NAMES_H

#include "base/cleanup.h"
#include "trace/read/reader.h"

enum { LKST_CTF_NAME = 64 }; /* a device's name, with its NUL; longer ones are cut */

enum lkst_ctf_kind {
	LKST_CTF_IRQ,
	LKST_CTF_NETDEV,
	LKST_CTF_DISK,
	LKST_CTF_NR_KINDS,
};

struct lkst_ctf_name {
	u32 number;
	char name[LKST_CTF_NAME];
};

/* What a thread waited for when the trace began. */
struct lkst_ctf_thread_state {
	s32 tid;
	u32 state;
};

struct lkst_ctf_names {
	/* Sorted by number. */
	struct lkst_ctf_name *lists[LKST_CTF_NR_KINDS];
	u32 nr[LKST_CTF_NR_KINDS];
	/* Sorted by thread; empty if the state was not taken when the trace began. */
	struct lkst_ctf_thread_state *states;
	u32 nr_states;
};

/* Takes them from the state of @t. */
int lkst_ctf_names_load(struct lkst_err *e, struct lkst_ctf_names *n, struct lkst_trace *t);
void lkst_ctf_names_fini(struct lkst_ctf_names *n);

/* The name, "" if it is not known. */
const char *lkst_ctf_name(const struct lkst_ctf_names *n, enum lkst_ctf_kind kind, u32 number);

/* What thread @tid waited for when the trace began (0: it was ready); -1: not known. */
s64 lkst_ctf_thread_state(const struct lkst_ctf_names *n, s32 tid);

/* What requests of disks were for, by the request's address. Of very many the oldest are forgotten. */
struct lkst_ctf_requests;
struct lkst_ctf_requests *lkst_ctf_requests_new(void);
void lkst_ctf_requests_free(struct lkst_ctf_requests *q);
LKST_GUARD(lkst_ctf_requests_free, struct lkst_ctf_requests)
void lkst_ctf_requests_keep(struct lkst_ctf_requests *q, u64 request, u32 rwbs);
u32 lkst_ctf_requests_find(const struct lkst_ctf_requests *q, u64 request); /* 0: not known */

#endif
