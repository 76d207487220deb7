/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values as words: how a field's number is printed by what it means (LKST_MEANINGS). Numbers that
 * have no word stay numbers. Not for arguments of system calls: sysargs.h has those.
 */
#ifndef LKST_PRINT_VALUES_H
#define LKST_PRINT_VALUES_H

#include "trace/format/catalog.h"

enum {
	LKST_VALUE_ROOM = 1024, /* what printing a value may take */
};

struct lkst_value_format {
	char *(*put)(char *p, u64 v, const struct lkst_value_format *format);
	const char *const *words; /* by value or, for flags, by bit; NULL: no word */
	unsigned int nr_words;
};

/* How to print the integers of @f. */
const struct lkst_value_format *lkst_value_format(const struct lkst_field_class *f);

/* Prints @v, as lkst_record_int() gives it. Needs LKST_VALUE_ROOM. */
static inline char *lkst_put_value(char *p, const struct lkst_value_format *format, u64 v)
{
	return format->put(p, v, format);
}

/* A thread's state in the kernel's words: "TASK_INTERRUPTIBLE". Needs LKST_VALUE_ROOM. */
char *lkst_put_task_state(char *p, u64 state);

/* A buffer's name, or its number. */
char *lkst_put_buffer(char *p, u64 buffer);

/* An IPv4 address, and the last 32 bits of an IPv6 address: "10.0.0.1", "*:c0a8:1". */
char *lkst_put_ipv4(char *p, u64 address);
char *lkst_put_ipv6_tail(char *p, u64 address);

#endif
