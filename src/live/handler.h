/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handlers of a user's own (src/bpf/handler.h): loading one into a recording that goes on, finding those
 * that are there, and unloading them. A handler is programs of its own at the hooks of the events that it
 * is for; masksets send events to it. It takes a pinned recording.
 */
#ifndef LKST_LIVE_HANDLER_H
#define LKST_LIVE_HANDLER_H

#include "abi/handler.h"
#include "live/session.h"

struct lkst_handler_options {
	const char *file;   /* the object file */
	const char *name;   /* NULL: the one that its source gives it */
	char *const *globs; /* the events that it is to be for; none: all */
	unsigned int nr_globs;
	const bool *wants; /* or by their ids, LKST_EVENT_SPACE of them; NULL: by globs */
	bool has_names;	   /* its programs leave it the names of bpf/names.h */
	u8 extends; /* the number of a handler that gets programs for more events; 0: it is a new one */
};

struct lkst_handler {
	u8 number;
	char name[LKST_HANDLER_NAME];
	char help[LKST_HANDLER_HELP];
};

/*
 * Loads a handler; no event goes to it yet. Events that share a hook with one that was named are served
 * too. -EEXIST: one is called so. -EACCES: the kernel's verifier rejects it; the text has the line of
 * its source and the verifier's reason.
 */
int lkst_handler_load(struct lkst_err *e, struct lkst_session *s,
		      const struct lkst_handler_options *options, struct lkst_handler *ret_handler);

/* A descriptor of what is pinned as @what for handler @number. */
int lkst_handler_open_pin(struct lkst_err *e, u8 number, const char *what);

/*
 * Detaches and removes a handler. -EBUSY: a maskset sends events to it; if @force, they are sent to
 * DEFAULT instead.
 */
int lkst_handler_unload(struct lkst_err *e, struct lkst_session *s, u8 number, bool force,
			struct lkst_notes *notes);

/* Handler @number, if it is loaded: false if not. */
bool lkst_handler_get(u8 number, struct lkst_handler *ret_handler);

/* The loaded handler that @word, a name or number, means. -ENOENT: there is none. */
int lkst_handler_find(struct lkst_err *e, const char *word, struct lkst_handler *ret_handler);

/* The number of a handler, loaded or not: a loaded one's name, or as lkst_mask_parse_handler(). */
int lkst_handler_parse(struct lkst_err *e, const char *word, u8 *ret_number);

/* Whether user's handler @number can be sent event @id. -EINVAL: no, and the text says why. */
int lkst_handler_check(struct lkst_err *e, const struct lkst_session *s, u8 number, u32 id);

/* Adds the hooks of the pinned handlers to @hooks, which has those of DEFAULT. */
int lkst_handlers_open(struct lkst_err *e, struct lkst_hooks *hooks);

/* The name of a handler's pin @what. */
enum { LKST_HANDLER_PIN_MAX = 160 };
void lkst_handler_pin(u8 number, const char *what, char pin[LKST_HANDLER_PIN_MAX]);

/* How the pins are called that hold its variables, and its maps, before their names. */
#define LKST_HANDLER_DATA "data"
#define LKST_HANDLER_BSS "bss"
#define LKST_HANDLER_NOTICES "notices"
#define LKST_HANDLER_EVENTS "events"
#define LKST_HANDLER_MAP "map-"

#endif
