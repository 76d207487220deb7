/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes that are asked for: read in either language, and resolved. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/glob.h"
#include "base/vec.h"
#include "cmd/probe/probe.h"
#include "probe/resolve/saved.h"
#include "probe/text/format.h"
#include "probe/text/perf.h"

/* ---- reading ---------------------------------------------------------------------------------- */

struct lkst_wanted *lkst_wanted_add(struct lkst_err *e, struct lkst_wanted_list *w)
{
	struct lkst_wanted *item = lkst_vec_add(w->items, w->nr);

	if (!item)
		lkst_err_sys(e, -ENOMEM, "keeping a probe's definition");
	return item;
}

/* The name of a module that may be given as a file: of "/x/snd-pcm.ko.xz" it is "snd_pcm". NULL: no memory. */
static char *probe_wanted_module_name(const char *module)
{
	const char *slash = strrchr(module, '/');
	char *name = strdup(slash ? slash + 1 : module), *at;

	if (!name || !slash)
		return name;
	name[strcspn(name, ".")] = 0;
	for (at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	return name;
}

/* A probe in either language: which one, its form says. */
static int probe_wanted_read_text(struct lkst_err *e, const struct lkst_probe_options *o, const char *text,
				  struct lkst_wanted_list *w)
{
	_cleanup_free_ char *module = o->module ? probe_wanted_module_name(o->module) : NULL;
	const struct lkst_perf_target target = { .path = o->program, .module = module };
	struct lkst_wanted *item = lkst_wanted_add(e, w);
	int err;

	if (!item || (o->module && !module))
		return -ENOMEM;
	if (lkst_definition_is_one(text))
		return lkst_definition_parse(e, text, &item->written);
	err = lkst_perf_parse(e, text, &target, &item->written.probe);
	if (err != -EINVAL || !lkst_definition_is_meant(text))
		return err;
	return lkst_definition_parse(e, text, &item->written) ?: err;
}

static int probe_wanted_read_texts(struct lkst_err *e, const struct lkst_probe_options *o,
				   const struct lkst_list *texts, struct lkst_wanted_list *w)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < texts->nr && !err; i++)
		err = probe_wanted_read_text(e, o, texts->items[i], w);
	return err;
}

/* Words of the command line are one probe, as perf probe takes them. */
static int probe_wanted_read_words(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
				   unsigned int nr_args, struct lkst_wanted_list *w)
{
	char text[LKST_PROBE_TEXT];
	size_t used = 0;
	unsigned int i;

	if (!nr_args)
		return 0;
	for (i = 0; i < nr_args && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 args[i]);
	if (used >= sizeof(text))
		return lkst_err_set(e, -E2BIG, "a probe has at most %d characters",
				    LKST_PROBE_TEXT - 1);
	return probe_wanted_read_text(e, o, text, w);
}

int lkst_wanted_read_file(struct lkst_err *e, const char *name, size_t most, char **ret_text,
			  size_t *ret_length)
{
	_cleanup_fclose_ FILE *opened = strcmp(name, "-") ? fopen(name, "re") : NULL;
	_cleanup_free_ char *text = malloc(most + 1);
	FILE *f = strcmp(name, "-") ? opened : stdin;
	size_t length;

	if (!f)
		return lkst_err_sys(e, -errno, "opening it");
	if (!text)
		return lkst_err_sys(e, -ENOMEM, "reading it");
	length = fread(text, 1, most + 1, f);
	if (ferror(f))
		return lkst_err_sys(e, -errno, "reading it");
	if (length > most)
		return lkst_err_set(e, -EFBIG, "it has more than %zu bytes", most);
	*ret_text = lkst_take(text);
	*ret_length = length;
	return 0;
}

/* What a file is called in an error. */
static const char *file_name(const char *name)
{
	return strcmp(name, "-") ? name : "standard input";
}

/* A file of definitions; "-": standard input. */
static int probe_wanted_read_file(struct lkst_err *e, const char *name, struct lkst_wanted_list *w)
{
	_cleanup_(lkst_definitions_fini) struct lkst_definitions all = {};
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	int err;
	u32 i;

	err = lkst_wanted_read_file(e, name, LKST_PROBE_FILE_MAX, &text, &length)
		      ?: lkst_definitions_parse(e, text, length, &all);
	if (err) {
		lkst_err_add(e, "%s", file_name(name));
		return err;
	}
	for (i = 0; i < all.nr; i++) {
		struct lkst_wanted *item = lkst_wanted_add(e, w);

		if (!item)
			return -ENOMEM;
		item->written = all.list[i];
		item->from = name;
		all.list[i] = (struct lkst_definition){};
	}
	return 0;
}

