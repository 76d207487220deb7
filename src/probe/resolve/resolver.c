/* SPDX-License-Identifier: GPL-2.0-only */
/* What all ways to resolve a definition do with a place that they have found: a probe of it, with its arguments. */
#include "probe/resolve/resolver.h"

#include <errno.h>
#include <string.h>

#include "probe/resolve/expression.h"
#include "probe/resolve/points.h"
#include "probe/text/perf.h"

/* Names the probe as its text does, or as its function; the second and the next of one name get a number. */
static void set_names(struct lkst_resolver *r, const struct lkst_spot *s, struct lkst_probe *p)
{
	struct lkst_probe named = *r->written;
	u32 i, n = 0;

	lkst_perf_name(&named, s->function ? s->function : "probe");
	memcpy(p->group, named.group, sizeof(p->group));
	memcpy(p->event, named.event, sizeof(p->event));
	/* There may be a thousand of one name: they need not be compared with all from 1 on. */
	if (!strcmp(r->last_event, named.event))
		n = r->last_number;
	for (i = 0; i < r->out.nr; i++)
		if (!strcmp(r->out.probes[i].event, p->event)) {
			snprintf(p->event, sizeof(p->event), "%.56s_%u", named.event, ++n);
			i = (u32)-1;
		}
	memcpy(r->last_event, named.event, sizeof(r->last_event));
	r->last_number = n;
}

int lkst_resolver_add(struct lkst_resolver *r, struct lkst_spot *s,
		      const struct lkst_probe_place *place)
{
	struct lkst_probe p = { .place = *place };
	int code;

	code = lkst_expression_arguments(s, r->written, p.args, &p.nr_args);
	if (code)
		return code;
	set_names(r, s, &p);
	p.place.max_active = r->written->place.max_active;
	p.place.is_return = r->written->place.is_return;
	p.place.at = r->written->place.at;
	p.place.module = place->module ? place->module : r->image->module;
	p.place.path = place->path ? place->path : r->image->program;
	p.condition = r->written->condition;
	p.condition_at = r->written->condition_at;
	p.text = r->written->text;
	return lkst_resolved_add(r->e, &r->out, &p);
}

struct lkst_spot lkst_resolver_spot(struct lkst_resolver *r)
{
	struct lkst_spot s = { .e = r->e,
			       .image = r->image,
			       .pool = &r->pool,
			       .is_return = r->written->place.is_return };

	lkst_place_text(&r->written->place, s.where, sizeof(s.where));
	return s;
}

int lkst_resolver_place_in_file(struct lkst_resolver *r, u64 address, const char *symbol,
				struct lkst_probe_place *place)
{
	place->kind = LKST_PLACE_FILE;
	if (lkst_image_file_offset(r->image, address, &place->offset))
		return lkst_err_set(r->e, -ENOENT, "%s has no byte that is loaded at address %#llx",
				    r->image->program, (unsigned long long)address);
	place->symbol = (char *)symbol;
	return 0;
}
