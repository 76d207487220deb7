/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the commands that record have in common: the options that say what and into what, and the
 * sentences about what is missing on this kernel.
 */
#ifndef LKST_CMD_RECORDERS_RECORDING_H
#define LKST_CMD_RECORDERS_RECORDING_H

#include "base/out.h"
#include "cmd/frame/cmd.h"
#include "live/kernel/plan.h"
#include "live/rings/history.h"
#include "live/session/session.h"
#include "trace/write/writer.h"

/* A test names a file of type information here, to be compared instead of the kernel's. */
#define LKST_BTF_VARIABLE "LKST_BTF"

/* Prints to standard error what the plan and the session had to leave out, unless @quiet. */
void lkst_recording_print_notes(const struct lkst_plan *plan, const struct lkst_session *s,
				bool quiet);

/* The sentences of @notes, to standard error. */
void lkst_recording_print(const struct lkst_notes *notes);

/*
 * Says to standard error, unless @quiet, if the trace can have no names for its addresses. With @must that is
 * an error.
 */
int lkst_recording_check_symbols(struct lkst_err *e, const struct lkst_session *s, bool must,
				 bool quiet);

/* Prints how long the buffers hold, @rate says at what rate, and what a wished time would take. */
void lkst_recording_print_history(struct lkst_out *out, const struct lkst_history *h,
				  const char *rate);

/* Says it where what is never left out costs more than the limit, @limit_ppm; 0: there is none. */
struct lkst_cost;
void lkst_recording_print_core(struct lkst_out *out, const struct lkst_cost *cost, u32 limit_ppm);

/* Says, where there is a limit, what the recording @s has beside the core: by @v, read before. */
struct lkst_budget_view;
void lkst_recording_print_has(struct lkst_out *out, const struct lkst_session *s, const struct lkst_budget_view *v);

/* How many events the active maskset lets through. */
unsigned int lkst_recording_nr_events(const struct lkst_session *s);

/* Fills in what the trace says about this machine: UUID, clock, host, kernel. */
int lkst_recording_identify(struct lkst_err *e, struct lkst_catalog *c);

/*
 * Leaves the secret id that the pages of @s have in memory where `lkst extract` finds it, if the machine crashes. If
 * that fails a sentence goes to standard error, unless @quiet: recording goes on.
 */
void lkst_recording_leave_id(const struct lkst_session *s, bool quiet);

/* The id of this boot of the kernel; zeros: it cannot be read. */
void lkst_recording_boot_id(u8 ret_id[16]);

/* A name for a trace directory when none was given: "lkst-<date>-<time>". */
void lkst_recording_default_dir(char *name, size_t size);

#endif
