/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the commands that record by which samples are taken. */
#include "cmd/recorders/sample_options.h"

#include <errno.h>

enum { NS_PER_S = 1000000000 };

int lkst_sample_check(struct lkst_err *e, const struct lkst_sample_options *o)
{
	if (o->cycles && !o->hz)
		return lkst_err_set(e, -EINVAL,
				    "--cycles says how samples are taken; --sample HZ takes some");
	return o->cycles ? lkst_sampling_check(e, LKST_SAMPLE_CYCLES) : 0;
}

struct lkst_sampling lkst_sample_rate(const struct lkst_sample_options *o)
{
	return (struct lkst_sampling){
		.period_ns = o->hz ? NS_PER_S / (u64)o->hz : 0,
		.clock = o->cycles ? LKST_SAMPLE_CYCLES : LKST_SAMPLE_CPU_CLOCK,
	};
}
