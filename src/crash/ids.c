// SPDX-License-Identifier: GPL-2.0-only
/* The file of ids that pages in memory had. */
#include "crash/ids.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "base/out.h"

enum {
	HEX = 32,	       /* digits of an id */
	LINE = 2 * HEX + 2,    /* two ids, a blank and the line's end */
	FILE_MAX = 256 * LINE, /* more than this program writes */
};

static int ids_digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool ids_parse(const char *text, u8 ret_id[16])
{
	int i, high, low;

	for (i = 0; i < 16; i++) {
		high = ids_digit_of(text[2 * i]);
		low = high < 0 ? -1 : ids_digit_of(text[2 * i + 1]);
		if (low < 0)
			return false;
		ret_id[i] = (u8)(high << 4 | low);
	}
	return true;
}

/* The latest ones count. */
static void ids_append(struct lkst_memory_ids *ids, const struct lkst_memory_id *id)
{
	if (ids->nr == LKST_MEMORY_IDS_MAX)
		memmove(ids->items, ids->items + 1, --ids->nr * sizeof(ids->items[0]));
	ids->items[ids->nr++] = *id;
}

int lkst_memory_ids_read(struct lkst_err *e, const char *path, struct lkst_memory_ids *ret_ids)
{
	_cleanup_free_ char *text = NULL;
	struct lkst_memory_ids ids = {};
	struct lkst_memory_id id;
	size_t length, at;
	int err = lkst_read_file(e, AT_FDCWD, path, FILE_MAX, &text, &length);

	if (err)
		return err;
	for (at = 0; at + LINE <= length; at += LINE) {
		if (!ids_parse(text + at, id.id) || !ids_parse(text + at + HEX + 1, id.uuid))
			return lkst_err_set(e, -EBADMSG,
					    "%s, line %zu: it is not two numbers of %d hexadecimal digits",
					    path, at / LINE + 1, HEX);
		ids_append(&ids, &id);
	}
	*ret_ids = ids;
	return 0;
}

int lkst_memory_ids_add(struct lkst_err *e, const char *path, const struct lkst_memory_id *id)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	char text[LKST_MEMORY_IDS_MAX * LINE], *p = text;
	struct lkst_memory_ids ids = {};
	size_t i;
	int err;

	/* A file that cannot be read is made again. */
	lkst_memory_ids_read(NULL, path, &ids);
	for (i = 0; i < ids.nr; i++)
		if (!memcmp(ids.items[i].id, id->id, sizeof(id->id)))
			return 0;
	ids_append(&ids, id);
	for (i = 0; i < ids.nr; i++) {
		p = lkst_put_bytes(p, ids.items[i].id, sizeof(id->id));
		*p++ = ' ';
		p = lkst_put_bytes(p, ids.items[i].uuid, sizeof(id->uuid));
		*p++ = '\n';
	}
	err = lkst_create_parents(e, NULL, path);
	if (!err)
		err = lkst_new_file_open(e, NULL, AT_FDCWD, path, &file);
	if (err)
		return err;
	/* Whoever else may read traces. */
	if (fchmod(file.fd, 0600))
		err = -errno;
	if (!err)
		err = lkst_write_all(file.fd, text, ids.nr * LINE);
	/* It is for when the machine crashes. */
	if (!err && fsync(file.fd))
		err = -errno;
	return err ? lkst_err_sys(e, err, "%s", path) : lkst_new_file_place(e, &file);
}
