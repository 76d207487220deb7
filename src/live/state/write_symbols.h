/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's names for the addresses that a trace has: who called, which function a timer runs, which
 * lock is waited for, which slab cache is used, and stacks that handlers record. They are looked up one by one
 * (src/bpf/symbol.bpf.c), and only for addresses that occur.
 */
#ifndef LKST_LIVE_STATE_WRITE_SYMBOLS_H
#define LKST_LIVE_STATE_WRITE_SYMBOLS_H

#include "live/session/session.h"
#include "trace/known/symbols.h"
#include "trace/write/writer.h"

/*
 * Why names cannot be given, as a sentence; NULL: they can. A user who must not know where the kernel lies sees no
 * address in /proc/kallsyms (kallsyms_show_value(), kernel/ksyms_common.c), and gets no names here.
 */
const char *lkst_symbols_obstacle(const struct lkst_session *s);

/* The addresses that have been seen and are to be named. */
struct lkst_addresses;

/*
 * Unless @is_wanted, or where there is an obstacle, it looks at nothing. @is_by_address: addresses are hashed
 * afterwards, so that each one has a name of its own, without what lies before it. NULL: no memory.
 */
struct lkst_addresses *lkst_addresses_new(const struct lkst_session *s, bool is_wanted, bool is_by_address);
void lkst_addresses_free(struct lkst_addresses *a);

/* Looks through @length bytes of blocks; addresses beyond the maximum are left out. */
void lkst_addresses_feed(struct lkst_addresses *a, const void *blocks, size_t length);

/* How many bytes the names of the addresses that were seen may take in the trace, about. */
u64 lkst_addresses_bytes(const struct lkst_addresses *a);

/* Writes the names of what lies at the addresses to the state stream, and forgets the addresses. */
int lkst_addresses_write(struct lkst_err *e, struct lkst_addresses *a, struct lkst_writer *w);

/* Adds to @to the names of the addresses in @r that were not met before. 0 or -ENOMEM. */
int lkst_addresses_name(struct lkst_addresses *a, const struct lkst_record *r,
			struct lkst_symbols *to);

#endif
