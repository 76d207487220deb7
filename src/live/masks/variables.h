/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The variables of a loaded handler, its controls and its results: by name and type, from the type
 * information that the kernel keeps of its maps.
 */
#ifndef LKST_LIVE_MASKS_VARIABLES_H
#define LKST_LIVE_MASKS_VARIABLES_H

#include <stdbool.h>

#include "abi/handler.h"
#include "abi/types.h"
#include "base/err.h"

struct lkst_session;

enum lkst_variable_kind {
	LKST_VARIABLE_INT, /* `count` integers of `size` bytes */
	LKST_VARIABLE_BOOL,
	LKST_VARIABLE_TEXT,	 /* `count` characters, NUL-padded */
	LKST_VARIABLE_EVENT,	 /* a lkst_event_id */
	LKST_VARIABLE_CGROUP,	 /* a lkst_cgroup_id */
	LKST_VARIABLE_HISTOGRAM, /* a struct lkst_histogram */
	LKST_VARIABLE_BYTES,	 /* anything else, `size` bytes */
};

/* A variable, or an element of one of the handler's maps. */
struct lkst_variable {
	const char *name;
	enum lkst_variable_kind kind;
	u32 size;
	u32 count; /* 1: a plain one, not an array */
	bool is_signed;
	void *bytes;  /* where the handler's programs see it; of a map's element, a copy */
	bool has_key; /* it is a map's element */
	bool is_key_event; /* the key is a lkst_event_id */
	s64 key;
};

/*
 * Calls @each for every variable of handler @number, then for every element of its maps whose key is
 * an integer and whose value is an integer or a histogram, until it returns other than 0.
 */
int lkst_variables_each(struct lkst_err *e, const struct lkst_session *s, u8 number,
			int (*each)(void *ctx, const struct lkst_variable *v), void *ctx);

/*
 * Stores @text in a variable, in one piece if it is a number: programs see the old value or the new.
 * @event: the id of the event that @text names, or -1. -EINVAL, -ERANGE: @text is not such a value.
 */
int lkst_variable_store(struct lkst_err *e, const struct lkst_variable *v, const char *text,
			int event);

/* Element @i of an integer variable. */
s64 lkst_variable_int(const struct lkst_variable *v, u32 i);

#endif
