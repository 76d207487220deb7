/* SPDX-License-Identifier: GPL-2.0-only */
/* New files and directories. */
#include "base/create.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/cleanup.h"

enum {
	PRIVATE_FILE = 0600,
	PRIVATE_DIR = 0700,
	SHARED_FILE = 0644, /* what umask(2) leaves of it */
	SHARED_DIR = 0755,
	OTHERS_WRITE = 0022,
	RANDOM_TRIES = 16,
	SWEEP_MAX = 1 << 16, /* entries of a directory that are looked at for what was left */
};

/* ---- who may read ------------------------------------------------------------------- */

static mode_t file_mode(const struct lkst_access *access)
{
	if (!access || !access->mode)
		return geteuid() ? SHARED_FILE : PRIVATE_FILE;
	return access->mode;
}

static mode_t dir_mode(const struct lkst_access *access)
{
	if (!access || !access->mode)
		return geteuid() ? SHARED_DIR : PRIVATE_DIR;
	return PRIVATE_DIR | (access->mode & 0044) | (access->mode & 0044) >> 2;
}

/* Gives what was just made its group, and its mode whatever umask(2) says, if they were asked for. */
static int apply_access(struct lkst_err *e, const struct lkst_access *access, int fd, mode_t mode, const char *path)
{
	if (access && access->gid != (gid_t)-1 && fchown(fd, (uid_t)-1, access->gid))
		return lkst_err_sys(e, -errno, "cannot give %s to group %u", path, access->gid);
	if (access && access->mode && fchmod(fd, mode))
		return lkst_err_sys(e, -errno, "cannot set the mode of %s", path);
	return 0;
}

/* ---- names -------------------------------------------------------------------------- */

/* Where the last name of @path begins, whose first @end bytes do not end in a slash. */
static size_t last_name(const char *path, size_t end)
{
	while (end && path[end - 1] != '/')
		end--;
	return end;
}

/*
 * Opens the directory above the last name of @path, in which only that name is looked up. "." and an empty name
 * are the directory itself.
 */
static int open_parent(struct lkst_err *e, int at, const char *path, int *ret_fd, char name[NAME_MAX + 1])
{
	size_t end = strlen(path), begin;
	char parent[PATH_MAX];

	while (end > 1 && path[end - 1] == '/')
		end--;
	begin = last_name(path, end);
	if (end - begin > NAME_MAX || begin >= sizeof(parent))
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", path);
	snprintf(name, NAME_MAX + 1, "%.*s", (int)(end - begin), path + begin);
	if (!name[0])
		strcpy(name, ".");
	snprintf(parent, sizeof(parent), "%.*s", begin ? (int)begin : 1, begin ? path : ".");
	*ret_fd = openat(at, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *ret_fd < 0 ? lkst_err_sys(e, -errno, "directory %s", parent) : 0;
}

/* Digits that nobody can guess. */
static int random_digits(struct lkst_err *e, char digits[17])
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return lkst_err_sys(e, -errno, "making a name");
	snprintf(digits, 17, "%016" PRIx64, random);
	return 0;
}

/* The name, which nobody can guess, of what will be called @name when it is whole. */
static int hide_name(struct lkst_err *e, const char *name, char hidden[NAME_MAX + 1])
{
	enum { DECORATION = sizeof("..0123456789abcdef.partial") };
	char digits[17];
	int err = random_digits(e, digits);

	if (!err)
		snprintf(hidden, NAME_MAX + 1, ".%.*s.%s.partial", NAME_MAX - DECORATION, name, digits);
	return err;
}

/* Whether @name is one that hide_name() gives. */
static bool is_hidden(const char *name)
{
	static const char digits[] = "0123456789abcdef", end[] = ".partial";
	const size_t length = strlen(name), decoration = 1 + 16 + sizeof(end) - 1;
	const char *random = name + length - decoration;

	return length > decoration + 1 && name[0] == '.' && random[0] == '.' &&
	       strspn(random + 1, digits) == 16 && !strcmp(random + 17, end);
}

/* ---- what a killed process has left --------------------------------------------------- */

/*
 * Locks what was just made as @hidden. False: somebody was faster, and has removed it or can keep it locked. Where a
 * file system has no locks nothing is ever taken for what was left.
 */
