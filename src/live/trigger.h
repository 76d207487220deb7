/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The triggers of a recording (abi/trigger.h): all are served by one handler that comes with the program
 * (src/handlers/trigger.c). It is loaded with the first trigger, gets programs for more events as they are
 * named, and goes with the last one. It takes a pinned recording.
 */
#ifndef LKST_LIVE_TRIGGER_H
#define LKST_LIVE_TRIGGER_H

#include "abi/trigger.h"
#include "live/session.h"
#include "trace/condition.h"

/* How the handler is called. */
#define LKST_TRIGGER_HANDLER "trigger"

struct lkst_trigger_options {
	const char *file; /* the handler's object file */
	const char *text; /* the condition, as it was written */
	const char *name; /* NULL: the condition */
	u64 pause_ns;	  /* between two firings, at least */
	u64 post_ns;	  /* from the event until the buffers are kept */
	bool once;
	const char *maskset; /* to be put in force for a time, NULL: none */
	u64 switch_ns;	     /* the time */
};

/*
 * Adds a trigger for @condition. What can't fire for now, because the maskset in force leaves its event out
 * or a user's handler sees to it, is noted. -EEXIST: one is called so.
 */
int lkst_trigger_add(struct lkst_err *e, struct lkst_session *s,
		     const struct lkst_condition *condition,
		     const struct lkst_trigger_options *options, struct lkst_notes *notes,
		     u32 *ret_number);

/* Removes the trigger that @word, a name or number, means. -ENOENT: there is none. */
int lkst_trigger_remove(struct lkst_err *e, struct lkst_session *s, const char *word,
			struct lkst_notes *notes);

/* Calls @each for a copy of every trigger until it returns other than 0, which is passed on. */
int lkst_trigger_each(struct lkst_err *e,
		      int (*each)(void *ctx, u32 number, const struct lkst_trigger *t), void *ctx);

/* How many intervals were forgotten because too many went on at once, since the first trigger was added. */
u64 lkst_trigger_forgotten(void);

/* Fires for @reason, cut to LKST_TRIGGER_NAME. */
int lkst_trigger_fire(struct lkst_err *e, const struct lkst_session *s, const char *reason,
		      u64 post_ns);

/* The masksets (a bit each) whose hooks must stay because one is put in force again after a time. */
u32 lkst_trigger_needs(void);

/* -EBUSY if a trigger puts maskset @set, called @name, in force, or is about to do so again. */
int lkst_trigger_check_free(struct lkst_err *e, u32 set, const char *name);

#endif
