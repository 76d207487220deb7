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
#include "marks/marks_lives.h"
#include "trace/format/block.h"

/* What is missing of a program's marks. */
struct lkst_marks_losses {
	u64 overwritten; /* blocks, before they were read */
	u64 unrecorded;	 /* records for which the program had no room, by its own count */
	u64 refused;	 /* blocks, or rests of them, records and descriptions that make no sense */
	u64 left_out;	 /* blocks that were not read, for there were more than the budget of a look allows */
	u64 unlooked;	 /* threads that were not looked at for the same reason; of a program too many: at least one */
};

struct lkst_marks_record {
	const struct lkst_event_class *event; /* the program's: its first field is the CPU */
	u64 ns;
	u32 cpu;
	s32 tid;
	const u8 *bytes; /* in the block that was copied */
	u32 size;
};

/* Whose memory it is. */
struct lkst_marks_owner {
	s32 pid; /* as the program, or the name of its file, says */
	u32 uid; /* whose the memory is */
	bool is_of_dump; /* no thread is there: all are as the program says */
};

struct lkst_marks_file;

/*
 * A catalogue of the events that need no description, for files to be read with, one after the other. NULL: no memory.
 * lkst_marks_catalog_free() frees it.
 */
struct lkst_catalog *lkst_marks_catalog_new(void);
void lkst_marks_catalog_free(struct lkst_catalog *c);
LKST_GUARD(lkst_marks_catalog_free, struct lkst_catalog)

/*
 * Begins to read the memory at @fd, which it takes over, also on failure. Of threads that run when it is read, those of
 * another process cannot have marked in it, and none if the process is another user's; of those that have ended it is
 * asked when they are read. @nr_cpus: how many the machine
 * has. -EBADMSG: it is not a program's memory.
 */
int lkst_marks_file_open(struct lkst_err *e, int fd, const struct lkst_marks_owner *owner,
			 u32 nr_cpus, struct lkst_marks_file **ret_file);
void lkst_marks_file_close(struct lkst_marks_file *f);
LKST_GUARD(lkst_marks_file_close, struct lkst_marks_file)

/* How many areas of threads its memory has. */
u32 lkst_marks_file_areas(const struct lkst_marks_file *f);

/*
 * Looks in at most @most areas for what is complete and was not read before, each time in others if it has more, and
 * returns how many blocks that is in. Until it is called again, nothing later is read. What was all recorded before
 * @from_ns is skipped. @is_last: it will not be called again, and threads that were not looked at are lost.
 */
u32 lkst_marks_file_look(struct lkst_marks_file *f, u32 most, u64 from_ns, bool is_last);

/* What is to be read of it, and where it goes. */
struct lkst_marks_reading {
	u64 from_ns; /* records before are left out */
	u64 to_ns;   /* marks after it are refused; 0: those after the look */
	u64 until_ns; /* blocks that begin later are not asked for; 0: all are */
	u32 most;    /* blocks */
	u32 most_fields; /* of events that it describes, all that were read included */
	struct lkst_catalog *catalog; /* of lkst_marks_catalog_new(): has the file's events until another one is read */
	/*
	 * Where the next block of LKST_MARK_BLOCK bytes is copied to, in which then the records are that are given out.
	 * NULL: it is to stop.
	 */
	u8 *(*room)(void *ctx);
	/* An error is returned; 1: the record counts as refused. */
	int (*take)(void *ctx, const struct lkst_marks_record *r);
	/* As lkst_marks_lives_was_of(); NULL: all that have ended are taken for the program's. */
	bool (*was_of)(void *ctx, const struct lkst_marks_ended *ended, u64 *ret_from, u64 *ret_to);
	void *ctx;
};

/*
 * Gives out each record that the last look has found, in order within a ring. If that is in more than the most blocks,
 * the newest of each ring are read, and the others are counted as left out.
 */
int lkst_marks_file_read(struct lkst_marks_file *f, const struct lkst_marks_reading *reading);

/* How many fields the events have that it has described, each event counting as one more. */
u32 lkst_marks_file_fields(const struct lkst_marks_file *f);

/* What is missing so far. */
struct lkst_marks_losses lkst_marks_file_losses(const struct lkst_marks_file *f);

/* Has the program record until @ns, if it would not record as long otherwise; @is_over: no longer, if it records. */
void lkst_marks_file_want(const struct lkst_marks_file *f, u64 ns, bool is_over);

s32 lkst_marks_file_pid(const struct lkst_marks_file *f);

#endif
