/* SPDX-License-Identifier: GPL-2.0-only */
/* A probe as a struct: copied, freed, refused. */
#include "probe/text/probe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lkst_fetch *lkst_fetch_new(enum lkst_fetch_op op)
{
	struct lkst_fetch *f = calloc(1, sizeof(*f));

	if (f)
		f->op = (u8)op;
	return f;
}

void lkst_fetch_free(struct lkst_fetch *f)
{
	if (!f)
		return;
	lkst_fetch_free(f->base);
	lkst_fetch_free(f->index);
	free(f->text);
	free(f);
}

struct lkst_fetch *lkst_fetch_copy(const struct lkst_fetch *f)
{
	_cleanup_(lkst_fetch_freep) struct lkst_fetch *copy = NULL;

	if (!f)
		return NULL;
	copy = lkst_fetch_new(f->op);
	if (!copy)
		return NULL;
	*copy = *f;
	copy->text = f->text ? strdup(f->text) : NULL;
	copy->base = lkst_fetch_copy(f->base);
	copy->index = lkst_fetch_copy(f->index);
	if (!copy->text != !f->text || !copy->base != !f->base || !copy->index != !f->index)
		return NULL;
	return lkst_take(copy);
}

void lkst_probe_fini(struct lkst_probe *p)
{
	struct lkst_probe_place *place = &p->place;
	u32 i;

	for (i = 0; i < LKST_PROBE_ARGS_MAX; i++)
		lkst_fetch_free(p->args[i].fetch);
	free(place->module);
	free(place->path);
	free(place->symbol);
	free(place->source);
	free(place->pattern);
	free(place->provider);
	free(p->condition);
	free(p->text);
	memset(p, 0, sizeof(*p));
}

/* Replaces a text that is another's by a copy; false: no memory. */
static bool probe_own(char **text)
{
	if (*text)
		*text = strdup(*text);
	return *text;
}

int lkst_probe_copy(const struct lkst_probe *p, struct lkst_probe *ret)
{
	char **const texts[] = { &ret->place.module, &ret->place.path,	  &ret->place.symbol,
				 &ret->place.source, &ret->place.pattern, &ret->place.provider,
				 &ret->condition,    &ret->text };
	bool is_whole = true;
	size_t i;

	*ret = *p;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		is_whole &= !*texts[i] || probe_own(texts[i]);
	for (i = 0; i < LKST_PROBE_ARGS_MAX; i++) {
		ret->args[i].fetch = lkst_fetch_copy(p->args[i].fetch);
		is_whole &= !p->args[i].fetch || ret->args[i].fetch;
	}
	if (is_whole)
		return 0;
	lkst_probe_fini(ret);
	return -ENOMEM;
}

int lkst_probe_refuse(struct lkst_err *e, int err, const struct lkst_probe *p, u16 at,
		      const char *format, ...)
{
	char text[LKST_ERR_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lkst_err_set(e, err, "%s", text);
	return p->text ? lkst_err_mark(e, err, p->text, strlen(p->text), at) : err;
}
