/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What code of which file is where in a process, at each time of a trace: the mappings of processes, from the records
 * about them. An address of a process becomes a place in a binary, which is the same in all processes and at all
 * times, so that places can be counted; src/usercode/name has names for them.
 *
 *	m = lkst_mappings_new();
 *	lkst_mappings_load(&e, m, trace);		the state, which comes first
 *	lkst_feed_mappings(feed, m);			in a pass; or lkst_mappings_feed() with each record
 *	lkst_mappings_find(m, pid, r->ns, address, &place);
 *
 * Nothing here is read but the trace.
 */
#ifndef LKST_USERCODE_SPACE_MAPPINGS_H
#define LKST_USERCODE_SPACE_MAPPINGS_H

#include "base/cleanup.h"
#include "trace/read/reader.h"

struct lkst_mappings;

enum {
	LKST_BINARY_ID = 64, /* characters of a build-id at most */
	LKST_BINARIES_MAX = 1 << 16,
	LKST_MAPPINGS_MAX = 1 << 19, /* that are kept at a time, of all processes */
};

enum lkst_binary_kind {
	LKST_BINARY_FILE, /* a program or a library */
	LKST_BINARY_VDSO, /* what the kernel maps into each process, vdso(7) */
	LKST_BINARY_MEMORY, /* no file that is known: what a process has made while it ran, as JIT compilers do */
};

/* Where a copy of a binary is, as in a layer of a container: in the namespace of a process that had it mapped. */
struct lkst_binary_place {
	struct lkst_binary_place *next;
	const char *path;
	s32 user_pid; /* as the trace was written; 0: none known */
};

/* A thing that is mapped. Texts are as the trace has them, any bytes, and stay as long as the mappings. */
struct lkst_binary {
	u32 nr;	 /* counts from 1 */
	u8 kind; /* enum lkst_binary_kind */
	s32 pid; /* of LKST_BINARY_MEMORY: the process; else 0 */
	struct lkst_binary_place *places; /* of its copies, some of them; NULL: none known */
	const char *
		path; /* "" if it has none. A path alone proves nothing: the file may be another one by now */
	const char *build_id; /* in hex, "": not known */
	u64 bias; /* what to add to an offset for the address in the ELF headers, if the file itself is not at hand */
};

/* A place of code. Two that are equal are the same code. */
struct lkst_code_place {
	u32 binary; /* number of a binary; 0: nothing is known of the process's mappings then */
	u64 offset; /* in its file, or in the vdso; of LKST_BINARY_MEMORY the address itself */
};

/* NULL: no memory. */
struct lkst_mappings *lkst_mappings_new(void);
void lkst_mappings_free(struct lkst_mappings *m);
LKST_GUARD(lkst_mappings_free, struct lkst_mappings)

/* Takes in what the state of trace @t says of binaries and of processes that were there. 0 or an error. */
int lkst_mappings_load(struct lkst_err *e, struct lkst_mappings *m, const struct lkst_trace *t);

/*
 * Takes in a record, in order of time: processes that begin, end, run another program or map a file. Cheap for all
 * others. 0 or -ENOMEM.
 */
int lkst_mappings_feed(struct lkst_mappings *m, const struct lkst_record *r);

/*
 * Where address @address of process @pid was at @ns, the time of the record that is read now; of an earlier one, as far
 * as the process runs the same program since. Of a frame of a stack
 * that has called, ask for the address before: that one is in the instruction that called. *@ret_place is 0, 0 if
 * nothing is known. False: no memory.
 */
bool lkst_mappings_find(struct lkst_mappings *m, s32 pid, u64 ns, u64 address,
			struct lkst_code_place *ret_place);

/* What is known of a process's code at a time. While two are equal an address is the same place. */
struct lkst_code_space {
	u64 program_ns; /* since when it has run its program; 0: since before the records */
	u64 version;
};

/* The same times as for lkst_mappings_find(). */
struct lkst_code_space lkst_mappings_space(struct lkst_mappings *m, s32 pid, u64 ns);

/* Binary number @nr, NULL: there is none. Valid until the next call that may add one: feed(), find(). */
const struct lkst_binary *lkst_mappings_binary(const struct lkst_mappings *m, u32 nr);
u32 lkst_mappings_nr_binaries(const struct lkst_mappings *m);

/* True if the trace says nothing at all of mappings: then no address of a program has a name. */
bool lkst_mappings_is_empty(const struct lkst_mappings *m);

/* The last part of a binary's path: "libc.so.6"; "[vdso]"; "[memory]" of one without a file. */
const char *lkst_binary_name(const struct lkst_binary *b);

#endif
