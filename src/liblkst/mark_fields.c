// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The one-line description of an event, taken apart. */
#include "liblkst/mark_fields.h"

#include <string.h>

#include "liblkst/mark_format.h"

/* What is left of a text. */
struct rest {
	const char *at, *end;
};

static void skip_blanks(struct rest *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
}

/* Takes @c, if it comes next. */
static bool take_char(struct rest *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool is_of_word(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9' && !is_first);
}

static bool take_word(struct rest *r, char word[LKST_MARK_WORD])
{
	size_t length = 0;

	skip_blanks(r);
	while (r->at < r->end && is_of_word(*r->at, !length)) {
		if (length == LKST_MARK_WORD - 1)
			return false;
		word[length++] = *r->at++;
	}
	word[length] = 0;
	return length;
}

static bool parse_type(const char *type, struct lkst_mark_field *f)
{
	static const char *const sizes[] = { [1] = "8", [2] = "16", [4] = "32", [8] = "64" };
	u8 size;

	f->size = 0;
	f->is_signed = *type == 's';
	f->is_hex = *type == 'x';
	if (!strcmp(type, "string")) {
		f->is_signed = false;
		return true;
	}
	if (*type != 'u' && *type != 's' && *type != 'x')
		return false;
	for (size = 1; size <= 8 && !f->size; size *= 2)
		if (!strcmp(type + 1, sizes[size]))
			f->size = size;
	return f->size;
}

/* Places a field as the catalogue of a trace does: an integer is aligned to its size, at most 4. */
static bool place(struct lkst_mark_fields *fields, struct lkst_mark_field *f)
{
	const u32 align = f->size > 4 ? 4 : f->size ?: 1;
	u32 i;

	/* Strings come last. */
	if (f->size && fields->nr && !f[-1].size)
		return false;
	for (i = 0; i < fields->nr; i++)
		if (!strcmp(fields->list[i].name, f->name))
			return false;
	fields->fixed = (fields->fixed + align - 1) & ~(align - 1);
	fields->at[fields->nr] = (u16)fields->fixed;
	fields->fixed += f->size;
	fields->nr_integers += f->size != 0;
	fields->nr++;
	return true;
}

bool lkst_mark_fields_parse(const char *text, size_t length, struct lkst_mark_fields *ret_fields)
{
	struct rest r = { text, text + strnlen(text, length) };
	struct lkst_mark_fields *fields = ret_fields;
	char type[LKST_MARK_WORD];

	memset(fields, 0, sizeof(*fields));
	fields->fixed = LKST_MARK_RECORD_FIELDS;
	if (!take_word(&r, fields->name))
		return false;
	if (take_char(&r, ':')) {
		do {
			struct lkst_mark_field *f = &fields->list[fields->nr];

			if (fields->nr == LKST_MARK_NR_FIELDS || !take_word(&r, type) ||
			    !parse_type(type, f) || !take_word(&r, f->name) || !place(fields, f))
				return false;
		} while (take_char(&r, ','));
	}
	skip_blanks(&r);
	return r.at == r.end;
}
