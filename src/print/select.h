/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which records to print: by event, thread, cgroup, CPU and time.
 *
 * A record is about the thread that ran, and about those that its fields name: a switch is about the thread
 * that it switches to, a wake-up about the woken one. Otherwise a thread would be seen to leave its CPU and
 * never to come back. set_event_pid of the kernel's tracer, which trace-cmd uses, follows the same rule.
 */
#ifndef LKST_PRINT_SELECT_H
#define LKST_PRINT_SELECT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "trace/format/block.h"
#include "trace/known/threads.h"

/*
 * What a user asks for; a record must match all that is set. All is borrowed, the globs for as long as the
 * choice is in use.
 */
struct lkst_select_options {
	/*
	 * Globs for an event's name, "group:name", its LKST mnemonic, or the name of a system call.
	 * None: everything but the state group, which is printed only if asked for.
	 */
	char *const *events;
	unsigned int nr_events;
	bool has_tid, has_pid, has_cpu, has_to;
	s32 tid; /* the thread that ran, or one that a field of the record names */
	s32 pid; /* its process */
	u32 cpu;
	const char *comm; /* a glob for its name, NULL: any */
	const char *cgroup; /* a glob for its cgroup's path or container, NULL: any */
	u64 from_ns;	  /* CLOCK_MONOTONIC; times that equal it are in */
	u64 to_ns;	  /* times that equal it are in */
};

struct lkst_select;

/*
 * Applies the options to the events of @catalog. -ENOENT: a glob matches none of them. @threads is
 * where names are looked up, as they are when lkst_select_matches() is called.
 */
int lkst_select_new(struct lkst_err *e, const struct lkst_catalog *catalog,
		    const struct lkst_threads *threads, const struct lkst_select_options *options,
		    struct lkst_select **ret_select);
void lkst_select_free(struct lkst_select *select);
LKST_GUARD(lkst_select_free, struct lkst_select)

/*
 * True if the record is wanted. Records of the state group are chosen by event alone: they belong to
 * no moment, CPU or thread.
 */
bool lkst_select_matches(const struct lkst_select *select, const struct lkst_record *r);

/* True if an event of this class can be wanted at all. */
bool lkst_select_has_event(const struct lkst_select *select, const struct lkst_event_class *event);

#endif
