/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state stream: the state of the machine, written together with the events, so that the trace
 * can be read elsewhere and years later: threads and their names, clocks, CPUs, interrupts, disks,
 * network interfaces, and the ledger of losses.
 */
#ifndef LKST_LIVE_STATE_STATE_STREAM_H
#define LKST_LIVE_STATE_STATE_STREAM_H

#include "live/kernel/cgroup_mount.h"
#include "live/session/session.h"
#include "live/state/life.h"
#include "marks/marks_file.h"
#include "trace/read/lost.h"
#include "trace/write/writer.h"

/* Adds the threads that there are to @list. */
int lkst_state_list_threads(struct lkst_err *e, const struct lkst_session *s,
			    struct lkst_thread_list *list);

/* A state_cgroup record. */
struct lkst_state_cgroup {
	struct lkst_rec_state_cgroup r;
	char path[LKST_CGROUP_PATH];
};

/*
 * Calls @each for the cgroups that @threads are in, until it returns other than 0, which is passed on. @length is
 * that of the record, whose head is not filled in. A cgroup that has no directory any more is left out.
 */
int lkst_state_list_cgroups(struct lkst_err *e, const struct lkst_thread_list *threads,
			    int (*each)(void *ctx, struct lkst_state_cgroup *cgroup, size_t length), void *ctx);

/*
 * Writes which threads and devices there are, and what time it is. If @threads has a thread twice, the later record
 * counts.
 */
int lkst_state_write_machine(struct lkst_err *e, const struct lkst_session *s,
			     struct lkst_writer *w, const struct lkst_thread_list *threads);

/*
 * Writes what descriptors of @threads refer to, if closes are being recorded. The above does so, too; this is for a
 * trace whose recording begins after its state was written.
 */
int lkst_state_write_descriptors(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
				 const struct lkst_thread_list *threads);

/*
 * What the ledger of an earlier part has reported already. All zero: nothing. told_fini() frees what
 * grows in it.
 */
struct lkst_reported {
	u64 *counts, *pending;
	unsigned int nr;
};
void lkst_reported_fini(struct lkst_reported *reported);

/* What was written with @reported is in a file now: the next ledger continues from there. */
void lkst_reported_keep(struct lkst_reported *reported);

/*
 * The same to kernel memory, in place of what was kept there before: for whoever finds the rings in a
 * crash dump, where nothing else can be read any more.
 */
int lkst_state_keep_machine(struct lkst_err *e, struct lkst_session *s);

/*
 * The ledger: what the writers could not record, by ring and cause, and runs that were skipped. Since
 * recording began, or, in a part of a recording, since @reported, which is NULL in a snapshot.
 */
int lkst_state_write_ledger(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    struct lkst_reported *reported);

/*
 * A line of the ledger: what the ring of stream @instance overwrote before it was read. Times of 0 say that
 * blocks are missing between others, whose numbers show where.
 */
int lkst_state_write_overwritten(struct lkst_err *e, const struct lkst_session *s,
				 struct lkst_writer *w, u64 instance, const struct lkst_lost *lost);

/* A line of the ledger: what is missing of the marks of process @pid, of user @uid. */
int lkst_state_write_marks(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w, s32 pid, u32 uid,
			   const struct lkst_marks_losses *lost);

/*
 * The pages of memory that process @pid has now, but for those of files: at most LKST_STATE_PAGES_MAX ranges of them;
 * *@ret_is_cut: there are more. -ESRCH: there is no such process.
 */
enum { LKST_STATE_PAGES_MAX = 1 << 18 };
int lkst_state_write_pages(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			   pid_t pid, bool *ret_is_cut);

/* A function of the kernel, for addresses in the trace. */
int lkst_state_write_symbol(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    u64 address, u32 bytes, const char *name);

/*
 * What a process had mapped, and a file that was: the heads of the records are filled in. Mappings with the same
 * @now are one list, which is all that their processes had then. @file: the build-id, a blank and the path.
 */
int lkst_state_write_mapping(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w, u64 now,
			     const struct lkst_rec_state_mapping *mapping);
int lkst_state_write_binary(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    const struct lkst_rec_state_binary *binary, const char *file);

#endif
