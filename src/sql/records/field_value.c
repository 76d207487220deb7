/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of records as values of SQL. */
#include "sql/records/field_value.h"

#include "base/out.h"
#include "print/field.h"

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

static void field_value_put_numbers(sqlite3_context *ctx, const struct lkst_record *r, unsigned int index)
{
	char *text = sqlite3_malloc64(lkst_field_numbers_room(r, index));

	if (text)
		sqlite3_result_text(ctx, text, (int)(lkst_field_put_numbers(text, r, index) - text),
				    sqlite3_free);
	else
		sqlite3_result_error_nomem(ctx);
}

void lkst_sql_field_value(sqlite3_context *ctx, const struct lkst_record *r, unsigned int index)
{
	const struct lkst_field_class *f = &r->event->fields[index];
	const void *bytes;
	u32 length;

	if (lkst_field_is_int(f)) {
		sqlite3_result_int64(ctx, (sqlite3_int64)lkst_field_int(r, index));
	} else if (f->type == LKST_CLASS_BYTES) {
		bytes = lkst_record_field(r, index, &length);
		sqlite3_result_blob(ctx, bytes ?: "", (int)length, SQLITE_TRANSIENT);
	} else if (lkst_field_is_text(f)) {
		bytes = lkst_field_text(r, index, &length);
		sqlite3_result_text(ctx, bytes, (int)length, SQLITE_TRANSIENT);
	} else {
		field_value_put_numbers(ctx, r, index);
	}
}

bool lkst_sql_field_is_known(const struct lkst_record *r, int faults, unsigned int index)
{
	int after = (int)index - faults - 1;

	if (faults < 0 || after < 0 || after >= LKST_FAULT_BITS)
		return true;
	return !(lkst_field_int(r, (unsigned int)faults) >> after & 1);
}
