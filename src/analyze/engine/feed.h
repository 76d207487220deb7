/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over a trace that feeds any number of subscribers. Names are looked up once, when
 * somebody subscribes; in the pass an event costs the calls of its subscribers, and nothing if it
 * has none.
 *
 *	lkst_feed_new(&e, trace, &feed);
 *	lkst_feed_event(feed, LKST_EV_sched_switch, on_switch, me);
 *	lkst_feed_run(&e, feed);
 *
 * Subscribers of one event are called in the order in which they subscribed. Their arguments are
 * valid until they return. One that returns a negative errno ends the pass.
 */
#ifndef LKST_ANALYZE_ENGINE_FEED_H
#define LKST_ANALYZE_ENGINE_FEED_H

#include "abi/syscalls.h"
#include "base/cleanup.h"
#include "trace/known/descriptors.h"
#include "trace/read/reader.h"

struct lkst_feed;
struct lkst_mappings;
struct lkst_threads;

/* @t must stay open. The pass covers all of the trace until lkst_feed_limit() says otherwise. */
int lkst_feed_new(struct lkst_err *e, struct lkst_trace *t, struct lkst_feed **ret_feed);
void lkst_feed_free(struct lkst_feed *f);
LKST_GUARD(lkst_feed_free, struct lkst_feed)

struct lkst_trace *lkst_feed_trace(const struct lkst_feed *f);

/*
 * Restricts the pass to times from @from_ns to @to_ns, both included. What lies before is still
 * read, but only the state model gets it, so that it knows the state at @from_ns.
 */
void lkst_feed_limit(struct lkst_feed *f, u64 from_ns, u64 to_ns);
void lkst_feed_window(const struct lkst_feed *f, u64 *ret_from_ns, u64 *ret_to_ns);

/*
 * Nothing before @begin_ns is read at all: of that time, the state model knows no more than later
 * records prove. To be called before the state model is made.
 */
void lkst_feed_begin(struct lkst_feed *f, u64 begin_ns);
u64 lkst_feed_begins(const struct lkst_feed *f);

/*
 * A record of the built-in catalogue: @record is a struct lkst_rec_<event>, always laid out as this
 * program has it. Its time, CPU and thread are in @r; @r's bytes are as the file has them. A string
 * ends with a NUL.
 */
typedef int lkst_feed_call(void *ctx, const struct lkst_record *r, const void *record);

/*
 * Each subscribing function returns 1, 0 if no record of the kind can be in this trace (nothing is
 * subscribed then), or a negative errno (-ENOMEM).
 */
int lkst_feed_event(struct lkst_feed *f, enum lkst_event_index index, lkst_feed_call *call,
		    void *ctx);

/*
 * From now on @wants, by id of the trace's catalogue, becomes true for each event that is subscribed to.
 * NULL: no more.
 */
void lkst_feed_watch(struct lkst_feed *f, bool *wants);

/* The event's id in the trace's catalogue, 0: it has no such event. */
u16 lkst_feed_id(const struct lkst_feed *f, enum lkst_event_index index);

/* Whether the pass has read a record of event @id, in the window or before it. */
bool lkst_feed_has_come(const struct lkst_feed *f, u32 id);

/* Whether records of the event can be in the trace. */
bool lkst_feed_has(const struct lkst_feed *f, enum lkst_event_index index);

/*
 * The fields of the built-in event that this trace's records do not have, a bit for each by its
 * place in the catalogue: subscribers find 0 in them. All bits if the trace has no such event.
 */
u64 lkst_feed_missing(const struct lkst_feed *f, enum lkst_event_index index);

/* Any event by its name, a tracepoint outside the catalogue for one; @record is @r's bytes. */
int lkst_feed_named(struct lkst_feed *f, const char *name, lkst_feed_call *call, void *ctx);

/*
 * Has @threads, which must stay, know the names and processes of threads, whatever the window; other fields of theirs
 * are not kept up to date. Subscribers after it find them as they are with their record. 0 or -ENOMEM.
 */
int lkst_feed_threads(struct lkst_feed *f, struct lkst_threads *threads);

/* The same for @mappings: what user code is where in a process. */
int lkst_feed_mappings(struct lkst_feed *f, struct lkst_mappings *mappings);

/*
 * Has @d, which must stay and was made with @threads of lkst_feed_threads(), follow descriptors, whatever the window.
 * Subscribers after it find them as they are with their record. 0 or -ENOMEM.
 */
int lkst_feed_descriptors(struct lkst_feed *f, struct lkst_descriptors *d);

/* Entry to or exit from a system call. */
struct lkst_feed_syscall {
	s16 row;			 /* in lkst_syscalls[], -1: a call that has no row */
	s32 nr;				 /* its number; -1: not known */
	bool is_compat;			 /* made by a 32-bit program */
	u8 nr_args;			 /* entry */
	u8 nr_strings;			 /* of entry and of exit: lkst_feed_string() */
	u64 args[LKST_SYSCALL_ARGS_MAX]; /* entry: widened by their sign; those that are not there, 0 */
	s64 ret;			 /* exit */
	const struct lkst_record *record;
};

typedef int lkst_feed_syscall_call(void *ctx, const struct lkst_record *r,
				   const struct lkst_feed_syscall *s);

/* All system calls. @entry or @exit may be NULL. */
int lkst_feed_syscalls(struct lkst_feed *f, lkst_feed_syscall_call *entry,
		       lkst_feed_syscall_call *exit, void *ctx);

/* Only those called @name, of 64- and 32-bit programs. */
int lkst_feed_syscall(struct lkst_feed *f, const char *name, lkst_feed_syscall_call *entry,
		      lkst_feed_syscall_call *exit, void *ctx);

/*
 * String number @i (of those arguments that are paths, in order) and its length; "" if it could not be
 * read at this point: a string that entry could not read may be in exit, and the other way round.
 */
const char *lkst_feed_string(const struct lkst_feed_syscall *s, unsigned int i, u32 *ret_length);

/*
 * Places where records are missing, no later than the first record of the same CPU and buffer after
 * them. What the beginning of the trace lacks, where a ring had been overwritten, comes first. While maskset
 * RNOTHING was active records are missing on every CPU, which is told when that ends.
 */
typedef int lkst_feed_gap_call(void *ctx, const struct lkst_gap *gap);
int lkst_feed_gaps(struct lkst_feed *f, lkst_feed_gap_call *call, void *ctx);

/* The end of the pass; @end_ns is the window's end or the trace's last record, whichever comes first. */
typedef int lkst_feed_end_call(void *ctx, u64 end_ns);
int lkst_feed_end(struct lkst_feed *f, lkst_feed_end_call *call, void *ctx);

/*
 * Subscribers from now on also get what lies before the window if @is_always. The state model needs
 * that; others do not.
 */
void lkst_feed_always(struct lkst_feed *f, bool is_always);

/*
 * Has the pass call @call with the time of one record in a thousand, wanted or not: for those who show how far it has
 * come, or end it. A negative errno ends the pass.
 */
typedef int lkst_feed_look_call(void *ctx, u64 ns);
void lkst_feed_look(struct lkst_feed *f, lkst_feed_look_call *call, void *ctx);

/* The pass. Once only. */
int lkst_feed_run(struct lkst_err *e, struct lkst_feed *f);

/* Records that the pass has read, wanted or not. */
u64 lkst_feed_records(const struct lkst_feed *f);

/* Those of them that are in the window, state aside. */
u64 lkst_feed_window_records(const struct lkst_feed *f);

#endif
