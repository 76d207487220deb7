/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The privilege to make functions fail: root's, and only where the machine's own configuration allows it. A recorder
 * changes nothing in what it records, and must not begin to because a command was typed on the wrong machine.
 */
#ifndef LKST_CMD_FRAME_INJECT_ALLOWED_H
#define LKST_CMD_FRAME_INJECT_ALLOWED_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"

#define LKST_CONF_PATH "/etc/lkst/lkst.conf"

/* The key in that file, and its value that allows it. `lkst start --config` lets it pass. */
#define LKST_INJECT_KEY "inject"
#define LKST_INJECT_ALLOWED "allowed"

/* Reads the value of the key: "allowed" or "no". -EINVAL: it is neither. */
static inline int lkst_inject_parse_allowed(struct lkst_err *e, const char *value,
					    bool *ret_is_allowed)
{
	*ret_is_allowed = !strcmp(value, LKST_INJECT_ALLOWED);
	if (*ret_is_allowed || !strcmp(value, "no"))
		return 0;
	return lkst_err_set(e, -EINVAL,
			    LKST_INJECT_KEY " is " LKST_INJECT_ALLOWED " or no, not \"%s\"", value);
}

/*
 * -EPERM: this process is not root's, or the file does not allow it, or somebody else than root may write to it; the
 * text says what to write where.
 */
int lkst_inject_check_allowed(struct lkst_err *e);

#endif
