/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of the commands that record by which samples are taken. */
#ifndef LKST_CMD_RECORDERS_SAMPLE_OPTIONS_H
#define LKST_CMD_RECORDERS_SAMPLE_OPTIONS_H

#include "cmd/frame/cmd.h"
#include "live/hooks/sampling.h"

struct lkst_sample_options {
	s64 hz;		/* 0: no samples */
	u64 off_cpu_ns; /* 0: no stacks of waits */
	bool cycles;
	bool mappings;
};

#define LKST_SAMPLE_ROWS(type, member)                                                             \
	LKST_OPTION(NUMBER, type, member.hz, .name = "sample", .argument = "HZ",                   \
		    .max = LKST_SAMPLE_HZ_MAX, .standard = "0",                                    \
		    .help = "take so many samples of each busy CPU a second, with the stacks of\n" \
			    "the kernel and of the program: see `lkst analyze profile`"),          \
		LKST_OPTION(FLAG, type, member.cycles, .name = "cycles",                           \
			    .help = "take them by the cycles that the CPU counts, and not by a\n"  \
				    "timer: also where interrupts are off"),                       \
		LKST_OPTION(DURATION, type, member.off_cpu_ns, .name = "off-cpu",                  \
			    .argument = "TIME",                                                    \
			    .help = "record with its stack each wait of a thread that is not\n"    \
				    "shorter than this, as in 10ms"),                                      \
		LKST_OPTION(FLAG, type, member.mappings, .name = "mappings",                       \
			    .help = "record what code processes map, to name their functions: as\n" \
				    "--sample and --off-cpu do, for handlers that record stacks")

/* 0, or an error in a sentence: the options don't fit, or this machine cannot do it. */
int lkst_sample_check(struct lkst_err *e, const struct lkst_sample_options *o);

/* What the options ask for, as a session takes it. */
struct lkst_sampling lkst_sample_rate(const struct lkst_sample_options *o);

#endif