int lkst_wanted_read(struct lkst_err *e, const struct lkst_probe_options *o, char **args,
		     unsigned int nr_args, struct lkst_wanted_list *w)
{
	return (o->saved ? lkst_probe_read_saved(e, o, w) : 0) ?:
	       probe_wanted_read_texts(e, o, &o->add, w) ?:
	       probe_wanted_read_texts(e, o, &o->definition, w) ?:
	       (o->file ? probe_wanted_read_file(e, o->file, w) : 0) ?:
	       probe_wanted_read_words(e, o, args, nr_args, w);
}

/* ---- resolving -------------------------------------------------------------------------------- */

void lkst_wanted_image(const struct lkst_probe_options *o, const char *program, const char *module,
		       struct lkst_image_options *ret)
{
	*ret = (struct lkst_image_options){
		.program = program,
		.module = !program && module && o->module ? o->module : module,
		.debug_file = program ? NULL : o->vmlinux,
		.source_dir = o->source,
	};
}

static bool probe_wanted_is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void close_image(struct lkst_wanted_list *w)
{
	lkst_image_close(w->image);
	free(w->image_program);
	free(w->image_module);
	w->image = NULL;
	w->image_program = w->image_module = NULL;
}

/* Marks the path that could not be opened, if it is the definition that has it. */
static int refuse_image(struct lkst_err *e, int err, const struct lkst_probe *written)
{
	const char *path = written->place.path, *text = written->text;
	const char *at = path && text ? strstr(text, path) : NULL;
	char why[LKST_ERR_MAX];

	if (!at || !e || e->line[0])
		return err;
	snprintf(why, sizeof(why), "%s", e->text);
	return lkst_probe_refuse(e, err, written, (u16)(at - text), "%s", why);
}

/* Opens the image that @written is in, unless that is open. */
static int probe_wanted_open_image(struct lkst_err *e, const struct lkst_probe_options *o,
				   const struct lkst_probe *written, struct lkst_wanted_list *w)
{
	const struct lkst_probe_place *place = &written->place;
	struct lkst_image_options options;
	int err;

	if (w->image && probe_wanted_is_same(w->image_program, place->path) &&
	    probe_wanted_is_same(w->image_module, place->module))
		return 0;
	close_image(w);
	w->image_program = place->path ? strdup(place->path) : NULL;
	w->image_module = place->module ? strdup(place->module) : NULL;
	if ((place->path && !w->image_program) || (place->module && !w->image_module))
		return lkst_err_sys(e, -ENOMEM, "opening what is to be probed");
	lkst_wanted_image(o, place->path, place->module, &options);
	options.may_come = true;
	err = lkst_image_open(e, &options, &w->image);
	return err ? refuse_image(e, err, written) : 0;
}

/*
 * No function is called so. What begins as "p100 f" and "r1a111 f" is more likely to be of the kernel's language, which
 * says what is wrong with it.
 */
static int probe_wanted_refuse_name(struct lkst_err *e, int err, const struct lkst_probe *written)
{
	struct lkst_definition d;

	if (err != -ENOENT || !written->text || !lkst_definition_is_nearly_one(written->text))
		return err;
	if (lkst_definition_parse(e, written->text, &d))
		return -EINVAL;
	lkst_probe_fini(&d.probe);
	return err;
}

/* What is wrong with a resolved probe is marked in the text of the one that was written. */
static int probe_wanted_keep_text(struct lkst_err *e, const struct lkst_wanted *item)
{
	u32 i;

	for (i = 0; i < item->resolved.nr; i++) {
		struct lkst_probe *p = &item->resolved.probes[i];

		if (p->text)
			continue;
		p->text = strdup(item->written.probe.text);
		p->place.at = item->written.probe.place.at;
		p->condition_at = item->written.probe.condition_at;
		if (!p->text)
			return lkst_err_sys(e, -ENOMEM, "resolving a probe");
	}
	return 0;
}

/* Places of another build may be shown, and saved for where that runs, but not set. */
static int check_build(struct lkst_err *e, const struct lkst_probe_options *o,
		       const struct lkst_image *image)
{
	if (o->definition.nr || o->save || !lkst_image_is_of_another_build(image))
		return 0;
	return lkst_err_set(
		e, -ESTALE,
		"%s is of another build than what runs here, so what it says of places cannot be "
		"set: see it with --definition, or keep it for there with --save",
		o->vmlinux ?: o->module);
}

