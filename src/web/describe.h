/* SPDX-License-Identifier: GPL-2.0-only */
/* What the page shows (web/shown_traces.h), as JSON. */
#ifndef LKST_WEB_DESCRIBE_H
#define LKST_WEB_DESCRIBE_H

#include "base/out.h"
#include "web/shown_traces.h"

/* Writes what lkst_web_read() prints. */
void lkst_web_describe(struct lkst_out *out, const struct lkst_web_shown *shown);

#endif
