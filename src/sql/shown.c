/* SPDX-License-Identifier: GPL-2.0-only */
/* Records as the views print them, in memory. */
#include "sql/shown.h"

#include <stdlib.h>

#include "base/out.h"

struct lkst_sql_shown {
	const struct lkst_view *view;
	void *ctx;
	struct lkst_out *out;
	FILE *to; /* what does not fit into the output's own buffer */
	char *text;
	size_t length;
};

void lkst_sql_shown_free(struct lkst_sql_shown *shown)
{
	if (!shown)
		return;
	if (shown->ctx)
		shown->view->end(shown->ctx);
	if (shown->to)
		fclose(shown->to);
	free(shown->text);
	free(shown->out);
	free(shown);
}

struct lkst_sql_shown *lkst_sql_shown_new(struct lkst_sql *s, const struct lkst_view *view,
					  const struct lkst_address_names *names)
{
	struct lkst_sql_shown *shown = calloc(1, sizeof(*shown));
	struct lkst_view_config config = { .catalog = s->catalog,
					   .threads = names->threads,
					   .symbols = names->symbols,
					   .code = names->code,
					   .begin_ns = s->begin_ns };

	if (!shown)
		return NULL;
	shown->view = view;
	shown->out = malloc(sizeof(*shown->out));
	shown->to = open_memstream(&shown->text, &shown->length);
	if (shown->out && shown->to) {
		lkst_out_init_stream(shown->out, shown->to);
		config.out = shown->out;
		if (config.symbols && !view->begin(NULL, &config, &shown->ctx)) {
			shown->out->used = 0;
			return shown;
		}
	}
	lkst_sql_shown_free(shown);
	return NULL;
}

const char *lkst_sql_shown_record(struct lkst_sql_shown *shown, const struct lkst_record *r,
				  size_t *ret_length)
{
	const char *text = shown->out->buffer;
	size_t length;

	rewind(shown->to);
	if (shown->view->record(shown->ctx, r))
		return NULL;
	length = shown->out->used;
	/* A record that is longer than the buffer has gone to the stream in part. */
	if (ftell(shown->to) > 0) {
		if (lkst_out_flush(shown->out))
			return NULL;
		fflush(shown->to);
		text = shown->text;
		length = (size_t)ftell(shown->to);
	}
	shown->out->used = 0;
	*ret_length = length && text[length - 1] == '\n' ? length - 1 : length;
	return text;
}
