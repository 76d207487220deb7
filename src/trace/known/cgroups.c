/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths of cgroups by their numbers. */
#include "trace/known/cgroups.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/program.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/known/container.h"

enum {
	CGROUPS_MAX = 1 << 16,
};

struct lkst_cgroups {
	struct lkst_cgroup **list; /* they never move */
	unsigned int nr;
	struct lkst_map places; /* by number */
};

struct lkst_cgroups *lkst_cgroups_new(void)
{
	struct lkst_cgroups *c = calloc(1, sizeof(*c));

	if (c)
		c->places.max = CGROUPS_MAX;
	return c;
}

static void free_one(struct lkst_cgroup *cgroup)
{
	free(cgroup->path);
	free(cgroup->container);
	free(cgroup);
}

void lkst_cgroups_free(struct lkst_cgroups *c)
{
	unsigned int i;

	if (!c)
		return;
	for (i = 0; i < c->nr; i++)
		free_one(c->list[i]);
	free(c->list);
	lkst_map_fini(&c->places);
	free(c);
}

static struct lkst_cgroup *cgroups_make(u64 id, const char *path, size_t length)
{
	struct lkst_cgroup *cgroup = calloc(1, sizeof(*cgroup));
	char container[LKST_CONTAINER_TEXT];

	if (!cgroup)
		return NULL;
	cgroup->id = id;
	cgroup->path = strndup(path, length);
	if (cgroup->path)
		lkst_container_of(cgroup->path, container);
	cgroup->container = cgroup->path ? strdup(container) : NULL;
	if (!cgroup->container) {
		free_one(cgroup);
		return NULL;
	}
	return cgroup;
}

/* A number is never given out again; what is said first stays. */
static int cgroups_add(struct lkst_cgroups *c, u64 id, const char *path, size_t length)
{
	struct lkst_cgroup *cgroup, **added;
	int err;

	if (!id || id == LKST_HASH_NONE || c->nr == CGROUPS_MAX || lkst_map_find(&c->places, id))
		return 0;
	cgroup = cgroups_make(id, path, length);
	added = cgroup ? lkst_vec_add(c->list, c->nr) : NULL;
	if (!added) {
		if (cgroup)
			free_one(cgroup);
		return -ENOMEM;
	}
	*added = cgroup;
	err = lkst_map_set(&c->places, id, c->nr - 1);
	return err == -ENOSPC ? 0 : err;
}

int lkst_cgroups_feed(struct lkst_cgroups *c, const struct lkst_record *r)
{
	const struct lkst_field_class *id, *path;
	const u8 *bytes;
	u32 length;

	if (r->event->index != LKST_EV_state_cgroup && r->event->index != LKST_EV_cgroup_mkdir &&
	    r->event->index != LKST_EV_cgroup_attach_task)
		return 0;
	id = lkst_class_field(r->event, "cgroup");
	path = lkst_class_field(r->event, "path");
	if (!id || !path)
		return 0;
	bytes = lkst_record_field(r, (unsigned int)(path - r->event->fields), &length);
	length = bytes ? (u32)strnlen((const char *)bytes, length) : 0;
	if (!length || length >= LKST_STRING_MAX - 1)
		return 0;
	return cgroups_add(c, lkst_record_int(r, id), (const char *)bytes, length);
}

const struct lkst_cgroup *lkst_cgroups_find(const struct lkst_cgroups *c, u64 id)
{
	const u64 *place = id && id != LKST_HASH_NONE ? lkst_map_find(&c->places, id) : NULL;

	return place ? c->list[*place] : NULL;
}

unsigned int lkst_cgroups_nr(const struct lkst_cgroups *c)
{
	return c->nr;
}

const struct lkst_cgroup *lkst_cgroups_at(const struct lkst_cgroups *c, unsigned int i)
{
	return c->list[i];
}

const char *lkst_cgroups_text(const struct lkst_cgroups *c, u64 id, char text[LKST_CGROUP_TEXT])
{
	const struct lkst_cgroup *cgroup = lkst_cgroups_find(c, id);

	if (cgroup)
		snprintf(text, LKST_CGROUP_TEXT, "%s", cgroup->path);
	else if (id)
		snprintf(text, LKST_CGROUP_TEXT, "%" PRIu64, id);
	else
		text[0] = 0;
	return text;
}

const char *lkst_cgroups_container(const struct lkst_cgroups *c, u64 id)
{
	const struct lkst_cgroup *cgroup = lkst_cgroups_find(c, id);

	return cgroup ? cgroup->container : "";
}

bool lkst_cgroups_match(const struct lkst_cgroups *c, u64 id, const char *glob)
{
	char text[LKST_CGROUP_TEXT];
	const char *container = lkst_cgroups_container(c, id);

	return !fnmatch(glob, lkst_cgroups_text(c, id, text), 0) ||
	       (container[0] && !fnmatch(glob, container, 0));
}
