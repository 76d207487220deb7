/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of records, by kind and wherever they lie. */
#include "print/field.h"

#include <string.h>

#include "base/out.h"

enum { NUMBER_MAX = 24 }; /* characters of a number, with a comma */

bool lkst_field_ends_in(const struct lkst_field_class *f, const char *suffix)
{
	size_t length = strlen(f->name), n = strlen(suffix);

	return length > n && !strcmp(f->name + length - n, suffix);
}

bool lkst_field_is_length(const struct lkst_event_class *event, unsigned int index)
{
	unsigned int i;

	for (i = index + 1; i < event->nr_fields; i++)
		if (lkst_class_has_length(&event->fields[i]) &&
		    event->fields[i].length_field == index)
			return true;
	return false;
}

int lkst_field_index(const struct lkst_event_class *event, const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(event, name);

	return f ? (int)(f - event->fields) : -1;
}

u32 lkst_field_fault(const struct lkst_event_class *event, unsigned int index,
		     unsigned int *ret_faults)
{
	int faults = lkst_field_index(event, LKST_PROBE_FIELD_FAULTS), after;

	if (faults < 0 || !lkst_field_is_int(&event->fields[faults]))
		return 0;
	after = (int)index - faults - 1;
	if (after < 0 || after >= LKST_FAULT_BITS)
		return 0;
	*ret_faults = (unsigned int)faults;
	return 1U << after;
}

static u64 field_load(const u8 *bytes, u8 size, bool is_signed)
{
	u64 v = 0;
	unsigned int i;

	for (i = size; i; i--)
		v = v << 8 | bytes[i - 1];
	if (is_signed && size < 8 && v >> (8 * size - 1))
		v |= ~0ULL << 8 * size;
	return v;
}

u64 lkst_field_int(const struct lkst_record *r, unsigned int index)
{
	const struct lkst_field_class *f = &r->event->fields[index];
	const u8 *bytes;
	u32 length;

	if (f->offset != LKST_OFFSET_VARIES)
		return lkst_record_int(r, f);
	bytes = lkst_record_field(r, index, &length);
	return bytes && length == f->size ? field_load(bytes, f->size, f->type == LKST_CLASS_SINT) : 0;
}

const char *lkst_field_text(const struct lkst_record *r, unsigned int index, u32 *ret_length)
{
	const char *text = (const char *)lkst_record_field(r, index, ret_length);

	while (*ret_length && !text[*ret_length - 1])
		--*ret_length;
	return *ret_length ? text : "";
}

u32 lkst_field_elements(const struct lkst_record *r, unsigned int index, const u8 **ret_first)
{
	u8 size = r->event->fields[index].size;
	u32 length;

	*ret_first = lkst_record_field(r, index, &length);
	return size ? length / size : length;
}

u64 lkst_field_element(const struct lkst_field_class *f, const u8 *first, u32 i)
{
	return field_load(first + (size_t)i * f->size, f->size, f->type == LKST_CLASS_SINTS);
}

size_t lkst_field_numbers_room(const struct lkst_record *r, unsigned int index)
{
	const u8 *first;

	return (size_t)lkst_field_elements(r, index, &first) * NUMBER_MAX + 3;
}

char *lkst_field_put_numbers(char *p, const struct lkst_record *r, unsigned int index)
{
	const struct lkst_field_class *f = &r->event->fields[index];
	const u8 *first;
	u32 nr = lkst_field_elements(r, index, &first), i;

	*p++ = '[';
	for (i = 0; i < nr; i++) {
		u64 value = lkst_field_element(f, first, i);

		if (i)
			*p++ = ',';
		p = f->type == LKST_CLASS_SINTS ? lkst_put_s64(p, (s64)value)
						: lkst_put_u64(p, value);
	}
	*p++ = ']';
	return p;
}
