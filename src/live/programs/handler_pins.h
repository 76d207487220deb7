/* SPDX-License-Identifier: GPL-2.0-only */
/* User handlers by their pins: which are there, what each has, and the hooks that it serves. */
#ifndef LKST_LIVE_PROGRAMS_HANDLER_PINS_H
#define LKST_LIVE_PROGRAMS_HANDLER_PINS_H

#include <stdbool.h>

#include "abi/handler.h"
#include "live/hooks/hooks.h"
#include "trace/format/catalog.h"

struct lkst_handler {
	u8 number;
	char name[LKST_HANDLER_NAME];
	char help[LKST_HANDLER_HELP];
};

/* Handler @number, if it is loaded: false if not. @own, here and below: as live/hooks/pins.h has it. */
bool lkst_handler_get(const struct lkst_own_pins *own, u8 number, struct lkst_handler *ret_handler);

/* The loaded handler that @word, a name or number, means. -ENOENT: there is none. */
int lkst_handler_find(struct lkst_err *e, struct lkst_own_pins *own, const char *word,
		      struct lkst_handler *ret_handler);

/* The number of a handler, loaded or not: a loaded one's name, or as lkst_mask_parse_handler(). */
int lkst_handler_parse(struct lkst_err *e, struct lkst_own_pins *own, const char *word, u8 *ret_number);

/* Whether user handler @number can be sent event @id. -EINVAL: no, and the text says why. */
int lkst_handler_check(struct lkst_err *e, const struct lkst_hooks *hooks,
		       const struct lkst_catalog *catalog, u8 number, u32 id);

/* Adds the hooks of the pinned handlers to @hooks, which has those of DEFAULT. */
int lkst_handlers_open(struct lkst_err *e, struct lkst_hooks *hooks);

/*
 * The name of the program that a handler has for @hook, one of DEFAULT's. For a probe that is recorded by name it
 * depends on the type of the program that is there.
 */
const char *lkst_handler_program_name(const struct lkst_hook *hook);

/* The name of a handler's pin @what. */
enum { LKST_HANDLER_PIN_MAX = 160 };
void lkst_handler_pin(u8 number, const char *what, char pin[LKST_HANDLER_PIN_MAX]);

/* The prefixes of the pins that hold its variables and its maps. */
#define LKST_HANDLER_ABOUT_PIN "about" /* struct lkst_handler_about; it comes last */
#define LKST_HANDLER_DATA "data"
#define LKST_HANDLER_BSS "bss"
#define LKST_HANDLER_NOTICES "notices"
#define LKST_HANDLER_EVENTS "events"
#define LKST_HANDLER_MAP "map-"

/* A descriptor of what is pinned as @what for handler @number. */
int lkst_handler_open_pin(struct lkst_err *e, const struct lkst_own_pins *own, u8 number, const char *what);

/* Pins the object that @fd refers to as the @what of handler @number. */
int lkst_handler_put_pin(struct lkst_err *e, struct lkst_own_pins *own, u8 number, const char *what, int fd);

/* Removes all pins of handler @number, including what an interrupted load has left. */
int lkst_handler_drop_pins(struct lkst_err *e, struct lkst_own_pins *own, u8 number);

#endif
