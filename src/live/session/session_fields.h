/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording consists of. For two files only: start.c, which makes one, and session.c, which opens one. */
#ifndef LKST_LIVE_SESSION_SESSION_FIELDS_H
#define LKST_LIVE_SESSION_SESSION_FIELDS_H

#include "live/hooks/pins.h"
#include "live/programs/programs.h"
#include "live/session/session.h"

struct lkst_session {
	struct lkst_programs programs;
	struct lkst_hooks *hooks;
	struct lkst_rings rings;
	struct lkst_catalog *catalog; /* the plan's, or own_catalog */
	struct lkst_catalog *own_catalog; /* of an opened session */
	char pin_path[LKST_PIN_PATH_MAX]; /* of the control map, when it was opened */
	u64 pin;			  /* what pin_identity() said when it was opened */
	struct lkst_kernel_notes keep;
	u32 maskset; /* to begin with */
	bool is_pinned, is_to_be_pinned;
	struct lkst_own_pins *own_pins; /* lkst_session_keep_own(); else NULL */
	int threads_fd, open_files_fd, command_fds[LKST_NR_COMMANDS];
	struct lkst_budget_fds budget;
};

/* An empty one; NULL: no memory. Close it with lkst_session_close(). */
struct lkst_session *lkst_session_new(void);

/* What the program of @command is pinned as. */
enum { LKST_COMMAND_PIN_MAX = 64 };
void lkst_session_command_pin(enum lkst_command command, char pin[LKST_COMMAND_PIN_MAX]);

#endif
