/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as a view prints them, one at a time, in memory. */
#include "print/record_text.h"

#include <stdio.h>
#include <stdlib.h>

struct lkst_record_text {
	const struct lkst_view *view;
	void *ctx;
	struct lkst_out *out;
	FILE *to; /* what does not fit into the output's own buffer */
	char *text;
	size_t length;
};

void lkst_record_text_free(struct lkst_record_text *t)
{
	if (!t)
		return;
	if (t->ctx)
		t->view->end(t->ctx);
	if (t->to)
		fclose(t->to);
	free(t->text);
	free(t->out);
	free(t);
}

struct lkst_record_text *lkst_record_text_new(const struct lkst_view *view, const struct lkst_view_config *config)
{
	_cleanup_(lkst_record_text_freep) struct lkst_record_text *t = calloc(1, sizeof(*t));
	struct lkst_view_config own = *config;

	if (!t)
		return NULL;
	t->view = view;
	t->out = malloc(sizeof(*t->out));
	t->to = open_memstream(&t->text, &t->length);
	if (!t->out || !t->to)
		return NULL;
	lkst_out_init_stream(t->out, t->to);
	own.out = t->out;
	if (view->begin(NULL, &own, &t->ctx))
		return NULL;
	t->out->used = 0;
	return lkst_take(t);
}

const char *lkst_record_text_of(struct lkst_record_text *t, const struct lkst_record *r, size_t *ret_length)
{
	const char *text = t->out->buffer;
	size_t length;

	rewind(t->to);
	if (t->view->record(t->ctx, r))
		return NULL;
	length = t->out->used;
	/* A record that is longer than the buffer has gone to the stream in part. */
	if (ftell(t->to) > 0) {
		if (lkst_out_flush(t->out))
			return NULL;
		fflush(t->to);
		text = t->text;
		length = (size_t)ftell(t->to);
	}
	t->out->used = 0;
	*ret_length = length && text[length - 1] == '\n' ? length - 1 : length;
	return text;
}
