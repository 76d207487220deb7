/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What code the processes have mapped whose user stacks are recorded: state_mapping and state_binary. A process is
 * looked at when its first stack comes by, and again when its mappings are written, if it still lives. So one
 * without stacks costs nothing. What a process has mapped since recording began is in its own records `mapping`; of
 * those only the files are looked at, for their build-ids.
 */
#ifndef LKST_LIVE_STATE_WRITE_MAPPINGS_H
#define LKST_LIVE_STATE_WRITE_MAPPINGS_H

#include "live/session/session.h"
#include "trace/format/block.h"
#include "trace/write/writer.h"

enum {
	LKST_MAPPED_PROCESSES_MAX = 8192,
	LKST_MAPPED_BINARIES_MAX = 16384,
	LKST_MAPPED_MAX = 1 << 18, /* mappings of all processes */
};

struct lkst_mapped;

/* NULL: no memory. */
struct lkst_mapped *lkst_mapped_new(void);
void lkst_mapped_free(struct lkst_mapped *m);
LKST_GUARD(lkst_mapped_free, struct lkst_mapped)

/* Whether records of @event have addresses of user code, or stand for a stack of them. */
bool lkst_mapped_wants(const struct lkst_event_class *event);

/* Notes that a stack of thread @tid was recorded. It is looked at by lkst_mapped_look(). 0 or -ENOMEM. */
int lkst_mapped_note(struct lkst_mapped *m, s32 tid);

/* Notes that process @pid has run another program at @ns: what it had mapped before is not known. */
void lkst_mapped_note_exec(struct lkst_mapped *m, s32 pid, u64 ns);

/* Notes the file that @r, a record of `mapping`, is about. It is looked at by lkst_mapped_look(). 0 or -ENOMEM. */
int lkst_mapped_note_file(struct lkst_mapped *m, const struct lkst_record *r);

/* Reads the mappings of processes that were noted and not yet looked at. 0 or -ENOMEM. */
int lkst_mapped_look(struct lkst_mapped *m);

/* Writes what is known, and forgets it. About lkst_mapped_bytes() bytes. */
int lkst_mapped_write(struct lkst_err *e, struct lkst_mapped *m, const struct lkst_session *s,
		      struct lkst_writer *w);
u64 lkst_mapped_bytes(const struct lkst_mapped *m);

#endif
