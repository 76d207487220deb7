/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the addresses that fields of records hold: of the kernel by the symbols of the trace, of a program by
 * what it had mapped. For views, queries and exports.
 */
#ifndef LKST_PRINT_ADDRESS_NAMES_H
#define LKST_PRINT_ADDRESS_NAMES_H

#include "print/field.h"
#include "trace/known/symbols.h"
#include "trace/known/threads.h"
#include "usercode/space/code_name.h"

enum { LKST_ADDRESS_NAME = LKST_CODE_TEXT }; /* bytes that a name needs */
_Static_assert((int)LKST_CODE_TEXT >= (int)LKST_SYMBOL_ROOM, "both kinds fit");

/* Who knows names. All is borrowed, and may be NULL. */
struct lkst_address_names {
	struct lkst_symbols *symbols;
	const struct lkst_code_view *code; /* fed with all records before the one that is asked for */
	const struct lkst_threads *threads; /* the same */
};

/* True for an array of addresses of a program's code: a stack. */
static inline bool lkst_field_is_user_stack(const struct lkst_field_class *f)
{
	return f->size == sizeof(u64) && lkst_field_is_array(f) && f->meaning == LKST_MEANING_ADDR;
}

/* True for fields that hold addresses which may have names. */
static inline bool lkst_field_has_names(const struct lkst_field_class *f)
{
	return lkst_field_has_symbol(f) || lkst_field_is_user_stack(f);
}

/* Whether any name is known for such a field: where none is, there is nothing to be looked up. */
bool lkst_address_names_serve(const struct lkst_address_names *n, const struct lkst_field_class *f);

/*
 * Puts at @p the name of element @i of field @index of @r, which lkst_field_has_names(), or of the field itself if that
 * is no array: without blanks, quotes or control characters. Nothing is put, and @p comes back, if it is not known.
 * Needs LKST_ADDRESS_NAME.
 */
char *lkst_address_name_put(const struct lkst_address_names *n, char *p, const struct lkst_record *r,
			    unsigned int index, u32 i);

/* The address itself. */
u64 lkst_address_of(const struct lkst_record *r, unsigned int index, u32 i);

/* The number of names that the field holds, and the bytes that lkst_address_list_put() needs. */
u32 lkst_address_list_nr(const struct lkst_record *r, unsigned int index);
static inline size_t lkst_address_list_room(const struct lkst_record *r, unsigned int index)
{
	return ((size_t)lkst_address_list_nr(r, index) + 1) * LKST_ADDRESS_NAME;
}

/* Puts all of them with a blank between, one that is not known as a number. @p comes back if none is known. */
char *lkst_address_list_put(const struct lkst_address_names *n, char *p, const struct lkst_record *r,
			    unsigned int index);

#endif
