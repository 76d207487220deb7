/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace says of its machine's time of day. */
#ifndef LKST_HOSTS_HOST_CLOCK_H
#define LKST_HOSTS_HOST_CLOCK_H

#include "base/err.h"
#include "trace/read/reader.h"

struct lkst_host_clock {
	bool is_known;	      /* false: the trace does not say what time of day it was */
	u64 offset_ns;	      /* time of day = CLOCK_MONOTONIC + this, when the trace was saved */
	bool is_synchronised; /* a program such as chronyd kept it right whenever the trace says so */
	bool has_error;	      /* and that also said each time how far it may be off */
	u64 max_error_ns;     /* if so: by at most so much */
	u64 step_ns;	      /* by so much it was set while recording */
};

/* Reads the state_clock records of @t; traces of older programs have less of it. */
int lkst_host_clock_read(struct lkst_err *e, const struct lkst_trace *t,
			 struct lkst_host_clock *ret_clock);

#endif
