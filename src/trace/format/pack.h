/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace in one file: a tar archive of a trace directory's files (doc/format.md). It is read where
 * it lies, without taking it apart.
 */
#ifndef LKST_TRACE_FORMAT_PACK_H
#define LKST_TRACE_FORMAT_PACK_H

#include <time.h>

#include "abi/types.h"
#include "base/err.h"

enum {
	LKST_PACK_NAME_MAX = 101, /* of a file in the archive, with its NUL */
	LKST_PACK_ENTRIES_MAX = 65536,
};

struct lkst_access;

struct lkst_pack_entry {
	char name[LKST_PACK_NAME_MAX]; /* without the directory */
	u64 offset, size;	       /* of its bytes in the archive */
};

/* The files of a trace in an archive. All zero is empty. */
struct lkst_pack {
	struct lkst_pack_entry *entries;
	unsigned int nr;
};

/*
 * Lists the regular files that are in one directory with the first file called "metadata" in the
 * archive that @fd refers to. -EBADMSG: it is no such archive. Trusts no byte.
 */
int lkst_pack_list(struct lkst_err *e, int fd, struct lkst_pack *ret_pack);

/* The same for an archive that is in memory. */
int lkst_pack_list_memory(struct lkst_err *e, const void *bytes, size_t length,
			  struct lkst_pack *ret_pack);
void lkst_pack_fini(struct lkst_pack *pack);

/* The entry called @name, or NULL. */
const struct lkst_pack_entry *lkst_pack_find(const struct lkst_pack *pack, const char *name);

/* The same for all regular files in the archive, by their whole names, which may be anything. */
int lkst_pack_list_files(struct lkst_err *e, int fd, struct lkst_pack *ret_pack);

/*
 * Writes the trace directory @dir as an archive to @file, which appears when it is whole. @access: who may read it
 * (base/create.h).
 */
int lkst_pack_write(struct lkst_err *e, const struct lkst_access *access, const char *dir, const char *file);

/* A file for an archive: a name of less than LKST_PACK_NAME_MAX bytes, with a directory, and what it holds. */
struct lkst_pack_text {
	const char *name;
	const void *bytes;
	size_t length;
};

/*
 * The same, with @nr files before those of the trace; none may be called "metadata" in its directory. @mtime: their
 * time. When it returns 0 the archive outlasts a crash of the machine.
 */
int lkst_pack_write_with(struct lkst_err *e, const struct lkst_access *access, const struct lkst_pack_text *texts,
			 unsigned int nr, time_t mtime, const char *dir, const char *file);

/* ---- files of other tools ---- */

enum { LKST_FOREIGN_HEAD = 512 }; /* bytes of a file's beginning that are enough */

/* What a file is that begins with the @length bytes at @bytes, and what reads it. NULL: not known. */
const char *lkst_foreign_file(const void *bytes, size_t length);

/* The same of a trace's file "metadata". NULL: of LKST, or not known. */
const char *lkst_foreign_metadata(const char *text, size_t length);

#endif
