/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks programs to mark: by a word in the memory of those that run, and by a file for those that begin later. What
 * changes a file takes its lock, which the user whose it is may hold for as long as he likes: he writes to it from
 * memory that does not come (userfaultfd(2), FUSE), and not even SIGKILL ends who waits for it. So a process of its own
 * does it, for which nobody has to wait. All else only reads.
 */
#ifndef LKST_MARKS_MARKS_ASK_H
#define LKST_MARKS_MARKS_ASK_H

#include "marks/marks_find.h"

/*
 * Has all programs in @p->dir record until @ns, CLOCK_MONOTONIC, those that begin later, too, and removes the memory of
 * those that ended long ago (liblkst/mark_tidy.h). @is_over: no longer than that. Needs root. UINT64_MAX: until
 * somebody says otherwise. It may not return. What lkst_marks_find() has found in @p before cannot be changed.
 */
int lkst_marks_want(struct lkst_err *e, struct lkst_marks_programs *p, u64 ns, bool is_over);

/*
 * The same of the programs of this machine, by processes of its own, again without the users whose files do not
 * answer. -ETIMEDOUT: there are such. -EAGAIN: not all were asked, since the processes were killed or took too long.
 * Another error: those that run were asked, and those that begin later cannot be. Where it fails there are no marks,
 * and all else is recorded.
 */
int lkst_marks_ask(u64 ns, bool is_over);

/* The same again and again, without waiting for it. */
struct lkst_marks_asker;
int lkst_marks_asker_new(struct lkst_marks_asker **ret_asker);
void lkst_marks_asker_free(struct lkst_marks_asker *a);
LKST_GUARD(lkst_marks_asker_free, struct lkst_marks_asker)
void lkst_marks_asker_ask(struct lkst_marks_asker *a, u64 ns, bool is_over);
/* Waits until all were asked, or a file does not answer. False: they were not. */
bool lkst_marks_asker_wait(struct lkst_marks_asker *a);

/* How long programs still mark when a recording has ended: another may need their marks, and asks again by then. */
#define LKST_MARKS_END_NS 10000000000ULL

#endif
