/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The streams of a trace with LTTng's names: for each CPU a file of packets. Events are put into packets in memory, of
 * a limited number of CPUs at a time. What is missing is told by the packets' own counts: events_discarded and
 * packet_seq_num (CTF 1.8.3, 5.2).
 */
#ifndef LKST_EXPORT_LTTNG_CTF_STREAMS_H
#define LKST_EXPORT_LTTNG_CTF_STREAMS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "trace/read/gaps.h"

struct lkst_access;
struct lkst_ctf_streams;

/* Files are made in directory @dir_fd, which stays the caller's, for those whom @access says. NULL: no memory. */
struct lkst_ctf_streams *lkst_ctf_streams_new(const struct lkst_access *access, int dir_fd, const u8 uuid[16]);
void lkst_ctf_streams_free(struct lkst_ctf_streams *s);
LKST_GUARD(lkst_ctf_streams_free, struct lkst_ctf_streams)

/*
 * Begins event @id of @cpu, with room for @room bytes of fields. A time before that of the CPU's last event becomes
 * that one. Returns where the fields are to be put, to be ended before the next is begun; NULL: there is an error.
 */
u8 *lkst_ctf_event_begin(struct lkst_ctf_streams *s, u32 cpu, u64 ns, s32 tid, u32 id, u32 room);
void lkst_ctf_event_end(struct lkst_ctf_streams *s, u8 *end);

/* Says that events of @gap's CPU are missing. */
int lkst_ctf_streams_gap(struct lkst_ctf_streams *s, const struct lkst_gap *gap);

/* The error with which the files or memory failed, 0: none. Nothing is written after it. */
int lkst_ctf_streams_error(const struct lkst_ctf_streams *s);

/* More than the greatest CPU that has events. */
u32 lkst_ctf_streams_nr_cpus(const struct lkst_ctf_streams *s);

/*
 * Says after the last event of @cpu, which is less than that number, that nothing happened there up to @known_ns. Where
 * a stream ends tells readers that: lttng-analyses reads only the time that all streams have in common.
 */
void lkst_ctf_streams_end(struct lkst_ctf_streams *s, u32 cpu, u64 known_ns);

/* Writes out all. 0, or the first error: with a sentence. */
int lkst_ctf_streams_finish(struct lkst_err *e, struct lkst_ctf_streams *s);

#endif
