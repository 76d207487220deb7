/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces by the number that a recording gives all its traces. */
#include "hosts/recordings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "hosts/bounds.h"
#include "hosts/recording_uuid.h"
#include "trace/format/pack.h"

enum {
	ENTRIES_MAX = 4096, /* of a directory that are looked at */
	DEPTH_MAX = 2,	    /* of directories in which parts are */
};

/* ---- one trace ------------------------------------------------------------------------------- */

/* The trace's metadata are in @fd from @offset on. */
static bool read_uuid(int fd, u64 offset, u8 uuid[16])
{
	char text[LKST_RECORDING_HEAD + 1];
	ssize_t length = pread(fd, text, LKST_RECORDING_HEAD, (off_t)offset);

	text[length > 0 ? length : 0] = 0;
	return lkst_recording_uuid(text, uuid);
}

/* Of the trace in the directory that @dir_fd refers to. */
static bool read_dir(int dir_fd, u8 uuid[16])
{
	_cleanup_close_ int fd = openat(dir_fd, "metadata", O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd >= 0 && read_uuid(fd, 0, uuid);
}

/* Of the trace in the file that @fd refers to. */
static bool read_packed(int fd, u8 uuid[16])
{
	_cleanup_(lkst_pack_fini) struct lkst_pack pack = {};
	const struct lkst_pack_entry *entry;

	if (lkst_pack_list(NULL, fd, &pack))
		return false;
	entry = lkst_pack_find(&pack, "metadata");
	return entry && read_uuid(fd, entry->offset, uuid);
}

/* ---- the list -------------------------------------------------------------------------------- */

static int recordings_add(struct lkst_err *e, struct lkst_recording_list *r, const char *path,
			  const u8 uuid[16])
{
	struct lkst_one_recording *one;
	unsigned int i;
	char **added;

	for (i = 0; i < r->nr && memcmp(r->list[i].uuid, uuid, sizeof(r->list[i].uuid)); i++)
		;
	if (i == r->nr && r->nr == LKST_HOSTS_MAX)
		return lkst_err_set(e, -E2BIG, "these are of more than %d recordings",
				    LKST_HOSTS_MAX);
	one = i < r->nr ? &r->list[i] : lkst_vec_add(r->list, r->nr);
	if (!one)
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	memcpy(one->uuid, uuid, sizeof(one->uuid));
	added = lkst_vec_add(one->paths, one->nr);
	if (!added || !(*added = strdup(path)))
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	return 0;
}

void lkst_recording_list_fini(struct lkst_recording_list *r)
{
	unsigned int i, k;

	for (i = 0; i < r->nr; i++) {
		for (k = 0; k < r->list[i].nr; k++)
			free(r->list[i].paths[k]);
		free(r->list[i].paths);
	}
	free(r->list);
	*r = (struct lkst_recording_list){};
}

static int recordings_find(struct lkst_err *e, struct lkst_recording_list *r, const char *path,
			   unsigned int depth);

static int find_entry(struct lkst_err *e, struct lkst_recording_list *r, const char *path, const char *name,
		      unsigned int depth)
{
	_cleanup_free_ char *inner = NULL;

	if (name[0] == '.')
		return 0;
	if (asprintf(&inner, "%s/%s", path, name) < 0)
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	return recordings_find(e, r, inner, depth + 1);
}

/* By name, so that the first host is the same one each time. */
static int recordings_find_in(struct lkst_err *e, struct lkst_recording_list *r, const char *path, unsigned int depth)
{
	struct dirent **entries;
	int nr = scandir(path, &entries, NULL, alphasort), i, err = 0;

	for (i = 0; i < nr; i++) {
		if (!err && i < ENTRIES_MAX)
			err = find_entry(e, r, path, entries[i]->d_name, depth);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return err;
}

static int recordings_find(struct lkst_err *e, struct lkst_recording_list *r, const char *path,
			   unsigned int depth)
{
	/* Not to wait for a writer, should it be a FIFO. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	u8 uuid[16];
	struct stat st;
	bool is_found;

	if (fd < 0 || fstat(fd, &st))
		return 0;
	if (S_ISDIR(st.st_mode) && faccessat(fd, "metadata", F_OK, 0))
		return depth < DEPTH_MAX ? recordings_find_in(e, r, path, depth) : 0;
	is_found = S_ISDIR(st.st_mode) ? read_dir(fd, uuid)
				       : S_ISREG(st.st_mode) && read_packed(fd, uuid);
	return is_found ? recordings_add(e, r, path, uuid) : 0;
}

static unsigned int nr_traces(const struct lkst_recording_list *r)
{
	unsigned int i, nr = 0;

	for (i = 0; i < r->nr; i++)
		nr += r->list[i].nr;
	return nr;
}

int lkst_recording_list_find(struct lkst_err *e, char *const *paths, unsigned int nr_paths,
			     struct lkst_recording_list *ret_recordings)
{
	struct lkst_recording_list r = {};
	unsigned int i, nr_before;
	int err = 0;

	for (i = 0; i < nr_paths && !err; i++) {
		nr_before = nr_traces(&r);
		err = recordings_find(e, &r, paths[i], 0);
		if (!r.stray && nr_traces(&r) == nr_before)
			r.stray = paths[i];
	}
	if (err)
		lkst_recording_list_fini(&r);
	else
		*ret_recordings = r;
	return err;
}
