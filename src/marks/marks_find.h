/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of all programs that mark, wherever they are in their lives. */
#ifndef LKST_MARKS_MARKS_FIND_H
#define LKST_MARKS_MARKS_FIND_H

#include "marks/marks_file.h"

enum {
	LKST_MARKS_PROGRAMS_MAX = 512, /* read at a time */
	LKST_MARKS_OF_ACCOUNT_MAX = 128,  /* of these, of one account (marks/marks_budget.h) */
	LKST_MARKS_NAMED_MAX = 64,     /* users of whom it is said that more programs are left out */
};

#define LKST_MARKS_NO_UID UINT32_MAX /* it is not known which user's */

struct lkst_marks_program {
	u64 inode;
	u32 uid;
	struct lkst_marks_file *file;
	struct lkst_marks_losses told; /* what a ledger has reported already */
	bool is_there;		       /* the pass that goes on has found it */
};

/* What a user has lost besides: programs beyond what is read at a time, and what those had lost that are gone. */
struct lkst_marks_left_out {
	u32 uid;
	u32 nr, counted; /* programs, by the last whole pass; by the one that goes on */
	u32 told;	 /* what a ledger has reported already */
	struct lkst_marks_losses gone; /* that no ledger has reported */
};

/* The programs that were found, and how many there were besides. */
struct lkst_marks_programs {
	const char *dir;
	u32 nr_cpus;
	struct lkst_marks_program *list;
	u32 nr;
	struct lkst_marks_left_out *left_out;
	u32 nr_left_out;
	/* A pass over the names of the directory, which may take several looks. */
	void *pass;	/* DIR *; NULL: none goes on */
	bool is_behind; /* the last look has not come to the end of the directory */
	u64 names_left, names_ns; /* how many more are looked at, and when that was filled up */
	/*
	 * Also notes programs that have ended, removes what is old, and opens files so that they can be changed, of
	 * those users of whom @may_change (NULL: all) says so.
	 */
	bool changes;
	bool (*may_change)(void *ctx, u32 uid);
	void *ctx;
};

/*
 * Looks for programs in @p->dir, and adds those that are new. Files are taken only if they are what a program makes:
 * regular, of the user in their name, of one name, and of the right size. A directory that cannot be read has none.
 * Anybody may fill the directory with names: so many are looked at, and the next call goes on there. @is_last: as many
 * as are looked at without a pause.
 */
void lkst_marks_find(struct lkst_marks_programs *p, bool is_last);

void lkst_marks_programs_fini(struct lkst_marks_programs *p);

#endif
