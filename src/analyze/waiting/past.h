/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all threads did, one state after the other, and what ended each wait: the intervals of the state model, kept so
 * that a wait can be followed to whoever ended it, and to what that one did meanwhile. It is made in one pass, and
 * asked after it.
 */
#ifndef LKST_ANALYZE_WAITING_PAST_H
#define LKST_ANALYZE_WAITING_PAST_H

#include "analyze/engine/lacks.h"
#include "analyze/model/model.h"
#include "analyze/waiting/about.h"
#include "analyze/waiting/circumstances.h"
#include "analyze/waiting/connections.h"
#include "analyze/waiting/cpu_timers.h"
#include "analyze/why/places.h"
#include "base/cleanup.h"

/* What ended a wait. */
enum lkst_past_end {
	LKST_PAST_END_UNKNOWN,
	LKST_PAST_END_THREAD, /* a thread, or a softirq in its own call that sends */
	LKST_PAST_END_TIMER,  /* `object`: its function */
	LKST_PAST_END_DISK,   /* `dev`: whose request was done */
	LKST_PAST_END_INTERRUPT, /* an interrupt or a softirq: nothing more is known */
};

enum {
	LKST_PAST_IS_LOCK = 1,	     /* it waits for a lock: what others do for it is to let it go */
	LKST_PAST_IS_CONNECTED = 2,  /* it receives on a socket that its process has connected: an answer */
	LKST_PAST_IS_ROUND_TRIP = 4, /* it receives, and was woken by whom it had woken just before */
	LKST_PAST_IS_SENDING = 8,    /* it is in a call that sends */
	LKST_PAST_IS_FIXED = 16,     /* no signal can end it: prev_state D */
	LKST_PAST_IS_TRACED = 32,    /* STOPPED by a tracer, not by a signal */
	LKST_PAST_IS_INFERRED = 64,  /* known by what came later alone */
	LKST_PAST_IS_KERNEL = 128,   /* of a kernel thread */
	LKST_PAST_IS_OPEN = 256,     /* it was not over where the trace, or what is known of it, ends */
	LKST_PAST_HAS_PEER = 512,    /* `waker` has not ended it, but has accepted the connection that it waits at */
	LKST_PAST_TIMED_OUT = 1024,  /* the call's own time was over, and nothing had come */
	LKST_PAST_IS_UNANSWERED = 2048, /* the same of a call that waits for what was asked of `about` just before */
	LKST_PAST_IS_FROZEN = 4096,  /* its cgroup was frozen */
	LKST_PAST_IN_FAULT = 8192,   /* it waits in a page fault; `about`: for what is mapped there */
	LKST_PAST_IS_REFAULT = 16384, /* for a page that had been in memory not long before: PSI counts it */
	LKST_PAST_IS_DIRTY = 1 << 15, /* a writer is held back until the disk has written some of what is dirty */
	LKST_PAST_WAS_HELD = 1 << 16, /* DISK: for most of it the limit of a cgroup had not let the request pass */
	LKST_PAST_WAS_RESENT = 1 << 17, /* TCP has sent again to where it waits for, meanwhile */
	LKST_PAST_IS_REALTIME = 1 << 18, /* RUNNING: with a real-time priority */
	LKST_PAST_WAS_QUEUED = 1 << 19, /* END_INTERRUPT: a packet, behind timer `object` and a device's queue */
	LKST_PAST_WAS_CRASH = 1 << 20, /* END_THREAD: `waker` was killed for a fault of its own, and ended */
	/* ROUND_TRIP: at a descriptor that was a socket which its process had connected, when that was listed */
	LKST_PAST_MAY_ASK = 1 << 21,
	/* in the handler of a signal that was sent to it alone, until a thread of its own process let it go on */
	LKST_PAST_IS_SIGNALLED = 1 << 22,
};

/* A thread in one state. Those of one CPU's idle thread are there, too. */
struct lkst_past {
	u64 from_ns, to_ns;
	/* BLOCKED: what for, as in struct lkst_wait, or the timer's function that ended it; THROTTLED: its cgroup */
	u64 object;
	u32 life;
	u32 waker; /* the life of the thread that ended it, LKST_LIFE_NONE: none did, or it is not known which */
	/* Who is woken and finds nothing waits again in the same call: the first and the last of such a row. */
	u32 first, last;
	u32 dev;
	u32 about;	/* BLOCKED: a number of `abouts`; what the call is about, 0: not known */
	s16 call;	/* the system call it was in, a row of lkst_syscalls[], -1: none, or not known */
	s16 waker_call; /* the same of the waker, when it ended the wait */
	s16 cpu;
	u8 run, ready, cause; /* enum lkst_run, lkst_ready, lkst_cause */
	u8 end;		      /* enum lkst_past_end */
	u32 flags;	      /* LKST_PAST_* */
};

/* A system call in which a thread ran for long. */
struct lkst_past_call {
	u64 from_ns, to_ns;
	u32 life;
	s16 call;
};

struct lkst_pasts {
	struct lkst_past *list; /* in order of their ends */
	u32 nr;
	struct lkst_past_call *calls;
	u32 nr_calls;
	u64 from_ns, to_ns; /* what is held */
	bool is_cut;	    /* there was more: the oldest was left out */

	/* Private. */
	struct lkst_model *model;
	u32 room, room_calls;
	struct lkst_lacks lacks;
	struct lkst_past_thread *threads; /* by life */
	u32 nr_threads;
	u8 *kinds; /* by system call: CALL_* */
	u16 *priorities; /* of who runs on each CPU, plus 1; 0: not known */
	u32 nr_cpus;
	struct lkst_cpu_timers timers;
	struct lkst_connections connections;
	struct lkst_abouts abouts; /* `descriptors` is the caller's to set, before lkst_past_subscribe() */
	struct lkst_circumstances circumstances; /* `symbols`: the same */
	struct lkst_places by_life, by_cpu, by_waker, calls_by_life;
	int error;
};

/*
 * Has the pass of @f and @model, which must stay, fill it; the model has been told who knows the cgroups of threads
 * (lkst_model_know_cgroups()). @limited: what the cost limit left out, NULL: nothing. All zero before, but for
 * abouts.descriptors and circumstances.symbols. 1, or a negative errno.
 */
int lkst_past_subscribe(struct lkst_pasts *h, struct lkst_feed *f, struct lkst_model *model,
			const struct lkst_limited *limited);

/* After the pass. 0 or -ENOMEM. */
int lkst_past_finish(struct lkst_pasts *h);
void lkst_past_fini(struct lkst_pasts *h);

/* Places in list[] of what life number @life did; of who ran on @cpu; of the waits that @life ended. */
struct lkst_places_list lkst_past_of(const struct lkst_pasts *h, u32 life);
struct lkst_places_list lkst_past_on(const struct lkst_pasts *h, u32 cpu);
struct lkst_places_list lkst_past_woken_by(const struct lkst_pasts *h, u32 life);

/* How many of @list end at @ns or before. */
u32 lkst_past_before(const struct lkst_pasts *h, struct lkst_places_list list, u64 ns);

/* In which system call @life ran most from @from_ns to @to_ns, more than half of the time; -1: none is known. */
s16 lkst_past_call_at(const struct lkst_pasts *h, u32 life, u64 from_ns, u64 to_ns);

#endif
