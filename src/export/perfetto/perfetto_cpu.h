/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perfetto: CPUs and threads, as the files share them that write the kernel's events:
 *
 *	perfetto_bundle.c	events and switches, in bundles of a CPU each
 *	perfetto_running.c	who runs where, and what is not known
 *	perfetto_cpus.c		what becomes of each event
 */
#ifndef LKST_EXPORT_PERFETTO_PERFETTO_CPU_H
#define LKST_EXPORT_PERFETTO_PERFETTO_CPU_H

#include "export/perfetto/perfetto.h"

enum {
	/* The process of those that stand for what is missing, and the first of them. No thread has such numbers. */
	LKST_PERFETTO_MISSING_PID = 4 * 1024 * 1024 + 1,
	LKST_PERFETTO_MISSING_TID = LKST_PERFETTO_MISSING_PID + 1,

	LKST_PERFETTO_PRIO_DEFAULT = 120,
	LKST_PERFETTO_CONTEXTS_MAX = 16,
	LKST_PERFETTO_SCHED_MAX = 160, /* switches of a bundle, and wake-ups */
	LKST_PERFETTO_EVENTS_ROOM = 12288,
	LKST_PERFETTO_NAMES_ROOM = 6144,
	LKST_PERFETTO_NAMES_CACHE = 64, /* a power of two */

	/* States that a switch leaves a thread in: bits of the kernel's, as ftrace has them. */
	LKST_PERFETTO_READY = 0,
	LKST_PERFETTO_SLEEPS = 1, /* of the threads that stand for what is missing */
	LKST_PERFETTO_DEAD = 0x10,
	LKST_PERFETTO_UNKNOWN = 0x8000, /* beyond all that there are */

	/* Fields of FtraceEvent: the kernel's events. */
	LKST_PERFETTO_SCHED_SWITCH = 4,
	LKST_PERFETTO_SCHED_BLOCKED_REASON = 18,
	LKST_PERFETTO_SOFTIRQ_ENTRY = 24,
	LKST_PERFETTO_SOFTIRQ_EXIT = 25,
	LKST_PERFETTO_IRQ_ENTRY = 36,
	LKST_PERFETTO_IRQ_EXIT = 37,
	LKST_PERFETTO_TASK_NEWTASK = 235,
	LKST_PERFETTO_TASK_RENAME = 236,
	LKST_PERFETTO_PROCESS_EXEC = 237,
	LKST_PERFETTO_PROCESS_EXIT = 238,
	LKST_PERFETTO_PROCESS_FREE = 240,
	LKST_PERFETTO_SYS_ENTER = 329,
	LKST_PERFETTO_SYS_EXIT = 330,
};

/* The packed fields of a bundle's switches and wake-ups. */
enum lkst_perfetto_sched_field {
	LKST_PERFETTO_SWITCH_TIME,
	LKST_PERFETTO_SWITCH_STATE,
	LKST_PERFETTO_SWITCH_TID,
	LKST_PERFETTO_SWITCH_PRIO,
	LKST_PERFETTO_SWITCH_NAME,
	LKST_PERFETTO_WAKING_TIME,
	LKST_PERFETTO_WAKING_TID,
	LKST_PERFETTO_WAKING_CPU,
	LKST_PERFETTO_WAKING_PRIO,
	LKST_PERFETTO_WAKING_NAME,
	LKST_PERFETTO_WAKING_FLAGS,
	LKST_PERFETTO_NR_SCHED_FIELDS,
};

/* A name of a bundle. */
struct lkst_perfetto_name {
	u32 bundle, index;
	s32 tid;
	char comm[16];
};

/* An interrupt or softirq that has begun. */
struct lkst_perfetto_context {
	u64 ns;
	bool is_softirq;
	s32 number; /* of the kernel's own interrupts, negative */
};

struct lkst_perfetto_cpu {
	u32 nr;
	s32 tid; /* who runs; of those that stand for what is missing, too */
	bool has_switch, is_missing, has_bundle, has_lost;
	u64 from_ns; /* since when its records are whole */
	u64 left_ns; /* of its last switch */
	u64 told_ns; /* of the last event that was written */
	u64 end_ns;  /* the same, of the bundle before */
	u32 counter; /* of its run queue, plus 1; 0: none */
	s64 counted;

	struct lkst_perfetto_context contexts[LKST_PERFETTO_CONTEXTS_MAX];
	u32 nr_contexts;

