/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The one-line description of an event, taken apart: by the library, which writes records by it, and by whoever reads
 * them, who trusts nothing of it.
 */
#ifndef LKST_LIBLKST_MARK_FIELDS_H
#define LKST_LIBLKST_MARK_FIELDS_H

#include "abi/types.h"

enum {
	LKST_MARK_WORD = 64, /* bytes of a name, with its NUL */
	LKST_MARK_NR_FIELDS = 16,
};

struct lkst_mark_field {
	char name[LKST_MARK_WORD];
	u8 size; /* of an integer, bytes; 0: a string */
	bool is_signed, is_hex;
};

struct lkst_mark_fields {
	/* What a record is written by, side by side. */
	u32 nr, nr_integers; /* strings come after integers */
	u32 fixed;	     /* bytes of a record up to its first string */
	u16 at[LKST_MARK_NR_FIELDS]; /* of a field, from the record's start; of a string: where the first one begins */

	char name[LKST_MARK_WORD];
	struct lkst_mark_field list[LKST_MARK_NR_FIELDS];
};

/* Takes @text apart, of which @length bytes may be read; a NUL ends it, too. False: it is not of that form. */
bool lkst_mark_fields_parse(const char *text, size_t length, struct lkst_mark_fields *ret_fields);

#endif
