/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions of triggers that fire when a function of the kernel returns an error:
 *
 *	errors vfs_*
 *	errors vfs_*,do_sys_open* if ret == -ENOSPC
 *	errors ext4:* if comm == "db"
 *
 * Probes of group `errors` are set at those functions (live/probes/error_probes.h), and the trigger has a condition
 * on their events. Nothing here needs a kernel.
 */
#ifndef LKST_MASKS_ERROR_TRIGGER_H
#define LKST_MASKS_ERROR_TRIGGER_H

#include <stdbool.h>

#include "abi/probe.h"
#include "abi/trigger.h"
#include "base/err.h"

struct lkst_error_trigger {
	char name[LKST_ERRORS_NAME];	    /* of the probes: the same for the same functions */
	char module[LKST_TRIGGER_NAME];	    /* "": all */
	char globs[LKST_TRIGGER_CONDITION]; /* of functions, with "," between them */
	char condition[2 * LKST_TRIGGER_CONDITION]; /* on the events of the probes */
};

/* Whether @text is one of these. */
bool lkst_error_trigger_is(const char *text);

/* Reads one. -EINVAL: it names no functions, or something else than "if" and comparisons follows. */
int lkst_error_trigger_parse(struct lkst_err *e, const char *text, struct lkst_error_trigger *ret);

#endif
