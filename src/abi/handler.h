/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a handler of a user's own and user space tell each other: what it is called, and the kinds of its
 * variables that are shown as more than numbers.
 */
#ifndef LKST_ABI_HANDLER_H
#define LKST_ABI_HANDLER_H

#include "abi/types.h"

enum {
	LKST_HANDLER_VERSION = 1,
	LKST_HANDLER_FIRST = 2, /* numbers of users' handlers; above them, LKST_HANDLER_SHED's bit */
	LKST_HANDLER_LAST = 126,
	LKST_HANDLER_NAME = 32, /* with its NUL */
	LKST_HANDLER_HELP = 92,
	LKST_HISTOGRAM_SLOTS = 64,
};

/* What LKST_HANDLER() says of a handler; its object has one, in a section of its own. */
struct lkst_handler_about {
	u32 version; /* LKST_HANDLER_VERSION */
	char name[LKST_HANDLER_NAME];
	char help[LKST_HANDLER_HELP];
};
_Static_assert(sizeof(struct lkst_handler_about) == 128, "no holes");
#define LKST_HANDLER_ABOUT ".rodata.about"

/* A variable of this type holds an event's id; users write and read its name. 0: none. */
typedef u16 lkst_event_id;

/* A variable or a map's value of this type is shown as a histogram: slot i counts 2^i to 2^(i+1) - 1. */
struct lkst_histogram {
	u64 slot[LKST_HISTOGRAM_SLOTS];
};

/* What lkst_notify() sends, through a ring buffer. */
struct lkst_notice {
	u64 time_ns; /* CLOCK_MONOTONIC */
	u64 value;
	s32 tid;
	u32 id; /* of the event */
};
_Static_assert(sizeof(struct lkst_notice) == 24, "no holes");

#endif
