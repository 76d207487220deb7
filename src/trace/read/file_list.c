// SPDX-License-Identifier: GPL-2.0-only
/* The files of the streams of a trace that is opened, of all its parts. */
#include "trace/read/file_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "trace/format/stream_name.h"

enum { FILES_MAX = 60000 };

void lkst_file_list_fini(struct lkst_file_list *l)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++) {
		free(l->files[i].name);
		free(l->files[i].unpacked);
	}
	free(l->files);
}

int lkst_file_list_add(struct lkst_err *e, struct lkst_file_list *l, unsigned int part,
		       const char *name)
{
	struct lkst_listed_file *file;

	if (l->nr == FILES_MAX)
		return lkst_err_set(e, -EFBIG, "there are more than %u files", FILES_MAX);
	file = lkst_vec_add(l->files, l->nr);
	if (!file)
		return lkst_err_sys(e, -ENOMEM, "%s", name);
	*file = (struct lkst_listed_file){ .part = part, .name = strdup(name) };
	return file->name ? 0 : lkst_err_sys(e, -ENOMEM, "%s", name);
}

/* By stream, then part; a plain file before its compressed copy. */
static int file_list_by_stream(const void *a, const void *b)
{
	const struct lkst_listed_file *x = a, *y = b;
	size_t nx = lkst_stream_name_length(x->name), ny = lkst_stream_name_length(y->name);
	int order = strncmp(x->name, y->name, nx < ny ? nx : ny);

	if (order || nx != ny)
		return order ? order : nx < ny ? -1 : 1;
	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_same_stream(const struct lkst_listed_file *a, const struct lkst_listed_file *b)
{
	size_t n = lkst_stream_name_length(a->name);

	return n == lkst_stream_name_length(b->name) && !strncmp(a->name, b->name, n);
}

static void file_list_drop_copies(struct lkst_file_list *l)
{
	unsigned int i, nr = 0;

	for (i = 0; i < l->nr; i++)
		if (nr && l->files[nr - 1].part == l->files[i].part &&
		    is_same_stream(&l->files[nr - 1], &l->files[i]))
			free(l->files[i].name);
		else
			l->files[nr++] = l->files[i];
	l->nr = nr;
}

void lkst_file_list_sort(struct lkst_file_list *l)
{
	if (l->nr)
		qsort(l->files, l->nr, sizeof(*l->files), file_list_by_stream);
	file_list_drop_copies(l);
}

unsigned int lkst_file_list_stream(const struct lkst_file_list *l, unsigned int first)
{
	unsigned int nr = 1;

	while (first + nr < l->nr && is_same_stream(&l->files[first], &l->files[first + nr]))
		nr++;
	return nr;
}