static bool lock_hidden(int dir_fd, const char *hidden, int fd)
{
	struct stat named, opened;

	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return false;
	return !fstatat(dir_fd, hidden, &named, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &opened) &&
	       named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

static void remove_if_left(int dir_fd, const char *name)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_uid != geteuid() ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || flock(fd, LOCK_EX | LOCK_NB))
		return;
	if (S_ISDIR(st.st_mode))
		lkst_remove_dirs(dir_fd, name);
	else
		unlinkat(dir_fd, name, 0);
}

static void remove_left(int dir_fd)
{
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	struct stat st;
	unsigned int i;

	if (!dir && copy >= 0)
		close(copy);
	if (!dir)
		return;
	/* Where others may write, a name says nothing: whoever may rename gives any directory one like it. */
	if (fstat(dir_fd, &st) || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH)) {
		closedir(dir);
		return;
	}
	for (i = 0; i < SWEEP_MAX && (entry = readdir(dir)); i++)
		if (is_hidden(entry->d_name))
			remove_if_left(dir_fd, entry->d_name);
	closedir(dir);
}

/* ---- files -------------------------------------------------------------------------- */

/* Makes the file @name in @dir_fd. Returns its descriptor or a negative errno. */
static int create_at(int dir_fd, const char *name, int how, mode_t mode)
{
	int fd = openat(dir_fd, name, how | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	return fd < 0 ? -errno : fd;
}

int lkst_create_file(struct lkst_err *e, const struct lkst_access *access, int at, const char *path, int *ret_fd)
{
	_cleanup_close_ int dir_fd = -1, fd = -1;
	char name[NAME_MAX + 1];
	int err = open_parent(e, at, path, &dir_fd, name);

	if (err)
		return err;
	fd = create_at(dir_fd, name, O_WRONLY, file_mode(access));
	if (fd < 0)
		return lkst_err_sys(e, fd, "cannot create %s", path);
	err = apply_access(e, access, fd, file_mode(access), path);
	if (err)
		unlinkat(dir_fd, name, 0);
	else
		*ret_fd = lkst_take_fd(fd);
	return err;
}

int lkst_create_lock(struct lkst_err *e, const char *path, int *ret_fd)
{
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, PRIVATE_FILE);

	*ret_fd = fd;
	return fd < 0 ? lkst_err_sys(e, -errno, "%s", path) : 0;
}

int lkst_create_temporary(struct lkst_err *e, const char *prefix, char path[PATH_MAX], int *ret_fd)
{
	char digits[17];
	unsigned int i;
	int err, fd = -EEXIST;

	for (i = 0; fd == -EEXIST && i < RANDOM_TRIES; i++) {
		err = random_digits(e, digits);
		if (err)
			return err;
		if (snprintf(path, PATH_MAX, "%s%s", prefix, digits) >= PATH_MAX)
			return lkst_err_sys(e, -ENAMETOOLONG, "%s", prefix);
		fd = create_at(AT_FDCWD, path, O_RDWR, PRIVATE_FILE);
	}
	*ret_fd = fd;
	return fd < 0 ? lkst_err_sys(e, fd, "cannot create %s", path) : 0;
}

int lkst_create_nameless(struct lkst_err *e, const char *dir, int *ret_fd)
{
	char prefix[PATH_MAX], path[PATH_MAX];
	int err;

	*ret_fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, PRIVATE_FILE);
	if (*ret_fd >= 0)
		return 0;
	/* Some file systems have no files without a name. */
	if (snprintf(prefix, sizeof(prefix), "%s/.lkst-", dir) >= (int)sizeof(prefix))
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", dir);
	err = lkst_create_temporary(e, prefix, path, ret_fd);
	if (!err)
		unlink(path);
	return err;
}

int lkst_check_replaceable(struct lkst_err *e, const char *path)
{
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	return lkst_err_set(e, -EEXIST,
			    "%s is there, and a new file in its place would destroy it, since it "
			    "is no plain file; name another one",
			    path);
}

int lkst_new_file_open(struct lkst_err *e, const struct lkst_access *access, int at, const char *path,
		       struct lkst_new_file *f)
{
	unsigned int i;
	int err;

	*f = (struct lkst_new_file){ .dir_fd = -1, .fd = -1 };
	err = open_parent(e, at, path, &f->dir_fd, f->name);
	if (!err)
		remove_left(f->dir_fd);
	f->fd = -EEXIST;
	for (i = 0; !err && f->fd == -EEXIST && i < RANDOM_TRIES; i++) {
		err = hide_name(e, f->name, f->hidden);
		if (!err)
			f->fd = create_at(f->dir_fd, f->hidden, O_WRONLY, file_mode(access));
		if (f->fd >= 0 && !lock_hidden(f->dir_fd, f->hidden, f->fd)) {
			close(f->fd);
			unlinkat(f->dir_fd, f->hidden, 0);
			f->fd = -EEXIST;
		}
	}
	if (!err && f->fd < 0)
		err = lkst_err_sys(e, f->fd, "cannot create a file beside %s", path);
	if (!err)
		err = apply_access(e, access, f->fd, file_mode(access), path);
	if (err)
		lkst_new_file_fini(f);
	return err;
}

