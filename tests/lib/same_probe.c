/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether two probes say the same. */
#include "lib/same_probe.h"

#include <string.h>

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_same_fetch(const struct lkst_fetch *a, const struct lkst_fetch *b)
{
	if (!a || !b)
		return a == b;
	return a->op == b->op && a->is_user == b->is_user && a->is_arrow == b->is_arrow &&
	       a->number == b->number && a->size == b->size && a->index_size == b->index_size &&
	       a->is_index_signed == b->is_index_signed && is_same_text(a->text, b->text) &&
	       is_same_fetch(a->base, b->base) && is_same_fetch(a->index, b->index);
}

static bool is_same_arg(const struct lkst_probe_arg *a, const struct lkst_probe_arg *b)
{
	return !strcmp(a->name, b->name) && is_same_fetch(a->fetch, b->fetch) &&
	       a->type.form == b->type.form && a->type.size == b->type.size &&
	       a->type.bits == b->type.bits && a->type.bit_at == b->type.bit_at &&
	       a->type.count == b->type.count;
}

static bool is_same_place(const struct lkst_probe_place *a, const struct lkst_probe_place *b)
{
	return a->kind == b->kind && a->is_return == b->is_return && a->is_next == b->is_next &&
	       is_same_text(a->module, b->module) && is_same_text(a->path, b->path) &&
	       is_same_text(a->symbol, b->symbol) && is_same_text(a->source, b->source) &&
	       is_same_text(a->pattern, b->pattern) && is_same_text(a->provider, b->provider) &&
	       a->offset == b->offset && a->address == b->address && a->semaphore == b->semaphore &&
	       a->line == b->line && a->max_active == b->max_active && a->watch == b->watch &&
	       a->watch_bytes == b->watch_bytes;
}

bool is_same_probe(const struct lkst_probe *a, const struct lkst_probe *b)
{
	u32 i;

	if (strcmp(a->group, b->group) || strcmp(a->event, b->event) || a->nr_args != b->nr_args ||
	    !is_same_place(&a->place, &b->place) || !is_same_text(a->condition, b->condition))
		return false;
	for (i = 0; i < a->nr_args; i++)
		if (!is_same_arg(&a->args[i], &b->args[i]))
			return false;
	return true;
}
