/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/in_memory.h"

#include <dirent.h>

#include "lib/make_trace.h"

static void add_file(struct in_memory *m, const char *dir, const char *prefix, const char *name)
{
	struct lkst_memory_file *file = &m->files[m->nr++];
	char *whole;

	if (m->nr > IN_MEMORY_FILES || asprintf(&whole, "%s%s", prefix, name) < 0)
		abort();
	file->name = whole;
	file->bytes = make_read(dir, name, &file->length);
}

void in_memory_add(struct in_memory *m, const char *dir, const char *prefix)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		abort();
	while ((entry = readdir(d)))
		if (entry->d_type == DT_REG)
			add_file(m, dir, prefix, entry->d_name);
	closedir(d);
}

void in_memory_fini(struct in_memory *m)
{
	while (m->nr--) {
		free((void *)m->files[m->nr].name);
		free((void *)m->files[m->nr].bytes);
	}
	m->nr = 0;
}
