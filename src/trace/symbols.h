/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the kernel's functions that addresses in a trace lie in, as its state stream has them
 * (state_symbol).
 */
#ifndef LKST_TRACE_SYMBOLS_H
#define LKST_TRACE_SYMBOLS_H

#include "trace/block.h"

struct lkst_symbols;
struct lkst_symbols *lkst_symbols_new(void);
void lkst_symbols_free(struct lkst_symbols *s);

/* Takes in a state_symbol; cheap for all other records. Returns -ENOMEM or 0. */
int lkst_symbols_feed(struct lkst_symbols *s, const struct lkst_record *r);

/*
 * The name of the function that @address lies in, and how far behind its beginning; NULL: it is not known.
 * The name is as the trace has it, any bytes, and valid until the next record is taken in.
 */
const char *lkst_symbols_find(struct lkst_symbols *s, u64 address, u64 *ret_offset);

#endif
