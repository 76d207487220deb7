/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be probed in an image: lines, variables and functions. */
#include "probe/resolve/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>

#include "base/io.h"
#include "base/vec.h"
#include "probe/debuginfo/cpp_name.h"
#include "probe/debuginfo/dies.h"
#include "probe/debuginfo/lines.h"
#include "probe/debuginfo/source_text.h"
#include "probe/resolve/points.h"
#include "probe/resolve/scope_variables.h"

enum {
	LINES_AFTER =
		3, /* lines after the last one that can be probed: perf probe's NR_ADDITIONAL_LINES, and one */
	KALLSYMS_MAX = 64 << 20,
};

void lkst_line_list_fini(struct lkst_line_list *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		free(l->lines[i].text);
	free(l->lines);
	free(l->function);
	free(l->source);
	*l = (struct lkst_line_list){ 0 };
}

void lkst_name_list_fini(struct lkst_name_list *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		free(l->names[i]);
	free(l->names);
	*l = (struct lkst_name_list){ 0 };
}

void lkst_place_list_fini(struct lkst_place_list *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		free(l->places[i].where);
		lkst_name_list_fini(&l->places[i].variables);
	}
	free(l->places);
	*l = (struct lkst_place_list){ 0 };
}

static int listing_add_name(struct lkst_name_list *l, const char *name)
{
	char **slot = lkst_vec_add(l->names, l->nr);

	if (!slot)
		return -ENOMEM;
	*slot = strdup(name);
	if (*slot)
		return 0;
	l->nr--;
	return -ENOMEM;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the names, and leaves out those that are there already. */
static void listing_sort_names(struct lkst_name_list *l)
{
	u32 i, nr = 0;

	if (l->nr)
		qsort(l->names, l->nr, sizeof(l->names[0]), compare_names);
	for (i = 0; i < l->nr; i++)
		if (nr && !strcmp(l->names[nr - 1], l->names[i]))
			free(l->names[i]);
		else
			l->names[nr++] = l->names[i];
	l->nr = nr;
}

/* The lines of a source that can be probed, in a range. */
struct listing_line_search {
	struct lkst_image *image;
	Dwarf_Die *unit;
	const char *source;
	u32 first, last; /* in the source */
	u32 *found;
	u32 nr;
};

static int listing_found_line(void *arg, const char *source, int line, Dwarf_Addr address)
{
	struct listing_line_search *s = arg;
	u32 *slot;

	if (line <= 0 || (u32)line < s->first || (u32)line > s->last || strcmp(source, s->source) ||
	    !lkst_line_is_own(s->image, s->unit, source, line, address))
		return 0;
	if (s->nr && s->found[s->nr - 1] == (u32)line)
		return 0;
	if (s->nr == LKST_LISTED_LINES_MAX)
		return -E2BIG;
	slot = lkst_vec_add(s->found, s->nr);
	if (!slot)
		return -ENOMEM;
	*slot = line;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const u32 *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* Adds line @line of the source to the list. */
static int add_line(struct lkst_line_list *l, const struct lkst_source_text *text, u32 line,
		    u32 base, bool can_be_probed)
{
	struct lkst_listed_line *slot = lkst_vec_add(l->lines, l->nr);

	if (!slot)
		return -ENOMEM;
	slot->number = line - base;
	slot->can_be_probed = can_be_probed;
	slot->text = strdup(text->lines[line - 1]);
	return slot->text ? 0 : -ENOMEM;
}

/* Makes the list of what was found. @base: the line that counts as 0. */
static int make_list(struct lkst_err *e, struct listing_line_search *s, u32 base, struct lkst_line_list *l)
{
	_cleanup_(lkst_source_text_fini) struct lkst_source_text text = { 0 };
	u32 line, last, i = 0;
	int code;

	qsort(s->found, s->nr, sizeof(s->found[0]), compare_numbers);
	code = lkst_source_text_read(e, s->image, s->unit, s->source, &text);
	if (code)
		return code;
	last = s->last >= INT_MAX ? s->found[s->nr - 1] + LINES_AFTER : s->last;
	if (last > text.nr)
		last = text.nr;
	for (line = s->first ? s->first : 1; !code && line <= last; line++) {
		while (i < s->nr && s->found[i] < line)
			i++;
		code = add_line(l, &text, line, base, i < s->nr && s->found[i] == line);
	}
	l->source = strdup(text.path);
	return !code && !l->source ? -ENOMEM : code;
}

/* What a search for lines of a function or source has in hand. */
struct range_search {
	struct lkst_err *e;
	struct lkst_image *image;
	const struct lkst_line_range *range;
	struct lkst_line_list *list;
	struct listing_line_search lines;
	bool found;
};

static int listing_found_instance(void *arg, Dwarf_Die *unit, Dwarf_Die *instance)
{
	struct range_search *r = arg;

	return lkst_lines_walk(r->image, unit, instance, listing_found_line, &r->lines);
}

static u32 add_limited(u32 a, u32 b)
{
	return b >= INT_MAX - a ? INT_MAX : a + b;
}

/* The first function of that name that has lines is shown. */
static int listing_found_function(void *arg, Dwarf_Die *unit, Dwarf_Die *function)
{
	struct range_search *r = arg;
	u32 base = lkst_die_line(function);
	Dwarf_Addr entry;
	int code;

	r->found = true;
	r->lines.unit = unit;
	r->lines.source = lkst_die_source(function);
	if (!r->lines.source || !base || base >= INT_MAX)
		return 0;
	r->lines.first = add_limited(base, r->range->first);
	r->lines.last = add_limited(base, r->range->last);
	if (lkst_die_entry(function, &entry))
		code = lkst_lines_walk(r->image, unit, function, listing_found_line, &r->lines);
	else
		code = lkst_instances_find(r->image, unit, function, listing_found_instance, r);
	if (code || !r->lines.nr)
		return code;
	r->list->function = strdup(r->range->function);
	code = r->list->function ? make_list(r->e, &r->lines, base, r->list) : -ENOMEM;
	return code ? code : 1;
}

/* The lines of the first source whose path ends so. All units may have instructions of it. */
static int find_source(struct range_search *r)
{
	const struct lkst_line_range *range = r->range;
	Dwarf_Off offset = 0;
	Dwarf_Files *files;
	Dwarf_Die unit, first = { 0 };
	size_t nr, i;
	int code = 0;

	r->lines.first = range->first;
	r->lines.last = range->last < INT_MAX ? range->last : INT_MAX;
	while (!code && lkst_die_next_unit(r->image, &offset, &unit)) {
		r->lines.unit = &unit;
		if (dwarf_getsrcfiles(&unit, &files, &nr))
			continue;
		for (i = 0; i < nr && lkst_image_step(r->image); i++) {
			const char *source = dwarf_filesrc(files, i, NULL, NULL);

			if (!source || !lkst_source_matches(source, range->source) ||
			    (r->lines.source && strcmp(source, r->lines.source)))
				continue;
			if (!r->lines.source)
				first = unit;
			r->lines.source = source;
			r->found = true;
			code = lkst_lines_walk(r->image, &unit, NULL, listing_found_line, &r->lines);
			break;
		}
	}
	r->lines.unit = &first;
	if (code || !r->lines.nr)
		return code;
	return make_list(r->e, &r->lines, 0, r->list);
}

static int explain_lines(struct range_search *r, int code)
{
	const struct lkst_line_range *range = r->range;
	const char *name = range->function ? range->function : range->source;

	if (code == -ENOMEM)
		return lkst_err_set(r->e, code, "there is no memory to list lines");
	if (code == -E2BIG)
		return lkst_err_set(r->e, code, "%s has more lines than can be listed", name);
	if (code)
		return code;
	if (!r->found)
		return lkst_err_set(r->e, -ENOENT, "%s has no %s %s", lkst_image_name(r->image),
				    range->function ? "function" : "source", name);
	return lkst_err_set(r->e, -ENOENT, "none of these lines of %s has instructions", name);
}

int lkst_list_lines(struct lkst_err *e, struct lkst_image *image,
		    const struct lkst_line_range *range, struct lkst_line_list *ret_list)
{
	_cleanup_(lkst_line_list_fini) struct lkst_line_list list = { 0 };
	struct range_search r = {
		.e = e, .image = image, .range = range, .list = &list, .lines = { .image = image }
	};
	int code = lkst_image_need_dwarf(e, image, "a list of lines");

	if (code)
		return code;
	lkst_image_restart(image);
	code = range->function ? lkst_functions_find(image, range->function, range->source,
						     listing_found_function, &r)
			       : find_source(&r);
	free(r.lines.found);
	if (lkst_image_check_steps(e, image, 0))
		return -EBADMSG;
	if (code < 0 || !list.source)
		return explain_lines(&r, code);
	list.first = range->first;
	*ret_list = list;
	list = (struct lkst_line_list){ 0 };
	return 0;
}

static int listing_found_variable(void *arg, Dwarf_Die *die, const char *name, bool is_parameter)
{
	struct lkst_ctype type = lkst_ctype_of_die(die);
	char text[LKST_CTYPE_TEXT], both[2 * LKST_CTYPE_TEXT];

	snprintf(both, sizeof(both), "%s\t%s", lkst_ctype_text(&type, text), name);
	return listing_add_name(arg, both);
}

/* The variables at one point. */
static int list_point(struct lkst_image *image, const struct lkst_point *point,
		      struct lkst_place_list *list)
{
	struct lkst_listed_place *p = lkst_vec_add(list->places, list->nr);
	struct lkst_pool pool = { 0 };
	struct lkst_spot s = { .image = image,
			       .pool = &pool,
			       .address = point->address,
			       .has_scope = true,
			       .unit = point->unit,
			       .scope = point->scope };
	char where[512];
	int code;

	if (!p)
		return -ENOMEM;
	lkst_point_text(image, point, where, sizeof(where));
	p->where = strdup(where);
	code = p->where ? lkst_variables_walk(&s, listing_found_variable, &p->variables) : -ENOMEM;
	listing_sort_names(&p->variables);
	lkst_pool_fini(&pool);
	return code;
}

int lkst_list_variables(struct lkst_err *e, struct lkst_image *image,
			const struct lkst_probe_place *place, struct lkst_place_list *ret_list)
{
	_cleanup_(lkst_points_fini) struct lkst_points points = { 0 };
	_cleanup_(lkst_place_list_fini) struct lkst_place_list list = { 0 };
	int code = lkst_image_need_dwarf(e, image, "a list of variables");
	u32 i;

	if (code)
		return code;
	if (!(place->kind == LKST_PLACE_SYMBOL || place->kind == LKST_PLACE_FUNCTION_LINE ||
			      place->kind == LKST_PLACE_FUNCTION_LAZY
		      ? place->symbol
		      : place->source))
		return lkst_err_set(e, -EINVAL, "variables are listed at functions and lines");
	lkst_image_restart(image);
	code = lkst_points_find(e, image, place, false, &points);
	for (i = 0; !code && i < points.nr; i++)
		code = list_point(image, &points.list[i], &list);
	if (code == -ENOMEM)
		return lkst_err_set(e, code, "there is no memory to list variables");
	code = lkst_image_check_steps(e, image, code);
	if (code)
		return code;
	*ret_list = list;
	list = (struct lkst_place_list){ 0 };
	return 0;
}

static bool listing_is_wanted(const char *name, const char *glob)
{
	return glob ? !fnmatch(glob, name, 0) : name[0] != '_';
}

/* Lists a function as people write it, if @glob matches that or its symbol. */
static int add_function(struct lkst_name_list *list, const char *symbol, const char *glob)
{
	char text[LKST_CPP_NAME];
	const char *name = lkst_cpp_name(symbol, text) ? text : symbol;

	return listing_is_wanted(name, glob) || (glob && listing_is_wanted(symbol, glob)) ? listing_add_name(list, name)
									  : 0;
}

/* Lists what /proc/kallsyms says: "ADDRESS TYPE NAME", and "[MODULE]" after a tab if it is one's. */
static int list_kallsyms(struct lkst_err *e, const struct lkst_image *image, const char *glob,
			 struct lkst_name_list *list)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *line, *name, *module;
	size_t length;
	int code = lkst_read_file(e, AT_FDCWD, "/proc/kallsyms", KALLSYMS_MAX, &text, &length);

	for (rest = text; !code && (line = strsep(&rest, "\n"));) {
		name = strchr(line, ' ');
		if (!name || !name[1] || name[2] != ' ' || !strchr("tTwW", name[1]))
			continue;
		name += 3;
		module = strchr(name, '\t');
		if (module) {
			*module++ = 0;
			module[strcspn(module, "]")] = 0;
			module += *module == '[';
		}
		if (!module == !image->module && (!module || !strcmp(module, image->module)) &&
		    listing_is_wanted(name, glob))
			code = listing_add_name(list, name);
	}
	return code;
}

int lkst_list_functions(struct lkst_err *e, struct lkst_image *image, const char *glob,
			struct lkst_name_list *ret_list)
{
	_cleanup_(lkst_name_list_fini) struct lkst_name_list list = { 0 };
	int code = 0;
	u32 i;

	for (i = 0; !code && i < image->nr_symbols; i++)
		if (image->symbols[i].is_function)
			code = add_function(&list, image->symbols[i].name, glob);
	if (!image->elf_module)
		code = list_kallsyms(e, image, glob, &list);
	if (code == -ENOMEM)
		return lkst_err_set(e, code, "there is no memory to list functions");
	if (code)
		return code;
	if (!list.nr)
		return lkst_err_set(e, -ENOENT, "%s has no function%s%s", lkst_image_name(image),
				    glob ? " that matches " : "", glob ? glob : "");
	listing_sort_names(&list);
	*ret_list = list;
	list = (struct lkst_name_list){ 0 };
	return 0;
}
