/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of records as values of SQL. */
#include "sql/field_value.h"

#include "base/out.h"

enum {
	NUMBER_MAX = 24, /* characters of a number, with a comma */
	FAULT_BITS = 32,
};

const char *lkst_sql_field_type(const struct lkst_field_class *f)
{
	switch (f->type) {
	case LKST_CLASS_UINT:
	case LKST_CLASS_SINT:
		return "INTEGER";
	case LKST_CLASS_BYTES:
		return "BLOB";
	default:
		return "TEXT";
	}
}

static s64 load(const u8 *bytes, u32 size, bool is_signed)
{
	u64 v = 0;
	u32 i;

	for (i = size; i; i--)
		v = v << 8 | bytes[i - 1];
	if (is_signed && size && size < 8 && v >> (8 * size - 1))
		v |= ~0ULL << 8 * size;
	return (s64)v;
}

static void put_numbers(sqlite3_context *ctx, const struct lkst_field_class *f, const u8 *bytes,
			u32 length)
{
	u32 nr = f->size ? length / f->size : 0, i;
	char *text = sqlite3_malloc64((u64)nr * NUMBER_MAX + 3), *p = text;

	if (!text) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	*p++ = '[';
	for (i = 0; i < nr; i++) {
		s64 v = load(bytes + (size_t)i * f->size, f->size, f->type == LKST_CLASS_SINTS);

		if (i)
			*p++ = ',';
		p = f->type == LKST_CLASS_SINTS ? lkst_put_s64(p, v) : lkst_put_u64(p, (u64)v);
	}
	*p++ = ']';
	sqlite3_result_text(ctx, text, (int)(p - text), sqlite3_free);
}

void lkst_sql_field_value(sqlite3_context *ctx, const struct lkst_record *r, unsigned int index)
{
	const struct lkst_field_class *f = &r->event->fields[index];
	u32 length;
	const u8 *bytes = lkst_record_field(r, index, &length);

	switch (f->type) {
	case LKST_CLASS_UINT:
	case LKST_CLASS_SINT:
		sqlite3_result_int64(ctx, bytes && length == f->size
						  ? load(bytes, f->size, f->type == LKST_CLASS_SINT)
						  : 0);
		break;
	case LKST_CLASS_BYTES:
		sqlite3_result_blob(ctx, bytes ? bytes : (const u8 *)"", (int)length,
				    SQLITE_TRANSIENT);
		break;
	case LKST_CLASS_CHARS:
	case LKST_CLASS_STRING:
	case LKST_CLASS_TEXT:
		while (length && !bytes[length - 1])
			length--;
		sqlite3_result_text(ctx, length ? (const char *)bytes : "", (int)length,
				    SQLITE_TRANSIENT);
		break;
	default:
		put_numbers(ctx, f, bytes, bytes ? length : 0);
	}
}

bool lkst_sql_field_is_known(const struct lkst_record *r, int faults, unsigned int index)
{
	int after = (int)index - faults - 1;
	const u8 *bytes;
	u32 length;

	if (faults < 0 || after < 0 || after >= FAULT_BITS)
		return true;
	bytes = lkst_record_field(r, (unsigned int)faults, &length);
	return !bytes || length > 8 || !(load(bytes, length, false) >> after & 1);
}
