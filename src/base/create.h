/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * New files and directories. This is the only place that makes any (tests/layers.sh): whoever can write to a
 * directory on the path must not be able to decide what is written to, or read what was written.
 *
 * A file is always a new one (O_EXCL), links are not followed, and one that replaces another gets its name when it is
 * whole. A directory that is there already is taken only if it belongs to this user and nobody else may write
 * to it. The directories above the last name of a path are the caller's choice and are not judged.
 *
 * What is not whole yet is called ".NAME.RANDOM.partial". Its maker has a lock on it (flock(2)), which the kernel gives
 * up when that process ends. So whatever has such a name and no lock was left by one that was killed; whoever makes the
 * next thing in that directory removes it, if it belongs to this user.
 */
#ifndef LKST_BASE_CREATE_H
#define LKST_BASE_CREATE_H

#include <limits.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Who else may read what is made; NULL in its place: the standard. That is nobody else if this is root, else those whom
 * umask(2) permits. Nobody else may ever write.
 */
struct lkst_access {
	mode_t mode; /* of files: 0600 and bits of 0044; whoever may read may search directories. 0: the standard */
	gid_t gid;   /* their group; (gid_t)-1: as the kernel sets it */
};

/*
 * Makes the file @path, relative to directory @at (AT_FDCWD: the working directory), open for writing. -EEXIST:
 * there is something of that name.
 */
int lkst_create_file(struct lkst_err *e, const struct lkst_access *access, int at, const char *path, int *ret_fd);

/* Opens the file @path, of root alone, to be locked, and makes it if it is not there. */
int lkst_create_lock(struct lkst_err *e, const char *path, int *ret_fd);

/* Makes a file without a name in directory @dir, open for reading and writing, for this process alone. */
int lkst_create_nameless(struct lkst_err *e, const char *dir, int *ret_fd);

/* Makes a file whose name begins with @prefix and ends at random, for this user alone. @path: its path. */
int lkst_create_temporary(struct lkst_err *e, const char *prefix, char path[PATH_MAX], int *ret_fd);

/*
 * Refuses a path of the user's choice (-EEXIST) where a new file would replace anything but a file: a device such as
 * /dev/null, a pipe, a link, a directory.
 */
int lkst_check_replaceable(struct lkst_err *e, const char *path);

/* A file that gets its name when it is whole, in place of one that has it. */
struct lkst_new_file {
	int dir_fd, fd; /* -1: none; write to `fd` */
	char hidden[NAME_MAX + 1], name[NAME_MAX + 1];
};

/* Begins the file @path, under a hidden name beside it: ".NAME.RANDOM.partial". */
int lkst_new_file_open(struct lkst_err *e, const struct lkst_access *access, int at, const char *path,
		       struct lkst_new_file *ret_file);

/* Closes it and gives it its name. */
int lkst_new_file_place(struct lkst_err *e, struct lkst_new_file *file);

/* The same, and it outlasts a crash of the machine: file and name are on the disk. */
int lkst_new_file_place_on_disk(struct lkst_err *e, struct lkst_new_file *file);

/*
 * Gives it its name even where a directory has that, as any user can make one where all may write; what has the name is
 * nobody's who is asked. That directory has the hidden name then, unless it is empty: it is removed.
 */
int lkst_new_file_place_over(struct lkst_err *e, struct lkst_new_file *file);

/* Closes what is open, and removes the file unless it has its name. All of it may be -1. */
void lkst_new_file_fini(struct lkst_new_file *file);

/* The same for a directory, in place of an empty one. */
struct lkst_new_dir {
	int parent_fd, fd; /* -1: none; make files in `fd` */
	char hidden[NAME_MAX + 1], name[NAME_MAX + 1];
};

/* Begins the directory @path. -EEXIST: there is something of that name which is not an empty directory. */
int lkst_new_dir_open(struct lkst_err *e, const struct lkst_access *access, int at, const char *path,
		      struct lkst_new_dir *ret_dir);
int lkst_new_dir_place(struct lkst_err *e, struct lkst_new_dir *dir);

/* Closes what is open, and removes the directory and all in it, as lkst_remove_dirs() does, unless it has its name. */
void lkst_new_dir_fini(struct lkst_new_dir *dir);

/*
 * Makes directory @path, relative to @at, or takes one that is there, and opens it. -EPERM: it belongs to somebody
 * else, or others may write to it; -ELOOP: it is a link.
 */
int lkst_create_dir(struct lkst_err *e, const struct lkst_access *access, int at, const char *path, int *ret_fd);

/* The same, which must hold nothing. -ENOTEMPTY: it does. */
int lkst_create_empty_dir(struct lkst_err *e, const struct lkst_access *access, int at, const char *path, int *ret_fd);

/* Makes what is missing of the directories above @path. Those that are there are not judged. */
int lkst_create_parents(struct lkst_err *e, const struct lkst_access *access, const char *path);

/*
 * Makes a directory beside @path, ".NAME.RANDOM.partial", to work in. @dir: its path. @ret_lock: to be closed when the
 * caller has removed it by lkst_remove_made_dir() with this: until then, or until this process ends, nobody takes it
 * for one that was left.
 */
int lkst_create_dir_beside(struct lkst_err *e, const struct lkst_access *access, const char *path, char dir[PATH_MAX],
			   int *ret_lock);

/*
 * Renames a directory within directory @dir_fd. -EEXIST: @to is there. An empty directory is replaced.
 */
int lkst_rename_dir(int dir_fd, const char *from, const char *to);

/* The same for a file, which replaces one of that name. 0 or a negative errno. */
int lkst_rename_file(int dir_fd, const char *from, const char *to);

/* Opens a directory that is there, if lkst_create_dir() would take it. */
int lkst_open_own_dir(struct lkst_err *e, int at, const char *path, int *ret_fd);

/*
 * Removes such a directory and the files in it; one that holds directories stays. What fails is left. So is what lies
 * where others could have given its name to another directory of this user's: in one that is somebody else's, but
 * root's, or that others may write to and that is not sticky.
 */
void lkst_remove_dir(int at, const char *path);

/* The same with directories in it, which hold files only. */
void lkst_remove_dirs(int at, const char *path);

/* The same of a directory that this process has made and has open as @fd, wherever it lies: nothing else is removed. */
void lkst_remove_made_dir(int fd, int at, const char *path);

#endif
