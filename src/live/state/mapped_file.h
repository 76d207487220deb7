/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens files that processes have mapped, to read who built them. Where such a file is was chosen by a process that may
 * mean no good, and this one is root: what is opened are regular files, and none whose file system is another process
 * or another machine, which may let its readers wait without end.
 */
#ifndef LKST_LIVE_STATE_MAPPED_FILE_H
#define LKST_LIVE_STATE_MAPPED_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "abi/types.h"

/* A file as the kernel's memory has it. */
struct lkst_mapped_file {
	u32 major, minor; /* of its file system, as in mountinfo */
	u64 inode;
	u64 ctime; /* ns since 1970 */
};

/* A line of /proc/PID/mountinfo. */
struct lkst_mount {
	u32 major, minor;
	char *root, *point; /* which directory of the file system is where */
	const char *type;
};

/* Takes @line apart, in place. False: it makes no sense. */
bool lkst_mount_parse(char *line, struct lkst_mount *ret_mount);

/* Whether files of a file system of this type can be read without waiting for another process or machine. */
bool lkst_mount_is_local(const char *type);

/*
 * Opens file @f, which is at @path in its file system, by where that is mounted for this process, or else for process
 * @pid, which may have ended. It is the same file, and has not changed since: by its inode and ctime. @ret_path: where
 * it is, as that process sees it. -ENOENT: it is not to be found.
 */
int lkst_mapped_file_open(const struct lkst_mapped_file *f, const char *path, pid_t pid,
			  char ret_path[PATH_MAX]);

/* Whether files of the file system MAJOR:MINOR, which process @pid has mounted, may be opened at all. */
bool lkst_mapped_may_open(u32 major, u32 minor, pid_t pid);

/* The ctime of a regular file at @path, which may be a link that the kernel made. 0: it is none. */
u64 lkst_mapped_ctime(const char *path);

/* Opens @path, as above, if it is a regular file. A descriptor, or -errno. */
int lkst_mapped_open_at(int directory, const char *path);

#endif
