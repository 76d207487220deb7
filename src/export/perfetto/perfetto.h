/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the Perfetto export share: an export at work, and packets.
 *
 * A file of Perfetto is a message of packets. Numbers of fields are those of protos/perfetto/trace of
 * github.com/google/perfetto (Apache-2.0), version 58; what is said here of its trace processor is as its sources were
 * then. All times are CLOCK_BOOTTIME, since that is the only clock of the kernel's events that it takes without a
 * snapshot in each bundle.
 *
 * Sequences of packets are what a thread of Perfetto's own recorder would write; names and defaults are of a sequence.
 */
#ifndef LKST_EXPORT_PERFETTO_PERFETTO_H
#define LKST_EXPORT_PERFETTO_PERFETTO_H

#include "analyze/engine/feed.h"
#include "analyze/engine/labels.h"
#include "analyze/model/model.h"
#include "base/hash.h"
#include "base/map.h"
#include "export/export_format.h"
#include "export/perfetto/protobuf.h"

enum {
	LKST_PERFETTO_CPUS_MAX = 1024, /* the trace processor refuses a file with more */
	LKST_PERFETTO_THREADS_MAX = 1
				    << 17, /* that are followed at a time: what bounds the memory */
	LKST_PERFETTO_PACKET_MAX = 1 << 16,

	/* Sequences. */
	LKST_PERFETTO_STATE = 1,    /* clocks, machine, threads, tracks */
	LKST_PERFETTO_EVENTS = 2,   /* the kernel's events */
	LKST_PERFETTO_FINDINGS = 3, /* what LKST says itself */
	LKST_PERFETTO_DISKS = 4,
	LKST_PERFETTO_COUNTERS = 16, /* one for each counter, from here on */

	/* Fields of TracePacket. */
	LKST_PERFETTO_FTRACE_EVENTS = 1,
	LKST_PERFETTO_PROCESS_TREE = 2,
	LKST_PERFETTO_CLOCK_SNAPSHOT = 6,
	LKST_PERFETTO_TIMESTAMP = 8,
	LKST_PERFETTO_SEQUENCE_ID = 10,
	LKST_PERFETTO_TRACK_EVENT = 11,
	LKST_PERFETTO_SEQUENCE_FLAGS = 13,
	LKST_PERFETTO_SYSTEM_INFO = 45,
	LKST_PERFETTO_PACKET_DEFAULTS = 59,
	LKST_PERFETTO_TRACK_DESCRIPTOR = 60,
	LKST_PERFETTO_TRACE_UUID = 89,

	/* Values of its sequence_flags. */
	LKST_PERFETTO_STATE_CLEARED = 1, /* the first packet of a sequence */
	LKST_PERFETTO_NEEDS_STATE = 2,
};

/* Numbers of tracks: the upper half says what kind it is of. */
enum lkst_perfetto_track {
	LKST_PERFETTO_TRACK_LKST = 1,
	LKST_PERFETTO_TRACK_FINDINGS,
	LKST_PERFETTO_TRACK_WHY,
	LKST_PERFETTO_TRACK_INCIDENTS,
	LKST_PERFETTO_TRACK_LOSSES,
	LKST_PERFETTO_TRACK_GAPS, /* by CPU */
	LKST_PERFETTO_TRACK_DISK, /* by disk and place */
	LKST_PERFETTO_TRACK_COUNTER,
	LKST_PERFETTO_TRACK_LIMIT, /* by kind */
	LKST_PERFETTO_NR_TRACKS,
};

static inline u64 lkst_perfetto_uuid(enum lkst_perfetto_track kind, u32 number)
{
	return (u64)kind << 32 | (number + 1ULL);
}

struct lkst_perfetto_cpu;
struct lkst_perfetto_disks;
struct lkst_perfetto_why;
struct lkst_lint_search;

struct lkst_perfetto {
	struct lkst_err *e;
	struct lkst_export *x;
	struct lkst_feed *feed;
	struct lkst_model *model;     /* gets each event before the parts do */
	struct lkst_threads *threads; /* names as they are with the record */
	struct lkst_labels labels;
	u64 boot_ns; /* CLOCK_BOOTTIME less CLOCK_MONOTONIC */
	int error;   /* a negative errno: the pass is to end */
	bool has_clock, has_begun;
	struct lkst_gaps early; /* met before `has_begun` */

	/* perfetto_cpus.c, perfetto_running.c, perfetto_bundle.c */
	u64 begin_ns;	  /* when the records of CPUs begin, or the window */
	u64 gap_until_ns; /* until then, records of some CPU are missing */
	struct lkst_perfetto_cpu *cpus[LKST_PERFETTO_CPUS_MAX];
	u32 nr_cpus; /* numbers below this */
	struct lkst_hash of_thread;
	s32 *known; /* threads of which it is known what they do */
	u32 nr_known;
	s16 *numbers;  /* of system calls, by row, on the machine of the trace; -1: it has none */
	s16 sigreturn; /* of these, rt_sigreturn's */

	/* perfetto_tracks.c */
	u32 nr_counters;
	bool has_sequence[LKST_PERFETTO_COUNTERS];

	struct lkst_perfetto_disks *disks; /* perfetto_disks.c */
	struct lkst_hash born; /* perfetto_state.c: threads whose creation is still to come */

	struct lkst_perfetto_why *why; /* perfetto_why.c */

	/* perfetto_findings.c */
	struct lkst_lint_search *lint;
	bool has_track[LKST_PERFETTO_NR_TRACKS];
	struct lkst_map gap_tracks; /* by CPU and buffer */

