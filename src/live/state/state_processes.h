/* SPDX-License-Identifier: GPL-2.0-only */
/* What processes that live run, as /proc says it: their arguments, and whose they are. */
#ifndef LKST_LIVE_STATE_STATE_PROCESSES_H
#define LKST_LIVE_STATE_STATE_PROCESSES_H

#include <stddef.h>

#include "abi/program.h"
#include "live/state/life.h"

/* A state_process record. */
struct lkst_state_process {
	struct lkst_rec_state_process r;
	char args[LKST_COMMAND_LINE_MAX];
};

/* Whether numbers of processes here are those of the kernel: this runs in no PID namespace of its own. */
bool lkst_state_has_kernel_numbers(void);

/*
 * Calls @each for the processes of @threads that live, 4096 at most, until it returns other than 0, which is passed on.
 * @length is that of the record, whose head is not filled in. It leaves out threads of the kernel, processes whose
 * arguments are those of a later time (lkst_life_undo()), and all where this runs in a PID namespace of its own.
 */
int lkst_state_list_processes(const struct lkst_thread_list *threads,
			      int (*each)(void *ctx, struct lkst_state_process *process,
					  size_t length),
			      void *ctx);

/* Fills in @ret_process from the texts of /proc/PID/status and /proc/PID/cmdline. Returns its length. For tests. */
size_t lkst_state_process_parse(const char *status, const char *cmdline, size_t cmdline_length,
				struct lkst_state_process *ret_process);

#endif
