/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of records, by kind and wherever they lie: for views, queries and exports. */
#ifndef LKST_PRINT_FIELD_H
#define LKST_PRINT_FIELD_H

#include "trace/format/block.h"

enum { LKST_FAULT_BITS = 32 }; /* of a probe's field that says which others could not be read */

static inline bool lkst_field_is_int(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_SINT;
}

static inline bool lkst_field_is_array(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_UINTS || f->type == LKST_CLASS_SINTS ||
	       f->type == LKST_CLASS_WORDS;
}

static inline bool lkst_field_is_text(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_CHARS || f->type == LKST_CLASS_STRING ||
	       f->type == LKST_CLASS_TEXT;
}

/* True for addresses that the trace may have names for. */
static inline bool lkst_field_has_symbol(const struct lkst_field_class *f)
{
	return f->size == sizeof(u64) &&
	       (f->meaning == LKST_MEANING_CODE || f->meaning == LKST_MEANING_DATA ||
		f->meaning == LKST_MEANING_CACHE);
}

/* True if @suffix ends the field's name. */
bool lkst_field_ends_in(const struct lkst_field_class *f, const char *suffix);

/* True for a field that only says how long another one is. */
bool lkst_field_is_length(const struct lkst_event_class *event, unsigned int index);

/* The field called @name, as an index; -1: there is none. */
int lkst_field_index(const struct lkst_event_class *event, const char *name);

/*
 * The bit of field *@ret_faults that says that field @index of a probe's record could not be read, and so holds
 * nothing; 0: it always could.
 */
u32 lkst_field_fault(const struct lkst_event_class *event, unsigned int index,
		     unsigned int *ret_faults);

/* An integer field's value, wherever it lies. */
u64 lkst_field_int(const struct lkst_record *r, unsigned int index);

/* A text field without the NULs at its end. */
const char *lkst_field_text(const struct lkst_record *r, unsigned int index, u32 *ret_length);

/* An array field's elements: how many there are, and one of them. */
u32 lkst_field_elements(const struct lkst_record *r, unsigned int index, const u8 **ret_first);
u64 lkst_field_element(const struct lkst_field_class *f, const u8 *first, u32 i);

/* The same as text, "[1,-2]": the bytes that it needs at most, and its end at @p. */
size_t lkst_field_numbers_room(const struct lkst_record *r, unsigned int index);
char *lkst_field_put_numbers(char *p, const struct lkst_record *r, unsigned int index);

#endif