	struct lkst_protobuf packet;
	u8 bytes[LKST_PERFETTO_PACKET_MAX];
};

/* A time of the trace as Perfetto has it. */
static inline u64 lkst_perfetto_time(const struct lkst_perfetto *p, u64 ns)
{
	return ns + p->boot_ns;
}

/*
 * Begins a packet of sequence @sequence in p->packet, and with @ns not 0, its time. lkst_perfetto_end() writes it; one
 * that has become too long is left out.
 */
struct lkst_protobuf *lkst_perfetto_begin(struct lkst_perfetto *p, u32 sequence, u64 ns);
void lkst_perfetto_end(struct lkst_perfetto *p);

/* To be called before the first record that is not of the state stream, if not `has_begun`. 0 or a negative errno. */
int lkst_perfetto_start(struct lkst_perfetto *p);

/* ---- perfetto_state.c: what the trace is of ------------------------------------------------ */

/* Subscribes to what the trace says of the machine. 0 or -ENOMEM. */
int lkst_perfetto_subscribe_state(struct lkst_perfetto *p);

/* Writes what it said. */
void lkst_perfetto_put_state(struct lkst_perfetto *p);

/* Makes thread @tid of process @pid known, by name. @is_kernel: of a process: it has no program. */
void lkst_perfetto_put_thread(struct lkst_perfetto *p, s32 tid, s32 pid, s32 parent_pid,
			      const char *name, u32 length, bool is_kernel);

/* The name of thread @tid on @cpu, and its length. @text: room for it. */
const char *lkst_perfetto_comm(const struct lkst_perfetto *p, s32 tid, u32 cpu, char text[24],
			       u32 *ret_length);

/* ---- perfetto_cpus.c, perfetto_running.c: events of the kernel ------------------------------- */

int lkst_perfetto_subscribe_cpus(struct lkst_perfetto *p);

/* Records of @gap's CPU are missing. @is_end: none comes after it. */
int lkst_perfetto_lose_cpu(struct lkst_perfetto *p, const struct lkst_gap *gap, bool is_end);

/* Says why thread @tid was blocked until @ns: what has number @reason. @cpu: where it was woken, or ran. */
void lkst_perfetto_put_reason(struct lkst_perfetto *p, s32 cpu, u64 ns, s32 tid, u64 reason,
			      bool is_io);

/* Writes what is left. */
void lkst_perfetto_end_cpus(struct lkst_perfetto *p);
void lkst_perfetto_free_cpus(struct lkst_perfetto *p);

/* ---- perfetto_tracks.c: tracks that are not the kernel's ------------------------------------ */

/* Makes a track; @parent 0: it is at the top. @rank: its place among its siblings. */
void lkst_perfetto_track(struct lkst_perfetto *p, u64 uuid, u64 parent, const char *name, u32 rank);

/* Makes a counter, whose number it returns for lkst_perfetto_count(). */
u32 lkst_perfetto_counter(struct lkst_perfetto *p, const char *name, const char *unit);
void lkst_perfetto_count(struct lkst_perfetto *p, u32 counter, u64 ns, s64 value);

enum lkst_perfetto_event {
	LKST_PERFETTO_SLICE_BEGIN = 1,
	LKST_PERFETTO_SLICE_END = 2,
	LKST_PERFETTO_INSTANT = 3,
};

/*
 * Begins an event on a track, called @name, which may be NULL. lkst_perfetto_note_*() add facts to it, and
 * lkst_perfetto_end_event() with what this returns ends it.
 */
u32 lkst_perfetto_begin_event(struct lkst_perfetto *p, u32 sequence, enum lkst_perfetto_event type,
			      u64 track, u64 ns, const char *name);
void lkst_perfetto_note_text(struct lkst_perfetto *p, const char *name, const char *text,
			     u32 length);
void lkst_perfetto_note_number(struct lkst_perfetto *p, const char *name, s64 value);
void lkst_perfetto_note_address(struct lkst_perfetto *p, const char *name, u64 value);
void lkst_perfetto_end_event(struct lkst_perfetto *p, u32 at);

/* ---- perfetto_disks.c: requests of disks, and other counts ---------------------------------- */

int lkst_perfetto_subscribe_disks(struct lkst_perfetto *p);

/* Records are missing in @gap: which requests were done then is not known, unless other buffers have theirs. */
void lkst_perfetto_lose_disks(struct lkst_perfetto *p, const struct lkst_gap *gap);
void lkst_perfetto_free_disks(struct lkst_perfetto *p);

/* ---- perfetto_findings.c: what LKST says of the trace --------------------------------------- */

int lkst_perfetto_subscribe_findings(struct lkst_perfetto *p);
void lkst_perfetto_put_gap(struct lkst_perfetto *p, const struct lkst_gap *gap);

/* The track @kind below LKST's own, called @name, which is made if it is the first time. */
u64 lkst_perfetto_own_track(struct lkst_perfetto *p, enum lkst_perfetto_track kind,
			    const char *name);

/* Writes what the pass has found. 0 or a negative errno. */
int lkst_perfetto_put_findings(struct lkst_perfetto *p);
void lkst_perfetto_free_findings(struct lkst_perfetto *p);

/* ---- perfetto_why.c: what threads wait for --------------------------------------------------- */

int lkst_perfetto_subscribe_why(struct lkst_perfetto *p);

/* Explains the longest waits and calls that the pass has met. 0 or a negative errno. */
int lkst_perfetto_put_why(struct lkst_perfetto *p);
void lkst_perfetto_free_why(struct lkst_perfetto *p);

#endif
