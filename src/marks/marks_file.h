/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks of one program: its memory (liblkst/mark_format.h), read while the program writes, or after it has ended.
 * The program is trusted in nothing: what it may lie about is what it did itself. Its memory is copied by pread(2),
 * which no truncation turns into a signal, and each record is checked against the program's own description.
 */
#ifndef LKST_MARKS_MARKS_FILE_H
#define LKST_MARKS_MARKS_FILE_H

#include "base/cleanup.h"
#include "liblkst/mark_format.h"
#include "trace/block.h"

/* What is missing of a program's marks. */
struct lkst_marks_losses {
	u64 overwritten; /* blocks, before they were read */
	u64 unrecorded;	 /* records for which the program had no room, by its own count */
	u64 refused;	 /* blocks, or rests of them, records and descriptions that make no sense */
};

struct lkst_marks_record {
	const struct lkst_event_class *event; /* the program's: its first field is the CPU */
	u64 ns;
	u32 cpu;
	s32 tid;
	const u8 *bytes; /* valid during the call */
	u32 size;
};

/* Whose memory it is. */
struct lkst_marks_owner {
	s32 pid; /* as the program, or the name of its file, says */
	u32 uid; /* whose the memory is */
	bool is_of_dump; /* no thread is there: all are as the program says */
};

/* Of what time marks are read. */
struct lkst_marks_stretch {
	u64 from_ns;
	u64 to_ns; /* marks after it are refused; 0: those after now */
};

struct lkst_marks_file;

/*
 * Begins to read the memory at @fd, which it takes over, also on failure. Of threads that run when it is read, those of
 * another process cannot have marked in it, and none if the process is another user's. @nr_cpus: how many the machine
 * has. -EBADMSG: it is not a program's memory.
 */
int lkst_marks_file_open(struct lkst_err *e, int fd, const struct lkst_marks_owner *owner,
			 u32 nr_cpus, struct lkst_marks_file **ret_file);
void lkst_marks_file_close(struct lkst_marks_file *f);
LKST_GUARD(lkst_marks_file_close, struct lkst_marks_file)

/*
 * Calls @take for each record of @stretch that is complete and was not read before, in order within a ring, at most
 * @most blocks of all. *@ret_blocks: how many were read. An error is that of @take; if that returns 1, the record
 * counts as refused.
 */
typedef int lkst_marks_take(void *ctx, const struct lkst_marks_record *r);
int lkst_marks_file_read(struct lkst_marks_file *f, const struct lkst_marks_stretch *stretch, u32 most,
			 lkst_marks_take *take, void *ctx, u32 *ret_blocks);

/* What is missing so far. */
struct lkst_marks_losses lkst_marks_file_losses(const struct lkst_marks_file *f);

/* Has the program record until @ns, if it would not record as long otherwise; @is_over: no longer, if it records. */
void lkst_marks_file_want(const struct lkst_marks_file *f, u64 ns, bool is_over);

s32 lkst_marks_file_pid(const struct lkst_marks_file *f);

#endif
