/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User handlers (src/bpf/handler.h): loading one into a running recording, and unloading it. A handler has
 * programs of its own at the hooks of the events that it is for; masksets send events to it. It requires a pinned
 * recording.
 */
#ifndef LKST_LIVE_MASKS_HANDLERS_H
#define LKST_LIVE_MASKS_HANDLERS_H

#include "live/programs/handler_pins.h"
#include "live/session/session.h"

struct lkst_handler_options {
	const char *file;   /* the object file */
	const char *name;   /* NULL: the one that its source gives it */
	char *const *globs; /* the events that it is to be for; none: all */
	unsigned int nr_globs;
	const bool *wants; /* or by their ids, LKST_EVENT_SPACE of them; NULL: by globs */
	bool has_names;	   /* its programs leave it the names of bpf/names.h */
	u8 extends; /* the number of a handler that gets programs for more events; 0: it is a new one */
};

/*
 * Loads a handler; no event goes to it yet. Events that share a hook with one that was named are served,
 * too. -EEXIST: there is one of that name. -EACCES: the kernel's verifier rejects it; the text has the line of
 * its source and the verifier's reason.
 */
int lkst_handler_load(struct lkst_err *e, struct lkst_session *s,
		      const struct lkst_handler_options *options, struct lkst_handler *ret_handler);

/*
 * Gives the loaded handler @number programs for the events whose flag is set in @ids, LKST_EVENT_SPACE of them, from
 * the object that the recording keeps. -ENOENT: it has not kept it.
 */
int lkst_handler_extend(struct lkst_err *e, struct lkst_session *s, u8 number, const bool *ids);

/*
 * Makes sure that user handler @number can be sent event @id. A probe that was set after the handler was loaded gets a
 * program of it; -EACCES: the kernel's verifier rejects that. -EINVAL: it can't be sent, and the text says why.
 */
int lkst_handler_serve(struct lkst_err *e, struct lkst_session *s, u8 number, u32 id);

/*
 * Detaches and removes a handler. -EBUSY: a maskset sends events to it; if @force, they are sent to
 * DEFAULT instead.
 */
int lkst_handler_unload(struct lkst_err *e, struct lkst_session *s, u8 number, bool force,
			struct lkst_notes *notes);

#endif
