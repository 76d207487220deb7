/* SPDX-License-Identifier: GPL-2.0-only */
/* The descriptors of all processes, and their names. */
#include "trace/known/descriptor_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xxh64.h"

enum {
	ENTRIES_MAX = 1 << 21, /* of all processes */
	PROCESSES_MAX = 1 << 16,
	NAMES_BYTES_MAX = 64 << 20,
};

struct descriptor_table_name {
	u64 hash;
	char *text;
};

/* ---- names -------------------------------------------------------------------------- */

int lkst_descriptor_name(struct lkst_descriptor_table *t, const char *text, const char **ret_name)
{
	const size_t length = strlen(text);
	u64 hash = lkst_xxh64(text, length);
	struct descriptor_table_name *name;
	char *copy;

	*ret_name = NULL;
	hash -= hash == LKST_HASH_NONE;
	name = lkst_hash_find(&t->names, hash, sizeof(*name));
	if (name) {
		*ret_name = strcmp(name->text, text) ? NULL : name->text;
		return 0;
	}
	if (t->name_bytes + length + 1 > NAMES_BYTES_MAX)
		return 0;
	copy = strdup(text);
	if (!copy || lkst_hash_reserve(&t->names, sizeof(*name))) {
		free(copy);
		return -ENOMEM;
	}
	name = lkst_hash_add(&t->names, hash, sizeof(*name));
	name->text = copy;
	t->name_bytes += length + 1;
	*ret_name = copy;
	return 0;
}

/* ---- processes ---------------------------------------------------------------------- */

struct lkst_descriptor_process *lkst_descriptor_find(const struct lkst_descriptor_table *t, s32 pid)
{
	const u64 *place = pid > 0 ? lkst_map_find(&t->by_pid, (u64)pid) : NULL;

	return place ? &t->processes[*place] : NULL;
}

int lkst_descriptor_get(struct lkst_descriptor_table *t, s32 pid,
			struct lkst_descriptor_process **ret_process)
{
	u32 place = t->nr_processes;
	int err;

	*ret_process = lkst_descriptor_find(t, pid);
	if (*ret_process || pid <= 0)
		return 0;
	if (t->by_pid.hash.nr >= PROCESSES_MAX) {
		t->is_full = true;
		return 0;
	}
	if (t->nr_free)
		place = t->free_places[--t->nr_free];
	else if (!lkst_vec_add(t->processes, t->nr_processes))
		return -ENOMEM;
	err = lkst_map_set(&t->by_pid, (u64)pid, place);
	if (err)
		return err == -ENOSPC ? 0 : err;
	*ret_process = &t->processes[place];
	return 0;
}

static void empty_process(struct lkst_descriptor_table *t, struct lkst_descriptor_process *p)
{
	free(p->files);
	t->nr_entries -= p->nr_files;
	*p = (struct lkst_descriptor_process){};
}

int lkst_descriptor_drop(struct lkst_descriptor_table *t, s32 pid)
{
	struct lkst_descriptor_process *p = lkst_descriptor_find(t, pid);
	u32 *added = p ? lkst_vec_add(t->free_places, t->nr_free) : NULL;

	if (!added)
		return p ? -ENOMEM : 0;
	*added = (u32)(p - t->processes);
	empty_process(t, p);
	lkst_map_remove(&t->by_pid, (u64)pid);
	return 0;
}

int lkst_descriptor_at(struct lkst_descriptor_table *t, struct lkst_descriptor_process *p, s64 fd,
		       struct lkst_descriptor_file **ret_file)
{
	const u32 nr = p->nr_files;

	*ret_file = NULL;
	if (fd < 0 || fd >= LKST_DESCRIPTORS_OF_PROCESS)
		return 0;
	if (fd >= nr && t->nr_entries + (u64)fd + 1 - nr > ENTRIES_MAX) {
		t->is_full = true;
		return 0;
	}
	*ret_file = lkst_vec_reach(p->files, p->nr_files, (u32)fd);
	t->nr_entries += p->nr_files - nr;
	return *ret_file ? 0 : -ENOMEM;
}

void lkst_descriptor_table_init(struct lkst_descriptor_table *t)
{
	*t = (struct lkst_descriptor_table){ .by_pid.max = PROCESSES_MAX };
}

void lkst_descriptor_table_fini(struct lkst_descriptor_table *t)
{
	struct descriptor_table_name *name;
	u32 i;

	for (i = 0; (name = lkst_hash_next(&t->names, &i, sizeof(*name)));)
		free(name->text);
	for (i = 0; i < t->nr_processes; i++)
		free(t->processes[i].files);
	free(t->processes);
	free(t->free_places);
	lkst_hash_fini(&t->names);
	lkst_map_fini(&t->by_pid);
}
