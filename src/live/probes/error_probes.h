/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes that see errors: at the returns of functions that can return some, errors:NAME_int of those that return
 * an int, and errors:NAME_long of those that return a long or a pointer; if that is wanted, errors:NAME_args at the
 * entries of all of them, with what they are called with. Each has one program at all its functions.
 */
#ifndef LKST_LIVE_PROBES_ERROR_PROBES_H
#define LKST_LIVE_PROBES_ERROR_PROBES_H

#include "abi/probe.h"
#include "live/session/session.h"

struct lkst_error_probes {
	char name[LKST_ERRORS_NAME];
	bool has_args;	  /* with errors:NAME_args: the caller's to fill in, too */
	u32 nr_functions; /* that they are at */
	u32 nr_refused;	  /* at which the kernel lets nobody set a probe */
	u32 nr_no_error;  /* names of functions that match, and return no error, by their type */
	u32 nr_unknown; /* names of functions that match, and BTF does not tell what they return */
};

/*
 * Sets them at the functions that match one of @globs, with "," between them; of @module alone, unless that is NULL.
 * The caller has filled in @p's name. One of the kinds may have no functions. Fails as lkst_probe_set() does, and
 * leaves nothing then. -EEXIST: they are set already.
 */
int lkst_error_probes_set(struct lkst_err *e, struct lkst_session *s, const char *module,
			  const char *globs, struct lkst_notes *notes, struct lkst_error_probes *p);

enum { LKST_ERROR_PROBES_TEXT = 256 };

/* "102 functions that can return an error; 10 that match return none, by their type": where they are, and where not. */
const char *lkst_error_probes_text(const struct lkst_error_probes *p,
				   char text[LKST_ERROR_PROBES_TEXT]);

/* Removes all, as far as they are there. */
int lkst_error_probes_remove(struct lkst_err *e, struct lkst_session *s, const char *name);

/* Whether one of them is set. */
bool lkst_error_probes_are_set(struct lkst_session *s, const char *name);

#endif
