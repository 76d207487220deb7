/* SPDX-License-Identifier: GPL-2.0-only */
/* Resolved probes in a file: written where there is debug information, read where there is none. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "cmd/probe/probe.h"
#include "probe/resolve/saved.h"

/* ---- writing ---------------------------------------------------------------------------------- */

/* The file's text; the caller frees it. */
static int probe_saved_format(struct lkst_err *e, const struct lkst_saving *list, u32 nr, char **ret_text,
			      size_t *ret_length)
{
	FILE *out = open_memstream(ret_text, ret_length);
	const char *head = "";
	u32 i;

	for (i = 0; out && i < nr; i++) {
		if (strcmp(head, list[i].head))
			fprintf(out, "%s\n", list[i].head);
		head = list[i].head;
		fprintf(out, "%s\n", list[i].definition);
	}
	return !out || fclose(out) ? lkst_err_sys(e, -ENOMEM, "writing probes") : 0;
}

static int probe_saved_write_file(struct lkst_err *e, const char *name, const char *text, size_t length)
{
	struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	int err = lkst_new_file_open(e, NULL, AT_FDCWD, name, &file);

	if (!err) {
		err = lkst_write_all(file.fd, text, length);
		err = err ? lkst_err_sys(e, err, "writing it") : lkst_new_file_place(e, &file);
	}
	lkst_new_file_fini(&file);
	if (err)
		lkst_err_add(e, "%s", name);
	return err;
}

int lkst_probe_save(struct lkst_err *e, const char *name, const struct lkst_saving *list, u32 nr)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	int err = probe_saved_format(e, list, nr, &text, &length);

	if (!err && !strcmp(name, "-"))
		fwrite(text, 1, length, stdout);
	else if (!err)
		err = probe_saved_write_file(e, name, text, length);
	return err;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* Where the probe of line @number is, by the comment at its end. NULL: nothing is said, or no memory. */
static char *comment_of(const char *text, u32 number)
{
	_cleanup_free_ char *line = NULL;
	const char *on;

	for (; number > 1 && text; number--) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	line = text ? strndup(text, strcspn(text, "\n")) : NULL;
	on = line ? lkst_definition_comment(line) : NULL;
	return on ? strdup(on) : NULL;
}

/* A program may have another path here than where its probe was resolved: so @item says. */
static int probe_saved_move(struct lkst_err *e, struct lkst_wanted *item, const char *path)
{
	struct lkst_probe_place *place = &item->written.probe.place;
	_cleanup_free_ char *was = place->path, *on = item->on;
	size_t length = on ? strlen(on) : 0, end = strlen(was);

	item->on = NULL;
	place->path = strdup(path);
	if (!place->path)
		return lkst_err_sys(e, -ENOMEM, "reading probes");
	if (length < end || strcmp(on + length - end, was))
		item->on = lkst_take(on);
	else if (asprintf(&item->on, "%.*s%s", (int)(length - end), on, path) < 0)
		item->on = NULL;
	return 0;
}

/* Takes a probe over. */
static int probe_saved_take(struct lkst_err *e, const struct lkst_probe_options *o, const char *text,
			    struct lkst_definition *d, struct lkst_wanted_list *w)
{
	struct lkst_wanted *item = lkst_wanted_add(e, w);

	if (!item)
		return -ENOMEM;
	item->written = *d;
	item->from = o->saved;
	*d = (struct lkst_definition){};
	item->on = comment_of(text, item->written.line);
	if (!o->program || !item->written.probe.place.path)
		return 0;
	return probe_saved_move(e, item, o->program);
}

static int probe_saved_read_of(struct lkst_err *e, const struct lkst_probe_options *o, const char *build_id,
			       struct lkst_wanted_list *w)
{
	_cleanup_(lkst_definitions_fini) struct lkst_definitions all = {};
	_cleanup_free_ char *read = NULL, *text = NULL;
	size_t length = 0;
	int err = lkst_wanted_read_file(e, o->saved, LKST_SAVED_MAX, &read, &length);
	u32 i;

	if (err) {
		lkst_err_add(e, "%s", o->saved);
		return err;
	}
	err = lkst_saved_parse(e, o->saved, read, length, build_id, o->program ?: o->module, &all);
	text = strndup(read, length);
	for (i = 0; i < all.nr && !err; i++)
		err = probe_saved_take(e, o, text, &all.list[i], w);
	return err;
}

int lkst_probe_read_saved(struct lkst_err *e, const struct lkst_probe_options *o,
			  struct lkst_wanted_list *w)
{
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	struct lkst_image_options options;
	int err;

	lkst_wanted_image(o, o->program, o->module, &options);
	err = lkst_image_open(e, &options, &image);
	return err ?: probe_saved_read_of(e, o, lkst_image_build_id(image), w);
}
