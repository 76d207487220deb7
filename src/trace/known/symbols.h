/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's names for addresses in a trace (functions, variables and slab caches), as its state stream has
 * them (state_symbol); and the one way in which such an address is shown to people.
 */
#ifndef LKST_TRACE_KNOWN_SYMBOLS_H
#define LKST_TRACE_KNOWN_SYMBOLS_H

#include "trace/read/reader.h"

struct lkst_symbols;
struct lkst_symbols *lkst_symbols_new(void);
void lkst_symbols_free(struct lkst_symbols *s);

/* Takes in a state_symbol; cheap for all other records. Returns -ENOMEM or 0. */
int lkst_symbols_feed(struct lkst_symbols *s, const struct lkst_record *r);

/* Takes in those of a whole trace: each part has them at its end, after the records. */
int lkst_symbols_load(struct lkst_err *e, struct lkst_symbols *s, const struct lkst_trace *t);

/* Takes in one, whose name has @length bytes. -ENOMEM or 0. */
int lkst_symbols_add(struct lkst_symbols *s, u64 address, u32 bytes, const char *name,
		     size_t length);

/*
 * The name of what @address lies in, and how far after its beginning; NULL: it is not known.
 * The name is as the trace has it, any bytes, and valid until the next one is taken in.
 */
const char *lkst_symbols_find(struct lkst_symbols *s, u64 address, u64 *ret_offset);

/* True if there are no names at all. */
bool lkst_symbols_is_empty(const struct lkst_symbols *s);

enum {
	LKST_SYMBOL_ROOM = 1024, /* what lkst_symbols_put() needs */
};

/*
 * Puts at @p "function", "function+0x12", of a module "function+0x12[module]", or the address as a number if
 * it has no name or @s is NULL. No blanks, quotes or control characters, whatever the trace has. Returns the end.
 */
char *lkst_symbols_put(struct lkst_symbols *s, char *p, u64 address);

#endif
