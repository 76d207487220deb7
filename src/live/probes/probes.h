/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of a pinned recording: setting one, listing them, removing one. A probe is an event of group PROBE, called
 * "GROUP:EVENT", with a hook of its own, which masksets, handlers and triggers treat as any other.
 *
 * When one is set, it is recorded at once by the active maskset and by the armed ones (not by RNOTHING), and RALL and
 * RDEFAULT have it from then on. Another maskset has it when somebody writes it there.
 */
#ifndef LKST_LIVE_PROBES_PROBES_H
#define LKST_LIVE_PROBES_PROBES_H

#include "live/hooks/probe_row.h"
#include "live/session/session.h"
#include "probe/text/probe.h"

/*
 * Sets @probe, which is resolved and has a group and an event. @definition is what lkst_probes_each() shows, a line of
 * kprobe_events; NULL: @probe's own text.
 *
 * -EEXIST: a probe of that name is set, or was, with other arguments, and its records may be in the buffers. -ENOENT:
 * there is no such place. -EILSEQ: it is inside an instruction. -EPERM: the kernel lets nobody set a probe there.
 * -ENOTSUP: this kernel has no such probes, or can't run one safely. The text says which, and what to try. If it fails,
 * nothing is left of it.
 */
int lkst_probe_set(struct lkst_err *e, struct lkst_session *s, const struct lkst_probe *probe,
		   const char *definition, struct lkst_notes *notes);

/* How the kernel gets to the program. */
enum lkst_probe_backend {
	LKST_BACKEND_DETACHED,	 /* no maskset that is in use has it */
	LKST_BACKEND_BREAKPOINT, /* by a breakpoint: an interrupt for each hit */
	LKST_BACKEND_JUMP,	 /* by a jump that the kernel has put there instead: [OPTIMIZED] */
	LKST_BACKEND_FTRACE,	 /* by the call that each function begins with: [FTRACE] */
	LKST_BACKEND_RETURN,  /* at a function's return, to which its entry leads by any of these */
	LKST_BACKEND_PROGRAM, /* in a program's code, by a breakpoint */
	LKST_BACKEND_MULTI,   /* at many functions, by one link to ftrace */
	LKST_BACKEND_EACH,    /* at many functions, by a kprobe at each */
	LKST_BACKEND_WAITING, /* in a module that is not loaded: the kernel attaches it when that comes */
	LKST_BACKEND_NOWHERE, /* the module that came has no such place */
	LKST_BACKEND_GONE,    /* what it was at was freed: its module, or code that this ran only as it came */
	LKST_BACKEND_WATCH, /* by a debug register of each CPU, which watches memory */
	LKST_NR_BACKENDS,
};
extern const char *const lkst_probe_backend_names[LKST_NR_BACKENDS];

/* A probe that is set. */
struct lkst_probe_state {
	const char *event; /* "GROUP:EVENT" */
	u16 id;
	const struct lkst_probe_row *row; /* where it is, and its definition */
	enum lkst_probe_backend backend;
	u64 hits;	  /* while it was attached, recorded or not */
	u64 missed;	  /* hits that the kernel did not run the program for */
	u32 nr_functions; /* that a probe at many functions is at; else 0 */
};

/* Calls @each for every probe that is set, in the order in which they were declared, until it returns other than 0. */
int lkst_probes_each(struct lkst_err *e, struct lkst_session *s,
		     int (*each)(void *ctx, const struct lkst_probe_state *state), void *ctx);

/*
 * Removes the probe of event "GROUP:EVENT", with what handlers have at it. The event stays declared, since there may be
 * records of it. -ENOENT: no such probe is set.
 */
int lkst_probe_remove(struct lkst_err *e, struct lkst_session *s, const char *event);

/*
 * Whether a trigger, or a condition of a maskset's row, looks at the probe's event. It goes on when that is set
 * again.
 */
bool lkst_probe_is_needed(const struct lkst_session *s, const char *event);

#endif