int lkst_new_file_place(struct lkst_err *e, struct lkst_new_file *f)
{
	/* The lock is that of the open file: it stays until the file has its name. */
	int lock = fcntl(f->fd, F_DUPFD_CLOEXEC, 0), err = 0;

	if (close(lkst_take_fd(f->fd)))
		err = lkst_err_sys(e, -errno, "finishing %s", f->name);
	else if (renameat(f->dir_fd, f->hidden, f->dir_fd, f->name))
		err = lkst_err_sys(e, -errno, "cannot put a new file in the place of %s", f->name);
	else
		f->hidden[0] = 0;
	if (lock >= 0)
		close(lock);
	return err;
}

/* In one step, so that whoever makes the directory again and again is never faster. It is removed if it is empty. */
static int exchange_with_dir(const struct lkst_new_file *f)
{
	if (renameat2(f->dir_fd, f->hidden, f->dir_fd, f->name, RENAME_EXCHANGE))
		return -errno;
	unlinkat(f->dir_fd, f->hidden, AT_REMOVEDIR);
	return 0;
}

int lkst_new_file_place_over(struct lkst_err *e, struct lkst_new_file *f)
{
	int err = -ENOENT;
	unsigned int i;

	/* Between the two the directory may be gone, or be there again. */
	for (i = 0; i < RANDOM_TRIES && err == -ENOENT; i++) {
		err = lkst_rename_file(f->dir_fd, f->hidden, f->name);
		if (err == -EISDIR)
			err = exchange_with_dir(f);
	}
	if (err)
		return lkst_err_sys(e, err, "cannot put a new file in the place of %s", f->name);
	f->hidden[0] = 0;
	return 0;
}

int lkst_new_file_place_on_disk(struct lkst_err *e, struct lkst_new_file *f)
{
	_cleanup_close_ int dir_fd = openat(f->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (dir_fd < 0)
		return lkst_err_sys(e, -errno, "the directory of %s", f->name);
	if (fsync(f->fd))
		return lkst_err_sys(e, -errno, "cannot bring %s to the disk", f->name);
	err = lkst_new_file_place(e, f);
	if (!err && fsync(dir_fd))
		err = lkst_err_sys(e, -errno, "cannot bring the name of %s to the disk", f->name);
	return err;
}

void lkst_new_file_fini(struct lkst_new_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->dir_fd >= 0) {
		if (f->hidden[0])
			unlinkat(f->dir_fd, f->hidden, 0);
		close(f->dir_fd);
	}
	*f = (struct lkst_new_file){ .dir_fd = -1, .fd = -1 };
}

/* ---- directories -------------------------------------------------------------------- */

/* Refuses a directory in which somebody else could put links, or exchange files. */
static int create_judge(struct lkst_err *e, int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st))
		return lkst_err_sys(e, -errno, "directory %s", path);
	if (st.st_uid != geteuid())
		return lkst_err_set(e, -EPERM,
				    "directory %s belongs to user %u, who could replace what is written "
				    "there; name a new one, or one of your own",
				    path, st.st_uid);
	if (st.st_mode & OTHERS_WRITE)
		return lkst_err_set(e, -EPERM,
				    "others may write to directory %s (mode %04o) and could replace what "
				    "is written there; name a new one, or `chmod go-w` it",
				    path, (unsigned int)st.st_mode & 07777);
	return 0;
}

static bool is_link(int dir_fd, const char *name)
{
	struct stat st;

	return !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode);
}

/* Opens directory @name in @dir_fd, which is no link, and judges it. */
static int create_open_own(struct lkst_err *e, int dir_fd, const char *name, const char *path, int *ret_fd)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if ((err == -ENOTDIR || err == -ELOOP) && is_link(dir_fd, name))
		return lkst_err_set(e, -ELOOP,
				    "%s is a symbolic link, which may lead anywhere; name the directory "
				    "itself",
				    path);
	if (err)
		return lkst_err_sys(e, err, "cannot open directory %s", path);
	err = create_judge(e, fd, path);
	if (!err)
		*ret_fd = lkst_take_fd(fd);
	return err;
}

