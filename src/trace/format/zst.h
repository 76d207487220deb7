/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compressed stream files: "main.0" as "main.0.zst", which zstd(1) unpacks as well. A file is written
 * as frames of 1 MiB that stand alone, so that damage costs a frame; one that zstd(1) made of a single
 * frame is read too.
 */
#ifndef LKST_TRACE_FORMAT_ZST_H
#define LKST_TRACE_FORMAT_ZST_H

#include <stdatomic.h>
#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

#define LKST_ZST_SUFFIX ".zst"

struct lkst_access;

/*
 * Puts a compressed copy of file @name in directory @dir_fd in its place. At any moment there is the one
 * or the other, whole. @access: who may read it (base/create.h). -ECANCELED: *@stop became true; the file is as it was.
 */
int lkst_zst_pack(struct lkst_err *e, const struct lkst_access *access, int dir_fd, const char *name,
		  const atomic_bool *stop);

/*
 * Unpacks file @name (with its suffix) into a file without a name, in $TMPDIR or /var/tmp, and returns its
 * descriptor: memory and disk space are bounded by what the file holds. In place of what is damaged there are
 * zeros, so that no block comes out of it; zeros take up no space. -EFBIG: it grows by more than records
 * can, or much of it holds no block.
 */
int lkst_zst_unpack(struct lkst_err *e, int dir_fd, const char *name, int *ret_fd);

/*
 * The same of @length bytes at @offset of the file that @fd refers to, which are within it: a file in an archive,
 * called @name there.
 */
int lkst_zst_unpack_part(struct lkst_err *e, int fd, u64 offset, u64 length, const char *name,
			 int *ret_fd);

#endif
