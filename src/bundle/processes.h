/* SPDX-License-Identifier: GPL-2.0-only */
/* What a bundle says of the threads in its trace that still live when it is made: their cgroups and command lines. */
#ifndef LKST_BUNDLE_PROCESSES_H
#define LKST_BUNDLE_PROCESSES_H

#include "bundle/bundle.h"

enum {
	LKST_BUNDLE_THREADS_MAX = 4096,	     /* lines; further threads are counted */
	LKST_BUNDLE_COMMAND_MAX = 4096,	     /* bytes of a command line */
	LKST_BUNDLE_CGROUP_MAX = 1024,	     /* bytes of the path of a cgroup */
	LKST_BUNDLE_PROCESSES_MAX = 3 << 20, /* bytes of all lines */
};

/* A thread of the trace. */
struct lkst_bundle_thread {
	s32 tid, pid; /* pid 0: not known */
	char comm[16];
	const char *cgroup; /* its path; NULL: not known */
};

/*
 * A line "TID<tab>PID<tab>NAME<tab>CGROUP<tab>COMMAND LINE" for each of the @nr threads of @list, which is sorted by
 * process, that lives and is the same as when the trace ended at @end_ns: a number may have been given to another
 * one since. Names and cgroups are as the trace has them, command lines are read from /proc, with the rights of this
 * process. In a command line, words are separated by blanks and those within a word are \x20; a further thread of
 * the process above has '"'. A line that begins with '#' says something of all. @is_private: nobody else may read
 * the bundle; if not, command lines are left out.
 */
int lkst_bundle_tell_processes(struct lkst_err *e, const struct lkst_bundle_thread *list, u32 nr,
			       u64 end_ns, bool is_private, struct lkst_bundle_text *ret_text);

#endif