int lkst_open_own_dir(struct lkst_err *e, int at, const char *path, int *ret_fd)
{
	_cleanup_close_ int dir_fd = -1;
	char name[NAME_MAX + 1];
	int err = open_parent(e, at, path, &dir_fd, name);

	return err ? err : create_open_own(e, dir_fd, name, path, ret_fd);
}

int lkst_create_dir(struct lkst_err *e, const struct lkst_access *access, int at, const char *path, int *ret_fd)
{
	_cleanup_close_ int dir_fd = -1, fd = -1;
	char name[NAME_MAX + 1];
	bool is_new;
	int err = open_parent(e, at, path, &dir_fd, name);

	if (err)
		return err;
	is_new = !mkdirat(dir_fd, name, dir_mode(access));
	if (!is_new && errno != EEXIST)
		return lkst_err_sys(e, -errno, "cannot create directory %s", path);
	/* Somebody may have put another one in its place: it is judged, too. */
	err = create_open_own(e, dir_fd, name, path, &fd);
	if (!err && is_new)
		err = apply_access(e, access, fd, dir_mode(access), path);
	if (!err)
		*ret_fd = lkst_take_fd(fd);
	else if (is_new)
		unlinkat(dir_fd, name, AT_REMOVEDIR);
	return err;
}

/* 1 if the directory that @fd refers to has no entry, 0 if it has, or a negative errno. */
static int create_is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	int empty = 1;
	DIR *dir;

	if (copy < 0)
		return -errno;
	dir = fdopendir(copy);
	if (!dir) {
		int err = -errno;

		close(copy);
		return err;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			empty = 0;
	closedir(dir);
	return empty;
}

int lkst_create_empty_dir(struct lkst_err *e, const struct lkst_access *access, int at, const char *path, int *ret_fd)
{
	_cleanup_close_ int fd = -1;
	int err = lkst_create_dir(e, access, at, path, &fd);

	if (err)
		return err;
	err = create_is_empty(fd);
	if (err < 0)
		return lkst_err_sys(e, err, "cannot list directory %s", path);
	if (!err)
		return lkst_err_set(e, -ENOTEMPTY, "%s exists and is not empty", path);
	*ret_fd = lkst_take_fd(fd);
	return 0;
}

int lkst_create_parents(struct lkst_err *e, const struct lkst_access *access, const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	char *p;

	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", path);
	for (p = part + 1; part[0] && *p; p++) {
		_cleanup_close_ int fd = -1;
		int err = 0;

		if (*p != '/')
			continue;
		*p = 0;
		if (stat(part, &st))
			err = lkst_create_dir(e, access, AT_FDCWD, part, &fd);
		if (err)
			return err;
		*p = '/';
	}
	return 0;
}

/* Makes a directory under a name that hides @name, and locks it. */
static int create_hidden_dir(struct lkst_err *e, const struct lkst_access *access, int parent_fd, const char *name,
			     char hidden[NAME_MAX + 1], int *ret_fd)
{
	unsigned int i;
	int err;

	remove_left(parent_fd);
	for (i = 0; i < RANDOM_TRIES; i++) {
		_cleanup_close_ int fd = -1;

		err = hide_name(e, name, hidden) ?: lkst_create_dir(e, access, parent_fd, hidden, &fd);
		if (err)
			return err;
		if (lock_hidden(parent_fd, hidden, fd)) {
			*ret_fd = lkst_take_fd(fd);
			return 0;
		}
		unlinkat(parent_fd, hidden, AT_REMOVEDIR);
	}
	return lkst_err_sys(e, -EEXIST, "cannot create a directory beside %s", name);
}

int lkst_create_dir_beside(struct lkst_err *e, const struct lkst_access *access, const char *path, char dir[PATH_MAX],
			   int *ret_lock)
{
	_cleanup_close_ int parent_fd = -1, fd = -1;
	char name[NAME_MAX + 1], hidden[NAME_MAX + 1];
	size_t end = strlen(path);
	int err = open_parent(e, AT_FDCWD, path, &parent_fd, name)
			  ?: create_hidden_dir(e, access, parent_fd, name, hidden, &fd);

	if (err)
		return err;
	while (end > 1 && path[end - 1] == '/')
		end--;
	if (snprintf(dir, PATH_MAX, "%.*s%s", (int)last_name(path, end), path, hidden) >= PATH_MAX) {
		unlinkat(parent_fd, hidden, AT_REMOVEDIR);
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", path);
	}
	*ret_lock = lkst_take_fd(fd);
	return 0;
}