	/* The bundle. */
	u32 bundle; /* its number, from 1 on */
	u32 nr_switches, nr_wakings, nr_names;
	u64 switch_ns, waking_ns; /* of the last one, as Perfetto has it */
	struct lkst_protobuf events, names, sched[LKST_PERFETTO_NR_SCHED_FIELDS];
	struct lkst_perfetto_name cache[LKST_PERFETTO_NAMES_CACHE];
	u8 event_bytes[LKST_PERFETTO_EVENTS_ROOM], name_bytes[LKST_PERFETTO_NAMES_ROOM];
	u8 sched_bytes[LKST_PERFETTO_NR_SCHED_FIELDS]
		      [LKST_PERFETTO_SCHED_MAX * LKST_PROTOBUF_VARINT_MAX];
};

/* A thread, by its number, and where it is. */
struct lkst_perfetto_thread {
	u64 tid;
	u64 call_ns; /* since when it is in a system call */
	s32 cpu;     /* where it runs, -1: nowhere */
	s16 call;    /* the number of that call, -1: none */
	bool is_known, is_listed;
	u32 place; /* in the list `known`, if `is_listed` */
};

/* ---- perfetto_bundle.c ------------------------------------------------------------------------ */

/* CPU @nr, new or not. NULL: Perfetto takes no such number, or there is no memory, which p->error says. */
struct lkst_perfetto_cpu *lkst_perfetto_cpu(struct lkst_perfetto *p, u32 nr);

/* Writes the bundle of @c as a packet, and begins another one. */
void lkst_perfetto_flush(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c);

/*
 * Begins event @field of @c and thread @tid, in what is returned; @ns is as the trace has it.
 * lkst_perfetto_end_kernel_event() ends it, with the two numbers in @ret_at.
 */
struct lkst_protobuf *lkst_perfetto_begin_kernel_event(struct lkst_perfetto *p,
						       struct lkst_perfetto_cpu *c, u64 ns, s32 tid,
						       u32 field, u32 ret_at[2]);
void lkst_perfetto_end_kernel_event(struct lkst_protobuf *b, const u32 at[2]);

/*
 * @c leaves who runs there in state @state and runs @next_tid from @ns on, or from the switch before: what is lost may
 * have been lost earlier than that is told.
 */
void lkst_perfetto_put_switch(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			      u32 state, s32 next_tid, s16 next_prio);

/* On @c, thread @tid was woken, to run on @target_cpu. @flags: the common_flags of the event. */
void lkst_perfetto_put_waking(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid,
			      s32 target_cpu, s16 prio, u32 flags);

/* ---- perfetto_running.c ----------------------------------------------------------------------- */

/* Has the state model say who runs where, which gets each record and gap before. 0 or -ENOMEM. */
int lkst_perfetto_subscribe_running(struct lkst_perfetto *p);

/* Thread @tid, or NULL. */
struct lkst_perfetto_thread *lkst_perfetto_find_thread(const struct lkst_perfetto *p, s32 tid);

/* The thread, from now on one of which it is known what it does. NULL: idle, or there are too many. */
struct lkst_perfetto_thread *lkst_perfetto_know(struct lkst_perfetto *p, s32 tid);

/*
 * The CPU of @r, on which r->tid runs. NULL: it is not followed, or that failed, or the record shows no more than a
 * moment, in a gap.
 */
struct lkst_perfetto_cpu *lkst_perfetto_cpu_at(struct lkst_perfetto *p,
					       const struct lkst_record *r);

/* What a switch says. */
void lkst_perfetto_switch(struct lkst_perfetto *p, const struct lkst_record *r,
			  const struct lkst_rec_sched_switch *x);

/* An interrupt or softirq begins, or ends with those that it was interrupted by. @name: not of a softirq. */
void lkst_perfetto_begin_context(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
				 bool is_softirq, s32 number, const char *name);
void lkst_perfetto_end_context(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns,
			       bool is_softirq, s32 number, u32 result);

/* The call that thread @tid was in ends. @has_result: it is known how. */
void lkst_perfetto_end_call(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c, u64 ns, s32 tid,
			    s16 call, bool has_result, s64 result);

/* No more is known of the call that @t is in, if it is in one. */
void lkst_perfetto_cut_call(struct lkst_perfetto *p, struct lkst_perfetto_cpu *c,
			    struct lkst_perfetto_thread *t, u64 ns);

/* A text of an event of the kernel's, of which each byte may become 3. */
void lkst_perfetto_put_cut_text(struct lkst_protobuf *b, u32 field, const char *text);

#endif
