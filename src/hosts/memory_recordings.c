/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in memory by the recording whose they are. */
#include "hosts/memory_recordings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "hosts/recording_uuid.h"
#include "trace/format/pack.h"

static const char metadata[] = "metadata";

/* How long the directory is that a name begins with, its slash included. */
static size_t directory_length(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (size_t)(slash + 1 - name) : 0;
}

static bool is_metadata(const struct lkst_memory_file *file)
{
	return !strcmp(file->name + directory_length(file->name), metadata);
}

/* The uuid of metadata in memory. */
static bool uuid_of(const u8 *bytes, u64 length, u8 uuid[16])
{
	char text[LKST_RECORDING_HEAD + 1];

	if (!length)
		return false;
	if (length > LKST_RECORDING_HEAD)
		length = LKST_RECORDING_HEAD;
	memcpy(text, bytes, length);
	text[length] = 0;
	return lkst_recording_uuid(text, uuid);
}

/* The uuid of a trace in one file. */
static bool uuid_of_archive(const struct lkst_memory_file *file, u8 uuid[16])
{
	_cleanup_(lkst_pack_fini) struct lkst_pack pack = {};
	const struct lkst_pack_entry *entry;

	if (lkst_pack_list_memory(NULL, file->bytes, file->length, &pack))
		return false;
	entry = lkst_pack_find(&pack, metadata);
	return entry && uuid_of((const u8 *)file->bytes + entry->offset, entry->size, uuid);
}

static struct lkst_memory_recording *memory_recordings_find(struct lkst_memory_recordings *r, const u8 uuid[16])
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (!memcmp(r->list[i].uuid, uuid, sizeof(r->list[i].uuid)))
			return &r->list[i];
	return NULL;
}

static int memory_recordings_add_file(struct lkst_err *e, struct lkst_memory_recording *one,
				      const struct lkst_memory_file *file)
{
	struct lkst_memory_file *added = lkst_vec_add(one->files, one->nr);

	if (!added)
		return lkst_err_sys(e, -ENOMEM, "%s", file->name);
	*added = *file;
	return 0;
}

/* All files of the directory of @first, which has metadata. */
static int add_directory(struct lkst_err *e, struct lkst_memory_recording *one, const struct lkst_memory_file *files,
			 unsigned int nr_files, const struct lkst_memory_file *first)
{
	const size_t length = directory_length(first->name);
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_files && !err; i++)
		if (directory_length(files[i].name) == length && !memcmp(files[i].name, first->name, length))
			err = memory_recordings_add_file(e, one, &files[i]);
	return err;
}

/* Whether a file has the name of one before it, as whoever made the list may have it. */
static bool is_named_before(const struct lkst_memory_file *files, const struct lkst_memory_file *file)
{
	const struct lkst_memory_file *other;

	for (other = files; other < file && strcmp(other->name, file->name); other++)
		;
	return other < file;
}

static int memory_recordings_add(struct lkst_err *e, struct lkst_memory_recordings *r,
				 const struct lkst_memory_file *files, unsigned int nr_files,
				 const struct lkst_memory_file *file)
{
	const bool is_directory = is_metadata(file);
	struct lkst_memory_recording *one;
	u8 uuid[16];

	if (!(is_directory ? uuid_of(file->bytes, file->length, uuid) : uuid_of_archive(file, uuid)) ||
	    is_named_before(files, file))
		return 0;
	one = memory_recordings_find(r, uuid);
	if (!one && r->nr == LKST_HOSTS_MAX)
		return lkst_err_set(e, -E2BIG, "these are of more than %d recordings", LKST_HOSTS_MAX);
	if (!one) {
		one = &r->list[r->nr++];
		*one = (struct lkst_memory_recording){ .name = file->name };
		memcpy(one->uuid, uuid, sizeof(uuid));
	}
	return is_directory ? add_directory(e, one, files, nr_files, file) : memory_recordings_add_file(e, one, file);
}

int lkst_memory_recordings_find(struct lkst_err *e, const struct lkst_memory_file *files, unsigned int nr_files,
				struct lkst_memory_recordings *ret_recordings)
{
	unsigned int i;
	int err = 0;

	ret_recordings->nr = 0;
	for (i = 0; i < nr_files && !err; i++)
		err = memory_recordings_add(e, ret_recordings, files, nr_files, &files[i]);
	if (err)
		lkst_memory_recordings_fini(ret_recordings);
	return err;
}

void lkst_memory_recordings_fini(struct lkst_memory_recordings *r)
{
	while (r->nr)
		free(r->list[--r->nr].files);
}