int lkst_rename_file(int dir_fd, const char *from, const char *to)
{
	return renameat(dir_fd, from, dir_fd, to) ? -errno : 0;
}

int lkst_rename_dir(int dir_fd, const char *from, const char *to)
{
	if (!renameat(dir_fd, from, dir_fd, to))
		return 0;
	return errno == ENOTEMPTY || errno == ENOTDIR ? -EEXIST : -errno;
}

/*
 * Whether only this user and root can exchange what is this user's in the directory. In a sticky one whoever may write
 * can do so with his own alone.
 */
static bool are_names_safe(int dir_fd)
{
	struct stat st;

	return !fstat(dir_fd, &st) && (st.st_uid == geteuid() || !st.st_uid) &&
	       (!(st.st_mode & OTHERS_WRITE) || st.st_mode & S_ISVTX);
}

/* Removes what is in the directory, in which names are safe. */
static void empty_dir(int fd, bool has_dirs)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!dir && copy >= 0)
		close(copy);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (unlinkat(fd, entry->d_name, 0) && has_dirs && strcmp(entry->d_name, ".") &&
		    strcmp(entry->d_name, ".."))
			lkst_remove_dir(fd, entry->d_name);
	closedir(dir);
}

static void create_remove_dir(int at, const char *path, bool has_dirs)
{
	_cleanup_close_ int parent_fd = -1, fd = -1;
	char name[NAME_MAX + 1];

	if (open_parent(NULL, at, path, &parent_fd, name) || !are_names_safe(parent_fd) ||
	    create_open_own(NULL, parent_fd, name, path, &fd))
		return;
	empty_dir(fd, has_dirs);
	unlinkat(parent_fd, name, AT_REMOVEDIR);
}

void lkst_remove_made_dir(int fd, int at, const char *path)
{
	struct stat made, named;

	empty_dir(fd, true);
	/* Whatever has the name a moment later, only a directory with nothing in it can be removed. */
	if (!fstat(fd, &made) && !fstatat(at, path, &named, AT_SYMLINK_NOFOLLOW) && made.st_ino == named.st_ino &&
	    made.st_dev == named.st_dev)
		unlinkat(at, path, AT_REMOVEDIR);
}

void lkst_remove_dir(int at, const char *path)
{
	create_remove_dir(at, path, false);
}

void lkst_remove_dirs(int at, const char *path)
{
	create_remove_dir(at, path, true);
}

/* ---- a directory that gets its name when it is whole -------------------------------- */

/* Refuses a name that lkst_rename_dir() could not give. */
static int check_free(struct lkst_err *e, const struct lkst_new_dir *d, const char *path)
{
	_cleanup_close_ int fd = openat(d->parent_fd, d->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : create_is_empty(fd);

	if (err == -ENOENT || err == 1)
		return 0;
	if (!err || err == -ENOTDIR)
		return lkst_err_set(e, -EEXIST, "%s is there already, and is not an empty directory",
				    path);
	return lkst_err_sys(e, err, "directory %s", path);
}

int lkst_new_dir_open(struct lkst_err *e, const struct lkst_access *access, int at, const char *path,
		      struct lkst_new_dir *d)
{
	int err;

	*d = (struct lkst_new_dir){ .parent_fd = -1, .fd = -1 };
	err = open_parent(e, at, path, &d->parent_fd, d->name) ?: check_free(e, d, path) ?:
	      create_hidden_dir(e, access, d->parent_fd, d->name, d->hidden, &d->fd);
	if (err)
		lkst_new_dir_fini(d);
	return err;
}

int lkst_new_dir_place(struct lkst_err *e, struct lkst_new_dir *d)
{
	int err = lkst_rename_dir(d->parent_fd, d->hidden, d->name);

	if (err)
		return lkst_err_sys(e, err, "cannot give a new directory the name %s", d->name);
	d->hidden[0] = 0;
	return 0;
}

void lkst_new_dir_fini(struct lkst_new_dir *d)
{
	if (d->parent_fd >= 0) {
		if (d->fd >= 0 && d->hidden[0])
			lkst_remove_made_dir(d->fd, d->parent_fd, d->hidden);
		close(d->parent_fd);
	}
	lkst_closep(&d->fd);
	*d = (struct lkst_new_dir){ .parent_fd = -1, .fd = -1 };
}
