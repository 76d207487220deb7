/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that are halves of a pair: the entry and the exit of a system call, which are known by their names, those
 * that the built-in catalogue pairs (PAIR in abi/events.def), and tracepoints by name that are called as the kernel
 * calls such halves. The catalogue asks once for each event; whoever has its class reads `half`, `is_compat`,
 * `other_half` and lkst_class_call() there.
 */
#ifndef LKST_TRACE_FORMAT_HALF_H
#define LKST_TRACE_FORMAT_HALF_H

#include <stddef.h>

#include "trace/format/event_class.h"

/* What the name of a system call's event says. */
struct lkst_call_name {
	enum lkst_half half;
	bool is_compat;	  /* a 32-bit program's */
	const char *call; /* "openat"; the end of the event's name */
};

/* Takes the name of an event apart; false: it is not called as a system call's. */
bool lkst_call_name_parse(const char *event, struct lkst_call_name *ret_name);

/* Writes the name of the event; returns what snprintf() does. */
int lkst_call_name_format(char *event, size_t size, const struct lkst_call_name *name);

/* Sets the half and what the name says of a system call. The index of @event is known, its other half is not. */
void lkst_half_describe(struct lkst_event_class *event);

/* Writes the @i-th name that the other half of @event may have; false: there are no more. */
bool lkst_half_other_name(const struct lkst_event_class *event, unsigned int i,
			  char name[LKST_NAME_MAX]);

/* Writes what the names of two halves have in common: "softirq", "syscall:read". */
void lkst_half_common_name(const char *entry, const char *exit, char *name, size_t size);

#endif
