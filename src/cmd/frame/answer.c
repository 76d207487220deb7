/* SPDX-License-Identifier: GPL-2.0-only */
/* How commands answer. */
#include "cmd/frame/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/time.h"

int lkst_answer_begin(struct lkst_err *e, const struct lkst_answer_form *form,
		      struct lkst_answer *a)
{
	*a = (struct lkst_answer){ .e = e, .format = lkst_answer_format(form) };
	a->out = malloc(sizeof(*a->out));
	if (!a->out)
		return lkst_err_sys(e, -ENOMEM, "answering");
	lkst_out_init_stream(a->out, stdout);
	lkst_json_init(&a->json, a->out);
	lkst_table_printer_init(&a->printer, a->out, a->format, lkst_clock_offset_ns());
	a->printer.max_text = LKST_CELL_TEXT_MAX;
	return 0;
}

int lkst_answer_begin_tree(struct lkst_err *e, const struct lkst_answer_form *form,
			   struct lkst_answer *a)
{
	int err = lkst_answer_begin(e, form, a);

	if (!err && a->format == LKST_TABLE_CSV)
		return lkst_err_set(e, -EINVAL,
				    "this is not a table: --format csv cannot show it; json can");
	return err;
}

void lkst_answer_table(struct lkst_answer *a, const struct lkst_table *t)
{
	size_t row;

	if (t->error && !a->out->error)
		a->out->error = t->error;
	if (a->format != LKST_TABLE_JSON) {
		lkst_table_print(&a->printer, t);
		return;
	}
	for (row = 0; row < t->nr_rows; row++)
		lkst_table_json_row(&a->json, t, row);
}

void lkst_answer_notes(enum lkst_table_format format, const struct lkst_table *t)
{
	char left_out[LKST_TABLE_LEFT_OUT_TEXT];
	unsigned int i;

	if (format != LKST_TABLE_CSV)
		return;
	if (lkst_table_left_out_text(t, left_out, sizeof(left_out)))
		lkst_print_message(stderr, "%s: left out: %s.", t->name, left_out);
	for (i = 0; i < t->notes.nr; i++)
		lkst_print_message(stderr, "note: %s", t->notes.text[i]);
}

int lkst_answer_end(struct lkst_answer *a, int err)
{
	int flush_err;

	if (!a->out)
		return err;
	/* Half an object is of no use to a program. */
	if (err < 0 && a->format == LKST_TABLE_JSON)
		a->out->used = 0;
	flush_err = lkst_out_flush(a->out);
	free(a->out);
	a->out = NULL;
	if (!err && flush_err)
		return lkst_err_sys(a->e, flush_err, "writing the answer");
	return err;
}
