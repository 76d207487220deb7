/* SPDX-License-Identifier: GPL-2.0-only */
/* Masksets as text: what `lkstm read` printed and `lkstm write` took. doc/masksets.md describes it. */
#ifndef LKST_MASKS_MASK_TEXT_H
#define LKST_MASKS_MASK_TEXT_H

#include "masks/mask.h"
#include "trace/format/event_types.h"

enum { LKST_MASK_TEXT_MAX = 1 << 20 };

/*
 * The events that @word means: a number in decimal or, after "0x", hexadecimal, a mnemonic or
 * the name of an event of @c. -ENOENT: nothing is called so; -ENODEV: @c does not have it.
 */
int lkst_mask_parse_type(struct lkst_err *e, const struct lkst_catalog *c,
			 const struct lkst_event_types *types, const char *word, u16 *ret_type);

/* A handler's number, decimal or hexadecimal, or DEFAULT or NOTHING; 0 to 255. */
int lkst_mask_parse_handler(struct lkst_err *e, const char *word, u8 *ret_handler);

/* A buffer's name or number, 0 to 254. Its name, or its number in @text if it has none. */
int lkst_mask_parse_buffer(struct lkst_err *e, const char *word, u8 *ret_buffer);
enum { LKST_BUFFER_TEXT = 8 };
const char *lkst_mask_buffer_name(u8 buffer, char text[LKST_BUFFER_TEXT]);

/* Whether @name may be a maskset's: letters, digits, "_", "-" and ".", and no number. */
int lkst_mask_check_name(struct lkst_err *e, const char *name);

/* The text of @mask, maskset @number, in memory that the caller frees. */
int lkst_mask_format(struct lkst_err *e, const struct lkst_mask *mask, unsigned int number,
		     const struct lkst_catalog *c, char **ret_text);

/*
 * Parses such a text; events that it does not name are sent to NOTHING. @ret_mask->name is "" if
 * the text has none. Events that exist, but not in @c, are counted in a note. Trusts no byte.
 */
int lkst_mask_parse(struct lkst_err *e, const char *text, size_t length,
		    const struct lkst_catalog *c, struct lkst_mask *ret_mask,
		    struct lkst_notes *notes);

#endif
