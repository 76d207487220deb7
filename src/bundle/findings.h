/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands out in a bundle's trace, as `lkst why` says it. */
#ifndef LKST_BUNDLE_FINDINGS_H
#define LKST_BUNDLE_FINDINGS_H

#include "base/out.h"
#include "trace/read/reader.h"

/* Writes where the waiting went and what has not ended, each below a heading. 0, or a negative errno and a sentence. */
int lkst_bundle_put_findings(struct lkst_err *e, struct lkst_trace *t, struct lkst_out *out);

#endif
