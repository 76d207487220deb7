/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks of all programs as streams of a trace, one for each CPU: records are copied in order of time, with the
 * numbers that the trace has for their events.
 */
#ifndef LKST_MARKS_MARKS_GATHER_H
#define LKST_MARKS_MARKS_GATHER_H

#include "marks/marks_find.h"
#include "marks/marks_streams.h"

struct lkst_marks_reader;

struct lkst_marks_options {
	const char *dir; /* of the programs' memory; NULL: where they have it */
	u32 nr_cpus, block_shift;
	const u8 *uuid; /* of the trace */
	u64 since_ns;	/* records before are left out */
	u64 ring_bytes; /* how large the kernel's rings are: how much is read at once is measured by them */
	u64 look_ns;	/* a look may take so long; 0: as long as is usual for its blocks, and 0.5 s at most */
	/*
	 * Has the trace know @event: *@ret_id is its number there. 1: that is a new one, which is given only if
	 * no fewer than @nr_had are left after it.
	 */
	int (*declare)(void *ctx, const struct lkst_event_class *event, u32 nr_had, u16 *ret_id);
	/* As lkst_marks_lives_was_of(); NULL: threads that have ended are taken for whose memory says so. */
	bool (*was_of)(void *ctx, const struct lkst_marks_ended *ended, u64 *ret_from, u64 *ret_to);
	void *ctx;
};

int lkst_marks_new(struct lkst_err *e, const struct lkst_marks_options *options,
		   struct lkst_marks_reader **ret_marks);
/* In place of the options' since_ns, and until when marks are asked for, 0: any time; before anything is read. */
void lkst_marks_set_time(struct lkst_marks_reader *m, u64 since_ns, u64 until_ns);
void lkst_marks_free(struct lkst_marks_reader *m);
LKST_GUARD(lkst_marks_free, struct lkst_marks_reader)

/* A look at what programs have marked. */
struct lkst_marks_look {
	bool is_last; /* no other one comes: all that the budget has is spent, and what is left then is lost */
	lkst_marks_give *give;
	/* Called each millisecond or so, so that other work is not behind this; NULL: there is none. */
	int (*between)(struct lkst_err *e, void *ctx);
	void *ctx;
};

/*
 * Takes the records that programs have made since the last look, as far as the budget goes (marks/marks_budget.h), and
 * gives them out as whole blocks of streams (lkst_stream_instance() of buffer LKST_BUFFER_MARKS). A record that is
 * older than those that were given out of its CPU goes to a stream of another level.
 */
int lkst_marks_gather(struct lkst_err *e, struct lkst_marks_reader *m, const struct lkst_marks_look *look);

/*
 * The two halves of it, for memory that was found in a dump, which costs no running machine anything: takes all that
 * is in the file @fd, which it closes, but nothing later than @to_ns; and gives out what was taken. *@ret_lost: what
 * is missing of it.
 */
int lkst_marks_take_dumped(struct lkst_err *e, struct lkst_marks_reader *m, int fd, s32 pid, u32 uid,
			   u64 to_ns, struct lkst_marks_losses *ret_lost);
int lkst_marks_give_taken(struct lkst_err *e, struct lkst_marks_reader *m, lkst_marks_give *give,
			  void *ctx);

/* Until when all marks have been given out, ns; and calls @each for every stream that has any. */
u64 lkst_marks_covered_ns(const struct lkst_marks_reader *m);
int lkst_marks_each_stream(const struct lkst_marks_reader *m, int (*each)(void *ctx, u64 instance),
			   void *ctx);

/*
 * Calls @each for the programs (0: all those of user @uid that are left out, or that are not known) of which something
 * is missing since lkst_marks_keep_told().
 */
typedef int lkst_marks_lost(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost);
int lkst_marks_each_lost(const struct lkst_marks_reader *m, lkst_marks_lost *each, void *ctx);
void lkst_marks_keep_told(struct lkst_marks_reader *m);

/* The programs that it reads. */
struct lkst_marks_programs *lkst_marks_programs(struct lkst_marks_reader *m);

#endif