int lkst_wanted_resolve(struct lkst_err *e, const struct lkst_probe_options *o,
			struct lkst_wanted_list *w)
{
	int err = 0;
	u32 i;

	for (i = 0; i < w->nr && !err; i++) {
		struct lkst_wanted *item = &w->items[i];
		const struct lkst_probe *written = &item->written.probe;

		if (item->written.is_removal)
			continue;
		err = probe_wanted_open_image(e, o, written, w) ?: check_build(e, o, w->image) ?:
		      probe_wanted_refuse_name(e, lkst_probe_resolve(e, w->image, written, &item->resolved), written) ?:
		      probe_wanted_keep_text(e, item) ?:
		      (o->save ? lkst_saved_head(e, w->image, &item->head) : 0);
		if (err && item->written.line)
			lkst_err_add(e, "%s: line %u", file_name(item->from), item->written.line);
	}
	close_image(w);
	return err;
}

bool lkst_wanted_is_named(const struct lkst_wanted_list *w, const char *glob)
{
	char event[LKST_PROBE_FULL_NAME];
	u32 i, k;

	for (i = 0; i < w->nr; i++)
		for (k = 0; k < w->items[i].resolved.nr; k++) {
			const struct lkst_probe *p = &w->items[i].resolved.probes[k];

			snprintf(event, sizeof(event), "%s:%s", p->group, p->event);
			if (lkst_glob_matches(glob, lkst_group_names[LKST_GROUP_PROBE], event,
					      NULL))
				return true;
		}
	return false;
}

void lkst_wanted_fini(struct lkst_wanted_list *w)
{
	u32 i;

	for (i = 0; i < w->nr; i++) {
		lkst_probe_fini(&w->items[i].written.probe);
		lkst_resolved_fini(&w->items[i].resolved);
		free(w->items[i].head);
		free(w->items[i].on);
	}
	free(w->items);
	close_image(w);
	*w = (struct lkst_wanted_list){};
}

/* ---- what a recording keeps of it ------------------------------------------------------------- */

static bool is_lazy(const struct lkst_probe_place *place)
{
	return place->kind == LKST_PLACE_FUNCTION_LAZY || place->kind == LKST_PLACE_SOURCE_LAZY;
}

/*
 * Where it is, for people: as it was written, with what is known of the source since. A line is counted from the
 * beginning of the function that was named; where none was, it is that of the source: the function that an instruction
 * is in may be another than the one that the line is in.
 */
static void probe_wanted_describe(const struct lkst_probe_place *written,
				  const struct lkst_probe_place *resolved, char text[LKST_PROBE_TEXT])
{
	bool is_named = written->symbol && !strpbrk(written->symbol, "*?[");
	struct lkst_probe_place on = *resolved;

	if (written->kind == LKST_PLACE_FUNCTION_LINE || written->kind == LKST_PLACE_SOURCE_LINE) {
		on = *written;
		on.source = resolved->source ?: written->source;
		on.path = resolved->path;
	} else if (resolved->kind == LKST_PLACE_FILE && resolved->symbol) {
		/* The offset is one in the file: how far it is from the symbol, the user has said. */
		on.kind = LKST_PLACE_SYMBOL;
		on.offset = written->kind == LKST_PLACE_SYMBOL ? written->offset : 0;
	}
	if (is_lazy(written) && is_named && resolved->line) {
		on.kind = LKST_PLACE_FUNCTION_LINE;
		on.symbol = written->symbol;
	} else if (is_lazy(written) && resolved->source && resolved->source_line) {
		on.kind = LKST_PLACE_SOURCE_LINE;
		on.line = resolved->source_line;
	} else if (is_lazy(written)) {
		on.pattern = written->pattern;
	}
	on.is_next = written->is_next;
	on.is_return = resolved->is_return;
	lkst_probe_place_format(&on, text);
}

int lkst_wanted_format(struct lkst_err *e, const struct lkst_wanted *item,
		       const struct lkst_probe *resolved, char text[LKST_PROBE_TEXT])
{
	char on[LKST_PROBE_TEXT];
	size_t length;
	int err = lkst_definition_format(e, resolved, text);

	if (err)
		return err;
	if (item->on)
		snprintf(on, sizeof(on), "%s", item->on);
	else
		probe_wanted_describe(&item->written.probe.place, &resolved->place, on);
	length = strlen(text);
	if (!strchr(on, '\n') && length + strlen(on) + 4 < LKST_PROBE_TEXT)
		snprintf(text + length, LKST_PROBE_TEXT - length, " # %s", on);
	return 0;
}
