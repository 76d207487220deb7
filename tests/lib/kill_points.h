/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ends processes at every point at which that makes a difference: right before and right after each of their system
 * calls that changes anything outside of them, and each that takes what another process has sent. The calls are those
 * that the kernel sees (ptrace(2)), whoever makes them, so that none can be forgotten; one that is not known to be
 * harmless is an error. Nothing depends on time.
 */
#ifndef LKST_TESTS_KILL_POINTS_H
#define LKST_TESTS_KILL_POINTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "abi/types.h"

/* What a call does that is a point. */
enum kill_point {
	KILL_CREATE,  /* a file or directory is made, or emptied */
	KILL_WRITE,   /* bytes go to a file, a pipe or a socket */
	KILL_NAME,    /* something gets another name */
	KILL_REMOVE,
	KILL_SYNC,    /* something is brought to the disk */
	KILL_LOCK,    /* or given up */
	KILL_CHANGE,  /* of length, mode or owner */
	KILL_CONNECT, /* to a server */
	KILL_RECEIVE, /* some of what a server says; it is known to be a point only when it has been done */
	KILL_FORK,
	KILL_EXIT,
	KILL_NR_POINTS,
};
extern const char *const kill_point_names[KILL_NR_POINTS];

struct kill_plan {
	s64 at;	       /* the number of the point, from 0; -1: nothing is killed */
	bool is_after; /* the call was made, or else it is not */
	bool is_whole; /* all processes end, or else the one that has come to the point */
};

enum { KILL_POINTS_MAX = 1024 }; /* that one piece of work may have */

struct kill_seen {
	u32 nr, of[KILL_NR_POINTS];   /* points that were passed or come to */
	bool of_child[KILL_POINTS_MAX]; /* of each: by a process that the first one has started */
	bool is_killed;		      /* the point was come to */
	bool is_child;		      /* by such a process */
	enum kill_point point;	      /* which it was */
	int status;		      /* of the first process: waitpid(2) */
	long unknown;		      /* number of a system call that is not known here; -1: none */
};

/*
 * Has @run do its work in a process of its own, which may start others, until all have ended or the point is come to.
 * Only one of them may run at a time, so that the order of the points is always the same. So what is left of all of
 * them by a kill right after a point is what one right before the next leaves.
 */
void kill_points_run(const struct kill_plan *plan, void (*run)(void *ctx), void *ctx, struct kill_seen *ret_seen);

#endif
