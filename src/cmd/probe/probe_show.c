/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be probed: lines of sources, variables and functions, in the form of perf probe. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/probe/probe.h"
#include "probe/resolve/listing.h"
#include "probe/text/perf.h"

enum { TAB = 8 };

static int probe_show_open_image(struct lkst_err *e, const struct lkst_probe_options *o,
				 struct lkst_image **ret_image)
{
	struct lkst_image_options options;

	lkst_wanted_image(o, o->program, o->module, &options);
	return lkst_image_open(e, &options, ret_image);
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* A copy of @text with blanks in place of tabs, which would be escaped. NULL: no memory. */
static char *without_tabs(const char *text)
{
	char *copy = malloc(strlen(text) * TAB + 1), *to = copy;

	if (!copy)
		return NULL;
	for (; *text; text++) {
		*to++ = *text == '\t' ? ' ' : *text;
		while (*text == '\t' && (to - copy) % TAB)
			*to++ = ' ';
	}
	*to = 0;
	return copy;
}

static int probe_show_print_lines(struct lkst_err *e, const struct lkst_line_list *list)
{
	u32 i;

	lkst_print_message(stdout, "<%s%s%s:%u>", list->function ?: "", list->function ? "@" : "",
			   list->source, list->first);
	for (i = 0; i < list->nr; i++) {
		const struct lkst_listed_line *line = &list->lines[i];
		_cleanup_free_ char *text = without_tabs(line->text);

		if (!text)
			return lkst_err_sys(e, -ENOMEM, "printing lines");
		if (line->can_be_probed)
			lkst_print_message(stdout, "%7u  %s", line->number, text);
		else
			lkst_print_message(stdout, "%7s  %s", "", text);
	}
	return 0;
}

static int show_lines(struct lkst_err *e, const struct lkst_probe_options *o,
		      struct lkst_image *image)
{
	struct lkst_line_range range;
	struct lkst_line_list list = {};
	int err = lkst_line_range_parse(e, o->lines, &range);

	if (err)
		return err;
	err = lkst_list_lines(e, image, &range, &list) ?: probe_show_print_lines(e, &list);
	lkst_line_list_fini(&list);
	lkst_line_range_fini(&range);
	return err;
}

/* ---- variables -------------------------------------------------------------------------------- */

static void print_variables(const char *point, const struct lkst_place_list *list)
{
	u32 i, j;

	lkst_print_message(stdout, "Available variables at %s", point);
	for (i = 0; i < list->nr; i++) {
		const struct lkst_listed_place *place = &list->places[i];

		lkst_print_message(stdout, "%*s@<%s>", TAB, "", place->where);
		for (j = 0; j < place->variables.nr; j++) {
			const char *type = place->variables.names[j], *tab = strchr(type, '\t');
			int length = (int)(tab ? tab - type : (long)strlen(type));

			lkst_print_message(stdout, "%*s%-*.*s %s", 2 * TAB, "", TAB - 1, length,
					   type, tab ? tab + 1 : "");
		}
	}
}

static int show_variables(struct lkst_err *e, const struct lkst_probe_options *o,
			  struct lkst_image *image)
{
	const struct lkst_perf_target target = { .path = o->program };
	struct lkst_place_list list = {};
	struct lkst_probe point;
	int err = lkst_perf_parse(e, o->vars, &target, &point);

	if (err)
		return err;
	if (point.nr_args || point.condition)
		err = lkst_err_set(e, -EINVAL, "--vars takes a place alone, without arguments");
	err = err ?: lkst_list_variables(e, image, &point.place, &list);
	if (!err)
		print_variables(o->vars, &list);
	lkst_place_list_fini(&list);
	lkst_probe_fini(&point);
	return err;
}

/* ---- functions -------------------------------------------------------------------------------- */

static int show_functions(struct lkst_err *e, struct lkst_image *image, const char *glob)
{
	struct lkst_name_list list = {};
	int err = lkst_list_functions(e, image, glob, &list);
	u32 i;

	for (i = 0; i < list.nr && !err; i++)
		lkst_print_message(stdout, "%s", list.names[i]);
	lkst_name_list_fini(&list);
	return err;
}

int lkst_probe_show(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		    unsigned int nr_args)
{
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	unsigned int i;
	int err = probe_show_open_image(e, o, &image);

	if (!err && o->lines)
		err = show_lines(e, o, image);
	if (!err && o->vars)
		err = show_variables(e, o, image);
	if (!err && o->funcs && !nr_args)
		err = show_functions(e, image, NULL);
	for (i = 0; i < nr_args && !err; i++)
		err = show_functions(e, image, args[i]);
	return err;
}
