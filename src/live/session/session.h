/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: its programs loaded and attached, its rings mapped. It lives as long as this
 * process (`lkst record`), or, once pinned, until `lkst stop` (`lkst start`). live/recording/start.h makes one.
 */
#ifndef LKST_LIVE_SESSION_SESSION_H
#define LKST_LIVE_SESSION_SESSION_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "live/cost/cost_limit.h"
#include "live/hooks/hooks.h"
#include "live/kernel/plan.h"
#include "live/programs/programs.h"
#include "live/rings/kernel_notes.h"
#include "live/rings/memory.h"
#include "live/rings/rings.h"
#include "trace/format/catalog.h"

struct lkst_session;

/* Opens the pinned recording. -ENOENT: there is none. */
int lkst_session_open(struct lkst_err *e, struct lkst_session **ret_session);

/* Removes the pinned recording, or what is left of one that was interrupted, as lkst_pins_remove() does. */
int lkst_session_remove(struct lkst_err *e);

/* Closes descriptors and mappings; what is not pinned is detached and freed by the kernel. */
void lkst_session_close(struct lkst_session *s);
LKST_GUARD(lkst_session_close, struct lkst_session)

const struct lkst_rings *lkst_session_rings(const struct lkst_session *s);
const struct lkst_catalog *lkst_session_catalog(const struct lkst_session *s);

/*
 * Adds to the catalogue what handlers have declared since it was read. If they have declared nothing, that is one load.
 * Callers that look at records again and again call it between copying and decoding them.
 */
int lkst_session_refresh(struct lkst_err *e, const struct lkst_session *s);

/*
 * Adds @event, which a handler or a probe declares, under an id that is free, and keeps that for all readers of the
 * recording. One of the same name and layout is used again. -EEXIST: there is one of that name with another layout.
 */
int lkst_session_declare(struct lkst_err *e, struct lkst_session *s,
			 const struct lkst_event_class *event, u16 *ret_id);

/*
 * The same for an event that a program describes, in the catalogue of this process alone: no kernel program records it,
 * and each reader of the recording finds it by itself. As lkst_catalog_add_mark().
 */
int lkst_session_add_mark(struct lkst_err *e, const struct lkst_session *s, const struct lkst_event_class *event,
			  u32 nr_had, u16 *ret_id);

/* Lists the hooks again by their pins, when some have come or gone. Pointers into the list are no longer valid. */
int lkst_session_list_hooks(struct lkst_err *e, struct lkst_session *s);

/* What is kept in kernel memory for whoever reads the rings later. */
struct lkst_kernel_notes *lkst_session_keep(struct lkst_session *s);

/* The cost limit and what is left out because of it. Free it with lkst_budget_view_free(). */
int lkst_session_budget(struct lkst_err *e, const struct lkst_session *s,
			struct lkst_budget_view *ret_view);

/* How often programs ran on @cpu and recorded nothing, since recording began. */
int lkst_session_idle(struct lkst_err *e, const struct lkst_session *s, u32 cpu,
		      struct lkst_idle *ret_idle);

/* Descriptors of its maps; those of one without a limit are -1. */
const struct lkst_budget_fds *lkst_session_budget_fds(const struct lkst_session *s);

/* What could not be loaded or attached. */
const struct lkst_notes *lkst_session_notes(const struct lkst_session *s);

/*
 * Whether the pinned recording that lkst_session_open() has found is still the pinned one. A session
 * keeps the hooks attached, so the session of a recording that was stopped has to be closed.
 */
bool lkst_session_is_current(const struct lkst_session *s);

/* The identity of a pinned recording that lkst_session_open() has found; no other one has it. Never 0. */
u64 lkst_session_identity(const struct lkst_session *s);

/*
 * A descriptor that lists the threads that exist, as state_thread records, except for the head: in place of the time it
 * has how often the thread was switched away from. Close it.
 */
int lkst_session_list_threads(struct lkst_err *e, const struct lkst_session *s);

/* A descriptor that lists open files (abi/open_file.h); -1: this recording has no such list. Close it. */
int lkst_session_list_open_files(const struct lkst_session *s);

/*
 * Calls @each for every hook whose program is loaded, attached or not: its name, and how often the
 * kernel skipped the program because it was already running on the CPU. Stops when @each returns other than 0.
 */
int lkst_session_each_hook(struct lkst_err *e, const struct lkst_session *s,
			   int (*each)(void *ctx, const char *hook, bool is_attached, u64 skipped),
			   void *ctx);

/* What masksets are made of and switched by (live/masks/masksets.h). */
struct lkst_control *lkst_session_control(const struct lkst_session *s);
struct lkst_hooks *lkst_session_hooks(const struct lkst_session *s);
/* True if it outlives the process. */
bool lkst_session_is_pinned(const struct lkst_session *s);

/* Where it has its pins, as live/hooks/pins.h has it; that of @s NULL is NULL. */
struct lkst_own_pins *lkst_session_own_pins(const struct lkst_session *s);
/* True if it outlives the process, or will when it is pinned. */
bool lkst_session_is_to_be_pinned(const struct lkst_session *s);

/* The program of @command; -1: there is none. */
int lkst_session_command_fd(const struct lkst_session *s, enum lkst_command command);

#endif
