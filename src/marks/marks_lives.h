/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose threads were that have ended: what the kernel has recorded of their lives, of which process each was and whose
 * that was. A program's memory says which thread has marked, and any user may make such memory.
 */
#ifndef LKST_MARKS_MARKS_LIVES_H
#define LKST_MARKS_MARKS_LIVES_H

#include "base/cleanup.h"
#include "trace/format/block.h"

/* Of which a mark is said to be, and by whose memory. */
struct lkst_marks_ended {
	s32 tid, pid;
	u32 uid;
	u64 ns;	       /* when it has marked */
	bool is_there; /* a process of this number is there now, and is the user's */
	u64 was_there_ns; /* one was there at this time; 0: nobody has looked */
};

struct lkst_marks_lives;
struct lkst_marks_lives *lkst_marks_lives_new(void);
void lkst_marks_lives_free(struct lkst_marks_lives *l);
LKST_GUARD(lkst_marks_lives_free, struct lkst_marks_lives)

/* Takes in the records of @cursor, of a block of the life buffer, and moves it on. The oldest are forgotten. */
void lkst_marks_lives_feed(struct lkst_marks_lives *l, const struct lkst_catalog *c, struct lkst_block_cursor *cursor);

/*
 * Whether the thread lived then, was of this process, and that was the user's: by what it was when it began the program
 * that it ran, or by what was seen. False, too, where records are missing: then it is not known. It is the same from
 * *@ret_from to *@ret_to.
 */
bool lkst_marks_lives_was_of(const struct lkst_marks_lives *l, const struct lkst_marks_ended *ended, u64 *ret_from,
			     u64 *ret_to);

#endif
