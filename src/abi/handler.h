/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a user handler and user space tell each other: the handler's name, and the types of its variables
 * that are shown as more than numbers.
 */
#ifndef LKST_ABI_HANDLER_H
#define LKST_ABI_HANDLER_H

#include "abi/types.h"

enum {
	LKST_HANDLER_VERSION = 1,
	LKST_HANDLER_FIRST = 2, /* of the numbers of user handlers; above them, LKST_HANDLER_SHED's bit */
	LKST_HANDLER_LAST = 126,
	LKST_HANDLER_NAME = 32, /* with its NUL */
	LKST_HANDLER_HELP = 92,
	LKST_HISTOGRAM_SLOTS = 64,
	LKST_OWN_NAME = 40, /* of an event that a handler declares, with its NUL */
	LKST_OWN_HELP = 84,
};

/* What LKST_HANDLER() says of a handler; its object has one, in a section of its own. */
struct lkst_handler_about {
	u32 version; /* LKST_HANDLER_VERSION */
	char name[LKST_HANDLER_NAME];
	char help[LKST_HANDLER_HELP];
};
_Static_assert(sizeof(struct lkst_handler_about) == 128, "no holes");
#define LKST_HANDLER_ABOUT ".rodata.about"

/*
 * What LKST_EVENT() says of an event that the handler declares; its object has one for each, in a section
 * of their own, and the record's layout as type struct LKST_OWN_LAYOUT<name>.
 */
struct lkst_own_event {
	u16 id; /* given by user space before loading */
	u16 pad;
	char name[LKST_OWN_NAME];
	char help[LKST_OWN_HELP];
};
_Static_assert(sizeof(struct lkst_own_event) == 128, "no holes");
#define LKST_OWN_EVENTS ".rodata.events"
#define LKST_OWN_LAYOUT "lkst_own_"

/*
 * What the values of a field of such an event mean: the meanings of abi/events.h by the same names, for
 * readers to print them by. A field of any other type is a plain number; an array of char is a text.
 */
typedef u64 lkst_code;	 /* an address of kernel code */
typedef u64 lkst_addr;	 /* an address of data */
typedef u64 lkst_hex;	 /* a number, better read in hexadecimal */
typedef u64 lkst_ns;	 /* a duration */
typedef u64 lkst_bytes;	 /* a size */
typedef s32 lkst_tid;	 /* a thread */
typedef s32 lkst_pid;	 /* a process */
typedef s32 lkst_cpu;	 /* a CPU's number */
typedef s32 lkst_signal; /* a signal's number */
typedef u32 lkst_dev;	 /* a device's number as the kernel keeps it */
typedef u32 lkst_uid;	 /* a user */
typedef s64 lkst_result; /* 0 or a count, or a negative error number */

/* A variable of this type holds a cgroup's number; users may write its directory. 0: none. */
typedef u64 lkst_cgroup_id;

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
