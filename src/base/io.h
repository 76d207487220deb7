/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files: reads and writes that finish what they begin, whole small files.
 */
#ifndef LKST_BASE_IO_H
#define LKST_BASE_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Writes all @length bytes, however often that takes. 0, or the negative errno that stopped it. */
int lkst_write_all(int fd, const void *bytes, size_t length);

/* The same, at @offset, leaving the file's own position alone. */
int lkst_pwrite_all(int fd, const void *bytes, size_t length, uint64_t offset);

/*
 * Reads the file @name in directory @dir_fd (AT_FDCWD: the working directory), of at most @ceiling
 * bytes, into memory that the caller frees, with a NUL after it that is not counted. Works for
 * files whose size is not known beforehand, as those of /proc and /sys. -EFBIG: there is more than @ceiling.
 */
int lkst_read_file(struct lkst_err *e, int dir_fd, const char *name, size_t ceiling,
		   char **ret_bytes, size_t *ret_length);

/*
 * Which thread /proc is asked by for what is the process's: where the first has ended and others go on, its memory,
 * files and root are empty under the first one's number. @pid itself if its first thread lives, or if no thread does;
 * else the number of one that does.
 */
pid_t lkst_living_thread(pid_t pid);

#endif
