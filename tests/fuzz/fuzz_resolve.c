/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of probes in a damaged program: tests/unit/probed/program.c, compiled, with bytes of it replaced as the
 * input says. Whatever is in the file, what is resolved keeps to what kprobe_events has.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "lib/damaged_program.h"
#include "lib/printed.h"
#include "probe/resolve/listing.h"
#include "probe/resolve/resolve.h"
#include "probe/text/format.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_fetch(const struct lkst_fetch *f, unsigned int depth)
{
	if (!f)
		return;
	if (f->op >= LKST_FETCH_VARIABLE || depth > 2 * LKST_FETCH_DEPTH)
		abort();
	check_fetch(f->base, depth + 1);
	check_fetch(f->index, depth + 1);
}

/* The first probe as it is listed, and what is said of the places where none is. */
static void print(const struct lkst_resolved *r)
{
	char line[LKST_PROBE_TEXT], on[LKST_PROBE_TEXT];

	if (r->nr) {
		lkst_probe_place_format(&r->probes[0].place, on);
		lkst_probe_list_format(&r->probes[0], on, line);
		printed_name(line, strlen(line));
	}
	if (r->notes.nr)
		printed_notes(&r->notes);
}

static void resolve(struct lkst_image *image, const char *path, const char *definition)
{
	const struct lkst_perf_target target = { .path = path };
	struct lkst_resolved r;
	struct lkst_err e = { 0 };
	struct lkst_probe p;
	u32 i, j;

	if (lkst_perf_parse(&e, definition, &target, &p))
		abort();
	if (lkst_probe_resolve(&e, image, &p, &r)) {
		printed_error(&e);
	} else {
		for (i = 0; i < r.nr; i++) {
			if (r.probes[i].place.kind > LKST_PLACE_FILE)
				abort();
			for (j = 0; j < r.probes[i].nr_args; j++)
				check_fetch(r.probes[i].args[j].fetch, 0);
		}
		print(&r);
		lkst_resolved_fini(&r);
	}
	lkst_probe_fini(&p);
}

enum { SHOWN = 16 };

static void print_list(const struct lkst_name_list *l)
{
	printed_names((const char *const *)l->names, l->nr < SHOWN ? l->nr : SHOWN);
}

static void list(struct lkst_image *image, char *what)
{
	const struct lkst_line_range range = { .function = what, .last = UINT32_MAX };
	const struct lkst_probe_place place = { .kind = LKST_PLACE_SYMBOL, .symbol = what };
	struct lkst_line_list lines;
	struct lkst_place_list places;
	struct lkst_name_list names;

	struct lkst_err e = {};
	u32 i;

	if (!lkst_list_lines(&e, image, &range, &lines)) {
		printed_names((const char *const[]){ lines.function ?: "", lines.source }, 2);
		lkst_line_list_fini(&lines);
	} else {
		printed_error(&e);
	}
	if (!lkst_list_variables(&e, image, &place, &places)) {
		for (i = 0; i < places.nr; i++)
			print_list(&places.places[i].variables);
		lkst_place_list_fini(&places);
	} else {
		printed_error(&e);
	}
	if (!lkst_list_functions(&e, image, NULL, &names)) {
		print_list(&names);
		lkst_name_list_fini(&names);
	} else {
		printed_error(&e);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const char *const definitions[] = {
		"walk $vars",	       "walk:5 p->next->name:string p->low text[i]",
		"square v r",	       "many+1 local.deep",
		"program.c:55 sum",    "%program:step",
		"main%return $retval", "find list[nr]->name:string",
		"walk;sum*",	       "nested%next v",
	};
	struct lkst_image_options o = { .program = damaged_program(data, size)->path };
	struct lkst_image *image;
	struct lkst_err e = {};
	size_t i;

	if (lkst_image_open(&e, &o, &image)) {
		printed_error(&e);
		return 0;
	}
	for (i = 0; i < sizeof(definitions) / sizeof(definitions[0]); i++)
		resolve(image, o.program, definitions[i]);
	list(image, (char *)"walk");
	list(image, (char *)"square");
	lkst_image_close(image);
	return 0;
}
