/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control page of the running recording alone, for a process that looks at it again and again: a session
 * (live/session/session.h) opens every pin, and keeps the hooks attached. To look costs a stat(2).
 */
#ifndef LKST_LIVE_SESSION_CONTROL_PAGE_H
#define LKST_LIVE_SESSION_CONTROL_PAGE_H

#include <stdbool.h>

#include "abi/control.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "live/hooks/pins.h"

/* All zero: none. */
struct lkst_control_page {
	const struct lkst_control *control; /* mapped, as the kernel and other commands write it; NULL: none */
	char path[LKST_PIN_PATH_MAX];	    /* of its pin */
	u64 pin;			    /* the inode of that */
};

/* @page: must be none. -ENOENT: nothing is being recorded; -EPROTO: another version of lkst began to. */
int lkst_control_page_open(struct lkst_err *e, struct lkst_control_page *page);
void lkst_control_page_close(struct lkst_control_page *page);

/* False: there is none, or its recording was stopped. Another one may have begun. */
bool lkst_control_page_is_current(const struct lkst_control_page *page);

#endif
